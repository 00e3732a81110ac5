// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs from the link: each goes into the buffer of its class as it comes; at its end it is known whether it has the
// length that its header says, and whether it was within the credits that this end gave. What is dropped gives its
// credits back at once, what is kept when it has left its buffer.
module ls_tl_rx
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter int unsigned PostedHdr = 32,
  parameter int unsigned PostedData = 192,
  parameter int unsigned NonPostedHdr = 32,
  parameter int unsigned NonPostedData = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,             // low while the link is inactive, too
  input  logic [1:0]  mps_i,              // Max_Payload_Size: 0: 128, 1: 256, 2 and above: 512 bytes
  input  logic        valid_i,
  input  logic [15:0] word_i,
  input  logic        end_i,
  input  logic        good_i,
  // into the buffers, by class
  output logic [2:0]  valid_o,
  output logic [15:0] word_o,
  output logic [2:0]  keep_o,
  output logic [2:0]  forget_o,
  // out of them: a TLP has left
  input  logic [1:0]  gone_i,             // posted, non-posted
  input  logic [8:0]  gone_data_i,
  output credits_t    grant_o,
  output logic        malformed_o,
  output logic        overflow_o
);

  // ---- what it says of itself ------------------------------------------------------------------------
  logic        first_q, second_q, end_q, good_q, wrong;
  logic [11:0] count_q, want_q;           // words, up to 2058
  logic        four_q, brings_q;
  logic [10:0] len_q;
  logic        digest_q;
  class_e      class_q;
  logic [8:0]  data;
  assign data = brings_q ? credits_of(len_q) : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q  <= 1'b1;
      second_q <= 1'b0;
      valid_o  <= '0;
      end_q    <= 1'b0;
    end else begin
      if (end_i) first_q <= 1'b1;
      else if (valid_i) first_q <= 1'b0;
      if (valid_i) second_q <= first_q;
      valid_o <= '0;
      if (valid_i) begin
        for (int unsigned c = 0; c < 3; c++) valid_o[c] <= (first_q ? class_of(word_i[7:0]) : class_q) == class_e'(c);
      end
      end_q <= end_i;
    end
  end

  always_ff @(posedge clk_i) begin
    word_o <= word_i;
    good_q <= good_i;
    if (valid_i && first_q) begin
      class_q <= class_of(word_i[7:0]);
      four_q   <= word_i[5];
      brings_q <= word_i[6];
      count_q <= 12'd1;
    end else if (valid_i) begin
      if (!(&count_q)) count_q <= count_q + 1'b1;
      if (second_q) begin
        len_q    <= {{word_i[1:0], word_i[15:8]} == '0, word_i[1:0], word_i[15:8]};
        digest_q <= word_i[7];
      end
    end
    want_q <= (four_q ? 12'd8 : 12'd6) + (brings_q ? {len_q, 1'b0} : 12'd0) + {10'd0, digest_q, 1'b0};
  end

  logic [10:0] most;                      // DWs
  logic        large_q;
  assign most = 11'd32 << (mps_i[1] ? 2'd2 : mps_i);
  always_ff @(posedge clk_i) large_q <= brings_q && len_q > most;
  assign wrong = class_q == ClassNone || count_q != want_q || large_q;

  // ---- credits ---------------------------------------------------------------------------------------
  fc_t  [1:0]       given_q, used_q;      // posted, non-posted
  logic [1:0]       room_q;
  logic             mine, taken, over, bad;
  logic [1:0]       is;
  assign is    = {class_q == ClassNp, class_q == ClassP};
  assign mine  = end_q && good_q;
  assign bad   = mine && wrong;
  assign over  = mine && !wrong && class_q != ClassCpl && (is & room_q) == '0;
  assign taken = mine && !wrong && !over;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < 2; c++) begin
      room_q[c] <= given_q[c].hdr != used_q[c].hdr && given_q[c].data - used_q[c].data >= 12'(data);
      if (!rst_ni) begin
        given_q[c] <= c == 0 ? '{hdr: 8'(PostedHdr), data: 12'(PostedData)} : '{hdr: 8'(NonPostedHdr), data: 12'(NonPostedData)};
        used_q[c]  <= '0;
      end else begin
        given_q[c].hdr  <= given_q[c].hdr + 8'(gone_i[c]) + 8'(bad && is[c]);
        given_q[c].data <= given_q[c].data + (gone_i[c] ? 12'(gone_data_i) : '0) + (bad && is[c] ? 12'(data) : '0);
        if (mine && is[c] && !over) begin
          used_q[c].hdr  <= used_q[c].hdr + 1'b1;
          used_q[c].data <= used_q[c].data + 12'(data);
        end
      end
    end
  end
  assign grant_o = '{2: '0, 1: given_q[1], 0: given_q[0]};

  for (genvar c = 0; c < 3; c++) begin : gen_end
    assign keep_o[c]   = taken && class_q == class_e'(c);
    assign forget_o[c] = end_q && !taken && class_q == class_e'(c);
  end
  always_ff @(posedge clk_i) begin
    malformed_o <= rst_ni && bad;
    overflow_o  <= rst_ni && over;
  end

endmodule
