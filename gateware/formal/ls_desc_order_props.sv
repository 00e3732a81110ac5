// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Which fetches of a ring are out, and what has become of them: those from the oldest on, as many as
// went and did not end, and none after a reset. Only what is out takes a beat, only the oldest ends,
// and it counts as got only if all of it came and nothing was wrong. The ring hears of the first
// failure since a flush, and of no other; what was out at a flush is waited for and never got.
module ls_desc_order_props #(
  parameter int unsigned Fetches = 4,
  localparam int unsigned OutBits = $clog2(Fetches)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               flush_i,
  input logic               tick_i,
  input logic               set_i,
  input logic               wait_i,
  input logic [6:0]         row_i,
  input logic [8:0]         count_i,
  input logic               go_i,
  input logic               sent_i,
  input logic               see_valid_i,
  input logic               see_sop_i,
  input logic [OutBits-1:0] see_id_i,
  input logic [10:0]        see_len_i,
  input logic [10:0]        see_left_i,
  input logic               see_last_i,
  input logic               rx_valid_i,
  input logic               rx_sop_i,
  input logic               rx_eop_i,
  input logic [OutBits-1:0] rx_id_i,
  input logic               rx_bad_i,
  input logic               rx_broken_i,
  input logic               rx_last_i,
  input logic               row_in_i,
  input logic [6:0]         all_i,
  input logic [OutBits-1:0] me          // any number, but always the same
);
  logic [OutBits-1:0] next;
  logic               free, none, take, fail, dead, hold, ended, got;
  logic [6:0]         row, upto;
  logic [8:0]         got_count;
  ls_desc_order #(.Fetches(Fetches)) dut (
    .clk_i, .rst_ni, .flush_i, .tick_i, .set_i, .wait_i, .row_i, .count_i, .go_i, .sent_i, .next_o(next), .free_o(free),
    .none_o(none), .see_valid_i, .see_sop_i, .see_id_i, .see_len_i, .see_left_i, .see_last_i, .rx_valid_i, .rx_sop_i, .rx_eop_i,
    .rx_id_i, .rx_bad_i, .rx_broken_i, .rx_last_i, .take_o(take), .row_o(row), .row_in_i, .upto_o(upto), .all_i, .fail_o(fail),
    .dead_o(dead), .hold_o(hold), .end_o(ended), .got_o(got), .got_count_o(got_count)
  );

  logic               first_q = 1'b1;
  logic [OutBits-1:0] me_q, from;
  logic [OutBits:0]   many;               // how many are out
  logic               out_q, all_q, wrong_q, void_q, dead_q;       // of `me`: out; all of it came; something was wrong
  logic               mine, over;
  assign from = me - dut.head_q;
  assign mine = rx_valid_i && rx_id_i == me && out_q && !all_q;
  assign over = dut.retire && dut.head_q == me;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    me_q    <= me;
    if (!rst_ni) begin
      {out_q, all_q, wrong_q, void_q, dead_q} <= '0;
      many <= '0;
    end else begin
      many <= many + (OutBits+1)'(go_i) - (OutBits+1)'(dut.retire);
      void_q <= many != '0 && (void_q || flush_i);
      dead_q <= !flush_i && (dead_q || fail);
      if (mine && rx_eop_i && rx_last_i) all_q <= 1'b1;
      if (mine && ((rx_sop_i && rx_bad_i) || (rx_eop_i && rx_broken_i))) wrong_q <= 1'b1;
      if (dut.expired) begin
        all_q   <= 1'b1;
        wrong_q <= wrong_q || !all_q;
      end
      if (over) out_q <= 1'b0;
      if (go_i && next == me) {out_q, all_q, wrong_q} <= 3'b100;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == me_q);
      assume (!go_i || (free && (set_i || wait_i)));
    end
    if (!first_q) begin
      a_out:   assert (dut.out_q[me] == out_q && out_q == ({1'b0, from} < many));
      a_none:  assert (none == (many == '0) && free == (many != (OutBits+1)'(Fetches)));
      a_take:  assert (!take || rx_id_i != me || (mine && !void_q && !flush_i && !wrong_q));
      a_got:   assert (!(got && dut.head_q == me) || (out_q && all_q && !wrong_q && !void_q && !flush_i));
      a_over:  assert (!over || (out_q && all_q));
      a_dead:  assert (dead == dead_q && !(fail && dead_q));
      a_void:  assert (!void_q || hold);
      i_all:   assert (!out_q || dut.done_q[me] == all_q);
      i_wrong: assert (!out_q || !wrong_q || dut.fail_q[me]);
      i_void:  assert (dut.void_q == void_q);
      i_tail:  assert (dut.tail_q == OutBits'(dut.head_q + many[OutBits-1:0]) && many <= (OutBits+1)'(Fetches));
      i_used:  assert (32'(dut.used_q) == 32'(many));
    end
    c_full: cover (!first_q && many == (OutBits+1)'(Fetches) && got && dut.head_q == me);
    c_dead: cover (!first_q && dead && many != '0);
  end
endmodule
