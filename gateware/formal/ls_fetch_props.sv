// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A batch that a ring wants is asked for once, by a request of the rules, with the ring's tag and from
// its place; a ring that withdraws is not asked for. A pushed descriptor is handed on once, its lower
// half first, to its own ring, and only while no completion and no fetch of that ring can meet it.
module ls_fetch_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned H2c   = 1,
  parameter int unsigned Rings = 2,
  parameter int unsigned AtBits = 5,
  localparam int unsigned RingBits = $clog2(Rings)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             few_i,
  input logic [Rings-1:0] ask_i,
  input logic [Rings-1:0][15:0] slot_i,
  input logic [Rings-1:0][8:0] count_i,
  input logic [Rings-1:0][1:0] id_i,
  input logic [Rings-1:0] push_i,
  input logic [Rings-1:0] quiet_i,
  input logic             ok_i,
  input logic [63:0]      ram_i,
  input logic             rx_valid_i,
  input logic [Width-1:0] rx_data_i,
  input logic             ready_i
);
  logic [Rings-1:0] ask_ready, ask_sent, push_hold, push_low, push_high;
  logic             push_busy, valid, ram_re;
  logic [AtBits-1:0] ram_at;
  logic [Width-1:0] data;
  tlp_hdr_t         hdr;
  ls_fetch #(.Width(Width), .Fetches(4), .H2c(H2c), .Rings(Rings), .AtBits(AtBits)) dut (
    .clk_i, .rst_ni, .few_i, .ask_valid_i(ask_i), .ask_ready_o(ask_ready), .ask_sent_o(ask_sent), .ask_slot_i(slot_i),
    .ask_count_i(count_i), .ask_id_i(id_i), .push_i, .push_busy_o(push_busy), .push_hold_o(push_hold), .quiet_i, .push_low_o(push_low),
    .push_high_o(push_high), .ram_re_o(ram_re), .ram_ok_i(ram_re && ok_i), .ram_at_o(ram_at), .ram_data_i(ram_i), .rx_valid_i, .rx_data_i, .data_o(data),
    .rq_valid_o(valid), .rq_ready_i(ready_i), .rq_hdr_o(hdr)
  );
  ls_stream_check #(.Width(64)) u_rq (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(1'b1), .last_i(1'b1), .hdr_i(hdr), .data_i('0), .keep_i('1)
  );

  logic        first_q = 1'b1;
  logic [Rings-1:0] owed_q, half_q, due_q;  // asked for and not sent; lower half handed on; pushed and not handed on
  logic [15:0] slot_q;                 // of the request on its way
  logic [8:0]  count_q;
  logic [63:0] base_q;
  logic        few_q;
  logic [1:0]  id_q;                   // which of its ring's requests
  logic [Rings-1:0] still_q;           // quiet, and told to start nothing
  logic        ok_q, base_due_q;       // the memory was read, and in vain for a request
  logic [AtBits-1:0] at_q;             // at this place
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    few_q   <= few_i;
    ok_q    <= rst_ni && ram_re && ok_i;
    at_q    <= ram_at;
    base_due_q <= rst_ni && (dut.pick_q & ask_i) != '0 && (due_q & dut.may_q) == '0 && ok_i && ask_ready == '0;
    still_q <= rst_ni ? quiet_i & push_hold : '0;
    if (!rst_ni) begin
      owed_q <= '0;
      half_q <= '0;
      due_q  <= '0;
    end else begin
      owed_q <= (owed_q & ~ask_sent) | ask_ready;
      half_q <= (half_q | push_low) & ~push_high;
      due_q  <= (due_q & ~push_high) | push_i;
    end
    if (ask_ready != '0) begin
      slot_q  <= slot_i[number(ask_ready)];
      count_q <= count_i[number(ask_ready)];
      base_q  <= ram_i;
      id_q    <= id_i[number(ask_ready)];
    end
  end

  // Which of them is set, of at most one.
  function automatic logic [RingBits-1:0] number(input logic [Rings-1:0] one);
    number = '0;
    for (int unsigned i = 0; i < Rings; i++) if (one[i]) number |= RingBits'(i);
  endfunction

  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    assume (ram_i[11:0] == '0);                          // bases are aligned to 4 KiB
    for (int unsigned i = 0; i < Rings; i++) begin
      assume (count_i[i] != '0 && {8'd0, count_i[i]} + {9'd0, slot_i[i][7:0]} <= 17'd256);   // see ls_desc_ring
    end
    if (!first_q) begin
      assume (few_i == few_q);
      assume ((still_q & ~quiet_i) == '0);                                                   // see ls_desc_ring
      assume ((push_i & (push_i - 1'b1)) == '0 && (push_i == '0 || due_q == '0));            // see ls_csr
      a_asked:  assert ((ask_ready & ~ask_i) == '0 && (ask_ready & (ask_ready - 1'b1)) == '0);
      a_once:   assert ((ask_ready & owed_q) == '0 && (ask_sent & ~owed_q) == '0 && valid == (owed_q != '0));
      if (valid) begin
        a_tag:   assert (hdr.kind == TlpMemRd && hdr.tag == {few_q ? {3'd0, {5-RingBits{1'b1}}} : {{6-RingBits{1'b1}}, ~id_q}, number(owed_q)} && (owed_q & (owed_q - 1'b1)) == '0);
        a_place: assert (hdr.len_dw == {count_q, 2'b00} && hdr.addr == (base_q | {44'd0, slot_q, 4'd0}));
      end
      a_held:   assert (!u_rq.held || valid);
      a_order:  assert ((push_low & (half_q | ~due_q)) == '0 && (push_high & ~(half_q & due_q)) == '0);
      a_alone:  assert (((push_low | push_high) & ~quiet_i) == '0 && ((push_low | push_high) == '0 || !rx_valid_i));
      a_busy:   assert (push_busy == (due_q != '0) && push_hold == due_q);
      a_data:   assert ((push_low | push_high) == '0 || Width != 64 || data[63:0] == ram_i);
      // What is read is there a cycle later.
      a_at:     assert (!(push_low != '0 || push_high != '0) || (ok_q && at_q == {(AtBits-3)'(ring_page(32'(number(due_q)), H2c)), 2'b10, half_q != '0}));
      a_base:   assert (ask_ready == '0 || (ok_q && at_q == {(AtBits-3)'(ring_page(32'(number(ask_ready)), H2c)), 3'd1}));
      // One that waits to be pushed stops no request, not even of its own ring.
      a_reads:  assert ((dut.pick_q & ask_i) == '0 || ram_re);
      a_goes:   assert (!base_due_q || (dut.pick_q & ask_i) == '0 || ask_ready != '0);
      i_due:    assert (!base_due_q || (dut.read_q && !dut.pushed_q));
      i_read:   assert (!dut.read_q || (ok_q && (dut.pushed_q ? at_q == {(AtBits-3)'(ring_page(32'(number(due_q)), H2c)), 2'b10, half_q != '0}
                                                 : dut.pick_q == '0 || at_q == {(AtBits-3)'(ring_page(32'(number(dut.pick_q)), H2c)), 3'd1})));
      i_may:    assert ((dut.push_q & dut.may_q & ~quiet_i) == '0);
      i_shut:   assert (!u_rq.open_q);
      i_push:   assert (dut.push_q == due_q && (due_q & (due_q - 1'b1)) == '0);
      i_half:   assert (dut.high_q == (half_q != '0) && (half_q & ~due_q) == '0);
      i_pick:   assert ((dut.pick_q & (dut.pick_q - 1'b1)) == '0 && (dut.pick_q == '0 || !valid));
      i_which:  assert (!valid || (owed_q == Rings'(1) << dut.which_q && dut.count_q == count_q
                        && dut.addr_q == (base_q[63:2] | {44'd0, slot_q, 2'd0})));
      i_fits:   assert (!valid || (count_q != '0 && base_q[11:0] == '0 && {8'd0, count_q} + {9'd0, slot_q[7:0]} <= 17'd256));
    end
    c_both: cover (!first_q && valid && owed_q[1] && ask_i[0] && due_q != '0);
  end
endmodule
