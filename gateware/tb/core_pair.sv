// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two ends, a root's (0) and an endpoint's (1), from TLPs to symbols: a data link layer on each of the two MACs of mac_pair.
module core_pair
  import ls_link_pkg::*;
#(
  parameter int unsigned MsCycles = 1000,
  parameter int unsigned Ts1Count = 64
) (
  input  logic             clk0_i,
  input  logic             clk1_i,
  input  logic             rst_ni,
  input  logic [1:0][7:0]  flip_i,          // of mac_pair, by the receiver's number
  input  logic [1:0]       hit_i,
  input  logic [1:0]       cut_i,
  input  logic [1:0]       odd_i,
  output logic [1:0][15:0] sent_o,
  output logic [1:0][1:0]  sent_k_o,
  output logic [1:0]       quiet_o,
  output logic [1:0][4:0]  ltssm_o,
  // TLPs, each end on its clock
  input  logic [1:0]       tlp_valid_i,
  input  logic [1:0][15:0] tlp_word_i,
  input  logic [1:0]       tlp_last_i,
  output logic [1:0]       tlp_ready_o,
  output logic [1:0]       tlp_valid_o,
  output logic [1:0][15:0] tlp_word_o,
  output logic [1:0]       tlp_end_o,
  output logic [1:0]       tlp_good_o,
  output logic [1:0]       up_o,
  output logic [1:0]       timeout_o,
  output logic [1:0]       retrain_o
);

  logic [1:0]       link_up, l0, error, tx_valid, tx_ready, tx_last, tx_dllp, tx_null, rx_start, rx_dllp, rx_valid, rx_end, rx_bad, rx_edb;
  logic [1:0][15:0] tx_word, rx_word;

  mac_pair #(.MsCycles(MsCycles), .Ts1Count(Ts1Count)) u_macs (
    .clk0_i, .clk1_i, .rst_ni, .flip_i, .hit_i, .swap_i('0), .cut_i, .odd_i, .sent_o, .sent_k_o, .quiet_o, .retrain_i(retrain_o), .up_o(link_up),
    .l0_o(l0), .state_o(ltssm_o), .error_o(error), .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_word_i(tx_word), .tx_last_i(tx_last),
    .tx_dllp_i(tx_dllp), .tx_null_i(tx_null), .rx_start_o(rx_start), .rx_dllp_o(rx_dllp), .rx_valid_o(rx_valid), .rx_word_o(rx_word),
    .rx_end_o(rx_end), .rx_bad_o(rx_bad), .rx_edb_o(rx_edb)
  );

  localparam credits_t Grant = {20'd0, 8'd16, 12'd16, 8'd32, 12'd256};
  for (genvar n = 0; n < 2; n++) begin : gen_end
    logic clk;
    assign clk = n == 0 ? clk0_i : clk1_i;
    ls_link u_link (
      .clk_i(clk), .rst_ni, .mps_i(2'd0), .link_up_i(link_up[n]), .l0_i(l0[n]), .retrain_o(retrain_o[n]), .tx_valid_o(tx_valid[n]),
      .tx_ready_i(tx_ready[n]), .tx_word_o(tx_word[n]), .tx_last_o(tx_last[n]), .tx_dllp_o(tx_dllp[n]), .tx_null_o(tx_null[n]),
      .rx_start_i(rx_start[n]), .rx_dllp_i(rx_dllp[n]), .rx_valid_i(rx_valid[n]), .rx_word_i(rx_word[n]), .rx_end_i(rx_end[n]),
      .rx_bad_i(rx_bad[n]), .rx_edb_i(rx_edb[n]), .tlp_valid_i(tlp_valid_i[n]), .tlp_ready_o(tlp_ready_o[n]), .tlp_word_i(tlp_word_i[n]),
      .tlp_last_i(tlp_last_i[n]), .tlp_null_i(1'b0), .tlp_valid_o(tlp_valid_o[n]), .tlp_word_o(tlp_word_o[n]), .tlp_end_o(tlp_end_o[n]),
      .tlp_good_o(tlp_good_o[n]), .grant_i(Grant), .limit_o(), .free_hdr_o(), .free_data_o(), .up_o(up_o[n]), .state_o(), .bad_tlp_o(),
      .bad_dllp_o(), .timeout_o(timeout_o[n]), .rollover_o(), .protocol_o()
    );
  end

endmodule
