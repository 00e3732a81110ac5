// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Held between TLPs and never inside one: what leaves is a stream by the rules, a TLP that has begun goes on
// at once, none begins once it is held, and what is dropped is dropped whole.
module ls_hold_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             hold_i,
  input logic             drop_i,
  input logic             valid_i,
  input logic             sop_i,
  input logic             eop_i,
  input tlp_hdr_t         hdr_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i
);
  logic ready, valid;
  ls_hold dut (.clk_i, .rst_ni, .hold_i, .drop_i, .valid_i, .ready_o(ready), .eop_i, .valid_o(valid), .ready_i);
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1)
  );
  ls_stream_check #(.Width(Width)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1)
  );

  logic first_q = 1'b1, held_q, shown_q, taken;      // held_q: no TLP may begin; shown_q: one was shown in the last cycle
  assign taken = valid && ready_i;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    held_q  <= rst_ni && hold_i && !u_in.open_q && !(valid_i && ready && !eop_i) && !(valid && !taken);
    shown_q <= rst_ni && valid && !taken;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    if (!first_q) begin
      a_whole: assert (!(u_out.open_q && valid_i) || valid);        // what has begun goes on
      a_none:  assert (!held_q || !valid);                          // and none begins while it is held
      a_taken: assert (!(valid_i && ready && !valid) || dut.stop_q);
      a_waits: assert (!(dut.stop_q && !drop_i && !dut.mid_q) || !ready);     // what is not to be dropped waits
      // What carries the proof.
      i_mid:   assert (dut.mid_q == u_in.open_q);
      i_out:   assert (u_out.open_q == (u_in.open_q && !dut.stop_q));
      i_left:  assert (!u_out.open_q || u_out.left_q == u_in.left_q);
      i_drop:  assert (!(dut.stop_q && dut.mid_q) || dut.drop_q);
      i_shown: assert (!shown_q || !dut.stop_q);
    end
    c_drop: cover (!first_q && valid_i && ready && !valid && eop_i && !sop_i);
    c_hold: cover (!first_q && held_q && valid_i);
  end
endmodule
