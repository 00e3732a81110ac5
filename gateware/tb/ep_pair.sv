// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The same transaction layer on a link: the bench is above the data link layer of a root, whose MAC is wired to that of
// the endpoint. Ports as of tl_end.
module ep_pair
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter int unsigned MsCycles = 200,
  parameter int unsigned Ts1Count = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [28:0] in_i,
  input  credits_t    limit_i,            // given by the root
  input  logic [5:0]  free_i,             // not used: 0 is without bound
  input  logic [1:0]  hit_i,              // a pair is hit on its way: to the root, to the endpoint
  input  logic        cut_i,              // there is no line
  output credits_t    grant_o,            // as the root was told
  output logic [63:0] flags_o,
  input  logic [5:0]  card_i,
  input  tlp_hdr_t    tx_hdr_i,
  input  logic [63:0] tx_data_i,
  input  tlp_hdr_t    rq_hdr_i,
  input  tlp_hdr_t    cpl_hdr_i,
  input  logic [63:0] cpl_data_i,
  output tlp_hdr_t    req_hdr_o,
  output logic [63:0] req_data_o,
  output tlp_hdr_t    rcpl_hdr_o,
  output logic [63:0] rcpl_data_o,
  output settings_t   set_o,
  output logic [15:0] id_o
);

  logic        rx_req_ready, tx_valid, tx_sop, tx_eop, rq_valid, cpl_valid;
  assign {rx_req_ready, tx_valid, tx_sop, tx_eop, rq_valid, cpl_valid} = card_i;

  logic [1:0]       link_up, l0, retrain, error, m_tx_valid, m_tx_ready, m_tx_last, m_tx_dllp, m_tx_null;
  logic [1:0]       rx_start, rx_dllp, rx_valid, rx_end, rx_bad, rx_edb;
  logic [1:0][15:0] m_tx_word, rx_word, sent;
  logic [1:0][1:0]  sent_k;
  logic [1:0]       quiet;
  logic [1:0][4:0]  ltssm;
  mac_pair #(.MsCycles(MsCycles), .Ts1Count(Ts1Count)) u_macs (
    .clk0_i(clk_i), .clk1_i(clk_i), .rst_ni, .flip_i('0), .hit_i, .swap_i('0), .cut_i({2{cut_i}}), .odd_i('0), .sent_o(sent), .sent_k_o(sent_k),
    .quiet_o(quiet), .retrain_i(retrain), .up_o(link_up), .l0_o(l0), .state_o(ltssm), .error_o(error), .tx_valid_i(m_tx_valid),
    .tx_ready_o(m_tx_ready), .tx_word_i(m_tx_word), .tx_last_i(m_tx_last), .tx_dllp_i(m_tx_dllp), .tx_null_i(m_tx_null), .rx_start_o(rx_start),
    .rx_dllp_o(rx_dllp), .rx_valid_o(rx_valid), .rx_word_o(rx_word), .rx_end_o(rx_end), .rx_bad_o(rx_bad), .rx_edb_o(rx_edb)
  );

  logic [1:0]       t_valid, t_ready, t_last, g_valid, g_end, g_good, up, bad_tlp, bad_dllp, timeout, rollover, protocol;
  logic [1:0][15:0] t_word, g_word;
  credits_t [1:0]   grant, limit;
  logic [1:0][2:0]  free_hdr, free_data;
  logic [1:0][1:0]  state;
  logic [1:0]       mps;
  logic             rst_n, flr, req_valid, req_sop, req_eop, rcpl_valid, rcpl_sop, rcpl_eop, tx_ready, rq_ready, cpl_ready;
  tl_err_t          wrong;
  for (genvar n = 0; n < 2; n++) begin : gen_link
    ls_link u_link (
      .clk_i, .rst_ni, .mps_i(mps), .link_up_i(link_up[n]), .l0_i(l0[n]), .retrain_o(retrain[n]), .tx_valid_o(m_tx_valid[n]),
      .tx_ready_i(m_tx_ready[n]), .tx_word_o(m_tx_word[n]), .tx_last_o(m_tx_last[n]), .tx_dllp_o(m_tx_dllp[n]), .tx_null_o(m_tx_null[n]),
      .rx_start_i(rx_start[n]), .rx_dllp_i(rx_dllp[n]), .rx_valid_i(rx_valid[n]), .rx_word_i(rx_word[n]), .rx_end_i(rx_end[n]),
      .rx_bad_i(rx_bad[n]), .rx_edb_i(rx_edb[n]), .tlp_valid_i(t_valid[n]), .tlp_ready_o(t_ready[n]), .tlp_word_i(t_word[n]),
      .tlp_last_i(t_last[n]), .tlp_null_i(1'b0), .tlp_valid_o(g_valid[n]), .tlp_word_o(g_word[n]), .tlp_end_o(g_end[n]), .tlp_good_o(g_good[n]),
      .grant_i(grant[n]), .limit_o(limit[n]), .free_hdr_o(free_hdr[n]), .free_data_o(free_data[n]), .up_o(up[n]), .state_o(state[n]),
      .bad_tlp_o(bad_tlp[n]), .bad_dllp_o(bad_dllp[n]), .timeout_o(timeout[n]), .rollover_o(rollover[n]), .protocol_o(protocol[n])
    );
  end
  assign t_valid[0] = in_i[18];
  assign t_last[0]  = in_i[17];
  assign t_word[0]  = in_i[15:0];
  always_ff @(posedge clk_i) grant[0] <= limit_i;
  assign grant_o = limit[0];

  ls_tl #(.Serial(64'h0123_4567_89ab_cdef)) u_tl (
    .clk_i, .rst_ni, .ready_i(in_i[22]), .state_i(state[1]), .mps_o(mps), .tlp_valid_o(t_valid[1]), .tlp_ready_i(t_ready[1]), .tlp_word_o(t_word[1]),
    .tlp_last_o(t_last[1]), .tlp_valid_i(g_valid[1]), .tlp_word_i(g_word[1]), .tlp_end_i(g_end[1]), .tlp_good_i(g_good[1]), .grant_o(grant[1]),
    .limit_i(limit[1]), .free_hdr_i(free_hdr[1]), .free_data_i(free_data[1]),
    .link_error_i({error[1], bad_tlp[1], bad_dllp[1], rollover[1], timeout[1], protocol[1]}), .rst_no(rst_n), .set_o, .id_o, .flr_o(flr),
    .error_o(wrong), .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop), .tx_hdr_i, .tx_data_i, .rq_valid_i(rq_valid),
    .rq_ready_o(rq_ready), .rq_hdr_i, .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_hdr_i, .cpl_data_i, .rx_req_valid_o(req_valid),
    .rx_req_ready_i(rx_req_ready), .rx_req_sop_o(req_sop), .rx_req_eop_o(req_eop), .rx_req_hdr_o(req_hdr_o), .rx_req_data_o(req_data_o),
    .rx_cpl_valid_o(rcpl_valid), .rx_cpl_sop_o(rcpl_sop), .rx_cpl_eop_o(rcpl_eop), .rx_cpl_hdr_o(rcpl_hdr_o), .rx_cpl_data_o(rcpl_data_o)
  );
  assign flags_o = {21'd0, wrong, mps, flr, rst_n, up[0] && up[1], rcpl_valid, rcpl_sop, rcpl_eop, req_valid, req_sop, req_eop, cpl_ready, rq_ready,
                    tx_ready, t_ready[0], g_valid[0], g_end[0], g_good[0], 2'd0, g_word[0]};

endmodule
