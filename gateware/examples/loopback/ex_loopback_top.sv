// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Loopback: what the host sends comes back to it. The stream of one direction is wired to the other;
// there is no more to it, and it is the first thing to run on new hardware.
module ex_loopback_top
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,
  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o,
  output logic               rq_valid_o,
  input  logic               rq_ready_i,
  output tlp_hdr_t           rq_hdr_o,
  output logic               cpl_valid_o,
  input  logic               cpl_ready_i,
  output tlp_hdr_t           cpl_hdr_o,
  output logic [63:0]        cpl_data_o,
  input  logic               rx_req_valid_i,
  output logic               rx_req_ready_o,
  input  logic               rx_req_sop_i,
  input  logic               rx_req_eop_i,
  input  tlp_hdr_t           rx_req_hdr_i,
  input  logic [Width-1:0]   rx_req_data_i,
  input  logic               rx_cpl_valid_i,   // always taken
  input  logic               rx_cpl_sop_i,
  input  logic               rx_cpl_eop_i,
  input  tlp_hdr_t           rx_cpl_hdr_i,
  input  logic [Width-1:0]   rx_cpl_data_i
);

  logic             s_valid, s_ready, s_last;
  logic [Width-1:0] s_data;
  logic [Bytes-1:0] s_keep;

  /* verilator lint_off PINCONNECTEMPTY */
  ls_engine #(.Width(Width)) u_engine (
    .clk_i, .rst_ni, .set_i, .pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(), .tx_valid_o, .tx_ready_i, .tx_sop_o,
    .tx_eop_o, .tx_hdr_o, .tx_data_o, .rq_valid_o, .rq_ready_i, .rq_hdr_o, .cpl_valid_o,
    .cpl_ready_i, .cpl_hdr_o, .cpl_data_o, .rx_req_valid_i,
    .rx_req_ready_o, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
    .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
    .user_clk_i(clk_i), .user_rst_ni(rst_ni), .h2c_cmd_valid_i('0), .h2c_cmd_ready_o(),
    .h2c_cmd_addr_i('0), .h2c_cmd_len_i('0), .h2c_cmd_eof_i('0), .h2c_cmd_id_i('0),
    .h2c_done_valid_o(), .h2c_done_len_o(), .h2c_done_eof_o(), .h2c_done_cause_o(),
    .h2c_done_id_o(), .h2c_valid_o(s_valid), .h2c_ready_i(s_ready), .h2c_data_o(s_data),
    .h2c_keep_o(s_keep), .h2c_last_o(s_last), .h2c_error_o(), .c2h_cmd_valid_i('0),
    .c2h_cmd_ready_o(), .c2h_cmd_addr_i('0), .c2h_cmd_len_i('0), .c2h_cmd_eof_i('0),
    .c2h_cmd_id_i('0), .c2h_done_valid_o(), .c2h_done_len_o(), .c2h_done_eof_o(),
    .c2h_done_cause_o(), .c2h_done_id_o(), .c2h_valid_i(s_valid), .c2h_ready_o(s_ready),
    .c2h_data_i(s_data), .c2h_keep_i(s_keep), .c2h_last_i(s_last), .p2p_cmd_valid_i('0),
    .p2p_cmd_ready_o(), .p2p_cmd_addr_i('0), .p2p_cmd_len_i('0), .p2p_cmd_eof_i('0),
    .p2p_cmd_id_i('0), .p2p_done_valid_o(), .p2p_done_len_o(), .p2p_done_eof_o(),
    .p2p_done_cause_o(), .p2p_done_id_o(), .p2p_valid_i('0), .p2p_ready_o(), .p2p_data_i('0),
    .p2p_keep_i('0), .p2p_last_i('0), .win_valid_o(), .win_ready_i(1'b1), .win_data_o(),
    .win_keep_o(), .win_last_o(), .win_error_o(), .user_valid_o(), .user_write_o(),
    .user_addr_o(), .user_wdata_o(), .user_wstrb_o(), .user_ready_i(1'b1), .user_error_i('0),
    .user_rdata_i('0), .user_irq_i('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */


endmodule
