// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever completions come, in whatever order of tags: each byte of a good one is written to its place
// in its request, counted from the request's end, and no byte outside of it; and where a request is said
// to be done and no failure was said of any of its completions, all of its bytes were written, each once.
// One tag is followed, through all its requests; a completion that nobody waits for writes nothing.
module ls_read_fill_props
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned PosBits = 14,
  parameter int unsigned Tags    = 4,
  localparam int unsigned TagBits  = $clog2(Tags),
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               rx_valid_i,
  input logic               rx_sop_i,
  input logic               rx_eop_i,
  input tlp_hdr_t           rx_hdr_i,
  input logic [Width-1:0]   rx_data_i,
  input logic               rx_waits_i,
  input logic               rx_gen_i,
  input logic [PosBits-1:0] rx_end_i,
  input logic [12:0]        rx_size_i,
  input logic               clear_i,
  input logic [TagBits-1:0] clear_tag_i,
  input logic               clear_gen_i,
  input logic [TagBits-1:0] me,          // any tag, but always the same
  input logic               ask_i,       // it is given to a request,
  input logic [12:0]        size_i,      // of this size,
  input logic [PosBits-1:0] end_i,       // which ends here
  input logic               free_i       // the request is given up, without a completion
);
  logic               write, busy, done, fail, stray;
  logic [PosBits-1:0] pos;
  logic [1:0]         from;
  logic [LaneBits:0]  upto;
  logic [Width-1:0]   data;
  logic [TagBits-1:0] tag;
  cause_e             cause;
  ls_read_fill #(.Width(Width), .PosBits(PosBits), .Tags(Tags)) dut (
    .clk_i, .rst_ni, .rx_valid_i, .rx_sop_i, .rx_eop_i, .rx_hdr_i, .rx_data_i, .rx_waits_i, .rx_gen_i,
    .rx_end_i, .rx_size_i, .clear_i, .clear_tag_i, .clear_gen_i, .write_o(write), .pos_o(pos),
    .from_o(from), .upto_o(upto), .data_o(data), .busy_o(busy), .done_o(done), .fail_o(fail),
    .tag_o(tag), .cause_o(cause), .stray_o(stray)
  );
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_rx (
    .clk_i, .rst_ni, .valid_i(rx_valid_i), .ready_i(1'b1), .sop_i(rx_sop_i), .last_i(rx_eop_i), .hdr_i(rx_hdr_i),
    .data_i(rx_data_i), .keep_i('1)
  );

  // ---- what a completion says, and the beats on their way: as they came (a), and what is shown (b) ------
  typedef struct packed {
    logic               valid, sop, eop, waits, ep;
    tlp_hdr_t           hdr;
    logic [10:0]        beat;        // number of it in its TLP
    logic [PosBits-1:0] last;        // of its request
    logic [12:0]        size;
    logic [Width-1:0]   data;
  } beat_t;
  function automatic logic sound(input tlp_hdr_t h);         // it has data
    return h.kind == TlpCplD && h.status == CplSc;
  endfunction
  function automatic logic [13:0] end_of(input tlp_hdr_t h);     // of the request, from the first lane on
    return 14'(h.byte_count) + 14'(h.addr[1:0]);
  endfunction
  function automatic logic ends(input tlp_hdr_t h);          // nothing of its request comes after it
    return !sound(h) || end_of(h) <= {1'b0, h.len_dw, 2'b00};
  endfunction
  function automatic logic [13:0] bytes(input tlp_hdr_t h);  // that it brings, from the first lane on
    return ends(h) ? end_of(h) : {1'b0, h.len_dw, 2'b00};
  endfunction
  // No more data than its Byte Count says, but for a DW, which is not written; and that no more than is asked for.
  function automatic logic fits(input beat_t b);
    return b.hdr.byte_count <= b.size && {1'b0, b.hdr.len_dw, 2'b00} <= end_of(b.hdr) + 14'd4;
  endfunction
  function automatic logic good(input beat_t b);
    return b.waits && (!sound(b.hdr) || fits(b));
  endfunction
  function automatic logic [PosBits-1:0] place(input beat_t b, input logic [10:0] beat);
    return b.last - PosBits'(end_of(b.hdr)) + PosBits'(32'(beat) * Bytes);
  endfunction

  logic         first_q = 1'b1, mine_rx, mine_a, mine_b, flight;
  beat_t        a, b;
  logic [13:0]  shown_b;
  assign mine_rx = rx_valid_i && TagBits'(rx_hdr_i.tag) == me && rx_sop_i;
  assign mine_a  = a.waits && TagBits'(a.hdr.tag) == me;
  assign mine_b  = b.waits && TagBits'(b.hdr.tag) == me;
  // Some of a completion of this tag has come, and not all of it is through.
  assign flight  = (mine_a && (a.valid || !a.eop)) || (mine_rx && rx_waits_i) || (b.valid && mine_b);
  assign shown_b = bytes(b.hdr) - 14'(32'(b.beat) * Bytes);      // bytes from this beat on

  // ---- the tag that is followed: its request, and how much of it is still to come --------------------
  logic               known_q, out_q, gen_q, come_q, gap_q, bad_q, failed_q, wild_q;   // wild_q: one did not fit
  logic [TagBits-1:0] me_q;
  logic [12:0]        size_q, due_q, got_q;    // due_q: the Byte Count that comes next; got_q: bytes that came
  logic [PosBits-1:0] end_q;
  logic               start, gap, wild;
  assign start = ask_i && known_q && !out_q && !flight;
  assign wild  = sound(a.hdr) && !fits(a);
  assign gap   = sound(a.hdr) && !wild && !bad_q && (wild_q || a.hdr.byte_count != due_q);

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    me_q    <= me;
    a.valid <= rst_ni && rx_valid_i;
    b       <= a;
    b.valid <= rst_ni && a.valid;
    if (!rst_ni) a.eop <= 1'b1;
    else if (rx_valid_i) begin
      a.sop  <= rx_sop_i;
      a.eop  <= rx_eop_i;
      a.ep   <= rx_hdr_i.ep;
      a.data <= rx_data_i;
      a.beat <= rx_sop_i ? '0 : a.beat + 11'd1;
      if (rx_sop_i) begin
        a.hdr   <= rx_hdr_i;
        a.waits <= rx_waits_i;
        a.last  <= rx_end_i;
        a.size  <= rx_size_i;
      end
    end
    if (!rst_ni) begin
      known_q <= 1'b0;
      out_q   <= 1'b0;
      gen_q   <= 1'b0;
    end else begin
      if (clear_i && clear_tag_i == me) {known_q, out_q} <= 2'b10;
      else if (done && tag == me)       out_q <= 1'b0;
      if (start) begin
        out_q    <= 1'b1;
        gen_q    <= !gen_q;
        size_q   <= size_i;
        end_q    <= end_i;
        due_q    <= size_i;
        come_q   <= 1'b0;
        gap_q    <= 1'b0;
        failed_q <= 1'b0;
        bad_q    <= 1'b0;
        wild_q   <= 1'b0;
        got_q    <= '0;
      end else begin
        if (a.valid && a.sop && mine_a) begin
          due_q  <= 13'(end_of(a.hdr) - {1'b0, a.hdr.len_dw, 2'b00});
          come_q <= 1'b1;
          wild_q <= wild_q || wild;
          gap_q  <= gap;             // of the completion that is coming in
          bad_q  <= bad_q || gap || !sound(a.hdr);
          if (!wild) got_q <= got_q + 13'(bytes(a.hdr)) - 13'(a.hdr.addr[1:0]);
        end
        if (b.valid && mine_b && fail)          failed_q <= 1'b1;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == me_q);
    end
    assume (size_i != '0 && size_i <= 13'd4096);
    if (rx_valid_i) begin
      assume (rx_hdr_i.kind == TlpCpl || rx_hdr_i.kind == TlpCplD);
      if (rx_sop_i) begin
        assume (rx_hdr_i.byte_count <= 13'd4096 && rx_size_i <= 13'd4096);
      end
    end
    // What ls_read_tags says of this tag; it ends none while a completion is looked at.
    if (mine_rx) assume (rx_waits_i == out_q && (!out_q || (rx_gen_i == gen_q && rx_size_i == size_q && rx_end_i == end_q)));
    if (clear_i && clear_tag_i == me) assume (clear_gen_i == gen_q && (free_i || !known_q));
    assume (!(clear_i && busy));
    if (!first_q) begin
      // ---- each completion
      a_write: assert (write == (b.valid && good(b) && sound(b.hdr)));
      if (write) begin
        a_place: assert (pos == place(b, b.beat) && data == b.data);
        a_from:  assert (from == (b.sop ? b.hdr.addr[1:0] : 2'd0));
        a_upto:  assert (14'(upto) == ((shown_b < 14'(Bytes)) ? shown_b : 14'(Bytes)) && (32'(upto) > 32'(from) || shown_b == '0));
      end
      a_done:  assert (done == (b.valid && b.eop && good(b) && ends(b.hdr)));
      a_stray: assert (stray == (b.valid && b.eop && !good(b)));
      a_tag:   assert (!(b.valid && b.eop) || tag == TagBits'(b.hdr.tag));
      a_told:  assert (!(b.valid && b.eop && good(b) && (!sound(b.hdr) || b.hdr.ep || b.ep)) || fail);
      a_quiet: assert (!fail || (b.valid && b.eop && good(b)));
      // ---- the whole request: a gap is told, and what is done without a failure is whole
      if (b.valid && b.eop && mine_b && out_q) begin
        a_gap:   assert (!(good(b) && gap_q) || fail);
        a_whole: assert (!(done && !fail && !failed_q) || got_q == size_q);
      end
      // What carries the proof.
      i_open:  assert (u_rx.open_q == !a.eop);
      i_left:  assert (a.eop || (u_rx.left_q != '0 && 32'(u_rx.left_q) + 32'(a.beat) + 1 == (32'(a.hdr.len_dw) + Width / 32 - 1) / (Width / 32) && sound(a.hdr)));
      i_next:  assert (!b.valid || (a.valid ? a.sop : a.eop) == b.eop);
      i_valid: assert (dut.a_valid_q == a.valid);
      if (a.valid || !a.eop) begin
        i_a:   assert (dut.a_hdr_q == a.hdr && dut.a_waits_q == a.waits && dut.a_end_q == a.last && dut.a_size_q == a.size
                       && dut.a_ok_q == sound(a.hdr) && 14'(dut.a_upto_q) == end_of(a.hdr));
        i_len: assert (a.hdr.byte_count <= 13'd4096 && (!sound(a.hdr) || (a.hdr.len_dw != '0
                       && a.hdr.len_dw <= 11'd1024 && a.hdr.byte_count != '0)));
        i_more: assert (dut.a_more_q == ({1'b0, a.hdr.len_dw, 2'b00} > end_of(a.hdr) + 14'd4));
        i_cut: assert (dut.a_over_q == end_of(a.hdr) - {1'b0, a.hdr.len_dw, 2'b00} && (!sound(a.hdr) || 14'(dut.a_left_q) == bytes(a.hdr)));
      end
      if (a.valid) begin
        i_now: assert (dut.a_sop_q == a.sop && dut.a_eop_q == a.eop && dut.a_bad_q == a.ep && dut.a_data_q == a.data && a.sop == (a.beat == '0));
        i_in:  assert (!sound(a.hdr) || 32'(a.beat) < (32'(a.hdr.len_dw) + Width / 32 - 1) / (Width / 32));
      end
      if (a.valid ? !a.sop : !a.eop) begin
        i_pos: assert (dut.pos_q == place(a, a.valid ? a.beat - 11'd1 : a.beat));
        i_to:  assert (dut.left_q == 13'(bytes(a.hdr)) - 13'((32'(a.beat) + (a.valid ? 0 : 1)) * Bytes));
      end
      i_gen:   assert (!(mine_a && (a.valid || !a.eop)) || dut.a_gen_q == gen_q);
      i_same:  assert (!(out_q && mine_a && (a.valid || !a.eop)) || (a.size == size_q && a.last == end_q));
      i_known: assert (known_q || !out_q);
      i_seen:  assert (!known_q || (dut.seen_mem[me] == gen_q) == (come_q || !out_q));
      i_size:  assert (!out_q || (size_q != '0 && size_q <= 13'd4096));
      if (out_q) begin
        i_due:  assert (come_q ? bad_q || (wild_q ? dut.left_mem[me] > ((size_q < 13'd4096) ? 13'd4095 : 13'd4096) : dut.left_mem[me] == due_q) : (due_q == size_q && got_q == '0 && !bad_q && !wild_q));
        i_come: assert (come_q || !((mine_a && (a.valid ? !a.sop : !a.eop)) || (b.valid && mine_b)));
        i_lost: assert (!(mine_a && (a.valid ? !a.sop : !a.eop)) || !gap_q || dut.lost_q);
        i_sum:  assert (bad_q || wild_q || (got_q <= size_q && (due_q <= 13'd4096 ? got_q + due_q == size_q : got_q == size_q && due_q >= 13'h1ffc)));
        if (mine_a && (a.valid ? !a.sop : !a.eop))
          i_due_a: assert (due_q == 13'(end_of(a.hdr) - {1'b0, a.hdr.len_dw, 2'b00}) && (!wild_q || bad_q || wild));
        if (b.valid && mine_b)
          i_due_b: assert (due_q == 13'(end_of(b.hdr) - {1'b0, b.hdr.len_dw, 2'b00}) && (!wild_q || bad_q || !fits(b) || !sound(b.hdr)));
        i_bad:  assert (!bad_q || failed_q || (mine_a && (a.valid ? !a.sop : !a.eop) && ((gap_q && fits(a)) || !sound(a.hdr)))
                        || (b.valid && b.eop && mine_b && ((gap_q && fits(b)) || !sound(b.hdr))));
      end
    end
    c_parts: cover (!first_q && b.valid && mine_b && done && !fail && !b.sop && out_q && size_q > 13'(Bytes) && come_q);
  end
endmodule
