// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two cards of one kind, for a bench with a switch between them: bare engines, or one of the
// examples that need a partner. Every port stands for two, card 0 and card 1; those of the user's
// side belong to bare engines alone.
module pair
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Kind  = 0,     // 0 ls_core, 1 ex_crossbar_top, 2 ex_pingpong_top
  localparam int unsigned Bytes = Width / 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  settings_t set_i [2],
  output logic tx_valid_o [2],
  input  logic tx_ready_i [2],
  output logic tx_sop_o [2],
  output logic tx_eop_o [2],
  output tlp_hdr_t tx_hdr_o [2],
  output logic [Width-1:0] tx_data_o [2],
  output logic rq_valid_o [2],
  input  logic rq_ready_i [2],
  output tlp_hdr_t rq_hdr_o [2],
  output logic cpl_valid_o [2],
  input  logic cpl_ready_i [2],
  output tlp_hdr_t cpl_hdr_o [2],
  output logic [63:0] cpl_data_o [2],
  input  logic rx_req_valid_i [2],
  output logic rx_req_ready_o [2],
  input  logic rx_req_sop_i [2],
  input  logic rx_req_eop_i [2],
  input  tlp_hdr_t rx_req_hdr_i [2],
  input  logic [Width-1:0] rx_req_data_i [2],
  input  logic rx_cpl_valid_i [2],
  input  logic rx_cpl_sop_i [2],
  input  logic rx_cpl_eop_i [2],
  input  tlp_hdr_t rx_cpl_hdr_i [2],
  input  logic [Width-1:0] rx_cpl_data_i [2],
  input  logic h2c_cmd_valid_i [2],
  output logic h2c_cmd_ready_o [2],
  input  dma_cmd_t h2c_cmd_i [2],
  output logic h2c_done_valid_o [2],
  output dma_done_t h2c_done_o [2],
  output logic h2c_valid_o [2],
  input  logic h2c_ready_i [2],
  output logic [Width-1:0] h2c_data_o [2],
  output logic [Bytes-1:0] h2c_keep_o [2],
  output logic h2c_last_o [2],
  output logic h2c_error_o [2],
  input  logic c2h_cmd_valid_i [2],
  output logic c2h_cmd_ready_o [2],
  input  dma_cmd_t c2h_cmd_i [2],
  output logic c2h_done_valid_o [2],
  output dma_done_t c2h_done_o [2],
  input  logic c2h_valid_i [2],
  output logic c2h_ready_o [2],
  input  logic [Width-1:0] c2h_data_i [2],
  input  logic [Bytes-1:0] c2h_keep_i [2],
  input  logic c2h_last_i [2],
  input  logic p2p_cmd_valid_i [2],
  output logic p2p_cmd_ready_o [2],
  input  dma_cmd_t p2p_cmd_i [2],
  output logic p2p_done_valid_o [2],
  output dma_done_t p2p_done_o [2],
  input  logic p2p_valid_i [2],
  output logic p2p_ready_o [2],
  input  logic [Width-1:0] p2p_data_i [2],
  input  logic [Bytes-1:0] p2p_keep_i [2],
  input  logic p2p_last_i [2],
  output logic win_valid_o [2],
  input  logic win_ready_i [2],
  output logic [Width-1:0] win_data_o [2],
  output logic [Bytes-1:0] win_keep_o [2],
  output logic win_last_o [2],
  output logic win_error_o [2],
  output logic user_valid_o [2],
  output logic user_write_o [2],
  output logic [14:0] user_addr_o [2],
  output logic [63:0] user_wdata_o [2],
  output logic [7:0] user_wstrb_o [2],
  input  logic user_ready_i [2],
  input  logic user_error_i [2],
  input  logic [63:0] user_rdata_i [2],
  input  logic [3:0] user_irq_i [2]
);

  // An array of instances takes an element of each port.
  if (Kind == 0) begin : gen_core
    ls_core #(.Width(Width)) u_card [2] (.pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(), .msi_i(41'd0), .mm_i(10'd0), .mm_rdata_i({Width{1'b0}}), .*);
  end else if (Kind == 1) begin : gen_crossbar
    ex_crossbar_top #(.Width(Width)) u_card [2] (.*);
  end else begin : gen_pingpong
    ex_pingpong_top #(.Width(Width)) u_card [2] (.*);
  end

endmodule
