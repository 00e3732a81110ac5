// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The MAC: from PIPE (x1, 16 bit, 2.5 GT/s) to packets. Wires and registers between the modules beside it; nothing
// is decided here but which packet may go: one only in L0.
//
// `rx_clk_i` is the clock of what is received. A PHY that has an elastic buffer of its own gives all on one clock:
// Elastic = 0, and rx_clk_i is not used.
module ls_mac
  import ls_phy_pkg::*;
#(
  parameter bit          Down     = 1'b0,
  parameter logic [7:0]  Link     = 8'd0,
  parameter bit          Elastic  = 1'b1,
  parameter int unsigned MsCycles = 125_000,
  parameter int unsigned Ts1Count = 1024,
  parameter int unsigned SkpSymbols = 1180
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        rx_clk_i,
  input  logic        rx_rst_ni,
  // PIPE
  output logic [15:0] tx_data_o,
  output logic [1:0]  tx_data_k_o,
  output logic        tx_elec_idle_o,
  output logic        tx_compliance_o,
  output logic        tx_detect_rx_o,
  output logic        rx_polarity_o,
  output logic [1:0]  power_down_o,
  output logic        rate_o,
  input  logic [15:0] rx_data_i,
  input  logic [1:0]  rx_data_k_i,
  input  logic        rx_valid_i,
  input  logic        rx_elec_idle_i,
  input  logic [2:0]  rx_status_i,
  input  logic        phy_status_i,
  // packets, out
  input  logic        tx_valid_i,
  output logic        tx_ready_o,
  input  logic [15:0] tx_word_i,
  input  logic        tx_last_i,
  input  logic        tx_dllp_i,
  input  logic        tx_null_i,
  // packets, in
  output logic        rx_start_o,
  output logic        rx_dllp_o,
  output logic        rx_valid_o,
  output logic [15:0] rx_word_o,
  output logic        rx_end_o,
  output logic        rx_bad_o,
  output logic        rx_edb_o,
  // the link
  input  logic        retrain_i,
  output logic        link_up_o,
  output logic        l0_o,
  output logic [4:0]  state_o,
  output logic        error_o                     // a symbol was lost, doubled, hit or out of place
);

  // ---- in -------------------------------------------------------------------------------------------
  pair_t line, buffered, plain;
  logic  live, hit, buffered_valid, buffered_bad, added, empty, plain_valid, plain_bad_q;
  assign line = {rx_data_k_i[1], rx_data_i[15:8], rx_data_k_i[0], rx_data_i[7:0]};
  assign live = rx_valid_i && !rx_elec_idle_i;
  assign hit  = rx_status_i >= 3'd4;

  if (Elastic) begin : gen_elastic
    ls_elastic u_elastic (
      .wr_clk_i(rx_clk_i), .wr_rst_ni(rx_rst_ni), .wr_valid_i(live), .wr_bad_i(hit), .wr_pair_i(line),
      .rd_clk_i(clk_i), .rd_rst_ni(rst_ni), .valid_o(buffered_valid), .bad_o(buffered_bad), .pair_o(buffered), .added_o(added), .empty_o(empty)
    );
  end else begin : gen_none
    logic unused;
    assign unused         = &{rx_clk_i, rx_rst_ni};
    assign buffered_valid = live;
    assign buffered_bad   = hit;
    assign buffered       = line;
    assign added          = 1'b0;
    assign empty          = 1'b0;
  end

  // PIPE times electrical idle by no clock.
  logic idle_seen;
  ls_level_sync u_idle (.clk_i, .level_i(rx_elec_idle_i), .level_o(idle_seen));

  ls_scramble u_descramble (
    .clk_i, .rst_ni, .off_i(1'b0), .valid_i(buffered_valid), .pair_i(buffered), .valid_o(plain_valid), .pair_o(plain)
  );
  always_ff @(posedge clk_i) plain_bad_q <= buffered_bad;

  logic ts_valid, inverted, skp, eios, idle, framing;
  ts_t  ts_in, ts_out;
  ls_os_rx u_sets (
    .clk_i, .rst_ni, .valid_i(plain_valid && !plain_bad_q), .pair_i(plain), .ts_valid_o(ts_valid), .inverted_o(inverted), .ts_o(ts_in),
    .skp_o(skp), .eios_o(eios)
  );

  ltssm_e   state;
  tx_mode_e mode;
  logic     ts_sent, data_sent;
  ls_unframe u_unframe (
    .clk_i, .rst_ni, .on_i(state inside {CfgIdle, RcvrIdle, L0}), .valid_i(plain_valid), .bad_i(plain_bad_q), .pair_i(plain), .start_o(rx_start_o), .dllp_o(rx_dllp_o),
    .valid_o(rx_valid_o), .data_o(rx_word_o), .end_o(rx_end_o), .bad_o(rx_bad_o), .edb_o(rx_edb_o), .idle_o(idle), .error_o(framing)
  );
  assign error_o = framing || empty || (plain_valid && plain_bad_q && l0_o);

  // ---- the link ----------------------------------------------------------------------------------------
  ls_ltssm #(.Down(Down), .Link(Link), .MsCycles(MsCycles), .Ts1Count(Ts1Count)) u_ltssm (
    .clk_i, .rst_ni, .detect_o(tx_detect_rx_o), .power_down_o, .phy_status_i, .rx_status_i, .rx_idle_i(idle_seen), .polarity_o(rx_polarity_o),
    .mode_o(mode), .ts_o(ts_out), .ts_sent_i(ts_sent), .data_sent_i(data_sent), .ts_valid_i(ts_valid), .inverted_i(inverted), .ts_i(ts_in), .idle_i(idle),
    .retrain_i, .link_up_o, .l0_o, .state_o(state)
  );
  assign state_o         = state;
  assign tx_compliance_o = 1'b0;
  assign rate_o          = 1'b0;

  // ---- out ------------------------------------------------------------------------------------------
  pair_t out, scrambled;
  logic  quiet, sending;
  ls_phy_tx #(.SkpSymbols(SkpSymbols)) u_tx (
    .clk_i, .rst_ni, .mode_i(mode), .ts_i(ts_out), .ts_sent_o(ts_sent), .data_o(data_sent), .packet_valid_i(tx_valid_i && l0_o), .packet_ready_o(tx_ready_o),
    .packet_data_i(tx_word_i), .packet_last_i(tx_last_i), .packet_dllp_i(tx_dllp_i), .packet_null_i(tx_null_i), .quiet_o(quiet), .pair_o(out)
  );
  ls_scramble u_scramble (.clk_i, .rst_ni, .off_i(1'b0), .valid_i(!quiet), .pair_i(out), .valid_o(sending), .pair_o(scrambled));
  always_ff @(posedge clk_i) begin
    tx_elec_idle_o <= !sending || !rst_ni;
    tx_data_o      <= {scrambled[1].data, scrambled[0].data};
    tx_data_k_o    <= {scrambled[1].k, scrambled[0].k};
  end

  logic unused_rx;
  assign unused_rx = &{skp, eios, added};

endmodule
