// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Commands and a byte stream in, posted writes out: card to host and card to card are two
// instances of it. It cuts a command at MaxPayload boundaries of the bus address, so only the
// first and last TLP of a command can be partial, and moves one beat a cycle from then on.
//
// A command ends at its length or at the end of the stream's frame, whichever comes first, and
// its report says which.
module ls_write_engine
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned MaxPayload = 512,  // largest MPS that will ever be set, bytes
  parameter int unsigned EofBit     = 0,    // nonzero: address bit set on the last TLP of a command with eof
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [2:0]        mps_i,       // encoded as in Device Control
  input  logic [2:0]        attr_i,
  input  logic              abort_i,
  output logic              idle_o,
  output use_e              use_o,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  dma_cmd_t          cmd_i,

  input  logic              s_valid_i,
  output logic              s_ready_o,
  input  logic [Width-1:0]  s_data_i,
  input  logic [Bytes-1:0]  s_keep_i,
  input  logic              s_last_i,

  output logic              tx_valid_o,
  input  logic              tx_ready_i,
  output logic              tx_sop_o,
  output logic              tx_eop_o,
  output tlp_hdr_t          tx_hdr_o,
  output logic [Width-1:0]  tx_data_o,

  output logic              done_valid_o,  // a pulse; the taker keeps room by means of done_room_i
  output dma_done_t         done_o,
  input  logic              done_room_i
);

  localparam int unsigned LaneBits = $clog2(Bytes);
  localparam int unsigned MinRows  = 2 * MaxPayload / Bytes;
  localparam int unsigned Rows     = MinRows < 32 ? 32 : MinRows;
  localparam int unsigned RowBits  = $clog2(Rows);
  localparam int unsigned PosBits  = RowBits + 1 + LaneBits;
  localparam int unsigned CmpBits  = PosBits > 13 ? PosBits : 13;

  if (!(Width inside {64, 128, 256, 512})) begin : gen_check_width
    $error("%m: Width must be 64, 128, 256 or 512");
  end
  if (!(MaxPayload inside {128, 256, 512, 1024, 2048, 4096})) begin : gen_check_payload
    $error("%m: MaxPayload must be a power of two from 128 to 4096");
  end

  // ---- the stream's side -------------------------------------------------------------------
  logic [RowBits:0]   wr_row, free_row_q;
  logic               end_valid, end_pop, flush, adv;
  logic [PosBits-1:0] end_pos, pos_q;      // pos_q: next byte of the stream to be sent
  logic [PosBits-1:0] p_pos_q;
  logic [Width-1:0]   window;

  ls_write_input #(.Width(Width), .Rows(Rows)) u_input (
    .clk_i, .rst_ni, .flush_i(flush),
    .s_valid_i, .s_ready_o, .s_data_i, .s_keep_i, .s_last_i,
    .wr_row_o(wr_row), .end_valid_o(end_valid), .end_pos_o(end_pos), .end_pop_i(end_pop),
    .free_row_i(free_row_q), .adv_i(adv), .pos_i(p_pos_q[PosBits-2:0]), .data_o(window)
  );

  // ---- cutting commands into TLPs ----------------------------------------------------------
  logic [12:0]        mps_bytes;
  logic               cut_valid_q, cut_last_q, frame_start_q;
  dma_cmd_t           cut_q;
  logic [12:0]        cut_n_q, first_n;
  logic [LenBits-1:0] rem_q, moved_q;
  logic               fire, p_ready, ends, have, token, finish;
  logic [PosBits-1:0] to_end, to_wr, pos_next;
  logic [12:0]        take;

  localparam logic [2:0] MaxCode = 3'($clog2(MaxPayload / 128));
  logic [12:0] mps_mask;
  assign mps_bytes = 13'd128 << ((mps_i > MaxCode) ? MaxCode : mps_i);
  assign mps_mask  = mps_bytes - 13'd1;

  function automatic logic [12:0] at_most(input logic [LenBits-1:0] left, input logic [12:0] cap);
    return (left < LenBits'(cap)) ? left[12:0] : cap;
  endfunction

  assign first_n = at_most(cmd_i.len, mps_bytes - (cmd_i.addr[12:0] & mps_mask));

  assign to_end = end_pos - pos_q;
  assign to_wr  = {wr_row, LaneBits'(0)} - pos_q;
  assign ends   = end_valid && (CmpBits'(to_end) < CmpBits'(cut_n_q));
  assign have   = CmpBits'(to_wr) >= CmpBits'(cut_n_q);
  assign token  = cut_q.bad || abort_i;                 // ends without a TLP
  assign fire   = cut_valid_q && p_ready && (token || ends || have);
  assign finish = token || ends || cut_last_q;
  assign take   = ends ? 13'(to_end) + 13'd1 : cut_n_q;
  assign end_pop  = fire && !token && ends;
  assign pos_next = ends ? {end_pos[PosBits-1:LaneBits] + 1'b1, LaneBits'(0)}
                         : pos_q + PosBits'(cut_n_q);

  assign cmd_ready_o = (!cut_valid_q || (fire && finish)) && done_room_i && !abort_i;

  logic [LenBits-1:0] rem_next;
  assign rem_next = rem_q - LenBits'(cut_n_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cut_valid_q   <= 1'b0;
      pos_q         <= '0;
      frame_start_q <= 1'b1;
    end else begin
      if (cmd_valid_i && cmd_ready_o) cut_valid_q <= 1'b1;
      else if (fire && finish)        cut_valid_q <= 1'b0;
      if (flush) begin
        pos_q         <= {wr_row, LaneBits'(0)};
        frame_start_q <= 1'b1;
      end else if (fire && !token) begin
        pos_q         <= pos_next;
        frame_start_q <= ends;
      end
    end
  end

  logic start_q;  // the command began where a frame began
  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      cut_q      <= cmd_i;
      cut_n_q    <= first_n;
      cut_last_q <= LenBits'(first_n) == cmd_i.len;
      rem_q      <= cmd_i.len;
      moved_q    <= '0;
      start_q    <= (fire && !token) ? ends : frame_start_q;
    end else if (fire) begin
      cut_q.addr <= {(cut_q.addr[63:7] | 57'(mps_mask[12:7])) + 1'b1, 7'd0};
      cut_n_q    <= at_most(rem_next, mps_bytes);
      cut_last_q <= rem_next <= LenBits'(mps_bytes);
      rem_q      <= rem_next;
      moved_q    <= moved_q + LenBits'(take);
    end
  end

  // ---- cutting TLPs into beats -------------------------------------------------------------
  logic        p_valid_q, p_token_q, p_sop_q, p_done_q, p_last;
  logic [63:0] p_addr_q;
  logic [12:0] p_size_q, p_left_q;      // bytes from the first DW's first byte: in all, left
  dma_done_t   p_rep_q;

  assign p_last  = p_token_q || (p_left_q <= 13'(Bytes));
  assign p_ready = !p_valid_q || (adv && p_last);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      p_valid_q  <= 1'b0;
      free_row_q <= '0;
    end else begin
      if (fire)        p_valid_q <= 1'b1;
      else if (adv && p_last) p_valid_q <= 1'b0;
      if (flush)                                free_row_q <= wr_row;
      else if (p_valid_q && adv && !p_token_q)  free_row_q <= p_pos_q[PosBits-1:LaneBits];
    end
  end

  always_ff @(posedge clk_i) begin
    if (fire) begin
      p_token_q <= token;
      p_done_q  <= finish;
      p_sop_q   <= 1'b1;
      p_addr_q  <= cut_q.addr;
      if (EofBit != 0 && ends && cut_q.eof) p_addr_q[EofBit] <= 1'b1;
      p_size_q  <= take + 13'(cut_q.addr[1:0]);
      p_left_q  <= take + 13'(cut_q.addr[1:0]);
      p_pos_q   <= pos_q - PosBits'(cut_q.addr[1:0]);
      p_rep_q   <= '{
        len:     token ? moved_q : moved_q + LenBits'(take),
        sof:     start_q,
        eof:     !token && ends,
        irq:     cut_q.irq,
        regular: !token && cut_last_q && (take == cut_n_q) && (ends == cut_q.eof),
        fabric:  cut_q.fabric,
        cause:   cut_q.bad ? CauseLength : abort_i ? CauseAbort : CauseNone,
        id:      cut_q.id
      };
    end else if (adv && p_valid_q) begin
      p_sop_q  <= 1'b0;
      p_left_q <= p_left_q - 13'(Bytes);
      p_pos_q  <= p_pos_q + PosBits'(Bytes);
    end
  end

  // ---- memory read and output register -----------------------------------------------------
  tlp_hdr_t    r_hdr_q, p_hdr;
  logic        r_valid_q, r_token_q, r_sop_q, r_eop_q, r_done_q;
  logic        o_valid_q, o_token_q, o_done_q;
  dma_done_t   r_rep_q;
  logic [10:0] p_dw;
  logic [3:0]  be_first, be_last;

  assign p_dw     = 11'((p_size_q + 13'd3) >> 2);
  assign be_first = 4'hf << p_addr_q[1:0];
  assign be_last  = 4'hf >> (2'd0 - p_size_q[1:0]);

  always_comb begin
    p_hdr          = '0;
    p_hdr.kind     = TlpMemWr;
    p_hdr.addr     = {p_addr_q[63:2], 2'b00};
    p_hdr.len_dw   = p_dw;
    p_hdr.first_be = (p_dw == 11'd1) ? be_first & be_last : be_first;
    p_hdr.last_be  = (p_dw == 11'd1) ? 4'h0 : be_last;
    p_hdr.attr     = attr_i;
  end

  assign adv = !o_valid_q || o_token_q || tx_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      r_valid_q <= 1'b0;
      o_valid_q <= 1'b0;
    end else if (adv) begin
      r_valid_q <= p_valid_q;
      o_valid_q <= r_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (adv) begin
      r_token_q <= p_token_q;
      r_sop_q   <= p_sop_q;
      r_eop_q   <= p_last;
      r_hdr_q   <= p_hdr;
      r_done_q  <= p_done_q && p_last;
      r_rep_q   <= p_rep_q;
      o_token_q <= r_token_q;
      tx_sop_o  <= r_sop_q;
      tx_eop_o  <= r_eop_q;
      tx_hdr_o  <= r_hdr_q;
      tx_data_o <= window;
      o_done_q  <= r_done_q;
      done_o    <= r_rep_q;
    end
  end

  assign tx_valid_o   = o_valid_q && !o_token_q;
  assign done_valid_o = o_valid_q && o_done_q && adv;

  logic unused;
  assign unused = ^cut_q;

  // ---- abort: finish what is on the wire, then forget the rest ---------------------------------
  logic quiet;
  assign quiet  = !cut_valid_q && !p_valid_q && !r_valid_q && !o_valid_q;
  assign flush  = abort_i && quiet;
  assign idle_o = quiet;

  always_comb begin
    if (tx_valid_o)                          use_o = tx_ready_i ? UseMove : UseCredits;
    else if (cut_valid_q && !ends && !have)  use_o = UseStream;
    else if (!quiet)                         use_o = UsePipe;
    else                                     use_o = UseIdle;
  end

endmodule
