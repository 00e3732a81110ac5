// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A transaction layer whose link is the bench: what goes in and comes out of it is gathered in few ports, because a
// bench in Python pays for each that it reads. ep_pair.sv has the same ports and a link.
module tl_end
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter int unsigned PostedHdr = 32,
  parameter int unsigned PostedData = 192,
  parameter int unsigned NonPostedHdr = 32,
  parameter int unsigned NonPostedData = 32,
  parameter int unsigned CplBytes = 2048
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [28:0] in_i,
  input  credits_t    limit_i,
  input  logic [5:0]  free_i,
  output credits_t    grant_o,
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

  typedef struct packed {
    link_err_t   error;
    logic        ready;
    logic [1:0]  state;
    logic        out_ready, valid, last, good;
    logic [15:0] word;
  } in_t;

  typedef struct packed {
    logic [20:0] none;
    tl_err_t     error;
    logic [1:0]  mps;
    logic        flr, rst_n, up;
    logic        rcpl_valid, rcpl_sop, rcpl_eop, req_valid, req_sop, req_eop, cpl_ready, rq_ready, tx_ready;
    logic        in_ready, out_valid, out_end, out_good;
    logic [17:0] none_word;
  } flags_t;

  in_t         in;
  flags_t      out;
  logic        end_q, good_q, last;
  logic [15:0] word;
  logic        none, rx_req_ready, tx_valid, tx_sop, tx_eop, rq_valid, cpl_valid;
  assign in      = in_i;
  assign {rx_req_ready, tx_valid, tx_sop, tx_eop, rq_valid, cpl_valid} = card_i;
  always_comb begin
    flags_o       = out;
    flags_o[15:0] = word;
  end
  assign none          = 1'b0;
  assign out.none      = '0;
  assign out.none_word = {18{none}};
  assign out.in_ready  = 1'b1;
  assign out.out_end   = out.out_valid && in.out_ready && last;
  assign out.out_good  = 1'b1;
  assign out.up        = in.state == 2'd3;
  always_ff @(posedge clk_i) begin
    end_q  <= rst_ni && in.valid && in.last;
    good_q <= in.good;
  end

  ls_tl #(.PostedHdr(PostedHdr), .PostedData(PostedData), .NonPostedHdr(NonPostedHdr), .NonPostedData(NonPostedData), .CplBytes(CplBytes), .Serial(64'h0123_4567_89ab_cdef)) u_tl (
    .clk_i, .rst_ni, .ready_i(in.ready), .state_i(in.state), .mps_o(out.mps), .tlp_valid_o(out.out_valid), .tlp_ready_i(in.out_ready),
    .tlp_word_o(word), .tlp_last_o(last), .tlp_valid_i(in.valid), .tlp_word_i(in.word), .tlp_end_i(end_q), .tlp_good_i(good_q), .grant_o, .limit_i,
    .free_hdr_i(free_i[5:3]), .free_data_i(free_i[2:0]), .link_error_i(in.error), .rst_no(out.rst_n), .set_o, .id_o, .flr_o(out.flr),
    .error_o(out.error), .tx_valid_i(tx_valid), .tx_ready_o(out.tx_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop), .tx_hdr_i, .tx_data_i,
    .rq_valid_i(rq_valid), .rq_ready_o(out.rq_ready), .rq_hdr_i, .cpl_valid_i(cpl_valid), .cpl_ready_o(out.cpl_ready), .cpl_hdr_i, .cpl_data_i,
    .rx_req_valid_o(out.req_valid), .rx_req_ready_i(rx_req_ready), .rx_req_sop_o(out.req_sop), .rx_req_eop_o(out.req_eop), .rx_req_hdr_o(req_hdr_o),
    .rx_req_data_o(req_data_o), .rx_cpl_valid_o(out.rcpl_valid), .rx_cpl_sop_o(out.rcpl_sop), .rx_cpl_eop_o(out.rcpl_eop), .rx_cpl_hdr_o(rcpl_hdr_o),
    .rx_cpl_data_o(rcpl_data_o)
  );

endmodule
