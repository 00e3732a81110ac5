// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Requests laid into half beats by ls_straddle_out and taken out of them again by ls_straddle_in come
// out as they went in, whatever lengths they have and whenever either side waits. Between the two
// the block's rules hold: a TLP begins low, or high where another one ends low; none pauses inside.
// Any one header DW and any one payload DW are followed, in every TLP, and what is said beside the beat in which any one of
// them ends, the older or the newer of the two that it takes.
module ls_straddle_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 512
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             sop_i,
  input logic             eop_i,
  input tlp_hdr_t         hdr_i,
  input logic [Width-1:0] data_i,
  input logic             take_i,    // the block takes a beat
  input logic             tail_i,    // and says this of the TLPs that end in it
  input logic [2:0]       nth,       // of this TLP, any but always the same, it is followed
  input logic             ready_i,
  input logic [10:0]      me,        // this payload DW, any but always the same,
  input logic [31:0]      is,        // is this
  input logic [1:0]       mine,      // this header DW, but not that with the length,
  input logic [31:0]      has        // is that
);
  localparam int unsigned BeatDw = Width / 32;

  logic             ready, mid_valid, mid_ready, sop, high, valid, o_sop, o_eop, tail;
  logic [1:0]       ends;
  logic [1:0][3:0]  at;
  logic [7:0]       be, side;
  logic [Width-1:0] mid, data;
  logic [127:0]     head, o_head;
  logic [10:0]      len, o_len;
  tlp_hdr_t         o_hdr;

  assign len   = hdr_i.kind == TlpMemWr ? hdr_i.len_dw : '0;
  assign head  = {hdr_i.addr[63:32], 20'd0, hdr_i.kind == TlpMemWr, hdr_i.len_dw, hdr_i.addr[31:0], 16'd0, hdr_i.requester_id};
  assign o_len = o_head[75] ? o_head[74:64] : '0;

  ls_straddle_out #(.Width(Width)) u_out (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .sop_i, .eop_i, .head_i(head),
    .be_i({hdr_i.last_be, hdr_i.first_be}), .len_dw_i(len), .data_i, .valid_o(mid_valid),
    .ready_i(mid_ready && take_i), .sop_o(sop), .sop_high_o(high), .be_o(be), .eop_o(ends), .end_o(at), .data_o(mid)
  );
  ls_straddle_in #(.Width(Width), .SegDw(8), .Head(4), .Side(8)) u_in (
    .clk_i, .rst_ni, .valid_i(mid_valid && take_i), .ready_o(mid_ready), .data_i(mid),
    .sop_i({sop && high, sop && !high}), .side_i({be, be}), .tail_i, .head_o(o_head), .side_o(side),
    .len_dw_i(o_len), .valid_o(valid), .ready_i, .sop_o(o_sop), .eop_o(o_eop), .tail_o(tail), .data_o(data)
  );

  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_w (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1));
  always_comb begin
    o_hdr              = '0;
    o_hdr.kind         = o_head[75] ? TlpMemWr : TlpMemRd;
    o_hdr.len_dw       = o_head[74:64];
    o_hdr.first_be     = side[3:0];
    o_hdr.last_be      = side[7:4];
    o_hdr.requester_id = o_head[15:0];
  end

  // ---- followed --------------------------------------------------------------------------------
  logic         first_q = 1'b1, open_q, held_q;
  logic [10:0]  me_q, in_q, in_at, out_q, out_at;
  logic [1:0]   mine_q, ends_q;
  logic [31:0]  is_q, has_q;
  logic [Width-1:0] mid_q;
  logic [2:0]   nth_q, closed_q, left_q;     // TLPs that have ended, at the block and at the way out
  logic         said_q;
  assign in_at  = sop_i ? '0 : in_q;
  assign out_at = o_sop ? '0 : out_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    {me_q, is_q, mine_q, has_q, nth_q} <= {me, is, mine, has, nth};
    if (mid_valid && mid_ready && take_i && ((ends[0] && closed_q == nth) || (ends[1] && closed_q + 3'd1 == nth))) said_q <= tail_i;
    held_q <= rst_ni && mid_valid && !(mid_ready && take_i);
    mid_q  <= mid;
    ends_q <= ends;
    if (!rst_ni) begin
      {in_q, out_q, open_q, closed_q, left_q} <= '0;
    end else begin
      if (valid_i && ready) in_q  <= in_at + 11'(BeatDw);
      if (valid && ready_i) out_q <= out_at + 11'(BeatDw);
      if (mid_valid && mid_ready && take_i) open_q <= open_q ^ sop ^ (^ends);
      if (mid_valid && mid_ready && take_i) closed_q <= closed_q + 3'(ends[0]) + 3'(ends[1]);
      if (valid && ready_i && o_eop)        left_q   <= left_q + 3'd1;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume ({me, is, mine, has, nth} == {me_q, is_q, mine_q, has_q, nth_q});
    end
    assume (mine != 2'd2);
    if (valid_i && sop_i) begin
      assume (hdr_i.kind inside {TlpMemWr, TlpMemRd});
      assume (head[32*mine+:32] == has);
    end
    if (valid_i && me / BeatDw == in_at / BeatDw) assume (data_i[32*(me % BeatDw)+:32] == is);
    if (!first_q) begin
      if (valid) begin
        a_data: assert (!(me < o_len && me / BeatDw == out_at / BeatDw) || data[32*(me % BeatDw)+:32] == is);
        a_head: assert (!o_sop || o_head[32*mine+:32] == has);
        a_tail: assert (!(o_eop && left_q == nth) || tail == said_q);
        a_last: assert (o_eop == (13'(out_at) + 13'(BeatDw) >= 13'(o_len)));
      end
      if (mid_valid) begin
        a_begin: assert (sop ? high == open_q : open_q);
        a_end:   assert (!(sop && high) || (ends[0] && at[0] < 4'd8));
        a_two:   assert (ends != 2'b10 && !(ends[1] && !(sop && high)));
      end
      a_pause: assert (!(open_q && !mid_valid) || u_w.open_q);      // only if the source pauses
      a_held:  assert (!held_q || (mid_valid && {mid, ends} == {mid_q, ends_q}));
    end
    c_high: cover (!first_q && valid && ready_i && o_sop && o_eop && u_in.old_sop_q == 2'b10 && o_len == 11'd4);
    c_tail: cover (!first_q && valid && ready_i && o_eop && tail && u_in.in_old && u_in.new_q && !u_in.new_tail_q);
    c_late: cover (!first_q && valid && ready_i && o_eop && tail && !u_in.in_old && !u_in.old_tail_q);
    c_both: cover (!first_q && mid_valid && ends == 2'b11);
  end

  ls_stream_check #(.Width(Width)) u_o (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(o_sop), .last_i(o_eop), .hdr_i(o_hdr), .data_i(data), .keep_i('1));
endmodule
