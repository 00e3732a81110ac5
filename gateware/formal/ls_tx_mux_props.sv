// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Streams that keep the rules come out as one that keeps them: no TLP is mixed with another, no
// beat is lost or made, and (with First) a completion that waits is the next TLP to begin, and
// of the two others none begins twice while the other waits.
module ls_tx_mux_props
  import ls_pkg::*;
#(
  parameter bit First = 1'b1,
  parameter bit Fair  = 1'b0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       show_i,
  input logic [2:1]       may_i,       // others than source 0 may be withdrawn until they begin
  input logic [2:0]       sop_i,
  input logic [2:0]       eop_i,
  input tlp_hdr_t [2:0]   hdr_i,
  input logic [2:0][63:0] data_i,
  input logic             ready_i
);
  logic [2:0]  ready, valid_i;
  logic        valid, sop, eop;
  tlp_hdr_t    hdr;
  logic [63:0] data;

  assign valid_i = show_i & ({may_i, 1'b1} | ~sop_i);

  ls_tx_mux #(.Width(64), .N(3), .First(First), .Fair(Fair)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .sop_i, .eop_i, .hdr_i, .data_i,
    .valid_o(valid), .ready_i, .sop_o(sop), .eop_o(eop), .hdr_o(hdr), .data_o(data)
  );
  for (genvar i = 0; i < 3; i++) begin : gen_in
    ls_stream_check #(.Width(64), .Posted(1'b1), .Assume(1'b1)) u_in (
      .clk_i, .rst_ni, .valid_i(show_i[i]), .ready_i(ready[i] && valid_i[i]), .sop_i(sop_i[i]),
      .last_i(eop_i[i]), .hdr_i(hdr_i[i]), .data_i(data_i[i]), .keep_i('1)
    );
  end
  ls_stream_check #(.Width(64), .Posted(1'b1)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(sop), .last_i(eop), .hdr_i(hdr),
    .data_i(data), .keep_i('1)
  );

  logic [2:0]  open;
  logic [10:0] left;
  assign open = {gen_in[2].u_in.open_q, gen_in[1].u_in.open_q, gen_in[0].u_in.open_q};
  assign left = dut.lock_q[0] ? gen_in[0].u_in.left_q : dut.lock_q[1] ? gen_in[1].u_in.left_q
                                                                      : gen_in[2].u_in.left_q;

  logic       first_q = 1'b1, cpl_q;
  logic [1:0] held_q;           // beats taken and not yet given out
  logic [2:0] take;
  assign take = valid_i & ready;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    held_q  <= !rst_ni ? 2'd0 : held_q + 2'(|take) - 2'(valid && ready_i);
    cpl_q   <= rst_ni && valid_i[0] && sop_i[0] && !ready[0];
  end
  // Of the two that take turns: whether the other one has begun a TLP since this one waits.
  logic [2:1] wants, begun, passed_q;
  assign wants = valid_i[2:1] & sop_i[2:1];
  assign begun = take[2:1] & sop_i[2:1];
  always_ff @(posedge clk_i) passed_q <= rst_ni ? wants & ~begun & (passed_q | {begun[1], begun[2]}) : '0;
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    if (!first_q) begin
      a_one:   assert ((take & (take - 1'b1)) == '0);
      a_count: assert (held_q == 2'(valid));
      // What carries the proof: inputs are open exactly where the lock says, and what the output
      // has begun is what the locked input has begun, one beat behind.
      a_at:    assert (dut.at_q < 2'd3 && dut.lock_q == 3'(3'b001 << dut.at_q));
      a_lock:  assert (dut.locked_q ? (dut.lock_q != '0 && (dut.lock_q & (dut.lock_q - 1'b1)) == '0
                                       && open == dut.lock_q) : open == '0);
      a_open:  assert (valid ? (sop == !u_out.open_q && eop == !dut.locked_q)
                             : u_out.open_q == dut.locked_q);
      a_left:  assert (!dut.locked_q || (valid ? (sop ? u_out.beats : u_out.left_q) - 11'd1
                                               : u_out.left_q) == left);
      a_end:   assert (!valid || eop == ((sop ? u_out.beats : u_out.left_q) == 11'd1));
      a_some:  assert (!dut.locked_q || left != '0);
      a_hdr:   assert (!valid || !sop || (u_out.ok_kind && u_out.ok_request && u_out.ok_enables
                                          && u_out.ok_completion));
      a_first: assert (!(First && cpl_q && (take[2:1] & sop_i[2:1]) != '0));
      if (First) begin    // none begins twice while the other waits
        a_turns: assert ((passed_q & wants & {begun[1], begun[2]}) == '0);
        i_one:   assert (!passed_q[1] || (dut.after_q == 3'b000 && (dut.lock_q[1] || dut.lock_q[0] || (dut.lock_q[2] && dut.locked_q))));
        i_two:   assert (!passed_q[2] || (dut.after_q == 3'b100 && (dut.lock_q[2] || dut.lock_q[0] || (dut.lock_q[1] && dut.locked_q))));
      end
    end
    c_passed: cover (!first_q && passed_q[1] && begun[1]);
    c_turns: cover (!first_q && take[2] && eop_i[2] && !sop_i[2]);
  end

  // With `Fair` all take turns: of any two none begins twice while the other waits. Who has begun since the other waits
  // comes after it in turn, and is not next.
  if (Fair) begin : gen_turns
    always_comb assume (may_i == '1);
    for (genvar i = 0; i < 3; i++) begin : gen_waits
      for (genvar k = 0; k < 3; k++) begin : gen_passes
        if (i != k) begin : gen_pair
          localparam int unsigned J = 3 - i - k;
          logic passed_i_q, waits, begins, ahead, third;
          assign waits  = valid_i[i] && sop_i[i];
          assign begins = take[k] && sop_i[k];
          // After the last that was served, around: of these two, and of the third and the one that waits.
          assign ahead = (dut.after_q[i] && !dut.after_q[k]) || (dut.after_q[i] == dut.after_q[k] && i < k);
          assign third = (dut.after_q[J] && !dut.after_q[i]) || (dut.after_q[J] == dut.after_q[i] && J < i);
          always_ff @(posedge clk_i) passed_i_q <= rst_ni && waits && !take[i] && (passed_i_q || begins);
          always_comb if (!first_q) begin
            a_turn: assert (!(passed_i_q && waits && begins));
            i_turn: assert (!passed_i_q || (dut.after_q != '1 && (dut.locked_q ? ahead
                                            : dut.lock_q[i] || (dut.lock_q[J] && valid_i[J] && ahead && third))));
          end
        end
      end
    end
    always_comb if (!first_q) i_after: assert (dut.after_q == 3'b111 || dut.after_q == 3'b110 || dut.after_q == 3'b100 || dut.after_q == 3'b000);
  end
endmodule
