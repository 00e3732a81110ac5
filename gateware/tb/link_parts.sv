// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The functions of the data link layer's package, as ports: both CRCs and the DLLPs that are sent.
module link_parts
  import ls_link_pkg::*;
(
  input  logic [31:0] lcrc_i,
  input  logic [15:0] dllp_crc_i,
  input  logic [15:0] word_i,
  output logic [31:0] lcrc_o,
  output logic [31:0] right_o,            // what a TLP with its LCRC leaves
  output logic [15:0] dllp_crc_o,
  input  logic        nak_i,
  input  seq_t        seq_i,
  input  logic [1:0]  kind_i,
  input  logic [1:0]  class_i,
  input  fc_t         fc_i,
  output dllp_t       ack_o,
  output dllp_t       credit_o
);

  assign lcrc_o     = lcrc_next(lcrc_i, word_i);
  assign right_o    = LcrcRight;
  assign dllp_crc_o = dllp_crc_next(dllp_crc_i, word_i);
  assign ack_o      = dllp_ack(nak_i, seq_i);
  assign credit_o   = dllp_fc(kind_i, class_i, fc_i);

endmodule
