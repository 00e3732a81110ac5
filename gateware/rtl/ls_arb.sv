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
  logic [N-1:0] after_q, masked, pick;

  assign masked = req_i & after_q;
  assign pick   = (masked != '0) ? masked : req_i;
  assign gnt_o  = pick & (~pick + 1'b1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                      after_q <= '1;
    else if (take_i && gnt_o != '0)   after_q <= ~(gnt_o | (gnt_o - 1'b1));
  end

endmodule
