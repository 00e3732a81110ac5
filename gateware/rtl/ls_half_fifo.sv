// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A queue like ls_fifo whose entries are written in two halves, the lower one first: what arrives
// in pieces needs no register to wait in. An entry exists when its upper half is written.
module ls_half_fifo #(
  parameter int unsigned Width = 64,   // of a half
  parameter int unsigned Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  input  logic                     low_i,    // data_i is the lower half of the entry to come
  input  logic                     valid_i,  // data_i is its upper half
  output logic                     ready_o,
  input  logic [Width-1:0]         data_i,
  output logic                     valid_o,
  input  logic                     ready_i,
  output logic [2*Width-1:0]       data_o,
  output logic [$clog2(Depth):0]   used_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 2");
  end

  (* ram_style = "distributed" *) logic [Width-1:0] low_mem [Depth];
  (* ram_style = "distributed" *) logic [Width-1:0] high_mem [Depth];
  logic [PtrBits:0] wr_q, rd_q;

  assign used_o  = wr_q - rd_q;
  assign ready_o = !used_o[PtrBits];
  assign valid_o = wr_q != rd_q;
  assign data_o  = {high_mem[rd_q[PtrBits-1:0]], low_mem[rd_q[PtrBits-1:0]]};

  always_ff @(posedge clk_i) begin
    if (low_i && ready_o)   low_mem[wr_q[PtrBits-1:0]]  <= data_i;
    if (valid_i && ready_o) high_mem[wr_q[PtrBits-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      wr_q <= '0;
      rd_q <= '0;
    end else begin
      if (valid_i && ready_o) wr_q <= wr_q + 1'b1;
      if (valid_o && ready_i) rd_q <= rd_q + 1'b1;
    end
  end

endmodule
