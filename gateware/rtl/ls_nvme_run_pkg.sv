// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The part of the program of ls_nvme_code that looks after a running drive, and the subroutine for a command of
// the admin queue, which the bring-up has too. Running, an admin command is sent and then looked for beside
// all else: the drive may take long for it, and what goes wrong meanwhile is seen. One is out at a time: the
// SMART / Health Information log, an Abort, a Format.
package ls_nvme_run_pkg;
  import ls_nvme_pkg::*;
  import ls_nvme_prog_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */
  /* verilator lint_off UNUSEDSIGNAL */

  // What the program is for.
  typedef struct packed {
    logic [31:0] base_high;       // of the memory that the drive sees
    logic [31:0] base_low;
    logic [31:0] middle;          // of a region
    logic [31:0] cq_at;           // the completion queues, as the sequencer sees them
    logic [31:0] cmd_ticks;
    logic [31:0] abort_ticks;
    logic [31:0] format_ticks;
    logic [31:0] shut_ticks;      // or zero: no port for it
    logic [31:0] bdf;             // directly below the root port
    logic [31:0] last;            // a drive may be as far below
    logic [63:0] bar;
    logic [31:0] mps;             // the largest, as in Device Control
    logic [31:0] share;           // hosts that share the root port, or zero,
    logic [31:0] place;           // and which of them this is
    logic [39:0] ports;           // of the switch, five bits for each of them
    logic [31:0] step;            // from the registers of one to those of the next
  } layout_t;

  function automatic program_t running(input program_t start, input layout_t c);
    program_t    p;
    logic [31:0] log_page;
    p        = start;
    log_page = c.cq_at + 32'(LogAt);      // without the middle: as the sequencer sees it
    // ---- running: what logic has found wrong, the admin command that is out, what is asked, and CSTS each tick ---
    p = im(p, InStep, 32'(StepRun));
    p = op0(p, InRun);
    p.l.mon = p.at;
    p = op0(p, InTime);
    p = rg(p, InSt, 4'd2);
    p.l.mon_wait = p.at;
    p = op0(p, InFault);
    p = to(p, InJnz, p.l.bad);
    p = rg(p, InMov, 4'd0);
    p = to(p, InJz, p.l.idle);
    p = im(p, InSub, AskAborted);
    p = to(p, InJz, p.l.aborted);
    p = put(p, InMemRd, 1'b1, 4'd8, 32'd12);
    p = rg(p, InSt, 4'd1);
    p = rg(p, InXor, 4'd5);
    p = im(p, InAnd, 32'h0001_0000);
    p = to(p, InJz, p.l.came);
    p.l.timed = p.at;
    p = op0(p, InTime);
    p = rg(p, InSub, 4'd15);
    p = to(p, InJn, p.l.tick);
    p = rg(p, InMov, 4'd0);                       // it is late
    p = im(p, InAnd, 32'd1);
    p = to(p, InJz, p.l.abort_bad);
    p = im(p, InMov, 32'(WhyTimeout));
    p = to(p, InJmp, p.l.bad);
    p.l.idle = p.at;
    p = op0(p, InAsk);
    p = to(p, InJnz, p.l.serve);
    p.l.tick = p.at;
    p = op0(p, InTime);
    p = rg(p, InXor, 4'd2);
    p = to(p, InJz, p.l.mon_wait);
    p = to(p, InCall, p.l.csts);
    p = im(p, InAnd, 32'h2);
    p = to(p, InJz, p.l.mon);
    p = im(p, InMov, 32'(WhyCfs));
    p.l.bad = p.at;
    p = op0(p, InPause);                           // tells why, from the accumulator
    p = to(p, InJmp, p.l.disable_);
    // ---- what is asked: send it, and go on looking ----------------------------------------------------
    p.l.serve = p.at;
    p = rg(p, InSt, 4'd2);
    if (c.shut_ticks != '0) begin
      p = im(p, InAnd, AskShut);
      p = to(p, InJnz, p.l.to_shut);
      p = rg(p, InMov, 4'd2);
    end
    p = im(p, InAnd, 32'd3);
    p = rg(p, InSt, 4'd0);
    p = im(p, InSub, AskAbort);
    p = to(p, InJz, p.l.to_abort);
    p = to(p, InJn, p.l.to_health);
    p = command(p, 32'h0006_0080, 32'd1, 32'd0);
    p = field(p, 4'd2, 2, 32'hffff);
    p = rg(p, InSt, 4'd12);
    p = to(p, InCall, p.l.cmd);
    p = op0(p, InTime);
    p = im(p, InAdd, c.format_ticks);
    p = to(p, InJmp, p.l.started);
    p.l.to_abort = p.at;
    p = command(p, 32'h0007_0008, 32'd0, 32'd0);
    p = rg(p, InMov, 4'd2);
    p = im(p, InAnd, 32'hffff_0000);
    p = im(p, InOr, 32'd1);                       // of the I/O queue
    p = rg(p, InSt, 4'd12);
    p = to(p, InCall, p.l.cmd);
    p.l.abort_time = p.at;
    p = op0(p, InTime);
    p = im(p, InAdd, c.abort_ticks);
    p = to(p, InJmp, p.l.started);
    p.l.to_health = p.at;
    p = command(p, 32'h0008_0002, 32'hffff_ffff, c.base_low + c.middle + log_page);
    p = set(p, 4'd12, 32'(LogBytes / 4 - 1) << 16 | 32'd2);
    p = to(p, InCall, p.l.cmd);
    p = rg(p, InMov, 4'd2);                       // when any command is late
    p.l.started = p.at;
    p = rg(p, InSt, 4'd15);
    p = to(p, InJmp, p.l.mon);
    // ---- its completion -----------------------------------------------------------------------------
    p.l.came = p.at;
    p = op0(p, InFault);                          // the entry or the data before it was poisoned
    p = to(p, InJnz, p.l.bad);
    p = to(p, InCall, p.l.got);                       // R1: its status
    p = rg(p, InMov, 4'd0);
    p = im(p, InSub, AskAbort);
    p = to(p, InJz, p.l.abort_end);
    p = to(p, InJn, p.l.log_end);
    p = rg(p, InMov, 4'd1);
    p = out(p, OutFormatEnd);
    p = to(p, InJnz, p.l.served);
    p = to(p, InJmp, p.l.bad);                       // WhyNone: brought up again, for it may have another size
    p.l.log_end = p.at;
    p = rg(p, InMov, 4'd1);
    p = to(p, InJnz, p.l.log_done);
    p = set(p, 4'd2, log_page);
    p.l.log_loop = p.at;
    p = rg(p, InMemRd, 4'd2);
    p = out(p, OutLog);
    p = rg(p, InMov, 4'd2);
    p = im(p, InAdd, 32'd4);
    p = rg(p, InSt, 4'd2);
    p = im(p, InXor, log_page + 32'(LogBytes));
    p = to(p, InJnz, p.l.log_loop);
    p.l.log_done = p.at;                           // A: the status
    p = out(p, OutHealthEnd);
    p.l.served = p.at;
    p = set(p, 4'd0, 32'd0);
    p = to(p, InJmp, p.l.mon);
    p.l.abort_end = p.at;
    p = rg(p, InMov, 4'd7);                       // bit 0: not aborted
    p = im(p, InAnd, 32'd1);
    p = rg(p, InOr, 4'd1);
    p = to(p, InJnz, p.l.abort_bad);
    p = set(p, 4'd0, AskAborted);
    p = to(p, InJmp, p.l.abort_time);
    p.l.aborted = p.at;
    p = op0(p, InAsk);
    p = im(p, InAnd, 32'd3);
    p = im(p, InXor, AskAbort);
    p = to(p, InJz, p.l.timed);                      // the command is not back yet
    p = to(p, InJmp, p.l.served);
    p.l.abort_bad = p.at;
    p = im(p, InMov, 32'(WhyAbort));
    p = to(p, InJmp, p.l.bad);
    return p;
  endfunction

  // A normal shutdown (NVMe Base Specification, "Memory-based Controller Shutdown"): nothing is out; the I/O submission queue
  // is deleted, then the completion queue, CC.SHN is set, and CSTS.SHST is awaited. What the drive says to the deletions, or that
  // it says nothing, changes nothing: the shutdown is for its cache, and it must hear of it.
  function automatic program_t shutdown(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p.l.to_shut = p.at;
    p = im(p, InStep, 32'(StepShut));
    p = im(p, InMov, 32'd0);
    p = op0(p, InPause);                          // no doorbell of a queue that is no more
    p = set(p, 4'd0, AskFormat);                  // no data, and its completion is looked for here
    p = set(p, 4'd12, 32'd1);                     // queue identifier
    for (int unsigned i = 0; i < 2; i++) begin
      p = command(p, (i == 0) ? 32'h0009_0000 : 32'h000a_0004, 32'd0, 32'd0);
      p = to(p, InCall, p.l.cmd);                 // R2: until when
      p.l.del_loop[i] = p.at;
      p = put(p, InMemRd, 1'b1, 4'd8, 32'd12);
      p = rg(p, InXor, 4'd5);
      p = im(p, InAnd, 32'h0001_0000);
      p = to(p, InJz, p.l.del_came[i]);
      p = op0(p, InTime);
      p = rg(p, InSub, 4'd2);
      p = to(p, InJn, p.l.del_loop[i]);
      p = to(p, InJmp, p.l.shn);
      p.l.del_came[i] = p.at;
      p = to(p, InCall, p.l.got_ok);
    end
    p.l.shn = p.at;
    p = bar_wr(p, 32'h14, 32'h0046_4001);         // CC as it was, SHN = 01b
    p = op0(p, InTime);
    p = im(p, InAdd, c.shut_ticks);
    p = rg(p, InSt, 4'd2);
    p.l.shut_loop = p.at;
    p = to(p, InCall, p.l.csts);
    p = im(p, InAnd, 32'h2);
    p = to(p, InJnz, p.l.cfs);
    p = rg(p, InMov, 4'd1);
    p = im(p, InAnd, 32'hc);                      // SHST
    p = im(p, InXor, 32'h8);
    p = to(p, InJz, p.l.shut);
    p = op0(p, InTime);
    p = rg(p, InSub, 4'd2);
    p = to(p, InJn, p.l.shut_loop);
    p = fail(p, WhyTimeout);
    p.l.shut = p.at;
    p = fail(p, WhyShut);
    return p;
  endfunction

  function automatic program_t admin(input program_t start, input layout_t c);
    program_t p;
    p = start;
    // ---- a command of the admin queue: in the bring-up until it is completed, running until it is sent ----------
    p.l.cmd = p.at;
    p = rg(p, InMov, 4'd3);
    p = times(p, InShl, 6);
    p = rg(p, InSt, 4'd8);
    p = im(p, InAdd, 32'd60);
    p = rg(p, InSt, 4'd2);
    p.l.zero = p.at;                                 // from its last DW down
    p = im(p, InMov, 32'd0);
    p = rg(p, InSqWr, 4'd2);
    p = rg(p, InMov, 4'd2);
    p = im(p, InSub, 32'd4);
    p = rg(p, InSt, 4'd2);
    p = rg(p, InSub, 4'd8);
    p = to(p, InJnz, p.l.zero);
    p = rg(p, InMov, 4'd3);                       // the identifier has its place in the queue: a second completion of the
    p = op0(p, InRor8);                           // one before is not taken for this one's
    p = rg(p, InOr, 4'd9);
    p = rg(p, InSt, 4'd9);
    p = put(p, InSqWr, 1'b1, 4'd8, 32'd0);
    p = sq(p, 32'd4, 4'd10);
    p = sq(p, 32'd40, 4'd12);
    p = sq(p, 32'd44, 4'd13);
    p = sq(p, 32'd24, 4'd11);
    p = rg(p, InMov, 4'd0);                       // an Abort and a Format have no data
    p = im(p, InAnd, 32'd2);
    p = to(p, InJnz, p.l.no_prp);
    p = im(p, InMov, c.base_high);
    p = put(p, InSqWr, 1'b1, 4'd8, 32'd28);
    p.l.no_prp = p.at;
    p = rg(p, InMov, 4'd3);
    p = im(p, InAdd, 32'd1);
    p = im(p, InAnd, 32'(Admin - 1));
    p = rg(p, InSt, 4'd3);
    p = im(p, InBarWr, 32'h1000);
    p = op0(p, InTime);
    p = im(p, InAdd, c.cmd_ticks);
    p = rg(p, InSt, 4'd2);
    p = rg(p, InMov, 4'd4);
    p = times(p, InShl, 4);
    p = im(p, InAdd, c.cq_at);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd0);
    p = to(p, InJz, p.l.poll);
    p = op0(p, InRet);
    p.l.poll = p.at;
    p = put(p, InMemRd, 1'b1, 4'd8, 32'd12);
    p = rg(p, InSt, 4'd1);
    p = op0(p, InFault);                          // the entry or the data before it was poisoned
    p = to(p, InJnz, p.l.poisoned);
    p = rg(p, InMov, 4'd1);
    p = rg(p, InXor, 4'd5);
    p = im(p, InAnd, 32'h0001_0000);
    p = to(p, InJz, p.l.got);
    p = op0(p, InTime);
    p = rg(p, InSub, 4'd2);
    p = to(p, InJn, p.l.poll);
    p.l.silent = p.at;
    p = to(p, InCall, p.l.csts);                      // why it is silent
    p = im(p, InAnd, 32'h2);
    p = to(p, InJnz, p.l.cfs);
    p = fail(p, WhyTimeout);
    p.l.got = p.at;                                  // DW 3 is in R1
    p = rg(p, InMov, 4'd9);
    p = times(p, InRor8, 2);
    p = rg(p, InXor, 4'd1);
    p = im(p, InAnd, 32'hffff);
    p = to(p, InJnz, p.l.bad_cid);
    p = field(p, 4'd1, 2, 32'hfffe);
    p = op0(p, InShr);
    p = rg(p, InSt, 4'd1);
    p = rg(p, InMov, 4'd0);
    p = to(p, InJnz, p.l.got_ok);
    p = rg(p, InMov, 4'd1);
    p = to(p, InJnz, p.l.bad_status);
    p.l.got_ok = p.at;
    p = rg(p, InMemRd, 4'd8);
    p = rg(p, InSt, 4'd7);
    p = rg(p, InMov, 4'd4);
    p = im(p, InAdd, 32'd1);
    p = im(p, InAnd, 32'(Admin - 1));
    p = rg(p, InSt, 4'd4);
    p = to(p, InJnz, p.l.no_wrap);
    p = rg(p, InMov, 4'd5);
    p = im(p, InXor, 32'h0001_0000);
    p = rg(p, InSt, 4'd5);
    p.l.no_wrap = p.at;
    p = rg(p, InMov, 4'd4);
    p = rg(p, InBarWr, 4'd14);
    p = op0(p, InRet);
    p.l.csts = p.at;                                 // CSTS in R1 and A
    p = im(p, InBarRd, 32'h1c);
    p = rg(p, InSt, 4'd1);
    p = im(p, InXor, 32'hffff_ffff);
    p = to(p, InJz, p.l.absent);
    p = rg(p, InMov, 4'd1);
    p = op0(p, InRet);
    return p;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on UNUSEDPARAM */
endpackage
