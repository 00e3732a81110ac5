// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The stream rules on every boundary of the NVMe host, in every test.
module ls_nvme_binds
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input logic             clk_i, rst_ni,
  input logic             rq_valid_o, rq_ready_i,
  input tlp_hdr_t         rq_hdr_o,
  input logic [31:0]      rq_data_o,
  input logic             cpl_valid_o, cpl_ready_i, cpl_sop_o, cpl_eop_o,
  input tlp_hdr_t         cpl_hdr_o,
  input logic [Width-1:0] cpl_data_o,
  input logic             rx_req_valid_i, rx_req_ready_o, rx_req_sop_i, rx_req_eop_i,
  input tlp_hdr_t         rx_req_hdr_i,
  input logic [Width-1:0] rx_req_data_i,
  input logic             rx_cpl_valid_i, rx_cpl_sop_i, rx_cpl_eop_i,
  input tlp_hdr_t         rx_cpl_hdr_i,
  input logic [Width-1:0] rx_cpl_data_i,
  input logic             m_valid_o, m_ready_i, m_last_o,
  input logic [Width-1:0] m_data_o,
  input logic [Bytes-1:0] m_keep_o
);
  ls_stream_check #(.Width(Width)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_valid_o), .ready_i(rq_ready_i), .sop_i(1'b1), .last_i(1'b1), .hdr_i(rq_hdr_o),
    .data_i(Width'(rq_data_o)), .keep_i('0));
  ls_stream_check #(.Width(Width)) u_cpl (
    .clk_i, .rst_ni, .valid_i(cpl_valid_o), .ready_i(cpl_ready_i), .sop_i(cpl_sop_o), .last_i(cpl_eop_o),
    .hdr_i(cpl_hdr_o), .data_i(cpl_data_o), .keep_i('0));
  ls_stream_check #(.Width(Width)) u_rx_req (
    .clk_i, .rst_ni, .valid_i(rx_req_valid_i), .ready_i(rx_req_ready_o), .sop_i(rx_req_sop_i), .last_i(rx_req_eop_i),
    .hdr_i(rx_req_hdr_i), .data_i(rx_req_data_i), .keep_i('0));
  ls_stream_check #(.Width(Width)) u_rx_cpl (
    .clk_i, .rst_ni, .valid_i(rx_cpl_valid_i), .ready_i(1'b1), .sop_i(rx_cpl_sop_i), .last_i(rx_cpl_eop_i),
    .hdr_i(rx_cpl_hdr_i), .data_i(rx_cpl_data_i), .keep_i('0));
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_m (
    .clk_i, .rst_ni, .valid_i(m_valid_o), .ready_i(m_ready_i), .sop_i(1'b0), .last_i(m_last_o), .hdr_i('0),
    .data_i(m_data_o), .keep_i(m_keep_o));
endmodule

bind ls_nvme_host ls_nvme_binds #(.Width(Width)) u_binds (.*);
