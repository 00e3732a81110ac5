// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_tl between registers and four pins, for a router, as ls_route is for the engine: its inputs come from a shift
// register, its outputs end in registers that are folded into one bit a level at a time.
module ls_tl_pins
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  output logic bit_o
);

  typedef struct packed {
    logic        ready;
    logic [1:0]  state;
    logic        tlp_ready, tlp_valid, tlp_end, tlp_good;
    logic [15:0] tlp_word;
    credits_t    limit;
    logic [2:0]  free_hdr, free_data;
    link_err_t   link_error;
    logic        tx_valid, tx_sop, tx_eop, rq_valid, cpl_valid, rx_req_ready;
    tlp_hdr_t    tx_hdr, rq_hdr, cpl_hdr;
    logic [63:0] tx_data, cpl_data;
  } in_t;

  typedef struct packed {
    logic [1:0]  mps;
    logic        tlp_valid, tlp_last;
    logic [15:0] tlp_word;
    credits_t    grant;
    logic        rst_n, flr;
    settings_t   set;
    logic [15:0] id;
    tl_err_t     error;
    logic        tx_ready, rq_ready, cpl_ready, rx_req_valid, rx_req_sop, rx_req_eop, rx_cpl_valid, rx_cpl_sop, rx_cpl_eop;
    tlp_hdr_t    rx_req_hdr, rx_cpl_hdr;
    logic [63:0] rx_req_data, rx_cpl_data;
  } out_t;

  localparam int unsigned Out = $bits(out_t);
  localparam int unsigned Level1 = (Out + 15) / 16;
  localparam int unsigned Level2 = (Level1 + 15) / 16;

  in_t               in_q;
  out_t              out;
  logic [Out-1:0]    out_q;
  logic [16*Level1-1:0] padded;
  logic [16*Level2-1:0] padded1;
  logic [Level1-1:0] fold1_q;
  logic [Level2-1:0] fold2_q;
  assign padded  = (16*Level1)'(out_q);
  assign padded1 = (16*Level2)'(fold1_q);
  always_ff @(posedge clk_i) begin
    in_q  <= {in_q, bit_i};
    out_q <= out;
    for (int unsigned i = 0; i < Level1; i++) fold1_q[i] <= ^padded[i*16+:16];
    for (int unsigned i = 0; i < Level2; i++) fold2_q[i] <= ^padded1[i*16+:16];
    bit_o <= ^fold2_q;
  end

  ls_tl #(.Serial(64'h0123_4567_89ab_cdef)) u_tl (
    .clk_i, .rst_ni, .ready_i(in_q.ready), .state_i(in_q.state), .mps_o(out.mps), .tlp_valid_o(out.tlp_valid), .tlp_ready_i(in_q.tlp_ready),
    .tlp_word_o(out.tlp_word), .tlp_last_o(out.tlp_last), .tlp_valid_i(in_q.tlp_valid), .tlp_word_i(in_q.tlp_word), .tlp_end_i(in_q.tlp_end),
    .tlp_good_i(in_q.tlp_good), .grant_o(out.grant), .limit_i(in_q.limit), .free_hdr_i(in_q.free_hdr), .free_data_i(in_q.free_data),
    .link_error_i(in_q.link_error), .rst_no(out.rst_n), .set_o(out.set), .id_o(out.id), .flr_o(out.flr), .error_o(out.error),
    .tx_valid_i(in_q.tx_valid), .tx_ready_o(out.tx_ready), .tx_sop_i(in_q.tx_sop), .tx_eop_i(in_q.tx_eop), .tx_hdr_i(in_q.tx_hdr),
    .tx_data_i(in_q.tx_data), .rq_valid_i(in_q.rq_valid), .rq_ready_o(out.rq_ready), .rq_hdr_i(in_q.rq_hdr), .cpl_valid_i(in_q.cpl_valid),
    .cpl_ready_o(out.cpl_ready), .cpl_hdr_i(in_q.cpl_hdr), .cpl_data_i(in_q.cpl_data), .rx_req_valid_o(out.rx_req_valid),
    .rx_req_ready_i(in_q.rx_req_ready), .rx_req_sop_o(out.rx_req_sop), .rx_req_eop_o(out.rx_req_eop), .rx_req_hdr_o(out.rx_req_hdr),
    .rx_req_data_o(out.rx_req_data), .rx_cpl_valid_o(out.rx_cpl_valid), .rx_cpl_sop_o(out.rx_cpl_sop), .rx_cpl_eop_o(out.rx_cpl_eop),
    .rx_cpl_hdr_o(out.rx_cpl_hdr), .rx_cpl_data_o(out.rx_cpl_data)
  );

endmodule
