// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine on the transaction layer of the core: the user's side as ls_core has it, and below it the TLPs of a link.
module core_card
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned H2c = 1,
  parameter int unsigned C2h = 1,
  parameter int unsigned Vectors = 4,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  state_i,
  output logic        tlp_valid_o,
  input  logic        tlp_ready_i,
  output logic [15:0] tlp_word_o,
  output logic        tlp_last_o,
  input  logic        tlp_valid_i,
  input  logic [15:0] tlp_word_i,
  input  logic        tlp_end_i,
  output credits_t    grant_o,
  input  credits_t    limit_i,
  output tl_err_t     error_o,
  input  logic [H2c-1:0] h2c_cmd_valid_i,
  output logic [H2c-1:0] h2c_cmd_ready_o,
  input  dma_cmd_t [H2c-1:0] h2c_cmd_i,
  output logic [H2c-1:0] h2c_done_valid_o,
  output dma_done_t [H2c-1:0] h2c_done_o,
  output logic [H2c-1:0] h2c_valid_o,
  input  logic [H2c-1:0] h2c_ready_i,
  output logic [H2c-1:0][Width-1:0] h2c_data_o,
  output logic [H2c-1:0][Bytes-1:0] h2c_keep_o,
  output logic [H2c-1:0] h2c_last_o,
  output logic [H2c-1:0] h2c_error_o,
  input  logic [C2h-1:0] c2h_cmd_valid_i,
  output logic [C2h-1:0] c2h_cmd_ready_o,
  input  dma_cmd_t [C2h-1:0] c2h_cmd_i,
  output logic [C2h-1:0] c2h_done_valid_o,
  output dma_done_t [C2h-1:0] c2h_done_o,
  input  logic [C2h-1:0] c2h_valid_i,
  output logic [C2h-1:0] c2h_ready_o,
  input  logic [C2h-1:0][Width-1:0] c2h_data_i,
  input  logic [C2h-1:0][Bytes-1:0] c2h_keep_i,
  input  logic [C2h-1:0] c2h_last_i,
  input  logic p2p_cmd_valid_i,
  output logic p2p_cmd_ready_o,
  input  dma_cmd_t p2p_cmd_i,
  output logic p2p_done_valid_o,
  output dma_done_t p2p_done_o,
  input  logic p2p_valid_i,
  output logic p2p_ready_o,
  input  logic [Width-1:0] p2p_data_i,
  input  logic [Bytes-1:0] p2p_keep_i,
  input  logic p2p_last_i,
  output logic win_valid_o,
  input  logic win_ready_i,
  output logic [Width-1:0] win_data_o,
  output logic [Bytes-1:0] win_keep_o,
  output logic win_last_o,
  output logic win_error_o,
  output logic user_valid_o,
  output logic user_write_o,
  output logic [14:0] user_addr_o,
  output logic [63:0] user_wdata_o,
  output logic [7:0] user_wstrb_o,
  input  logic user_ready_i,
  input  logic user_error_i,
  input  logic [63:0] user_rdata_i,
  input  logic [Vectors-1:0] user_irq_i
);

  logic tx_valid;
  logic tx_ready;
  logic tx_sop;
  logic tx_eop;
  tlp_hdr_t tx_hdr;
  logic [Width-1:0] tx_data;
  logic rq_valid;
  logic rq_ready;
  tlp_hdr_t rq_hdr;
  logic cpl_valid;
  logic cpl_ready;
  tlp_hdr_t cpl_hdr;
  logic [63:0] cpl_data;
  logic rx_req_valid;
  logic rx_req_ready;
  logic rx_req_sop;
  logic rx_req_eop;
  tlp_hdr_t rx_req_hdr;
  logic [Width-1:0] rx_req_data;
  logic rx_cpl_valid;
  logic rx_cpl_sop;
  logic rx_cpl_eop;
  tlp_hdr_t rx_cpl_hdr;
  logic [Width-1:0] rx_cpl_data;
  settings_t   set;
  logic [15:0] id;
  logic [1:0]  mps;
  logic        core_rst_n, flr;
  logic [Vectors-1:0] pending;

  ls_tl #(.Vectors(Vectors)) u_tl (
    .clk_i, .rst_ni, .ready_i(1'b1), .state_i, .mps_o(mps), .tlp_valid_o, .tlp_ready_i, .tlp_word_o, .tlp_last_o, .tlp_valid_i, .tlp_word_i, .tlp_end_i,
    .tlp_good_i(tlp_end_i), .grant_o, .limit_i, .free_hdr_i(3'b100), .free_data_i(3'b110), .link_error_i('0), .rst_no(core_rst_n), .set_o(set),
    .id_o(id), .flr_o(flr), .error_o,
    .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop), .tx_hdr_i(tx_hdr),
    .tx_data_i(tx_data), .rq_valid_i(rq_valid), .rq_ready_o(rq_ready), .rq_hdr_i(rq_hdr), .cpl_valid_i(cpl_valid),
    .cpl_ready_o(cpl_ready), .cpl_hdr_i(cpl_hdr), .cpl_data_i(cpl_data), .rx_req_valid_o(rx_req_valid), .rx_req_ready_i(rx_req_ready),
    .rx_req_sop_o(rx_req_sop), .rx_req_eop_o(rx_req_eop), .rx_req_hdr_o(rx_req_hdr), .rx_req_data_o(rx_req_data), .rx_cpl_valid_o(rx_cpl_valid),
    .rx_cpl_sop_o(rx_cpl_sop), .rx_cpl_eop_o(rx_cpl_eop), .rx_cpl_hdr_o(rx_cpl_hdr), .rx_cpl_data_o(rx_cpl_data)
  );

  // The bench resets its own side at once.
  ls_core #(.Width(Width), .H2c(H2c), .C2h(C2h), .Vectors(Vectors)) u_core (
    .clk_i, .rst_ni(rst_ni && core_rst_n), .set_i(set), .pending_o(pending),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_sop_o(tx_sop), .tx_eop_o(tx_eop), .tx_hdr_o(tx_hdr),
    .tx_data_o(tx_data), .rq_valid_o(rq_valid), .rq_ready_i(rq_ready), .rq_hdr_o(rq_hdr), .cpl_valid_o(cpl_valid),
    .cpl_ready_i(cpl_ready), .cpl_hdr_o(cpl_hdr), .cpl_data_o(cpl_data), .rx_req_valid_i(rx_req_valid), .rx_req_ready_o(rx_req_ready),
    .rx_req_sop_i(rx_req_sop), .rx_req_eop_i(rx_req_eop), .rx_req_hdr_i(rx_req_hdr), .rx_req_data_i(rx_req_data), .rx_cpl_valid_i(rx_cpl_valid),
    .rx_cpl_sop_i(rx_cpl_sop), .rx_cpl_eop_i(rx_cpl_eop), .rx_cpl_hdr_i(rx_cpl_hdr), .rx_cpl_data_i(rx_cpl_data), .h2c_cmd_valid_i,
    .h2c_cmd_ready_o, .h2c_cmd_i, .h2c_done_valid_o, .h2c_done_o, .h2c_valid_o,
    .h2c_ready_i, .h2c_data_o, .h2c_keep_o, .h2c_last_o, .h2c_error_o,
    .c2h_cmd_valid_i, .c2h_cmd_ready_o, .c2h_cmd_i, .c2h_done_valid_o, .c2h_done_o,
    .c2h_valid_i, .c2h_ready_o, .c2h_data_i, .c2h_keep_i, .c2h_last_i,
    .p2p_cmd_valid_i, .p2p_cmd_ready_o, .p2p_cmd_i, .p2p_done_valid_o, .p2p_done_o,
    .p2p_valid_i, .p2p_ready_o, .p2p_data_i, .p2p_keep_i, .p2p_last_i,
    .win_valid_o, .win_ready_i, .win_data_o, .win_keep_o, .win_last_o,
    .win_error_o, .user_valid_o, .user_write_o, .user_addr_o, .user_wdata_o,
    .user_wstrb_o, .user_ready_i, .user_error_i, .user_rdata_i, .user_irq_i
  );

endmodule
