// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Everything of a host channel that is the same in both directions: descriptors and commands of
// the fabric taking turns, reports sorted back to whom they belong, records, state and counters.
// The mover, ls_read_engine or ls_write_engine, is connected outside.
module ls_channel
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Batch = 32,
  parameter int unsigned Fetches = 4,
  parameter bit          Mm      = 1'b0,     // descriptors have addresses of card memory
  parameter bit          Queue   = 1'b1,     // the mover cannot keep a report until it is taken
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  ch_cfg_t           cfg_i,
  output ch_stat_t          stat_o,
  input  logic              clear_i,
  input  logic [3:0]        use_sel_i,
  input  logic [2:0]        mrrs_i,
  input  logic              tick_i,
  input  logic              few_i,
  input  logic              push_hold_i,
  input  logic              push_low_i,
  input  logic              push_high_i,
  output logic              push_fail_o,
  output logic              fetch_fail_o,
  output logic              irq_o,

  input  logic              fab_valid_i,     // commands of the design in the FPGA
  output logic              fab_ready_o,
  input  dma_cmd_t          fab_cmd_i,
  output logic              fab_done_valid_o,
  output dma_done_t         fab_done_o,

  output logic              ask_valid_o,     // descriptor fetches, to ls_fetch
  input  logic              ask_ready_i,
  input  logic              ask_sent_i,
  output logic [15:0]       ask_slot_o,
  output logic [8:0]        ask_count_o,
  output logic [OutBits-1:0] ask_id_o,
  output logic              ask_quiet_o,
  input  logic              rx_valid_i,
  input  desc_beat_t        rx_i,
  input  logic [Width-1:0]  rx_data_i,       // from ls_fetch

  output logic              rec_valid_o,     // records, to ls_messages
  input  logic              rec_sent_i,
  input  logic              rec_gone_i,
  output logic [127:0]      rec_data_o,
  output logic [15:0]       rec_slot_o,

  output logic              eng_valid_o,     // to the mover
  input  logic              eng_ready_i,
  output dma_cmd_t          eng_cmd_o,
  input  logic              eng_idle_i,
  input  use_e              eng_use_i,
  input  logic              eng_done_valid_i,
  output logic              eng_done_ready_o,
  output logic              eng_done_room_o,
  input  dma_done_t         eng_done_i
);

  logic     ring_valid, ring_empty, ring_quiet, rec_ready, rec_quiet;
  dma_cmd_t ring_cmd;
  logic     ring_ready, fab_turn_q, fab;     // fab: the one at the engine is of the port

  ls_desc_ring #(.Width(Width), .Batch(Batch), .Fetches(Fetches), .Mm(Mm)) u_ring (
    .clk_i, .rst_ni, .cfg_i, .mrrs_i, .tick_i, .few_i,
    .fetched_o(stat_o.fetched), .empty_o(ring_empty), .quiet_o(ring_quiet), .fail_o(fetch_fail_o),
    .push_hold_i, .push_low_i, .push_high_i, .push_fail_o,
    .ask_valid_o, .ask_ready_i, .ask_sent_i, .ask_slot_o, .ask_count_o, .ask_id_o,
    .rx_valid_i, .rx_sop_i(rx_i.sop), .rx_eop_i(rx_i.eop), .rx_id_i(OutBits'(rx_i.id)), .rx_len_i(rx_i.len),
    .rx_left_i(rx_i.left), .rx_bad_i(rx_i.bad), .rx_broken_i(rx_i.broken), .rx_last_i(rx_i.last), .data_i(rx_data_i),
    .cmd_valid_o(ring_valid), .cmd_ready_i(ring_ready), .cmd_o(ring_cmd)
  );

  // Ring and port take turns where both have a command. Whether the ring may hand one out does not wait for
  // whether it has one: it asks for that itself.
  assign fab         = fab_valid_i && (fab_turn_q || !ring_valid);
  assign ring_ready  = eng_ready_i && !(fab_valid_i && fab_turn_q);
  assign fab_ready_o = eng_ready_i && fab;
  assign eng_valid_o = ring_valid || fab_valid_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                         fab_turn_q <= 1'b0;
    else if (eng_valid_o && eng_ready_i) fab_turn_q <= !fab;
  end
  always_comb begin
    eng_cmd_o = fab ? fab_cmd_i : ring_cmd;
    if (fab) begin
      eng_cmd_o.fabric = 1'b1;
      eng_cmd_o.bad    = fab_cmd_i.len == '0;
      eng_cmd_o.fetch  = 1'b0;
    end
  end

  assign fab_done_valid_o = eng_done_valid_i && eng_done_i.fabric && eng_done_ready_o;
  assign fab_done_o       = eng_done_i;
  assign eng_done_ready_o = rec_ready;

  assign ask_quiet_o = ring_quiet;

  ls_records #(.Queue(Queue)) u_records (
    .clk_i, .rst_ni, .cfg_i, .idle_i(eng_idle_i && ring_empty && ring_quiet), .done_o(stat_o.done), .quiet_o(rec_quiet),
    .done_valid_i(eng_done_valid_i && !eng_done_i.fabric), .done_ready_o(rec_ready),
    .done_room_o(eng_done_room_o), .done_i(eng_done_i),
    .rec_valid_o, .rec_sent_i, .rec_gone_i, .rec_data_o, .rec_slot_o, .irq_o
  );

  // ---- state and counters --------------------------------------------------------------------
  cause_e cause_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)      cause_q <= CauseNone;
    else if (clear_i) cause_q <= CauseNone;
    else if (cause_q == CauseNone) begin
      if (fetch_fail_o)                                  cause_q <= CauseFetch;
      else if (eng_done_valid_i && eng_done_ready_o)     cause_q <= eng_done_i.cause;
    end
  end
  assign stat_o.cause = cause_q;
  always_ff @(posedge clk_i) stat_o.busy <= !(eng_idle_i && ring_empty && ring_quiet && rec_quiet);

  use_e use_now;
  assign use_now = (eng_use_i == UseIdle && !ring_empty) ? UseDesc : eng_use_i;

  ls_uses u_uses (
    .clk_i, .rst_ni, .clear_i, .use_i(use_now), .sel_i(use_sel_i),
    .count_o(stat_o.uses), .span_o(stat_o.span)
  );

endmodule
