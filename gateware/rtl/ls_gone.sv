// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Was a TLP of a command dropped, its last or one before it? While bus mastering is off an aborted
// channel's TLPs are dropped one by one; where the host allows it again in the midst of a command,
// the rest of that goes out, and its report must still not say that it is done.
module ls_gone (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic drops_i,      // a beat is there, and does not go on
  input  logic taken_i,      // it is taken
  input  logic told_i,       // the command's report is given, with the last beat of its last TLP
  output logic gone_o
);

  logic gone_q;

  assign gone_o = gone_q || drops_i;

  always_ff @(posedge clk_i) gone_q <= rst_ni && !told_i && (gone_q || (drops_i && taken_i));

endmodule
