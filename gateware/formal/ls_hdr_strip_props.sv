// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The header comes off and the payload comes out as a TLP stream by the rules, every DW in its
// place, whatever header and length, and however the taker waits. Any one payload DW is followed,
// in every packet. With `Late`, headers are as on CQ: 4 DWs, the length in DW 2.
module ls_hdr_strip_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter bit          Late  = 1'b0,
  localparam int unsigned BeatDw = Width / 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             tail_i,    // what comes with the last beat goes with the last one
  input logic             ready_i,
  input logic [10:0]      me,        // this payload DW, any but always the same,
  input logic [31:0]      is         // is this
);
  localparam bit          Pre  = Width == 64;
  localparam int unsigned Skip = Pre ? 4 : BeatDw;    // DWs in before the first beat goes out
  logic             ready, valid, sop, eop, four, has_data, side, tail;
  logic [127:0]     head;
  logic [10:0]      len;
  logic [Width-1:0] data;

  logic [31:0]      key;        // the DW that says it
  assign key      = Late ? head[95:64] : head[31:0];
  assign four     = Late || key[29];
  assign has_data = key[30];
  assign len      = has_data ? {key[9:0] == '0, key[9:0]} : '0;

  ls_hdr_strip #(.Width(Width), .Late(Late)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .side_i(1'b0), .head_o(head), .side_o(side),
    .tail_i, .tail_o(tail),
    .four_i(four), .len_dw_i(len), .valid_o(valid), .ready_i, .sop_o(sop), .eop_o(eop), .data_o(data)
  );

  tlp_hdr_t hdr;
  always_comb begin
    hdr          = '0;
    hdr.kind     = has_data ? TlpMemWr : TlpMemRd;
    hdr.len_dw   = has_data ? len : 11'd1;
    hdr.first_be = 4'hf;
    hdr.last_be  = (hdr.len_dw == 11'd1) ? 4'h0 : 4'hf;
  end
  ls_stream_check #(.Width(Width)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(sop), .last_i(eop), .hdr_i(hdr), .data_i(data),
    .keep_i('1)
  );

  // ---- what comes in: packets of as many DWs as their key says ---------------------------------
  logic        first_q = 1'b1, held_q, tail_q, last_q;    // those of the beat before
  logic [10:0] me_q;
  logic [31:0] is_q, dw0_q, dw0;
  logic [Width-1:0] data_q;
  logic [12:0] pos_q, total, place, out_q, at_out;   // DWs in, DWs of payload out
  logic        c_four;
  logic [10:0] c_len;

  localparam int unsigned KeyAt = Late ? 2 : 0;      // `dw0` is the key, wherever it stands
  assign dw0    = (pos_q == 13'(KeyAt / BeatDw * BeatDw)) ? data_i[32*(KeyAt % BeatDw)+:32] : dw0_q;
  assign c_four = Late || dw0[29];
  assign c_len  = dw0[30] ? {dw0[9:0] == '0, dw0[9:0]} : '0;
  assign total  = 13'(c_len) + (c_four ? 13'd4 : 13'd3);
  assign place  = 13'(me) + (c_four ? 13'd4 : 13'd3);

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    {me_q, is_q} <= {me, is};
    held_q <= rst_ni && valid_i && !ready;
    data_q <= data_i;
    last_q <= tail_i;
    if (valid_i && ready) tail_q <= tail_i;
    if (!rst_ni) begin
      pos_q <= '0;
      out_q <= '0;
    end else begin
      if (valid_i && ready) begin
        pos_q <= (pos_q + 13'(BeatDw) >= total) ? '0 : pos_q + 13'(BeatDw);
        dw0_q <= dw0;
      end
      if (valid && ready_i) out_q <= eop ? '0 : out_q + 13'(BeatDw);
    end
  end

  logic [31:0] in_dw, out_dw;
  assign in_dw  = data_i[32*(place % BeatDw)+:32];
  assign out_dw = data[32*(me % BeatDw)+:32];

  // The DWs of the beat before: where the last one of the packet began, or the one before pos_q.
  logic [12:0] prior, g_total, g_place;
  logic        g_four;
  logic [10:0] g_len;
  assign g_four  = Late || dw0_q[29];
  assign g_len   = dw0_q[30] ? {dw0_q[9:0] == '0, dw0_q[9:0]} : '0;
  assign g_total = 13'(g_len) + (g_four ? 13'd4 : 13'd3);
  assign g_place = 13'(me) + (g_four ? 13'd4 : 13'd3);
  assign prior  = (pos_q == '0) ? (g_total - 13'd1) & ~13'(BeatDw - 1) : pos_q - 13'(BeatDw);

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume ({me, is} == {me_q, is_q});
      if (held_q) assume (valid_i && data_i == data_q && tail_i == last_q);
    end
    if (valid_i && me < c_len && place / BeatDw == pos_q / BeatDw) assume (in_dw == is);
    if (!first_q) begin
      if (valid) begin
        a_data: assert (!(me < len && 13'(me) >= out_q && 13'(me) < out_q + 13'(BeatDw)) || out_dw == is);
        // All of it has come where the next beat is that of another packet.
        a_tail: assert (!eop || tail == (pos_q == '0 ? tail_q : tail_i) || dut.head_now);
        a_end:  assert (eop == (13'(len) <= out_q + 13'(BeatDw)));
      end
      // What carries the proof.
      i_open:  assert (u_out.open_q == (out_q != '0));
      i_pos:   assert (pos_q % BeatDw == 0 && out_q % BeatDw == 0);
      if (out_q != '0) i_left: assert (13'(u_out.left_q) == (13'(g_len) - out_q + 13'(BeatDw - 1)) / BeatDw
                                       && out_q < 13'(g_len));
      unique case (dut.state_q)
        2'd0: i_pre:  assert (Pre && pos_q == '0 && out_q == '0);
        2'd1: begin
          i_head: assert (pos_q == (Pre ? 13'd2 : 13'd0) && out_q == '0);
          if (Pre && !Late) i_head_dw0: assert (dut.head_q[31:0] == dw0_q);
        end
        2'd2: begin
          i_body: assert (pos_q == out_q + 13'(Skip));
          i_in:   assert (pos_q < g_total && 13'(dut.bring_q) == g_total - pos_q);
        end
        default: i_flush: assert (pos_q == '0 && out_q == prior + 13'(BeatDw) - 13'(Skip));
      endcase
      if (dut.state_q >= 2'd2) begin
        i_dw0:   assert ((Late ? dut.head_q[95:64] : dut.head_q[31:0]) == dw0_q && dut.four_q == g_four && (g_len != '0 || (Pre && dut.state_q == 2'd3 && out_q == '0)));
        i_sop:   assert (dut.sop_q == (out_q == '0));
        i_out:   assert (out_q < 13'(g_len) || g_len == '0);
        i_end:   assert (dut.state_q != 2'd3 || 13'(g_len) <= out_q + 13'(BeatDw));
        i_carry: assert (!(me < g_len && g_place >= prior && g_place < prior + 13'(BeatDw))
                         || dut.prev_q[32*(g_place % BeatDw)+:32] == is);
      end else i_sop_none: assert (!dut.sop_q);
    end
    c_flush: cover (!first_q && dut.state_q == (Late ? 2'd2 : 2'd3) && g_len > 11'd8 && valid && eop && ready_i);
  end
endmodule
