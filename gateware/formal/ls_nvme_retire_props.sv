// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A report is good only if every piece of its user command was: none had an error status, none was killed before its data
// began to leave, and a flush was not one before which the drive may have lost something. Each user command has one report,
// in order, with its own tag, which stands until it is taken, and the cause of the first piece that failed. A frame of read
// data has the beats of the pieces before the first that failed, and then ends in error; else it ends with its last piece's last beat. Space of a buffer comes free
// only when its piece has ended, and as much as the piece had.
module ls_nvme_retire_props
  import ls_nvme_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        done_i,
  input rec_t        rec_i,
  input logic [14:0] status_i,
  input logic        killed_i,
  input why_e        killer_i,
  input logic        lost_i,
  input logic [63:0] data_i,
  input logic        m_ready_i,
  input logic        done_ready_i
);
  localparam int unsigned Beats = 64;        // of a unit
  logic        failed, lost_told, take, broken, re, m_valid, m_last, m_error, done_valid, empty;
  logic [11:0] row;
  logic [6:0]  rd_freed, wr_freed;
  logic [63:0] m_data;
  logic [7:0]  m_keep;
  user_done_t  done;
  assign failed = killed_i || status_i != '0;
  ls_nvme_retire #(.Width(64), .WrBytes(32768), .RdBytes(32768)) dut (
    .clk_i, .rst_ni, .done_i, .rec_i, .status_i, .killed_i, .failed_i(failed), .killer_i, .lost_i, .lost_told_o(lost_told), .take_o(take),
    .broken_o(broken), .re_o(re), .row_o(row), .data_i, .rd_freed_o(rd_freed), .wr_freed_o(wr_freed), .m_valid_o(m_valid), .m_ready_i,
    .m_data_o(m_data), .m_keep_o(m_keep), .m_last_o(m_last), .m_error_o(m_error), .done_valid_o(done_valid), .done_ready_i,
    .done_o(done), .empty_o(empty)
  );

  logic        first_q = 1'b1, wait_q, killed_q;
  rec_t        rec_q;
  logic [14:0] status_q;
  // Of the user command whose pieces come: one of them has failed, and the first of these why.
  logic        bad_q, over_q, now_bad, told;
  why_e        why, why_q;
  logic [14:0] with_q;
  // Of the piece that is here: its beats that have gone into the row register; and whether it was good when the first went.
  logic [18:0] gone_q;
  logic        good_q, begins;
  logic [6:0]  rd_q, wr_q;
  // Of reports that wait, of the last: what it must say.
  logic        due_q;
  user_done_t  due_as_q;
  assign begins  = gone_q == '0;
  assign now_bad = bad_q || (begins ? failed : !good_q);
  assign told    = dut.room && (dut.beat || dut.skip) && dut.tells;
  always_comb begin
    if (bad_q)                         why = why_q;
    else if (killed_i)                 why = killer_i;
    else if (rec_i.op == OpRefused)    why = WhyRefused;
    else if (status_i != '0)           why = WhyStatus;
    else                               why = (lost_i && rec_i.op == OpFlush) ? WhyLost : WhyNone;
  end
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    wait_q  <= rst_ni && done_i && !take;
    {rec_q, status_q, killed_q} <= {rec_i, status_i, killed_i};
    over_q  <= rst_ni && done_i && take && rec_i.last;
    if (!rst_ni) begin
      {bad_q, gone_q, good_q, due_q, rd_q, wr_q} <= '0;
    end else begin
      if (dut.beat) begin
        gone_q <= take ? '0 : gone_q + 1'b1;
        good_q <= !bad_q && !(begins && failed);
      end
      if (take) begin
        gone_q <= '0;
        bad_q  <= !rec_i.last && now_bad;
        if (!bad_q) begin
          why_q  <= why;
          with_q <= (why == WhyStatus && !killed_i) ? status_i : '0;
        end
        if (rec_i.op == OpRead)  rd_q <= rd_q + 7'(rec_i.units);
        if (rec_i.op == OpWrite) wr_q <= wr_q + 7'(rec_i.units);
      end
      if (told) begin
        due_q    <= 1'b1;
        due_as_q <= '{why: why, status: bad_q ? with_q : (why == WhyStatus && !killed_i) ? status_i : '0, tag: rec_i.tag};
      end else if (done_ready_i) due_q <= 1'b0;
    end
  end

  // A frame is closed by the last beat of its last piece, or where its first piece that failed would have begun; nothing
  // follows. What waits for the reader's cycle, and what is shown.
  typedef struct packed {logic valid, last, error;} beat_t;
  beat_t enters, row_q, m_q;
  logic  out, closes;
  assign closes = dut.skip && rec_i.op == OpRead && !bad_q;
  assign out    = !m_q.valid || m_ready_i;
  assign enters = '{valid: dut.beat || closes, last: closes || (take && rec_i.last), error: closes};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {row_q.valid, m_q.valid} <= '0;
    else begin
      if (!row_q.valid || out) row_q <= enters;
      if (out)                 m_q   <= row_q;
    end
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    // The table: the oldest stands until it is taken.
    if (wait_q) assume (done_i && {rec_i, status_i, killed_i} == {rec_q, status_q, killed_q});
    if (done_i) begin
      assume (rec_i.op != op_e'(3'd7) && rec_i.units <= 13'd64 && (!moves(rec_i.op) || rec_i.units != '0));
      assume (rec_i.op != OpRefused || failed);                 // its status is an error (ls_nvme_serve)
      assume (moves(rec_i.op) || rec_i.op inside {OpZero, OpTrim} || rec_i.last);
      assume (!(killer_i inside {WhyNone, WhyLost}));
    end
    if (!first_q) begin
      a_report: assert (done_valid == due_q && (!due_q || done == due_as_q));
      a_good:   assert (!(told && now_bad) || dut.now.why != WhyNone);
      a_none:   assert (!(told && !now_bad) || dut.now.why == ((lost_i && rec_i.op == OpFlush) ? WhyLost : WhyNone));
      a_once:   assert (!told || (done_i && rec_i.last && begins));
      a_each:   assert (!take || !rec_i.last || begins == told);       // with its first beat, or with its end where it has none
      a_room:   assert (!told || !due_q || done_ready_i);
      a_rd:     assert (rd_freed == rd_q + 7'(gone_q / Beats));
      a_wr:     assert (wr_freed == wr_q);
      a_beats:  assert (!(dut.beat && take) || gone_q == 19'(rec_i.units) * Beats - 1);
      a_hidden: assert (!dut.beat || (done_i && rec_i.op == OpRead && !now_bad));
      a_closed: assert (!(dut.adv && dut.skip && rec_i.op == OpRead && !bad_q) || now_bad);
      a_frame:  assert (m_valid == m_q.valid && (!m_valid || {m_last, m_error} == {m_q.last, m_q.error}));
      a_nothing: assert (!(m_valid && m_error) || (m_data == '0 && m_keep == 8'd1));
      a_full:   assert (!m_valid || m_error || m_keep == 8'hff);
      a_empty:  assert (empty == (!row_q.valid && !m_q.valid));
      i_row:    assert (dut.row_valid_q == row_q.valid && (!row_q.valid || {dut.row_last_q, dut.row_error_q} == {row_q.last, row_q.error}));
      a_broken: assert (broken == bad_q);
      a_lost:   assert (!lost_told || done_valid);
      // What carries the proof.
      i_bad:    assert (dut.failed_q == bad_q);
      i_mid:    assert (dut.mid_q == !begins);
      i_stays:  assert (begins || (wait_q && rec_q.op == OpRead && good_q && !bad_q));
      i_left:   assert (begins || {6'd0, dut.left_q} + gone_q == 19'(rec_q.units) * Beats - 1);
      i_at:     assert (dut.at_q == {rd_q, 6'd0} + 13'(gone_q));
      i_why:    assert (!bad_q || ({dut.why_q.why, dut.why_q.status} == {why_q, with_q} && !(why_q inside {WhyNone, WhyLost})));
    end
    c_late: cover (!first_q && done_valid && done.why == WhyStatus && bad_q == 1'b0 && over_q);
    c_good: cover (!first_q && told && !now_bad && rec_i.op == OpRead);
    c_then: cover (!first_q && told && bad_q && rec_i.op == OpWrite && !failed);       // a piece that was good after one that was not
  end

  logic unused;
  assign unused = ^{row, re};
endmodule
