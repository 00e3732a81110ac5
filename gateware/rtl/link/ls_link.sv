// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The data link layer of x1 at 2.5 GT/s: between the packets of the MAC and TLPs that come whole, once and in order.
// Wires between the modules beside it, and the times by the Max_Payload_Size.
module ls_link
  import ls_link_pkg::*;
#(
  parameter int unsigned ReplayBytes = 4096,
  parameter int unsigned Tlps = 32,               // not acknowledged at a time
  parameter int unsigned Latency = 24,            // clocks that a packet is old when it is here, and that it waits behind here
  parameter int unsigned RefreshCycles = 3750     // 30 us
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  mps_i,              // Max_Payload_Size: 0: 128, 1: 256, 2: 512 bytes
  // the MAC
  input  logic        link_up_i,
  input  logic        l0_i,
  output logic        retrain_o,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output logic [15:0] tx_word_o,
  output logic        tx_last_o,
  output logic        tx_dllp_o,
  output logic        tx_null_o,
  input  logic        rx_start_i,
  input  logic        rx_dllp_i,
  input  logic        rx_valid_i,
  input  logic [15:0] rx_word_i,
  input  logic        rx_end_i,
  input  logic        rx_bad_i,
  input  logic        rx_edb_i,
  // TLPs, out
  input  logic        tlp_valid_i,
  output logic        tlp_ready_o,
  input  logic [15:0] tlp_word_i,
  input  logic        tlp_last_i,
  input  logic        tlp_null_i,
  // TLPs, in
  output logic        tlp_valid_o,
  output logic [15:0] tlp_word_o,
  output logic        tlp_end_o,
  output logic        tlp_good_o,
  // flow control
  input  credits_t    grant_i,
  output credits_t    limit_o,
  output logic [2:0]  free_hdr_o,
  output logic [2:0]  free_data_o,
  // the link
  output logic        up_o,               // TLPs may be sent
  output logic [1:0]  state_o,
  output logic        bad_tlp_o,
  output logic        bad_dllp_o,
  output logic        timeout_o,
  output logic        rollover_o,
  output logic        protocol_o
);

  if (Latency >= Ack128) begin : gen_check
    $error("%m: Latency must be less than the time of an Ack");
  end

  logic [8:0] ack_limit;
  logic [9:0] replay_limit;
  always_comb begin
    unique case (mps_i)
      2'd0:    {ack_limit, replay_limit} = {9'(Ack128 - Latency), 10'(Replay128)};
      2'd1:    {ack_limit, replay_limit} = {9'(Ack256 - Latency), 10'(Replay256)};
      default: {ack_limit, replay_limit} = {9'(Ack512 - Latency), 10'(Replay512)};
    endcase
  end

  // ---- in ---------------------------------------------------------------------------------------------
  dl_e        state;
  logic       nak, ack, ack_now, ack_sent, dllp_valid, tlps_on, rx_rst_n;
  logic [8:0] ack_age;
  seq_t       last_seq;
  dllp_t      dllp;
  assign tlps_on  = state inside {DlInit2, DlActive};
  assign rx_rst_n = rst_ni && link_up_i;

  ls_tlp_rx u_tlp_rx (
    .clk_i, .rst_ni(rx_rst_n), .on_i(tlps_on), .start_i(rx_start_i), .dllp_i(rx_dllp_i), .valid_i(rx_valid_i), .word_i(rx_word_i),
    .end_i(rx_end_i), .bad_i(rx_bad_i), .edb_i(rx_edb_i), .valid_o(tlp_valid_o), .word_o(tlp_word_o), .end_o(tlp_end_o), .good_o(tlp_good_o),
    .bad_o(bad_tlp_o), .last_o(last_seq), .nak_o(nak), .ack_o(ack), .ack_now_o(ack_now), .ack_age_o(ack_age), .sent_i(ack_sent)
  );
  ls_dllp_rx u_dllp_rx (
    .clk_i, .rst_ni(rx_rst_n), .start_i(rx_start_i), .dllp_i(rx_dllp_i), .valid_i(rx_valid_i), .word_i(rx_word_i), .end_i(rx_end_i),
    .bad_i(rx_bad_i), .edb_i(rx_edb_i), .valid_o(dllp_valid), .dllp_o(dllp), .bad_o(bad_dllp_o)
  );

  // ---- the link, and credits --------------------------------------------------------------------------
  logic       init, update, fc_sent;
  logic [8:0] update_age;
  dllp_t      fc;
  ls_link_fc #(.RefreshCycles(RefreshCycles)) u_fc (
    .clk_i, .rst_ni, .link_up_i, .state_o(state), .dllp_valid_i(dllp_valid), .dllp_i(dllp), .tlp_i(tlp_good_o), .grant_i, .limit_o,
    .free_hdr_o, .free_data_o, .init_o(init), .update_o(update), .update_age_o(update_age), .dllp_o(fc), .sent_i(fc_sent)
  );
  assign up_o    = state == DlActive;
  assign state_o = state;

  // ---- out --------------------------------------------------------------------------------------------
  logic        acked, idle, tlp, begins, next, last, ends;
  logic [9:0]  len;
  logic [15:0] word;
  seq_t        seq;
  assign acked = dllp_valid && dllp[7:5] == '0 && dllp[3:0] == '0;
  ls_replay #(.Bytes(ReplayBytes), .Tlps(Tlps)) u_replay (
    .clk_i, .rst_ni, .run_i(up_o), .l0_i, .limit_i(replay_limit), .valid_i(tlp_valid_i), .ready_o(tlp_ready_o), .word_i(tlp_word_i),
    .last_i(tlp_last_i), .null_i(tlp_null_i), .ack_i(acked), .nak_i(dllp[4]), .ack_seq_i({dllp[19:16], dllp[31:24]}), .idle_i(idle), .tlp_o(tlp),
    .seq_o(seq), .len_o(len), .begin_i(begins), .next_i(next), .word_o(word), .last_o(last), .end_i(ends), .retrain_o, .timeout_o, .rollover_o,
    .protocol_o
  );
  ls_link_tx u_tx (
    .clk_i, .rst_ni, .run_i(link_up_i), .limit_i(ack_limit), .nak_i(nak), .ack_i(ack), .ack_now_i(ack_now), .ack_age_i(ack_age), .ack_seq_i(last_seq),
    .ack_sent_o(ack_sent), .init_i(init), .update_i(update), .update_age_i(update_age), .fc_i(fc), .fc_sent_o(fc_sent), .tlp_i(tlp), .seq_i(seq),
    .len_i(len), .idle_o(idle), .begin_o(begins), .next_o(next), .word_i(word), .last_i(last), .end_o(ends), .valid_o(tx_valid_o),
    .ready_i(tx_ready_i), .word_o(tx_word_o), .last_o(tx_last_o), .dllp_o(tx_dllp_o), .null_o(tx_null_o)
  );

endmodule
