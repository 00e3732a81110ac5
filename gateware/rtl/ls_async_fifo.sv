// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A queue between two clocks: Gray-coded pointers through two registers each way. Both sides run
// at full rate; an entry takes about four cycles of the reader's clock to appear.
module ls_async_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic             wr_clk_i,
  input  logic             wr_rst_ni,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [Width-1:0] wr_data_i,
  input  logic             rd_clk_i,
  input  logic             rd_rst_ni,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [Width-1:0] rd_data_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  if (Depth < 8 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 8");
  end

  logic [Width-1:0] mem [Depth];
  logic [PtrBits:0] wr_q, wr_gray_q, rd_q, rd_gray_q, wr_next, rd_next;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] wr_sync_q, wr_seen_q;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] rd_sync_q, rd_seen_q;

  // Full: the pointers differ in their two upper bits alone.
  assign wr_ready_o = wr_gray_q != (rd_seen_q ^ (PtrBits+1)'(3 << (PtrBits - 1)));
  assign rd_valid_o = rd_gray_q != wr_seen_q;
  assign wr_next    = wr_q + 1'b1;
  assign rd_next    = rd_q + 1'b1;
  assign rd_data_o  = mem[rd_q[PtrBits-1:0]];

  always_ff @(posedge wr_clk_i) if (wr_valid_i && wr_ready_o) mem[wr_q[PtrBits-1:0]] <= wr_data_i;

  always_ff @(posedge wr_clk_i) begin
    if (!wr_rst_ni) begin
      wr_q      <= '0;
      wr_gray_q <= '0;
      rd_sync_q <= '0;
      rd_seen_q <= '0;
    end else begin
      if (wr_valid_i && wr_ready_o) begin
        wr_q      <= wr_next;
        wr_gray_q <= wr_next ^ (wr_next >> 1);
      end
      rd_sync_q <= rd_gray_q;
      rd_seen_q <= rd_sync_q;
    end
  end

  always_ff @(posedge rd_clk_i) begin
    if (!rd_rst_ni) begin
      rd_q      <= '0;
      rd_gray_q <= '0;
      wr_sync_q <= '0;
      wr_seen_q <= '0;
    end else begin
      if (rd_valid_o && rd_ready_i) begin
        rd_q      <= rd_next;
        rd_gray_q <= rd_next ^ (rd_next >> 1);
      end
      wr_sync_q <= wr_gray_q;
      wr_seen_q <= wr_sync_q;
    end
  end

endmodule
