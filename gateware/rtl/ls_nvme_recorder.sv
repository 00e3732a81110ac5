// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_host with record and play before it: see docs/ls_nvme_record.md. This is only the wiring, and
// the choice of the buffer between the stream and the host: with `ExtLog2` a queue of 2**`ExtLog2` bytes in
// external memory behind the AXI4 port mm (ls_axi_fifo); else a queue in block RAM of `FifoBytes`; with both
// 0 the user's own behind the ports b and h.
module ls_nvme_recorder
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width       = 64,
  parameter int unsigned FifoBytes   = 32768,
  parameter int unsigned ExtLog2     = 0,
  parameter logic [CardBits-1:0] ExtBase = '0,       // a multiple of 2**ExtLog2
  parameter int unsigned GigLog2     = 30,
  parameter int unsigned Cmds        = 32,           // from here on as of ls_nvme_host
  parameter int unsigned WrBytes     = 65536,
  parameter int unsigned RdBytes     = 65536,
  parameter int unsigned CmdBytes    = 16384,
  parameter int unsigned MaxPayload  = 512,
  parameter int unsigned Reads       = 32,
  parameter logic [63:0] MemBase     = 64'h1_0000_0000,
  parameter logic [63:0] BarBase     = 64'h0_e000_0000,
  parameter logic [15:0] Bdf         = 16'h0100,
  parameter int unsigned Switch      = 0,
  parameter int unsigned TickCycles  = 250000,
  parameter int unsigned CmdTicks    = 10000,
  parameter int unsigned ReqTicks    = 50,
  parameter int unsigned Retries     = 0,
  parameter int unsigned AbortTicks  = 0,
  parameter int unsigned FormatTicks = 3600000,
  parameter int unsigned ShutTicks   = 0,
  parameter int unsigned Restarts    = 0,
  parameter int unsigned RestartTicks = 1000,
  localparam int unsigned Bytes      = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             link_i,
  input  logic             restart_i,

  // record and play
  input  logic             start_i,
  input  record_ask_t      ask_i,
  input  logic             stop_i,
  output logic             busy_o,
  output logic             ended_o,
  output record_end_e      end_o,
  output record_place_t    place_o,
  output logic             fail_valid_o,
  output record_fail_t     fail_o,
  output logic             fig_valid_o,
  output record_fig_t      fig_o,

  // streams
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic             m_last_o,
  output logic             m_error_o,

  // the user's buffer: into it, out of it, and that it has stopped for ever; at rest with a queue of our own
  output logic             b_valid_o,
  input  logic             b_ready_i,
  output logic [Width-1:0] b_data_o,
  input  logic             h_valid_i,
  output logic             h_ready_o,
  input  logic [Width-1:0] h_data_i,
  input  logic             h_bad_i,

  // external memory; at rest without ExtLog2
  input  mm_in_t           mm_i,
  input  logic [Width-1:0] mm_rdata_i,
  output mm_out_t          mm_o,
  output logic [Width-1:0] mm_wdata_o,
  output logic [1:0]       mm_wr_bad_o,       // the first response that was not OKAY; 0: none
  output logic [1:0]       mm_rd_bad_o,

  // what is known
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

  // TLPs
  output logic             rq_valid_o,
  input  logic             rq_ready_i,
  output logic             rq_cfg_o,
  output tlp_hdr_t         rq_hdr_o,
  output logic [31:0]      rq_data_o,
  output logic             cpl_valid_o,
  input  logic             cpl_ready_i,
  output logic             cpl_sop_o,
  output logic             cpl_eop_o,
  output tlp_hdr_t         cpl_hdr_o,
  output logic [Width-1:0] cpl_data_o,
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
  input  logic [Width-1:0] rx_cpl_data_i
);

  if (FifoBytes != 0 && (FifoBytes < 2 * Bytes || (FifoBytes & (FifoBytes - 1)) != 0)) begin : gen_check
    $error("%m: FifoBytes must be 0 or a power of two of at least two beats");
  end

  logic             cmd_valid, cmd_ready, done_valid, done_ready;
  user_cmd_t        cmd;
  user_done_t       done;
  logic             in_valid, in_ready, out_valid, out_ready, bad;
  logic [Width-1:0] in_data, out_data;

  ls_nvme_record #(.Width(Width), .WrBytes(WrBytes), .GigLog2(GigLog2)) u_record (
    .clk_i, .rst_ni, .start_i, .ask_i, .stop_i, .busy_o, .ended_o, .end_o, .place_o, .fail_valid_o, .fail_o, .fig_valid_o,
    .fig_o, .run_i(run_o), .dead_i(dead_o), .drive_i(drive_o), .size_i(size_o), .cmd_valid_o(cmd_valid),
    .cmd_ready_i(cmd_ready), .cmd_o(cmd), .done_valid_i(done_valid), .done_ready_o(done_ready), .done_i(done), .s_valid_i,
    .s_ready_o, .s_data_i, .b_valid_o(in_valid), .b_ready_i(in_ready),
    .b_data_o(in_data), .b_bad_i(bad), .m_valid_i(m_valid_o),
    .m_ready_i, .m_last_i(m_last_o), .m_error_i(m_error_o)
  );

  if (ExtLog2 != 0) begin : gen_ext
    logic [ExtLog2:0] level, high;
    ls_axi_fifo #(.Width(Width), .SizeLog2(ExtLog2), .Base(ExtBase)) u_fifo (
      .clk_i, .rst_ni, .s_valid_i(in_valid), .s_ready_o(in_ready), .s_data_i(in_data), .m_valid_o(out_valid),
      .m_ready_i(out_ready), .m_data_o(out_data), .mm_i, .mm_rdata_i, .mm_o, .mm_wdata_o, .high_clear_i(1'b0),
      .level_o(level), .high_o(high), .wr_bad_o(mm_wr_bad_o), .rd_bad_o(mm_rd_bad_o)
    );
    assign bad       = (mm_wr_bad_o | mm_rd_bad_o) != '0;
    assign b_valid_o = 1'b0;
    assign b_data_o  = '0;
    assign h_ready_o = 1'b0;
    logic unused;
    assign unused = ^{b_ready_i, h_valid_i, h_data_i, h_bad_i, level, high};
  end else if (FifoBytes == 0) begin : gen_user
    assign bad       = h_bad_i;
    assign b_valid_o = in_valid;
    assign b_data_o  = in_data;
    assign in_ready  = b_ready_i;
    assign out_valid = h_valid_i;
    assign out_data  = h_data_i;
    assign h_ready_o = out_ready;
    assign {mm_o, mm_wdata_o, mm_wr_bad_o, mm_rd_bad_o} = '0;
    logic unused;
    assign unused = ^{mm_i, mm_rdata_i};
  end else begin : gen_fifo
    ls_fifo_ram #(.Width(Width), .Depth(FifoBytes / Bytes)) u_fifo (
      .clk_i, .rst_ni, .valid_i(in_valid), .ready_o(in_ready), .data_i(in_data), .valid_o(out_valid), .ready_i(out_ready),
      .data_o(out_data)
    );
    assign bad       = 1'b0;
    assign {mm_o, mm_wdata_o, mm_wr_bad_o, mm_rd_bad_o} = '0;
    assign b_valid_o = 1'b0;
    assign b_data_o  = '0;
    assign h_ready_o = 1'b0;
    logic unused;
    assign unused = ^{b_ready_i, h_valid_i, h_data_i, h_bad_i, mm_i, mm_rdata_i};
  end

  ls_nvme_host #(
    .Width(Width), .Cmds(Cmds), .WrBytes(WrBytes), .RdBytes(RdBytes), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload),
    .Reads(Reads), .MemBase(MemBase), .BarBase(BarBase), .Bdf(Bdf), .Switch(Switch), .TickCycles(TickCycles), .CmdTicks(CmdTicks),
    .ReqTicks(ReqTicks), .Retries(Retries), .AbortTicks(AbortTicks), .FormatTicks(FormatTicks), .ShutTicks(ShutTicks), .Restarts(Restarts),
    .RestartTicks(RestartTicks)
  ) u_host (
    .clk_i, .rst_ni, .link_i, .restart_i, .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready), .cmd_i(cmd),
    .done_valid_o(done_valid), .done_ready_i(done_ready), .done_o(done), .s_valid_i(out_valid), .s_ready_o(out_ready),
    .s_data_i(out_data), .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o, .m_last_o, .m_error_o, .run_o, .dead_o, .step_o,
    .shut_ask_i, .shut_end_o, .shut_why_o, .health_ask_i, .health_end_o, .health_why_o, .health_status_o, .health_o,
    .log_valid_o, .log_data_o, .trail_i, .trail_o, .lost_o,
    .why_o, .detail_o, .drive_o, .size_o, .stray_o, .rq_valid_o, .rq_ready_i, .rq_cfg_o, .rq_hdr_o, .rq_data_o,
    .cpl_valid_o, .cpl_ready_i, .cpl_sop_o, .cpl_eop_o, .cpl_hdr_o, .cpl_data_o, .rx_req_valid_i, .rx_req_ready_o,
    .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i, .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i,
    .rx_cpl_hdr_i, .rx_cpl_data_i
  );

endmodule
