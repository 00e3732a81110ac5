// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The stream rules on every boundary of the engine and between its parts, in every test.
module ls_core_binds
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned H2c   = 1,
  parameter int unsigned C2h   = 1,
  localparam int unsigned Bytes = Width / 8
) (
  input logic             clk_i, rst_ni,
  input logic             tx_valid_o, tx_ready_i, tx_sop_o, tx_eop_o,
  input tlp_hdr_t         tx_hdr_o,
  input logic [Width-1:0] tx_data_o,
  input logic             rq_valid_o, rq_ready_i,
  input tlp_hdr_t         rq_hdr_o,
  input logic             cpl_valid_o, cpl_ready_i,
  input tlp_hdr_t         cpl_hdr_o,
  input logic [63:0]      cpl_data_o,
  input logic             rx_req_valid_i, rx_req_ready_o, rx_req_sop_i, rx_req_eop_i,
  input tlp_hdr_t         rx_req_hdr_i,
  input logic [Width-1:0] rx_req_data_i,
  input logic             rx_cpl_valid_i, rx_cpl_sop_i, rx_cpl_eop_i,
  input tlp_hdr_t         rx_cpl_hdr_i,
  input logic [Width-1:0] rx_cpl_data_i,
  input logic [H2c-1:0]   h2c_valid_o, h2c_ready_i, h2c_last_o,
  input logic [H2c-1:0][Width-1:0] h2c_data_o,
  input logic [H2c-1:0][Bytes-1:0] h2c_keep_o,
  input logic [C2h-1:0]   c2h_valid_i, c2h_ready_o, c2h_last_i,
  input logic [C2h-1:0][Width-1:0] c2h_data_i,
  input logic [C2h-1:0][Bytes-1:0] c2h_keep_i,
  input logic             p2p_valid_i, p2p_ready_o, p2p_last_i,
  input logic [Width-1:0] p2p_data_i,
  input logic [Bytes-1:0] p2p_keep_i,
  input logic             win_valid_o, win_ready_i, win_last_o,
  input logic [Width-1:0] win_data_o,
  input logic [Bytes-1:0] win_keep_o
);
  ls_stream_check #(.Width(Width), .Posted(1'b1)) u_tx (
    .clk_i, .rst_ni, .valid_i(tx_valid_o), .ready_i(tx_ready_i), .sop_i(tx_sop_o),
    .last_i(tx_eop_o), .hdr_i(tx_hdr_o), .data_i(tx_data_o), .keep_i('1));
  ls_stream_check #(.Width(Width)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_valid_o), .ready_i(rq_ready_i), .sop_i(1'b1),
    .last_i(1'b1), .hdr_i(rq_hdr_o), .data_i('0), .keep_i('1));
  ls_stream_check #(.Width(64), .Posted(1'b1)) u_cpl (
    .clk_i, .rst_ni, .valid_i(cpl_valid_o), .ready_i(cpl_ready_i), .sop_i(1'b1),
    .last_i(1'b1), .hdr_i(cpl_hdr_o), .data_i(cpl_data_o), .keep_i('1));
  ls_stream_check #(.Width(Width)) u_rx_req (
    .clk_i, .rst_ni, .valid_i(rx_req_valid_i), .ready_i(rx_req_ready_o), .sop_i(rx_req_sop_i),
    .last_i(rx_req_eop_i), .hdr_i(rx_req_hdr_i), .data_i(rx_req_data_i), .keep_i('1));
  ls_stream_check #(.Width(Width)) u_rx_cpl (
    .clk_i, .rst_ni, .valid_i(rx_cpl_valid_i), .ready_i(1'b1), .sop_i(rx_cpl_sop_i),
    .last_i(rx_cpl_eop_i), .hdr_i(rx_cpl_hdr_i), .data_i(rx_cpl_data_i), .keep_i('1));
  for (genvar i = 0; i < H2c; i++) begin : gen_h2c
    ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_h2c (
      .clk_i, .rst_ni, .valid_i(h2c_valid_o[i]), .ready_i(h2c_ready_i[i]), .sop_i(1'b0),
      .last_i(h2c_last_o[i]), .hdr_i('0), .data_i(h2c_data_o[i]), .keep_i(h2c_keep_o[i]));
  end
  for (genvar i = 0; i < C2h; i++) begin : gen_c2h
    ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_c2h (
      .clk_i, .rst_ni, .valid_i(c2h_valid_i[i]), .ready_i(c2h_ready_o[i]), .sop_i(1'b0),
      .last_i(c2h_last_i[i]), .hdr_i('0), .data_i(c2h_data_i[i]), .keep_i(c2h_keep_i[i]));
  end
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_p2p (
    .clk_i, .rst_ni, .valid_i(p2p_valid_i), .ready_i(p2p_ready_o), .sop_i(1'b0),
    .last_i(p2p_last_i), .hdr_i('0), .data_i(p2p_data_i), .keep_i(p2p_keep_i));
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_win (
    .clk_i, .rst_ni, .valid_i(win_valid_o), .ready_i(win_ready_i), .sop_i(1'b0),
    .last_i(win_last_o), .hdr_i('0), .data_i(win_data_o), .keep_i(win_keep_o));
endmodule

bind ls_core ls_core_binds #(.Width(Width), .H2c(H2c), .C2h(C2h)) u_binds (.*);

bind ls_core ls_traffic_check #(.Tags(Tags), .H2c(H2c), .Rings(Rings), .Fetches(Fetches), .Vectors(Vectors)) u_rules (
  .clk_i, .rst_ni, .set_i, .msi_i(msi), .tick_i(tick), .tx_valid_i(tx_valid_o), .tx_ready_i, .tx_sop_i(tx_sop_o),
  .tx_hdr_i(tx_hdr_o), .rq_valid_i(rq_valid_o), .rq_ready_i, .rq_hdr_i(rq_hdr_o),
  .cpl_valid_i(cpl_valid_o), .cpl_hdr_i(cpl_hdr_o), .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_hdr_i,
  .irq_i(irq_vec), .mask_i(mask), .irq_valid_i(irq_valid), .irq_vector_i(irq_vector), .ch_irq_i(irq),
  .rec_sent_i(rec_sent & {Rings{may_valid[0]}}), .bad_o());
