// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_stripe with a port for each drive where it has them packed, so that a program finds each by its number.
module nvme_stripe
  import ls_pkg::*;
  import ls_nvme_pkg::*;
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives     = 2,
  parameter int unsigned Width      = 64,
  parameter int unsigned ChunkBytes = 4096,
  parameter bit          Share      = 1'b0,
  parameter int unsigned TickCycles = 250000,
  parameter int unsigned CmdTicks   = 10000,
  parameter int unsigned ReqTicks   = 50,
  localparam int unsigned Row       = Drives * Width,
  localparam int unsigned Roots     = Share ? 1 : Drives
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Drives-1:0] link_i,
  input  logic [Drives-1:0] restart_i,
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  user_cmd_t         cmd_i,
  output logic              done_valid_o,
  input  logic              done_ready_i,
  output stripe_done_t      done_o,
  input  logic              s_valid_i,
  output logic              s_ready_o,
  input  logic [Row-1:0]    s_data_i,
  output logic              m_valid_o,
  input  logic              m_ready_i,
  output logic [Row-1:0]    m_data_o,
  output logic [Row/8-1:0]  m_keep_o,
  output logic              m_last_o,
  output logic              m_error_o,
  output logic              run_o,
  output logic [Drives-1:0] drive_run_o,
  output logic [Drives-1:0] dead_o,
  output logic [Drives-1:0] stray_o,

  output step_e             step_o [Drives],
  output why_e              why_o [Drives],
  output logic              rq_valid_o [Roots],
  input  logic              rq_ready_i [Roots],
  output logic              rq_cfg_o [Roots],
  output tlp_hdr_t          rq_hdr_o [Roots],
  output logic [31:0]       rq_data_o [Roots],
  output logic              cpl_valid_o [Roots],
  input  logic              cpl_ready_i [Roots],
  output logic              cpl_sop_o [Roots],
  output logic              cpl_eop_o [Roots],
  output tlp_hdr_t          cpl_hdr_o [Roots],
  output logic [Width-1:0]  cpl_data_o [Roots],
  input  logic              rx_req_valid_i [Roots],
  output logic              rx_req_ready_o [Roots],
  input  logic              rx_req_sop_i [Roots],
  input  logic              rx_req_eop_i [Roots],
  input  tlp_hdr_t          rx_req_hdr_i [Roots],
  input  logic [Width-1:0]  rx_req_data_i [Roots],
  input  logic              rx_cpl_valid_i [Roots],
  input  logic              rx_cpl_sop_i [Roots],
  input  logic              rx_cpl_eop_i [Roots],
  input  tlp_hdr_t          rx_cpl_hdr_i [Roots],
  input  logic [Width-1:0]  rx_cpl_data_i [Roots]
);

  logic [Roots-1:0]             rq_valid, rq_ready, rq_cfg, cpl_valid, cpl_ready, cpl_sop, cpl_eop, req_valid, req_ready,
                                req_sop, req_eop, rx_cpl_valid, rx_cpl_sop, rx_cpl_eop;
  tlp_hdr_t [Roots-1:0]         rq_hdr, cpl_hdr, req_hdr, rx_cpl_hdr;
  logic [Roots-1:0][31:0]       rq_data;
  logic [Roots-1:0][Width-1:0]  cpl_data, req_data, rx_cpl_data;
  step_e [Drives-1:0]           step;
  why_e [Drives-1:0]            why;
  for (genvar i = 0; i < Drives; i++) begin : gen_drive
    assign {step_o[i], why_o[i]} = {step[i], why[i]};
  end
  for (genvar i = 0; i < Roots; i++) begin : gen_root
    assign {rq_valid_o[i], rq_cfg_o[i], rq_hdr_o[i], rq_data_o[i]} = {rq_valid[i], rq_cfg[i], rq_hdr[i], rq_data[i]};
    assign {cpl_valid_o[i], cpl_sop_o[i], cpl_eop_o[i]} = {cpl_valid[i], cpl_sop[i], cpl_eop[i]};
    assign {cpl_hdr_o[i], cpl_data_o[i]} = {cpl_hdr[i], cpl_data[i]};
    assign {rq_ready[i], cpl_ready[i], rx_req_ready_o[i]} = {rq_ready_i[i], cpl_ready_i[i], req_ready[i]};
    assign {req_valid[i], req_sop[i], req_eop[i]} = {rx_req_valid_i[i], rx_req_sop_i[i], rx_req_eop_i[i]};
    assign {req_hdr[i], req_data[i]} = {rx_req_hdr_i[i], rx_req_data_i[i]};
    assign {rx_cpl_valid[i], rx_cpl_sop[i], rx_cpl_eop[i]} = {rx_cpl_valid_i[i], rx_cpl_sop_i[i], rx_cpl_eop_i[i]};
    assign {rx_cpl_hdr[i], rx_cpl_data[i]} = {rx_cpl_hdr_i[i], rx_cpl_data_i[i]};
  end

  ls_nvme_stripe #(
    .Drives(Drives), .Width(Width), .ChunkBytes(ChunkBytes), .Share(Share), .TickCycles(TickCycles), .CmdTicks(CmdTicks), .ReqTicks(ReqTicks)
  ) u_stripe (
    .clk_i, .rst_ni, .link_i, .restart_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .done_valid_o, .done_ready_i, .done_o,
    .s_valid_i, .s_ready_o, .s_data_i, .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o, .m_last_o, .m_error_o, .run_o,
    .fault_o(), .which_o(), .size_o(), .block_log2_o(), .drive_run_o, .dead_o, .step_o(step), .why_o(why), .detail_o(), .stray_o,
    .trail_i(StepIdle), .trail_o(), .shut_ask_i(1'b0), .shut_end_o(), .shut_why_o(), .health_ask_i('0), .health_end_o(), .health_why_o(), .health_status_o(), .health_o(),
    .rq_valid_o(rq_valid), .rq_ready_i(rq_ready), .rq_cfg_o(rq_cfg), .rq_hdr_o(rq_hdr), .rq_data_o(rq_data),
    .cpl_valid_o(cpl_valid), .cpl_ready_i(cpl_ready), .cpl_sop_o(cpl_sop), .cpl_eop_o(cpl_eop), .cpl_hdr_o(cpl_hdr),
    .cpl_data_o(cpl_data), .rx_req_valid_i(req_valid), .rx_req_ready_o(req_ready), .rx_req_sop_i(req_sop),
    .rx_req_eop_i(req_eop), .rx_req_hdr_i(req_hdr), .rx_req_data_i(req_data), .rx_cpl_valid_i(rx_cpl_valid),
    .rx_cpl_sop_i(rx_cpl_sop), .rx_cpl_eop_i(rx_cpl_eop), .rx_cpl_hdr_i(rx_cpl_hdr), .rx_cpl_data_i(rx_cpl_data)
  );

endmodule
