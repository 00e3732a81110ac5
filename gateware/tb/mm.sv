// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine with card memory in the place of streams, its AXI4 ports by the names that models know.
module mm
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned BurstBytes = 1024,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       order_i,
  input  settings_t        set_i,
  output logic             tx_valid_o,
  input  logic             tx_ready_i,
  output logic             tx_sop_o,
  output logic             tx_eop_o,
  output tlp_hdr_t         tx_hdr_o,
  output logic [Width-1:0] tx_data_o,
  output logic             rq_valid_o,
  input  logic             rq_ready_i,
  output tlp_hdr_t         rq_hdr_o,
  output logic             cpl_valid_o,
  input  logic             cpl_ready_i,
  output tlp_hdr_t         cpl_hdr_o,
  output logic [63:0]      cpl_data_o,
  input  logic             rx_req_valid_i,
  output logic             rx_req_ready_o,
  input  logic             rx_req_sop_i,
  input  logic             rx_req_eop_i,
  input  tlp_hdr_t         rx_req_hdr_i,
  input  logic [Width-1:0] rx_req_data_i,
  input  logic             rx_cpl_valid_i,
  input  logic             rx_cpl_sop_i,
  input  logic             rx_cpl_eop_i,
  input  tlp_hdr_t         rx_cpl_hdr_i,
  input  logic [Width-1:0] rx_cpl_data_i,

  output logic [0:0]       m_axi_awid,
  output logic [31:0]      m_axi_awaddr,
  output logic [7:0]       m_axi_awlen,
  output logic [2:0]       m_axi_awsize,
  output logic [1:0]       m_axi_awburst,
  output logic             m_axi_awlock,
  output logic [3:0]       m_axi_awcache,
  output logic [2:0]       m_axi_awprot,
  output logic [3:0]       m_axi_awqos,
  output logic             m_axi_awvalid,
  input  logic             m_axi_awready,
  output logic [Width-1:0] m_axi_wdata,
  output logic [Bytes-1:0] m_axi_wstrb,
  output logic             m_axi_wlast,
  output logic             m_axi_wvalid,
  input  logic             m_axi_wready,
  input  logic [0:0]       m_axi_bid,
  input  logic [1:0]       m_axi_bresp,
  input  logic             m_axi_bvalid,
  output logic             m_axi_bready,
  output logic [0:0]       m_axi_arid,
  output logic [31:0]      m_axi_araddr,
  output logic [7:0]       m_axi_arlen,
  output logic [2:0]       m_axi_arsize,
  output logic [1:0]       m_axi_arburst,
  output logic             m_axi_arlock,
  output logic [3:0]       m_axi_arcache,
  output logic [2:0]       m_axi_arprot,
  output logic [3:0]       m_axi_arqos,
  output logic             m_axi_arvalid,
  input  logic             m_axi_arready,
  input  logic [0:0]       m_axi_rid,
  input  logic [Width-1:0] m_axi_rdata,
  input  logic [1:0]       m_axi_rresp,
  input  logic             m_axi_rlast,
  input  logic             m_axi_rvalid,
  output logic             m_axi_rready
);

  mm_in_t  mm_in;
  mm_out_t mm_out;
  logic [Width-1:0] mm_wdata, mm_rdata;
  logic [Bytes-1:0] mm_wstrb;
  // The memory's side of the write channels: see axi_order.
  logic aw_valid, aw_ready, w_valid, w_ready;
  axi_order u_order (
    .clk_i, .rst_ni, .order_i, .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .w_valid_i(w_valid), .w_last_i(m_axi_wlast),
    .w_ready_o(w_ready), .aw_valid_o(m_axi_awvalid), .aw_ready_i(m_axi_awready), .w_valid_o(m_axi_wvalid), .w_ready_i(m_axi_wready)
  );
  ls_mm_ports #(.Width(Width)) u_ports (
    .mm_out_i(mm_out), .mm_wdata_i(mm_wdata), .mm_wstrb_i(mm_wstrb), .mm_in_o(mm_in), .mm_rdata_o(mm_rdata), .m_axi_awvalid(aw_valid),
    .m_axi_awready(aw_ready), .m_axi_wvalid(w_valid), .m_axi_wready(w_ready), .*
  );

  ls_core #(.Width(Width), .Mm(1'b1), .BurstBytes(BurstBytes), .MaxPayload(1024)) u_card (
    .clk_i, .rst_ni, .set_i, .pending_o(), .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
    .rq_valid_o, .rq_ready_i, .rq_hdr_o, .cpl_valid_o, .cpl_ready_i, .cpl_hdr_o, .cpl_data_o,
    .rx_req_valid_i, .rx_req_ready_o, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
    .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
    .h2c_cmd_valid_i('0), .h2c_cmd_i('0), .h2c_ready_i('0), .c2h_cmd_valid_i('0), .c2h_cmd_i('0), .c2h_valid_i('0),
    .c2h_data_i('0), .c2h_keep_i('0), .c2h_last_i('0), .p2p_cmd_valid_i('0), .p2p_cmd_i('0), .p2p_valid_i('0),
    .p2p_data_i('0), .p2p_keep_i('0), .p2p_last_i('0), .win_ready_i(1'b1), .user_ready_i(1'b1), .user_error_i(1'b1),
    .user_rdata_i('0), .user_irq_i('0), .mm_i(mm_in), .mm_rdata_i(mm_rdata), .mm_o(mm_out),
    .mm_wdata_o(mm_wdata), .mm_wstrb_o(mm_wstrb)
  );
  ls_axi_check #(.Width(Width)) u_rules (
    .clk_i, .rst_ni, .mm_i(mm_in), .mm_o(mm_out), .wdata_i(mm_wdata), .wstrb_i(mm_wstrb), .here_i(1'b0), .bad_o()
  );

endmodule
