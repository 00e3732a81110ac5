// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Of the read requests that wait, one is shown, stays so until it is taken, and is the one that its
// source hears is taken; none goes twice while another waits.
module ls_rq_mux_props
  import ls_pkg::*;
#(
  parameter int unsigned N = 4,
  localparam int unsigned MeBits = $clog2(N)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic     [N-1:0]   valid_i,
  input tlp_hdr_t [N-1:0]   hdr_i,
  input logic               ready_i,
  input logic [MeBits-1:0]  me       // any source, but always the same
);
  logic [N-1:0] taken;
  logic         valid;
  tlp_hdr_t     hdr;
  ls_rq_mux #(.N(N)) dut (.clk_i, .rst_ni, .valid_i, .ready_o(taken), .hdr_i, .valid_o(valid), .ready_i, .hdr_o(hdr));

  logic              first_q = 1'b1, held_q;
  logic [MeBits-1:0] me_q;
  logic [N-1:0]      valid_q, taken_q, sel_q, served_q, after, above;    // others shown since I could be
  tlp_hdr_t          mine_q, hdr_q;
  logic              start;
  assign start = valid && dut.hold_q == '0;
  assign after = dut.u_turn.after_q;
  assign above = {{(N-1){1'b1}}, 1'b0} << me;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    me_q    <= me;
    valid_q <= rst_ni ? valid_i : '0;
    taken_q <= taken;
    mine_q  <= hdr_i[me];
    held_q  <= rst_ni && valid && !ready_i;
    sel_q   <= dut.sel;
    hdr_q   <= hdr;
    if (!rst_ni || !valid_i[me] || (start && dut.gnt[me])) served_q <= '0;
    else if (start)                                        served_q <= served_q | dut.gnt;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == me_q);
      assume ((valid_q & ~taken_q & ~valid_i) == '0);            // who asks, asks until it is heard
      if (valid_q[me] && !taken_q[me]) assume (hdr_i[me] == mine_q);
    end
    if (!first_q) begin
      a_one:    assert ((dut.sel & (dut.sel - 1'b1)) == '0 && valid == (valid_i != '0) && (dut.sel & ~valid_i) == '0);
      a_stays:  assert (!held_q || dut.sel == sel_q);
      a_mine:   assert (!(valid && dut.sel[me]) || hdr == hdr_i[me]);
      a_taken:  assert (taken == (ready_i && valid ? dut.sel : '0));
      a_fair:   assert (!start || !valid_i[me] || (dut.gnt & served_q) == '0);
      i_hold:   assert (dut.hold_q == (held_q ? sel_q : '0));
      // What carries the last but one, as in the proof of ls_arb.
      i_shape:  assert ((after | (after - 1'b1)) == '1 || after == '0);
      i_run:    assert ((~after & (~after + 1'b1)) == '0);
      i_turn:   assert (after[me] ? (served_q & after & ~above) == '0 : (served_q & (after | ~above)) == '0);
    end
    c_turn: cover (!first_q && (served_q | (N'(1) << me)) == '1);
  end
endmodule
