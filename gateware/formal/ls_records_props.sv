// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the host is told adds up: every report is counted in exactly one record, a record stands still
// until it is sent, its place lies in the ring, it asks for an interrupt where one of its reports does or has failed, and
// an interrupt comes when such a record has left, and only then. Where it is asked for, the record that ends a stop comes once, when
// nothing is left to be told, and without an interrupt.
// Reports wait in ls_fifo, which is proved by itself, or where they come from.
module ls_records_props
  import ls_pkg::*;
#(
  parameter bit Queue = 1'b1
) (
  input logic      clk_i,
  input logic      rst_ni,
  input ch_cfg_t   cfg_i,
  input logic      idle_i,
  input logic      done_valid_i,
  input dma_done_t done_i,
  input logic      sent_i,
  input logic      gone_i
);
  logic [31:0]  done;
  logic         quiet, ready, room, valid, irq;
  logic [127:0] rec;
  logic [15:0]  slot;
  ls_records #(.Queue(Queue)) dut (
    .clk_i, .rst_ni, .cfg_i, .idle_i, .done_o(done), .quiet_o(quiet), .done_valid_i, .done_ready_o(ready),
    .done_room_o(room), .done_i, .rec_valid_o(valid), .rec_sent_i(sent_i && valid),
    .rec_gone_i(gone_i && valid && !sent_i), .rec_data_o(rec), .rec_slot_o(slot), .irq_o(irq)
  );

  logic         first_q = 1'b1, valid_q, left_q, asked_q, past_q, ended_q, wants_q, says_q, over_q, shut_q;
  logic [127:0] rec_q;
  logic [15:0]  slot_q, told_q;      // descriptors of the records so far
  ch_cfg_t      cfg_q;
  logic [31:0]  ended_total_q;
  logic         end_now;
  assign end_now = valid && (sent_i || gone_i);
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    cfg_q   <= cfg_i;
    valid_q <= rst_ni && valid && !end_now;
    rec_q   <= rec;
    slot_q  <= slot;
    past_q  <= rst_ni;
    ended_q <= rst_ni && end_now;
    left_q  <= rst_ni && valid && sent_i;
    // What the record says of itself: its flag, or a cause of failure.
    asked_q <= rec[3] || (rec[11:8] != '0 && !rec[4] && rec[31:16] != '0);
    // Of the stop: what ends it has been written; and what is to come is not the first of them.
    if (!rst_ni || !cfg_i.stop || !cfg_i.enable) over_q <= 1'b0;
    else if (dut.close)                          over_q <= 1'b1;
    shut_q <= rst_ni && dut.close;
    ended_total_q <= done;
    if (!rst_ni || !cfg_i.enable) told_q <= '0;
    else if (dut.send)            told_q <= told_q + dut.count_q;
    // Whether one of the reports since the last record wants an interrupt; and of those in the record.
    if (!rst_ni || !cfg_i.enable) wants_q <= 1'b0;
    else                          wants_q <= (dut.take && dut.head.irq) || (wants_q && !dut.send);
    if (dut.send)                 says_q <= wants_q;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (cfg_i.size_log2 == cfg_q.size_log2);
      assume (cfg_i.record && cfg_q.record);
      assume (!(dut.take && dut.count_q == 16'hffff));   // so many are never out: a ring holds fewer
    end
    if (idle_i) assume (!done_valid_i);          // a mover that has a report to give is not idle
    if (done_valid_i) assume (done_i.regular == (done_i.regular && done_i.cause == CauseNone));
    if (!first_q) begin
      a_adds_up: assert (told_q + dut.count_q == done[15:0]);
      a_once:    assert (!ended_q || !valid);           // sent or dropped once
      a_held:    assert (!valid_q || (valid && rec == rec_q && slot == slot_q));
      a_place:   assert (slot <= dut.mask);
      a_irq:     assert (irq == (past_q && left_q && asked_q));
      a_wants:   assert (dut.irq_q == wants_q);
      a_says:    assert (!valid || rec[31:16] == '0 || rec[3] == says_q);
      a_end:     assert (!dut.close || (cfg_i.stop && cfg_i.tell && idle_i && !valid && dut.count_q == '0 && !over_q));
      a_ends:    assert (!shut_q || (valid && rec[31:16] == '0 && rec[11:8] == CauseAbort && !rec[3] && rec[95:64] == ended_total_q));
      i_told:    assert (dut.told_q == over_q);
      a_phase:   assert (!valid_q || rec[0] == rec_q[0]);
      a_time:    assert (dut.count_q != '0 || (dut.timer_q == '0 && !dut.slow_q));     // counted from the first report
      i_cause:   assert (!dut.fault_q || dut.count_q != '0);
      i_regular: assert (!(dut.count_q != '0 && !dut.fault_q) || dut.last_q.regular);
      i_fault:   assert (!(dut.count_q != '0 && dut.fault_q) || !dut.last_q.regular);
      i_flag:    assert (!valid || dut.irq_out_q == (rec[3] || (rec[11:8] != '0 && !rec[4] && rec[31:16] != '0)));
    end
    c_end:    cover (!first_q && left_q && over_q);
    c_failed: cover (!first_q && irq && rec[31:16] == 16'd2);
  end
endmodule
