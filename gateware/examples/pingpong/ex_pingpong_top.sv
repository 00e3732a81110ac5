// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine with ex_pingpong and its registers at the card-to-card ports.
module ex_pingpong_top
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

  logic             reg_valid, reg_write, reg_ready, reg_error;
  logic [14:0]      reg_addr;
  logic [63:0]      reg_wdata, reg_rdata;
  logic             p_valid, p_ready, p_last;
  logic [Width-1:0] p_data;
  logic [Bytes-1:0] p_keep;
  logic             w_valid, w_ready, w_last, c_valid, c_ready;
  logic [63:0]      c_addr;
  logic [23:0]      c_len;

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
    .h2c_done_id_o(), .h2c_valid_o(), .h2c_ready_i(1'b1), .h2c_data_o(), .h2c_keep_o(),
    .h2c_last_o(), .h2c_error_o(), .c2h_cmd_valid_i('0), .c2h_cmd_ready_o(), .c2h_cmd_addr_i('0),
    .c2h_cmd_len_i('0), .c2h_cmd_eof_i('0), .c2h_cmd_id_i('0), .c2h_done_valid_o(),
    .c2h_done_len_o(), .c2h_done_eof_o(), .c2h_done_cause_o(), .c2h_done_id_o(),
    .c2h_valid_i('0), .c2h_ready_o(), .c2h_data_i('0), .c2h_keep_i('0), .c2h_last_i('0),
    .p2p_cmd_valid_i(c_valid), .p2p_cmd_ready_o(c_ready), .p2p_cmd_addr_i(c_addr),
    .p2p_cmd_len_i(c_len), .p2p_cmd_eof_i(1'b1), .p2p_cmd_id_i('0), .p2p_done_valid_o(),
    .p2p_done_len_o(), .p2p_done_eof_o(), .p2p_done_cause_o(), .p2p_done_id_o(),
    .p2p_valid_i(p_valid), .p2p_ready_o(p_ready), .p2p_data_i(p_data), .p2p_keep_i(p_keep),
    .p2p_last_i(p_last), .win_valid_o(w_valid), .win_ready_i(w_ready), .win_data_o(),
    .win_keep_o(), .win_last_o(w_last), .win_error_o(), .user_valid_o(reg_valid),
    .user_write_o(reg_write), .user_addr_o(reg_addr), .user_wdata_o(reg_wdata), .user_wstrb_o(),
    .user_ready_i(reg_ready), .user_error_i(reg_error), .user_rdata_i(reg_rdata),
    .user_irq_i('0)
  );
  ex_pingpong_regs #(.Width(Width)) u_design (
    .clk_i, .rst_ni, .user_valid_i(reg_valid), .user_write_i(reg_write), .user_addr_i(reg_addr),
    .user_wdata_i(reg_wdata), .user_ready_o(reg_ready), .user_error_o(reg_error),
    .user_rdata_o(reg_rdata), .busy_o(), .cmd_valid_o(c_valid), .cmd_ready_i(c_ready),
    .cmd_addr_o(c_addr), .cmd_len_o(c_len), .m_valid_o(p_valid), .m_ready_i(p_ready),
    .m_data_o(p_data), .m_keep_o(p_keep), .m_last_o(p_last), .s_valid_i(w_valid),
    .s_ready_o(w_ready), .s_last_i(w_last)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
