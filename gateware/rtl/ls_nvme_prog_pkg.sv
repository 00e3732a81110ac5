// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The assembler of the program in ls_nvme_code: each function appends an instruction, or a few, and
// the place where the next goes is the value of a label.
package ls_nvme_prog_pkg;
  import ls_nvme_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned Words = 448;

  typedef struct packed {
    logic [8:0]       at;
    ins_t [Words-1:0] code;
  } program_t;

  function automatic program_t put(input program_t p, input in_e op, input logic reg_op, input logic [3:0] r,
                                   input logic [31:0] imm);
    put = p;
    put.code[p.at] = '{op: op, reg_op: reg_op, r: r, imm: imm};
    put.at = p.at + 9'd1;
  endfunction
  // With a number, with a register, with a label, with neither.
  function automatic program_t im(input program_t p, input in_e op, input logic [31:0] imm);
    return put(p, op, 1'b0, 4'd0, imm);
  endfunction
  function automatic program_t rg(input program_t p, input in_e op, input logic [3:0] r);
    return put(p, op, 1'b1, r, '0);
  endfunction
  function automatic program_t to(input program_t p, input in_e op, input logic [8:0] label);
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
    sq = rg(p, InMov, 4'd8);
    sq = im(sq, InAdd, offset);
    sq = rg(sq, InSt, 4'd2);
    sq = rg(sq, InMov, from);
    sq = rg(sq, InSqWr, 4'd2);
  endfunction
  function automatic program_t set(input program_t p, input logic [3:0] where, input logic [31:0] value);
    set = im(p, InMov, value);
    set = rg(set, InSt, where);
  endfunction
  function automatic program_t bar_wr(input program_t p, input logic [31:0] at, input logic [31:0] value);
    bar_wr = im(p, InMov, value);
    bar_wr = im(bar_wr, InBarWr, at);
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
