// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The M.2 cards: as ls_board_7s, and CLKREQ# driven low, without which a host may keep its reference
// clock to itself.
module ls_board_acorn #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 128
) (
  input  logic             refclk_p_i,
  input  logic             refclk_n_i,
  input  logic             perst_ni,
  output logic             clkreq_no,
  input  logic [Lanes-1:0] rx_p_i,
  input  logic [Lanes-1:0] rx_n_i,
  output logic [Lanes-1:0] tx_p_o,
  output logic [Lanes-1:0] tx_n_o,
  output logic [1:0]       led_o
);
  assign clkreq_no = 1'b0;

  ls_board_7s #(.Lanes(Lanes), .Width(Width)) u_board (
    .refclk_p_i, .refclk_n_i, .perst_ni, .rx_p_i, .rx_n_i, .tx_p_o, .tx_n_o, .led_o
  );
endmodule
