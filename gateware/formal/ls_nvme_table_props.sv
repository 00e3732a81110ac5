// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// No identifier is out twice, and none is lost: a completion counts when its command is in flight and has
// not come back, and is told as bad in every other case; commands end in the order in which they were put,
// each once, with its own record and the status that came for it, or as killed. The window is as its users
// drive it: wiped before the first command and after a kill, with nothing put from the kill to the wiping. A
// window without a drive (`dead_i`) is not asked here.
module ls_nvme_table_props
  import ls_nvme_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        tick_i,
  input logic        put_i,
  input rec_t        rec_i,
  input logic        cpl_valid_i,
  input logic [15:0] cpl_cid_i,
  input logic [14:0] cpl_status_i,
  input logic        kill_i,
  input logic        clear_i,
  input logic        take_i,
  input logic        slow_i,
  input logic [2:0]  which          // the number of a command that is followed, any one
);
  localparam int unsigned Cmds = 4;
  logic        first_q = 1'b1, cleared, room, put, bad, late, empty, done, killed, failed, take;
  logic [2:0]  next, which_q;
  rec_t        rec, put_q;
  logic [14:0] status, came_q;
  ls_nvme_table #(.Cmds(Cmds), .CmdTicks(3)) dut (
    .clk_i, .rst_ni, .tick_i, .clear_i, .cleared_o(cleared), .kill_i, .dead_i(1'b0), .room_o(room), .next_o(next), .put_i(put),
    .rec_i, .cpl_valid_i, .cpl_cid_i, .cpl_status_i, .bad_cid_o(bad), .late_o(late), .slow_i, .late_cid_o(), .empty_o(empty), .done_o(done),
    .rec_o(rec), .status_o(status), .killed_o(killed), .failed_o(failed), .take_i(take)
  );

  // What its users do: wipe it first; after a kill let what is in flight end, and wipe it.
  logic       fresh_q, sick_q, clear_q;
  assign put  = put_i && room && fresh_q && !sick_q && !kill_i && !clear_i;
  assign take = take_i && done;

  // The numbers that are out, and which of them have not come back.
  logic [2:0] head_q, tail_q, count;
  logic [7:0] away_q;
  logic       ends, here_q, at_q;       // the followed one is out, and is the one at the output
  logic       fits;
  assign count = tail_q - head_q;
  assign ends  = count != '0 && (kill_i || !away_q[head_q]) && !done;
  assign fits  = cpl_cid_i < 16'd8 && away_q[cpl_cid_i[2:0]];
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    which_q <= which;
    clear_q <= rst_ni && clear_i && !cleared;
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      away_q  <= '0;
      fresh_q <= 1'b0;
      sick_q  <= 1'b0;
      here_q  <= 1'b0;
      at_q    <= 1'b0;
    end else begin
      fresh_q <= clear_i ? cleared : fresh_q;
      sick_q  <= clear_i ? 1'b0 : sick_q || kill_i;
      if (clear_i) begin
        head_q <= '0;
        tail_q <= '0;
      end
      if (put) begin
        tail_q         <= tail_q + 3'd1;
        away_q[tail_q] <= 1'b1;
        if (tail_q == which) begin
          here_q <= 1'b1;
          put_q  <= rec_i;
        end
      end
      if (cpl_valid_i && fits) begin
        away_q[cpl_cid_i[2:0]] <= 1'b0;
        if (cpl_cid_i[2:0] == which) came_q <= cpl_status_i;
      end
      if (ends) begin
        head_q         <= head_q + 3'd1;
        away_q[head_q] <= 1'b0;
        at_q           <= head_q == which;
        if (head_q == which) here_q <= 1'b0;
      end else if (take) at_q <= 1'b0;
    end
  end
  logic lost_q;             // the followed one ended without a completion
  always_ff @(posedge clk_i) if (ends && head_q == which) lost_q <= away_q[which];

  // Which numbers are out; what stands at the place of each number, and of those that come next.
  logic [7:0] in, senses;
  logic [3:0] wiped, after;
  for (genvar n = 0; n < 8; n++) begin : gen_in
    assign in[n]     = 3'(3'(n) - head_q) < count;
    assign senses[n] = dut.back[n % 4][15] == 1'(n / 4);
  end
  for (genvar i = 0; i < 4; i++) begin : gen_place
    logic [2:0] place;       // the number that comes to this place next
    assign place    = tail_q + 3'(2'(2'(i) - tail_q[1:0]));
    assign after[i] = 3'(place - head_q) >= 3'd4 || dut.back[i][15] == place[2];
    assign wiped[i] = dut.back[i] == '0 || (!dut.wiped_q && 3'(i) >= 3'(dut.wipe_q));
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (which == which_q);
      assume (!clear_q || clear_i);                        // to the end
      assume (!clear_i || empty);
      assume (!kill_i || !clear_i);
      assume (!clear_i || !cpl_valid_i);
    end
    if (!first_q) begin
      a_most:   assert (count <= 3'd4 && next == tail_q && (!room || count < 3'd4));
      a_known:  assert (!cpl_valid_i || !fresh_q || bad == !fits);
      a_done:   assert (!(done && at_q) || (rec == put_q && killed == lost_q && failed == (lost_q || came_q != '0)
                                           && (lost_q || status == came_q)));
      a_empty:  assert (empty == (count == '0 && !done));
      i_window: assert (dut.head_q == head_q && dut.tail_q == tail_q && dut.count_q == count && dut.some_q == (count != '0)
                        && dut.room_o == (count < 3'd4));
      i_fresh:  assert (dut.void_q == !fresh_q || clear_i || clear_q);
      i_void:   assert (fresh_q || count == '0);
      i_out:    assert ((away_q & ~in) == '0 && (here_q == in[which] || !in[which]));
      i_here:   assert (!in[which] || here_q);
      i_sense:  assert ((in & senses) == away_q || !fresh_q);
      i_next:   assert (after == '1 || sick_q || !fresh_q);
      i_wiped:  assert (!(clear_i && (clear_q || dut.wiped_q)) || wiped == '1);
      i_rec:    assert (!in[which] || rec_t'(dut.recs[which[1:0]]) == put_q);
      i_came:   assert (!(in[which] && !away_q[which]) || dut.back[which[1:0]][14:0] == came_q);
      i_at:     assert (!at_q || (done && head_q == which + 3'd1));
    end
    c_turn:   cover (!first_q && put && tail_q == 3'd7);
    c_killed: cover (!first_q && done && at_q && killed && which == 3'd1);
  end
endmodule
