// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs from the MAC: the sequence number and the LCRC are taken off and looked at. Words are given on as they come;
// only at the end it is known whether the TLP counts. What is to be acknowledged, or asked for again, is kept here
// until an Ack or Nak has gone out.
module ls_tlp_rx
  import ls_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,             // low while the link is down, too
  input  logic        on_i,               // the other end may send TLPs
  // from the MAC
  input  logic        start_i,
  input  logic        dllp_i,
  input  logic        valid_i,
  input  logic [15:0] word_i,
  input  logic        end_i,
  input  logic        bad_i,
  input  logic        edb_i,
  // to the transaction layer
  output logic        valid_o,
  output logic [15:0] word_o,
  output logic        end_o,
  output logic        good_o,             // beside end: it counts; else its words are forgotten
  output logic        bad_o,              // one was hit, or one before it is missing
  // to the sender
  output seq_t        last_o,             // the last one that counted
  output logic        nak_o,              // a Nak waits
  output logic        ack_o,              // an Ack waits
  output logic        ack_now_o,          // and is not to wait for others
  output logic [8:0]  ack_age_o,          // clocks since it waits
  input  logic        sent_i              // an Ack or Nak of last_o goes out
);

  logic        in_q, body_q, end_q, hit_q, edb_q, whole_q, word;
  logic [1:0]  count_q;                   // words, up to 3
  logic [15:0] near_q, far_q;             // the two words before: the LCRC, if no more come
  logic [31:0] crc_q;
  seq_t        seq_q, next_q, ahead;

  assign word = valid_i && in_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q    <= 1'b0;
      end_q   <= 1'b0;
      valid_o <= 1'b0;
      count_q <= '0;
      body_q  <= 1'b0;
    end else begin
      end_q   <= end_i && in_q;
      valid_o <= word && count_q == 2'd3;
      if (start_i) begin
        in_q    <= !dllp_i;
        count_q <= '0;
        body_q  <= 1'b0;
      end else begin
        if (end_i) in_q <= 1'b0;
        if (word && count_q != 2'd3) count_q <= count_q + 1'b1;
        if (word && count_q == 2'd3) body_q  <= 1'b1;
      end
    end
  end

  // The next TLP's first word comes a clock after its start at the earliest: until then all of this is the old one's.
  always_ff @(posedge clk_i) begin
    if (word) begin
      near_q <= word_i;
      far_q  <= near_q;
      crc_q  <= lcrc_next(count_q == '0 ? '1 : crc_q, word_i);
      if (count_q == '0) seq_q <= {word_i[3:0], word_i[15:8]};
    end
    word_o  <= far_q;
    hit_q   <= bad_i;
    edb_q   <= edb_i;
    whole_q <= body_q || (word && count_q == 2'd3);
  end

  // ---- whether it counts ------------------------------------------------------------------------------
  logic broken, took, again, miss;
  assign ahead  = seq_q - next_q;
  assign broken = hit_q || !whole_q || crc_q != (edb_q ? '0 : LcrcRight);
  assign took   = end_q && on_i && !broken && !edb_q && ahead == '0;
  assign again  = end_q && on_i && !broken && !edb_q && ahead[11];
  assign miss   = end_q && on_i && (broken || (!edb_q && ahead != '0 && !ahead[11]));

  logic asked_q;                          // a Nak was sent or waits, and no TLP that was due has come since
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q    <= '0;
      asked_q   <= 1'b0;
      nak_o     <= 1'b0;
      ack_o     <= 1'b0;
      ack_now_o <= 1'b0;
      ack_age_o <= '0;
      end_o     <= 1'b0;
      good_o    <= 1'b0;
      bad_o     <= 1'b0;
    end else begin
      end_o     <= end_q;
      good_o    <= took;
      bad_o     <= miss;
      if (took) next_q <= next_q + 1'b1;
      asked_q   <= miss || (asked_q && !took);
      nak_o     <= (miss && !asked_q) || (nak_o && !took && !sent_i);
      ack_o     <= took || again || (ack_o && !sent_i);
      ack_now_o <= again || (ack_now_o && !sent_i);
      if (!ack_o || sent_i) ack_age_o <= '0;
      else if (!(&ack_age_o)) ack_age_o <= ack_age_o + 1'b1;
    end
  end
  assign last_o = next_q - 1'b1;

endmodule
