// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The assembler of the program in ls_nvme_code: each function appends an instruction, or a few, and
// the place where the next goes is the value of a label.
package ls_nvme_prog_pkg;
  import ls_nvme_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned Words = 1024;

  // Where a label stands; from the second pass on it is known before its use.
  typedef struct packed {
    logic [10:0] bar_size, bar_fit, cap_walk, cap_found, mps_ok, stride, cap, disable_, dis_wait, dis_done,
                en_wait, en_done, mdts_loop, mdts_done, blk_loop, blk_done,
                mon, mon_wait, timed, idle, tick, bad, serve, to_abort, abort_time, to_health, started, came,
                log_end, log_loop, log_done, served, abort_end, aborted, abort_bad, cmd, zero, no_prp, poll, got,
                got_ok, no_wrap, csts, absent, unfit, cfs, poisoned, silent, bad_cid, lost_cid, bad_status,
                bridge, deep, sw_again, sw_look, sw_close, sw_down, sw_port, sw_shut, sw_next, sw_pop, sw_empty, sw_number,
                sw_found, path, path_down, path_less, path_write, path_drive, path_up, path_end, path_done, sw_open, sw_kept, sw_wait, path_port, no_cache,
                to_shut, shn, shut_loop, shut;
    logic [7:0][10:0] sw_not;
    logic [1:0][10:0] del_loop, del_came;
  } labels_t;

  typedef struct packed {
    labels_t          l;
    logic [10:0]      at;
    ins_t [Words-1:0] code;
  } program_t;

  function automatic program_t put(input program_t p, input in_e op, input logic reg_op, input logic [3:0] r,
                                   input logic [31:0] imm);
    put = p;
    put.code[p.at[9:0]] = '{op: op, reg_op: reg_op, r: r, imm: imm};
    put.at = p.at + 11'd1;
  endfunction
  // With a number, with a register, with a label, with neither.
  function automatic program_t im(input program_t p, input in_e op, input logic [31:0] imm);
    return put(p, op, 1'b0, 4'd0, imm);
  endfunction
  function automatic program_t rg(input program_t p, input in_e op, input logic [3:0] r);
    return put(p, op, 1'b1, r, '0);
  endfunction
  function automatic program_t to(input program_t p, input in_e op, input logic [10:0] label);
    return put(p, op, 1'b0, 4'd0, 32'(label));
  endfunction
  function automatic program_t op0(input program_t p, input in_e op);
    return put(p, op, 1'b0, 4'd0, '0);
  endfunction
  function automatic program_t out(input program_t p, input logic [3:0] which);
    return put(p, InOut, 1'b0, which, '0);
  endfunction
  function automatic program_t fail(input program_t p, input why_e why);
    return put(p, InFail, 1'b0, 4'd0, 32'(why));
  endfunction
  function automatic program_t times(input program_t p, input in_e op, input int unsigned count);
    times = p;
    for (int unsigned i = 0; i < count; i++) times = op0(times, op);
  endfunction
  // A register's value into the DW at `offset` of the entry that R8 is the start of.
  function automatic program_t sq(input program_t p, input logic [31:0] offset, input logic [3:0] from);
    sq = rg(p, InMov, from);
    sq = put(sq, InSqWr, 1'b1, 4'd8, offset);
  endfunction
  // Bits of a register.
  function automatic program_t field(input program_t p, input logic [3:0] from, input int unsigned bytes, input logic [31:0] mask);
    field = rg(p, InMov, from);
    field = times(field, InRor8, bytes);
    field = im(field, InAnd, mask);
  endfunction
  function automatic program_t set(input program_t p, input logic [3:0] where, input logic [31:0] value);
    set = im(p, InMov, value);
    set = rg(set, InSt, where);
  endfunction
  // Command Dword 0, the namespace, and PRP 1.
  function automatic program_t command(input program_t p, input logic [31:0] dw0, input logic [31:0] nsid, input logic [31:0] prp1);
    command = set(p, 4'd9, dw0);
    command = set(command, 4'd10, nsid);
    command = set(command, 4'd11, prp1);
  endfunction
  // Set Features of the controller; no data.
  function automatic program_t feature(input program_t p, input logic [31:0] which, input logic [31:0] value);
    feature = set(p, 4'd9, 32'h0009_0009);
    feature = set(feature, 4'd10, 32'd0);
    feature = set(feature, 4'd12, which);
    feature = set(feature, 4'd13, value);
  endfunction
  function automatic program_t bar_wr(input program_t p, input logic [31:0] at, input logic [31:0] value);
    bar_wr = im(p, InMov, value);
    bar_wr = im(bar_wr, InBarWr, at);
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
