// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Small queue with the head visible without a read cycle (distributed RAM). Everything that waits
// in front of a decision, rather than in front of a wire, waits in one of these.
module ls_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  input  logic                     valid_i,
  output logic                     ready_o,
  input  logic [Width-1:0]         data_i,
  output logic                     valid_o,
  input  logic                     ready_i,
  output logic [Width-1:0]         data_o,
  output logic [$clog2(Depth):0]   used_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 2");
  end

  logic [Width-1:0] mem [Depth];
  logic [PtrBits:0] wr_q, rd_q;

  assign used_o  = wr_q - rd_q;
  assign ready_o = !used_o[PtrBits];
  assign valid_o = wr_q != rd_q;
  assign data_o  = mem[rd_q[PtrBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) mem[wr_q[PtrBits-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q <= '0;
      rd_q <= '0;
    end else if (clear_i) begin
      wr_q <= '0;
      rd_q <= '0;
    end else begin
      if (valid_i && ready_o) wr_q <= wr_q + 1'b1;
      if (valid_o && ready_i) rd_q <= rd_q + 1'b1;
    end
  end

endmodule
