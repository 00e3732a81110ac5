// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The end of every command, in the order in which they were given: the data of a read goes from the
// buffer to the stream, buffer space comes free, and the last command of a user command becomes its
// report: of a read with its first beat, since all of its data is here then and nothing can fail it, so
// that a user who waits for reports gives the next command while the data leaves. The frame of a read
// that failed is closed where the failure is, by one byte of zero marked last and in error; no byte of a
// failed command is shown.
module ls_nvme_retire
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned WrBytes = 65536,
  parameter int unsigned RdBytes = 65536,
  localparam int unsigned Bytes   = Width / 8,
  localparam int unsigned PerUnit = $clog2(512 / Bytes),
  localparam int unsigned WrBits  = $clog2(WrBytes / 512),
  localparam int unsigned RowBits = $clog2(RdBytes / Bytes),
  localparam int unsigned RdBits  = RowBits - PerUnit
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               done_i,      // the oldest is back
  input  rec_t               rec_i,
  input  logic [14:0]        status_i,
  input  logic               killed_i,
  input  logic               failed_i,    // killed, or an error status
  input  why_e               killer_i,    // why, then
  input  logic               lost_i,      // the drive may have lost what a flush would cover
  output logic               lost_told_o, // a flush says so
  output logic               take_o,
  output logic               broken_o,    // the user command that it is of has failed before

  output logic               re_o,
  output logic [RowBits-1:0] row_o,
  input  logic [Width-1:0]   data_i,      // a cycle later
  output logic [RdBits:0]    rd_freed_o,
  output logic [WrBits:0]    wr_freed_o,

  output logic               m_valid_o,
  input  logic               m_ready_i,
  output logic [Width-1:0]   m_data_o,
  output logic [Bytes-1:0]   m_keep_o,
  output logic               m_last_o,
  output logic               m_error_o,

  output logic               done_valid_o,
  input  logic               done_ready_i,
  output user_done_t         done_o,
  output logic               empty_o      // no data waits for the stream
);

  localparam int unsigned CntBits = 13 + PerUnit;

  logic [RowBits:0]   at_q;
  logic [WrBits:0]    wr_q;
  logic [CntBits-1:0] left, left_q;      // beats of this command that are still to be read, but this one
  logic               mid_q, failed_q, failed, adv, room, is_rd, beat, skip, ends, tells;
  logic               row_valid_q, row_last_q, row_error_q, out;
  user_done_t         why_q, now;

  assign is_rd  = rec_i.op == OpRead;
  assign out    = !m_valid_o || m_ready_i;
  assign adv    = !row_valid_q || out;
  assign room   = !done_valid_o || done_ready_i;
  assign failed = failed_q || (!mid_q && failed_i);

  // A command that has begun to leave has succeeded; what is later killed is not it.
  assign left   = mid_q ? left_q : {rec_i.units, PerUnit'(0)} - 1'b1;
  assign beat   = done_i && is_rd && !failed && adv && (!tells || room);
  assign skip   = done_i && (!is_rd || failed) && room && (!is_rd || failed_q || adv);
  assign tells  = rec_i.last && (skip || !mid_q);
  assign ends   = (beat && left == '0) || skip;
  assign take_o = ends;
  assign broken_o = failed_q;

  // Whether it is wanted or not: whoever decides that is far from the memory, too.
  assign re_o       = adv;
  assign row_o      = at_q[RowBits-1:0];
  assign rd_freed_o = at_q[RowBits:PerUnit];
  assign wr_freed_o = wr_q;

  always_comb begin
    now = '{why: WhyNone, status: '0, tag: rec_i.tag};
    if (failed_q)             {now.why, now.status} = {why_q.why, why_q.status};
    else if (killed_i)        now.why = killer_i;
    else if (rec_i.op == OpRefused) now.why = WhyRefused;
    else if (status_i != '0)  {now.why, now.status} = {WhyStatus, status_i};
    else if (lost_i && rec_i.op == OpFlush) now.why = WhyLost;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q         <= '0;
      wr_q         <= '0;
      mid_q        <= 1'b0;
      failed_q     <= 1'b0;
      row_valid_q  <= 1'b0;
      m_valid_o    <= 1'b0;
      done_valid_o <= 1'b0;
      lost_told_o  <= 1'b0;
    end else begin
      if (beat || skip) mid_q <= beat && !ends;
      if (beat)                at_q <= at_q + 1'b1;
      else if (skip && is_rd)  at_q <= at_q + (RowBits+1)'({rec_i.units, PerUnit'(0)});
      if (skip && rec_i.op == OpWrite) wr_q <= wr_q + (WrBits+1)'(rec_i.units);
      if (ends) failed_q <= failed && !rec_i.last;
      if (adv)  row_valid_q <= beat || (skip && is_rd && !failed_q);
      if (out)  m_valid_o   <= row_valid_q;
      if (room) done_valid_o <= (beat || skip) && tells;
      lost_told_o <= skip && now.why == WhyLost;
    end
  end
  always_ff @(posedge clk_i) begin
    left_q <= beat ? left - 1'b1 : left;
    if (ends) why_q <= now;
    if (room) done_o <= now;
    if (adv) begin
      row_error_q <= skip;
      row_last_q  <= skip || (ends && rec_i.last);
    end
    // The memory is late, and far: its row is shown a cycle after it came.
    if (out) begin
      m_data_o  <= row_error_q ? '0 : data_i;
      m_error_o <= row_error_q;
      m_last_o  <= row_last_q;
    end
  end
  assign empty_o  = !row_valid_q && !m_valid_o;
  assign m_keep_o = m_error_o ? Bytes'(1) : '1;

  logic unused;
  assign unused = ^why_q;

endmodule
