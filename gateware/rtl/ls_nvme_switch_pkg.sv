// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The part of the program of ls_nvme_code that finds a drive below switches, and makes a way to it. It is in the
// ROM only with `Switch`.
//
// A switch is a bridge directly below a port, its upstream port, with bridges on the bus below that, its
// downstream ports, each with a bus of its own. The search goes down in depth: a drive below n switches is on
// the bus 2n after the root port's secondary one, whatever the ports, so that the way down to it is known from
// its bus and the devices of the downstream ports, which are kept a byte each. While it searches, the buses
// up to the last one lie behind each port on the way; afterwards they end at the drive's.
package ls_nvme_switch_pkg;
  import ls_nvme_pkg::*;
  import ls_nvme_prog_pkg::*;
  import ls_nvme_run_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */
  /* verilator lint_off UNUSEDSIGNAL */

  // A link below a switch may come up later than that of the root port: as long is looked for a drive (ms; the
  // standard gives a device 1 s until it must answer a configuration request).
  localparam logic [31:0] LookTicks = 32'd1000;

  // From here on configuration requests go to the function in a register, which is in A then.
  function automatic program_t asked(input program_t p, input logic [3:0] r);
    asked = out(rg(p, InMov, r), OutBdf);
  endfunction

  // The port that is asked: its windows, the one for registers as 14 says, the others closed.
  function automatic program_t windows(input program_t p, input layout_t c);
    windows = im(p, InMov, 32'h0000_00f0);        // I/O
    windows = im(windows, InCfgWr, 32'h1c);
    windows = im(windows, InMov, 32'h0000_fff0);  // of the memory windows the one that is not used
    windows = im(windows, InCfgWr, (c.bar[63:32] != '0) ? 32'h20 : 32'h24);
    windows = im(windows, InMov, c.bar[63:32]);
    windows = im(windows, InCfgWr, 32'h28);
    windows = im(windows, InCfgWr, 32'h2c);
    windows = rg(windows, InMov, 4'd14);
    windows = im(windows, InCfgWr, (c.bar[63:32] != '0) ? 32'h24 : 32'h20);
  endfunction
  // It has kept its bus numbers, as 8 has them; its window.
  function automatic program_t keeps_buses(input program_t p);
    keeps_buses = im(p, InCfgRd, 32'h18);
    keeps_buses = im(keeps_buses, InAnd, 32'h00ff_ffff);
    keeps_buses = rg(keeps_buses, InXor, 4'd8);
    keeps_buses = to(keeps_buses, InJnz, p.l.unfit);
  endfunction
  function automatic program_t keeps_window(input program_t p, input layout_t c);
    keeps_window = im(p, InCfgRd, (c.bar[63:32] != '0) ? 32'h24 : 32'h20);
    keeps_window = im(keeps_window, InAnd, 32'hfff0_fff0);
    keeps_window = rg(keeps_window, InXor, 4'd14);
    keeps_window = to(keeps_window, InJnz, p.l.unfit);
  endfunction

  // Registers in it and in `path`: 4 {bus, device 0, function 0} of what is looked at, the drive in the end;
  // 5 {bus, device, function} of a downstream port; 6 the devices of the ports above, the nearest in the lowest
  // byte; 7 whether there was something that is no drive; 8 at will; 9 when the search ends.
  function automatic program_t search(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = op0(p, InTime);
    p = im(p, InAdd, LookTicks);
    p = rg(p, InSt, 4'd9);
    p.l.sw_again = p.at;
    p = set(p, 4'd6, 32'd0);
    p = set(p, 4'd7, 32'd0);
    p = set(p, 4'd4, c.bdf);
    p = out(p, OutBdf);
    p = im(p, InCfgRd, 32'h00);
    p = im(p, InXor, 32'hffff_ffff);
    p = to(p, InJz, p.l.absent);
    // ---- what is it ------------------------------------------------------------------------------
    p.l.sw_look = p.at;
    p = im(p, InCfgRd, 32'h0c);
    p = im(p, InAnd, 32'h007f_0000);              // Header Type
    p = im(p, InXor, 32'h0001_0000);
    p = to(p, InJz, p.l.bridge);
    p = im(p, InCfgRd, 32'h08);
    p = op0(p, InRor8);
    p = im(p, InAnd, 32'h00ff_ffff);
    p = im(p, InXor, 32'h0001_0802);
    p = to(p, InJz, p.l.sw_found);
    p = rg(p, InMov, 4'd4);
    p = im(p, InXor, c.bdf);
    p = to(p, InJz, p.l.unfit);
    p.l.deep = p.at;                              // no drive, or one switch too many
    p = set(p, 4'd7, 32'd1);
    p = to(p, InJmp, p.l.sw_pop);
    // ---- a switch ----------------------------------------------------------------------------------
    p.l.bridge = p.at;
    p = im(p, InStep, 32'(StepSwitch));
    p = rg(p, InMov, 4'd4);
    p = im(p, InXor, c.last);
    p = to(p, InJz, p.l.deep);
    p = rg(p, InMov, 4'd4);
    p = to(p, InCall, p.l.sw_number);
    // All of its ports are closed: another one may have been open to a drive that was there before.
    p = rg(p, InMov, 4'd4);
    p = im(p, InAdd, 32'h1f8);
    p = rg(p, InSt, 4'd5);
    p.l.sw_close = p.at;
    p = asked(p, 4'd5);
    p = im(p, InMov, 32'd0);
    p = im(p, InCfgWr, Soft | 32'h04);
    p = im(p, InCfgWr, Soft | 32'h18);
    p = rg(p, InMov, 4'd5);
    p = im(p, InSub, 32'h8);
    p = rg(p, InSt, 4'd5);
    p = rg(p, InSub, 4'd4);
    p = im(p, InSub, 32'h100);
    p = to(p, InJn, p.l.sw_down);
    p = to(p, InJmp, p.l.sw_close);
    p.l.sw_down = p.at;
    p = rg(p, InMov, 4'd4);
    p = im(p, InAdd, 32'h100);
    p = rg(p, InSt, 4'd5);
    // ---- a port of it: nobody, no bridge, or one below which somebody may be --------------------------
    p.l.sw_port = p.at;
    p = asked(p, 4'd5);
    p = im(p, InCfgRd, Soft | 32'h0c);
    p = im(p, InAnd, 32'h007f_0000);
    p = im(p, InXor, 32'h0001_0000);
    p = to(p, InJnz, p.l.sw_next);
    p = rg(p, InMov, 4'd5);
    p = to(p, InCall, p.l.sw_number);
    p = rg(p, InMov, 4'd5);
    p = im(p, InAnd, 32'hff00);
    p = im(p, InAdd, 32'h100);
    p = rg(p, InSt, 4'd8);
    p = out(p, OutBdf);
    p = im(p, InCfgRd, Soft | 32'h00);            // UR: its link is down
    p = im(p, InXor, 32'hffff_ffff);
    p = to(p, InJz, p.l.sw_shut);
    p = rg(p, InMov, 4'd8);
    p = rg(p, InSt, 4'd4);
    p = rg(p, InMov, 4'd5);
    p = im(p, InAnd, 32'hff);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd6);
    p = times(p, InRor8, 3);
    p = rg(p, InOr, 4'd8);
    p = rg(p, InSt, 4'd6);
    p = to(p, InJmp, p.l.sw_look);
    p.l.sw_shut = p.at;
    p = asked(p, 4'd5);
    p = im(p, InMov, 32'd0);
    p = im(p, InCfgWr, 32'h18);
    p.l.sw_next = p.at;
    p = rg(p, InMov, 4'd5);
    p = im(p, InAdd, 32'h8);
    p = rg(p, InSt, 4'd5);
    p = im(p, InAnd, 32'hff);
    p = to(p, InJnz, p.l.sw_port);
    p = rg(p, InMov, 4'd4);
    p = im(p, InXor, c.bdf);
    p = to(p, InJz, p.l.sw_empty);
    // ---- back to the port above -----------------------------------------------------------------------
    p.l.sw_pop = p.at;
    p = rg(p, InMov, 4'd6);
    p = im(p, InAnd, 32'hff);
    p = rg(p, InAdd, 4'd4);
    p = im(p, InSub, 32'h100);
    p = rg(p, InSt, 4'd5);
    p = rg(p, InMov, 4'd4);
    p = im(p, InSub, 32'h200);
    p = rg(p, InSt, 4'd4);
    p = rg(p, InMov, 4'd6);
    p = im(p, InAnd, 32'hffff_ff00);
    p = op0(p, InRor8);
    p = rg(p, InSt, 4'd6);
    p = to(p, InJmp, p.l.sw_shut);
    p.l.sw_empty = p.at;
    p = op0(p, InTime);
    p = rg(p, InSub, 4'd9);
    p = to(p, InJn, p.l.sw_again);
    p = rg(p, InMov, 4'd7);
    p = to(p, InJz, p.l.absent);
    p = to(p, InJmp, p.l.unfit);
    // ---- the bridge in A: what is behind it, until it is known -----------------------------------------
    p.l.sw_number = p.at;
    p = out(p, OutBdf);
    p = im(p, InAnd, 32'hff00);
    p = im(p, InAdd, c.last << 8 | 32'h100);      // Subordinate, Secondary
    p = rg(p, InSt, 4'd8);
    p = im(p, InAnd, 32'hff00);
    p = op0(p, InRor8);
    p = im(p, InSub, 32'd1);                      // Primary
    p = rg(p, InOr, 4'd8);
    p = im(p, InCfgWr, 32'h18);
    p = op0(p, InRet);
    p.l.sw_found = p.at;
    return p;
  endfunction

  // ---- the way to the drive, twice from it up -------------------------------------------------------
  // First what all on it can: MPS in 3. Then it is set. `path_to` is before the PCI Express Capability of each
  // is found, `path_at` with 1 its Device Control and 2 its Device Capabilities. 5 is who it is, 7 the
  // devices of the ports above it, 10 whether it is the second time, 14 the window.
  function automatic program_t path_to(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = set(p, 4'd3, c.mps);
    p = set(p, 4'd10, 32'd0);
    p.l.path = p.at;
    p = rg(p, InMov, 4'd4);
    p = rg(p, InSt, 4'd5);
    p = rg(p, InMov, 4'd6);
    p = rg(p, InSt, 4'd7);
    p.l.path_down = p.at;
    p = im(p, InStep, 32'(StepExpress));
    p = asked(p, 4'd5);
    return p;
  endfunction

  function automatic program_t path_at(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = rg(p, InMov, 4'd10);
    p = to(p, InJnz, p.l.path_write);
    p = rg(p, InMov, 4'd2);
    p = im(p, InAnd, 32'h7);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InSub, 4'd3);
    p = to(p, InJn, p.l.path_less);
    p = to(p, InJmp, p.l.path_up);
    p.l.path_less = p.at;
    p = rg(p, InMov, 4'd8);
    p = rg(p, InSt, 4'd3);
    p = to(p, InJmp, p.l.path_up);
    p.l.path_write = p.at;
    p = rg(p, InMov, 4'd3);
    p = times(p, InShl, 5);
    p = im(p, InOr, 32'h2000);                    // MRRS 512
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd5);
    p = rg(p, InXor, 4'd4);
    p = to(p, InJz, p.l.path_drive);
    p = rg(p, InMov, 4'd8);                       // a port makes no requests: no extended tags
    p = rg(p, InCfgWr, 4'd1);
    // ---- a port: the buses up to the drive's, the window of its BAR, memory space, bus master, no INTx ---
    p = im(p, InStep, 32'(StepBridge));
    p = rg(p, InMov, 4'd5);
    p = im(p, InAnd, 32'hff00);
    p = im(p, InAdd, 32'h100);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd4);
    p = times(p, InRor8, 3);                      // the drive's bus, as Subordinate
    p = rg(p, InOr, 4'd8);
    p = rg(p, InSt, 4'd8);
    p = im(p, InAnd, 32'hff00);
    p = op0(p, InRor8);
    p = im(p, InSub, 32'd1);
    p = rg(p, InOr, 4'd8);
    p = im(p, InCfgWr, 32'h18);
    p = rg(p, InSt, 4'd8);
    p = keeps_buses(p);
    p = windows(p, c);
    p = keeps_window(p, c);
    p = im(p, InMov, 32'h0406);
    p = im(p, InCfgWr, 32'h04);
    p = to(p, InJmp, p.l.path_up);
    p.l.path_drive = p.at;
    p = rg(p, InMov, 4'd2);
    p = im(p, InAnd, 32'h20);                     // Extended Tag Field Supported
    p = times(p, InShl, 3);
    p = rg(p, InOr, 4'd8);
    p = rg(p, InCfgWr, 4'd1);
    // ---- up: from a downstream port to the upstream port above, which is device 0, or from there to the next ----
    p.l.path_up = p.at;
    p = rg(p, InMov, 4'd5);
    p = im(p, InXor, c.bdf);
    p = to(p, InJz, p.l.path_end);
    p = im(p, InAnd, 32'h100);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd5);
    p = im(p, InAnd, 32'hff00);
    p = im(p, InSub, 32'h100);
    p = rg(p, InSt, 4'd5);
    p = rg(p, InMov, 4'd8);
    p = to(p, InJnz, p.l.path_down);
    p = rg(p, InMov, 4'd7);
    p = im(p, InAnd, 32'hff);
    p = rg(p, InOr, 4'd5);
    p = rg(p, InSt, 4'd5);
    p = rg(p, InMov, 4'd7);
    p = op0(p, InRor8);
    p = rg(p, InSt, 4'd7);
    p = to(p, InJmp, p.l.path_down);
    p.l.path_end = p.at;
    p = rg(p, InMov, 4'd10);
    p = to(p, InJnz, p.l.path_done);
    p = set(p, 4'd10, 32'd1);
    p = to(p, InJmp, p.l.path);
    p.l.path_done = p.at;
    p = asked(p, 4'd4);
    p = rg(p, InMov, 4'd3);
    p = out(p, OutMps);
    return p;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on UNUSEDPARAM */
endpackage
