// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A record stays in its region and goes around it: each command begins where the one before it ended, the first at the
// offset, none goes beyond the region's end, none of a write covers a block of which a write is out. Blocks given are blocks
// taken: none is given before it is here, and at the end none is left. The flush comes when nothing is out. The host is any
// that reports no more than it was given. A buffer that stops for ever ends a record: nothing is left in it otherwise.
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
  input logic [63:0] s_data_i,
  input logic        b_ready_i,
  input logic        bad_i,
  input logic        m_valid_i,
  input logic        m_ready_i,
  input logic        m_last_i,
  input logic        m_error_i
);
  localparam logic [2:0] Idle = 3'd0, Wait = 3'd1, Check = 3'd2, Run = 3'd3, Pad = 3'd4, Drain = 3'd5, Flush = 3'd6, End = 3'd7;     // of the dut
  localparam logic [1:0] Size = 2'd0, Want = 2'd1, Show = 2'd2;
  logic              first_q = 1'b1;
  logic              busy, ended, cmd_valid, s_ready, b_valid, give, write;
  record_place_t     place;
  user_cmd_t         cmd, cmd_q;
  user_done_t        done;
  logic [63:0]       b_data, b_data_q, s_data_q;
  logic              cmd_held_q, b_held_q, s_held_q, started_q, bad_q, bad2_q, cut;
  logic              done_valid;
  logic [16:0]       n;

  ls_nvme_record #(.Width(64), .GigLog2(10)) dut (
    .clk_i, .rst_ni, .start_i, .ask_i, .stop_i, .busy_o(busy), .ended_o(ended), .end_o(), .place_o(place), .fail_valid_o(),
    .fail_o(), .fig_valid_o(), .fig_o(), .run_i, .dead_i, .drive_i, .size_i, .cmd_valid_o(cmd_valid), .cmd_ready_i,
    .cmd_o(cmd), .done_valid_i(done_valid), .done_ready_o(), .done_i(done), .s_valid_i, .s_ready_o(s_ready), .s_data_i,
    .b_valid_o(b_valid), .b_ready_i, .b_data_o(b_data), .b_bad_i(bad_i), .m_valid_i, .m_ready_i, .m_last_i, .m_error_i
  );
  assign give  = cmd_valid && cmd_ready_i;
  assign write = cmd.op == OpWrite;
  assign n     = 17'(cmd.nlb) + 17'd1;

  // ---- the host: 512 commands at most are out, twice what it has room for, and no report is of more blocks than are out -----------
  logic [9:0]  out_q;
  logic [15:0] told_q;                        // blocks of the report of the cycle before
  assign done_valid = answer_i && out_q != '0;
  assign done       = done_i;

  // ---- what is expected --------------------------------------------------------------------------
  logic [LbaBits-1:0] off_q;                  // where the next command begins
  logic [31:0]        have_q, away_q;         // blocks taken and not given; given and not reported
  logic [8:0]         beat_q;                 // of the block that is being taken
  logic               block, around_q;
  assign block = b_valid && b_ready_i && beat_q == 9'((64 << dut.block_q) - 1);
  always_ff @(posedge clk_i) begin
    first_q    <= 1'b0;
    bad_q      <= rst_ni && bad_i;
    bad2_q     <= rst_ni && bad_i && bad_q;
    cmd_q      <= cmd;
    b_data_q   <= b_data;
    s_data_q   <= s_data_i;
    cmd_held_q <= rst_ni && cmd_valid && !cmd_ready_i;
    b_held_q   <= rst_ni && b_valid && !b_ready_i;
    s_held_q   <= rst_ni && s_valid_i && !s_ready;
    if (!rst_ni) begin
      out_q     <= '0;
      told_q    <= '0;
      started_q <= 1'b0;
      around_q  <= 1'b0;
    end else begin
      out_q  <= out_q + 10'(give) - 10'(done_valid);
      told_q <= done_valid ? done.tag : '0;
      if (!busy && start_i && !bad_i) begin
        started_q <= 1'b1;
        around_q  <= 1'b0;
        off_q     <= ask_i.offset;
        have_q    <= '0;
        away_q    <= '0;
        beat_q    <= '0;
      end else begin
        if (give && cmd.op != OpFlush) begin
          off_q    <= (dut.ask_q.blocks - off_q == LbaBits'(n)) ? '0 : off_q + LbaBits'(n);
          around_q <= around_q || dut.ask_q.blocks - off_q == LbaBits'(n);
        end
        have_q <= have_q + 32'(block) - ((give && write) ? 32'(n) : 32'd0);
        away_q <= away_q + ((give && cmd.op != OpFlush) ? 32'(n) : 32'd0) - 32'(told_q);
        if (b_valid && b_ready_i) beat_q <= block ? '0 : beat_q + 9'd1;
      end
    end
  end

  logic runs, play;
  logic [63:0] end_at;
  assign end_at = 64'(dut.ask_q.first) + 64'(dut.ask_q.blocks);
  assign runs = !(dut.state_q inside {Idle, Wait, Check, End});
  assign play = dut.ask_q.play;
  assign cut  = dut.end_q == EndBuffer;
  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      if (s_held_q) assume (s_valid_i && s_data_i == s_data_q);
      if (bad_q) assume (bad_i);
      if (out_q == 10'd512) assume (!cmd_ready_i);
      if (done_valid) assume (32'(done.tag) <= away_q - 32'(told_q));
      if (started_q) assume (have_q < 32'd1 << 30 && away_q < 32'd1 << 30);      // no buffer and no host holds more
    end
    if (!first_q) begin
      // What is claimed.
      if (cmd_valid && cmd.op != OpFlush) begin
        a_kind:   assert (cmd.op == (play ? OpRead : OpWrite) && cmd.tag == 16'(n));
        a_next:   assert (cmd.lba == 64'(LbaBits'(dut.ask_q.first + off_q)));       // i_region: it does not come round
        a_inside: assert (off_q < dut.ask_q.blocks && LbaBits'(n) <= dut.ask_q.blocks - off_q);
        a_chunk:  assert (n != '0 && n <= 17'(dut.ask_q.chunk));
        a_here:   assert (!write || 32'(n) <= have_q);
        a_alone:  assert (!write || LbaBits'(away_q) + LbaBits'(n) <= dut.ask_q.blocks);
      end
      a_flush:  assert (!cmd_valid || cmd.op != OpFlush || (out_q == '0 && have_q == '0 && !play));
      a_end:    assert (!started_q || busy || cut || (have_q == '0 && beat_q == '0 && out_q == '0));
      a_stops:  assert (!bad2_q || play || !(dut.state_q inside {Check, Run, Pad, Drain}));
      a_cmd:    assert (!cmd_held_q || (cmd_valid && cmd == cmd_q));
      a_buffer: assert (!b_held_q || bad_q || (b_valid && b_data == b_data_q));

      // What makes that inductive.
      i_started: assert (out_q <= 10'd512 && (started_q || ((!busy || bad_q) && (!ended || bad_q) && out_q == '0 && !dut.done_q && dut.give_q == Size)));
      i_cut:     assert ((!cut || bad_q) && (!bad2_q || bad_q) && (!bad_q || dut.state_q != Check));
      i_never:   assert (started_q || dut.state_q inside {Idle, Wait, End});
      i_give:    assert (dut.give_q inside {Size, Want, Show});
      i_told:    assert (told_q == (dut.done_q ? dut.rep_q.tag : '0));
      if (started_q) begin
        i_same: assert (dut.off_q == off_q && dut.beat_q == beat_q && dut.avail_q == have_q && dut.out_q == away_q);
        i_cmds: assert (dut.cmds_q == 16'(out_q) + 16'(dut.done_q) && 32'(told_q) <= away_q);
        i_play: assert (!play || (have_q == '0 && beat_q == '0));
      end
      if (dut.state_q inside {Idle, Wait, Check, End} && !cut)
        i_rest: assert (out_q == '0 && !dut.done_q && (dut.give_q == Size || (dut.give_q == Want && (play || dut.n_q != '0))));
      if (dut.state_q == Check || (dut.state_q == Wait && started_q && !cut && !bad_q))
        i_begin: assert (have_q == '0 && away_q == '0 && beat_q == '0 && dut.give_q == Size && !dut.flushed_q && off_q == dut.ask_q.offset
                         && dut.left_q == dut.ask_q.count);
      if (dut.state_q == Check) i_stale: assert (!dut.alone_q && dut.beyond_q == end_at);
      if (runs) begin
        i_region: assert (off_q < dut.ask_q.blocks && dut.ask_q.chunk != '0 && end_at[63:LbaBits] == '0);
        if (dut.state_q != Flush) begin
          i_alone:   assert (!dut.flushed_q && (dut.give_q != Size || !dut.alone_q));
          if (dut.give_q == Show || (dut.give_q == Want && (!play || (dut.state_q == Run && !dut.stop_q))))
            i_n: assert (dut.n_q != '0 && LbaBits'(dut.n_q) <= dut.ask_q.blocks - off_q && dut.n_q <= dut.ask_q.chunk);
          if (!play && (dut.give_q == Show || (dut.give_q == Want && dut.alone_q)))
            i_fits: assert (LbaBits'(away_q) + LbaBits'(dut.n_q) <= dut.ask_q.blocks);
          if (!play && dut.give_q == Show) i_here: assert (32'(dut.n_q) <= have_q);
        end else begin
          i_flush: assert (!play && have_q == '0 && (dut.flushed_q || (out_q == '0 && !dut.done_q)));
          i_once:  assert (dut.give_q == Show ? !dut.flushed_q && dut.n_q == '0 : !dut.flushed_q || dut.give_q == Size);
        end
        if (play && dut.ask_q.count != '0) begin
          i_more: assert (dut.state_q != Run || dut.stop_q || dut.left_q != '0);
          i_left: assert (dut.give_q != Show || LbaBits'(dut.n_q) <= dut.left_q);
        end
        i_drain:  assert (!(dut.state_q inside {Drain, Flush}) || beat_q == '0);
        i_states: assert (!play || (dut.state_q inside {Run, Drain} && (dut.state_q == Run || dut.give_q != Show)));
      end
      if (dut.state_q inside {Idle, End} && started_q && !cut) i_end: assert (have_q == '0 && beat_q == '0);
    end
    c_wrap:  cover (!first_q && give && around_q && out_q != '0);
    c_bad:   cover (!first_q && ended && bad_q && have_q != '0);
    c_pad:   cover (!first_q && b_valid && !s_valid_i);
  end
endmodule
