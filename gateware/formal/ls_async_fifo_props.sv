// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two clocks that know nothing of each other: nothing is lost, nothing comes twice, the order is
// kept. One value is followed from the place where it was written to the place where it is read;
// the pointers as each side sees them lag, and never lead.
module ls_async_fifo_props (
  input logic       wr_clk_i,
  input logic       rd_clk_i,
  input logic       rst_ni,
  input logic       wr_valid_i,
  input logic [1:0] wr_data_i,
  input logic       rd_ready_i,
  input logic       mark          // follow the value that is written now
);
  localparam int unsigned Depth = 8;
  logic       wr_ready, rd_valid;
  logic [1:0] rd_data;
  ls_async_fifo #(.Width(2), .Depth(Depth)) dut (
    .wr_clk_i, .wr_rst_ni(rst_ni), .wr_valid_i, .wr_ready_o(wr_ready), .wr_data_i,
    .rd_clk_i, .rd_rst_ni(rst_ni), .rd_valid_o(rd_valid), .rd_ready_i, .rd_data_o(rd_data)
  );

  function automatic logic [3:0] bin(input logic [3:0] g);
    return {g[3], ^g[3:2], ^g[3:1], ^g[3:0]};
  endfunction

  // ---- the value followed --------------------------------------------------------------------
  logic       wr_ran_q = 1'b0, rd_ran_q = 1'b0, in_q = 1'b0, out_q = 1'b0, run;
  logic [3:0] at_q;
  logic [1:0] is_q;
  assign run = wr_ran_q && rd_ran_q;       // reset ends when both clocks have had an edge
  always_ff @(posedge wr_clk_i) wr_ran_q <= 1'b1;
  always_ff @(posedge rd_clk_i) rd_ran_q <= 1'b1;
  always_ff @(posedge wr_clk_i) begin
    if (!in_q && mark && wr_valid_i && wr_ready && rst_ni) begin
      in_q <= 1'b1;
      at_q <= dut.u_ring.wr_q;
      is_q <= wr_data_i;
    end
  end
  always_ff @(posedge rd_clk_i) if (in_q && !out_q && rd_valid && rd_ready_i && dut.u_ring.rd_q == at_q) out_q <= 1'b1;

  // ---- pointers, as distances from the true ones -----------------------------------------------
  logic [3:0] used, used_sync, used_seen, here_sync, here_seen, way;
  assign used      = dut.u_ring.wr_q - dut.u_ring.rd_q;
  assign used_sync = dut.u_ring.wr_q - bin(dut.u_ring.rd_sync_q);
  assign used_seen = dut.u_ring.wr_q - bin(dut.u_ring.rd_seen_q);
  assign here_sync = bin(dut.u_ring.wr_sync_q) - dut.u_ring.rd_q;
  assign here_seen = bin(dut.u_ring.wr_seen_q) - dut.u_ring.rd_q;
  assign way       = at_q - dut.u_ring.rd_q;

  always_comb begin
    assume (rst_ni == run);
    if (run) begin
      a_full:  assert (used <= 4'(Depth));                         // never more than there is room for
      a_ready: assert (!wr_ready || used < 4'(Depth));             // so nothing is overwritten
      a_valid: assert (!rd_valid || used != '0);                   // and nothing read that is not there
      if (in_q && !out_q) begin
        a_here:  assert (way < used && dut.u_ring.mem[at_q[2:0]] == is_q);  // not lost, not passed
        a_value: assert (!(rd_valid && dut.u_ring.rd_q == at_q) || rd_data == is_q);
      end
      // What carries the proof.
      i_gray: assert (dut.u_ring.wr_gray_q == (dut.u_ring.wr_q ^ (dut.u_ring.wr_q >> 1)) && dut.u_ring.rd_gray_q == (dut.u_ring.rd_q ^ (dut.u_ring.rd_q >> 1)));
      i_wr:   assert (used <= used_sync && used_sync <= used_seen && used_seen <= 4'(Depth));
      i_rd:   assert (here_seen <= here_sync && here_sync <= used);
    end
    else begin
      i_none: assert (!in_q && !out_q);
      i_wr_reset: assert (!wr_ran_q || {dut.u_ring.wr_q, dut.u_ring.wr_gray_q, dut.u_ring.rd_sync_q, dut.u_ring.rd_seen_q} == '0);
      i_rd_reset: assert (!rd_ran_q || {dut.u_ring.rd_q, dut.u_ring.rd_gray_q, dut.u_ring.wr_sync_q, dut.u_ring.wr_seen_q} == '0);
    end
    c_through: cover (out_q);
    c_full:    cover (run && !wr_ready);
  end
endmodule
