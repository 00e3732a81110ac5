// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The program that brings a drive up, watches it and brings it back: a ROM, assembled from names of
// instructions and labels (ls_nvme_prog_pkg), in two passes so that a label may stand behind its use. Here is the
// bring-up; ls_nvme_run_pkg has the rest.
// What is a loop, a subroutine or a table walk here would be states and multiplexers in logic.
module ls_nvme_code
  import ls_nvme_pkg::*;
  import ls_nvme_prog_pkg::*;
  import ls_nvme_run_pkg::*;
  import ls_nvme_switch_pkg::*;
  import ls_nvme_share_pkg::*;
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
  parameter logic [15:0] Bdf        = 16'h0100,
  parameter int unsigned Switch     = 0,
  parameter int unsigned Share      = 0,
  parameter int unsigned Place      = 0,
  parameter logic [39:0] Ports      = '0,
  parameter int unsigned BarStep    = 1048576,
  parameter int unsigned WriteCache = CacheLeft,
  parameter int unsigned PowerState = PowerLeft,
  parameter int unsigned ShutTicks  = 0,
  localparam int unsigned Rows      = 1 << rom_bits(Switch, Share, WriteCache, PowerState, ShutTicks)      // of the ROM
) (
  input  logic       clk_i,
  input  logic       re_i,
  input  logic [$clog2(Rows)-1:0] at_i,
  output ins_t       ins_o
);

  localparam int unsigned Depth = 2 * Cmds;

  // Registers: 1, 2, 8 and 15 at will; 3 index of the next admin submission entry, 4 of the next
  // completion, 5 its phase, 6 CAP.TO in ticks, 7 DW 0 of the last completion, 9 to 13 DW 0, 1, 6, 10
  // and 11 of a command, 14 the address of the admin completion doorbell. While running: 0 what the admin
  // command is for that is out (Ask*, or zero), 8 the address of its completion, 15 the tick at which it is late.
  localparam logic [31:0] CqAt  = 32'(RegCq) << RegionBits;
  localparam logic [31:0] Middle = 32'd1 << (RegionBits - 1);
  localparam logic [31:0] IdAt  = 32'(RegRd) << RegionBits;
  localparam logic [31:0] BaseLow = MemBase[31:0];
  localparam logic [31:0] AllOnes = 32'hffff_ffff;
  localparam int unsigned MpsCode = $clog2(MaxPayload) - 7;

  localparam layout_t Layout = '{
    base_high: MemBase[63:32], base_low: BaseLow, middle: Middle, cq_at: CqAt, cmd_ticks: 32'(CmdTicks),
    abort_ticks: 32'(AbortTicks), format_ticks: 32'(FormatTicks), shut_ticks: 32'(ShutTicks), bdf: 32'(Bdf),
    last: 32'(Bdf) + (32'(Switch) << 9), bar: BarBase, mps: 32'(MpsCode), share: 32'(Share), place: 32'(Place), ports: Ports,
    step: 32'(BarStep)
  };

  function automatic program_t assemble();
    program_t p;
    p = program_t'(0);
    for (int unsigned pass = 0; pass < 2; pass++) begin
      p.at = '0;
      // ---- is it there, and what is it ---------------------------------------------------------
      p = im(p, InStep, 32'(StepFind));
      if (Share != 0)       p = search_shared(p, Layout);
      else if (Switch != 0) p = search(p, Layout);
      else begin
        p = im(p, InCfgRd, 32'h00);
        p = im(p, InXor, AllOnes);
        p = to(p, InJz, p.l.absent);
        p = im(p, InCfgRd, 32'h08);
        p = op0(p, InRor8);
        p = im(p, InAnd, 32'h00ff_ffff);
        p = im(p, InXor, 32'h0001_0802);
        p = to(p, InJnz, p.l.unfit);
      end
      // ---- BAR0 --------------------------------------------------------------------------------
      p = im(p, InStep, 32'(StepBar));
      p = set(p, 4'd2, 32'd0);                     // whether it has 64 bits
      p = im(p, InCfgRd, 32'h10);
      p = im(p, InAnd, 32'h7);
      p = to(p, InJz, p.l.bar_size);
      p = rg(p, InSt, 4'd2);
      p = im(p, InXor, 32'h4);
      p = to(p, InJnz, p.l.unfit);
      p.l.bar_size = p.at;
      p = im(p, InMov, AllOnes);
      p = im(p, InCfgWr, 32'h10);
      p = im(p, InCfgRd, 32'h10);
      p = im(p, InAnd, 32'hffff_fff0);
      p = rg(p, InSt, 4'd1);                        // the bits of an address that it has
      if (Switch != 0) begin
        p = im(p, InXor, AllOnes);                  // its size less 1
        p = im(p, InOr, BarBase[31:0]);
        p = im(p, InAnd, 32'hfff0_0000);
        p = im(p, InOr, 32'(BarBase[31:20]) << 4);
        p = rg(p, InSt, 4'd14);                     // Memory Limit and Base
        p = rg(p, InMov, 4'd1);
      end
      if (Share != 0) p = fits_step(p, Layout);
      p = im(p, InAnd, BarBase[31:0]);
      p = im(p, InXor, BarBase[31:0]);
      p = to(p, InJnz, p.l.unfit);
      p = im(p, InMov, BarBase[31:0]);
      p = im(p, InCfgWr, 32'h10);
      p = rg(p, InMov, 4'd2);
      p = to(p, InJz, (BarBase[63:32] == '0) ? p.l.bar_fit : p.l.unfit);
      p = im(p, InMov, BarBase[63:32]);
      p = im(p, InCfgWr, 32'h14);
      p.l.bar_fit = p.at;
      // ---- PCI Express capability --------------------------------------------------------------
      p = im(p, InStep, 32'(StepExpress));
      if (Share != 0)       p = path_to_shared(p, Layout);
      else if (Switch != 0) p = path_to(p, Layout);
      p = im(p, InCfgRd, 32'h34);
      p.l.cap_walk = p.at;
      p = im(p, InAnd, 32'hfc);
      p = to(p, InJz, p.l.unfit);
      p = rg(p, InSt, 4'd1);
      p = rg(p, InCfgRd, 4'd1);
      p = rg(p, InSt, 4'd2);
      p = im(p, InAnd, 32'hff);
      p = im(p, InXor, 32'h10);
      p = to(p, InJz, p.l.cap_found);
      p = rg(p, InMov, 4'd2);
      p = op0(p, InRor8);
      p = to(p, InJmp, p.l.cap_walk);
      p.l.cap_found = p.at;
      p = rg(p, InMov, 4'd1);
      p = im(p, InAdd, 32'h4);
      p = rg(p, InSt, 4'd2);
      p = im(p, InAdd, 32'h4);
      p = rg(p, InSt, 4'd1);
      p = rg(p, InCfgRd, 4'd2);                     // Device Capabilities
      p = rg(p, InSt, 4'd2);
      if (Share != 0)       p = path_at_shared(p, Layout);
      else if (Switch != 0) p = path_at(p, Layout);
      else begin
        p = im(p, InAnd, 32'h7);
        p = rg(p, InSt, 4'd3);
        p = im(p, InSub, 32'(MpsCode));
        p = to(p, InJn, p.l.mps_ok);
        p = set(p, 4'd3, 32'(MpsCode));
        p.l.mps_ok = p.at;
        p = rg(p, InMov, 4'd3);
        p = out(p, OutMps);
        p = times(p, InShl, 5);
        p = im(p, InOr, 32'h2000);                    // MRRS 512
        p = rg(p, InSt, 4'd3);
        p = rg(p, InMov, 4'd2);
        p = im(p, InAnd, 32'h20);                     // Extended Tag Field Supported
        p = times(p, InShl, 3);
        p = rg(p, InOr, 4'd3);
        p = rg(p, InCfgWr, 4'd1);                     // Device Control
      end
      // ---- memory space, bus master, no INTx ----------------------------------------------------
      p = im(p, InStep, 32'(StepMaster));
      p = im(p, InMov, 32'h0406);
      p = im(p, InCfgWr, 32'h04);
      // ---- CAP ---------------------------------------------------------------------------------
      p = im(p, InStep, 32'(StepCap));
      p = im(p, InBarRd, 32'h00);
      p = rg(p, InSt, 4'd1);
      p = im(p, InXor, AllOnes);
      p = to(p, InJz, p.l.absent);
      p = rg(p, InMov, 4'd1);
      p = im(p, InAnd, 32'hffff);                   // MQES
      p = im(p, InSub, 32'(Depth - 1));
      p = to(p, InJn, p.l.unfit);
      p = field(p, 4'd1, 3, 32'hff);                // TO, 500 ms each
      p = im(p, InAdd, 32'h1);
      p = times(p, InRor8, 3);                      // by 512, of no more than 256
      p = op0(p, InShl);
      p = rg(p, InSt, 4'd6);
      p = im(p, InBarRd, 32'h04);
      p = rg(p, InSt, 4'd1);
      p = im(p, InAnd, 32'h000f_0020);              // MPSMIN: 4 KiB; CSS: the NVM command set
      p = im(p, InXor, 32'h0000_0020);
      p = to(p, InJnz, p.l.unfit);
      p = rg(p, InMov, 4'd1);
      p = im(p, InAnd, 32'hf);                      // DSTRD
      p = out(p, OutDstrd);
      p = rg(p, InSt, 4'd1);
      p = set(p, 4'd14, 32'h4);
      p.l.stride = p.at;                               // 4 << DSTRD
      p = rg(p, InMov, 4'd1);
      p = to(p, InJz, p.l.cap);
      p = im(p, InSub, 32'h1);
      p = rg(p, InSt, 4'd1);
      p = rg(p, InMov, 4'd14);
      p = op0(p, InShl);
      p = rg(p, InSt, 4'd14);
      p = to(p, InJmp, p.l.stride);
      p.l.cap = p.at;
      p = rg(p, InMov, 4'd14);
      p = im(p, InAdd, 32'h1000);
      p = rg(p, InSt, 4'd14);
      // ---- CC.EN = 0: from here also after a fault ------------------------------------------------
      p.l.disable_ = p.at;
      p = im(p, InStep, 32'(StepDisable));
      p = set(p, 4'd0, 32'd0);
      p = im(p, InBarWr, 32'h14);
      p = op0(p, InTime);
      p = rg(p, InAdd, 4'd6);
      p = rg(p, InSt, 4'd2);
      p.l.dis_wait = p.at;
      p = to(p, InCall, p.l.csts);
      p = im(p, InAnd, 32'h3);                      // RDY and CFS: a reset ends that too
      p = to(p, InJz, p.l.dis_done);
      p = op0(p, InTime);
      p = rg(p, InSub, 4'd2);
      p = to(p, InJn, p.l.dis_wait);
      p = to(p, InJmp, p.l.silent);
      p.l.dis_done = p.at;
      // The drive touches our memory no more: what was in flight is ended, then forgotten.
      p = op0(p, InKill);
      p = op0(p, InClear);
      p = rg(p, InSt, 4'd3);                        // zero, as CSTS was
      p = rg(p, InSt, 4'd4);
      p = set(p, 4'd5, 32'h0001_0000);
      // ---- admin queues, CC.EN = 1 ---------------------------------------------------------------
      p = im(p, InStep, 32'(StepEnable));
      p = bar_wr(p, 32'h24, 32'(Admin - 1) << 16 | 32'(Admin - 1));
      p = bar_wr(p, 32'h28, BaseLow + (32'(RegSq) << RegionBits) + Middle);
      p = bar_wr(p, 32'h30, BaseLow + CqAt + Middle);
      p = bar_wr(p, 32'h2c, MemBase[63:32]);
      p = im(p, InBarWr, 32'h34);
      p = bar_wr(p, 32'h14, 32'h0046_0001);        // entries of 64 and 16 bytes, pages of 4 KiB
      p = op0(p, InTime);
      p = rg(p, InAdd, 4'd6);
      p = rg(p, InSt, 4'd2);
      p.l.en_wait = p.at;
      p = to(p, InCall, p.l.csts);
      p = im(p, InAnd, 32'h2);
      p = to(p, InJnz, p.l.cfs);
      p = rg(p, InMov, 4'd1);
      p = im(p, InAnd, 32'h1);
      p = to(p, InJnz, p.l.en_done);
      p = op0(p, InTime);
      p = rg(p, InSub, 4'd2);
      p = to(p, InJn, p.l.en_wait);
      p = fail(p, WhyTimeout);
      p.l.en_done = p.at;
      // ---- Identify controller -------------------------------------------------------------------
      p = im(p, InStep, 32'(StepIdCtrl));
      p = command(p, 32'h0001_0006, 32'd0, BaseLow + IdAt);
      p = set(p, 4'd12, 32'd1);
      p = set(p, 4'd13, 32'd0);
      p = to(p, InCall, p.l.cmd);
      p = set(p, 4'd15, 32'(CmdBytes / 512));
      p = im(p, InMemRd, IdAt + 32'd76);
      p = op0(p, InRor8);
      p = im(p, InAnd, 32'hff);                     // MDTS
      p = to(p, InJz, p.l.mdts_done);
      p = rg(p, InSt, 4'd1);
      p = im(p, InMov, 32'($clog2(CmdBytes) - 13));
      p = rg(p, InSub, 4'd1);
      p = to(p, InJn, p.l.mdts_done);               // no less than CmdBytes
      p = set(p, 4'd15, 32'd8);
      p.l.mdts_loop = p.at;
      p = rg(p, InMov, 4'd15);
      p = op0(p, InShl);
      p = rg(p, InSt, 4'd15);
      p = rg(p, InMov, 4'd1);
      p = im(p, InSub, 32'd1);
      p = rg(p, InSt, 4'd1);
      p = to(p, InJnz, p.l.mdts_loop);
      p.l.mdts_done = p.at;
      p = im(p, InMemRd, IdAt + 32'd524);
      p = op0(p, InRor8);
      p = im(p, InAnd, 32'h1);                      // VWC
      p = out(p, OutVwc);
      // ---- Set Features --------------------------------------------------------------------------
      if (WriteCache != CacheLeft) begin
        p = to(p, InJz, p.l.no_cache);
        p = im(p, InStep, 32'(StepCache));
        p = feature(p, 32'd6, 32'(WriteCache == CacheOn));
        p = to(p, InCall, p.l.cmd);
        p.l.no_cache = p.at;
      end
      if (PowerState != PowerLeft) begin
        p = im(p, InStep, 32'(StepPower));
        p = feature(p, 32'd2, 32'(PowerState));
        p = to(p, InCall, p.l.cmd);
      end
      if (WriteCache != CacheLeft || PowerState != PowerLeft) p = set(p, 4'd13, 32'd0);
      // ---- Identify namespace 1 ------------------------------------------------------------------
      p = im(p, InStep, 32'(StepIdNs));
      p = set(p, 4'd9, 32'h0002_0006);
      p = set(p, 4'd10, 32'd1);
      p = set(p, 4'd12, 32'd0);
      p = to(p, InCall, p.l.cmd);
      p = im(p, InMemRd, IdAt + 32'd4);             // NSZE
      p = out(p, OutSizeHigh);
      p = rg(p, InSt, 4'd1);
      p = im(p, InMemRd, IdAt);
      p = out(p, OutSizeLow);
      p = rg(p, InOr, 4'd1);
      p = to(p, InJz, p.l.unfit);                       // not an active namespace
      p = im(p, InMemRd, IdAt + 32'd24);
      p = times(p, InRor8, 2);
      p = im(p, InAnd, 32'hf);                      // FLBAS
      p = out(p, OutFormat);
      p = times(p, InShl, 2);
      p = im(p, InAdd, IdAt + 32'd128);
      p = rg(p, InSt, 4'd8);
      p = rg(p, InMemRd, 4'd8);
      p = rg(p, InSt, 4'd1);
      p = im(p, InAnd, 32'hffff);                   // MS: no metadata
      p = to(p, InJnz, p.l.unfit);
      p = field(p, 4'd1, 2, 32'hff);                // LBADS, 512 to 4096 bytes
      p = im(p, InSub, 32'd9);
      p = to(p, InJn, p.l.unfit);
      p = rg(p, InSt, 4'd1);
      p = im(p, InMov, 32'd3);
      p = rg(p, InSub, 4'd1);
      p = to(p, InJn, p.l.unfit);
      p = rg(p, InMov, 4'd1);
      p = out(p, OutBlock);
      p.l.blk_loop = p.at;
      p = rg(p, InMov, 4'd1);
      p = to(p, InJz, p.l.blk_done);
      p = im(p, InSub, 32'd1);
      p = rg(p, InSt, 4'd1);
      p = rg(p, InMov, 4'd15);
      p = op0(p, InShr);
      p = rg(p, InSt, 4'd15);
      p = to(p, InJmp, p.l.blk_loop);
      p.l.blk_done = p.at;
      p = rg(p, InMov, 4'd15);
      p = out(p, OutMax);
      // ---- queues --------------------------------------------------------------------------------
      p = im(p, InStep, 32'(StepQueues));
      p = set(p, 4'd9, 32'h0003_0009);
      p = set(p, 4'd10, 32'd0);
      p = set(p, 4'd12, 32'd7);
      p = to(p, InCall, p.l.cmd);
      p = im(p, InStep, 32'(StepCq));
      p = set(p, 4'd9, 32'h0004_0005);
      p = set(p, 4'd11, BaseLow + CqAt);
      p = set(p, 4'd12, 32'(Depth - 1) << 16 | 32'd1);
      p = set(p, 4'd13, 32'd1);                    // PC, no interrupts
      p = to(p, InCall, p.l.cmd);
      p = im(p, InStep, 32'(StepSq));
      p = set(p, 4'd9, 32'h0005_0001);
      p = set(p, 4'd11, BaseLow + (32'(RegSq) << RegionBits));
      p = set(p, 4'd13, 32'h0001_0001);
      p = to(p, InCall, p.l.cmd);
      p = set(p, 4'd13, 32'd0);                    // as all commands have it from now on
      // ---- running ---------------------------------------------------------------------------------
      p = running(p, Layout);
      p = admin(p, Layout);
      if (ShutTicks != 0) p = shutdown(p, Layout);
      // ---- ends ------------------------------------------------------------------------------------
      p.l.absent = p.at;
      p = fail(p, WhyAbsent);
      p.l.unfit = p.at;
      p = fail(p, WhyUnfit);
      p.l.cfs = p.at;
      p = fail(p, WhyCfs);
      p.l.poisoned = p.at;
      p = fail(p, WhyPoison);
      p.l.bad_cid = p.at;
      p = rg(p, InMov, 4'd0);
      p = to(p, InJz, p.l.lost_cid);
      p = im(p, InMov, 32'(WhyCid));
      p = to(p, InJmp, p.l.bad);
      p.l.lost_cid = p.at;
      p = fail(p, WhyCid);
      p.l.bad_status = p.at;
      p = fail(p, WhyStatus);
    end
    return p;
  endfunction

  localparam program_t Program = assemble();
  if (Program.at > 11'(Rows)) begin : gen_check
    $error("%m: the program does not fit");
  end

  (* rom_style = "block" *) logic [$bits(ins_t)-1:0] rom [Rows];
  initial begin
    for (int unsigned i = 0; i < Rows; i++) rom[i] = Program.code[i];
  end
  always_ff @(posedge clk_i) if (re_i) ins_o <= ins_t'(rom[at_i]);

endmodule
