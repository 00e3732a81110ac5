// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// DLLPs from the MAC: six bytes whose CRC is right, without it. What they say is for others.
module ls_dllp_rx
  import ls_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,             // low while the link is down, too
  input  logic        start_i,
  input  logic        dllp_i,
  input  logic        valid_i,
  input  logic [15:0] word_i,
  input  logic        end_i,
  input  logic        bad_i,
  input  logic        edb_i,
  output logic        valid_o,
  output dllp_t       dllp_o,             // there a clock before valid_o
  output logic        bad_o
);

  logic        in_q, word, right_q, right;
  logic [2:0]  count_q, count;            // words, up to 4
  logic [15:0] crc_q;

  assign word  = valid_i && in_q;
  assign count = count_q + 3'(word && !count_q[2]);
  assign right = word ? word_i == ~crc_q : right_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q    <= 1'b0;
      count_q <= '0;
      valid_o <= 1'b0;
      bad_o   <= 1'b0;
    end else begin
      valid_o <= end_i && in_q && !bad_i && !edb_i && count == 3'd3 && right;
      bad_o   <= end_i && in_q && (bad_i || edb_i || count != 3'd3 || !right);
      in_q    <= start_i ? dllp_i : in_q && !end_i;
      count_q <= start_i ? '0 : count;
    end
  end

  always_ff @(posedge clk_i) begin
    right_q <= right;
    if (word) begin
      crc_q <= dllp_crc_next(count_q == '0 ? '1 : crc_q, word_i);
      if (count_q == 3'd0) dllp_o[15:0]  <= word_i;
      if (count_q == 3'd1) dllp_o[31:16] <= word_i;
    end
  end

endmodule
