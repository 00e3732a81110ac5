// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_host between registers and four pins, for a router, as ls_route is for ls_core: its inputs
// come from a shift register, its outputs end in registers that are folded into one bit.
module ls_nvme_route
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Cmds  = 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  output logic bit_o
);

  typedef struct packed {
    logic               link;
    logic               restart;
    logic               cmd_valid;
    user_cmd_t          cmd;
    logic               health_ask;
    logic               done_ready;
    logic               s_valid;
    logic [Width-1:0]   s_data;
    logic               m_ready;
    logic               rq_ready;
    logic               cpl_ready;
    logic               rx_req_valid;
    logic               rx_req_sop;
    logic               rx_req_eop;
    tlp_hdr_t           rx_req_hdr;
    logic [Width-1:0]   rx_req_data;
    logic               rx_cpl_valid;
    logic               rx_cpl_sop;
    logic               rx_cpl_eop;
    tlp_hdr_t           rx_cpl_hdr;
    logic [Width-1:0]   rx_cpl_data;
  } in_t;
  typedef struct packed {
    logic               cmd_ready;
    logic               done_valid;
    user_done_t         done;
    logic               s_ready;
    logic               m_valid;
    logic [Width-1:0]   m_data;
    logic [Width/8-1:0] m_keep;
    logic               m_last;
    logic               m_error;
    logic               run;
    logic               dead;
    step_e              step;
    why_e               why;
    logic [15:0]        detail;
    drive_t             drive;
    logic [63:0]        size;
    logic               health_end;
    why_e               health_why;
    logic [14:0]        health_status;
    health_t            health;
    logic               log_valid;
    logic [31:0]        log_data;
    logic               lost;
    logic               stray;
    logic               rq_valid;
    logic               rq_cfg;
    tlp_hdr_t           rq_hdr;
    logic [31:0]        rq_data;
    logic               rx_req_ready;
    logic               cpl_valid;
    logic               cpl_sop;
    logic               cpl_eop;
    tlp_hdr_t           cpl_hdr;
    logic [Width-1:0]   cpl_data;
  } out_t;

  in_t  in_q;
  out_t out, out_q;
  logic rst_q;
  always_ff @(posedge clk_i) begin
    rst_q <= rst_ni;
    in_q  <= {in_q[$bits(in_t)-2:0], bit_i};
    out_q <= out;
  end

  // One bit of all that comes out, eight by eight.
  localparam int unsigned Out1 = ($bits(out_t) + 7) / 8, Out2 = (Out1 + 7) / 8;
  logic [Out1-1:0] fold1_q;
  logic [Out2-1:0] fold2_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Out1; i++) fold1_q[i] <= ^((8*Out1)'(out_q) >> 8*i & (8*Out1)'(255));
    for (int unsigned i = 0; i < Out2; i++) fold2_q[i] <= ^((8*Out2)'(fold1_q) >> 8*i & (8*Out2)'(255));
    bit_o <= ^fold2_q;
  end

  ls_nvme_host #(.Width(Width), .Cmds(Cmds), .TickCycles(125000)) u_host (
    .clk_i, .rst_ni(rst_q),
    .link_i(in_q.link), .restart_i(in_q.restart), .cmd_valid_i(in_q.cmd_valid), .cmd_i(in_q.cmd),
    .done_ready_i(in_q.done_ready), .s_valid_i(in_q.s_valid), .s_data_i(in_q.s_data), .m_ready_i(in_q.m_ready),
    .rq_ready_i(in_q.rq_ready), .cpl_ready_i(in_q.cpl_ready), .rx_req_valid_i(in_q.rx_req_valid),
    .rx_req_sop_i(in_q.rx_req_sop), .rx_req_eop_i(in_q.rx_req_eop), .rx_req_hdr_i(in_q.rx_req_hdr),
    .rx_req_data_i(in_q.rx_req_data), .rx_cpl_valid_i(in_q.rx_cpl_valid), .rx_cpl_sop_i(in_q.rx_cpl_sop),
    .rx_cpl_eop_i(in_q.rx_cpl_eop), .rx_cpl_hdr_i(in_q.rx_cpl_hdr), .rx_cpl_data_i(in_q.rx_cpl_data),
    .cmd_ready_o(out.cmd_ready), .done_valid_o(out.done_valid), .done_o(out.done), .s_ready_o(out.s_ready),
    .m_valid_o(out.m_valid), .m_data_o(out.m_data), .m_keep_o(out.m_keep), .m_last_o(out.m_last),
    .m_error_o(out.m_error), .run_o(out.run), .dead_o(out.dead), .step_o(out.step), .why_o(out.why),
    .detail_o(out.detail), .drive_o(out.drive), .size_o(out.size), .stray_o(out.stray), .rq_valid_o(out.rq_valid),
    .rq_cfg_o(out.rq_cfg), .rq_hdr_o(out.rq_hdr), .rq_data_o(out.rq_data), .rx_req_ready_o(out.rx_req_ready),
    .cpl_valid_o(out.cpl_valid), .cpl_sop_o(out.cpl_sop), .cpl_eop_o(out.cpl_eop), .cpl_hdr_o(out.cpl_hdr),
    .cpl_data_o(out.cpl_data), .health_ask_i(in_q.health_ask), .health_end_o(out.health_end), .health_why_o(out.health_why),
    .health_status_o(out.health_status), .health_o(out.health), .log_valid_o(out.log_valid), .log_data_o(out.log_data),
    .trail_i(StepIdle), .trail_o(), .shut_ask_i(1'b0), .shut_end_o(), .shut_why_o(), .lost_o(out.lost)
  );

endmodule
