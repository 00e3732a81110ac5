// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Descriptors arrive here in batches, ahead of need, so that a transfer of 64 bytes does not wait
// for a round trip of its own. A descriptor is 16 bytes, little endian:
//   [63:0] bus address   [95:64] length in bytes   [96] start of frame   [97] end of frame
//   [98] interrupt       [127:104] a number of the software's own, reported back
// With `Mm` the number and the highest byte of the length are an address of card memory.
// Descriptors pushed through registers enter at the same place. ls_fetch makes the requests, of which
// several may be out; ls_desc_order knows which.
//
// None is handed out before the completion that brought it has ended, because a block may say only
// then that it could not read it. When a fetch fails, what came before it is handed out, then one
// command that moves nothing and reports the failure, then nothing until the channel is disabled.
module ls_desc_ring
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Batch   = 32,   // descriptors asked for at once, at most
  parameter int unsigned Fetches = 4,    // requests out, at most
  parameter bit          Mm      = 1'b0, // descriptors have addresses of card memory
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  ch_cfg_t           cfg_i,
  input  logic [2:0]        mrrs_i,
  input  logic              tick_i,
  input  logic              few_i,         // one request out at most, the first
  output logic [15:0]       fetched_o,
  output logic              empty_o,       // nothing fetched, nothing to fetch
  output logic              quiet_o,       // no request out or about to be
  output logic              fail_o,        // pulse: a fetch failed; the ring stands still until disabled

  input  logic              push_hold_i,   // one is to be pushed: start no fetch
  input  logic              push_low_i,    // its lower half is on data_i
  input  logic              push_high_i,   // the rest, or (from 128 bit on) all of it
  output logic              push_fail_o,   // pulse: there was no room for it

  output logic              ask_valid_o,   // a request; may be withdrawn
  input  logic              ask_ready_i,
  input  logic              ask_sent_i,    // pulse: it has gone
  output logic [15:0]       ask_slot_o,
  output logic [8:0]        ask_count_o,
  output logic [OutBits-1:0] ask_id_o,
  input  logic              rx_valid_i,    // beats of its completions
  input  logic              rx_sop_i,
  input  logic              rx_eop_i,
  input  logic [OutBits-1:0] rx_id_i,       // of which request; with all of its beats
  input  logic [10:0]       rx_len_i,      // of the completion, DWs; likewise
  input  logic [10:0]       rx_left_i,     // of its request from there on, DWs; likewise
  input  logic              rx_bad_i,      // it brings no data that can be used; likewise
  input  logic              rx_broken_i,   // with its last beat: nothing of it can be used
  input  logic              rx_last_i,     // it is the last of its request: with all of its beats
  input  logic [Width-1:0]  data_i,        // their data, or what is pushed

  output logic              cmd_valid_o,
  input  logic              cmd_ready_i,
  output dma_cmd_t          cmd_o
);

  // The queue has rows of at least one descriptor, with how many of them are in use. It holds all that
  // may be asked for.
  localparam int unsigned RowWidth  = (Width < 128) ? 128 : Width;
  localparam int unsigned PerRow    = RowWidth / 128;
  localparam int unsigned CntBits   = $clog2(PerRow) + 1;
  localparam int unsigned AskBits   = $clog2(Batch) + 1;       // of what is asked for at once
  localparam int unsigned BatchRows = Batch / PerRow;
  localparam int unsigned Least     = (Fetches < 2) ? 2 : Fetches;
  localparam int unsigned Depth     = (Least * BatchRows < 16) ? 16 : Least * BatchRows;
  localparam int unsigned RowBits   = $clog2(Depth);
  localparam int unsigned RowBytes  = RowWidth / 8 + (PerRow > 1 ? 1 : 0);

  if (!(Batch inside {8, 16, 32, 64, 128, 256})) begin : gen_check
    $error("%m: Batch must be a power of two from 8 to 256");
  end

  // ---- what comes in passes a register: descriptors are in no hurry -------------------------
  logic             rx_valid_q, rx_sop_q, rx_eop_q, rx_bad_q, rx_broken_q, rx_last_q, push_low_q, push_high_q, coming;
  logic [OutBits-1:0] rx_id_q;
  logic [10:0]      rx_len_q;
  logic [Width-1:0] data_q;
  always_ff @(posedge clk_i) begin
    {rx_valid_q, push_low_q, push_high_q} <= rst_ni ? {rx_valid_i, push_low_i, push_high_i} : '0;
    {rx_sop_q, rx_eop_q, rx_bad_q, rx_broken_q, rx_last_q} <= {rx_sop_i, rx_eop_i, rx_bad_i, rx_broken_i, rx_last_i};
    rx_id_q  <= rx_id_i;
    rx_len_q <= rx_len_i;
    data_q   <= data_i;
  end
  assign coming = rx_valid_i || rx_valid_q || push_low_q || push_high_q;

  // ---- asking ------------------------------------------------------------------------------
  logic [15:0]       next_q, mask_q, avail_q, fetched_q;
  logic [AskBits-1:0] n, n_q, edge_q;
  logic [7:0]        block_q, place;
  logic              asking_q, start, room, on, go, flush, free, none, dead, hold, ends;
  logic [RowBits:0]  all_q, rd_q, upto, used;    // rows given to fetches and pushes; taken; may be handed out
  logic [OutBits-1:0] id;

  assign flush = !cfg_i.enable || cfg_i.stop;
  assign on    = cfg_i.enable && cfg_i.ring && !cfg_i.stop && !dead;
  // A batch ends where a batch-sized block of the ring ends, so it crosses neither the ring's end
  // nor a 4 KiB boundary; one that begins inside a row's worth of descriptors ends with that, so that
  // all others begin and go on in whole rows. Ring and block are powers of two: up to the nearer end
  // it is as many as the bits of the index under the masks leave, and one.
  // In steps of a cycle, and a fetch starts when they have settled.
  logic on_q, settled_q;
  assign place = 8'(next_q[7:0] & 8'(PerRow - 1));
  always_ff @(posedge clk_i) begin
    mask_q    <= ~(16'hffff << {cfg_i.size_log2 == '0, cfg_i.size_log2});
    block_q   <= 8'(((16'(Batch) < (16'd8 << mrrs_i)) ? 16'(Batch) : (16'd8 << mrrs_i)) - 16'd1);
    avail_q   <= (cfg_i.tail - next_q) & mask_q;
    edge_q    <= AskBits'(~next_q[7:0] & mask_q[7:0] & 8'(Batch - 1) & (place != '0 ? 8'(PerRow - 1) : block_q)) + AskBits'(1);
    on_q      <= on;
    settled_q <= rst_ni && on && on_q && !asking_q;
  end
  assign n     = (avail_q < 16'(edge_q)) ? AskBits'(avail_q) : edge_q;
  assign used  = all_q - rd_q;
  assign room  = used <= (RowBits+1)'(Depth - BatchRows);
  assign start = on && settled_q && !asking_q && !hold && free && !push_hold_i && room && !coming
              && (avail_q != '0) && !(few_i && !(none && id == '0));
  assign go    = ask_valid_o && ask_ready_i;

  assign ask_valid_o = asking_q && !flush;
  assign ask_slot_o  = next_q;
  assign ask_count_o = 9'(n_q);
  assign ask_id_o    = id;

  logic        push, fits, got, take, row_in;
  logic [AskBits-1:0] got_count;
  logic [RowBits:0] row;
  // Whether there is room for a pushed one is asked once, when its first part comes: what finds none
  // writes nothing, even if a row gets free before the rest comes or the queue begins anew. What an
  // abort drops did find room.
  assign fits        = !used[RowBits] && !ends;
  if (Width == 64) begin : gen_fits
    logic fits_q, full_q;
    always_ff @(posedge clk_i) begin
      if (push_low_q)           {fits_q, full_q} <= {fits, !fits};
      if (flush && all_q != '0) {fits_q, full_q} <= 2'b00;
    end
    assign push        = push_high_q && fits_q;
    assign push_fail_o = push_high_q && full_q;
  end else begin : gen_fits_now
    assign push        = push_high_q && fits;
    assign push_fail_o = push_high_q && !fits;
  end

  always_ff @(posedge clk_i) begin
    if (start) n_q <= n;
    if (!rst_ni || flush) begin
      next_q    <= '0;
      fetched_q <= '0;
      all_q     <= '0;
      asking_q  <= 1'b0;
    end else begin
      if (start)   asking_q <= 1'b1;
      else if (go) asking_q <= 1'b0;
      if (go)      next_q    <= (next_q + 16'(n_q)) & mask_q;
      if (got)     fetched_q <= (fetched_q + 16'(got_count)) & mask_q;
      if (go)        all_q <= all_q + (RowBits+1)'((32'(n_q) + PerRow - 1) / PerRow);
      else if (push) all_q <= all_q + 1'b1;
    end
  end

  ls_desc_order #(.Fetches(Fetches), .RowBits(RowBits), .RowDw(RowWidth / 32), .Most(Batch)) u_order (
    .clk_i, .rst_ni, .flush_i(flush), .tick_i, .set_i(start), .wait_i(asking_q), .row_i(all_q), .count_i(n),
    .go_i(go), .sent_i(ask_sent_i), .next_o(id), .free_o(free), .none_o(none),
    .see_valid_i(rx_valid_i), .see_sop_i(rx_sop_i), .see_id_i(rx_id_i), .see_len_i(rx_len_i), .see_left_i(rx_left_i),
    .see_last_i(rx_last_i), .rx_valid_i(rx_valid_q), .rx_sop_i(rx_sop_q), .rx_eop_i(rx_eop_q), .rx_id_i(rx_id_q),
    .rx_bad_i(rx_bad_q), .rx_broken_i(rx_broken_q), .rx_last_i(rx_last_q),
    .take_o(take), .row_o(row), .row_in_i(row_in), .upto_o(upto), .all_i(all_q), .fail_o, .dead_o(dead),
    .hold_o(hold), .end_o(ends), .got_o(got), .got_count_o(got_count)
  );

  // ---- receiving ---------------------------------------------------------------------------
  logic [RowBytes-1:0]   we;
  logic [RowBytes*8-1:0] wdata, fifo_row;
  logic                  re, row_q, fifo_pop;

  if (Width == 64) begin : gen_pair
    logic half_q, upper;
    assign upper  = half_q && !rx_sop_q;
    assign row_in = upper;
    assign wdata  = {data_q, data_q};
    assign we     = {{8{(take && upper) || push_high_q}}, {8{(take && !upper) || push_low_q}}};
    always_ff @(posedge clk_i) begin
      if (!rst_ni)         half_q <= 1'b0;
      else if (rx_valid_q) half_q <= !rx_eop_q && !upper;
    end
  end else begin : gen_row
    logic [10:0] left_q, left;           // descriptors' DWs left in this completion
    logic        unused_low;
    assign unused_low = push_low_q;
    assign left   = rx_sop_q ? rx_len_q : left_q;
    assign row_in = 1'b1;
    assign we     = {RowBytes{take || push_high_q}};
    always_ff @(posedge clk_i) if (rx_valid_q) left_q <= left - 11'(Width / 32);
    if (PerRow > 1) begin : gen_count
      assign wdata = {(push_high_q || left < 11'd4) ? 8'd1 : (left >= 11'(Width / 32)) ? 8'(PerRow) : 8'(left >> 2),
                      data_q};
    end else begin : gen_single
      assign wdata = data_q;
    end
  end

  ls_ram #(.Bytes(RowBytes), .Depth(Depth)) u_rows (
    .clk_i, .we_i((take || (push_low_q && fits) || push) ? we : '0),
    .waddr_i(take ? row[RowBits-1:0] : all_q[RowBits-1:0]), .wdata_i(wdata),
    .re_i(re), .raddr_i(rd_q[RowBits-1:0]), .rdata_o(fifo_row)
  );

  // ---- handing out -------------------------------------------------------------------------
  logic         step, shown_q, tell, told_q;
  logic [127:0] desc;
  dma_cmd_t     cmd_q;
  logic [31:LenBits] long_q;       // of a length, what must be zero
  assign re = (rd_q != upto) && (!row_q || fifo_pop);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush) begin
      rd_q  <= '0;
      row_q <= 1'b0;
    end else begin
      if (re) rd_q <= rd_q + 1'b1;
      row_q <= re || (row_q && !fifo_pop);
    end
  end
  if (PerRow == 1) begin : gen_one
    assign desc     = fifo_row;
    assign fifo_pop = step;
  end else begin : gen_several
    logic [CntBits-1:0] at_q, fifo_cnt;
    assign fifo_cnt = fifo_row[RowWidth+:CntBits];
    assign desc     = fifo_row[32'(at_q[CntBits-2:0])*128+:128];
    assign fifo_pop = step && (at_q + 1'b1 == fifo_cnt);
    always_ff @(posedge clk_i) begin
      if (!rst_ni)                at_q <= '0;
      else if (flush || fifo_pop) at_q <= '0;
      else if (step)              at_q <= at_q + 1'b1;
    end
    logic unused;
    assign unused = ^fifo_row[RowBytes*8-1:RowWidth+CntBits];
  end

  // A register at the end: a command is looked at as a whole.
  assign step = row_q && (!shown_q || cmd_ready_i);
  assign tell = ends && !told_q && !row_q && (rd_q == upto) && (!shown_q || cmd_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush)  shown_q <= 1'b0;
    else if (step || tell) shown_q <= 1'b1;
    else if (cmd_ready_i)  shown_q <= 1'b0;
    told_q <= rst_ni && !flush && (told_q || tell);
  end
  always_ff @(posedge clk_i) begin
    if (tell || Mm) long_q <= '0;
    else if (step) long_q <= desc[95:64+LenBits];
    if (tell) begin
      cmd_q       <= '0;
      cmd_q.irq   <= 1'b1;
      cmd_q.bad   <= 1'b1;
      cmd_q.fetch <= 1'b1;
    end else if (step) begin
      cmd_q <= '{
        card_high: Mm ? desc[95:64+LenBits] : '0,
        addr:   desc[63:0],
        len:    desc[64+:LenBits],
        sof:    desc[96],
        eof:    desc[97],
        irq:    desc[98],
        bad:    1'b0,
        fetch:  1'b0,
        fabric: 1'b0,
        id:     desc[127:104]
      };
    end
  end
  // A length is looked at behind the register: the queue's memory is slow.
  always_comb begin
    cmd_o = cmd_q;
    if (cmd_q.len == '0 || long_q != '0) cmd_o.bad = 1'b1;
  end
  assign cmd_valid_o = shown_q;

  logic unused_desc;
  assign unused_desc = ^{desc[103:99], cfg_i, row[RowBits], rx_len_q};

  assign fetched_o = fetched_q;
  assign quiet_o   = none && !asking_q;
  assign empty_o   = (rd_q == (ends ? upto : all_q)) && !row_q && !shown_q && quiet_o && !push_high_q && !(dead && !told_q)
                  && (!on || (settled_q && avail_q == '0));

endmodule
