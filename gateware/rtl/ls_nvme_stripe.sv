// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Several drives as one, RAID 0, each below its own root port, or all below one switch (`Share`), and brought up by its own
// ls_nvme_host: see docs/ls_nvme_stripe.md. This is the wiring of the hosts, the map, and what cuts and joins the streams.
module ls_nvme_stripe
  import ls_pkg::*;
  import ls_nvme_pkg::*;
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives     = 2,
  parameter int unsigned Width      = 64,           // of a drive; the user's streams are Drives times as wide
  parameter int unsigned ChunkBytes = 4096,
  parameter int unsigned Pending    = 64,           // user commands that are not reported
  parameter int unsigned Ahead      = 16,           // commands that wait for a host, and reports for other drives
  parameter int unsigned Cmds       = 32,           // of each drive, as all that follows: see ls_nvme_host
  parameter int unsigned WrBytes    = 65536,
  parameter int unsigned RdBytes    = 65536,
  parameter int unsigned CmdBytes   = 16384,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned Reads      = 32,
  parameter logic [63:0] MemBase    = 64'h1_0000_0000,
  parameter logic [63:0] BarBase    = 64'h0_e000_0000,
  parameter logic [15:0] Bdf        = 16'h0100,
  parameter int unsigned Switch     = 0,
  parameter int unsigned WriteCache = CacheLeft,
  parameter int unsigned PowerState = PowerLeft,
  parameter bit          Ultra      = 1'b0,
  parameter bit          Share      = 1'b0,         // one root port for all: see ls_nvme_share
  parameter logic [39:0] Ports      = {5'd7, 5'd6, 5'd5, 5'd4, 5'd3, 5'd2, 5'd1, 5'd0},
  parameter int unsigned BarStep    = 1048576,
  parameter int unsigned TickCycles = 250000,
  parameter int unsigned CmdTicks   = 10000,
  parameter int unsigned ReqTicks   = 50,
  parameter int unsigned Retries    = 0,
  parameter int unsigned AbortTicks = 0,
  parameter int unsigned ShutTicks  = 0,
  localparam int unsigned Row       = Drives * Width,
  localparam int unsigned Roots     = Share ? 1 : Drives
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [Drives-1:0]             link_i,
  input  logic [Drives-1:0]             restart_i,

  // user
  input  logic                          cmd_valid_i,
  output logic                          cmd_ready_o,
  input  user_cmd_t                     cmd_i,
  output logic                          done_valid_o,
  input  logic                          done_ready_i,
  output stripe_done_t                  done_o,
  input  logic                          s_valid_i,       // write data
  output logic                          s_ready_o,
  input  logic [Row-1:0]                s_data_i,
  output logic                          m_valid_o,       // read data
  input  logic                          m_ready_i,
  output logic [Row-1:0]                m_data_o,
  output logic [Row/8-1:0]              m_keep_o,
  output logic                          m_last_o,
  output logic                          m_error_o,       // this beat is none

  // what is known
  output logic                          run_o,
  output fault_e                        fault_o,
  output logic [2:0]                    which_o,         // drive
  output logic [63:0]                   size_o,
  output logic [1:0]                    block_log2_o,
  output logic [Drives-1:0]             drive_run_o,
  output logic [Drives-1:0]             dead_o,
  output step_e [Drives-1:0]            step_o,
  output why_e [Drives-1:0]             why_o,
  output logic [Drives-1:0][15:0]       detail_o,
  input  logic                          shut_ask_i,      // all drives are to be shut down, until it ends:
  output logic                          shut_end_o,      // pulse,
  output why_e [Drives-1:0]             shut_why_o,      // with this of each
  input  step_e                         trail_i,         // of each drive, as all that follows
  output trail_t [Drives-1:0]           trail_o,
  input  logic [Drives-1:0]             health_ask_i,
  output logic [Drives-1:0]             health_end_o,
  output why_e [Drives-1:0]             health_why_o,
  output logic [Drives-1:0][14:0]       health_status_o,
  output health_t [Drives-1:0]          health_o,
  output logic [Drives-1:0]             stray_o,

  // TLPs, by root port
  output logic [Roots-1:0]              rq_valid_o,
  input  logic [Roots-1:0]              rq_ready_i,
  output logic [Roots-1:0]              rq_cfg_o,
  output tlp_hdr_t [Roots-1:0]          rq_hdr_o,
  output logic [Roots-1:0][31:0]       rq_data_o,
  output logic [Roots-1:0]              cpl_valid_o,
  input  logic [Roots-1:0]              cpl_ready_i,
  output logic [Roots-1:0]              cpl_sop_o,
  output logic [Roots-1:0]              cpl_eop_o,
  output tlp_hdr_t [Roots-1:0]          cpl_hdr_o,
  output logic [Roots-1:0][Width-1:0]  cpl_data_o,
  input  logic [Roots-1:0]              rx_req_valid_i,
  output logic [Roots-1:0]              rx_req_ready_o,
  input  logic [Roots-1:0]              rx_req_sop_i,
  input  logic [Roots-1:0]              rx_req_eop_i,
  input  tlp_hdr_t [Roots-1:0]          rx_req_hdr_i,
  input  logic [Roots-1:0][Width-1:0]  rx_req_data_i,
  input  logic [Roots-1:0]              rx_cpl_valid_i,
  input  logic [Roots-1:0]              rx_cpl_sop_i,
  input  logic [Roots-1:0]              rx_cpl_eop_i,
  input  tlp_hdr_t [Roots-1:0]          rx_cpl_hdr_i,
  input  logic [Roots-1:0][Width-1:0]  rx_cpl_data_i
);

  if (ChunkBytes * 8 < Row) begin : gen_check
    $error("%m: ChunkBytes must be at least a beat of the user's streams");
  end

  // ---- commands and plans ------------------------------------------------------------------------
  drive_t [Drives-1:0]           drive;
  logic [Drives-1:0][63:0]       size;
  logic                          rd_valid, rd_ready, wr_valid, wr_ready, expect_valid, expect_ready;
  logic [Drives-1:0]             changed, lost, map_valid, map_ready, cmd_valid, cmd_ready, wr_beat, wr_beat_ready, rd_beat,
                                 rd_beat_ready, rd_error, done_valid, done_ready;
  user_cmd_t                     map_cmd;
  user_cmd_t [Drives-1:0]        cmd;
  user_done_t [Drives-1:0]       done;
  logic [Drives-1:0][Width-1:0]  wr_data, rd_data;
  plan_t                         plan;
  expect_t                       expected;
  // A host begins again when what the stripe has taken for it before has ended: a flush of that time must not succeed at
  // a drive that has come back without what it should cover.
  logic [Drives-1:0] again_q;
  logic              map_idle;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) again_q <= '0;
    else         again_q <= (again_q | restart_i) & dead_o & ~changed;
  end
  // Each drive is shut down when the stripe has given its host all that it has taken; it takes nothing meanwhile.
  logic [Drives-1:0] shut_end, shut_over_q;
  why_e [Drives-1:0] shut_why;
  logic              shut_q;
  always_ff @(posedge clk_i) begin
    shut_q <= rst_ni && ShutTicks != 0 && shut_ask_i;
    if (!rst_ni || !shut_ask_i) {shut_over_q, shut_end_o} <= '0;
    else begin
      shut_over_q <= shut_over_q | shut_end;
      shut_end_o  <= ShutTicks != 0 && shut_over_q != '1 && (shut_over_q | shut_end) == '1;
    end
    for (int unsigned i = 0; i < Drives; i++) if (shut_end[i]) shut_why_o[i] <= shut_why[i];
  end
  ls_nvme_stripe_map #(.Drives(Drives), .ChunkBytes(ChunkBytes)) u_map (
    .clk_i, .rst_ni, .run_i(drive_run_o), .dead_i(dead_o), .drive_i(drive), .size_i(size), .run_o, .changed_o(changed),
    .fault_o, .which_o, .size_o, .block_log2_o, .hold_i(again_q != '0 || (shut_q && run_o)), .idle_o(map_idle), .user_valid_i(cmd_valid_i), .user_ready_o(cmd_ready_o), .user_i(cmd_i),
    .cmd_valid_o(map_valid), .cmd_ready_i(map_ready), .cmd_o(map_cmd), .rd_valid_o(rd_valid), .rd_ready_i(rd_ready),
    .wr_valid_o(wr_valid), .wr_ready_i(wr_ready), .plan_o(plan), .expect_valid_o(expect_valid),
    .expect_ready_i(expect_ready), .expect_o(expected)
  );
  ls_nvme_stripe_report #(.Drives(Drives), .Pending(Pending), .Early(Ahead)) u_report (
    .clk_i, .rst_ni, .expect_valid_i(expect_valid), .expect_ready_o(expect_ready), .expect_i(expected),
    .s_valid_i(done_valid), .s_ready_o(done_ready), .s_done_i(done), .done_valid_o, .done_ready_i, .done_o
  );

  // ---- streams -----------------------------------------------------------------------------------
  logic  rd_plan_valid, rd_plan_ready, wr_plan_valid, wr_plan_ready;
  logic [$clog2(Pending):0] rd_plans, wr_plans;
  plan_t rd_plan, wr_plan;
  ls_fifo #(.Width($bits(plan_t)), .Depth(Pending)) u_rd_plans (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(rd_valid), .ready_o(rd_ready), .data_i(plan), .valid_o(rd_plan_valid),
    .ready_i(rd_plan_ready), .data_o(rd_plan), .used_o(rd_plans)
  );
  ls_fifo #(.Width($bits(plan_t)), .Depth(Pending)) u_wr_plans (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(wr_valid), .ready_o(wr_ready), .data_i(plan), .valid_o(wr_plan_valid),
    .ready_i(wr_plan_ready), .data_o(wr_plan), .used_o(wr_plans)
  );
  ls_nvme_stripe_cut #(.Width(Width), .Drives(Drives), .ChunkBytes(ChunkBytes)) u_cut (
    .clk_i, .rst_ni, .plan_valid_i(wr_plan_valid), .plan_ready_o(wr_plan_ready), .plan_i(wr_plan), .s_valid_i, .s_ready_o,
    .s_data_i, .m_valid_o(wr_beat), .m_ready_i(wr_beat_ready | lost), .m_data_o(wr_data)
  );
  ls_nvme_stripe_join #(.Width(Width), .Drives(Drives), .ChunkBytes(ChunkBytes)) u_join (
    .clk_i, .rst_ni, .plan_valid_i(rd_plan_valid), .plan_ready_o(rd_plan_ready), .plan_i(rd_plan), .s_valid_i(rd_beat),
    .s_ready_o(rd_beat_ready), .s_data_i(rd_data), .s_error_i(rd_error), .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o,
    .m_last_o, .m_error_o
  );

  // ---- root ports --------------------------------------------------------------------------------
  logic [Drives-1:0]            rq_valid, rq_ready, rq_cfg, cpl_valid, cpl_ready, cpl_sop, cpl_eop, req_valid, req_ready, req_sop, req_eop,
                                got_valid, got_sop, got_eop, stray;
  tlp_hdr_t [Drives-1:0]        rq_hdr, cpl_hdr, req_hdr, got_hdr;
  logic [Drives-1:0][31:0]      rq_data;
  logic [Drives-1:0][Width-1:0] cpl_data, req_data, got_data;
  if (!Share) begin : gen_apart
    assign {rq_valid_o, rq_cfg_o, rq_hdr_o, rq_data_o} = {rq_valid, rq_cfg, rq_hdr, rq_data};
    assign {cpl_valid_o, cpl_sop_o, cpl_eop_o, cpl_hdr_o, cpl_data_o} = {cpl_valid, cpl_sop, cpl_eop, cpl_hdr, cpl_data};
    assign {rq_ready, cpl_ready, rx_req_ready_o} = {rq_ready_i, cpl_ready_i, req_ready};
    assign {req_valid, req_sop, req_eop, req_hdr, req_data} = {rx_req_valid_i, rx_req_sop_i, rx_req_eop_i, rx_req_hdr_i, rx_req_data_i};
    assign {got_valid, got_sop, got_eop, got_hdr, got_data} = {rx_cpl_valid_i, rx_cpl_sop_i, rx_cpl_eop_i, rx_cpl_hdr_i, rx_cpl_data_i};
    assign stray_o = stray;
  end else begin : gen_share
    logic             nobody, sop, eop, got_first, got_last;
    tlp_hdr_t         hdr, got_head;
    logic [Width-1:0] data, got_dws;
    ls_nvme_share #(.Drives(Drives), .Width(Width), .Bdf(Bdf)) u_share (
      .clk_i, .rst_ni, .stray_o(nobody), .s_rq_valid_i(rq_valid), .s_rq_ready_o(rq_ready), .s_rq_cfg_i(rq_cfg), .s_rq_hdr_i(rq_hdr),
      .s_rq_data_i(rq_data), .s_cpl_valid_i(cpl_valid), .s_cpl_ready_o(cpl_ready), .s_cpl_sop_i(cpl_sop), .s_cpl_eop_i(cpl_eop),
      .s_cpl_hdr_i(cpl_hdr), .s_cpl_data_i(cpl_data), .s_rx_req_valid_o(req_valid), .s_rx_req_ready_i(req_ready), .s_rx_req_sop_o(sop),
      .s_rx_req_eop_o(eop), .s_rx_req_hdr_o(hdr), .s_rx_req_data_o(data), .s_rx_cpl_valid_o(got_valid), .s_rx_cpl_sop_o(got_first),
      .s_rx_cpl_eop_o(got_last), .s_rx_cpl_hdr_o(got_head), .s_rx_cpl_data_o(got_dws),
      .rq_valid_o(rq_valid_o[0]), .rq_ready_i(rq_ready_i[0]), .rq_cfg_o(rq_cfg_o[0]), .rq_hdr_o(rq_hdr_o[0]), .rq_data_o(rq_data_o[0]),
      .cpl_valid_o(cpl_valid_o[0]), .cpl_ready_i(cpl_ready_i[0]), .cpl_sop_o(cpl_sop_o[0]), .cpl_eop_o(cpl_eop_o[0]),
      .cpl_hdr_o(cpl_hdr_o[0]), .cpl_data_o(cpl_data_o[0]), .rx_req_valid_i(rx_req_valid_i[0]), .rx_req_ready_o(rx_req_ready_o[0]),
      .rx_req_sop_i(rx_req_sop_i[0]), .rx_req_eop_i(rx_req_eop_i[0]), .rx_req_hdr_i(rx_req_hdr_i[0]), .rx_req_data_i(rx_req_data_i[0]),
      .rx_cpl_valid_i(rx_cpl_valid_i[0]), .rx_cpl_sop_i(rx_cpl_sop_i[0]), .rx_cpl_eop_i(rx_cpl_eop_i[0]),
      .rx_cpl_hdr_i(rx_cpl_hdr_i[0]), .rx_cpl_data_i(rx_cpl_data_i[0])
    );
    assign {req_sop, req_eop, req_hdr, req_data} = {{Drives{sop}}, {Drives{eop}}, {Drives{hdr}}, {Drives{data}}};
    assign {got_sop, got_eop, got_hdr, got_data} = {{Drives{got_first}}, {Drives{got_last}}, {Drives{got_head}}, {Drives{got_dws}}};
    assign stray_o = stray | Drives'(nobody);
  end

  // ---- drives ------------------------------------------------------------------------------------
  for (genvar i = 0; i < Drives; i++) begin : gen_drive
    logic [$clog2(Ahead):0] cmds;
    logic [Width/8-1:0]     keep;
    logic                   last, log_valid, gone;
    logic [31:0]            log_data;
    ls_fifo #(.Width($bits(user_cmd_t)), .Depth(Ahead)) u_cmds (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(map_valid[i]), .ready_o(map_ready[i]), .data_i(map_cmd),
      .valid_o(cmd_valid[i]), .ready_i(cmd_ready[i]), .data_o(cmd[i]), .used_o(cmds)
    );
    // A drive with other blocks than it had is as one that is gone. Its host counts in the new ones, so that the data
    // of what still waits for it is not as long as that host asks for: it gets any, which goes no further.
    assign lost[i] = changed[i] && dead_o[i];
    ls_nvme_host #(
      .Width(Width), .Cmds(Cmds), .WrBytes(WrBytes), .RdBytes(RdBytes), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload),
      .Reads(Reads), .MemBase(MemBase), .BarBase(BarBase), .Bdf(Bdf), .Switch(Switch), .Share(Share ? Drives : 0), .Place(Share ? i : 0), .Ports(Ports),
      .BarStep(BarStep), .WriteCache(WriteCache), .PowerState(PowerState), .Ultra(Ultra), .TickCycles(TickCycles), .CmdTicks(CmdTicks),
      .ReqTicks(ReqTicks), .Retries(Retries), .AbortTicks(AbortTicks), .ShutTicks(ShutTicks)
    ) u_host (
      .clk_i, .rst_ni, .link_i(link_i[i] && !changed[i]), .restart_i(again_q[i] && map_idle && cmds == '0), .cmd_valid_i(cmd_valid[i]),
      .cmd_ready_o(cmd_ready[i]), .cmd_i(cmd[i]), .done_valid_o(done_valid[i]), .done_ready_i(done_ready[i]), .done_o(done[i]),
      .s_valid_i(wr_beat[i] || lost[i]), .s_ready_o(wr_beat_ready[i]), .s_data_i(wr_data[i]), .m_valid_o(rd_beat[i]),
      .m_ready_i(rd_beat_ready[i]), .m_data_o(rd_data[i]), .m_keep_o(keep), .m_last_o(last), .m_error_o(rd_error[i]),
      .run_o(drive_run_o[i]), .dead_o(dead_o[i]), .step_o(step_o[i]), .why_o(why_o[i]), .detail_o(detail_o[i]),
      .drive_o(drive[i]), .size_o(size[i]), .trail_i, .trail_o(trail_o[i]),
      .shut_ask_i(shut_q && map_idle && cmds == '0 && !shut_over_q[i]), .shut_end_o(shut_end[i]), .shut_why_o(shut_why[i]),
      .health_ask_i(health_ask_i[i]), .health_end_o(health_end_o[i]), .health_why_o(health_why_o[i]),
      .health_status_o(health_status_o[i]), .health_o(health_o[i]), .log_valid_o(log_valid), .log_data_o(log_data),
      .lost_o(gone), .stray_o(stray[i]), .rq_valid_o(rq_valid[i]), .rq_ready_i(rq_ready[i]),
      .rq_cfg_o(rq_cfg[i]), .rq_hdr_o(rq_hdr[i]), .rq_data_o(rq_data[i]), .cpl_valid_o(cpl_valid[i]),
      .cpl_ready_i(cpl_ready[i]), .cpl_sop_o(cpl_sop[i]), .cpl_eop_o(cpl_eop[i]), .cpl_hdr_o(cpl_hdr[i]),
      .cpl_data_o(cpl_data[i]), .rx_req_valid_i(req_valid[i]), .rx_req_ready_o(req_ready[i]),
      .rx_req_sop_i(req_sop[i]), .rx_req_eop_i(req_eop[i]), .rx_req_hdr_i(req_hdr[i]),
      .rx_req_data_i(req_data[i]), .rx_cpl_valid_i(got_valid[i]), .rx_cpl_sop_i(got_sop[i]),
      .rx_cpl_eop_i(got_eop[i]), .rx_cpl_hdr_i(got_hdr[i]), .rx_cpl_data_i(got_data[i])
    );
    // A host's frames are as long as its commands, but where they fail. Of the log page the stripe has the beginning alone.
    logic unused_of_drive;
    assign unused_of_drive = ^{cmds, keep, last, log_valid, log_data, gone};
  end

  logic unused;
  assign unused = ^{rd_plans, wr_plans};

endmodule
