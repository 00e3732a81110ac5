// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two data link layers whose MACs are the bench: of each end all that goes in is one word, and all that comes out
// another, because a bench in Python pays for each port that it reads.
module link_pair
  import ls_link_pkg::*;
#(
  parameter int unsigned ReplayBytes = 4096,
  parameter int unsigned Tlps = 32,
  parameter int unsigned RefreshCycles = 3750
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       mps_i,
  input  logic [1:0][47:0] in_i,
  output logic [1:0][47:0] out_o,
  input  credits_t [1:0]   grant_i,
  output credits_t [1:0]   limit_o,
  output logic [1:0][5:0]  free_o
);

  typedef struct packed {
    logic [3:0]  none;
    logic        link_up, l0, tx_ready;
    logic        rx_start, rx_dllp, rx_valid, rx_end, rx_bad, rx_edb;
    logic [15:0] rx_word;
    logic        tlp_valid, tlp_last, tlp_null;
    logic [15:0] tlp_word;
  } in_t;

  typedef struct packed {
    logic        protocol, rollover, timeout, bad_dllp, bad_tlp, retrain;
    logic [1:0]  state;
    logic        tx_valid, tx_last, tx_dllp, tx_null;
    logic [15:0] tx_word;
    logic        tlp_ready, tlp_valid, tlp_end, tlp_good;
    logic [15:0] tlp_word;
  } out_t;

  credits_t [1:0] grant_q;                // what the bench reads of a clock does not change within it
  always_ff @(posedge clk_i) grant_q <= grant_i;

  for (genvar n = 0; n < 2; n++) begin : gen_end
    in_t  in;
    out_t out;
    logic up;
    assign in       = in_i[n];
    assign out_o[n] = out;
    ls_link #(.ReplayBytes(ReplayBytes), .Tlps(Tlps), .RefreshCycles(RefreshCycles)) u_link (
      .clk_i, .rst_ni, .mps_i, .link_up_i(in.link_up), .l0_i(in.l0), .retrain_o(out.retrain), .tx_valid_o(out.tx_valid),
      .tx_ready_i(in.tx_ready), .tx_word_o(out.tx_word), .tx_last_o(out.tx_last), .tx_dllp_o(out.tx_dllp), .tx_null_o(out.tx_null),
      .rx_start_i(in.rx_start), .rx_dllp_i(in.rx_dllp), .rx_valid_i(in.rx_valid), .rx_word_i(in.rx_word), .rx_end_i(in.rx_end),
      .rx_bad_i(in.rx_bad), .rx_edb_i(in.rx_edb), .tlp_valid_i(in.tlp_valid), .tlp_ready_o(out.tlp_ready), .tlp_word_i(in.tlp_word),
      .tlp_last_i(in.tlp_last), .tlp_null_i(in.tlp_null), .tlp_valid_o(out.tlp_valid), .tlp_word_o(out.tlp_word), .tlp_end_o(out.tlp_end),
      .tlp_good_o(out.tlp_good), .grant_i(grant_q[n]), .limit_o(limit_o[n]), .free_hdr_o(free_o[n][5:3]), .free_data_o(free_o[n][2:0]),
      .up_o(up), .state_o(out.state), .bad_tlp_o(out.bad_tlp), .bad_dllp_o(out.bad_dllp), .timeout_o(out.timeout), .rollover_o(out.rollover),
      .protocol_o(out.protocol)
    );
    always_ff @(posedge clk_i) if (rst_ni && in.link_up) assert (up == (out.state == 2'd3));
  end

endmodule
