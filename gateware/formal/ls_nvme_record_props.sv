// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A record stays in its region and goes around it: each command begins where the one before it ended, the first at the
// offset, none goes beyond the region's end, none of a write covers a block of which a write is out. Blocks given are blocks
// taken: none is given before it is here, and at the end none is left. The host is any that answers in order what it was given.
module ls_nvme_record_props
  import ls_nvme_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input record_ask_t ask_i,
  input logic        stop_i,
  input logic        run_i,
  input logic        dead_i,
  input drive_t      drive_i,
  input logic [63:0] size_i,
  input logic        cmd_ready_i,
  input logic        answer_i,
  input user_done_t  done_i,
  input logic        s_valid_i,
  input logic [511:0] s_data_i,
  input logic        b_ready_i,
  input logic        m_valid_i,
  input logic        m_ready_i,
  input logic        m_last_i,
  input logic        m_error_i
);
  localparam logic [2:0] Idle = 3'd0, Wait = 3'd1, Check = 3'd2, Run = 3'd3, Drain = 3'd5, Flush = 3'd6, End = 3'd7;     // of the dut
  localparam logic [1:0] Size = 2'd0, Want = 2'd1, Show = 2'd2;
  logic              first_q = 1'b1;
  logic              busy, ended, cmd_valid, s_ready, b_valid, give, write;
  record_place_t     place;
  user_cmd_t         cmd, cmd_q;
  user_done_t        done;
  logic [511:0]      b_data, b_data_q, s_data_q;
  logic              cmd_held_q, b_held_q, s_held_q, started_q;
  logic [16:0]       n;
  logic              done_valid;

  ls_nvme_record #(.Width(512), .GigLog2(10)) dut (
    .clk_i, .rst_ni, .start_i, .ask_i, .stop_i, .busy_o(busy), .ended_o(ended), .end_o(), .place_o(place), .fail_valid_o(),
    .fail_o(), .fig_valid_o(), .fig_o(), .run_i, .dead_i, .drive_i, .size_i, .cmd_valid_o(cmd_valid), .cmd_ready_i,
    .cmd_o(cmd), .done_valid_i(done_valid), .done_ready_o(), .done_i(done), .s_valid_i, .s_ready_o(s_ready), .s_data_i,
    .b_valid_o(b_valid), .b_ready_i, .b_data_o(b_data), .m_valid_i, .m_ready_i, .m_last_i, .m_error_i
  );
  assign give  = cmd_valid && cmd_ready_i;
  assign write = cmd.op == OpWrite;
  assign n     = 17'(cmd.nlb) + 17'd1;

  // ---- the host: two commands at most are out; the lengths of those that are not reported, the oldest first ----
  logic [15:0] len0_q, len1_q;
  logic [1:0]  out_q;
  assign done_valid = answer_i && out_q != '0;
  always_comb begin
    done     = done_i;
    done.tag = len0_q;
  end

  // ---- what is expected --------------------------------------------------------------------------
  logic [LbaBits-1:0] off_q, given_q, taken_q;       // the next command; blocks
  logic [5:0]         beat_q;
  logic [31:0]        lens;
  assign lens = (out_q > 2'd0 ? 32'(len0_q) : 32'd0) + (out_q > 2'd1 ? 32'(len1_q) : 32'd0);
  always_ff @(posedge clk_i) begin
    first_q    <= 1'b0;
    cmd_q      <= cmd;
    b_data_q   <= b_data;
    s_data_q   <= s_data_i;
    cmd_held_q <= rst_ni && cmd_valid && !cmd_ready_i;
    b_held_q   <= rst_ni && b_valid && !b_ready_i;
    s_held_q   <= rst_ni && s_valid_i && !s_ready;
    if (!rst_ni) begin
      out_q     <= '0;
      started_q <= 1'b0;
      given_q   <= '0;
      taken_q   <= '0;
    end else begin
      out_q <= out_q + 2'(give) - 2'(done_valid);
      if (done_valid) len0_q <= len1_q;
      if (give && out_q - 2'(done_valid) == 2'd0) len0_q <= cmd.tag;
      if (give && out_q - 2'(done_valid) == 2'd1) len1_q <= cmd.tag;
      if (!busy && start_i) begin
        started_q <= 1'b1;
        off_q     <= ask_i.offset;
        given_q   <= '0;
        taken_q   <= '0;
        beat_q    <= '0;
      end else begin
        if (give && cmd.op != OpFlush) begin
          off_q   <= (off_q + LbaBits'(n) == dut.ask_q.blocks) ? '0 : off_q + LbaBits'(n);
          given_q <= given_q + LbaBits'(n);
        end
        if (b_valid && b_ready_i) begin
          beat_q <= (beat_q == 6'((8 << dut.block_q) - 1)) ? '0 : beat_q + 6'd1;
          if (beat_q == 6'((8 << dut.block_q) - 1)) taken_q <= taken_q + 1'b1;
        end
      end
    end
  end

  logic runs, play;
  logic [31:0] pend;          // a report that is looked at in this cycle
  assign pend = dut.done_q ? 32'(dut.rep_q.tag) : 32'd0;
  assign runs = !(dut.state_q inside {Idle, Wait, Check, End});
  assign play = dut.ask_q.play;
  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      if (s_held_q) assume (s_valid_i && s_data_i == s_data_q);
      if (out_q == 2'd2) assume (!cmd_ready_i);
      assume (taken_q - given_q < LbaBits'(1 << 30));        // no buffer holds more
      assume (!taken_q[LbaBits-1] && !given_q[LbaBits-1]);   // no record is longer: its count would come round
    end
    if (!first_q) begin
      // What is claimed.
      if (cmd_valid && cmd.op != OpFlush) begin
        a_kind:   assert (cmd.op == (play ? OpRead : OpWrite) && cmd.tag == 16'(n));
        a_next:   assert (cmd.lba == 64'(dut.ask_q.first) + 64'(off_q));
        a_inside: assert (64'(off_q) + 64'(n) <= 64'(dut.ask_q.blocks));
        a_chunk:  assert (n != '0 && n <= 17'(dut.ask_q.chunk));
        a_here:   assert (!write || taken_q - given_q >= LbaBits'(n));
        a_alone:  assert (!write || 64'(lens) + 64'(n) <= 64'(dut.ask_q.blocks));
      end
      a_flush:  assert (!cmd_valid || cmd.op != OpFlush || (out_q == '0 && given_q == taken_q && !play));
      a_ring:   assert (play || given_q <= taken_q);
      a_end:    assert (!ended || !started_q || busy || (place.blocks == given_q && (play || (given_q == taken_q && beat_q == '0))));
      a_cmd:    assert (!cmd_held_q || (cmd_valid && cmd == cmd_q));
      a_buffer: assert (!b_held_q || (b_valid && b_data == b_data_q));
      a_few:    assert (out_q <= 2'd2);
      if (started_q && dut.ask_q.count != '0) a_count: assert (given_q <= dut.ask_q.count && taken_q <= dut.ask_q.count);

      // What makes that inductive.
      i_started: assert (started_q || (!busy && !ended && out_q == '0 && !dut.done_q && dut.give_q == Size));
      i_give:    assert (dut.give_q inside {Size, Want, Show});
      if (started_q) begin
        i_off:    assert (dut.off_q == off_q && dut.beat_q == beat_q);
        i_avail:  assert (dut.avail_q == (play ? 32'd0 : 32'(taken_q - given_q)) && (!play || (taken_q == '0 && beat_q == '0)));
        i_out:    assert (dut.out_q == lens + pend && dut.cmds_q == 16'(out_q) + 16'(dut.done_q));
        i_place:  assert (dut.place_q.blocks + LbaBits'(lens) + LbaBits'(pend) == given_q);
      end
      if (dut.state_q inside {Idle, Wait, Check, End}) i_rest: assert (out_q == '0 && !dut.done_q && (dut.give_q == Size || (dut.give_q == Want && dut.n_q != '0)));
      if (dut.state_q inside {Wait, Check})
        i_begin: assert (given_q == '0 && taken_q == '0 && beat_q == '0 && dut.give_q == Size && !dut.flushed_q && off_q == dut.ask_q.offset
                         && dut.left_q == dut.ask_q.count);
      if (dut.state_q == Check) i_stale: assert (!dut.alone_q && dut.beyond_q == 64'(dut.ask_q.first) + 64'(dut.ask_q.blocks));
      if (runs) begin
        i_region: assert (off_q < dut.ask_q.blocks && dut.ask_q.chunk != '0
                          && 64'(dut.ask_q.first) + 64'(dut.ask_q.blocks) < 64'd1 << LbaBits);
        if (dut.state_q != Flush) begin
          i_flushed: assert (!dut.flushed_q);
          i_alone:   assert (dut.give_q != Size || !dut.alone_q);
          if (dut.give_q inside {Want, Show})
            i_n: assert (dut.n_q != '0 && 64'(off_q) + 64'(dut.n_q) <= 64'(dut.ask_q.blocks) && dut.n_q <= dut.ask_q.chunk);
          if (!play && (dut.give_q == Show || (dut.give_q == Want && dut.alone_q)))
            i_fits: assert (64'(dut.out_q) + 64'(dut.n_q) <= 64'(dut.ask_q.blocks));
          if (!play && dut.give_q == Show) i_here: assert (dut.avail_q >= 32'(dut.n_q));
        end else begin
          i_flush: assert (!play && given_q == taken_q && lens == '0 && pend == '0 && (dut.flushed_q || (out_q == '0 && !dut.done_q)));
          i_once:  assert (dut.give_q == Show ? !dut.flushed_q && dut.n_q == '0 : !dut.flushed_q || dut.give_q == Size);
        end
        if (dut.ask_q.count != '0) begin
          i_left: assert (dut.left_q + (play ? given_q : taken_q) == dut.ask_q.count);
          i_more: assert (dut.left_q != '0 || (beat_q == '0 && (dut.state_q != Run || (play && dut.stop_q))));
          i_play: assert (!play || dut.give_q != Show || LbaBits'(dut.n_q) <= dut.left_q);
        end
        i_drain: assert (!(dut.state_q inside {Drain, Flush}) || beat_q == '0);
        i_shown: assert (!play || dut.state_q == Run || dut.give_q != Show);
        i_states: assert (!play || dut.state_q inside {Run, Drain});
      end
      if (dut.state_q inside {Idle, End} && started_q) i_end: assert (play || (given_q == taken_q && beat_q == '0));
    end
    c_wrap:  cover (!first_q && give && off_q == '0 && given_q != '0 && out_q != '0);
    c_pad:   cover (!first_q && b_valid && !s_valid_i);
  end
endmodule
