// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// No interrupt is lost and none is made up: one vector is followed. A pulse, also one that comes as
// the vector is chosen, is due until it is chosen; it is chosen only while due, unmasked and allowed.
// None is sent twice while another waits.
// With `Msi`, what goes while MSI-X is off goes by MSI, and the block's masks hold for it.
module ls_msix_props
  import ls_pkg::*;
#(
  parameter bit Msi = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       enable_i,
  input msi_t       msi_i,
  input logic [3:0] irq_i,
  input logic       mask_we_i,
  input logic [1:0] mask_at_i,
  input logic       mask_i,
  input logic       sent_i,
  input logic [1:0] me       // any value, but always the same
);
  logic [3:0] mask, pending;
  logic       valid, by_msi;
  logic [1:0] vector;
  ls_msix #(.Vectors(4), .Msi(Msi)) dut (
    .clk_i, .rst_ni, .enable_i, .msi_i, .irq_i, .mask_we_i, .mask_at_i, .mask_i, .mask_o(mask), .pending_o(pending),
    .irq_valid_o(valid), .irq_sent_i(sent_i && valid), .irq_vector_o(vector), .irq_msi_o(by_msi)
  );

  logic       first_q = 1'b1;
  logic       due_q, valid_q, may_q, masked_q, on_q, was_on_q, by_msi_q, granted_q;
  logic [4:0] mine;          // the vector of the block that carries mine
  assign mine = alias_of(5'(me), msi_i.granted);
  logic [1:0] same_q, vector_q;
  logic       chosen;        // a vector begins to be sent; it was chosen a cycle ago
  assign chosen = valid && !valid_q;
  logic [3:0] served_q, after, above;    // others sent since I could be
  assign after = dut.u_arb.after_q;
  assign above = 4'b1110 << me;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !dut.ready[me] || (dut.start && dut.pick[me])) served_q <= '0;
    else if (dut.start)                                           served_q <= served_q | dut.pick;
  end
  always_ff @(posedge clk_i) begin
    first_q  <= 1'b0;
    same_q   <= me;
    valid_q  <= rst_ni && valid;
    vector_q <= vector;
    on_q     <= enable_i;
    was_on_q <= on_q;
    by_msi_q <= by_msi;
    granted_q <= Msi && msi_i.enable && !msi_i.mask[mine];
    may_q    <= due_q && (on_q ? !masked_q : granted_q);
    if (!rst_ni) begin
      due_q    <= 1'b0;
      masked_q <= 1'b1;
    end else begin
      due_q <= irq_i[me] || (due_q && !(dut.start && dut.pick[me]));
      if (mask_we_i && mask_at_i == me) masked_q <= mask_i;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == same_q);
    end
    if (!first_q) begin
      a_due:    assert (pending[me] == due_q);                 // none lost, none made up
      a_mask:   assert (mask[me] == masked_q);
      a_chosen: assert (!(chosen && vector == me) || may_q);
      a_stays:  assert (!(valid_q && valid && !chosen) || vector == vector_q);
      a_one:    assert ((dut.pick & (dut.pick - 4'd1)) == '0);
      a_fair:   assert (!dut.start || !dut.ready[me] || (dut.pick & served_q) == '0);  // none goes twice while I wait
      a_kind:   assert (by_msi == (chosen ? Msi && !was_on_q : by_msi_q) || !valid);
      if (Msi) i_may: assert (dut.gen_msi.may_q[me] == granted_q);
      i_on:     assert (dut.enable_q == on_q);
      // What carries the last but one, as in the proof of ls_arb.
      i_shape:  assert ((after | (after - 1'b1)) == '1 || after == '0);
      i_run:    assert ((~after & (~after + 1'b1)) == '0);
      i_turn:   assert (after[me] ? (served_q & after & ~above) == '0 : (served_q & (after | ~above)) == '0);
    end
    c_turn: cover (!first_q && served_q == 4'b1101 && me == 2'd1);
    c_two: cover (!first_q && rst_ni && chosen && vector == me && due_q);
  end
endmodule
