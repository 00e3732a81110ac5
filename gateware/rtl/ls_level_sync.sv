// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A level that no clock times, such as electrical idle of PIPE, through two registers.
module ls_level_sync (
  input  logic clk_i,
  input  logic level_i,
  output logic level_o
);

  (* ASYNC_REG = "TRUE" *) logic sync_q, seen_q;

  always_ff @(posedge clk_i) begin
    sync_q <= level_i;
    seen_q <= sync_q;
  end
  assign level_o = seen_q;

endmodule
