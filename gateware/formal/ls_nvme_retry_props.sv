// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A command is given again when it is the oldest, has ended with an error status whose Do Not Retry bit is clear, was not
// killed, and no piece of its user command before it has failed; no more than `Retries` times; when no other command of the
// queue is out, and none goes before it has ended; as it was given first, and with an identifier that no command of the window
// has. Its completion is taken, every other one goes on to the table. What is reported is what the last try ended with, and
// success only where that had success. The window (ls_nvme_table), the issue and the retirement are here as they behave: nothing
// is put from a kill to the clearing, which waits until all has ended.
module ls_nvme_retry_props
  import ls_nvme_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        tick_i,
  input logic        run_i,
  input logic        kill_i,
  input logic        clear_i,
  input logic        cmd_valid_i,
  input logic        cmd_ready_i,
  input cmd_t        cmd_i,
  input logic        other_i,
  input logic        cpl_valid_i,
  input logic [15:0] cpl_cid_i,
  input logic [14:0] cpl_status_i,
  input logic        pop_i,
  input rec_t        rec_i,
  input logic [14:0] status_i,
  input logic        broken_i,
  input logic        take_i,
  input logic [2:0]  which_i          // the number of a command that is followed, any one
);
  localparam int unsigned Retries = 2, PosBits = 4;
  logic        first_q = 1'b1, late, cmd_ready, cmd_valid, put, new_put, own, cpl_valid, done, killed, failed, take, bad;
  cmd_t        cmd;
  logic [15:0] cid;
  logic [14:0] status;

  // The window: numbers from the oldest that is not reported to the next; which of them are out; the one at the table's output.
  logic [2:0]  oldest_q, next_q, left, which_q;
  logic [7:0]  away_q, queue_q;
  logic        done_q, killed_q, sick_q, shown_q, pop, other;
  rec_t        rec_q;
  logic [14:0] status_q;
  logic        failed_q;
  assign failed_q = killed_q || status_q != '0;
  assign left     = next_q - oldest_q - 3'(done_q);           // in the table
  assign pop      = pop_i && left != '0 && !done_q && (kill_i || !away_q[oldest_q]);
  assign put      = cmd_valid && cmd_ready_i && shown_q && (own || left < 3'd4) && !kill_i && !clear_i;
  assign other    = other_i && !new_put && left < 3'd4 && run_i && !sick_q && !kill_i && !clear_i;
  assign bad      = cpl_valid && !(cpl_cid_i < 16'd8 && away_q[cpl_cid_i[2:0]]);
  assign take     = take_i && done;
  ls_nvme_retry #(.Cmds(4), .Retries(Retries), .CmdTicks(3), .PosBits(PosBits)) dut (
    .clk_i, .rst_ni, .tick_i, .clear_i, .run_i, .kill_i, .late_o(late), .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .cmd_valid_o(cmd_valid),
    .cmd_ready_i(put), .cmd_o(cmd), .put_i(put), .put_o(new_put), .other_i(other), .next_i(next_q), .cid_o(cid), .own_o(own), .cpl_valid_i,
    .cpl_cid_i, .cpl_status_i, .cpl_valid_o(cpl_valid), .bad_cid_i(bad), .done_i(done_q), .rec_i(rec_q), .status_i(status_q),
    .killed_i(killed_q), .failed_i(failed_q), .done_o(done), .status_o(status), .killed_o(killed), .failed_o(failed), .broken_i,
    .take_i(take)
  );

  // What was given of the followed one, and how often the oldest was given again, with what end.
  logic        here_q, answered_q, out_q, own_q, broken_q, stood_q;
  cmd_t        given_q;
  logic [1:0]  again_q;
  logic [15:0] cid_q;
  logic [14:0] came_q;
  logic        mine;
  assign mine = out_q && cpl_valid_i && cpl_cid_i == cid_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    which_q <= first_q ? which_i : which_q;
    own_q   <= own;
    shown_q <= rst_ni && cmd_valid && !put && own == own_q;
    broken_q <= broken_i;
    stood_q  <= done_q;
    if (!rst_ni) begin
      {oldest_q, next_q, away_q, queue_q, done_q, here_q, again_q, answered_q, out_q} <= '0;
      sick_q <= 1'b0;
    end else begin
      sick_q <= (sick_q || kill_i) && !clear_i;
      if (clear_i) {oldest_q, next_q, away_q, queue_q, here_q} <= '0;
      else begin
        if (new_put || other) next_q <= next_q + 1'b1;
        if (take)             oldest_q <= oldest_q + 1'b1;
        for (int unsigned i = 0; i < 8; i++) begin
          if ((new_put || other) && next_q == 3'(i)) begin
            away_q[i]  <= 1'b1;
            queue_q[i] <= new_put;
          end else if (cpl_valid && !bad && cpl_cid_i == 16'(i)) away_q[i] <= 1'b0;
          else if (pop && oldest_q == 3'(i)) away_q[i] <= 1'b0;
        end
        if ((new_put || other) && next_q == which_q) here_q <= new_put;
        else if (take && oldest_q == which_q)        here_q <= 1'b0;
      end
      done_q <= pop || (done_q && !take);
      if (put && own) {again_q, answered_q, out_q, cid_q} <= {again_q + 2'd1, 1'b0, 1'b1, cid};
      else if (mine) {answered_q, out_q, came_q} <= {1'b1, 1'b0, cpl_status_i};
      if (kill_i) out_q <= 1'b0;
      if (take) {again_q, answered_q, out_q} <= '0;
    end
    if (new_put && next_q == which_q) given_q <= cmd;
    if (pop) begin
      killed_q <= away_q[oldest_q];
      status_q <= status_i;
      rec_q    <= (here_q && oldest_q == which_q) ? given_q.rec : rec_i;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    assume (!(kill_i || sick_q) || !run_i);
    assume (!clear_i || (next_q == oldest_q && !run_i));
    if (stood_q && done_q) assume (broken_i == broken_q);
    if (!first_q) begin
      // What is claimed.
      if (put && own) begin
        a_may:   assert (done_q && failed_q && !killed_q && !status_q[14] && rec_q.op <= OpTrim && !broken_i && run_i);
        a_times: assert (again_q < 2'(Retries));
        a_alone: assert ((away_q & queue_q) == '0);
        a_cid:   assert (cid[15:12] == 4'(again_q) + 4'd1 && cid[11:0] == 12'(oldest_q));
        if (here_q && oldest_q == which_q)
          a_same: assert (cmd.rec == given_q.rec && cmd.fua == given_q.fua && cmd.lba == given_q.lba && cmd.nlb == given_q.nlb
                          && cmd.pos[PosBits-1:0] == given_q.pos[PosBits-1:0]);
      end
      if (put && !own) a_new: assert ((again_q == '0 || done) && cid == 16'(next_q) && cmd == cmd_i);
      a_taken:  assert (cmd_ready == (put && !own) && new_put == (put && !own));
      a_cpl:    assert (cpl_valid == (cpl_valid_i && !mine));
      if (done) a_done: assert (done_q);
      if (done && again_q != '0) a_last: assert (killed ? failed && (!answered_q || came_q != '0) : answered_q && status == came_q && failed == (came_q != '0));
      if (done && !failed) a_true: assert (again_q != '0 ? answered_q && came_q == '0 : !failed_q);
      if (done && again_q == '0 && !killed) a_first: assert (failed == failed_q && status == status_q);

      // What carries the proof.
      i_number: assert (dut.number_q == oldest_q && left <= 3'd4);
      if (!sick_q && !kill_i) i_out: assert (dut.out_q == 3'($countones(away_q)));
      i_state:  assert (dut.state_q <= 3'd4 && (dut.state_q == 3'd0 || done_q));
      if (dut.state_q inside {3'd1, 3'd2, 3'd3}) i_why: assert (failed_q && !killed_q && !status_q[14] && rec_q.op <= OpTrim && !broken_q && !sick_q);
      i_again:  assert (dut.state_q == 3'd0 ? again_q == '0
                        : dut.state_q == 3'd1 ? dut.tries_q == 4'(again_q) && again_q < 2'(Retries)
                        : dut.state_q == 3'd2 ? dut.tries_q == 4'(again_q) + 4'd1 && again_q < 2'(Retries)
                        : again_q <= 2'(Retries) && (dut.state_q != 3'd3 || again_q != '0));
      i_try:    assert (out_q == (dut.state_q == 3'd3));
      if (dut.state_q == 3'd3) i_cid: assert (dut.cid_q == cid_q && dut.tries_q == 4'(again_q) && cid_q[15:12] == 4'(again_q) && cid_q[11:0] == 12'(oldest_q));
      if (dut.state_q == 3'd2) begin
        i_alone: assert ((away_q & queue_q) == '0);
        if (own_q) i_own: assert (dut.cid_q == {dut.tries_q, 12'(oldest_q)});
      end
      if (dut.state_q == 3'd4) i_end: assert ((dut.killed_q ? dut.failed_q && (!answered_q || came_q != '0)
                                                 : answered_q && again_q != '0 && dut.got_q == came_q && dut.failed_q == (came_q != '0)));
      if (dut.state_q inside {3'd0, 3'd3}) i_asked: assert (!answered_q);
      if (dut.state_q inside {3'd1, 3'd2}) i_wait: assert (answered_q == (again_q != '0) && (!answered_q || came_q != '0));
      if (here_q) begin
        i_here: assert (which_q - oldest_q < next_q - oldest_q && queue_q[which_q]);
        if (!(done_q && oldest_q == which_q)) i_kept: assert (dut.mores[which_q[1:0]] == {given_q.fua, given_q.lba, given_q.nlb, given_q.pos[PosBits-1:0]});
        if (done_q && oldest_q == which_q)
          i_more: assert (dut.more_q == {given_q.fua, given_q.lba, given_q.nlb, given_q.pos[PosBits-1:0]} && rec_q == given_q.rec);
      end
    end
    c_again:  cover (!first_q && take && again_q == 2'(Retries) && !failed);
    c_given_up: cover (!first_q && take && again_q == 2'(Retries) && failed && !killed);
    c_killed: cover (!first_q && take && again_q != '0 && killed);
  end
  for (genvar i = 0; i < 8; i++) begin : gen_away
    always_comb if (!first_q && away_q[i]) i_away: assert (3'(i) - oldest_q < next_q - oldest_q && !(done_q && oldest_q == 3'(i)));
  end
endmodule
