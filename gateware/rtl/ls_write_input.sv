// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Where a stream waits to become write TLPs. It knows how many bytes are here and where the next
// frame ends, so that a TLP is begun only when it can be finished: a stream that stalls stops its
// own channel and never the link.
module ls_write_input #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 64,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Rows),
  localparam int unsigned PosBits  = RowBits + 1 + LaneBits
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               flush_i,      // forget what is here; drop the rest of an open frame

  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  logic [Width-1:0]   s_data_i,
  input  logic [Bytes-1:0]   s_keep_i,
  input  logic               s_last_i,

  output logic [RowBits:0]   wr_row_o,     // rows before this one are here
  output logic [RowBits:0]   new_row_o,    // where the stream goes on after a flush
  output logic               end_valid_o,  // the position of the next frame's last byte is known
  output logic [PosBits-1:0] end_pos_o,
  input  logic               end_pop_i,

  input  logic               valid_i,      // a beat, and where it begins: see ls_window_rd
  input  logic [PosBits-1:0] pos_i,
  input  logic               adv_i,
  output logic               ok_o,
  output logic [Width-1:0]   data_o
);

  logic [RowBits:0]    wr_row_q;
  logic [LaneBits-1:0] last_lane;
  logic                push, end_ready, drop, drop_q, open_q, full_q;
  logic [5:0]          ends_used;

  logic               fifo_valid, load, end_valid_q;
  logic [PosBits-1:0] fifo_pos, end_pos_q;
  logic [RowBits:0]   shown_q;

  logic [RowBits:0] rd_row, used;
  assign used      = wr_row_q - rd_row;
  always_ff @(posedge clk_i) full_q <= used >= (RowBits+1)'(Rows - 2);   // and one may come yet
  assign drop      = flush_i || drop_q;
  assign s_ready_o = drop || (!full_q && end_ready);
  assign push      = s_valid_i && s_ready_o && !drop;

  always_comb begin
    last_lane = '0;
    for (int unsigned i = 0; i < Bytes; i++) if (s_keep_i[i]) last_lane = LaneBits'(i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_row_q <= '0;
      open_q   <= 1'b0;
      drop_q   <= 1'b0;
    end else begin
      if (push) wr_row_q <= wr_row_q + 1'b1;
      if (s_valid_i && s_ready_o) open_q <= !s_last_i;
      if (flush_i) drop_q <= (s_valid_i && s_ready_o) ? !s_last_i : open_q;
      else if (s_valid_i && s_last_i) drop_q <= 1'b0;
    end
  end

  ls_fifo #(.Width(PosBits), .Depth(32)) u_ends (
    .clk_i, .rst_ni, .clear_i(flush_i),
    .valid_i(push && s_last_i), .ready_o(end_ready), .data_i({wr_row_q, last_lane}),
    .valid_o(fifo_valid), .ready_i(load), .data_o(fifo_pos), .used_o(ends_used)
  );

  ls_window_rd #(.Width(Width), .Rows(Rows)) u_rows (
    .clk_i, .rst_ni, .flush_i, .we_i(push), .wrow_i(wr_row_q), .wdata_i(s_data_i), .rd_row_o(rd_row),
    .valid_i, .pos_i(pos_i[LaneBits+1:0]), .adv_i, .ok_o, .data_o
  );

  // The next end stands in a register, and rows are shown a cycle later to keep in step with it:
  // a row must never be seen before the end that it holds.
  assign load        = fifo_valid && (!end_valid_q || end_pop_i);
  assign end_valid_o = end_valid_q;
  assign end_pos_o   = end_pos_q;
  assign wr_row_o    = shown_q;
  assign new_row_o   = wr_row_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      end_valid_q <= 1'b0;
      shown_q     <= '0;
    end else begin
      shown_q <= wr_row_q;
      if (flush_i)                   end_valid_q <= 1'b0;
      else if (load)                 end_valid_q <= 1'b1;
      else if (end_pop_i)            end_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (load) end_pos_q <= fifo_pos;

  logic unused;
  assign unused = ^{ends_used, pos_i};

endmodule
