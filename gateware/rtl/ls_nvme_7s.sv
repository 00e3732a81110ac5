// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The NVMe host behind the 7-series block as a root port: ls_nvme_host and ls_rp_7s, with the block's ports
// by their own names. Everything runs on the block's user clock and its reset; see docs/ls_rp.md.
module ls_nvme_7s
  import ls_pkg::*;
  import ls_nvme_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter int unsigned Width       = 64,
  parameter int unsigned Reserve     = 4,
  parameter int unsigned Cmds        = 32,
  parameter int unsigned WrBytes     = 65536,
  parameter int unsigned RdBytes     = 65536,
  parameter int unsigned CmdBytes    = 16384,
  parameter int unsigned MaxPayload  = 512,
  parameter int unsigned Reads       = 32,
  parameter logic [63:0] MemBase     = 64'h1_0000_0000,
  parameter logic [63:0] BarBase     = 64'h0_e000_0000,
  parameter logic [63:0] WindowBytes = 64'h0100_0000,
  parameter int unsigned TickCycles  = 250000,
  parameter int unsigned CmdTicks    = 10000,
  parameter int unsigned ReqTicks    = 50,
  parameter int unsigned Retries     = 0,
  parameter int unsigned AbortTicks  = 0,
  parameter int unsigned FormatTicks = 3600000,
  parameter int unsigned ShutTicks   = 0,
  parameter int unsigned Restarts    = 0,
  parameter int unsigned RestartTicks = 1000,
  parameter int unsigned Switch      = 0,
  parameter int unsigned WriteCache  = CacheLeft,
  parameter int unsigned PowerState  = PowerLeft,
  parameter int unsigned WaitCycles  = 25000000,
  parameter int unsigned LookCycles  = 250000000,
  localparam int unsigned Bytes      = Width / 8
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk_i CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_tx:m_axis_rx:s_axis_wr:m_axis_rd, ASSOCIATED_RESET rst_ni" *)
  input  logic             clk_i,            // user_clk_out
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst_ni RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic             rst_ni,           // not user_reset_out
  input  logic             restart_i,

  // the block
  output logic [Width-1:0] s_axis_tx_tdata,
  output logic [Bytes-1:0] s_axis_tx_tkeep,
  output logic             s_axis_tx_tlast,
  output logic             s_axis_tx_tvalid,
  input  logic             s_axis_tx_tready,
  input  logic [5:0]       tx_buf_av,
  input  logic [Width-1:0] m_axis_rx_tdata,
  input  logic [Bytes-1:0] m_axis_rx_tkeep,
  input  logic             m_axis_rx_tlast,
  input  logic [21:0]      m_axis_rx_tuser,
  input  logic             m_axis_rx_tvalid,
  output logic             m_axis_rx_tready,
  input  logic             user_lnk_up,
  output logic [9:0]       cfg_mgmt_dwaddr,
  output logic             cfg_mgmt_rd_en,
  output logic             cfg_mgmt_wr_en,
  output logic [31:0]      cfg_mgmt_di,
  output logic [3:0]       cfg_mgmt_byte_en,
  input  logic [31:0]      cfg_mgmt_do,
  input  logic             cfg_mgmt_rd_wr_done,

  // user, as of ls_nvme_host
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  user_cmd_t        cmd_i,
  output logic             done_valid_o,
  input  logic             done_ready_i,
  output user_done_t       done_o,
  input  logic             s_axis_wr_tvalid,
  output logic             s_axis_wr_tready,
  input  logic [Width-1:0] s_axis_wr_tdata,
  output logic             m_axis_rd_tvalid,
  input  logic             m_axis_rd_tready,
  output logic [Width-1:0] m_axis_rd_tdata,
  output logic [Bytes-1:0] m_axis_rd_tkeep,
  output logic             m_axis_rd_tlast,
  output logic             m_axis_rd_tuser,  // beside tlast: the read has failed
  input  logic             shut_ask_i,
  output logic             shut_end_o,
  output why_e             shut_why_o,
  input  logic             health_ask_i,
  output logic             health_end_o,
  output why_e             health_why_o,
  output logic [14:0]      health_status_o,
  output health_t          health_o,
  output logic             log_valid_o,
  output logic [31:0]      log_data_o,
  input  step_e            trail_i,
  output trail_t           trail_o,
  output logic             lost_o,
  output logic             run_o,
  output logic             dead_o,
  output step_e            step_o,
  output why_e             why_o,
  output logic [15:0]      detail_o,
  output drive_t           drive_o,
  output logic [63:0]      size_o,
  output logic             stray_o,
  output logic             port_up_o,        // of the root port
  output logic             port_failed_o,
  output rp_step_e         port_step_o,
  input  logic             retrain_i,        // pulse: train the link again
  output rp_link_t         link_o
);

  logic             rq_valid, rq_ready, rq_cfg, cpl_valid, cpl_ready, cpl_sop, cpl_eop;
  logic             req_valid, req_ready, req_sop, req_eop, got_valid, got_sop, got_eop;
  tlp_hdr_t         rq_hdr, cpl_hdr, req_hdr, got_hdr;
  logic [31:0]      rq_data;
  logic [Width-1:0] cpl_data, req_data, got_data;

  ls_nvme_host #(
    .Width(Width), .Cmds(Cmds), .WrBytes(WrBytes), .RdBytes(RdBytes), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload), .Reads(Reads),
    .MemBase(MemBase), .BarBase(BarBase), .Bdf(16'h0100), .TickCycles(TickCycles), .CmdTicks(CmdTicks), .ReqTicks(ReqTicks),
    .Retries(Retries), .AbortTicks(AbortTicks), .FormatTicks(FormatTicks), .ShutTicks(ShutTicks), .Restarts(Restarts),
    .RestartTicks(RestartTicks), .Switch(Switch), .WriteCache(WriteCache), .PowerState(PowerState)
  ) u_host (
    .clk_i, .rst_ni, .link_i(port_up_o), .restart_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .done_valid_o, .done_ready_i, .done_o,
    .s_valid_i(s_axis_wr_tvalid), .s_ready_o(s_axis_wr_tready), .s_data_i(s_axis_wr_tdata), .m_valid_o(m_axis_rd_tvalid), .m_ready_i(m_axis_rd_tready),
    .m_data_o(m_axis_rd_tdata), .m_keep_o(m_axis_rd_tkeep), .m_last_o(m_axis_rd_tlast), .m_error_o(m_axis_rd_tuser), .run_o, .dead_o,
    .shut_ask_i, .shut_end_o, .shut_why_o, .health_ask_i, .health_end_o, .health_why_o, .health_status_o, .health_o,
    .log_valid_o, .log_data_o, .trail_i, .trail_o, .lost_o,
    .step_o, .why_o, .detail_o, .drive_o, .size_o, .stray_o,
    .rq_valid_o(rq_valid), .rq_ready_i(rq_ready), .rq_cfg_o(rq_cfg), .rq_hdr_o(rq_hdr), .rq_data_o(rq_data),
    .cpl_valid_o(cpl_valid), .cpl_ready_i(cpl_ready), .cpl_sop_o(cpl_sop), .cpl_eop_o(cpl_eop), .cpl_hdr_o(cpl_hdr), .cpl_data_o(cpl_data),
    .rx_req_valid_i(req_valid), .rx_req_ready_o(req_ready), .rx_req_sop_i(req_sop), .rx_req_eop_i(req_eop), .rx_req_hdr_i(req_hdr),
    .rx_req_data_i(req_data), .rx_cpl_valid_i(got_valid), .rx_cpl_sop_i(got_sop), .rx_cpl_eop_i(got_eop), .rx_cpl_hdr_i(got_hdr),
    .rx_cpl_data_i(got_data)
  );

  ls_rp_7s #(
    .Width(Width), .Reserve(Reserve), .SubBus(8'(1 + 2 * Switch)), .WindowBase(BarBase), .WindowBytes(WindowBytes), .MaxPayload(MaxPayload), .WaitCycles(WaitCycles), .LookCycles(LookCycles)
  ) u_port (
    .clk_i, .rst_ni, .s_axis_tx_tdata_o(s_axis_tx_tdata), .s_axis_tx_tkeep_o(s_axis_tx_tkeep), .s_axis_tx_tlast_o(s_axis_tx_tlast),
    .s_axis_tx_tvalid_o(s_axis_tx_tvalid), .s_axis_tx_tready_i(s_axis_tx_tready), .tx_buf_av_i(tx_buf_av),
    .m_axis_rx_tdata_i(m_axis_rx_tdata), .m_axis_rx_tuser_i(m_axis_rx_tuser), .m_axis_rx_tlast_i(m_axis_rx_tlast),
    .m_axis_rx_tvalid_i(m_axis_rx_tvalid), .m_axis_rx_tready_o(m_axis_rx_tready), .link_i(user_lnk_up),
    .mgmt_addr_o(cfg_mgmt_dwaddr), .mgmt_read_o(cfg_mgmt_rd_en), .mgmt_write_o(cfg_mgmt_wr_en), .mgmt_data_o(cfg_mgmt_di),
    .mgmt_be_o(cfg_mgmt_byte_en), .mgmt_data_i(cfg_mgmt_do), .mgmt_done_i(cfg_mgmt_rd_wr_done),
    .up_o(port_up_o), .failed_o(port_failed_o), .step_o(port_step_o), .retrain_i, .link_o,
    .rq_valid_i(rq_valid), .rq_ready_o(rq_ready), .rq_cfg_i(rq_cfg), .rq_hdr_i(rq_hdr), .rq_data_i(rq_data),
    .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_sop_i(cpl_sop), .cpl_eop_i(cpl_eop), .cpl_hdr_i(cpl_hdr), .cpl_data_i(cpl_data),
    .rx_req_valid_o(req_valid), .rx_req_ready_i(req_ready), .rx_req_sop_o(req_sop), .rx_req_eop_o(req_eop), .rx_req_hdr_o(req_hdr),
    .rx_req_data_o(req_data), .rx_cpl_valid_o(got_valid), .rx_cpl_sop_o(got_sop), .rx_cpl_eop_o(got_eop), .rx_cpl_hdr_o(got_hdr),
    .rx_cpl_data_o(got_data)
  );

  logic unused;
  assign unused = ^m_axis_rx_tkeep;     // the header says how long a TLP is

endmodule
