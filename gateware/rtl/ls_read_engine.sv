// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Commands in, a byte stream out: host to card. It keeps as many read requests in flight as tags
// and buffer allow, and reserves the place of every byte before it asks for it, because an
// endpoint promises the link that it can take every completion it asked for.
module ls_read_engine
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned Few        = 30,     // of them, where the host allows tags of 5 bits
  parameter int unsigned MaxRequest = 512,    // largest MRRS that will be used, bytes
  parameter int unsigned BufBytes   = 16384,  // completion buffer
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [2:0]        mrrs_i,     // encoded as in Device Control
  input  logic [2:0]        attr_i,
  input  logic              few_i,      // tags of 5 bits; changes with retag_i
  input  logic              retag_i,    // only while idle
  input  logic              tick_i,     // completion timeout: one to two ticks
  input  logic              abort_i,
  output logic              idle_o,
  output use_e              use_o,
  output logic              stray_o,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  dma_cmd_t          cmd_i,

  output logic              rq_valid_o,
  input  logic              rq_ready_i,
  output tlp_hdr_t          rq_hdr_o,

  input  logic              rx_valid_i,  // always taken
  input  logic              rx_sop_i,
  input  logic              rx_eop_i,
  input  tlp_hdr_t          rx_hdr_i,
  input  logic [Width-1:0]  rx_data_i,

  output logic              m_valid_o,
  input  logic              m_ready_i,
  output logic [Width-1:0]  m_data_o,
  output logic [Bytes-1:0]  m_keep_o,
  output logic              m_last_o,
  output logic              m_error_o,

  output logic              done_valid_o,
  input  logic              done_ready_i,
  output dma_done_t         done_o
);

  localparam int unsigned LaneBits = $clog2(Bytes);
  localparam int unsigned Rows     = BufBytes / Bytes;
  localparam int unsigned RowBits  = $clog2(Rows);
  localparam int unsigned PosBits  = RowBits + 1 + LaneBits;
  localparam int unsigned CmpBits  = PosBits > 13 ? PosBits : 13;
  localparam int unsigned TagBits  = (Tags == 1) ? 1 : $clog2(Tags);

  if (!(Width inside {64, 128, 256, 512})) begin : gen_check_width
    $error("%m: Width must be 64, 128, 256 or 512");
  end
  if (!(MaxRequest inside {128, 256, 512, 1024, 2048, 4096})) begin : gen_check_request
    $error("%m: MaxRequest must be a power of two from 128 to 4096");
  end
  if (BufBytes < 2 * MaxRequest || BufBytes < 16 * Bytes || (BufBytes & (BufBytes - 1)) != 0) begin : gen_check_buf
    $error("%m: BufBytes must be a power of two, at least twice MaxRequest and 16 beats");
  end

  // ---- cutting commands into requests ------------------------------------------------------
  // Where 64 bytes are four beats or more, a command is taken when the one before it is gone and
  // not while it goes, so that no path runs from the way out to whoever gives commands.
  localparam bit Chain = Width > 128;
  localparam logic [2:0] MaxCode = 3'($clog2(MaxRequest / 128));
  logic [12:0]        above_q, cut_n_q, first_cap, offset;
  logic [13:0]        reach;
  logic               first_fits, next_fits;
  logic               cut_valid_q, load, cut_last, last_now, open_q;
  dma_cmd_t           cut_q;
  logic [LenBits-1:0] rem_q, rem_next;
  logic               fire, token, finish, tag_free, tags_empty, tags_full, space, flush, rq_free;
  logic               look, room_now;
  logic [PosBits-1:0] alloc_q, alloc_end, alloc_next, free_bytes, commit_pos_q;
  logic [RowBits:0]   out_row, round_row;
  logic [12:0]        n, ahead;
  logic               eof;
  logic [TagBits-1:0] tag;

  // The address bits from MRRS up, decoded ahead; the same for all of a command.
  logic [12:0] above_ahead_q;
  always_ff @(posedge clk_i) above_ahead_q <= 13'h1f80 << ((mrrs_i > MaxCode) ? MaxCode : mrrs_i);

  // A command is cut where its first piece reaches a boundary. What is left is compared by a carry
  // alone, beside the subtraction that gives the first piece; where both are equal, either will do.
  assign offset     = cmd_i.addr[12:0] | above_ahead_q;
  assign reach      = {1'b0, cmd_i.len[12:0]} + {1'b0, offset};
  assign first_cap  = 13'd0 - offset;
  assign first_fits = cmd_i.len[LenBits-1:13] == '0 && !reach[13];
  assign rem_next   = rem_q - LenBits'(cut_n_q);
  assign next_fits  = rem_next[LenBits-1:13] == '0 && (rem_next[12:7] & above_q[12:7]) == '0;
  assign last_now   = rem_q == LenBits'(cut_n_q);

  // A frame begins with a row.
  function automatic logic [PosBits-1:0] up(input logic [PosBits-1:0] pos);
    return {pos[PosBits-1:LaneBits] + (PosBits-LaneBits)'(pos[LaneBits-1:0] != '0), LaneBits'(0)};
  endfunction

  // A refused command moves nothing, but closes a frame that is open, with one byte in error.
  assign token  = cut_q.bad || abort_i;
  assign n      = token ? 13'(open_q && !abort_i) : cut_n_q;
  assign eof    = token ? (open_q && !abort_i) : (cut_last && cut_q.eof);
  assign finish = token || cut_last;
  assign free_bytes = {out_row, LaneBits'(0)} + {1'b1, (PosBits-1)'(0)} - alloc_q;
  // Whether there is a tag and room is looked at a cycle before they are taken: nobody else takes
  // them. Only at 512 bit, where a request of 64 bytes is one beat, there is no cycle for it.
  // Without regard to an abort, which may have ended by then.
  assign ahead    = cut_q.bad ? 13'(open_q) : cut_n_q;
  assign room_now = CmpBits'(free_bytes) >= CmpBits'(ahead);
  if (Width < 512) begin : gen_ahead
    logic look_q, room_q, tag_q, last_q, row_q;
    // So is where it ends, and whether the next begins with a row; an abort moves nothing.
    logic [PosBits-1:0] end_now, end_q;
    assign end_now = alloc_q + PosBits'(ahead);
    always_ff @(posedge clk_i) begin
      look_q <= rst_ni && cut_valid_q && !fire;
      room_q <= room_now;
      tag_q  <= tag_free;
      last_q <= last_now;
      end_q  <= end_now;
      row_q  <= cut_q.bad ? open_q : last_now && cut_q.eof;
    end
    assign alloc_end  = abort_i ? alloc_q : end_q;
    assign alloc_next = row_q ? up(end_q) : end_q;
    assign cut_last = last_q;
    assign space = room_q || abort_i;
    assign look  = look_q && tag_q;
  end else begin : gen_now
    assign cut_last = last_now;
    assign space = room_now || abort_i;
    assign look  = tag_free;
    assign alloc_end  = alloc_q + PosBits'(n);
    assign alloc_next = eof ? up(alloc_end) : alloc_end;
  end
  assign fire    = cut_valid_q && look && space && (token || rq_free);
  assign load        = !cut_valid_q || (Chain && fire && finish);
  assign cmd_ready_o = load && !abort_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cut_valid_q <= 1'b0;
      open_q      <= 1'b0;
      alloc_q     <= '0;
    end else begin
      if (cmd_valid_i && cmd_ready_o) cut_valid_q <= 1'b1;
      else if (fire && finish)        cut_valid_q <= 1'b0;
      if (flush) begin
        alloc_q <= {round_row, LaneBits'(0)};
        open_q  <= 1'b0;
      end else if (fire) begin
        if (!abort_i) alloc_q <= alloc_next;
        open_q  <= !eof && (open_q || !token);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin         // whether there is one or not
      cut_q      <= cmd_i;
      cut_n_q    <= first_fits ? cmd_i.len[12:0] : first_cap;
      rem_q      <= cmd_i.len;
      above_q    <= above_ahead_q;
    end else if (fire) begin
      cut_q.addr <= {(cut_q.addr[63:7] | {51'd0, ~above_q[12:7]}) + 1'b1, 7'd0};
      cut_n_q    <= next_fits ? rem_next[12:0] : above_q & ~(above_q << 1);
      rem_q      <= rem_next;
    end
  end

  // ---- the request -------------------------------------------------------------------------
  // Whether the link takes a request must not reach back into the cutting of commands in the same
  // cycle. Requests come every other cycle at most below 512 bit: up to 128 bit, where 64 bytes take four
  // beats, a register is enough, which is free again when a request has left.
  logic [12:0] rq_size;
  logic [63:0] rq_addr;
  logic [7:0]  rq_tag;
  logic [3:0]  be_first, be_last;
  logic [84:0] rq_now;

  assign rq_now = {cut_n_q + 13'(cut_q.addr[1:0]), cut_q.addr, 8'(tag)};
  if (Width <= 128) begin : gen_one
    logic        valid_q;
    logic [84:0] rq_q;
    assign rq_free    = !valid_q;
    assign rq_valid_o = valid_q;
    assign {rq_size, rq_addr, rq_tag} = rq_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni)       valid_q <= 1'b0;
      else if (!valid_q) valid_q <= fire && !token;
      else               valid_q <= !rq_ready_i;
    end
    always_ff @(posedge clk_i) if (!valid_q) rq_q <= rq_now;
  end else begin : gen_queue
    logic [2:0] rq_used;
    ls_fifo #(.Width(85), .Depth(4)) u_rq (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fire && !token), .ready_o(rq_free), .data_i(rq_now),
      .valid_o(rq_valid_o), .ready_i(rq_ready_i), .data_o({rq_size, rq_addr, rq_tag}),
      .used_o(rq_used)
    );
    logic unused;
    assign unused = ^rq_used;
  end
  assign be_first = 4'hf << rq_addr[1:0];
  assign be_last  = 4'hf >> (2'd0 - rq_size[1:0]);
  always_comb begin
    rq_hdr_o          = '0;
    rq_hdr_o.kind     = TlpMemRd;
    rq_hdr_o.addr     = {rq_addr[63:2], 2'b00};
    rq_hdr_o.len_dw   = 11'((rq_size + 13'd3) >> 2);
    rq_hdr_o.first_be = (rq_size <= 13'd4) ? be_first & be_last : be_first;
    rq_hdr_o.last_be  = (rq_size <= 13'd4) ? 4'h0 : be_last;
    rq_hdr_o.tag      = rq_tag;
    rq_hdr_o.attr     = attr_i;
  end
  // ---- what is known of each tag -----------------------------------------------------------
  typedef struct packed {
    logic [PosBits-1:0] last;     // its last byte in the buffer
    logic               eof;
    logic               finish;
    logic               token;    // moved nothing: refused, or aborted
    logic               bad;
    logic               fetch;
    logic               sof;
    logic               irq;
    logic               fabric;
    logic [LenBits-1:0] len;
    logic [IdBits-1:0]  id;
  } slot_t;

  logic [TagBits-1:0] rx_tag, head, fill_tag;
  logic               rx_waits, rx_gen, fill_busy, fill_done, fill_fail, head_done, release_head;
  logic               clear, clear_gen;
  cause_e             fill_cause, tag_cause, head_cause;
  logic [PosBits+12:0] place_mem [Tags];
  slot_t              slot_mem [Tags];
  slot_t              slot;
  logic [PosBits-1:0] rx_end;
  logic [12:0]        rx_size;

  always_ff @(posedge clk_i) begin
    if (fire) begin
      place_mem[tag] <= {alloc_end, n};
      slot_mem[tag]  <= '{last: alloc_end - 1'b1, eof: eof, finish: finish, token: token, bad: cut_q.bad, fetch: cut_q.fetch, sof: cut_q.sof,
                          irq: cut_q.irq, fabric: cut_q.fabric, len: cut_q.len, id: cut_q.id};
    end
  end
  assign rx_tag = TagBits'(rx_hdr_i.tag);
  assign {rx_end, rx_size} = place_mem[rx_tag];
  assign slot   = slot_mem[head];

  ls_read_tags #(.Tags(Tags), .Few(Few)) u_tags (
    .clk_i, .rst_ni, .few_i, .retag_i, .tick_i, .waits_i(rq_valid_o),
    .free_o(tag_free), .next_o(tag), .take_i(fire), .take_done_i(token),
    .look_i(rx_tag), .waits_o(rx_waits), .gen_o(rx_gen), .busy_i(fill_busy),
    .done_i(fill_done), .fail_i(fill_fail), .done_tag_i(fill_tag), .fail_cause_i(fill_cause),
    .clear_o(clear), .clear_gen_o(clear_gen), .head_done_o(head_done), .head_o(head), .head_cause_o(tag_cause), .release_i(release_head),
    .empty_o(tags_empty), .full_o(tags_full)
  );

  // ---- completions into the buffer ---------------------------------------------------------
  logic               fill_write;
  logic [PosBits-1:0] fill_pos;
  logic [1:0]         fill_from;
  logic [LaneBits:0]  fill_upto;
  logic [Width-1:0]   fill_data, row_data;
  logic               re;
  logic [RowBits-1:0] re_row;

  ls_read_fill #(.Width(Width), .PosBits(PosBits), .Tags(Tags)) u_fill (
    .clk_i, .rst_ni,
    .rx_valid_i, .rx_sop_i, .rx_eop_i, .rx_hdr_i, .rx_data_i,
    .rx_waits_i(rx_waits), .rx_gen_i(rx_gen), .rx_end_i(rx_end), .rx_size_i(rx_size),
    .clear_i(clear), .clear_tag_i(head), .clear_gen_i(clear_gen),
    .write_o(fill_write), .pos_o(fill_pos), .from_o(fill_from), .upto_o(fill_upto), .data_o(fill_data),
    .busy_o(fill_busy), .done_o(fill_done), .fail_o(fill_fail), .tag_o(fill_tag),
    .cause_o(fill_cause), .stray_o
  );

  ls_window_wr #(.Width(Width), .Rows(Rows)) u_rows (
    .clk_i, .rst_ni, .valid_i(fill_write), .pos_i(fill_pos[PosBits-2:0]), .from_i(fill_from), .upto_i(fill_upto),
    .data_i(fill_data), .re_i(re), .rrow_i(re_row), .data_o(row_data)
  );

  // ---- in order again ----------------------------------------------------------------------
  logic               end_ready, end_unused, frame_error_q, bad_now, done_free;
  logic               lost_end_q;     // an abort did not wait for room to tell where a frame ends
  logic [PosBits-1:0] slot_end;
  cause_e             cmd_cause_q, cause;

  assign head_cause = slot.token ? (!slot.bad ? CauseAbort : slot.fetch ? CauseFetch : CauseLength)
                    : tag_cause;
  // A command refused between frames is no fault of the frame that follows it.
  assign bad_now = head_cause != CauseNone && !(slot.token && !slot.eof);
  assign cause   = (cmd_cause_q != CauseNone) ? cmd_cause_q : head_cause;
  assign done_free    = !done_valid_o || done_ready_i;
  assign release_head = head_done && (!slot.finish || done_free)
                     && (!slot.eof || end_ready || abort_i);
  // The end of a frame fills its row.
  assign slot_end  = (slot.eof ? slot.last | PosBits'(Bytes - 1) : slot.last) + 1'b1;
  assign round_row = commit_pos_q[PosBits-1:LaneBits] + (RowBits+1)'(commit_pos_q[LaneBits-1:0] != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      commit_pos_q  <= '0;
      frame_error_q <= 1'b0;
      lost_end_q    <= 1'b0;
      cmd_cause_q   <= CauseNone;
    end else begin
      // Up to the next end that is told: that one ends a frame in error.
      if (flush)                         lost_end_q <= 1'b0;
      else if (release_head && slot.eof) lost_end_q <= !end_ready;
      if (flush) begin
        commit_pos_q  <= {round_row, LaneBits'(0)};
        frame_error_q <= 1'b0;
      end else if (release_head) begin
        commit_pos_q  <= slot_end;
        frame_error_q <= !slot.eof && (frame_error_q || bad_now);
        cmd_cause_q   <= slot.finish ? CauseNone : cause;
      end
    end
  end

  // Where a frame ends, and up to where its bytes are here, passes a register as well.
  logic               end_q, end_error_q, moved_q;
  logic [PosBits-1:0] end_at_q;
  logic [RowBits:0]   ready_row_q;
  always_ff @(posedge clk_i) begin
    end_q   <= rst_ni && release_head && slot.eof && end_ready;
    moved_q <= rst_ni && release_head;
    end_at_q    <= slot.last;
    end_error_q <= frame_error_q || bad_now || lost_end_q;
    if (!rst_ni)    ready_row_q <= '0;
    else if (flush) ready_row_q <= round_row;
    else            ready_row_q <= commit_pos_q[PosBits-1:LaneBits];
  end
  ls_read_output #(.RowBits(RowBits), .Width(Width)) u_output (
    .clk_i, .rst_ni, .flush_i(flush), .flush_row_i(round_row),
    .ready_row_i(ready_row_q),
    .end_valid_i(end_q), .end_ready_o(end_unused), .end_room_o(end_ready),
    .end_row_i(end_at_q[PosBits-1:LaneBits]), .end_lane_i(end_at_q[LaneBits-1:0]),
    .end_error_i(end_error_q), .free_row_o(out_row),
    .re_o(re), .row_o(re_row), .data_i(row_data),
    .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o, .m_last_o, .m_error_o
  );

  // The report passes a register: what is known of a tag is read from memories.
  always_ff @(posedge clk_i) begin
    if (!rst_ni)        done_valid_o <= 1'b0;
    else if (done_free) done_valid_o <= release_head && slot.finish;
    if (done_free) done_o <= '{
      len:     slot.token ? '0 : slot.len,
      sof:     slot.sof,
      eof:     slot.eof,
      irq:     slot.irq,
      regular: cause == CauseNone,
      fabric:  slot.fabric,
      cause:   cause,
      id:      slot.id
    };
  end

  // ---- abort: everything asked for comes back or times out, then nothing is left ------------
  logic quiet;
  assign quiet  = !cut_valid_q && tags_empty && !rq_valid_o && !done_valid_o && !moved_q;
  always_ff @(posedge clk_i) flush <= rst_ni && abort_i && quiet;
  assign idle_o = quiet;

  logic unused;
  assign unused = ^{reach, end_unused, fill_pos, cut_q};

  always_comb begin
    if (m_valid_o)                         use_o = m_ready_i ? UseMove : UseStream;
    else if (rq_valid_o && !rq_ready_i)    use_o = UseCredits;
    else if (cut_valid_q && (tags_full || !space)) use_o = UseTags;
    else if (!tags_empty)                  use_o = UseHost;
    else if (!quiet)                       use_o = UsePipe;
    else                                   use_o = UseIdle;
  end

endmodule
