// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Between the internal TLP interface and the four AXI4-Stream interfaces of the UltraScale+ block
// (RQ, RC, CQ, CC; DWORD-aligned). Descriptors of 16, 12, 16 and 12 bytes go in front of the payload
// there, so they take room here that they do not take inside. With `Straddle`, a TLP may begin in
// the beat in which another ends, where the block has that: RC at 256 bit, RQ, RC and CQ at 512. A
// completion on CC takes a beat with or without it. The work is done in ls_usp_tx and ls_usp_rx,
// which a root port has as well.
module ls_shim_usp
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 256,
  parameter bit          Straddle = 1'b0,
  parameter bit          Number   = 1'b0,   // writes have the sequence number 1 on RQ, all else 0
  localparam int unsigned Dws    = Width / 32,
  localparam int unsigned RqUser = (Width == 512) ? 137 : 62,
  localparam int unsigned RcUser = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser = (Width == 512) ? 183 : 88,
  localparam int unsigned CcUser = (Width == 512) ? 81 : 33
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  output logic [Width-1:0]  rq_tdata_o,
  output logic [Dws-1:0]    rq_tkeep_o,
  output logic              rq_tlast_o,
  output logic [RqUser-1:0] rq_tuser_o,
  output logic              rq_tvalid_o,
  input  logic              rq_tready_i,
  input  logic [Width-1:0]  rc_tdata_i,
  input  logic [RcUser-1:0] rc_tuser_i,
  input  logic              rc_tvalid_i,
  output logic              rc_tready_o,
  input  logic [Width-1:0]  cq_tdata_i,
  input  logic [CqUser-1:0] cq_tuser_i,
  input  logic              cq_tvalid_i,
  output logic              cq_tready_o,
  output logic [Width-1:0]  cc_tdata_o,
  output logic [Dws-1:0]    cc_tkeep_o,
  output logic              cc_tlast_o,
  output logic [CcUser-1:0] cc_tuser_o,
  output logic              cc_tvalid_o,
  input  logic              cc_tready_i,

  input  logic              tx_valid_i,
  output logic              tx_ready_o,
  input  logic              tx_sop_i,
  input  logic              tx_eop_i,
  input  tlp_hdr_t          tx_hdr_i,
  input  logic [Width-1:0]  tx_data_i,
  input  logic              np_valid_i,
  output logic              np_ready_o,
  input  tlp_hdr_t          np_hdr_i,
  input  logic              cpl_valid_i,
  output logic              cpl_ready_o,
  input  tlp_hdr_t          cpl_hdr_i,
  input  logic [63:0]       cpl_data_i,
  output logic              rx_req_valid_o,
  input  logic              rx_req_ready_i,
  output logic              rx_req_sop_o,
  output logic              rx_req_eop_o,
  output tlp_hdr_t          rx_req_hdr_o,
  output logic [Width-1:0]  rx_req_data_o,
  output logic              rx_cpl_valid_o,
  output logic              rx_cpl_sop_o,
  output logic              rx_cpl_eop_o,
  output tlp_hdr_t          rx_cpl_hdr_o,
  output logic [Width-1:0]  rx_cpl_data_o
);
  if (!(Width inside {64, 128, 256, 512})) begin : gen_check
    $error("%m: Width must be 64, 128, 256 or 512");
  end

  ls_usp_tx #(.Width(Width), .Straddle(Straddle), .Number(Number)) u_tx (
    .clk_i, .rst_ni, .id_i('0), .rq_tdata_o, .rq_tkeep_o, .rq_tlast_o, .rq_tuser_o, .rq_tvalid_o, .rq_tready_i, .cc_tdata_o,
    .cc_tkeep_o, .cc_tlast_o, .cc_tuser_o, .cc_tvalid_o, .cc_tready_i, .tx_valid_i, .tx_ready_o, .tx_sop_i, .tx_eop_i,
    .tx_cfg_i(2'b00), .tx_hdr_i, .tx_data_i, .np_valid_i, .np_ready_o, .np_hdr_i, .cpl_valid_i, .cpl_ready_o, .cpl_sop_i(1'b1),
    .cpl_eop_i(1'b1), .cpl_hdr_i, .cpl_data_i(Width'(cpl_data_i))
  );

  logic unused_mem;
  ls_usp_rx #(.Width(Width), .Straddle(Straddle)) u_rx (
    .clk_i, .rst_ni, .rc_tdata_i, .rc_tuser_i, .rc_tvalid_i, .rc_tready_o, .cq_tdata_i, .cq_tuser_i, .cq_tvalid_i, .cq_tready_o,
    .rx_req_valid_o, .rx_req_ready_i, .rx_req_sop_o, .rx_req_eop_o, .rx_req_mem_o(unused_mem), .rx_req_hdr_o, .rx_req_data_o,
    .rx_cpl_valid_o, .rx_cpl_sop_o, .rx_cpl_eop_o, .rx_cpl_hdr_o, .rx_cpl_data_o
  );

endmodule
