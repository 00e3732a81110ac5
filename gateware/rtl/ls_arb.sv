// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Round robin over N requests: who was served last waits longest. Combinational grant; the turn
// moves on when `take_i` says that the granted request was used up.
module ls_arb #(
  parameter int unsigned N = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] req_i,
  input  logic         take_i,
  output logic [N-1:0] gnt_o
);

  // Requests after the last winner come first; if there is none, the lowest index wins.
  logic [N-1:0] after_q, masked, pick, upto;

  assign masked = req_i & after_q;
  assign pick   = (masked != '0) ? masked : req_i;

  // Written out: an adder would put a carry chain into a path that is short otherwise.
  for (genvar i = 0; i < N; i++) begin : gen_bit
    localparam logic [N-1:0] Below = N'((1 << i) - 1);
    assign gnt_o[i] = pick[i] && ((pick & Below) == '0);
    assign upto[i]  = (gnt_o & ~Below) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                      after_q <= '1;
    else if (take_i && gnt_o != '0)   after_q <= ~upto;
  end

endmodule
