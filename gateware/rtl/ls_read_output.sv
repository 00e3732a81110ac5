// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rows that are complete become beats of the outgoing stream. Where a frame ends is kept in a
// short queue beside the rows, because a frame may end anywhere and rows carry only bytes.
module ls_read_output #(
  parameter int unsigned RowBits   = 8,
  parameter int unsigned Width     = 64,
  parameter int unsigned EndDepth  = 32,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                flush_i,       // forget all rows up to here; close an open frame in error
  input  logic [RowBits:0]    flush_row_i,
  input  logic [RowBits:0]    ready_row_i,   // rows before this one are complete
  input  logic                end_valid_i,   // a frame ends: at this row, this lane, in error or not
  output logic                end_ready_o,
  output logic                end_room_o,    // room for eight more
  input  logic [RowBits:0]    end_row_i,
  input  logic [LaneBits-1:0] end_lane_i,
  input  logic                end_error_i,
  output logic [RowBits:0]    free_row_o,    // rows before this one have left

  output logic                re_o,
  output logic [RowBits-1:0]  row_o,
  input  logic [Width-1:0]    data_i,

  output logic                m_valid_o,
  input  logic                m_ready_i,
  output logic [Width-1:0]    m_data_o,
  output logic [Bytes-1:0]    m_keep_o,
  output logic                m_last_o,
  output logic                m_error_o
);

  logic [RowBits:0]    row_q, head_row;
  logic [LaneBits-1:0] head_lane, lane_q;
  logic                head_valid, head_error, is_end, valid_q, last_q, error_q, adv;
  logic                close_q, close;
  logic [$clog2(EndDepth):0] end_used;
  assign end_room_o = 32'(end_used) <= EndDepth - 8;


  ls_fifo #(.Width(RowBits + 1 + LaneBits + 1), .Depth(EndDepth)) u_ends (
    .clk_i, .rst_ni, .clear_i(flush_i),
    .valid_i(end_valid_i), .ready_o(end_ready_o), .data_i({end_row_i, end_lane_i, end_error_i}),
    .valid_o(head_valid), .ready_i(re_o && is_end),
    .data_o({head_row, head_lane, head_error}),   .used_o(end_used)
  );

  assign adv    = !valid_q || m_ready_i;
  assign close  = close_q && adv;
  assign re_o   = adv && !close_q && !flush_i && (row_q != ready_row_i);
  assign row_o  = row_q[RowBits-1:0];
  assign is_end = head_valid && (head_row == row_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_q   <= '0;
      valid_q <= 1'b0;
      last_q  <= 1'b1;
      close_q <= 1'b0;
    end else begin
      if (flush_i)   row_q <= flush_row_i;
      else if (re_o) row_q <= row_q + 1'b1;
      if (adv) valid_q <= re_o || close;
      if (close)     last_q <= 1'b1;
      else if (re_o) last_q <= is_end;
      if (close)                  close_q <= 1'b0;
      else if (flush_i && !last_q) close_q <= 1'b1;  // the last beat shown left its frame open
    end
  end

  always_ff @(posedge clk_i) begin
    if (re_o || close) begin
      lane_q  <= close ? '0 : head_lane;
      error_q <= close || head_error;
    end
  end

  assign free_row_o = row_q;
  assign m_valid_o  = valid_q;
  assign m_data_o   = data_i;
  assign m_last_o   = last_q;
  assign m_error_o  = last_q && error_q;
  assign m_keep_o   = last_q ? ~(({Bytes{1'b1}} << lane_q) << 1) : '1;

endmodule
