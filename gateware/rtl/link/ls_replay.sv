// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs on their way out: each is kept, whole, from when the transaction layer gives it until the other end has
// acknowledged it, and is sent again from here. A TLP is sent when its last word is here.
//
// Numbers go from the oldest that is not acknowledged (`first_q`) over the next to be sent (`tx_q`) and the next that
// was never sent (`sent_q`) to the next that comes in (`in_q`); a place in the buffer belongs to each but `sent_q`. A
// table tells by its number where a TLP ends: one copy for what is sent, one for what is acknowledged.
module ls_replay
  import ls_link_pkg::*;
#(
  parameter int unsigned Bytes = 4096,    // of TLPs; a power of two
  parameter int unsigned Tlps  = 32       // a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,              // the link is active; without it all that waits is forgotten, and what comes in is dropped
  input  logic        l0_i,
  input  logic [9:0]  limit_i,            // clocks without an Ack, then a replay
  // from the transaction layer
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [15:0] word_i,
  input  logic        last_i,
  input  logic        null_i,             // with the last word: it is not to be sent
  // Acks and Naks, their number a clock before
  input  logic        ack_i,
  input  logic        nak_i,              // beside ack_i: it is a Nak
  input  seq_t        ack_seq_i,
  // to the sender
  input  logic        idle_i,             // no TLP is on its way
  output logic        tlp_o,              // one may begin
  output seq_t        seq_o,
  output logic [9:0]  len_o,              // its words, up to 1023
  input  logic        begin_i,            // its number goes out
  input  logic        next_i,             // a word goes out
  output logic [15:0] word_o,             // the first is there in the clock behind begin_i
  output logic        last_o,
  input  logic        end_i,              // the end of its LCRC goes out
  // what happened
  output logic        retrain_o,          // until the link has left L0
  output logic        timeout_o,
  output logic        rollover_o,
  output logic        protocol_o          // an Ack or Nak of a TLP that was not sent
);

  localparam int unsigned Words   = Bytes / 2;
  localparam int unsigned PtrBits = $clog2(Words);
  localparam int unsigned TlpBits = $clog2(Tlps);

  if (Bytes < 1024 || Bytes > 32768 || (Bytes & (Bytes - 1)) != 0) begin : gen_bytes
    $error("%m: Bytes must be a power of two from 1024 to 32768");
  end
  if (Tlps < 4 || Tlps > 256 || (Tlps & (Tlps - 1)) != 0) begin : gen_tlps
    $error("%m: Tlps must be a power of two from 4 to 256");
  end

  typedef logic [PtrBits:0] ptr_t;

  seq_t first_q, tx_q, sent_q, in_q, seen_q;
  ptr_t free_q, rd_q, wr_q, start_q, end_q, wr_next, next_end, ack_end;

  // ---- in ---------------------------------------------------------------------------------------------
  logic mid_q, drop_q, drop, take, keep, mid;
  assign drop    = !run_i || drop_q;
  assign ready_o = drop || ((wr_q - free_q) != ptr_t'(Words) && (in_q - first_q) != seq_t'(Tlps));
  assign take    = valid_i && ready_o;
  assign mid     = take ? !last_i : mid_q;
  assign keep    = take && last_i && !null_i && !drop;
  assign wr_next = wr_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mid_q  <= 1'b0;
      drop_q <= 1'b0;
    end else begin
      mid_q  <= mid;
      drop_q <= run_i ? drop_q && mid : mid;        // a TLP that began while the link was down is dropped whole
    end
    if (!rst_ni || !run_i) begin
      wr_q    <= '0;
      start_q <= '0;
      in_q    <= '0;
      seen_q  <= '0;
    end else begin
      if (take && !drop) wr_q <= last_i && null_i ? start_q : wr_next;
      if (keep) begin
        start_q <= wr_next;
        in_q    <= in_q + 1'b1;
      end
      seen_q <= in_q;                               // by then the table can be read
    end
  end

  logic [15:0] row, tx_row, ack_row;
  logic        unused;
  assign unused   = &{tx_row, ack_row};
  assign row      = 16'(wr_next);
  assign next_end = ptr_t'(tx_row);
  assign ack_end  = ptr_t'(ack_row);
  ls_ram #(.Bytes(2), .Depth(Tlps), .Block(1'b0)) u_tx_ends (
    .clk_i, .we_i({2{keep}}), .waddr_i(in_q[TlpBits-1:0]), .wdata_i(row), .re_i(1'b1), .raddr_i(tx_q[TlpBits-1:0]), .rdata_o(tx_row)
  );
  ls_ram #(.Bytes(2), .Depth(Tlps), .Block(1'b0)) u_ack_ends (
    .clk_i, .we_i({2{keep}}), .waddr_i(in_q[TlpBits-1:0]), .wdata_i(row), .re_i(1'b1), .raddr_i(ack_seq_i[TlpBits-1:0]), .rdata_o(ack_row)
  );

  // ---- Acks and Naks ----------------------------------------------------------------------------------
  seq_t upto_q, upto, held, beyond;
  logic within_q, known, progress, rewind_q, jump, passed_q, retry;
  assign upto     = ack_seq_i + 1'b1 - first_q;     // TLPs that it acknowledges
  assign held     = sent_q - first_q;
  assign beyond   = ack_seq_i + 1'b1 - sent_q;
  assign known    = ack_i && within_q;              // else of one that was acknowledged long ago, or not sent
  assign progress = known && upto_q != '0;
  always_ff @(posedge clk_i) begin                  // its number is there a clock before
    upto_q   <= upto;
    within_q <= upto <= held;
  end
  // An Ack may come for what is about to be sent once more, or is on its way: its place is given away, and what comes in
  // follows what goes out, which has a word in every clock.
  assign retry    = idle_i && rewind_q;
  assign jump     = idle_i && (rewind_q || passed_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !run_i) begin
      first_q <= '0;
      free_q  <= '0;
    end else begin
      if (progress) begin
        first_q <= ack_seq_i + 1'b1;
        free_q  <= ack_end;
      end
    end
  end

  // ---- out --------------------------------------------------------------------------------------------
  // What is looked at to find the next is of a clock before: it is used when nothing has changed for two.
  logic [1:0] settled_q;
  logic       more_q, read;
  ptr_t       length, rd_next, beyond_q;  // the last: behind rd_q
  assign tlp_o  = run_i && &settled_q && more_q && !rewind_q && !passed_q && !retrain_o;
  assign seq_o  = tx_q;
  assign length = next_end - rd_q;
  assign last_o = rd_q == end_q;
  assign read   = begin_i || (next_i && !last_o);
  assign rd_next = read ? beyond_q : rd_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !run_i) begin
      tx_q      <= '0;
      sent_q    <= '0;
      rd_q      <= '0;
      beyond_q  <= ptr_t'(1);
      settled_q <= '0;
    end else begin
      settled_q <= {settled_q[0], 1'b1} & {2{!begin_i && !jump && !progress}};
      if (jump) begin
        tx_q <= first_q;
        rd_q <= free_q;
        beyond_q <= free_q + 1'b1;
      end else begin
        if (begin_i) tx_q <= tx_q + 1'b1;
        rd_q <= rd_next;
        if (read)    beyond_q <= beyond_q + 1'b1;
      end
      if (begin_i && tx_q == sent_q) sent_q <= sent_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_i) end_q <= next_end;
    more_q   <= tx_q != seen_q;
    passed_q <= run_i && seq_t'(tx_q - first_q) > held;
    len_o    <= length > ptr_t'(1023) ? '1 : 10'(length);
  end

  // The word at rd_q is there a clock after rd_q is, and goes on through a register: block RAM alone takes half a clock.
  logic [15:0] ahead;
  ls_ram #(.Bytes(2), .Depth(Words), .Apart(1'b1)) u_words (
    .clk_i, .we_i({2{take && !drop}}), .waddr_i(wr_q[PtrBits-1:0]), .wdata_i(word_i), .re_i(1'b1), .raddr_i(rd_next[PtrBits-1:0]), .rdata_o(ahead)
  );
  always_ff @(posedge clk_i) if (read) word_o <= ahead;

  // ---- when to send again -----------------------------------------------------------------------------
  logic       timed_q, expired;
  logic [9:0] time_q;
  logic [1:0] replays_q;
  assign expired = timed_q && time_q >= limit_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !run_i) begin
      rewind_q   <= 1'b0;
      timed_q    <= 1'b0;
      time_q     <= '0;
      replays_q  <= '0;
      retrain_o  <= 1'b0;
      timeout_o  <= 1'b0;
      rollover_o <= 1'b0;
      protocol_o <= 1'b0;
    end else begin
      rewind_q  <= (known && nak_i) || (expired && !rewind_q) || (rewind_q && !idle_i);
      timeout_o <= expired && !rewind_q;
      if (progress) begin
        timed_q <= upto_q != held;
        time_q  <= '0;
      end else if (retry) begin                     // until the first has gone out again
        timed_q <= 1'b0;
        time_q  <= '0;
      end else if (!timed_q) begin
        timed_q <= end_i;
        time_q  <= '0;
      end else if (l0_i && !expired) time_q <= time_q + 1'b1;
      if (progress) replays_q <= '0;
      else if (retry && held != '0) replays_q <= replays_q + 1'b1;
      rollover_o <= retry && held != '0 && replays_q == 2'd3 && !progress;
      retrain_o  <= (retry && held != '0 && replays_q == 2'd3 && !progress) || (retrain_o && l0_i);
      protocol_o <= ack_i && beyond != '0 && !beyond[11];
    end
  end

endmodule
