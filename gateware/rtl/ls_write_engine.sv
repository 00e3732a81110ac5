// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Commands and a byte stream in, posted writes out: card to host and card to card are two
// instances of it. It cuts a command at MaxPayload boundaries of the bus address, so only the
// first and last TLP of a command can be partial, and moves one beat a cycle from then on.
//
// A command ends at its length or at the end of the stream's frame, whichever comes first, and
// its report says which. With `first_i` a frame begins in a command marked as the first of one: those
// of the host's that are not are skipped from the end of a frame on, and moved nothing, whatever commands
// of the fabric have moved meanwhile.
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
  input  logic              first_i,
  input  logic              abort_i,
  input  logic              keep_i,      // an abort leaves the stream alone
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
  logic [RowBits:0]   wr_row, new_row;
  logic               end_valid, end_pop, flush, adv, here;
  logic [PosBits-1:0] end_pos, pos_q;      // pos_q: next byte of the stream to be sent
  logic               p_valid_q, p_token_q;
  logic [PosBits-1:0] p_pos_q;
  logic [Width-1:0]   window;

  ls_write_input #(.Width(Width), .Rows(Rows)) u_input (
    .clk_i, .rst_ni, .flush_i(flush),
    .s_valid_i, .s_ready_o, .s_data_i, .s_keep_i, .s_last_i,
    .wr_row_o(wr_row), .new_row_o(new_row), .end_valid_o(end_valid), .end_pos_o(end_pos), .end_pop_i(end_pop),
    .valid_i(p_valid_q && !p_token_q), .pos_i(p_pos_q), .adv_i(adv), .ok_o(here), .data_o(window)
  );

  // ---- cutting commands into TLPs ----------------------------------------------------------
  // Where 64 bytes are four beats or more, a command is taken when the one before it is gone and
  // not while it goes, so that no path runs from the way out to whoever gives commands.
  localparam bit Chain = Width > 128;
  logic [12:0]        above_q;
  logic               cut_valid_q, load, cut_last, last_now, frame_start_q;
  dma_cmd_t           cut_q;
  logic [12:0]        cut_n_q, first_cap, offset;
  logic [13:0]        reach;
  logic               first_fits, next_fits;
  logic [LenBits-1:0] rem_q, rem_next, moved_q;
  logic               fire, p_ready, ends, have, whole, skip, token, finish;
  logic               start_q;  // the command began where a frame began
  logic               stale_q, stale_next, rest_q;  // the host's unmarked commands are left over: now, and from the command on
  logic               look, ends_now, have_now, whole_now;
  logic [CmpBits:0]   beyond;
  logic [PosBits-1:0] left_here, end_here;
  logic [PosBits-1:0] to_end, to_wr, pos_next;
  logic               p_last, p_go;
  logic [12:0]        p_size_q, p_left_q;  // of a TLP, bytes from the first DW's first byte: in all, left
  logic [12:0]        take;

  localparam logic [2:0] MaxCode = 3'($clog2(MaxPayload / 128));
  // The address bits from MPS up, decoded ahead; the same for all of a command.
  logic [12:0] above_ahead_q;
  always_ff @(posedge clk_i) above_ahead_q <= 13'h1f80 << ((mps_i > MaxCode) ? MaxCode : mps_i);

  // A command is cut where its first piece reaches a boundary. What is left is compared by a carry
  // alone, beside the subtraction that gives the first piece; where both are equal, either will do.
  assign offset     = cmd_i.addr[12:0] | above_ahead_q;
  assign reach      = {1'b0, cmd_i.len[12:0]} + {1'b0, offset};
  assign first_cap  = 13'd0 - offset;
  assign first_fits = cmd_i.len[LenBits-1:13] == '0 && !reach[13];
  assign rem_next   = rem_q - LenBits'(cut_n_q);
  assign next_fits  = rem_next[LenBits-1:13] == '0 && (rem_next[12:7] & above_q[12:7]) == '0;
  assign last_now   = rem_q == LenBits'(cut_n_q);

  assign to_end = end_pos - pos_q;
  assign to_wr  = {wr_row, LaneBits'(0)} - pos_q;
  // Whether a TLP can begin is looked at a cycle before it does: what is here stays here. Only at
  // 512 bit, where a TLP of 64 bytes is one beat, there is no cycle for it.
  assign beyond    = (CmpBits+1)'(to_end) - (CmpBits+1)'(cut_n_q);
  assign ends_now  = end_valid && beyond[CmpBits];
  assign have_now  = CmpBits'(to_wr) >= CmpBits'(cut_n_q);
  assign whole_now = &beyond;             // the frame's last byte is the command's
  if (Width < 512) begin : gen_ahead
    logic               look_q, ends_q, have_q, whole_q, last_q, beat_q, end_beat_q, p_last_q;
    logic [PosBits-1:0] to_end_q, end_pos_q;
    logic [2:0]         lead;
    assign lead = {1'b0, cut_q.addr[1:0]};
    always_ff @(posedge clk_i) begin
      look_q    <= rst_ni && cut_valid_q && !fire;
      ends_q    <= ends_now;
      have_q    <= have_now;
      whole_q   <= whole_now;
      last_q    <= last_now;
      to_end_q  <= to_end;
      end_pos_q <= end_pos;
      // One beat is all: then its first is its last, which is else seen a beat ahead.
      beat_q     <= cut_n_q[12:LaneBits+1] == '0 && 13'(cut_n_q[LaneBits:0]) + 13'(lead) <= 13'(Bytes);
      end_beat_q <= to_end[PosBits-1:LaneBits] == '0 && 13'(to_end[LaneBits-1:0]) + 13'(lead) < 13'(Bytes);
      if (fire)     p_last_q <= token || (ends ? end_beat_q : beat_q);
      else if (p_go) p_last_q <= p_token_q || p_left_q <= 13'(2 * Bytes);
    end
    assign p_last   = p_last_q;
    assign cut_last = last_q;
    assign look  = look_q;
    assign ends  = ends_q;
    assign have  = have_q;
    assign whole = whole_q;
    assign left_here = to_end_q;
    assign end_here  = end_pos_q;
  end else begin : gen_now
    assign p_last   = p_token_q || (p_left_q <= 13'(Bytes));
    assign cut_last = last_now;
    assign look  = 1'b1;
    assign ends  = ends_now;
    assign have  = have_now;
    assign whole = whole_now;
    assign left_here = to_end;
    assign end_here  = end_pos;
  end
  assign skip   = first_i && rest_q && !cut_q.sof && !cut_q.fabric && !cut_q.bad && !abort_i;
  assign token  = cut_q.bad || abort_i || skip;         // ends without a TLP
  assign fire   = cut_valid_q && look && p_ready && (token || ends || have);
  assign finish = token || ends || cut_last;
  assign take   = token ? '0 : ends ? 13'(left_here) + 13'd1 : cut_n_q;
  assign end_pop  = fire && !token && ends;
  assign pos_next = ends ? {end_here[PosBits-1:LaneBits] + 1'b1, LaneBits'(0)}
                         : pos_q + PosBits'(cut_n_q);

  // A frame that has ended leaves what is left of its call, and no command of the fabric takes that back.
  assign stale_next = (fire && !token) ? ends || (stale_q && cut_q.fabric) : stale_q;

  assign load        = !cut_valid_q || (Chain && fire && finish);
  assign cmd_ready_o = load && done_room_i && !abort_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cut_valid_q   <= 1'b0;
      pos_q         <= '0;
      frame_start_q <= 1'b1;
      stale_q       <= 1'b1;
    end else begin
      if (cmd_valid_i && cmd_ready_o) cut_valid_q <= 1'b1;
      else if (fire && finish)        cut_valid_q <= 1'b0;
      if (flush) begin
        pos_q         <= {new_row, LaneBits'(0)};
        frame_start_q <= 1'b1;
        stale_q       <= 1'b1;
      end else if (fire && !token) begin
        pos_q         <= pos_next;
        frame_start_q <= ends;
        stale_q       <= stale_next;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin         // whether there is one or not
      cut_q      <= cmd_i;
      cut_n_q    <= first_fits ? cmd_i.len[12:0] : first_cap;
      rem_q      <= cmd_i.len;
      above_q    <= above_ahead_q;
      moved_q    <= '0;
      start_q    <= (fire && !token) ? ends : frame_start_q;
      rest_q     <= stale_next;
    end else if (fire) begin
      cut_q.addr <= {(cut_q.addr[63:7] | {51'd0, ~above_q[12:7]}) + 1'b1, 7'd0};
      cut_n_q    <= next_fits ? rem_next[12:0] : above_q & ~(above_q << 1);
      rem_q      <= rem_next;
      moved_q    <= moved_q + LenBits'(take);
    end
  end

  // ---- cutting TLPs into beats -------------------------------------------------------------
  logic        p_sop_q, p_done_q;
  logic [63:0] p_addr_q;
  dma_done_t   p_rep_q;

  assign p_go    = adv && (p_token_q || here);
  assign p_ready = !p_valid_q || (p_go && p_last);

  always_ff @(posedge clk_i) begin
    if (!rst_ni)             p_valid_q <= 1'b0;
    else if (fire)           p_valid_q <= 1'b1;
    else if (p_go && p_last) p_valid_q <= 1'b0;
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
        len:     moved_q + LenBits'(take),
        sof:     start_q && !skip,
        eof:     !token && ends,
        irq:     cut_q.irq,
        regular: skip || (!token && cut_last && (ends ? cut_q.eof && whole : !cut_q.eof)),
        fabric:  cut_q.fabric,
        cause:   cut_q.bad ? (cut_q.fetch ? CauseFetch : CauseLength) : abort_i ? CauseAbort : CauseNone,
        id:      cut_q.id
      };
    end else if (p_go && p_valid_q) begin
      p_sop_q  <= 1'b0;
      p_left_q <= p_left_q - 13'(Bytes);
      p_pos_q  <= p_pos_q + PosBits'(Bytes);
    end
  end

  // ---- memory read, and a few beats that wait for the link ---------------------------------
  tlp_hdr_t    r_hdr_q, p_hdr;
  logic        r_valid_q, r_token_q, r_sop_q, r_eop_q, r_done_q;
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

  // A queue and not a register: whether the link takes a beat must not reach back, in the same
  // cycle, into everything before. The report waits with its last beat, so that no record can
  // overtake the data it speaks of.
  typedef struct packed {
    logic             token;
    logic             sop;
    logic             eop;
    logic             done;
    logic [Width-1:0] data;
  } beat_t;
  beat_t      r_beat, o;
  logic       o_valid, o_free, o_pop;
  logic [2:0] o_used;
  tlp_hdr_t   o_hdr;
  dma_done_t  o_rep;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)  r_valid_q <= 1'b0;
    else if (adv) r_valid_q <= p_valid_q && (p_token_q || here);
  end
  always_ff @(posedge clk_i) begin
    if (adv) begin
      r_token_q <= p_token_q;
      r_sop_q   <= p_sop_q;
      r_eop_q   <= p_last;
      r_hdr_q   <= p_hdr;
      r_done_q  <= p_done_q && p_last;
      r_rep_q   <= p_rep_q;
    end
  end
  assign r_beat = '{token: r_token_q, sop: r_sop_q, eop: r_eop_q, done: r_done_q, data: window};
  assign o_pop  = o_valid && (o.token || tx_ready_i);

  ls_fifo #(.Width($bits(beat_t)), .Depth(4)) u_out (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(r_valid_q && adv), .ready_o(o_free), .data_i(r_beat),
    .valid_o(o_valid), .ready_i(o_pop), .data_o(o), .used_o(o_used)
  );

  // Header and report stand beside the queue, which has one first beat at most, and one last beat of a
  // command: the next enters when that one has left. TLPs begin every other cycle at most, so this
  // costs none. Only at 512 bit, where they begin in every cycle, they are queued too.
  if (Width < 512) begin : gen_beside
    tlp_hdr_t  hdr_q;
    dma_done_t rep_q;
    logic      hdr_busy_q, rep_busy_q;
    assign adv   = o_free && !(r_valid_q && ((r_sop_q && hdr_busy_q) || (r_done_q && rep_busy_q)));
    assign o_hdr = hdr_q;
    assign o_rep = rep_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        hdr_busy_q <= 1'b0;
        rep_busy_q <= 1'b0;
      end else begin
        hdr_busy_q <= (r_valid_q && adv && r_sop_q)  || (hdr_busy_q && !(o_pop && o.sop));
        rep_busy_q <= (r_valid_q && adv && r_done_q) || (rep_busy_q && !(o_pop && o.done));
      end
    end
    always_ff @(posedge clk_i) begin
      if (!hdr_busy_q) hdr_q <= r_hdr_q;      // whether it goes in now or not
      if (!rep_busy_q) rep_q <= r_rep_q;
    end
  end else begin : gen_queued
    logic unused_valid, unused_ready;
    logic [2:0] unused_used;
    assign adv = o_free;
    ls_fifo #(.Width($bits(tlp_hdr_t) + $bits(dma_done_t)), .Depth(4)) u_heads (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(r_valid_q && adv), .ready_o(unused_ready), .data_i({r_hdr_q, r_rep_q}),
      .valid_o(unused_valid), .ready_i(o_pop), .data_o({o_hdr, o_rep}), .used_o(unused_used)
    );
    logic unused;
    assign unused = ^{unused_valid, unused_ready, unused_used};
  end

  assign tx_valid_o   = o_valid && !o.token;
  assign tx_sop_o     = o.sop;
  assign tx_eop_o     = o.eop;
  assign tx_hdr_o     = o_hdr;
  assign tx_data_o    = o.data;
  assign done_valid_o = o_valid && o.done && (o.token || tx_ready_i);
  assign done_o       = o_rep;

  logic unused;
  assign unused = ^{reach, cut_q, o_used, end_here};

  // ---- abort: finish what is on the wire, then forget the rest, or leave it to what comes after -----
  logic quiet;
  assign quiet  = !cut_valid_q && !p_valid_q && !r_valid_q && !o_valid;
  always_ff @(posedge clk_i) flush <= rst_ni && abort_i && quiet && !keep_i;
  assign idle_o = quiet;

  always_comb begin
    if (tx_valid_o)                          use_o = tx_ready_i ? UseMove : UseCredits;
    else if (cut_valid_q && !ends && !have)  use_o = UseStream;
    else if (!quiet)                         use_o = UsePipe;
    else                                     use_o = UseIdle;
  end

endmodule
