// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Descriptors arrive here in batches, ahead of need, so that a transfer of 64 bytes does not wait
// for a round trip of its own. A descriptor is 16 bytes, little endian:
//   [63:0] bus address   [95:64] length in bytes   [96] start of frame   [97] end of frame
//   [98] interrupt       [127:104] a number of the software's own, reported back
// Descriptors pushed through registers enter at the same place. ls_fetch makes the request.
//
// None is handed out before the completion that brought it has ended, because a block may say only
// then that it could not read it. When a fetch fails, what came before it is handed out, then one
// command that moves nothing and reports the failure, then nothing until the channel is disabled.
module ls_desc_ring
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Batch = 32      // descriptors asked for at once, at most
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  ch_cfg_t           cfg_i,
  input  logic [2:0]        mrrs_i,
  input  logic              tick_i,
  output logic [15:0]       fetched_o,
  output logic              empty_o,       // nothing fetched, nothing to fetch
  output logic              quiet_o,       // no request in flight
  output logic              fail_o,        // pulse: a fetch failed; the ring stands still until disabled

  input  logic              push_hold_i,   // one is to be pushed: start no fetch
  input  logic              push_low_i,    // its lower half is on data_i
  input  logic              push_high_i,   // the rest, or (from 128 bit on) all of it
  output logic              push_fail_o,   // pulse: there was no room for it

  output logic              ask_valid_o,   // one request in flight
  input  logic              ask_ready_i,
  input  logic              ask_sent_i,    // pulse: it has gone
  output logic [15:0]       ask_slot_o,
  output logic [8:0]        ask_count_o,
  input  logic              rx_valid_i,    // beats of its completions
  input  logic              rx_sop_i,
  input  logic              rx_eop_i,
  input  logic [10:0]       rx_len_i,      // of the completion, DWs, with its first beat
  input  logic              rx_bad_i,      // it brings no data that can be used; likewise
  input  logic              rx_broken_i,   // with its last beat: nothing of it can be used
  input  logic              rx_last_i,     // it is the last of its request: with all of its beats
  input  logic [Width-1:0]  data_i,        // their data, or what is pushed

  output logic              cmd_valid_o,
  input  logic              cmd_ready_i,
  output dma_cmd_t          cmd_o
);

  // The queue holds rows of at least one descriptor and how many of them are in use.
  localparam int unsigned RowWidth = (Width < 128) ? 128 : Width;
  localparam int unsigned PerRow   = RowWidth / 128;
  localparam int unsigned CntBits  = $clog2(PerRow) + 1;
  localparam int unsigned BatchRows = Batch / PerRow;
  localparam int unsigned Depth    = (4 * BatchRows < 16) ? 16 : (PerRow > 1) ? 4 * BatchRows : 2 * BatchRows;
  localparam int unsigned UseBits  = $clog2(Depth);

  if (!(Batch inside {8, 16, 32, 64, 128, 256})) begin : gen_check
    $error("%m: Batch must be a power of two from 8 to 256");
  end

  // ---- asking ------------------------------------------------------------------------------
  logic [15:0]      next_q, mask_q, avail_q;
  logic [8:0]       n, n_q, edge_q;
  logic [7:0]       block_q;
  logic             busy_q, asked_q, sent_q, failed_q, start, room, on, age_q, stale_q, void_q;
  logic [UseBits:0] used;

  assign on        = cfg_i.enable && cfg_i.ring && !cfg_i.stop && !failed_q;
  // A batch ends where a batch-sized block of the ring ends, so it crosses neither the ring's end
  // nor a 4 KiB boundary. Ring and block are powers of two: up to the nearer end it is as many as
  // the bits of the index under both masks leave, and one.
  // In steps of a cycle, and a fetch starts when they have settled.
  logic on_q, settled_q;
  always_ff @(posedge clk_i) begin
    mask_q    <= ~(16'hffff << {cfg_i.size_log2 == '0, cfg_i.size_log2});
    block_q   <= 8'(((16'(Batch) < (16'd8 << mrrs_i)) ? 16'(Batch) : (16'd8 << mrrs_i)) - 16'd1);
    avail_q   <= (cfg_i.tail - next_q) & mask_q;
    edge_q    <= {1'b0, ~next_q[7:0] & mask_q[7:0] & block_q} + 9'd1;
    on_q      <= on;
    settled_q <= rst_ni && on && on_q && !busy_q;
  end
  assign n     = (avail_q < 16'(edge_q)) ? 9'(avail_q) : edge_q;
  assign room  = used < (UseBits+1)'(Depth - BatchRows - 1);
  assign start = on && settled_q && !busy_q && !stale_q && !push_hold_i && room && (avail_q != '0);

  logic flush, got, last_cpl, cpl_bad;
  assign flush    = !cfg_i.enable || cfg_i.stop;
  assign got      = rx_valid_i && busy_q && asked_q;
  assign last_cpl = got && rx_eop_i && rx_last_i;
  assign cpl_bad  = got && ((rx_sop_i && rx_bad_i) || (rx_eop_i && rx_broken_i));

  logic expired;
  assign expired = tick_i && busy_q && sent_q && age_q;
  assign fail_o  = (cpl_bad || expired) && !void_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q   <= '0;
      busy_q   <= 1'b0;
      asked_q  <= 1'b0;
      sent_q   <= 1'b0;
      failed_q <= 1'b0;
      age_q    <= 1'b0;
      stale_q  <= 1'b0;
      void_q   <= 1'b0;
      n_q      <= '0;
    end else begin
      if (flush) next_q <= '0;
      else if (last_cpl && !failed_q && !cpl_bad && !void_q) next_q <= (next_q + 16'(n_q)) & mask_q;
      // What was asked for before the channel was disabled is not for the one enabled after it.
      void_q <= busy_q && (void_q || flush);

      if (start) begin
        busy_q  <= 1'b1;
        asked_q <= 1'b0;
        n_q     <= n;
      end else if (last_cpl || expired || (flush && !asked_q)) begin   // what failed may have more to come
        busy_q  <= 1'b0;
      end
      if (ask_valid_o && ask_ready_i) asked_q <= 1'b1;
      sent_q <= !start && (sent_q || ask_sent_i);

      if (flush) failed_q <= 1'b0;
      else if (fail_o)   failed_q <= 1'b1;

      if (start || ask_sent_i || got) age_q <= 1'b0;
      else if (tick_i)  age_q <= 1'b1;
      // After a failure the tag rests for a tick: a late completion must not meet a new request.
      if (cpl_bad || expired)              stale_q <= 1'b1;
      else if (tick_i && !busy_q && age_q) stale_q <= 1'b0;
    end
  end

  assign ask_valid_o = busy_q && !asked_q && !flush;
  assign ask_slot_o  = next_q;
  assign ask_count_o = n_q;

  // ---- receiving ---------------------------------------------------------------------------
  logic                fifo_valid, fifo_ready, fifo_pop, good, row_in;
  logic [RowWidth-1:0] fifo_row;
  logic [CntBits-1:0]  fifo_cnt;
  logic [127:0]        desc;

  assign good        = got && !failed_q && !cpl_bad && !void_q;
  assign push_fail_o = push_high_i && !fifo_ready;

  if (Width == 64) begin : gen_pair
    logic half_q, upper, unused_len;
    assign unused_len = ^rx_len_i;
    assign upper = half_q && !rx_sop_i;
    always_ff @(posedge clk_i) begin
      if (!rst_ni)  half_q <= 1'b0;
      else if (got) half_q <= !rx_eop_i && !upper;
    end
    assign row_in = good && upper;
    ls_half_fifo #(.Width(64), .Depth(Depth)) u_rows (
      .clk_i, .rst_ni, .clear_i(flush),
      .low_i((got && !upper) || push_low_i), .valid_i(row_in || push_high_i),
      .ready_o(fifo_ready), .data_i,
      .valid_o(fifo_valid), .ready_i(fifo_pop), .data_o(fifo_row), .used_o(used)
    );
    assign fifo_cnt = 1'b1;
  end else begin : gen_row
    logic [10:0]        left_q, left;  // descriptors' DWs left in this completion
    logic [CntBits-1:0] row_cnt;
    logic               unused_low;
    assign unused_low = push_low_i;
    assign left    = rx_sop_i ? rx_len_i : left_q;
    assign row_cnt = (push_high_i || left < 11'd4) ? CntBits'(1)
                   : (left >= 11'(Width / 32)) ? CntBits'(PerRow) : CntBits'(left >> 2);
    assign row_in = good;
    always_ff @(posedge clk_i) if (rx_valid_i) left_q <= left - 11'(Width / 32);
    ls_fifo #(.Width(RowWidth + CntBits), .Depth(Depth)) u_rows (
      .clk_i, .rst_ni, .clear_i(flush),
      .valid_i(row_in || push_high_i), .ready_o(fifo_ready), .data_i({row_cnt, data_i}),
      .valid_o(fifo_valid), .ready_i(fifo_pop), .data_o({fifo_cnt, fifo_row}), .used_o(used)
    );
  end

  // ---- handing out -------------------------------------------------------------------------
  // Rows of a completion that has not ended, and rows that may be handed out.
  logic [UseBits:0] pend_q, sure_q;
  logic             sure;
  assign sure = got && rx_eop_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush) begin
      pend_q <= '0;
      sure_q <= '0;
    end else begin
      pend_q <= sure ? '0 : pend_q + (UseBits+1)'(row_in);
      sure_q <= sure_q + ((sure && !cpl_bad) ? pend_q + (UseBits+1)'(row_in) : '0)
              + (UseBits+1)'(push_high_i && fifo_ready) - (UseBits+1)'(fifo_pop);
    end
  end

  logic     step, shown_q, tell, told_q;
  dma_cmd_t cmd_q;
  if (PerRow == 1) begin : gen_one
    assign desc     = fifo_row[127:0];
    assign fifo_pop = step;
    logic unused;
    assign unused = ^fifo_cnt;
  end else begin : gen_several
    logic [CntBits-1:0] at_q;
    assign desc     = fifo_row[32'(at_q[CntBits-2:0])*128+:128];
    assign fifo_pop = step && (at_q + 1'b1 == fifo_cnt);
    always_ff @(posedge clk_i) begin
      if (!rst_ni)                at_q <= '0;
      else if (flush || fifo_pop) at_q <= '0;
      else if (step)              at_q <= at_q + 1'b1;
    end
  end

  // A register at the end: the queue's memory is slow to read.
  assign step = (sure_q != '0) && (!shown_q || cmd_ready_i);
  assign tell = failed_q && !told_q && (sure_q == '0) && (!shown_q || cmd_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush)  shown_q <= 1'b0;
    else if (step || tell) shown_q <= 1'b1;
    else if (cmd_ready_i)  shown_q <= 1'b0;
    told_q <= rst_ni && !flush && (told_q || tell);
  end
  always_ff @(posedge clk_i) begin
    if (tell) begin
      cmd_q       <= '0;
      cmd_q.irq   <= 1'b1;
      cmd_q.bad   <= 1'b1;
      cmd_q.fetch <= 1'b1;
    end else if (step) begin
      cmd_q <= '{
        addr:   desc[63:0],
        len:    desc[64+:LenBits],
        sof:    desc[96],
        eof:    desc[97],
        irq:    desc[98],
        bad:    desc[95:64] == '0 || desc[95:64+LenBits] != '0,
        fetch:  1'b0,
        fabric: 1'b0,
        id:     desc[127:104]
      };
    end
  end
  assign cmd_valid_o = shown_q;
  assign cmd_o       = cmd_q;

  logic unused_desc;
  assign unused_desc = ^{desc[103:99], cfg_i};

  assign fetched_o = next_q;
  assign quiet_o   = !busy_q;
  assign empty_o   = !fifo_valid && !shown_q && !busy_q && !(failed_q && !told_q)
                  && (!on || (settled_q && avail_q == '0));

endmodule
