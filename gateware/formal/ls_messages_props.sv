// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Each message that is due is sent once, as one TLP of the rules, with its own data to its own address, and
// is told to have gone with its last beat; once its places can be read it is shown within three cycles,
// and none goes twice while another waits. Any one ring's base and any one vector's entry are followed
// in the register memory. A record may be withdrawn until it is chosen, and stands still from then on.
module ls_messages_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned H2c   = 1,
  parameter int unsigned Rings = 2,
  parameter int unsigned AtBits = 5,
  localparam int unsigned RingBits = $clog2(Rings)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [Rings-1:0]  rec_valid_i,
  input logic [Rings-1:0][127:0] rec_data_i,
  input logic [Rings-1:0][15:0] rec_slot_i,
  input logic              irq_valid_i,
  input logic [1:0]        irq_vector_i,
  input logic              ok_i,
  input logic [63:0]       ram_i,
  input logic              ready_i,
  input logic [RingBits-1:0] me,     // any ring, but always the same,
  input logic [63:0]       base,     // with this base
  input logic [1:0]        vector,   // and any vector with this address and this data
  input logic [63:0]       where,
  input logic [31:0]       what
);
  logic [Rings-1:0]  rec_sent;
  logic              irq_sent, ram_re, valid, sop, eop;
  logic [AtBits-1:0] ram_at, at_base, at_where, at_what;
  logic [Rings:0]    who;
  tlp_hdr_t          hdr;
  logic [Width-1:0]  data;
  logic [Width-1:0]  care;           // of an interrupt the lowest DW counts
  assign care = who[Rings] ? Width'(32'hffffffff) : '1;
  ls_messages #(.Width(Width), .H2c(H2c), .Rings(Rings), .AtBits(AtBits)) dut (
    .clk_i, .rst_ni, .rec_valid_i, .rec_sent_o(rec_sent), .rec_data_i, .rec_slot_i, .irq_valid_i, .irq_sent_o(irq_sent),
    .irq_vector_i, .irq_msi_i(1'b0), .ram_re_o(ram_re), .ram_ok_i(ram_re && ok_i), .ram_at_o(ram_at), .ram_data_i(ram_i), .who_o(who),
    .tx_valid_o(valid), .tx_ready_i(ready_i), .tx_sop_o(sop), .tx_eop_o(eop), .tx_hdr_o(hdr), .tx_data_o(data)
  );
  ls_stream_check #(.Width(Width), .Posted(1'b1)) u_tx (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(sop), .last_i(eop), .hdr_i(hdr), .data_i(data & care), .keep_i('1)
  );

  assign at_base  = {(AtBits-3)'(ring_page(32'(me), H2c)), 3'd2};
  assign at_where = AtBits'(table_place({2'b00, vector, 1'b0}));
  assign at_what  = AtBits'(table_place({2'b00, vector, 1'b1}));

  logic              first_q = 1'b1, ok_q, move, done;
  logic [AtBits-1:0] at_q;
  logic [Rings:0]    due, due_q, who_q, sent, served_q;
  logic [Rings-1:0][127:0] data_q;
  logic [Rings-1:0][15:0] slot_q;
  logic [1:0]        vector_q, mine_q;
  logic [RingBits-1:0] me_q;
  logic [63:0]       base_q, where_q;
  logic [31:0]       what_q;
  logic [2:0]        wait_q;         // cycles since it was chosen in which the memory was not refused
  assign due  = {irq_valid_i, rec_valid_i};
  assign sent = {irq_sent, rec_sent};
  assign move = valid && ready_i;
  assign done = move && eop;
  logic [Rings:0] start;             // chosen in this cycle
  logic [$clog2(Rings+1)-1:0] mine;
  assign mine  = ($clog2(Rings+1))'(me);
  assign start = (dut.idle && rst_ni) ? dut.pick : '0;

  always_ff @(posedge clk_i) begin
    first_q  <= 1'b0;
    ok_q     <= rst_ni && ram_re && ok_i;
    at_q     <= ram_at;
    due_q    <= due;
    who_q    <= rst_ni ? who : '0;
    data_q   <= rec_data_i;
    slot_q   <= rec_slot_i;
    mine_q   <= irq_vector_i;
    vector_q <= vector;
    me_q     <= me;
    base_q   <= base;
    where_q  <= where;
    what_q   <= what;
    if (!rst_ni || who == '0 || valid)  wait_q <= '0;
    else if (!ram_re || ok_i)           wait_q <= wait_q + 3'd1;
    // Others chosen since each could be: of the one that is followed.
    if (!rst_ni || !due[mine] || start[mine]) served_q <= '0;
    else                                      served_q <= served_q | start;
  end
  logic [Rings:0] after, above;
  assign after = dut.u_turn.after_q;
  assign above = ((Rings+1)'('1) << 1) << mine;

  logic dut_open;
  if (Width == 64) begin : gen_beat
    assign dut_open = dut.loaded_q && dut.beat_q;
  end else begin : gen_whole
    assign dut_open = 1'b0;
  end
  logic [127:0] rec;
  assign rec = rec_data_i[me];

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == me_q && base == base_q && vector == vector_q && where == where_q && what == what_q);
      assume (base[11:0] == '0 && where[1:0] == '0);
      assume (32'(me) < Rings);
      // It stands still from when it is chosen until it has gone, and an interrupt before that too.
      for (int unsigned r = 0; r < Rings; r++) begin
        if (who[r]) assume (rec_valid_i[r] && rec_data_i[r] == data_q[r] && rec_slot_i[r] == slot_q[r]);
      end
      if (who[Rings]) assume (irq_valid_i && irq_vector_i == mine_q);
      // Nothing else writes these places while a message is on its way.
      if (ok_q && at_q == at_base)  assume (ram_i == base);
      if (ok_q && !dut.is_irq)      assume (ram_i[11:0] == '0);       // as all bases are
      if (ok_q && at_q == at_where) assume (ram_i == where);
      if (ok_q && at_q == at_what)  assume (ram_i[31:0] == what);
    end
    if (!first_q) begin
      a_one:   assert ((who & (who - 1'b1)) == '0 && (who & ~due) == '0);
      a_sent:  assert (sent == (done ? who : '0));               // told once, with its last beat
      a_goes:  assert (wait_q <= 3'd3);
      a_next:  assert (who != '0 || due == '0 || start != '0);   // who is due is chosen as soon as nothing is on its way
      a_whose: assert (!valid || who != '0);
      a_fair:  assert (!start[mine] && due[mine] ? (start & served_q) == '0 : 1'b1);
      if (valid) begin
        a_kind:  assert (hdr.kind == TlpMemWr && hdr.first_be == 4'hf && hdr.len_dw == (who[Rings] ? 11'd1 : 11'd4));
        if (who[me]) begin
          a_place: assert (hdr.addr == (base | {44'd0, rec_slot_i[me], 4'd0}));
          a_data:  assert (Width == 64 ? data[63:0] == (sop ? rec[63:0] : rec[127:64]) : Width'(rec) == data);
        end
        if (who[Rings] && irq_vector_i == vector) begin
          a_where: assert (hdr.addr == where);
          a_what:  assert (data[31:0] == what);
        end
      end
      // What carries the proof: of the places, which were read and which are on their way.
      i_none:   assert (who != '0 || !(dut.asked_q || dut.got_q || dut.loaded_q || dut.second_q));
      i_got:    assert (dut.got_q == ok_q && (!dut.got_q || (at_q == (dut.is_irq ? AtBits'(table_place({2'b00, irq_vector_i, dut.data_q}))
                                                                                 : {dut.page, 3'd2}) && dut.asked_q == (dut.data_q || !dut.is_irq)
                                                             && dut.second_q == (dut.is_irq && !dut.data_q) && (dut.is_irq || !dut.data_q))));
      i_second: assert (!dut.second_q || (dut.is_irq && !dut.asked_q));
      i_asked:  assert (!dut.asked_q || dut.got_q != dut.loaded_q);
      i_loaded: assert (!dut.loaded_q || dut.asked_q);
      i_rec:    assert (!(dut.loaded_q && who[me]) || {dut.addr_q, 2'b00} == (base | {44'd0, rec_slot_i[me], 4'd0}));
      i_irq:    assert (!((dut.second_q || dut.asked_q) && !(dut.got_q && !dut.data_q) && who[Rings] && irq_vector_i == vector)
                        || ({dut.addr_q, 2'b00} == where && (!dut.loaded_q || dut.value_q == what)));
      i_wait:   assert (who == '0 || valid || wait_q == 3'(dut.second_q) + (dut.asked_q ? (dut.is_irq ? 3'd2 : 3'd1) : 3'd0));
      i_align:  assert (!dut.loaded_q || dut.is_irq || hdr.addr[3:0] == '0);
      i_now:    assert (u_tx.ok_held && u_tx.ok_frame);
      i_open:   assert (u_tx.open_q == dut_open && (!dut_open || (!dut.is_irq && u_tx.left_q == 11'd1)));
      i_turn:   assert (after[mine] ? (served_q & after & ~above) == '0 : (served_q & (after | ~above)) == '0);
      i_shape:  assert ((after | (after - 1'b1)) == '1 || after == '0);
      i_run:    assert ((~after & (~after + 1'b1)) == '0);
    end
    c_rec: cover (!first_q && done && who[me] && hdr.addr != base && due[Rings]);
    c_irq: cover (!first_q && done && who[Rings] && irq_vector_i == vector && what == 32'd5);
  end
endmodule
