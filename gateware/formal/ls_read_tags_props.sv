// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// No tag is out twice, none is lost: one tag is followed. While it is out it is not offered again;
// the number out is what was taken and not released; a tag that timed out rests.
module ls_read_tags_props
  import ls_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       tick_i,
  input logic       take_i,
  input logic       take_done_i,
  input logic       done_i,
  input logic       fail_i,
  input logic       alive_i,
  input logic [1:0] tag_i,
  input logic       release_i,
  input logic [1:0] me       // any value, but always the same
);
  localparam int unsigned Tags = 4;
  logic       free, waits, head_done, empty, full;
  logic [1:0] next, head;
  cause_e     cause;

  // The engine takes only a free tag, releases only a head that is done, and hears only of tags
  // that wait.
  logic take, rel, done, fail;
  assign take = take_i && free;
  assign rel  = release_i && head_done;
  assign done = done_i && waits;
  assign fail = fail_i && waits;

  ls_read_tags #(.Tags(Tags)) dut (
    .clk_i, .rst_ni, .tick_i, .free_o(free), .next_o(next), .take_i(take),
    .take_done_i, .look_i(tag_i), .waits_o(waits), .alive_i(alive_i && waits),
    .alive_tag_i(tag_i), .done_i(done), .fail_i(fail), .done_tag_i(tag_i),
    .fail_cause_i(CauseUr), .head_done_o(head_done), .head_o(head), .head_cause_o(cause),
    .release_i(rel), .empty_o(empty), .full_o(full)
  );

  logic       out_q;         // me is out
  logic [2:0] count_q;       // how many are out
  logic       first_q = 1'b1;

  logic [1:0] same_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    same_q  <= me;
    if (!rst_ni) begin
      out_q   <= 1'b0;
      count_q <= '0;
    end else begin
      count_q <= count_q + 3'(take) - 3'(rel);
      if (take && next == me)     out_q <= 1'b1;
      else if (rel && head == me) out_q <= 1'b0;
    end
  end

  logic [1:0] place;         // how far me is behind the head
  assign place = me - head;
  always_comb begin
    if (first_q) assume (!rst_ni);
    if (!first_q) assume (rst_ni);
    if (!first_q) assume (me == same_q);
    if (!first_q) begin
      a_count:  assert (dut.used_q == count_q && count_q <= 3'(Tags));
      a_ring:   assert (2'(head + count_q[1:0]) == next);
      a_out:    assert (out_q == ({1'b0, place} < count_q));
      a_twice:  assert (!(take && next == me && out_q));
      a_leak:   assert (out_q || !dut.wait_q[me]);
      a_rest:   assert (!(take && next == me && dut.late_q[me]));
      a_full:   assert (full == (count_q == 3'(Tags)) && empty == (count_q == '0));
    end
    c_wrap: cover (count_q == 3'd4 && head == 2'd2 && dut.late_q != '0);
  end
endmodule
