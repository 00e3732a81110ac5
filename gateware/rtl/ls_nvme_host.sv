// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// An NVMe host in logic for one drive below a root port: see docs/ls_nvme_host.md. This is only the
// wiring of its parts, the memories, and the fault that makes the sequencer reset the drive.
module ls_nvme_host
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Cmds       = 32,           // commands in flight
  parameter int unsigned WrBytes    = 65536,        // buffer of write data,
  parameter int unsigned RdBytes    = 65536,        // and of read data
  parameter int unsigned CmdBytes   = 16384,        // longest command: a quarter of a buffer keeps the link full
  parameter int unsigned MaxPayload = 512,          // largest MPS to set
  parameter int unsigned Reads      = 32,           // read requests of the drive that wait
  parameter logic [63:0] MemBase    = 64'h1_0000_0000,
  parameter logic [63:0] BarBase    = 64'h0_e000_0000,
  parameter logic [15:0] Bdf        = 16'h0100,     // directly below the root port
  parameter int unsigned Switch     = 0,            // the drive may be below so many switches
  parameter int unsigned Share      = 0,            // so many hosts share the root port, their drives below one switch (ls_nvme_share);
  parameter int unsigned Place      = 0,            // this one among them, from 0;
  parameter logic [39:0] Ports      = {5'd7, 5'd6, 5'd5, 5'd4, 5'd3, 5'd2, 5'd1, 5'd0},  // the port of each, of those that the switch has, in their order;
  parameter int unsigned BarStep    = 1048576,      // registers of each, from BarBase on
  parameter int unsigned WriteCache = CacheLeft,    // the drive's volatile one: as it is, CacheOn, CacheOff
  parameter int unsigned PowerState = PowerLeft,    // to put the drive in, 0 to 31
  parameter bit          Ultra      = 1'b0,         // buffers of UltraRAM
  parameter int unsigned TickCycles = 250000,       // a millisecond
  parameter int unsigned CmdTicks   = 10000,        // until a command is given up
  parameter int unsigned ReqTicks   = 50,           // until a request is
  parameter int unsigned Retries    = 0,            // of a command that may be given again by its error status
  parameter int unsigned AbortTicks = 0,            // of a command given up: an Abort has so long, then the command; 0: no Abort
  parameter int unsigned FormatTicks = 3600000,     // until a Format is given up
  parameter int unsigned ShutTicks  = 0,            // until a shutdown is given up; 0: none can be asked for
  parameter int unsigned Restarts   = 0,            // tries to bring a drive up again by itself after a failure,
  parameter int unsigned RestartTicks = 1000,       // so long after it
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             link_i,          // the link is up
  input  logic             restart_i,       // after a failure: begin again

  // user
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  user_cmd_t        cmd_i,
  output logic             done_valid_o,
  input  logic             done_ready_i,
  output user_done_t       done_o,
  input  logic             s_valid_i,       // write data
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             m_valid_o,       // read data
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic             m_last_o,
  output logic             m_error_o,

  // health: asked for until it ends; the page comes before that, a DW each
  input  logic             health_ask_i,
  output logic             health_end_o,    // pulse
  output why_e             health_why_o,
  output logic [14:0]      health_status_o, // for WhyStatus
  output health_t          health_o,        // as last read
  output logic             log_valid_o,
  output logic [31:0]      log_data_o,

  // shutdown: asked for until it ends
  input  logic             shut_ask_i,
  output logic             shut_end_o,      // pulse
  output why_e             shut_why_o,      // WhyNone: the drive may lose its power

  // what is known
  output logic             run_o,
  output logic             dead_o,
  output step_e            step_o,
  output why_e             why_o,
  output logic [15:0]      detail_o,
  output drive_t           drive_o,
  output logic [63:0]      size_o,
  input  step_e            trail_i,         // the log of the bring-up: of this step,
  output trail_t           trail_o,         // a cycle later
  output logic             lost_o,          // it was brought up again by itself, and no flush has told of it yet
  output logic             stray_o,         // pulse: a TLP that nobody waits for

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

  localparam int unsigned BeatDw     = Width / 32;
  localparam int unsigned LaneBits   = $clog2(BeatDw);
  localparam int unsigned Slots      = (Cmds < 2) ? 2 : Cmds;
  localparam int unsigned CidBits    = $clog2(Slots);
  localparam int unsigned RegionBits = region_bits(WrBytes, RdBytes);
  localparam int unsigned PosBits    = RegionBits - 2;
  localparam int unsigned SqBits     = sq_bits(Slots);
  localparam int unsigned CqBits     = cq_bits(Slots);
  localparam int unsigned SqRowBits  = SqBits + 1 - $clog2(Bytes);
  localparam int unsigned CqRowBits  = CqBits + 1 - $clog2(Bytes);
  localparam int unsigned WrRowBits  = $clog2(WrBytes / Bytes);
  localparam int unsigned RdRowBits  = $clog2(RdBytes / Bytes);
  localparam int unsigned WrBits     = $clog2(WrBytes / 512);
  localparam int unsigned RdBits     = $clog2(RdBytes / 512);
  // Of the hosts that share a root port each has memory and registers of its own, one behind the other.
  localparam logic [63:0] OwnMem     = MemBase + (64'(Place) << (RegionBits + 3));
  localparam logic [63:0] OwnBar     = BarBase + 64'(Place) * 64'(BarStep);

  if (Width < 64 || Width > 512 || (Width & (Width - 1)) != 0) begin : gen_check_width
    $error("%m: Width must be 64, 128, 256 or 512");
  end
  if (WrBytes < 32768 || (WrBytes & (WrBytes - 1)) != 0 || RdBytes < 32768 || (RdBytes & (RdBytes - 1)) != 0) begin : gen_check_buf
    $error("%m: WrBytes and RdBytes must be powers of two of at least 32768");
  end
  if (CmdBytes < 4096 || CmdBytes > 262144 || (CmdBytes & (CmdBytes - 1)) != 0 || CmdBytes > WrBytes || CmdBytes > RdBytes) begin : gen_check_cmd
    $error("%m: CmdBytes must be a power of two, 4096 to 262144, and no larger than a buffer");
  end
  if (Cmds < 1 || Cmds > 256 || (Cmds & (Cmds - 1)) != 0) begin : gen_check_cmds
    $error("%m: Cmds must be a power of two, 1 to 256");
  end
  if (Switch > 4 || Bdf[7:0] != '0 || 32'(Bdf[15:8]) + 2 * Switch > 255) begin : gen_check_switch
    $error("%m: Switch must be 0 to 4, Bdf device 0, function 0 of its bus, and 2 * Switch buses more must be there");
  end
  if (Share > 8 || (Share == 0 && Place != 0) || (Share != 0 && (Place >= Share || Switch != 0 || 32'(Bdf[15:8]) + 1 + Share > 255))) begin : gen_check_share
    $error("%m: Share must be 0 to 8, Place below it, Switch 0, and Share + 1 buses more must be there");
  end
  if (Share != 0 && (BarStep < 1048576 || (BarStep & (BarStep - 1)) != 0 || (BarBase & (64'(BarStep) - 1)) != '0
                     || (BarBase >> 32) != ((BarBase + 64'(Share) * 64'(BarStep) - 1) >> 32))) begin : gen_check_step
    $error("%m: BarStep must be a power of two of at least 1 MiB, BarBase a multiple of it, and all registers on one side of 4 GiB");
  end
  if (WriteCache > CacheOff || PowerState > PowerLeft) begin : gen_check_features
    $error("%m: WriteCache must be 0 to 2, PowerState 0 to 31, or 32 to leave it");
  end
  if (ShutTicks > (1 << 30)) begin : gen_check_shut
    $error("%m: ShutTicks must be at most 2**30");
  end
  if (MemBase[RegionBits+2:0] != '0) begin : gen_check_base
    $error("%m: MemBase must be a multiple of 8 regions");
  end
  if (MaxPayload < 128 || MaxPayload > 4096 || (MaxPayload & (MaxPayload - 1)) != 0) begin : gen_check_mps
    $error("%m: MaxPayload must be a power of two, 128 to 4096");
  end

  // ---- time ------------------------------------------------------------------------------------
  logic [$clog2(TickCycles+1)-1:0] tick_cnt_q;
  logic tick;
  assign tick = tick_cnt_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || tick) tick_cnt_q <= ($bits(tick_cnt_q))'(TickCycles - 1);
    else                 tick_cnt_q <= tick_cnt_q - 1'b1;
  end

  // ---- bring-up --------------------------------------------------------------------------------
  logic        sq_we, mem_re, kill, clear, cleared, open, run, empty, drained, quiet, answered, idle, restarts, lost_told, kill_q;
  logic        req_valid, req_cfg, req_write, req_done;
  logic [31:0] req_addr, req_data, req_rdata, mem_addr, sq_data, mem_data;
  why_e        req_why, fault_q;
  logic        cq_cleared, table_cleared, late, format, format_end;
  logic [14:0] ended;
  logic [15:0] late_cid, cdw10, req_bdf;
  assign cleared = cq_cleared && table_cleared;
  assign quiet   = empty && drained;
  assign run     = run_o && fault_q == WhyNone;
  // Before a shutdown nothing more is taken, and all that was has ended; a Format has the drive brought up again first.
  logic shut_q, busy;
  always_ff @(posedge clk_i) shut_q <= rst_ni && ShutTicks != 0 && shut_ask_i;
  // Where there is a link, no buffer is freed for others while a request of the drive's waits that may be for it.
  always_ff @(posedge clk_i) kill_q <= kill && (answered || !link_i);
  ls_nvme_seq #(
    .Cmds(Slots), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload), .RegionBits(RegionBits), .MemBase(OwnMem),
    .BarBase(OwnBar), .CmdTicks(CmdTicks), .AbortTicks(AbortTicks), .FormatTicks(FormatTicks),
    .Restarts(Restarts), .RestartTicks(RestartTicks), .Bdf(Bdf), .Switch(Switch), .Share(Share), .Place(Place), .Ports(Ports),
    .BarStep(BarStep), .WriteCache(WriteCache), .PowerState(PowerState), .ShutTicks(ShutTicks)
  ) u_seq (
    .clk_i, .rst_ni, .tick_i(tick), .link_i, .restart_i, .fault_i(fault_q), .abort_i(AbortTicks != 0 && late && run),
    .cid_i(late_cid), .format_i(format), .cdw10_i(cdw10), .format_end_o(format_end), .health_i(health_ask_i), .health_end_o,
    .health_why_o, .shut_i(shut_q), .shut_quiet_i(quiet && idle && !busy), .shut_end_o, .shut_why_o, .status_o(ended), .log_valid_o, .log_data_o, .req_valid_o(req_valid),
    .req_cfg_o(req_cfg), .req_write_o(req_write), .req_bdf_o(req_bdf), .req_addr_o(req_addr), .req_data_o(req_data),
    .req_done_i(req_done), .req_why_i(req_why), .req_data_i(req_rdata), .sq_we_o(sq_we), .mem_addr_o(mem_addr),
    .sq_data_o(sq_data), .mem_re_o(mem_re), .mem_data_i(mem_data), .kill_o(kill), .empty_i(quiet), .idle_i(idle), .again_o(restarts), .lost_o,
    .lost_told_i(lost_told),
    .clear_o(clear), .cleared_i(cleared), .run_o, .dead_o, .open_o(open), .step_o, .why_o, .detail_o, .drive_o, .size_o
  );

  ls_nvme_trail u_trail (.clk_i, .rst_ni, .tick_i(tick), .step_i(step_o), .of_i(trail_i), .trail_o);

  // The log page begins with what most want to know of it.
  logic [6:0] log_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)          log_q <= '0;
    else if (log_valid_o) log_q <= log_q + 7'd1;
    if (log_valid_o && log_q == 7'd0) {health_o.spare, health_o.kelvin, health_o.warning} <= log_data_o;
    if (log_valid_o && log_q == 7'd1) {health_o.used, health_o.threshold} <= log_data_o[15:0];
  end
  assign health_status_o = ended;

  // ---- our requests ----------------------------------------------------------------------------
  logic              tail_bell, tail_rung, head_bell, head_rung, bell_valid, bell_ready, stray_cpl, stray_rd, stray_wr;
  logic [CidBits:0]   tail_at, head_at;
  logic [31:0]       bell_addr, bell_data;
  assign bell_valid = (tail_bell || head_bell) && run;
  assign tail_rung  = bell_ready && run;
  assign head_rung  = bell_ready && run && !tail_bell;
  assign bell_addr  = 32'h1000 + ((tail_bell ? 32'd2 : 32'd3) << (5'd2 + 5'(drive_o.dstrd)));
  assign bell_data  = tail_bell ? 32'(tail_at) : 32'(head_at);
  ls_nvme_req #(
    .BarBase(OwnBar), .Width(Width), .ReqTicks(ReqTicks), .TagBits(Share < 2 ? 5 : 5 - $clog2(Share))
  ) u_req (
    .clk_i, .rst_ni, .tick_i(tick), .link_i, .seq_valid_i(req_valid), .seq_cfg_i(req_cfg), .seq_write_i(req_write), .seq_bdf_i(req_bdf),
    .seq_addr_i(req_addr), .seq_data_i(req_data), .seq_done_o(req_done), .seq_why_o(req_why), .seq_data_o(req_rdata),
    .bell_valid_i(bell_valid), .bell_ready_o(bell_ready), .bell_addr_i(bell_addr), .bell_data_i(bell_data),
    .rq_valid_o, .rq_ready_i, .rq_cfg_o, .rq_hdr_o, .rq_data_o, .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i,
    .rx_cpl_hdr_i, .rx_cpl_data_i, .stray_o(stray_cpl)
  );

  // ---- commands --------------------------------------------------------------------------------
  logic              room, put, take, done, killed, failed, bad_cid, cpl_valid, cpl_valid_q, cmd_valid, cmd_ready;
  logic              new_valid, new_ready, new_put, new_cpl, old_done, old_killed, old_failed, again, retry_late, broken;
  logic              any_valid, any_ready, serve_put, serve_cpl, slow;
  rec_t              serve_rec;
  logic [CidBits:0]   next;
  rec_t              rec;
  logic [14:0]       status, old_status, cpl_status, cpl_status_q, serve_status;
  logic [15:0]       cpl_cid, cpl_cid_q, cid, serve_cid;
  cmd_t              cmd, new_cmd;
  logic [WrBits:0]   filled, wr_freed;
  logic [RdBits:0]   rd_freed;
  logic              issue_we;
  logic [SqBits-1:0] issue_addr;
  logic [Width-1:0]  issue_data;
  ls_nvme_split #(.WrBytes(WrBytes), .RdBytes(RdBytes)) u_split (
    .clk_i, .rst_ni, .go_i((run && !busy && !shut_q) || (dead_o && !restarts)), .drive_i(drive_o), .empty_i(empty), .user_valid_i(cmd_valid_i),
    .user_ready_o(cmd_ready_o), .idle_o(idle), .user_i(cmd_i), .filled_i(filled), .freed_i(rd_freed), .cmd_valid_o(any_valid),
    .cmd_ready_i(any_ready), .cmd_o(new_cmd)
  );
  ls_nvme_serve #(.Cmds(Slots)) u_serve (
    .clk_i, .rst_ni, .run_i(run), .dead_i(dead_o), .kill_i(kill_q), .cmd_valid_i(any_valid), .cmd_ready_o(any_ready),
    .cmd_i(new_cmd), .cmd_valid_o(new_valid), .cmd_ready_i(new_ready), .room_i(room), .next_i(next), .put_o(serve_put),
    .rec_o(serve_rec), .busy_o(busy), .slow_o(slow), .cpl_valid_o(serve_cpl), .cpl_ready_i(!cpl_valid), .cpl_cid_o(serve_cid),
    .cpl_status_o(serve_status), .ask_o(format), .cdw10_o(cdw10), .end_i(format_end), .status_i(ended)
  );
  ls_nvme_issue #(
    .Width(Width), .Cmds(Slots), .WrBytes(WrBytes), .RdBytes(RdBytes), .RegionBits(RegionBits), .MemBase(OwnMem)
  ) u_issue (
    .clk_i, .rst_ni, .clear_i(clear), .run_i(run), .dead_i(dead_o), .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready),
    .cmd_i(cmd), .room_i(room || again), .cid_i(cid), .put_o(put), .hold_i(sq_we), .we_o(issue_we), .addr_o(issue_addr), .data_o(issue_data),
    .bell_valid_o(tail_bell), .bell_ready_i(tail_rung), .bell_o(tail_at)
  );
  ls_nvme_table #(.Cmds(Slots), .Most(Cmds), .CmdTicks(CmdTicks)) u_table (
    .clk_i, .rst_ni, .tick_i(tick), .clear_i(clear), .cleared_o(table_cleared), .kill_i(kill_q), .dead_i(dead_o), .room_o(room),
    .next_o(next), .put_i(new_put || serve_put), .rec_i(serve_rec), .cpl_valid_i(new_cpl), .cpl_cid_i(cpl_cid_q),
    .cpl_status_i(cpl_status_q), .bad_cid_o(bad_cid), .late_o(late), .slow_i(slow), .late_cid_o(late_cid), .empty_o(empty), .done_o(old_done), .rec_o(rec),
    .status_o(old_status), .killed_o(old_killed), .failed_o(old_failed), .take_i(take)
  );
  if (Retries == 0) begin : gen_once
    assign {cmd_valid, cmd, new_ready, new_put, cid, again, new_cpl} = {new_valid, new_cmd, cmd_ready, put, 16'(next), 1'b0, cpl_valid_q};
    assign {done, status, killed, failed, retry_late} = {old_done, old_status, old_killed, old_failed, 1'b0};
    logic unused_of_once;
    assign unused_of_once = broken;
  end else begin : gen_retry
    ls_nvme_retry #(.Cmds(Slots), .Retries(Retries), .CmdTicks(CmdTicks), .PosBits((WrBits > RdBits) ? WrBits : RdBits)) u_retry (
      .clk_i, .rst_ni, .tick_i(tick), .clear_i(clear), .run_i(run), .kill_i(kill_q), .late_o(retry_late), .cmd_valid_i(new_valid),
      .cmd_ready_o(new_ready), .cmd_i(new_cmd), .cmd_valid_o(cmd_valid), .cmd_ready_i(cmd_ready), .cmd_o(cmd), .put_i(put),
      .put_o(new_put), .other_i(serve_put), .next_i(next), .cid_o(cid), .own_o(again), .cpl_valid_i(cpl_valid_q), .cpl_cid_i(cpl_cid_q),
      .cpl_status_i(cpl_status_q), .cpl_valid_o(new_cpl), .bad_cid_i(bad_cid), .done_i(old_done), .rec_i(rec),
      .status_i(old_status), .killed_i(old_killed), .failed_i(old_failed), .done_o(done), .status_o(status),
      .killed_o(killed), .failed_o(failed), .broken_i(broken), .take_i(take)
    );
  end

  // ---- what goes wrong; it stands until the drive was reset -----------------------------------------
  logic poison;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) fault_q <= WhyNone;
    else if (fault_q == WhyNone) begin
      if (poison)                fault_q <= WhyPoison;       // of the admin queue too
      else if (run_o && bad_cid) fault_q <= WhyCid;
      else if (run_o && ((late && AbortTicks == 0) || retry_late)) fault_q <= WhyTimeout;
      else if (run_o && !link_i) fault_q <= WhyAbsent;
    end
  end

  // ---- memories --------------------------------------------------------------------------------
  logic [Bytes-1:0]     sq_be, sq_be_q, cq_be, rd_be;
  logic [SqRowBits-1:0] sq_row, sq_row_q;
  logic [Width-1:0]     sq_wdata, sq_wdata_q, sq_rdata, cq_rdata, rd_rdata, wr_rdata, rx_data;
  logic [PosBits-1:0]   rx_pos, answer_pos;
  logic                 answer_re, in_we, out_re, cq_re;
  logic [WrRowBits-1:0] in_row;
  logic [RdRowBits-1:0] out_row, rd_row;
  logic [CidBits:0]      cq_at;
  logic [CqRowBits-1:0] cq_row;
  logic                 rd_sel_q;
  logic [LaneBits-1:0]  lane_q, poll_lane;

  // Submission queues: a DW of the sequencer or a beat of a command; the drive reads entries that it was told of,
  // which are not written any more.
  logic [SqBits:0] sq_at;
  assign sq_at    = sq_we ? {1'b1, SqBits'(mem_addr)} : {1'b0, issue_addr};
  assign sq_row   = sq_at[SqBits:$clog2(Bytes)];
  assign sq_wdata = sq_we ? {BeatDw{sq_data}} : issue_data;
  always_comb begin
    sq_be = '0;
    for (int unsigned i = 0; i < BeatDw; i++) begin
      if (sq_we)         sq_be[i*4+:4] = {4{sq_at[$clog2(Bytes)-1:2] == LaneBits'(i)}};
      else               sq_be[i*4+:4] = {4{issue_we}};
    end
  end
  // Written a cycle later, since the way to the memory is long: the doorbell that tells of an entry takes longer.
  always_ff @(posedge clk_i) {sq_be_q, sq_row_q, sq_wdata_q} <= {sq_be, sq_row, sq_wdata};
  ls_nvme_mem #(.Width(Width), .Rows(((1 << SqBits) + 64 * Admin) / Bytes), .Apart(1'b1)) u_sq (
    .clk_i, .we_i(sq_be_q), .wrow_i(sq_row_q), .wlane_i('0), .wdata_i(sq_wdata_q), .re_i(answer_re),
    .rrow_i({answer_pos[PosBits-1], answer_pos[SqBits-3:LaneBits]}), .rlane_i(answer_pos[LaneBits-1:0]), .rdata_o(sq_rdata)
  );

  // Completion queues and the log page: the drive writes; the sequencer and ls_nvme_cq read.
  assign cq_row = mem_re ? {1'b1, mem_addr[CqBits-1:$clog2(Bytes)]}
                         : {1'b0, (CqBits - $clog2(Bytes))'(32'({cq_at, 4'd12}) >> $clog2(Bytes))};
  ls_nvme_mem #(.Width(Width), .Rows(((1 << CqBits) + LogAt + LogBytes) / Bytes)) u_cq (
    .clk_i, .we_i(cq_be), .wrow_i({rx_pos[PosBits-1], rx_pos[CqBits-3:LaneBits]}), .wlane_i(rx_pos[LaneBits-1:0]),
    .wdata_i(rx_data), .re_i(mem_re || cq_re), .rrow_i(cq_row), .rlane_i('0), .rdata_o(cq_rdata)
  );
  // DW 3 of an entry is always in one lane where an entry fills whole rows.
  assign poll_lane = (Width > 128) ? lane_q : LaneBits'(3);
  ls_nvme_cq #(.Depth(2 * Slots)) u_poll (
    .clk_i, .rst_ni, .clear_i(clear), .run_i(run), .empty_i(empty), .stall_i(mem_re), .re_o(cq_re), .at_o(cq_at),
    .dw3_i(cq_rdata[poll_lane*32+:32]), .cpl_valid_o(cpl_valid), .cpl_cid_o(cpl_cid), .cpl_status_o(cpl_status),
    .bell_valid_o(head_bell), .bell_ready_i(head_rung), .bell_o(head_at)
  );

  // The table has a long way to go with it.
  always_ff @(posedge clk_i) begin
    cpl_valid_q  <= rst_ni && (cpl_valid || serve_cpl);
    cpl_cid_q    <= cpl_valid ? cpl_cid : serve_cid;
    cpl_status_q <= cpl_valid ? cpl_status : serve_status;
  end

  // Buffers: what is written has not been told to a reader yet (ls_nvme_split).
  // The sequencer reads there in the bring-up alone.
  logic rd_look;
  assign rd_look = mem_re && mem_addr[RegionBits+:3] == RegRd;
  assign rd_row  = rd_look ? RdRowBits'(mem_addr >> $clog2(Bytes)) : out_row;
  ls_nvme_mem #(.Width(Width), .Rows(RdBytes / Bytes), .Apart(1'b1), .Ultra(Ultra)) u_rd (
    .clk_i, .we_i(rd_be), .wrow_i(RdRowBits'(rx_pos[PosBits-1:LaneBits])), .wlane_i(rx_pos[LaneBits-1:0]),
    .wdata_i(rx_data), .re_i(rd_look || out_re), .rrow_i(rd_row), .rlane_i('0), .rdata_o(rd_rdata)
  );
  ls_nvme_mem #(.Width(Width), .Rows(WrBytes / Bytes), .Apart(1'b1), .Ultra(Ultra)) u_wr (
    .clk_i, .we_i({Bytes{in_we}}), .wrow_i(in_row), .wlane_i('0), .wdata_i(s_data_i), .re_i(answer_re),
    .rrow_i(WrRowBits'(answer_pos[PosBits-1:LaneBits])), .rlane_i(answer_pos[LaneBits-1:0]), .rdata_o(wr_rdata)
  );

  // What the sequencer and the poll look at: a DW of a row.
  always_ff @(posedge clk_i) begin
    rd_sel_q <= rd_look;
    lane_q   <= mem_re ? mem_addr[$clog2(Bytes)-1:2] : LaneBits'({cq_at, 2'd3});
  end
  // The memories are late, and far: a row has a cycle of its own.
  logic [Width-1:0]    seen, seen_rd_q, seen_cq_q;
  logic                seen_sel_q;
  logic [LaneBits-1:0] seen_lane_q;
  assign seen = seen_sel_q ? seen_rd_q : seen_cq_q;
  always_ff @(posedge clk_i) begin
    seen_rd_q   <= rd_rdata;
    seen_cq_q   <= cq_rdata;
    seen_sel_q  <= rd_sel_q;
    seen_lane_q <= lane_q;
    mem_data    <= seen[seen_lane_q*32+:32];
  end

  // ---- streams ---------------------------------------------------------------------------------
  ls_nvme_input #(.Width(Width), .WrBytes(WrBytes)) u_input (
    .clk_i, .rst_ni, .s_valid_i, .s_ready_o, .freed_i(wr_freed), .filled_o(filled), .we_o(in_we), .row_o(in_row)
  );
  ls_nvme_retire #(.Width(Width), .WrBytes(WrBytes), .RdBytes(RdBytes)) u_retire (
    .clk_i, .rst_ni, .done_i(done), .rec_i(rec), .status_i(status), .killed_i(killed), .failed_i(failed),
    .killer_i((why_o == WhyNone) ? WhyReset : why_o), .lost_i(lost_o), .lost_told_o(lost_told), .take_o(take),
    .broken_o(broken), .re_o(out_re), .row_o(out_row), .data_i(rd_rdata),
    .rd_freed_o(rd_freed), .wr_freed_o(wr_freed), .m_valid_o, .m_ready_i, .m_data_o, .m_keep_o, .m_last_o, .m_error_o,
    .done_valid_o, .done_ready_i, .done_o, .empty_o(drained)
  );

  // ---- what the drive writes and reads -----------------------------------------------------------
  logic is_rd, wr_valid, rd_valid, rd_ready;
  assign is_rd          = rx_req_sop_i && rx_req_hdr_i.kind == TlpMemRd;
  assign rd_valid       = rx_req_valid_i && is_rd;
  assign wr_valid       = rx_req_valid_i && !is_rd;
  assign rx_req_ready_o = !is_rd || rd_ready;
  ls_nvme_take #(
    .Width(Width), .RdBytes(RdBytes), .CqBits(CqBits), .RegionBits(RegionBits), .MemBase(OwnMem)
  ) u_take (
    .clk_i, .rst_ni, .clear_i(clear), .cleared_o(cq_cleared), .rx_valid_i(wr_valid), .rx_sop_i(rx_req_sop_i),
    .rx_eop_i(rx_req_eop_i), .rx_hdr_i(rx_req_hdr_i), .rx_data_i(rx_req_data_i), .cq_we_o(cq_be), .rd_we_o(rd_be),
    .pos_o(rx_pos), .data_o(rx_data), .poison_o(poison), .stray_o(stray_wr)
  );
  ls_nvme_answer #(
    .Width(Width), .Cmds(Slots), .WrBytes(WrBytes), .RdBytes(RdBytes), .Reads(Reads), .RegionBits(RegionBits), .MemBase(OwnMem)
  ) u_answer (
    .clk_i, .rst_ni, .open_i(open), .mps_i(drive_o.mps), .rx_valid_i(rd_valid), .rx_ready_o(rd_ready),
    .rx_hdr_i(rx_req_hdr_i), .stray_o(stray_rd), .quiet_o(answered), .re_o(answer_re), .pos_o(answer_pos), .sq_data_i(sq_rdata),
    .wr_data_i(wr_rdata), .cpl_valid_o, .cpl_ready_i, .cpl_sop_o, .cpl_eop_o, .cpl_hdr_o, .cpl_data_o
  );
  assign stray_o = stray_cpl || stray_wr || stray_rd;

  logic unused;
  assign unused = ^{sq_at[1:0], mem_addr};

endmodule
