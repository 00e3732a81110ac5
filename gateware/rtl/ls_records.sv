// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Tells the host what was done, in as few bytes as it can: descriptors that ended exactly as they
// said are counted, and one record stands for all of them; one that ended in any other way gets
// a record at once. The record goes out after the data it speaks of, and the interrupt after it.
//
// A record is 16 bytes:
//   DW0 [0] phase [1] start of frame [2] end of frame [3] interrupt [4] regular [11:8] cause
//       [31:16] descriptors since the last record        (all but the last of them were regular)
//   DW1 bytes moved by the last one     DW2 descriptors since enable     DW3 the last one's number
// Of no descriptors tells the one that a channel writes when it has been stopped (`tell`): it is the
// last thing that the host gets of it, behind all else, which no load of a register shows everywhere.
module ls_records
  import ls_pkg::*;
#(
  parameter bit Queue = 1'b1                // reports wait here; else where they come from
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  ch_cfg_t           cfg_i,
  input  logic              idle_i,        // the rest of the channel has nothing
  output logic [31:0]       done_o,
  output logic              quiet_o,

  input  logic              done_valid_i,
  output logic              done_ready_o,
  output logic              done_room_o,   // room for everything that can be under way in an engine
  input  dma_done_t         done_i,

  output logic              rec_valid_o,   // a record for ls_messages to send
  input  logic              rec_sent_i,
  input  logic              rec_gone_i,    // it was dropped instead
  output logic [127:0]      rec_data_o,
  output logic [15:0]       rec_slot_o,

  output logic              irq_o          // pulse, once the record has left
);

  dma_done_t   head;
  logic        head_valid, take, due, flush_in;
  logic [4:0]  used;

  assign flush_in = !cfg_i.enable;
  logic        may;
  if (Queue) begin : gen_queue
    ls_fifo #(.Width($bits(dma_done_t)), .Depth(16)) u_done (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .valid_i(done_valid_i), .ready_o(done_ready_o), .data_i(done_i),
      .valid_o(head_valid), .ready_i(may), .data_o(head), .used_o(used)
    );
  end else begin : gen_none
    assign head_valid   = done_valid_i;
    assign head         = done_i;
    assign done_ready_o = may;
    assign used         = '0;
  end
  assign done_room_o = used < 5'd8;

  // ---- what the next record will say ---------------------------------------------------------
  logic [31:0] total_q;
  logic [15:0] count_q, timer_q;
  logic        irq_q, fault_q, slow_q;
  dma_done_t   last_q;
  logic        busy_q, want, send;

  // A report that is not regular must be the last of its record: it holds up those behind it.
  assign want = count_q != '0 && (fault_q || count_q >= 16'(cfg_i.coal_count) || slow_q);
  assign due  = want && cfg_i.record;
  assign send = due && !busy_q;
  assign may  = !fault_q || (cfg_i.record && !busy_q);   // then it is sent
  assign take = head_valid && may;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      total_q <= '0;
      count_q <= '0;
      timer_q <= '0;
      slow_q  <= 1'b0;
      irq_q   <= 1'b0;
      fault_q <= 1'b0;
    end else if (flush_in) begin
      total_q <= '0;
      count_q <= '0;
      timer_q <= '0;
      slow_q  <= 1'b0;
      irq_q   <= 1'b0;
      fault_q <= 1'b0;
    end else begin
      if (take) total_q <= total_q + 1'b1;
      if (send || (want && !cfg_i.record)) begin
        count_q <= 16'(take);
        timer_q <= '0;
        slow_q  <= 1'b0;
        irq_q   <= take && head.irq;
        fault_q <= take && !head.regular;
      end else begin
        if (take) begin
          count_q <= count_q + 1'b1;
          irq_q   <= irq_q || head.irq;
          fault_q <= !head.regular;
        end
        if (count_q != '0 && !slow_q) begin
          timer_q <= timer_q + 1'b1;
          slow_q  <= timer_q >= cfg_i.coal_time;     // and not only equal: it may have been shortened
        end
      end
    end
  end
  always_ff @(posedge clk_i) if (take) last_q <= head;

  // ---- the end of a stop ---------------------------------------------------------------------
  // Of what is on its way from one part of the channel to the next nobody knows for some cycles.
  logic       owes, none, told_q, close;
  logic [3:0] still_q;
  assign none  = !busy_q && !head_valid && count_q == '0;
  assign owes  = cfg_i.enable && cfg_i.stop && cfg_i.tell && cfg_i.record && !told_q;
  assign close = owes && none && idle_i && still_q == '1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !cfg_i.stop || !cfg_i.enable) told_q <= 1'b0;
    else if (close)                              told_q <= 1'b1;
    if (!rst_ni || !owes || !none || !idle_i)    still_q <= '0;
    else                                         still_q <= still_q + 1'b1;
  end

  // ---- the record on its way -----------------------------------------------------------------
  logic [127:0] rec_q;
  logic [15:0]  slot_q, mask;
  logic         phase_q, irq_out_q;

  assign mask = ~(16'hffff << {cfg_i.size_log2 == '0, cfg_i.size_log2});

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      slot_q    <= '0;
      phase_q   <= 1'b1;
      irq_out_q <= 1'b0;
    end else begin
      if (send || close) busy_q <= 1'b1;
      else if (rec_sent_i || rec_gone_i) busy_q <= 1'b0;
      if (send)       irq_out_q <= irq_q || (fault_q && last_q.cause != CauseNone);
      else if (close) irq_out_q <= 1'b0;
      if (flush_in && !busy_q) begin
        slot_q  <= '0;
        phase_q <= 1'b1;
      end else if (rec_sent_i) begin
        slot_q  <= (slot_q + 1'b1) & mask;
        if (slot_q == mask) phase_q <= !phase_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (send) begin
      rec_q <= {8'd0, last_q.id, total_q, 8'd0, last_q.len, count_q,
                4'd0, last_q.cause, 3'd0, last_q.regular, irq_q, last_q.eof, last_q.sof, phase_q};
    end else if (close) begin
      rec_q <= {32'd0, total_q, 32'd0, 16'd0, 4'd0, CauseAbort, 7'd0, phase_q};
    end
  end

  assign rec_valid_o = busy_q;
  assign rec_data_o  = rec_q;
  assign rec_slot_o  = slot_q;

  always_ff @(posedge clk_i) irq_o <= rst_ni && rec_sent_i && irq_out_q;
  assign done_o  = total_q;
  assign quiet_o = !busy_q && !head_valid && (count_q == '0 || !cfg_i.record) && !owes;

  logic unused;
  assign unused = ^{cfg_i, head.fabric, last_q.fabric, last_q.irq};

endmodule
