// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Header and payload come out as one frame: as many DWs as they have together, full beats before
// the last, every DW in its place. Held while it is not taken. Any one header DW and any one
// payload DW are followed, in every TLP.
module ls_hdr_insert_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned BeatDw = Width / 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             sop_i,
  input logic             eop_i,
  input tlp_hdr_t         hdr_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic [10:0]      me,        // this payload DW, any but always the same,
  input logic [31:0]      is,        // is this
  input logic [1:0]       mine,      // this header DW
  input logic [31:0]      has        // is that
);
  localparam bit          Pre   = Width == 64;
  localparam int unsigned Ahead = Pre ? 2 : 0;     // header DWs in a beat of their own
  logic             ready, valid, first, last, four, has_data;
  logic [$clog2(BeatDw):0] count;
  logic [Width-1:0] data;
  logic [127:0]     head;
  logic [10:0]      len;

  assign four     = hdr_i.tc[0];
  assign has_data = hdr_i.kind == TlpMemWr || hdr_i.kind == TlpCplD;
  assign len      = has_data ? hdr_i.len_dw : '0;
  assign head     = {hdr_i.addr, hdr_i.tag, hdr_i.requester_id, hdr_i.byte_count, hdr_i.len_dw,
                     hdr_i.first_be, hdr_i.last_be, hdr_i.attr, hdr_i.tc, 2'b0};

  ls_hdr_insert #(.Width(Width)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .sop_i, .eop_i, .head_i(four ? head : {head[95:64], head[31:0], head[63:0]}), .four_i(four),
    .len_dw_i(len), .data_i, .valid_o(valid), .ready_i, .first_o(first), .last_o(last),
    .count_o(count), .data_o(data)
  );
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i,
    .keep_i('1)
  );

  // ---- what is known from outside ------------------------------------------------------------
  logic        first_q = 1'b1, held_q, last_q, four_q;
  logic [10:0] me_q, len_q;
  logic [31:0] is_q, has_q;
  logic [1:0]  mine_q;
  logic [12:0] sent_q, took_q;       // DWs out, payload DWs in
  logic [12:0] total, place, hplace, at_in;
  logic [Width-1:0] data_q;
  logic [$clog2(BeatDw):0] count_q;
  logic        at_sop, c_four;
  logic [10:0] c_len;

  assign at_sop = valid_i && sop_i && !dut.flush_q;    // the TLP going out is the one at the input
  assign c_four = at_sop ? four : four_q;
  assign c_len  = at_sop ? len : len_q;
  assign total  = 13'(c_len) + (c_four ? 13'd4 : 13'd3);
  assign place  = 13'(me) + (c_four ? 13'd4 : 13'd3);
  assign at_in  = sop_i ? '0 : took_q;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    {me_q, is_q, mine_q, has_q} <= {me, is, mine, has};
    held_q  <= rst_ni && valid && !ready_i;
    data_q  <= data;
    last_q  <= last;
    count_q <= count;
    if (!rst_ni) begin
      sent_q <= '0;
      took_q <= '0;
    end else begin
      if (valid && ready_i) sent_q <= last ? '0 : sent_q + 13'(BeatDw);
      if (valid_i && ready) took_q <= at_in + 13'(BeatDw);
    end
    if (valid && ready_i && at_sop) begin
      four_q <= four;
      len_q  <= len;
    end
  end

  logic [Width-1:0] used;            // lanes without a DW may hold anything
  always_comb for (int unsigned i = 0; i < BeatDw; i++) used[32*i+:32] = {32{i < 32'(count)}};

  logic [31:0] in_dw, out_dw, out_hdr;
  assign in_dw   = data_i[32*(me % BeatDw)+:32];
  assign out_dw  = data[32*(place % BeatDw)+:32];
  assign out_hdr = data[32*(mine % BeatDw)+:32];

  // Where the carried DWs stand: from sent_q on.
  logic [12:0] carried;
  assign carried = place - sent_q;

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume ({me, is, mine, has} == {me_q, is_q, mine_q, has_q});
    end
    if (valid_i && (has_data || !sop_i) && 13'(me) / BeatDw == at_in / BeatDw && u_in.ok_frame) assume (in_dw == is);
    if (valid_i && sop_i) assume (head[32*mine+:32] == has);
    if (!first_q) begin
      a_held:  assert (!held_q || (valid && last == last_q && count == count_q
                                   && ((data ^ data_q) & used) == '0));
      if (valid) begin
        a_first: assert (first == (sent_q == '0));
        a_last:  assert (last == (sent_q + 13'(BeatDw) >= total));
        a_count: assert (13'(count) == (last ? total - sent_q : 13'(BeatDw)));
        a_data:  assert (!(me < c_len && place >= sent_q && place < sent_q + 13'(BeatDw)) || out_dw == is);
        a_head:  assert (!((mine != 2'd3 || c_four) && 13'(mine) >= sent_q && 13'(mine) < sent_q + 13'(BeatDw))
                         || out_hdr == has);
      end
      // What carries the proof.
      i_pre:   assert (!dut.pre_q || (Pre && !dut.flush_q && !u_in.open_q && valid_i && sop_i
                                      && sent_q == 13'd2));
      i_flush: assert (!dut.flush_q || (!u_in.open_q && dut.left != '0 && 32'(dut.left) <= BeatDw
                                        && 13'(dut.left) == total - sent_q && len_q != '0));
      i_idle:  assert (!(!dut.pre_q && !dut.flush_q && !u_in.open_q) || sent_q == '0);
      i_lanes: assert (sent_q == '0 || at_sop || 32'(dut.lanes_q) == 32'(len_q) % BeatDw);
      if (u_in.open_q || dut.flush_q) begin
        i_four:  assert (dut.four_q == four_q && sent_q != '0 && took_q != '0 && len_q != '0 || (dut.flush_q && len_q == '0));
        i_sent:  assert (sent_q == took_q + 13'(Ahead) && took_q % BeatDw == 0 && took_q != '0);
        i_carry: assert (!(carried < (four_q ? 13'd4 : 13'd3) - 13'(Ahead) && me < len_q)
                         || dut.carry_q[32*carried[1:0]+:32] == is);
        i_hcarry: assert (sent_q >= 13'd4);
      end
      if (u_in.open_q) i_beats: assert (13'(u_in.left_q) == (13'(len_q) - took_q + 13'(BeatDw - 1)) / BeatDw
                                        && 13'(len_q) > took_q && len_q <= 11'd1024);
      if (dut.flush_q) i_took: assert (13'(len_q) <= took_q && (13'(len_q) + 13'(BeatDw) > took_q));
      i_size: assert (len_q <= 11'd1024 || first_q || sent_q == '0);
    end
    c_flush: cover (!first_q && dut.flush_q && c_len > 11'd4 && ready_i);
  end
endmodule
