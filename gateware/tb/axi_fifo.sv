// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_axi_fifo with the rules of AXI4, its port by the names that models know.
module axi_fifo
  import ls_pkg::*;
#(
  parameter int unsigned Width       = 64,
  parameter int unsigned SizeLog2    = 12,
  parameter int unsigned BurstBytes  = 128,
  parameter logic [31:0] Base        = 32'h0001_0000,
  localparam int unsigned Bytes      = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       order_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  input  logic             high_clear_i,
  output logic [SizeLog2:0] level_o,
  output logic [SizeLog2:0] high_o,
  output logic [1:0]       wr_bad_o,
  output logic [1:0]       rd_bad_o,

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
  // The memory's side of the write channels: see axi_order.
  logic aw_valid, aw_ready, w_valid, w_ready;
  axi_order u_order (
    .clk_i, .rst_ni, .order_i, .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .w_valid_i(w_valid), .w_last_i(m_axi_wlast),
    .w_ready_o(w_ready), .aw_valid_o(m_axi_awvalid), .aw_ready_i(m_axi_awready), .w_valid_o(m_axi_wvalid), .w_ready_i(m_axi_wready)
  );
  ls_mm_ports #(.Width(Width)) u_ports (
    .mm_out_i(mm_out), .mm_wdata_i(mm_wdata), .mm_wstrb_i('1), .mm_in_o(mm_in), .mm_rdata_o(mm_rdata), .m_axi_awvalid(aw_valid),
    .m_axi_awready(aw_ready), .m_axi_wvalid(w_valid), .m_axi_wready(w_ready), .*
  );
  ls_axi_fifo #(.Width(Width), .SizeLog2(SizeLog2), .Base(Base), .BurstBytes(BurstBytes)) u_fifo (
    .clk_i, .rst_ni, .s_valid_i, .s_ready_o, .s_data_i, .m_valid_o, .m_ready_i, .m_data_o, .mm_i(mm_in),
    .mm_rdata_i(mm_rdata), .mm_o(mm_out), .mm_wdata_o(mm_wdata), .high_clear_i, .level_o, .high_o, .wr_bad_o, .rd_bad_o
  );
  ls_axi_check #(.Width(Width), .Wait(8)) u_rules (
    .clk_i, .rst_ni, .mm_i(mm_in), .mm_o(mm_out), .wdata_i(mm_wdata), .wstrb_i('1), .here_i(1'b1), .bad_o()
  );

endmodule
