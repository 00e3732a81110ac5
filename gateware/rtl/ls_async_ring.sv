// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A ring between two clocks: memory, and Gray-coded pointers through two registers each way. When it is written and read
// is decided by what is around it: a queue (ls_async_fifo), or a buffer that is held half full (ls_elastic). Each side
// sees what the other has done about three cycles late, so neither sees room or entries that are not there.
module ls_async_ring #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  localparam int unsigned PtrBits = $clog2(Depth)
) (
  input  logic               wr_clk_i,
  input  logic               wr_rst_ni,
  input  logic               wr_i,          // not while it is full
  input  logic [Width-1:0]   wr_data_i,
  output logic               wr_full_o,
  output logic [PtrBits:0]   wr_held_o,     // entries, as this side sees them
  input  logic               rd_clk_i,
  input  logic               rd_rst_ni,
  input  logic               rd_i,          // not while it is empty
  output logic [Width-1:0]   rd_data_o,
  output logic               rd_empty_o,
  output logic [PtrBits:0]   rd_held_o
);

  if (Depth < 8 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 8");
  end

  function automatic logic [PtrBits:0] from_gray(logic [PtrBits:0] gray);
    from_gray = gray;
    for (int unsigned i = 1; i <= PtrBits; i++) from_gray = from_gray ^ (gray >> i);
  endfunction

  logic [Width-1:0] mem [Depth];
  logic [PtrBits:0] wr_q, wr_gray_q, rd_q, rd_gray_q, wr_next, rd_next;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] wr_sync_q, wr_seen_q;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] rd_sync_q, rd_seen_q;

  // Full: the pointers differ in their two upper bits alone.
  assign wr_full_o  = wr_gray_q == (rd_seen_q ^ (PtrBits+1)'(3 << (PtrBits - 1)));
  assign rd_empty_o = rd_gray_q == wr_seen_q;
  assign wr_held_o  = wr_q - from_gray(rd_seen_q);
  assign rd_held_o  = from_gray(wr_seen_q) - rd_q;
  assign wr_next    = wr_q + 1'b1;
  assign rd_next    = rd_q + 1'b1;
  assign rd_data_o  = mem[rd_q[PtrBits-1:0]];

  always_ff @(posedge wr_clk_i) if (wr_i) mem[wr_q[PtrBits-1:0]] <= wr_data_i;

  always_ff @(posedge wr_clk_i) begin
    if (!wr_rst_ni) begin
      wr_q      <= '0;
      wr_gray_q <= '0;
      rd_sync_q <= '0;
      rd_seen_q <= '0;
    end else begin
      if (wr_i) begin
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
      if (rd_i) begin
        rd_q      <= rd_next;
        rd_gray_q <= rd_next ^ (rd_next >> 1);
      end
      wr_sync_q <= wr_gray_q;
      wr_seen_q <= wr_sync_q;
    end
  end

endmodule
