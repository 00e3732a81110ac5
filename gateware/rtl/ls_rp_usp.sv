// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The UltraScale+ block (PCIE4, PCIE4C) as a root port, 64 to 512 bit, for a user that speaks the internal
// TLP interface from the host's side, as ls_nvme_host does. What the user sees is what it sees of ls_rp_7s.
//
// Four streams of the block, DWORD-aligned (PG213):
//   RQ  requests of ours: memory requests, and configuration requests of type 0 to the bus directly below and
//       of type 1 to those behind it, which the block makes of a request type of their own
//   RC  their completions, CRS as error code 2 with its Completion Status
//   CQ  what devices write and read
//   CC  completions for what they read
// It is no bridge for software: no interrupts, no messages to the user, and the block's own configuration is
// written by ls_rp_core alone. Straddling is off on all four: a drive's link of four lanes needs none.
//
// What the block drops of a device's writes it tells beside the streams (cfg_local_error_*): poisoned ones,
// and those that found its buffer full. The user hears of it by ls_rp_lost.
module ls_rp_usp
  import ls_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter int unsigned Width       = 128,
  parameter logic [11:0] Express     = 12'h070,
  parameter logic [7:0]  PriBus      = 8'd0,
  parameter logic [7:0]  SecBus      = 8'd1,
  parameter logic [7:0]  SubBus      = 8'd1,
  parameter logic [63:0] WindowBase  = 64'he000_0000,
  parameter logic [63:0] WindowBytes = 64'h0100_0000,
  parameter int unsigned MaxPayload  = 512,
  parameter int unsigned WaitCycles  = 25000000,
  parameter int unsigned LookCycles  = 250000000,
  localparam int unsigned Dws    = Width / 32,
  localparam int unsigned RqUser = (Width == 512) ? 137 : 62,
  localparam int unsigned RcUser = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser = (Width == 512) ? 183 : 88,
  localparam int unsigned CcUser = (Width == 512) ? 81 : 33
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // the block
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
  input  logic              link_i,            // user_lnk_up
  input  logic              error_valid_i,     // cfg_local_error_valid,
  input  logic [4:0]        error_i,           // cfg_local_error_out
  output logic [9:0]        mgmt_addr_o,
  output logic              mgmt_read_o,
  output logic              mgmt_write_o,
  output logic [31:0]       mgmt_data_o,
  output logic [3:0]        mgmt_be_o,
  input  logic [31:0]       mgmt_data_i,
  input  logic              mgmt_done_i,

  // the user
  output logic              up_o,              // requests may be made
  output logic              failed_o,
  output rp_step_e          step_o,
  input  logic              retrain_i,         // pulse: train the link again
  output rp_link_t          link_o,
  input  logic              rq_valid_i,
  output logic              rq_ready_o,
  input  logic              rq_cfg_i,          // the address is that of ECAM: {bus, device, function, register}
  input  tlp_hdr_t          rq_hdr_i,
  input  logic [31:0]       rq_data_i,
  input  logic              cpl_valid_i,       // does not fall inside a completion
  output logic              cpl_ready_o,
  input  logic              cpl_sop_i,
  input  logic              cpl_eop_i,
  input  tlp_hdr_t          cpl_hdr_i,
  input  logic [Width-1:0]  cpl_data_i,
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

  // Local errors after which a posted request of a device is missing.
  localparam logic [4:0] ErrPostedFull = 5'b01101, ErrPoisoned = 5'b10110;

  if (!(Width inside {64, 128, 256, 512})) begin : gen_check
    $error("%m: Width must be 64, 128, 256 or 512");
  end

  logic             rq_valid, rq_ready, cpl_valid, cpl_ready, got_valid, lost;
  logic             in_valid, in_ready, in_sop, in_eop, in_mem, rx_valid, rx_ready, rx_mem;
  logic [1:0]       rq_cfg;
  tlp_hdr_t         rq_hdr, in_hdr, rx_hdr;
  logic [31:0]      rq_data;
  logic [Width-1:0] in_data;
  ls_rp_core #(
    .Express(Express), .PriBus(PriBus), .SecBus(SecBus), .SubBus(SubBus), .WindowBase(WindowBase), .WindowBytes(WindowBytes),
    .MaxPayload(MaxPayload), .WaitCycles(WaitCycles), .LookCycles(LookCycles)
  ) u_core (
    .clk_i, .rst_ni, .link_i, .up_o, .failed_o, .step_o, .retrain_i, .link_o, .mgmt_addr_o, .mgmt_read_o, .mgmt_write_o, .mgmt_data_o,
    .mgmt_be_o, .mgmt_data_i, .mgmt_done_i, .rq_valid_i, .rq_ready_o, .rq_cfg_i, .rq_hdr_i, .rq_data_i, .rq_valid_o(rq_valid),
    .rq_ready_i(rq_ready), .rq_cfg_o(rq_cfg), .rq_hdr_o(rq_hdr), .rq_data_o(rq_data), .cpl_valid_i, .cpl_ready_o, .cpl_sop_i,
    .cpl_valid_o(cpl_valid), .cpl_ready_i(cpl_ready), .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_sop_i(rx_req_sop_o),
    .rx_mem_i(rx_mem), .rx_hdr_i(rx_hdr), .rx_valid_o(rx_req_valid_o), .rx_ready_i(rx_req_ready_i), .rx_hdr_o(rx_req_hdr_o),
    .got_valid_i(got_valid), .got_sop_i(rx_cpl_sop_o), .got_hdr_i(rx_cpl_hdr_o), .got_data_i(rx_cpl_data_o[31:0]),
    .got_valid_o(rx_cpl_valid_o)
  );

  logic unused_ready;
  ls_usp_tx #(.Width(Width), .Root(1'b1)) u_tx (
    .clk_i, .rst_ni, .id_i({PriBus, 8'd0}), .rq_tdata_o, .rq_tkeep_o, .rq_tlast_o, .rq_tuser_o, .rq_tvalid_o, .rq_tready_i,
    .cc_tdata_o, .cc_tkeep_o, .cc_tlast_o, .cc_tuser_o, .cc_tvalid_o, .cc_tready_i, .tx_valid_i(rq_valid), .tx_ready_o(rq_ready),
    .tx_sop_i(1'b1), .tx_eop_i(1'b1), .tx_cfg_i(rq_cfg), .tx_hdr_i(rq_hdr), .tx_data_i(Width'(rq_data)), .np_valid_i(1'b0),
    .np_ready_o(unused_ready), .np_hdr_i('0), .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_sop_i, .cpl_eop_i,
    .cpl_hdr_i, .cpl_data_i
  );

  ls_usp_rx #(.Width(Width)) u_rx (
    .clk_i, .rst_ni, .rc_tdata_i, .rc_tuser_i, .rc_tvalid_i, .rc_tready_o, .cq_tdata_i, .cq_tuser_i, .cq_tvalid_i, .cq_tready_o,
    .rx_req_valid_o(in_valid), .rx_req_ready_i(in_ready), .rx_req_sop_o(in_sop), .rx_req_eop_o(in_eop), .rx_req_mem_o(in_mem),
    .rx_req_hdr_o(in_hdr), .rx_req_data_o(in_data), .rx_cpl_valid_o(got_valid), .rx_cpl_sop_o, .rx_cpl_eop_o, .rx_cpl_hdr_o, .rx_cpl_data_o
  );

  assign lost = error_valid_i && error_i inside {ErrPostedFull, ErrPoisoned};
  ls_rp_lost #(.Width(Width)) u_lost (
    .clk_i, .rst_ni, .lost_i(lost), .rx_valid_i(in_valid), .rx_ready_o(in_ready), .rx_sop_i(in_sop), .rx_eop_i(in_eop),
    .rx_mem_i(in_mem), .rx_hdr_i(in_hdr), .rx_data_i(in_data), .rx_valid_o(rx_valid), .rx_ready_i(rx_ready),
    .rx_sop_o(rx_req_sop_o), .rx_eop_o(rx_req_eop_o), .rx_mem_o(rx_mem), .rx_hdr_o(rx_hdr), .rx_data_o(rx_req_data_o)
  );

endmodule
