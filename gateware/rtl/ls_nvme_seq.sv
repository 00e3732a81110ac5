// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The sequencer that runs the program of ls_nvme_code: an accumulator, sixteen registers in LUT RAM,
// four cycles an instruction and as many as an access needs. It is there so that bring-up costs a
// block RAM and not a state for every step.
//
// It ends in one of two ways: running, where it looks after the drive, or failed, with the step and
// the reason. Failed, it ends what is in flight and waits for `restart_i`; with `Restarts` it also begins by itself,
// so many times until the drive runs, `RestartTicks` after each failure, where there is a link. It begins again when all that
// was taken before has ended: the drive may have lost what it has acknowledged, so that a flush that was
// taken before must not succeed at a drive that has come back. Where it began by itself the user may not know,
// and `lost_o` stands until a flush has told.
module ls_nvme_seq
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Cmds       = 32,
  parameter int unsigned CmdBytes   = 131072,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned RegionBits = 16,
  parameter logic [63:0] MemBase    = 64'h0,
  parameter logic [63:0] BarBase    = 64'h0,
  parameter int unsigned CmdTicks   = 10000,
  parameter int unsigned AbortTicks = 0,
  parameter int unsigned FormatTicks = 3600000,
  parameter int unsigned Restarts   = 0,
  parameter int unsigned RestartTicks = 1000,
  parameter logic [15:0] Bdf        = 16'h0100,
  parameter int unsigned Switch     = 0,
  parameter int unsigned Share      = 0,
  parameter int unsigned Place      = 0,
  parameter logic [39:0] Ports      = '0,
  parameter int unsigned BarStep    = 1048576,
  parameter int unsigned WriteCache = CacheLeft,
  parameter int unsigned PowerState = PowerLeft,
  parameter int unsigned ShutTicks  = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        tick_i,
  input  logic        link_i,
  input  logic        restart_i,
  input  why_e        fault_i,       // WhyNone: nothing

  // what is asked of a running drive: each until it ends
  input  logic        abort_i,       // this command is late
  input  logic [15:0] cid_i,
  input  logic        format_i,
  input  logic [15:0] cdw10_i,
  output logic        format_end_o,
  input  logic        health_i,
  output logic        health_end_o,  // a pulse,
  output why_e        health_why_o,  // with this,
  output logic [14:0] status_o,      // and this: of the Format too
  input  logic        shut_i,        // the drive is to be shut down,
  input  logic        shut_quiet_i,  // and nothing is out any more
  output logic        shut_end_o,    // a pulse,
  output why_e        shut_why_o,    // with this: WhyNone where it was shut down
  output logic        log_valid_o,   // before it: the DWs of the page, one each
  output logic [31:0] log_data_o,

  output logic        req_valid_o,   // held until req_done_i
  output logic        req_cfg_o,
  output logic        req_write_o,
  output logic [15:0] req_bdf_o,     // of a configuration request
  output logic [31:0] req_addr_o,
  output logic [31:0] req_data_o,
  input  logic        req_done_i,
  input  why_e        req_why_i,
  input  logic [31:0] req_data_i,

  output logic        sq_we_o,
  output logic [31:0] mem_addr_o,
  output logic [31:0] sq_data_o,
  output logic        mem_re_o,      // a DW of what the drive wrote, three cycles later
  input  logic [31:0] mem_data_i,

  output logic        kill_o,        // what is in flight has failed
  input  logic        empty_i,       // nothing is in flight
  input  logic        idle_i,        // nothing was taken that is not
  output logic        clear_o,       // forget everything of the queues
  input  logic        cleared_i,
  output logic        run_o,
  output logic        dead_o,
  output logic        again_o,       // failed, and about to begin again: takes no command
  output logic        lost_o,        // has begun again by itself since the drive ran
  input  logic        lost_told_i,
  output logic        open_o,        // the drive may read our memory
  output step_e       step_o,
  output why_e        why_o,         // of a failure, or of the last reset of the drive
  output logic [15:0] detail_o,      // the accumulator then: for WhyStatus the Status Field
  output drive_t      drive_o,
  output logic [63:0] size_o         // blocks of the namespace
);

  localparam int unsigned PcBits = rom_bits(Switch, Share, WriteCache, PowerState, ShutTicks);
  typedef enum logic [3:0] {StWait, StFetch, StWord, StDecode, StExec, StAccess, StAsk, StRead, StRow, StTake, StDead} state_e;
  state_e      state_q;
  logic [PcBits-1:0] pc_q, ret_q;
  logic [31:0] a_q, b, alu, time_q;
  ins_t        rom, word_q, ins;
  logic        access, jump, dead_q;
  logic [31:0] ask_q;                // what is asked of a running drive
  logic        told_q;               // a word or an end is told, from the accumulator, which stands
  logic [3:0]  which_q;
  logic        pause_q;

  // ---- by itself ---------------------------------------------------------------------------------
  logic                              by_self, self_q, begins, ran_q;
  logic [$clog2(Restarts+2)-1:0]     tries_q;
  logic [$clog2(RestartTicks+2)-1:0] pause_ticks_q;
  // Not after a shutdown, done or not: the power is about to go.
  assign by_self = dead_o && !again_o && link_i && step_o != StepShut && tries_q != ($bits(tries_q))'(Restarts)
                   && pause_ticks_q == ($bits(pause_ticks_q))'(RestartTicks);
  assign begins  = dead_o && again_o && empty_i && idle_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tries_q <= '0;
      ran_q   <= 1'b0;
      self_q  <= 1'b0;
      lost_o  <= 1'b0;
    end else begin
      if (by_self)    tries_q <= tries_q + 1'b1;
      else if (run_o) tries_q <= '0;
      ran_q  <= ran_q || run_o;
      self_q <= by_self || (self_q && dead_o);
      // Not before: a flush that is still to be reported was done by the drive as it was, and must not tell of it.
      lost_o <= (begins && self_q && ran_q) || (lost_o && !lost_told_i);
    end
    if (!dead_o || again_o) pause_ticks_q <= '0;
    else if (tick_i && pause_ticks_q != ($bits(pause_ticks_q))'(RestartTicks)) pause_ticks_q <= pause_ticks_q + 1'b1;
  end

  ls_nvme_code #(
    .Cmds(Cmds), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload), .RegionBits(RegionBits), .MemBase(MemBase),
    .BarBase(BarBase), .CmdTicks(CmdTicks), .AbortTicks(AbortTicks), .FormatTicks(FormatTicks), .Bdf(Bdf), .Switch(Switch), .Share(Share),
    .Place(Place), .Ports(Ports), .BarStep(BarStep), .WriteCache(WriteCache), .PowerState(PowerState), .ShutTicks(ShutTicks)
  ) u_code (.clk_i, .re_i(state_q == StFetch), .at_i(pc_q), .ins_o(rom));

  (* ram_style = "distributed" *) logic [31:0] regs [16];
  always_ff @(posedge clk_i) if (state_q == StExec && ins.op == InSt) regs[ins.r] <= a_q;
  // Cycles of their own: the ROM's output is late.
  always_ff @(posedge clk_i) begin
    word_q <= rom;
    if (state_q == StDecode) begin
      ins <= word_q;
      b   <= word_q.reg_op ? regs[word_q.r] | 32'(word_q.imm[5:0]) : word_q.imm;    // an entry's DW
    end
  end

  always_comb begin
    unique case (ins.op)
      InAdd:   alu = a_q + b;
      InSub:   alu = a_q - b;
      InAnd:   alu = a_q & b;
      InOr:    alu = a_q | b;
      InXor:   alu = a_q ^ b;
      InRor8:  alu = {a_q[7:0], a_q[31:8]};
      InShl:   alu = {a_q[30:0], 1'b0};
      InShr:   alu = {1'b0, a_q[31:1]};
      InTime:  alu = time_q;
      InFault: alu = 32'(fault_i);
      InAsk:   alu = ask_q;
      InMov:   alu = b;
      default: alu = a_q;
    endcase
  end

  assign access = ins.op inside {InCfgRd, InCfgWr, InBarRd, InBarWr};
  always_comb begin
    unique case (ins.op)
      InJmp, InCall: jump = 1'b1;
      InJz:          jump = a_q == '0;
      InJnz:         jump = a_q != '0;
      InJn:          jump = a_q[31];
      default:       jump = 1'b0;
    endcase
  end

  assign req_valid_o = state_q == StAccess;
  assign req_cfg_o   = ins.op inside {InCfgRd, InCfgWr};
  assign req_write_o = ins.op inside {InCfgWr, InBarWr};
  assign req_addr_o  = b;
  assign req_data_o  = a_q;
  logic nobody;                      // and none need be there
  if (Switch == 0 && Share == 0) begin : gen_one
    assign req_bdf_o = Bdf;
    assign nobody    = 1'b0;
  end else begin : gen_switch
    always_ff @(posedge clk_i) if (state_q == StExec && ins.op == InOut && ins.r == OutBdf) req_bdf_o <= a_q[15:0];
    assign nobody = req_why_i == WhyUr && req_cfg_o && |(b & Soft);
  end
  assign mem_addr_o  = b;
  assign sq_data_o   = a_q;
  assign mem_re_o    = state_q == StAsk;
  // Both stand until what they ask for is done, so that they may come a cycle late.
  always_ff @(posedge clk_i) begin
    kill_o  <= rst_ni && (state_q == StDead || (state_q == StExec && ins.op == InKill));
    clear_o <= rst_ni && state_q == StExec && ins.op == InClear;
    sq_we_o <= rst_ni && state_q == StExec && ins.op == InSqWr;      // the two words still stand a cycle later
  end
  assign dead_o      = state_q == StDead;

  // ---- what is asked -----------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (abort_i)       ask_q <= {cid_i, 16'(AskAbort)};
    else if (format_i) ask_q <= {cdw10_i, 16'(AskFormat)};
    else if (ShutTicks != 0 && shut_i && shut_quiet_i) ask_q <= AskShut;
    else               ask_q <= health_i ? AskHealth : '0;
    told_q  <= rst_ni && state_q == StExec && ins.op == InOut;
    which_q <= ins.r;
    pause_q <= rst_ni && state_q == StExec && ins.op == InPause && a_q[3:0] != '0;
  end
  assign status_o     = a_q[14:0];
  assign log_data_o   = a_q;
  assign log_valid_o  = told_q && which_q == OutLog;
  assign format_end_o = told_q && which_q == OutFormatEnd;
  // A reset of the drive ends it, as it ends commands: it would find the drive as it was.
  logic ends;
  assign ends         = told_q && which_q == OutHealthEnd;
  always_ff @(posedge clk_i) dead_q <= rst_ni && dead_o && health_i && !dead_q;
  assign health_end_o = health_i && (ends || pause_q || dead_q);
  // Of a drive that runs, or is on its way, it ends when the drive has been shut down, or with a failure.
  always_ff @(posedge clk_i) shut_end_o <= rst_ni && ShutTicks != 0 && shut_i && dead_o && !again_o && !shut_end_o;
  assign shut_why_o   = (ShutTicks != 0 && why_o == WhyShut) ? WhyNone : why_o;
  assign health_why_o = !ends ? why_o : (a_q[14:0] != '0) ? WhyStatus : WhyNone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StWait;
      run_o   <= 1'b0;
      open_o  <= 1'b0;
      again_o <= 1'b0;
      step_o  <= StepIdle;
      why_o   <= WhyNone;
      pc_q    <= '0;
    end else begin
      unique case (state_q)
        StWait:  if (link_i) state_q <= StFetch;
        StFetch:  state_q <= StWord;
        StWord:   state_q <= StDecode;
        StDecode: state_q <= StExec;
        StExec: begin
          state_q <= access ? StAccess : (ins.op == InMemRd) ? StAsk : StFetch;
          pc_q    <= jump ? ins.imm[PcBits-1:0] : (ins.op == InRet) ? ret_q : pc_q + 1'b1;
          unique case (ins.op)
            InStep:  step_o <= step_e'(ins.imm[4:0]);
            InFail: begin
              why_o   <= why_e'(ins.imm[3:0]);
              state_q <= StDead;
            end
            InKill:  if (!empty_i) {state_q, pc_q} <= {StExec, pc_q};
            InClear: begin
              open_o <= 1'b1;
              if (!cleared_i) {state_q, pc_q} <= {StExec, pc_q};
            end
            InRun:   run_o <= 1'b1;
            InPause: begin
              run_o <= 1'b0;
              why_o <= why_e'(a_q[3:0]);
            end
            default: ;
          endcase
        end
        StAccess:
          if (req_done_i) begin
            state_q <= (req_why_i == WhyNone || nobody) ? StFetch : StDead;
            if (req_why_i != WhyNone && !nobody) why_o <= req_why_i;
          end
        StAsk:   state_q <= StRead;
        StRead:  state_q <= StRow;
        StRow:   state_q <= StTake;
        StTake:  state_q <= StFetch;
        StDead: begin
          run_o  <= 1'b0;
          open_o <= 1'b0;
          pc_q   <= '0;
          if (restart_i || by_self) again_o <= 1'b1;
          if (begins) begin
            state_q <= StWait;
            again_o <= 1'b0;
          end
        end
        default: state_q <= StWait;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)     time_q <= '0;
    else if (tick_i) time_q <= time_q + 1'b1;
    if (state_q == StExec) begin
      a_q <= alu;
      if (ins.op == InCall) ret_q <= pc_q + 1'b1;
      if (ins.op == InFail || ins.op == InPause) detail_o <= a_q[15:0];
      if (ins.op == InOut) begin
        unique case (ins.r)
          OutMps:      drive_o.mps        <= a_q[2:0];
          OutDstrd:    drive_o.dstrd      <= a_q[3:0];
          OutBlock:    drive_o.block_log2 <= a_q[1:0];
          OutMax:      drive_o.max_blocks <= a_q[15:0];
          OutVwc:      drive_o.vwc        <= a_q[0];
          OutFormat:   drive_o.format     <= a_q[3:0];
          OutSizeLow:  size_o[31:0]       <= a_q;
          OutSizeHigh: size_o[63:32]      <= a_q;
          default: ;
        endcase
      end
    end
    if (state_q == StAccess && req_done_i && !req_write_o) a_q <= nobody ? '1 : req_data_i;
    if (state_q == StTake) a_q <= mem_data_i;
    // Before any drive was asked, commands are refused in pieces that any buffer holds.
    if (!rst_ni) {drive_o.max_blocks, drive_o.block_log2} <= {16'd8, 2'd0};
  end

  logic unused;
  assign unused = ins.reg_op;    // of use a cycle earlier

endmodule
