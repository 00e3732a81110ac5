// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The queue gives out what it took, in order, through a memory that takes and answers whenever it likes and may refuse:
// no burst is written over beats that are not read back, none is read before its answer has come, what is asked for has room
// when it comes, and nothing comes out behind what was refused. One beat among all is followed from its arrival to its leaving.
// A beat has its number, modulo 64, from its arrival on; its place in memory is that number modulo the region's beats. Of the
// memory one place is there, that of the beat that is followed, which is any: what is read from another is any value.
//
// For all time, by induction: the numbers stand in the order in which a beat passes them, and what the queue counts are their
// differences.
module ls_axi_fifo_props
  import ls_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_valid_i,
  input logic [15:0] s_data_i,
  input logic        m_ready_i,
  input mm_in_t      any_i,
  input logic [15:0] rdata_i,
  input logic        mark
);
  localparam int unsigned Size = 16;          // beats of memory
  logic        s_ready, m_valid, first_q = 1'b1;
  logic [15:0] m_data, wdata;
  logic [5:0]  level;
  logic [1:0]  wr_bad, rd_bad;
  mm_in_t      mm_in;
  mm_out_t     mm;
  ls_axi_fifo #(.Width(16), .SizeLog2(5), .BurstBytes(4), .InBytes(8), .OutBytes(8), .Bursts(2), .FlushCycles(2)) dut (
    .clk_i, .rst_ni, .s_valid_i, .s_ready_o(s_ready), .s_data_i, .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data),
    .mm_i(mm_in), .mm_rdata_i(rdata_i), .mm_o(mm), .mm_wdata_o(wdata), .high_clear_i(1'b0), .level_o(level), .high_o(),
    .wr_bad_o(wr_bad), .rd_bad_o(rd_bad)
  );

  // ---- the memory: it answers no burst before its last beat, and reads no beat that is not asked for ----
  logic [1:0] owed_q;                          // bursts written whole and not answered
  // Numbers of beats: taken, in bursts whose address is shown, in those whose address was taken, written, answered, these before any error, asked for, read, read well, given out.
  logic [5:0] in_q, aw_q, sent_q, w_q, b_q, told_to_q, ar_q, r_q, good_q, out_q;
  logic       push, aw, sent, w, b, ar, r, pop;
  always_comb begin
    mm_in         = any_i;
    mm_in.b_valid = any_i.b_valid && owed_q != '0 && (dut.flag_used != 2'd1 || !dut.shown_q);     // nor before its address was taken
    mm_in.r_valid = any_i.r_valid && r_q != ar_q;
  end
  assign push = s_valid_i && s_ready;
  assign aw   = dut.fresh;                     // the first cycle in which it is shown
  assign sent = mm.aw_valid && mm_in.aw_ready;
  assign w    = mm.w_valid && mm_in.w_ready;
  assign b    = mm_in.b_valid;
  assign ar   = mm.ar_valid && mm_in.ar_ready;
  assign r    = mm_in.r_valid;
  assign pop  = m_valid && m_ready_i;

  // ---- one beat ----
  logic        here_q, asked_q, told_q, lost_q;        // it is followed; it is in a burst; that burst's answer was OKAY, or was not
  logic [5:0]  at_q, aw_end, ar_end;
  logic [1:0]  ahead_q;                        // answers before its own
  logic [15:0] watch_q, cell_q;                // what it is; what its place in memory holds
  assign aw_end = aw_q + 6'(mm.aw_len) + 6'd1;
  assign ar_end = ar_q + 6'(mm.ar_len) + 6'd1;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) begin
      {in_q, aw_q, sent_q, w_q, b_q, told_to_q, ar_q, r_q, good_q, out_q, owed_q} <= '0;
      {here_q, asked_q, told_q, lost_q} <= '0;
    end else begin
      in_q   <= in_q + 6'(push);
      w_q    <= w_q + 6'(w);
      r_q    <= r_q + 6'(r);
      good_q <= good_q + 6'(dut.r_good);
      out_q  <= out_q + 6'(pop);
      owed_q <= owed_q + 2'(w && mm.w_last) - 2'(b);
      if (aw) aw_q <= aw_end;
      if (sent) sent_q <= sent_q + 6'(mm.aw_len) + 6'd1;
      if (ar) ar_q <= ar_end;
      if (b)  b_q  <= b_q + 6'(dut.flag_len);
      if (dut.b_good) told_to_q <= told_to_q + 6'(dut.flag_len);
      if (!here_q && push && mark) begin
        {here_q, asked_q, told_q, lost_q} <= 4'b1000;
        at_q    <= in_q;
        watch_q <= s_data_i;
      end else if (here_q && pop && at_q == out_q) begin
        here_q <= 1'b0;
      end
      if (here_q && aw && !asked_q && at_q - aw_q < aw_end - aw_q) begin
        asked_q <= 1'b1;
        ahead_q <= dut.flag_used - 2'(b);
      end else if (here_q && asked_q && !told_q && !lost_q && b) begin
        ahead_q <= ahead_q - 2'd1;
        if (ahead_q == '0) {told_q, lost_q} <= {mm_in.b_resp == '0, mm_in.b_resp != '0};
      end
      if (w && w_q[3:0] == at_q[3:0]) cell_q <= wdata;
    end
  end

  logic [1:0] lens, flags, len0, len1, flag0, flag1;
  logic [2:0] in_n, out_n, in_at, out_at;
  logic [5:0] left, left_w, past_at, past_in, past_aw, past_w, past_b, past_told, past_ar, past_r, past_good;     // since the last that was given out
  assign lens   = dut.len_used;
  assign flags  = dut.flag_used;
  assign len0   = dut.u_lens.mem[dut.u_lens.rd_q[0]];
  assign len1   = dut.u_lens.mem[!dut.u_lens.rd_q[0]];
  assign flag0  = dut.u_flags.mem[dut.u_flags.rd_q[0]];
  assign flag1  = dut.u_flags.mem[!dut.u_flags.rd_q[0]];
  assign left_w = (lens == 2'd0 ? 6'd0 : lens == 2'd1 ? 6'(len0) : 6'(len0) + 6'(len1)) - 6'(dut.at_q);
  assign left   = flags == 2'd0 ? 6'd0 : flags == 2'd1 ? 6'(flag0) : 6'(flag0) + 6'(flag1);
  assign in_n   = dut.u_in.used + 3'(dut.in_valid);
  assign out_n  = dut.u_out.used + 3'(m_valid);
  assign in_at  = 3'(at_q - w_q);
  assign out_at = 3'(at_q - out_q);
  assign {past_at, past_in, past_aw, past_w} = {at_q - out_q, in_q - out_q, aw_q - out_q, w_q - out_q};
  assign {past_b, past_told, past_ar, past_r, past_good} = {b_q - out_q, told_to_q - out_q, ar_q - out_q, r_q - out_q, good_q - out_q};
  // A beat in a queue: in its output, or in its rows.
  logic [1:0]  in_row, out_row;
  logic [15:0] in_is, out_is;
  assign in_row  = 2'(dut.u_in.rd_q[1:0] + in_at[1:0] - 2'(dut.in_valid));
  assign out_row = 2'(dut.u_out.rd_q[1:0] + out_at[1:0] - 2'(m_valid));
  assign in_is   = (dut.in_valid && in_at == '0) ? wdata : dut.u_in.u_rows.gen_small.mem[in_row];
  assign out_is  = (m_valid && out_at == '0) ? m_data : dut.u_out.u_rows.gen_small.mem[out_row];
  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    if (here_q && r && r_q == at_q && mm_in.r_resp == '0) assume (rdata_i == cell_q);
    if (!first_q) begin
      // What is claimed.
      a_aw:    assert (!mm.aw_valid || (mm.aw_addr == {27'd0, sent_q[3:0], 1'b0} && 6'(sent_q[0]) + 6'(mm.aw_len) < 6'd2));
      a_ar:    assert (!mm.ar_valid || (mm.ar_addr == {27'd0, ar_q[3:0], 1'b0} && 6'(ar_q[0]) + 6'(mm.ar_len) < 6'd2));
      a_fits:  assert (aw_q - r_q <= 6'(Size) && (!aw || aw_end - r_q <= 6'(Size)));
      a_room:  assert (mm.r_ready && mm.b_ready && (!dut.r_good || dut.out_ready));
      a_level: assert (level == 6'((in_q - out_q) << 1) && dut.level_q <= 5'd25);
      if (here_q && mm.ar_valid && at_q - ar_q < ar_end - ar_q) a_told: assert (asked_q && told_q);
      if (here_q && m_valid && at_q == out_q) a_order: assert (m_data == watch_q && told_q);

      // The order of the numbers, and that what is counted here is what the queue counts.
      i_order: assert (past_good <= past_r && past_r <= past_ar && past_ar <= past_told && past_told <= past_b && past_b <= past_w
                       && past_w <= past_aw && past_b <= sent_q - out_q && sent_q - out_q <= past_aw && past_aw <= past_in && past_ar <= 6'd4 && aw_q - r_q <= 6'd16);
      i_rest:  assert (dut.have_q == 3'(in_q - aw_q) && in_q - aw_q <= 6'd5 && dut.used_q == 5'(aw_q - r_q));
      i_place: assert (dut.wr_q == sent_q[3:0] && aw_q - sent_q == (dut.shown_q ? 6'(dut.aw_n_q) : 6'd0) && dut.ask_q == ar_q[3:0]);
      i_in:    assert (6'(in_n) == in_q - w_q && dut.u_in.used <= 3'd4 && aw_q - w_q == left_w && left_w <= 6'd4);
      i_out:   assert (6'(out_n) == past_good && dut.u_out.used <= 3'd4 && dut.room_q == 3'd4 - 3'(past_ar));
      i_avail: assert (dut.avail_q == 5'(told_to_q - ar_q) && (dut.wr_bad_o != '0 || told_to_q == b_q) && (dut.rd_bad_o != '0 || good_q == r_q));
      i_aw:    assert (!dut.aw_q || (dut.aw_n_q >= 2'd1 && 3'(dut.aw_n_q) + 3'(sent_q[0]) <= 3'd2));
      i_fresh: assert (!dut.fresh || (3'(dut.aw_n_q) <= dut.have_q && dut.used_q <= 5'd14 && lens <= 2'd1 && flags <= 2'd1));
      i_shown: assert (!dut.shown_q || (dut.aw_q && flags != '0 && (flags == 2'd2 ? flag1 : flag0) == dut.aw_n_q));
      i_ar:    assert (!dut.ar_q || (dut.ar_n_q >= 2'd1 && 5'(dut.ar_n_q) <= dut.avail_q && 3'(dut.ar_n_q) <= dut.room_q
                                     && 3'(dut.ar_n_q) + 3'(ar_q[0]) <= 3'd2));
      i_fifos: assert (lens <= 2'd2 && 3'(flags) == 3'(lens) + 3'(owed_q) && flags <= 2'd2 && dut.u_lens.wr_q == dut.u_flags.wr_q
                       && dut.u_lens.valid_q == (lens != '0) && dut.u_lens.full_q == (lens == 2'd2)
                       && dut.u_flags.valid_q == (flags != '0) && dut.u_flags.full_q == (flags == 2'd2));
      i_flags: assert (aw_q - b_q == left && (flags == '0 || flag0 inside {2'd1, 2'd2}) && (flags != 2'd2 || flag1 inside {2'd1, 2'd2}));
      i_lens:  assert ((lens != 2'd1 || len0 == (flags == 2'd2 ? flag1 : flag0)) && (lens != 2'd2 || (len0 == flag0 && len1 == flag1))
                       && (lens == '0 ? dut.at_q == '0 : dut.at_q < 8'(len0)));
      if (here_q) begin
        i_here:  assert (past_at < past_in && asked_q == (past_at < past_aw) && (told_q || lost_q) == (past_at < past_b) && !(told_q && lost_q));
        i_told:  assert (past_at < past_told ? told_q : !lost_q || dut.wr_bad_o != '0);
        if (asked_q && past_at >= past_b)
          i_ahead: assert (ahead_q == '0 ? flags != '0 && at_q - b_q < 6'(flag0)
                                         : ahead_q == 2'd1 && flags == 2'd2 && at_q - b_q >= 6'(flag0));
        if (past_at >= past_w)                      i_kept_in:  assert (in_is == watch_q);
        if (past_at >= past_r && past_at < past_w)  i_kept:     assert (cell_q == watch_q);
        if (past_at < past_good)                    i_kept_out: assert (out_is == watch_q);
      end
    end
    c_full:  cover (!first_q && aw_q - r_q >= 6'd4 && here_q && told_q && r);
    c_tail:  cover (!first_q && mm.aw_valid && mm.aw_len == 8'd0 && here_q);
  end
endmodule
