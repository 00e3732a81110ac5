// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The arbiter grants one of those who ask, always one, and whoever keeps asking is served before
// any other is served twice.
module ls_arb_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [3:0] req_i,
  input logic       take_i,
  input logic [1:0] me       // any value, but always the same
);
  localparam int unsigned N = 4;
  logic [3:0] gnt;
  ls_arb #(.N(N)) dut (.clk_i, .rst_ni, .req_i, .take_i, .gnt_o(gnt));

  logic [3:0] served_q;      // others served since I began to ask
  logic       first_q = 1'b1;

  logic [1:0] same_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    same_q  <= me;
    if (!rst_ni || !req_i[me] || (take_i && gnt[me])) served_q <= '0;
    else if (take_i)                                  served_q <= served_q | gnt;
  end

  logic [3:0] above;
  assign above = 4'b1110 << me;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (!first_q) assume (rst_ni);
    if (!first_q) assume (me == same_q);
    if (!first_q) begin
      a_only_asked: assert ((gnt & ~req_i) == '0);
      a_one:        assert ((gnt & (gnt - 1'b1)) == '0);
      a_always:     assert ((gnt == '0) == (req_i == '0));
      a_fair:       assert (!req_i[me] || (gnt & served_q) == '0);
      // What carries the proof: after_q is a run of ones from some place to the top. Before the
      // turn has passed me only higher ones were served; afterwards lower ones outside of it too.
      a_shape:      assert ((dut.after_q | (dut.after_q - 1'b1)) == '1 || dut.after_q == '0);
      a_shape_run:  assert ((~dut.after_q & (~dut.after_q + 1'b1)) == '0);
      a_turn: assert (dut.after_q[me] ? (served_q & dut.after_q & ~above) == '0
                                      : (served_q & (dut.after_q | ~above)) == '0);
    end
    c_turn: cover (served_q == 4'b1101 && me == 2'd1);
  end
endmodule
