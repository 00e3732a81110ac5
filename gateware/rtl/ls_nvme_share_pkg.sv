// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The part of the program of ls_nvme_code for a host that shares its root port with others (ls_nvme_share): the
// drives are below one switch, each at a downstream port of its own. It is in the ROM only with `Share`.
//
// There is no lock. Where the bus numbers and windows of the switch are is a matter of the parameters, which all
// hosts have alike: the upstream port has the buses b, b+1 and up to b+1+Share, and a window for the registers of
// all; the port of host k has the bus b+2+k and the window of its drive. Each host writes all of them whenever it
// searches, so that none waits for another, and a write in the middle of another's traffic changes nothing. Ports of
// nobody are closed. The rest is of one host alone: MPS of its port and its drive, no more than that of the upstream port,
// which is what that port and MaxPayload allow, whatever is below.
package ls_nvme_share_pkg;
  import ls_nvme_pkg::*;
  import ls_nvme_prog_pkg::*;
  import ls_nvme_run_pkg::*;
  import ls_nvme_switch_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */
  /* verilator lint_off UNUSEDSIGNAL */

  // Primary, Secondary and Subordinate Bus Number; Memory Limit and Base. Of the port of host k, and of the upstream port.
  function automatic logic [31:0] buses(input layout_t c, input logic [31:0] k);
    return (c.bdf + 32'h100) >> 8 | (c.bdf + 32'h200 + (k << 8)) | ((c.bdf + 32'h200 + (k << 8)) << 8);
  endfunction
  function automatic logic [31:0] window(input logic [63:0] base, input logic [31:0] bytes);
    logic [31:0] last;
    last = base[31:0] + bytes - 32'd1;
    return {last[31:20], 4'h0, base[31:20], 4'h0};
  endfunction
  function automatic logic [63:0] first_bar(input layout_t c);
    return c.bar - 64'(c.place) * 64'(c.step);
  endfunction
  function automatic logic [31:0] top_buses(input layout_t c);
    return c.bdf >> 8 | (c.bdf + 32'h100) | ((c.bdf + 32'h100 + (c.share << 8)) << 8);
  endfunction

  // What a port is to have, into 8 and 14.
  function automatic program_t port_of(input program_t p, input layout_t c, input logic [31:0] k);
    port_of = set(p, 4'd8, buses(c, k));
    port_of = set(port_of, 4'd14, window(first_bar(c) + 64'(k) * 64'(c.step), c.step));
  endfunction

  // Registers in it and in `path`: 4 {bus, device 0, function 0} of the drive; 5 of a port; 6 of the port of this host;
  // 7 how many ports there were before that; 8 bus numbers and 14 window that a port is to have; 9 when the search ends.
  function automatic program_t search_shared(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = op0(p, InTime);
    p = im(p, InAdd, LookTicks);
    p = rg(p, InSt, 4'd9);
    p = set(p, 4'd4, c.bdf + 32'h200 + (c.place << 8));
    p = set(p, 4'd6, 32'd0);
    p = set(p, 4'd7, 32'd0);
    p = im(p, InMov, c.bdf);
    p = out(p, OutBdf);
    p = im(p, InCfgRd, 32'h00);
    p = im(p, InXor, 32'hffff_ffff);
    p = to(p, InJz, p.l.absent);
    p = im(p, InStep, 32'(StepSwitch));
    p = im(p, InCfgRd, 32'h0c);
    p = im(p, InAnd, 32'h007f_0000);              // Header Type: a bridge
    p = im(p, InXor, 32'h0001_0000);
    p = to(p, InJnz, p.l.unfit);
    p = set(p, 4'd8, top_buses(c));
    p = set(p, 4'd14, window(first_bar(c), c.share * c.step));
    p = to(p, InCall, p.l.sw_open);
    p = to(p, InCall, p.l.sw_kept);
    // ---- its ports, in their order ----------------------------------------------------------------
    p = set(p, 4'd5, c.bdf + 32'h100);
    p.l.sw_port = p.at;
    p = im(p, InStep, 32'(StepSwitch));
    p = asked(p, 4'd5);
    p = im(p, InCfgRd, Soft | 32'h0c);
    p = im(p, InAnd, 32'h007f_0000);
    p = im(p, InXor, 32'h0001_0000);
    p = to(p, InJnz, p.l.sw_next);
    for (int unsigned k = 0; k < c.share; k++) begin
      p = rg(p, InMov, 4'd7);
      p = im(p, InXor, 32'(c.ports[k*5+:5]));
      p = to(p, InJnz, p.l.sw_not[k]);
      p = port_of(p, c, k);
      p = to(p, InCall, p.l.sw_open);
      if (k == c.place) begin
        p = to(p, InCall, p.l.sw_kept);
        p = rg(p, InMov, 4'd5);
        p = rg(p, InSt, 4'd6);
      end
      p = to(p, InJmp, p.l.sw_shut);
      p.l.sw_not[k] = p.at;
    end
    p = im(p, InMov, 32'd0);                      // of nobody
    p = im(p, InCfgWr, 32'h04);
    p = im(p, InCfgWr, 32'h18);
    p.l.sw_shut = p.at;
    p = rg(p, InMov, 4'd7);
    p = im(p, InAdd, 32'd1);
    p = rg(p, InSt, 4'd7);
    p.l.sw_next = p.at;
    p = rg(p, InMov, 4'd5);
    p = im(p, InAdd, 32'h8);
    p = rg(p, InSt, 4'd5);
    p = im(p, InAnd, 32'hff);
    p = to(p, InJnz, p.l.sw_port);
    p = im(p, InStep, 32'(StepSwitch));
    p = rg(p, InMov, 4'd6);
    p = to(p, InJz, p.l.unfit);                      // no such port
    // ---- below the own one --------------------------------------------------------------------------
    p = asked(p, 4'd4);
    p.l.sw_wait = p.at;
    p = im(p, InCfgRd, Soft | 32'h00);            // UR: its link is down
    p = im(p, InXor, 32'hffff_ffff);
    p = to(p, InJnz, p.l.sw_look);
    p = op0(p, InTime);
    p = rg(p, InSub, 4'd9);
    p = to(p, InJn, p.l.sw_wait);
    p = to(p, InJmp, p.l.absent);
    // ---- the port that is asked gets what is in 8 and 14, memory space, bus master, no INTx -------------
    p.l.sw_open = p.at;
    p = rg(p, InMov, 4'd8);
    p = im(p, InCfgWr, 32'h18);
    p = windows(p, c);
    p = im(p, InMov, 32'h0406);
    p = im(p, InCfgWr, 32'h04);
    p = op0(p, InRet);
    // ---- and has kept it ------------------------------------------------------------------------------
    p.l.sw_kept = p.at;
    p = im(p, InStep, 32'(StepBridge));
    p = keeps_buses(p);
    p = keeps_window(p, c);
    p = op0(p, InRet);
    p.l.sw_look = p.at;
    p = im(p, InCfgRd, 32'h08);
    p = op0(p, InRor8);
    p = im(p, InAnd, 32'h00ff_ffff);
    p = im(p, InXor, 32'h0001_0802);
    p = to(p, InJnz, p.l.unfit);
    return p;
  endfunction

  // In 1 and A: the bits of an address that BAR0 has. It is no larger than there is place for.
  function automatic program_t fits_step(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = im(p, InXor, 32'hffff_ffff);              // its size less 1
    p = im(p, InAnd, ~(c.step - 32'd1));
    p = to(p, InJnz, p.l.unfit);
    p = rg(p, InMov, 4'd1);
    return p;
  endfunction

  // ---- MPS, from the upstream port down; what a port or the drive allows is what those above have at most ----------
  // `path_to_shared` is before the PCI Express Capability of each is found, `path_at_shared` with 1 its Device
  // Control and 2 its Device Capabilities. 3 is MPS, 5 who it is, 10 Device Control of the port.
  function automatic program_t path_to_shared(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = set(p, 4'd3, c.mps);
    p = set(p, 4'd5, c.bdf);
    p.l.path_down = p.at;
    p = im(p, InStep, 32'(StepExpress));
    p = asked(p, 4'd5);
    return p;
  endfunction

  function automatic program_t path_at_shared(input program_t start, input layout_t c);
    program_t p;
    p = start;
    p = im(p, InAnd, 32'h7);
    p = rg(p, InSt, 4'd8);
    p = rg(p, InSub, 4'd3);
    p = to(p, InJn, p.l.path_less);
    p = to(p, InJmp, p.l.path);
    p.l.path_less = p.at;
    p = rg(p, InMov, 4'd8);
    p = rg(p, InSt, 4'd3);
    p.l.path = p.at;
    p = rg(p, InMov, 4'd3);
    p = times(p, InShl, 5);
    p = im(p, InOr, 32'h2000);                    // MRRS 512
    p = rg(p, InSt, 4'd8);
    p = rg(p, InMov, 4'd5);
    p = rg(p, InXor, 4'd4);
    p = to(p, InJz, p.l.path_drive);
    p = rg(p, InMov, 4'd5);
    p = rg(p, InXor, 4'd6);
    p = to(p, InJz, p.l.path_port);
    p = rg(p, InMov, 4'd8);                       // a port makes no requests: no extended tags
    p = rg(p, InCfgWr, 4'd1);
    p = rg(p, InMov, 4'd6);
    p = rg(p, InSt, 4'd5);
    p = to(p, InJmp, p.l.path_down);
    p.l.path_port = p.at;
    p = rg(p, InMov, 4'd1);
    p = rg(p, InSt, 4'd10);
    p = rg(p, InMov, 4'd4);
    p = rg(p, InSt, 4'd5);
    p = to(p, InJmp, p.l.path_down);
    p.l.path_drive = p.at;
    p = asked(p, 4'd6);
    p = rg(p, InMov, 4'd8);
    p = rg(p, InCfgWr, 4'd10);
    p = asked(p, 4'd4);
    p = rg(p, InMov, 4'd2);
    p = im(p, InAnd, 32'h20);                     // Extended Tag Field Supported
    p = times(p, InShl, 3);
    p = rg(p, InOr, 4'd8);
    p = rg(p, InCfgWr, 4'd1);
    p = rg(p, InMov, 4'd3);
    p = out(p, OutMps);
    return p;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on UNUSEDPARAM */
endpackage
