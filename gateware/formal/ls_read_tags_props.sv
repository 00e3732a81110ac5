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
  input logic       busy_i,
  input logic [1:0] tag_i,
  input logic       release_i,
  input logic [1:0] me       // any value, but always the same
);
  localparam int unsigned Tags = 4;
  logic       free, waits, head_done, empty, full;
  logic [1:0] next, head;
  logic       gen, clear, clear_gen;
  cause_e     cause;

  // The engine takes only a free tag, releases only a head that is done, and hears only of tags
  // that waited a cycle ago.
  logic take, rel, done, fail, waits_q;
  logic [1:0] tag_q;
  assign take = take_i && free;
  assign rel  = release_i && head_done;
  assign done = done_i && waits_q;
  assign fail = fail_i && waits_q;
  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && waits;
    tag_q   <= tag_i;
  end

  ls_read_tags #(.Tags(Tags)) dut (
    .clk_i, .rst_ni, .few_i(1'b0), .retag_i(1'b0), .tick_i, .waits_i(1'b0), .free_o(free), .next_o(next), .take_i(take),
    .take_done_i, .look_i(tag_i), .waits_o(waits), .gen_o(gen), .busy_i,
    .clear_o(clear), .clear_gen_o(clear_gen), .done_i(done), .fail_i(fail), .done_tag_i(tag_q),
    .fail_cause_i(CauseUr), .head_done_o(head_done), .head_o(head), .head_cause_o(cause),
    .release_i(rel), .empty_o(empty), .full_o(full)
  );

  logic       out_q;         // me is out
  logic       failed_q;      // and heard of a failure
  logic       token_q;       // taken by something that needs no completion
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
      if (take && next == me)              token_q  <= take_done_i;
      if (take && next == me)              failed_q <= 1'b0;
      else if (fail && tag_q == me)        failed_q <= 1'b1;
      if (take && next == me)     out_q <= 1'b1;
      else if (rel && head == me) out_q <= 1'b0;
    end
  end

  logic       late;          // me timed out and rests
  logic       wait_me, clean;
  assign late    = dut.rest_q != '0 && dut.late_mem[me];
  assign wait_me = dut.gen_mem[me] ^ dut.done_mem[me];
  // Cleared after reset, or not yet reached by the clearing.
  assign clean   = !wait_me && !dut.late_mem[me] && dut.fail_mem[me][4] == dut.done_mem[me];
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
      a_init:   assert (!dut.init_q || (count_q == '0 && next == head && !out_q && !dut.expired_q));
      a_clean:  assert (!dut.init_q || me >= next || clean);
      a_leak:   assert (out_q || dut.init_q || !wait_me);
      a_fail:   assert (dut.init_q || dut.fail_mem[me][4] == dut.done_mem[me] || (out_q && wait_me));
      a_rest:   assert (!(take && next == me && late));
      // What timed out and has not left is the head, and no longer waits.
      a_expire: assert (!dut.expired_q || (!empty && head_done));
      // A tag begins without the failures of the one before.
      a_begin:  assert (!out_q || token_q || failed_q || dut.fail_mem[me][4] != dut.gen_mem[me]
                        || dut.fail_mem[me][3:0] == '0);
      // What is heard of is out, or was a cycle ago.
      a_heard:  assert (!waits_q || !dut.init_q);
      a_full:   assert (full == (count_q == 3'(Tags)) && empty == (count_q == '0));
    end
    c_wrap: cover (count_q == 3'd4 && head == 2'd2 && late);
  end
endmodule
