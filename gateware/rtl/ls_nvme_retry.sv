// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Gives a command again that the drive has ended with an error status whose Do Not Retry bit is clear, up
// to `Retries` times. It stands between the table and the retirement, and between the splitter and the
// issue: only the oldest command is given again, so that data and reports stay in their order, its buffer
// is still its own, and one counter of tries is enough. A piece of a user command that has failed already is
// not given again, nor anything after a fault.
//
// It is given alone, when all others that are out have come back, and none goes before it: so the entries
// that are out are never more than the window, wherever the submission queue stands. Its identifier is the one
// it had, with the number of the try above it, which is of no command in the window: its completion is taken
// here and the table does not see it, and a late completion of an earlier try is one that nobody waits for.
//
// Command Retry Delay is not waited for: it is zero unless the host asks for it by a feature, which this one does not.
module ls_nvme_retry
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Cmds     = 32,
  parameter int unsigned Retries  = 1,         // 1 to 15
  parameter int unsigned CmdTicks = 10000,
  parameter int unsigned PosBits  = 7,         // of a place in a buffer, in units
  localparam int unsigned CidBits = $clog2(Cmds)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             tick_i,
  input  logic             clear_i,          // the numbers begin at 0 again
  input  logic             run_i,
  input  logic             kill_i,           // what has not come back, will not
  output logic             late_o,           // the others, or this one, do not come back

  // commands: from the splitter, to the issue
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  cmd_t             cmd_i,
  output logic             cmd_valid_o,
  input  logic             cmd_ready_i,
  output cmd_t             cmd_o,
  input  logic             put_i,            // the issue has put a command
  output logic             put_o,            // and it is one for the table
  input  logic             other_i,          // the table has got one that is not from the issue
  input  logic [CidBits:0] next_i,           // with this number
  output logic [15:0]      cid_o,            // of the command to the issue
  output logic             own_o,            // that command is given again, and needs no room in the window

  // completions: from the drive, to the table
  input  logic             cpl_valid_i,
  input  logic [15:0]      cpl_cid_i,
  input  logic [14:0]      cpl_status_i,
  output logic             cpl_valid_o,
  input  logic             bad_cid_i,        // which knows it not

  // the oldest: from the table, to the retirement
  input  logic             done_i,
  input  rec_t             rec_i,
  input  logic [14:0]      status_i,
  input  logic             killed_i,
  input  logic             failed_i,
  output logic             done_o,
  output logic [14:0]      status_o,
  output logic             killed_o,
  output logic             failed_o,
  input  logic             broken_i,         // its user command has failed before
  input  logic             take_i
);

  if (Retries < 1 || Retries > 15 || Cmds > 256) begin : gen_check
    $error("%m: Retries must be 0 to 15");
  end

  localparam int unsigned Dnr = 14;           // in the Status Field without its phase

  // What the record of the window lacks of a command.
  typedef struct packed {
    logic               fua;
    logic [63:0]        lba;
    logic [15:0]        nlb;
    logic [PosBits-1:0] pos;
  } more_t;

  typedef enum logic [2:0] {StLook, StDrain, StGive, StOut, StEnd} state_e;
  state_e                        state_q;
  logic [3:0]                    tries_q;
  logic [CidBits:0]              number_q;    // of the oldest, or of the one that comes next
  logic [CidBits:0]              out_q;       // given to the drive, and not back
  logic [14:0]                   got_q;
  logic                          final_q, killed_q, failed_q, mine, answered, back;
  logic [15:0]                   cid_q;
  logic [$clog2(CmdTicks+2)-1:0] time_q;
  more_t                         more, more_q;

  (* ram_style = "distributed" *) logic [$bits(more_t)-1:0] mores [Cmds];
  assign more = '{fua: cmd_i.fua, lba: cmd_i.lba, nlb: cmd_i.nlb, pos: cmd_i.pos[PosBits-1:0]};
  always_ff @(posedge clk_i) begin
    if (put_o)   mores[next_i[CidBits-1:0]] <= more;
    if (!done_i) more_q <= more_t'(mores[number_q[CidBits-1:0]]);   // stands before its command is the oldest
  end

  // ---- to the drive ----------------------------------------------------------------------------
  assign own_o       = state_q == StGive;
  assign cmd_ready_o = cmd_ready_i && state_q inside {StLook, StEnd};
  assign cmd_valid_o = own_o ? run_i : (cmd_valid_i && state_q inside {StLook, StEnd});
  assign put_o       = put_i && !own_o;
  assign cid_o       = own_o ? cid_q : 16'(next_i);
  always_comb begin
    cmd_o = cmd_i;
    if (own_o) begin
      cmd_o     = '0;
      cmd_o.rec = rec_i;
      cmd_o.fua = more_q.fua;
      cmd_o.lba = more_q.lba;
      cmd_o.nlb = more_q.nlb;
      cmd_o.pos = 32'(more_q.pos);
    end
  end

  // ---- from the drive --------------------------------------------------------------------------
  assign mine        = state_q == StOut && cpl_cid_i == cid_q;
  assign answered    = cpl_valid_i && mine;
  assign cpl_valid_o = cpl_valid_i && !mine;
  assign back        = cpl_valid_o && !bad_cid_i;
  assign late_o      = time_q == ($bits(time_q))'(CmdTicks + 1);

  // ---- to the retirement -----------------------------------------------------------------------
  assign done_o   = (state_q == StLook) ? done_i && (!failed_i || final_q) : state_q == StEnd;
  assign status_o = (state_q == StEnd) ? got_q : status_i;
  assign killed_o = (state_q == StEnd) ? killed_q : killed_i;
  assign failed_o = (state_q == StEnd) ? failed_q : failed_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StLook;
      number_q <= '0;
      out_q    <= '0;
      tries_q  <= '0;
      final_q  <= 1'b0;
    end else begin
      if (clear_i) begin
        number_q <= '0;
        out_q    <= '0;
      end else begin
        if (done_o && take_i) number_q <= number_q + 1'b1;
        out_q <= out_q + (CidBits+1)'(put_o || other_i) - (CidBits+1)'(back);
      end
      final_q <= state_q == StLook && done_i && failed_i && !take_i;
      unique case (state_q)
        // A cycle to decide, where a command has failed.
        StLook:
          if (done_i && failed_i && !final_q && !killed_i && !broken_i && rec_i.op <= OpTrim && !status_i[Dnr] && run_i) begin
            state_q <= StDrain;
            final_q <= 1'b0;
          end
        StDrain: if (out_q == '0) state_q <= StGive;
        StGive:  if (put_i) state_q <= StOut;
        StOut:
          if (answered) state_q <= (cpl_status_i == '0 || cpl_status_i[Dnr] || tries_q == 4'(Retries)) ? StEnd : StDrain;
        StEnd:   if (take_i) state_q <= StLook;
        default: state_q <= StLook;
      endcase
      if (state_q == StDrain && out_q == '0) tries_q <= tries_q + 4'd1;
      if (state_q == StLook)                 tries_q <= '0;
      if (kill_i && state_q inside {StDrain, StGive, StOut}) state_q <= StEnd;
    end
  end
  always_ff @(posedge clk_i) begin
    cid_q <= {tries_q, 12'(number_q)};
    if (state_q != StEnd) begin
      killed_q <= !answered;
      failed_q <= !answered || cpl_status_i != '0;
      got_q    <= cpl_status_i;
    end
    if (state_q inside {StLook, StEnd} || answered) time_q <= '0;
    else if (tick_i && !late_o)                     time_q <= time_q + 1'b1;
  end

endmodule
