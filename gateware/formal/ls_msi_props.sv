// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// An interrupt that was taken is sent once or comes back once, whatever the host switches off and
// however the block answers; while it is kept, no other is taken. The block is asked for it only while
// the host allows it, and only when nothing can overtake the writes before it any more.
module ls_msi_props
  import ls_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        enable_i,
  input logic [2:0]  granted_i,
  input logic [31:0] mask_i,
  input logic        tx_valid_i,
  input logic        tx_sop_i,
  input tlp_hdr_t    tx_hdr_i,
  input logic        tx_ready_i,
  input logic [1:0]  passed_i,
  input logic        sent_i,
  input logic        fail_i
);
  logic       tx_ready, tx_valid, ask, begins;
  logic [4:0] number;
  msi_t       msi;
  ls_msi #(.Idle(4)) dut (
    .clk_i, .rst_ni, .master_i(1'b1), .enable_i, .granted_i, .mask_i, .tx_valid_i, .tx_ready_o(tx_ready), .tx_sop_i, .tx_hdr_i,
    .tx_valid_o(tx_valid), .tx_ready_i, .passed_i, .ask_o(ask), .begin_o(begins), .number_o(number), .sent_i, .fail_i, .msi_o(msi)
  );

  logic       first_q = 1'b1, kept_q, off_q, ask_q, may_q;
  logic [3:0] vector_q;
  logic [4:0] number_q, carries;
  logic [9:0] out_q, ahead_q;       // writes that something can overtake: all, and those before the one that is kept
  logic       taken, went, goes;
  assign taken   = tx_valid_i && tx_sop_i && tx_hdr_i.status == AskMsi && tx_ready;
  assign goes    = tx_valid && tx_sop_i && tx_ready_i;
  assign went    = ask && sent_i && !fail_i && enable_i && !off_q;
  assign carries = alias_of({1'b0, vector_q}, granted_i);
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    ask_q   <= rst_ni && ask;
    may_q   <= enable_i && !mask_i[carries];
    number_q <= ask ? number_q : carries;
    if (!rst_ni) begin
      {kept_q, off_q} <= '0;
      {out_q, ahead_q} <= '0;
    end else begin
      out_q <= out_q - 10'(passed_i) + 10'(goes);
      if (taken) begin
        kept_q   <= 1'b1;
        vector_q <= tx_hdr_i.tag[3:0];
        ahead_q  <= out_q - 10'(passed_i);
      end else begin
        if (went || msi.back) kept_q <= 1'b0;
        ahead_q <= (10'(passed_i) > ahead_q) ? '0 : ahead_q - 10'(passed_i);
      end
      off_q <= ask && (off_q || !enable_i);
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (10'(passed_i) <= out_q);          // only what has gone can have passed
      assume (ask || !(sent_i || fail_i));      // answers come to what is asked
    end
    if (!first_q) begin
      a_kept:   assert (dut.have_q == kept_q && !(taken && kept_q));
      a_back:   assert (!msi.back || (kept_q && msi.vector == vector_q));
      a_once:   assert (!(went && msi.back));
      a_answer: assert (!(ask && (sent_i || fail_i)) || went || msi.back);
      a_asked:  assert (!(ask && !ask_q) || (kept_q && ahead_q == '0 && may_q && number == number_q));
      a_begin:  assert (begins == (ask && !ask_q));
      i_ask:    assert (!ask || (kept_q && ahead_q == '0));
      i_off:    assert (!ask || dut.off_q == off_q);
      i_out:    assert (dut.out_q == out_q && !dut.doubt_q);
      i_ahead:  assert (!kept_q || (dut.before_q == ahead_q && dut.vector_q == vector_q));
      i_number: assert (!ask || number == number_q);
    end
    c_back: cover (!first_q && msi.back && ask_q && sent_i);
    c_went: cover (!first_q && went && out_q != '0);
  end
endmodule
