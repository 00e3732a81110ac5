// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The receiving end of card to card: posted writes to a BAR become a byte stream, in the order of
// their arrival. The address does not say where bytes go, only one thing: a TLP whose address has
// bit EofBit set is the last of its frame (ls_write_engine sets it there). A row of the stream is
// given out when it is full or its frame ends.
module ls_p2p_window
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 64,
  parameter int unsigned BufBytes = 2048,
  parameter int unsigned EofBit   = 19,
  localparam int unsigned Bytes   = Width / 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              rx_valid_i,
  output logic              rx_ready_o,
  input  logic              rx_sop_i,
  input  logic              rx_eop_i,
  input  tlp_hdr_t          rx_hdr_i,
  input  logic [Width-1:0]  rx_data_i,

  output logic              m_valid_o,
  input  logic              m_ready_i,
  output logic [Width-1:0]  m_data_o,
  output logic [Bytes-1:0]  m_keep_o,
  output logic              m_last_o,
  output logic              m_error_o
);

  localparam int unsigned LaneBits = $clog2(Bytes);
  localparam int unsigned Rows     = BufBytes / Bytes;
  localparam int unsigned RowBits  = $clog2(Rows);
  localparam int unsigned PosBits  = RowBits + 1 + LaneBits;

  if (Rows < 16 || (Rows & (Rows - 1)) != 0) begin : gen_check
    $error("%m: BufBytes must be a power of two of at least 16 beats");
  end

  // ---- stage A: as it came; stage B: where it goes -------------------------------------------
  logic              a_valid_q, a_sop_q, a_eop_q, a_bad_q;
  tlp_hdr_t          a_hdr_q;
  logic [Width-1:0]  a_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else         a_valid_q <= rx_valid_i && rx_ready_o;
  end
  always_ff @(posedge clk_i) begin
    a_sop_q  <= rx_sop_i;
    a_eop_q  <= rx_eop_i;
    a_bad_q  <= rx_hdr_i.ep;      // that of the last beat counts
    a_data_q <= rx_data_i;
  end

  function automatic logic [1:0] first_set(input logic [3:0] be);
    return be[0] ? 2'd0 : be[1] ? 2'd1 : be[2] ? 2'd2 : be[3] ? 2'd3 : 2'd0;
  endfunction

  logic [3:0]          tail_be;
  logic [1:0]          trail, lead_q;
  logic [2:0]          spare;
  logic [12:0]         last_of_q, left, left_q;   // bytes from DW 0's first to the last one wanted
  logic                none_q, is_end, ended, error_q, commit;
  logic [PosBits-1:0]  next_q, pos, pos_q, after, last_pos;
  logic [PosBits-1:0]  more_q;                    // bytes wanted, less one
  logic [1:0]          from_q;                    // lanes of data_q that count: see ls_window_wr
  logic [LaneBits:0]   upto_q;
  logic [Width-1:0]    data_q;
  logic                write_q;

  assign tail_be = (rx_hdr_i.len_dw == 11'd1) ? rx_hdr_i.first_be : rx_hdr_i.last_be;
  assign trail   = first_set({tail_be[0], tail_be[1], tail_be[2], tail_be[3]});
  assign spare   = 3'(trail) + 3'(first_set(rx_hdr_i.first_be)) + 3'd1;
  always_ff @(posedge clk_i) begin
    if (rx_valid_i && rx_ready_o && rx_sop_i) begin
      a_hdr_q   <= rx_hdr_i;
      lead_q    <= first_set(rx_hdr_i.first_be);
      none_q    <= tail_be == '0;
      last_of_q <= {rx_hdr_i.len_dw, 2'b00} - 13'(trail);
      more_q    <= PosBits'({rx_hdr_i.len_dw, 2'b00} - 13'(spare));
    end
  end
  assign is_end  = a_hdr_q.addr[EofBit];
  assign left    = a_sop_q ? last_of_q : left_q;
  assign pos     = a_sop_q ? next_q - PosBits'(lead_q) : pos_q + PosBits'(Bytes);
  assign commit  = a_valid_q && a_eop_q && !none_q;
  assign ended   = commit && is_end;
  // Counted from the TLP's first byte, not from where its last beat lies: that comes later.
  assign last_pos = next_q + more_q;
  assign after    = (is_end ? last_pos | PosBits'(Bytes - 1) : last_pos) + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      next_q  <= '0;
      error_q <= 1'b0;
    end else begin
      write_q <= a_valid_q && !none_q;
      if (commit) begin
        next_q  <= after;
        error_q <= !is_end && (error_q || a_hdr_q.ep || a_bad_q);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (a_valid_q) begin
      pos_q  <= pos;
      left_q <= left - 13'(Bytes);
    end
    if (!rst_ni) pos_q <= '0;       // how full it is, is counted from here
    data_q <= a_data_q;
    from_q <= a_sop_q ? lead_q : 2'd0;
    upto_q <= (left >= 13'(Bytes)) ? (LaneBits+1)'(Bytes) : left[LaneBits:0];
  end

  // ---- the rows, and what of them may be read: as far behind as the write takes -------------------
  logic               re;
  logic [RowBits-1:0] re_row;
  logic [Width-1:0]   row;
  logic [RowBits:0]   out_row, ready_q [3], used;
  logic               end_q, err_q, end_room, end_unused;
  logic [PosBits-1:0] end_pos_q;

  ls_window_wr #(.Width(Width), .Rows(Rows)) u_rows (
    .clk_i, .rst_ni, .valid_i(write_q), .pos_i(pos_q[PosBits-2:0]), .from_i(from_q), .upto_i(upto_q),
    .data_i(data_q), .re_i(re), .rrow_i(re_row), .data_o(row)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q <= '{default: '0};
      end_q   <= 1'b0;
    end else begin
      ready_q[0] <= commit ? after[PosBits-1:LaneBits] : next_q[PosBits-1:LaneBits];
      ready_q[1] <= ready_q[0];
      ready_q[2] <= ready_q[1];
      end_q      <= ended;
    end
  end
  always_ff @(posedge clk_i) begin
    end_pos_q <= last_pos;
    err_q     <= error_q || a_hdr_q.ep || a_bad_q;
  end

  ls_read_output #(.RowBits(RowBits), .Width(Width)) u_output (
    .clk_i, .rst_ni, .flush_i(1'b0), .flush_row_i('0), .ready_row_i(ready_q[2]),
    .end_valid_i(end_q), .end_ready_o(end_unused), .end_room_o(end_room),
    .end_row_i(end_pos_q[PosBits-1:LaneBits]), .end_lane_i(end_pos_q[LaneBits-1:0]),
    .end_error_i(err_q), .free_row_o(out_row),
    .re_o(re), .row_o(re_row), .data_i(row),
    .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o, .m_last_o, .m_error_o
  );

  assign used       = pos_q[PosBits-1:LaneBits] - out_row;
  assign rx_ready_o = (used < (RowBits+1)'(Rows - 6) || used[RowBits]) && end_room;

  logic unused;
  assign unused = ^{a_hdr_q, end_unused};

endmodule
