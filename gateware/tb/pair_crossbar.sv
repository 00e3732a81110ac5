// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two cards with the crossbar example, for a bench with a switch between them.
module pair_crossbar
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input logic clk_i,
  input logic rst_ni,
 input logic [2:0] a_mps_i,
 input logic [2:0] a_mrrs_i,
 input logic a_msix_enable_i,
 output logic a_tx_valid_o,
 input logic a_tx_ready_i,
 output logic a_tx_sop_o,
 output logic a_tx_eop_o,
 output tlp_hdr_t a_tx_hdr_o,
 output logic [Width-1:0] a_tx_data_o,
 output logic a_rq_valid_o,
 input logic a_rq_ready_i,
 output tlp_hdr_t a_rq_hdr_o,
 input logic a_rx_req_valid_i,
 output logic a_rx_req_ready_o,
 input logic a_rx_req_sop_i,
 input logic a_rx_req_eop_i,
 input tlp_hdr_t a_rx_req_hdr_i,
 input logic [Width-1:0] a_rx_req_data_i,
 input logic a_rx_cpl_valid_i,
 input logic a_rx_cpl_sop_i,
 input logic a_rx_cpl_eop_i,
 input tlp_hdr_t a_rx_cpl_hdr_i,
 input logic [Width-1:0] a_rx_cpl_data_i,
 input logic [2:0] b_mps_i,
 input logic [2:0] b_mrrs_i,
 input logic b_msix_enable_i,
 output logic b_tx_valid_o,
 input logic b_tx_ready_i,
 output logic b_tx_sop_o,
 output logic b_tx_eop_o,
 output tlp_hdr_t b_tx_hdr_o,
 output logic [Width-1:0] b_tx_data_o,
 output logic b_rq_valid_o,
 input logic b_rq_ready_i,
 output tlp_hdr_t b_rq_hdr_o,
 input logic b_rx_req_valid_i,
 output logic b_rx_req_ready_o,
 input logic b_rx_req_sop_i,
 input logic b_rx_req_eop_i,
 input tlp_hdr_t b_rx_req_hdr_i,
 input logic [Width-1:0] b_rx_req_data_i,
 input logic b_rx_cpl_valid_i,
 input logic b_rx_cpl_sop_i,
 input logic b_rx_cpl_eop_i,
 input tlp_hdr_t b_rx_cpl_hdr_i,
 input logic [Width-1:0] b_rx_cpl_data_i
);

  ex_crossbar_top #(.Width(Width)) u_a (
    .clk_i, .rst_ni, .mps_i(a_mps_i), .mrrs_i(a_mrrs_i), .msix_enable_i(a_msix_enable_i),
    .tx_valid_o(a_tx_valid_o), .tx_ready_i(a_tx_ready_i), .tx_sop_o(a_tx_sop_o),
    .tx_eop_o(a_tx_eop_o), .tx_hdr_o(a_tx_hdr_o), .tx_data_o(a_tx_data_o),
    .rq_valid_o(a_rq_valid_o), .rq_ready_i(a_rq_ready_i), .rq_hdr_o(a_rq_hdr_o),
    .rx_req_valid_i(a_rx_req_valid_i), .rx_req_ready_o(a_rx_req_ready_o),
    .rx_req_sop_i(a_rx_req_sop_i), .rx_req_eop_i(a_rx_req_eop_i), .rx_req_hdr_i(a_rx_req_hdr_i),
    .rx_req_data_i(a_rx_req_data_i), .rx_cpl_valid_i(a_rx_cpl_valid_i),
    .rx_cpl_sop_i(a_rx_cpl_sop_i), .rx_cpl_eop_i(a_rx_cpl_eop_i), .rx_cpl_hdr_i(a_rx_cpl_hdr_i),
    .rx_cpl_data_i(a_rx_cpl_data_i)
  );

  ex_crossbar_top #(.Width(Width)) u_b (
    .clk_i, .rst_ni, .mps_i(b_mps_i), .mrrs_i(b_mrrs_i), .msix_enable_i(b_msix_enable_i),
    .tx_valid_o(b_tx_valid_o), .tx_ready_i(b_tx_ready_i), .tx_sop_o(b_tx_sop_o),
    .tx_eop_o(b_tx_eop_o), .tx_hdr_o(b_tx_hdr_o), .tx_data_o(b_tx_data_o),
    .rq_valid_o(b_rq_valid_o), .rq_ready_i(b_rq_ready_i), .rq_hdr_o(b_rq_hdr_o),
    .rx_req_valid_i(b_rx_req_valid_i), .rx_req_ready_o(b_rx_req_ready_o),
    .rx_req_sop_i(b_rx_req_sop_i), .rx_req_eop_i(b_rx_req_eop_i), .rx_req_hdr_i(b_rx_req_hdr_i),
    .rx_req_data_i(b_rx_req_data_i), .rx_cpl_valid_i(b_rx_cpl_valid_i),
    .rx_cpl_sop_i(b_rx_cpl_sop_i), .rx_cpl_eop_i(b_rx_cpl_eop_i), .rx_cpl_hdr_i(b_rx_cpl_hdr_i),
    .rx_cpl_data_i(b_rx_cpl_data_i)
  );

endmodule
