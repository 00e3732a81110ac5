// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A function-level reset cuts no TLP: not one on its way out, and of one on its way in the engine sees
// the whole or, after its reset, nothing. What is shown to the shim stays until it is taken. The engine
// is reset only while nothing is under way out, and the block is told once for each reset.
module ls_flr_props
  import ls_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       flr_i,
  input logic [2:0] out_valid_i, out_eop_i, out_ready_i,
  input logic [1:0] in_valid_i, in_eop_i, in_ready_i
);
  logic       done, core_rst_n, user_rst_n;
  logic [2:0] out_ready, out_valid;
  logic [1:0] in_ready, in_valid;
  ls_flr #(.Rest(64)) dut (
    .clk_i, .rst_ni, .user_clk_i(clk_i), .user_rst_ni(rst_ni), .flr_i, .flr_done_o(done), .core_rst_no(core_rst_n),
    .core_user_rst_no(user_rst_n), .out_valid_i, .out_ready_o(out_ready), .out_eop_i, .out_valid_o(out_valid), .out_ready_i,
    .in_valid_i, .in_ready_o(in_ready), .in_eop_i, .in_valid_o(in_valid), .in_ready_i
  );

  logic       first_q = 1'b1;
  logic [2:0] waits_q, shown_q, mid_q, eop_q;
  logic [1:0] link_mid_q, core_mid_q, comes_q, in_eop_q;
  logic       reset_q, asked_q, owed_q;    // owed_q: asked for, and not yet told to be done
  always_ff @(posedge clk_i) begin
    first_q  <= 1'b0;
    waits_q  <= (rst_ni && core_rst_n) ? out_valid_i & ~out_ready : '0;    // the engine keeps what it shows
    eop_q    <= out_eop_i;
    shown_q  <= rst_ni ? out_valid & ~out_ready_i : '0;
    comes_q  <= rst_ni ? in_valid_i & ~in_ready : '0;
    in_eop_q <= in_eop_i;
    reset_q  <= rst_ni && !core_rst_n;
    asked_q  <= rst_ni && flr_i;
    owed_q   <= rst_ni && ((flr_i && !asked_q) || (owed_q && !done));
    for (int unsigned i = 0; i < 3; i++) begin
      if (!rst_ni) mid_q[i] <= 1'b0;
      else if (out_valid[i] && out_ready_i[i]) mid_q[i] <= !out_eop_i[i];
    end
    for (int unsigned i = 0; i < 2; i++) begin
      if (!rst_ni) link_mid_q[i] <= 1'b0;
      else if (in_valid_i[i] && in_ready[i]) link_mid_q[i] <= !in_eop_i[i];
      if (!rst_ni || !core_rst_n) core_mid_q[i] <= 1'b0;
      else if (in_valid[i] && in_ready_i[i]) core_mid_q[i] <= !in_eop_i[i];
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume ((waits_q & ~out_valid_i) == '0 && (waits_q & (eop_q ^ out_eop_i)) == '0);
      assume ((comes_q & ~in_valid_i) == '0 && (comes_q & (in_eop_q ^ in_eop_i)) == '0);
      if (!core_rst_n) assume (out_valid_i == '0 || reset_q);   // in reset it may show anything
    end
    if (!first_q) begin
      a_shown: assert ((shown_q & ~out_valid) == '0);
      a_whole: assert (core_rst_n || mid_q == '0);
      a_still: assert (core_rst_n || (out_valid == '0 && in_valid == '0));
      // What the engine is given begins where a TLP begins.
      a_begin: assert ((in_valid & (core_mid_q ^ link_mid_q)) == '0);
      i_gate:  assert (!core_rst_n || ((core_mid_q ^ link_mid_q) & ~dut.gate_q) == '0);
      i_core:  assert (!core_rst_n || (dut.gate_q & core_mid_q) == '0);
      i_first: assert (core_rst_n || core_mid_q == '0 || dut.left_q == 7'd64);
      i_in:    assert (dut.in_mid_q == link_mid_q);
      a_told:  assert (!done || (reset_q && owed_q));      // once for each time that it is asked for
      i_owed:  assert (dut.seen_q == asked_q && (dut.state_q == 2'd0 || owed_q));
      i_mid:   assert (dut.mid_q == mid_q);
      i_stop:  assert ((dut.stop_q & mid_q) == '0);
      i_rest:  assert ((dut.state_q == 2'd2) == dut.reset_q && (!dut.reset_q || (&dut.stop_q && &dut.gate_q)));
      i_run:   assert (dut.state_q != 2'd3);
    end
    c_cut: cover (!first_q && !core_rst_n && reset_q && link_mid_q[0]);
  end
endmodule
