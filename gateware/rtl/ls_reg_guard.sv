// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A processor that reads a BAR stands still until it is answered. Whatever design sits behind the
// register port, this answers in its place, with an error, when it takes too long.
module ls_reg_guard #(
  parameter int unsigned Cycles = 1024
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  output logic        error_o,
  output logic        valid_o,
  input  logic        ready_i,
  input  logic        error_i
);

  localparam int unsigned Bits = $clog2(Cycles + 1);
  logic [Bits-1:0] left_q;
  logic            late;

  assign late    = left_q == '0;
  assign valid_o = valid_i && !late;
  assign ready_o = valid_i && (late || ready_i);
  assign error_o = late || error_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                     left_q <= Bits'(Cycles);
    else if (!valid_i || ready_o)    left_q <= Bits'(Cycles);
    else                             left_q <= left_q - 1'b1;
  end

endmodule
