// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// User commands that do not go to the I/O queue: a Format with its key, for the sequencer to give, and what
// is refused, which is a Format without the key and any operation that is none. Both get a number in the window, so that
// their reports come in order and a reset of the drive ends them as it ends all others; their completion is
// put in here. While one is out nothing else is given, nor taken: after a Format the drive is brought up again and may
// have other blocks.
module ls_nvme_serve
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Cmds = 32,
  localparam int unsigned CidBits = $clog2(Cmds)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             run_i,
  input  logic             dead_i,          // a command is only entered, to be ended
  input  logic             kill_i,          // what has not come back, will not

  // from the splitter; to the issue go the others
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  cmd_t             cmd_i,
  output logic             cmd_valid_o,
  input  logic             cmd_ready_i,

  // to the table
  input  logic             room_i,
  input  logic [CidBits:0] next_i,
  output logic             put_o,
  output rec_t             rec_o,
  output logic             busy_o,          // the splitter takes nothing
  output logic             slow_o,          // a command is out that may take long
  output logic             cpl_valid_o,     // a completion, until it is taken
  input  logic             cpl_ready_i,
  output logic [15:0]      cpl_cid_o,
  output logic [14:0]      cpl_status_o,

  // to the sequencer
  output logic             ask_o,
  output logic [15:0]      cdw10_o,
  input  logic             end_i,           // with this status
  input  logic [14:0]      status_i
);

  typedef enum logic [1:0] {StIdle, StAsk, StCpl, StRest} state_e;
  state_e           state_q;
  logic [CidBits:0] number_q;
  logic             mine, key_q;

  // None of them goes to the I/O queue.
  assign mine        = cmd_i.rec.op > OpTrim;
  assign cmd_valid_o = cmd_valid_i && !mine && state_q == StIdle;
  assign put_o       = cmd_valid_i && mine && state_q == StIdle && room_i && (run_i || dead_i);
  assign cmd_ready_o = mine ? put_o : (cmd_ready_i && state_q == StIdle);
  assign busy_o      = state_q != StIdle;
  assign slow_o      = state_q == StAsk;
  assign ask_o       = state_q == StAsk;
  assign cpl_valid_o = state_q == StCpl;
  assign cpl_cid_o   = 16'(number_q);
  always_ff @(posedge clk_i) key_q <= cmd_i.lba == FormatKey;      // it has stood for some cycles when it is put
  always_comb begin
    rec_o = cmd_i.rec;
    if (mine && !(cmd_i.rec.op == OpFormat && key_q && (cmd_i.nlb & ~FormatBits) == '0)) rec_o.op = OpRefused;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || kill_i) state_q <= StIdle;
    else begin
      unique case (state_q)
        StIdle:  if (put_o && !dead_i) state_q <= (rec_o.op == OpFormat) ? StAsk : StCpl;
        StAsk:   if (end_i) state_q <= StCpl;
        StCpl:   if (cpl_ready_i) state_q <= (cpl_status_o == '0) ? StRest : StIdle;
        default: if (!run_i) state_q <= StIdle;          // the bring-up has begun
      endcase
    end
    if (state_q == StIdle) begin
      number_q     <= next_i;
      cdw10_o      <= cmd_i.nlb;
      cpl_status_o <= '1;          // of what is refused: an error, whichever
    end else if (end_i) cpl_status_o <= status_i;
  end

  logic unused;
  assign unused = ^cmd_i;

endmodule
