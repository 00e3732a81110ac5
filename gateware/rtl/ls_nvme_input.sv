// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The stream of write data goes into its buffer as it comes, ahead of the commands that it is for:
// the buffer is a ring, and what is in it belongs to the writes in their order.
module ls_nvme_input #(
  parameter int unsigned Width   = 64,
  parameter int unsigned WrBytes = 65536,
  localparam int unsigned PerUnit = $clog2(512 / (Width / 8)),
  localparam int unsigned RowBits = $clog2(WrBytes / (Width / 8)),
  localparam int unsigned WrBits  = RowBits - PerUnit
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  logic [WrBits:0]    freed_i,     // units, modulo twice the buffer
  output logic [WrBits:0]    filled_o,
  output logic               we_o,
  output logic [RowBits-1:0] row_o
);

  logic [RowBits:0] at_q, used;
  assign used      = at_q - {freed_i, PerUnit'(0)};
  assign s_ready_o = !used[RowBits];
  assign we_o      = s_valid_i && s_ready_o;
  assign row_o     = at_q[RowBits-1:0];
  assign filled_o  = at_q[RowBits:PerUnit];

  always_ff @(posedge clk_i) begin
    if (!rst_ni)   at_q <= '0;
    else if (we_o) at_q <= at_q + 1'b1;
  end

endmodule
