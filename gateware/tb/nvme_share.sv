// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Hosts that share the 7-series block as a root port: the wiring of ls_nvme_host, ls_nvme_share and ls_rp_7s. What a user
// has of each host is an element of an array.
module nvme_share
  import ls_pkg::*;
  import ls_nvme_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter int unsigned Drives     = 2,
  parameter int unsigned Width      = 64,
  parameter logic [39:0] Ports      = {5'd7, 5'd6, 5'd5, 5'd4, 5'd3, 5'd2, 5'd1, 5'd0},
  parameter logic [63:0] BarBase    = 64'h0_e000_0000,
  parameter int unsigned BarStep    = 1048576,
  parameter int unsigned TickCycles = 250000,
  parameter int unsigned CmdTicks   = 10000,
  parameter int unsigned ReqTicks   = 50,
  parameter int unsigned ShutTicks  = 0,
  parameter int unsigned WaitCycles = 25000000,
  parameter int unsigned LookCycles = 250000000,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [Drives-1:0]            restart_i,

  // the block
  output logic [Width-1:0]             s_axis_tx_tdata,
  output logic [Bytes-1:0]             s_axis_tx_tkeep,
  output logic                         s_axis_tx_tlast,
  output logic                         s_axis_tx_tvalid,
  input  logic                         s_axis_tx_tready,
  input  logic [5:0]                   tx_buf_av,
  input  logic [Width-1:0]             m_axis_rx_tdata,
  input  logic [Bytes-1:0]             m_axis_rx_tkeep,
  input  logic                         m_axis_rx_tlast,
  input  logic [21:0]                  m_axis_rx_tuser,
  input  logic                         m_axis_rx_tvalid,
  output logic                         m_axis_rx_tready,
  input  logic                         user_lnk_up,
  output logic [9:0]                   cfg_mgmt_dwaddr,
  output logic                         cfg_mgmt_rd_en,
  output logic                         cfg_mgmt_wr_en,
  output logic [31:0]                  cfg_mgmt_di,
  output logic [3:0]                   cfg_mgmt_byte_en,
  input  logic [31:0]                  cfg_mgmt_do,
  input  logic                         cfg_mgmt_rd_wr_done,

  // users
  input  logic [Drives-1:0]            cmd_valid_i,
  output logic [Drives-1:0]            cmd_ready_o,
  input  user_cmd_t [Drives-1:0]       cmd_i,
  output logic [Drives-1:0]            done_valid_o,
  input  logic [Drives-1:0]            done_ready_i,
  output user_done_t [Drives-1:0]      done_o,
  input  logic [Drives-1:0]            s_valid_i,
  output logic [Drives-1:0]            s_ready_o,
  input  logic [Drives-1:0][Width-1:0] s_data_i,
  output logic [Drives-1:0]            m_valid_o,
  input  logic [Drives-1:0]            m_ready_i,
  output logic [Drives-1:0][Width-1:0] m_data_o,
  output logic [Drives-1:0][Bytes-1:0] m_keep_o,
  output logic [Drives-1:0]            m_last_o,
  output logic [Drives-1:0]            m_error_o,
  output logic [Drives-1:0]            run_o,
  output logic [Drives-1:0]            dead_o,
  output step_e [Drives-1:0]           step_o,
  output why_e [Drives-1:0]            why_o,
  output logic [Drives-1:0]            stray_o,
  input  logic [Drives-1:0]            shut_ask_i,
  output logic [Drives-1:0]            shut_end_o,
  output why_e [Drives-1:0]            shut_why_o,
  output logic                         nobody_o,
  output logic                         port_up_o,
  input  logic                         retrain_i
);

  logic [Drives-1:0]            rq_valid, rq_ready, rq_cfg, cpl_valid, cpl_ready, cpl_sop, cpl_eop, req_valid, req_ready, got_valid;
  logic                         req_sop, req_eop, got_sop, got_eop;
  tlp_hdr_t [Drives-1:0]        rq_hdr, cpl_hdr;
  tlp_hdr_t                     req_hdr, got_hdr;
  logic [Drives-1:0][31:0]      rq_data;
  logic [Drives-1:0][Width-1:0] cpl_data;
  logic [Width-1:0]             req_data, got_data;
  for (genvar i = 0; i < Drives; i++) begin : gen_host
    ls_nvme_host #(
      .Width(Width), .BarBase(BarBase), .Share(Drives), .Place(i), .Ports(Ports), .BarStep(BarStep), .TickCycles(TickCycles),
      .CmdTicks(CmdTicks), .ReqTicks(ReqTicks), .ShutTicks(ShutTicks)
    ) u_host (
      .clk_i, .rst_ni, .link_i(port_up_o), .restart_i(restart_i[i]), .cmd_valid_i(cmd_valid_i[i]), .cmd_ready_o(cmd_ready_o[i]),
      .cmd_i(cmd_i[i]), .done_valid_o(done_valid_o[i]), .done_ready_i(done_ready_i[i]), .done_o(done_o[i]), .s_valid_i(s_valid_i[i]),
      .s_ready_o(s_ready_o[i]), .s_data_i(s_data_i[i]), .m_valid_o(m_valid_o[i]), .m_ready_i(m_ready_i[i]), .m_data_o(m_data_o[i]),
      .m_keep_o(m_keep_o[i]), .m_last_o(m_last_o[i]), .m_error_o(m_error_o[i]), .run_o(run_o[i]), .dead_o(dead_o[i]),
      .shut_ask_i(shut_ask_i[i]), .shut_end_o(shut_end_o[i]), .shut_why_o(shut_why_o[i]), .health_ask_i(1'b0), .health_end_o(), .health_why_o(), .health_status_o(), .health_o(), .log_valid_o(), .log_data_o(), .lost_o(), .trail_i(StepIdle), .trail_o(),
      .step_o(step_o[i]), .why_o(why_o[i]), .detail_o(), .drive_o(), .size_o(), .stray_o(stray_o[i]),
      .rq_valid_o(rq_valid[i]), .rq_ready_i(rq_ready[i]), .rq_cfg_o(rq_cfg[i]), .rq_hdr_o(rq_hdr[i]), .rq_data_o(rq_data[i]),
      .cpl_valid_o(cpl_valid[i]), .cpl_ready_i(cpl_ready[i]), .cpl_sop_o(cpl_sop[i]), .cpl_eop_o(cpl_eop[i]), .cpl_hdr_o(cpl_hdr[i]),
      .cpl_data_o(cpl_data[i]), .rx_req_valid_i(req_valid[i]), .rx_req_ready_o(req_ready[i]), .rx_req_sop_i(req_sop),
      .rx_req_eop_i(req_eop), .rx_req_hdr_i(req_hdr), .rx_req_data_i(req_data), .rx_cpl_valid_i(got_valid[i]), .rx_cpl_sop_i(got_sop),
      .rx_cpl_eop_i(got_eop), .rx_cpl_hdr_i(got_hdr), .rx_cpl_data_i(got_data)
    );
  end

  logic             p_rq_valid, p_rq_ready, p_rq_cfg, p_cpl_valid, p_cpl_ready, p_cpl_sop, p_cpl_eop;
  logic             p_req_valid, p_req_ready, p_req_sop, p_req_eop, p_got_valid, p_got_sop, p_got_eop;
  tlp_hdr_t         p_rq_hdr, p_cpl_hdr, p_req_hdr, p_got_hdr;
  logic [31:0]      p_rq_data;
  logic [Width-1:0] p_cpl_data, p_req_data, p_got_data;
  ls_nvme_share #(.Drives(Drives), .Width(Width)) u_share (
    .clk_i, .rst_ni, .stray_o(nobody_o),
    .s_rq_valid_i(rq_valid), .s_rq_ready_o(rq_ready), .s_rq_cfg_i(rq_cfg), .s_rq_hdr_i(rq_hdr), .s_rq_data_i(rq_data),
    .s_cpl_valid_i(cpl_valid), .s_cpl_ready_o(cpl_ready), .s_cpl_sop_i(cpl_sop), .s_cpl_eop_i(cpl_eop), .s_cpl_hdr_i(cpl_hdr),
    .s_cpl_data_i(cpl_data), .s_rx_req_valid_o(req_valid), .s_rx_req_ready_i(req_ready), .s_rx_req_sop_o(req_sop),
    .s_rx_req_eop_o(req_eop), .s_rx_req_hdr_o(req_hdr), .s_rx_req_data_o(req_data), .s_rx_cpl_valid_o(got_valid),
    .s_rx_cpl_sop_o(got_sop), .s_rx_cpl_eop_o(got_eop), .s_rx_cpl_hdr_o(got_hdr), .s_rx_cpl_data_o(got_data),
    .rq_valid_o(p_rq_valid), .rq_ready_i(p_rq_ready), .rq_cfg_o(p_rq_cfg), .rq_hdr_o(p_rq_hdr), .rq_data_o(p_rq_data),
    .cpl_valid_o(p_cpl_valid), .cpl_ready_i(p_cpl_ready), .cpl_sop_o(p_cpl_sop), .cpl_eop_o(p_cpl_eop), .cpl_hdr_o(p_cpl_hdr),
    .cpl_data_o(p_cpl_data), .rx_req_valid_i(p_req_valid), .rx_req_ready_o(p_req_ready), .rx_req_sop_i(p_req_sop),
    .rx_req_eop_i(p_req_eop), .rx_req_hdr_i(p_req_hdr), .rx_req_data_i(p_req_data), .rx_cpl_valid_i(p_got_valid),
    .rx_cpl_sop_i(p_got_sop), .rx_cpl_eop_i(p_got_eop), .rx_cpl_hdr_i(p_got_hdr), .rx_cpl_data_i(p_got_data)
  );

  ls_rp_7s #(
    .Width(Width), .SubBus(8'(2 + Drives)), .WindowBase(BarBase), .WindowBytes(64'(Drives) * 64'(BarStep)), .WaitCycles(WaitCycles),
    .LookCycles(LookCycles)
  ) u_port (
    .clk_i, .rst_ni, .s_axis_tx_tdata_o(s_axis_tx_tdata), .s_axis_tx_tkeep_o(s_axis_tx_tkeep), .s_axis_tx_tlast_o(s_axis_tx_tlast),
    .s_axis_tx_tvalid_o(s_axis_tx_tvalid), .s_axis_tx_tready_i(s_axis_tx_tready), .tx_buf_av_i(tx_buf_av),
    .m_axis_rx_tdata_i(m_axis_rx_tdata), .m_axis_rx_tuser_i(m_axis_rx_tuser), .m_axis_rx_tlast_i(m_axis_rx_tlast),
    .m_axis_rx_tvalid_i(m_axis_rx_tvalid), .m_axis_rx_tready_o(m_axis_rx_tready), .link_i(user_lnk_up),
    .mgmt_addr_o(cfg_mgmt_dwaddr), .mgmt_read_o(cfg_mgmt_rd_en), .mgmt_write_o(cfg_mgmt_wr_en), .mgmt_data_o(cfg_mgmt_di),
    .mgmt_be_o(cfg_mgmt_byte_en), .mgmt_data_i(cfg_mgmt_do), .mgmt_done_i(cfg_mgmt_rd_wr_done),
    .up_o(port_up_o), .failed_o(), .step_o(), .retrain_i, .link_o(),
    .rq_valid_i(p_rq_valid), .rq_ready_o(p_rq_ready), .rq_cfg_i(p_rq_cfg), .rq_hdr_i(p_rq_hdr), .rq_data_i(p_rq_data),
    .cpl_valid_i(p_cpl_valid), .cpl_ready_o(p_cpl_ready), .cpl_sop_i(p_cpl_sop), .cpl_eop_i(p_cpl_eop), .cpl_hdr_i(p_cpl_hdr),
    .cpl_data_i(p_cpl_data), .rx_req_valid_o(p_req_valid), .rx_req_ready_i(p_req_ready), .rx_req_sop_o(p_req_sop),
    .rx_req_eop_o(p_req_eop), .rx_req_hdr_o(p_req_hdr), .rx_req_data_o(p_req_data), .rx_cpl_valid_o(p_got_valid),
    .rx_cpl_sop_o(p_got_sop), .rx_cpl_eop_o(p_got_eop), .rx_cpl_hdr_o(p_got_hdr), .rx_cpl_data_o(p_got_data)
  );

endmodule
