// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Byte rotation: lane i of the result is lane i+shift of the input, modulo the width. It is the
// one piece that makes any byte address run at full rate, so it exists once.
module ls_rotate #(
  parameter int unsigned Lanes    = 8,
  parameter int unsigned LaneSize = 8,
  localparam int unsigned ShBits  = $clog2(Lanes)
) (
  input  logic [Lanes*LaneSize-1:0] data_i,
  input  logic [ShBits-1:0]         shift_i,
  output logic [Lanes*LaneSize-1:0] data_o
);

  logic [ShBits:0][Lanes*LaneSize-1:0] stage /* verilator split_var */;

  assign stage[0] = data_i;
  for (genvar s = 0; s < ShBits; s++) begin : gen_stage
    localparam int unsigned Bits = (1 << s) * LaneSize;
    assign stage[s+1] = shift_i[s]
        ? {stage[s][Bits-1:0], stage[s][Lanes*LaneSize-1:Bits]}
        : stage[s];
  end
  assign data_o = stage[ShBits];

endmodule
