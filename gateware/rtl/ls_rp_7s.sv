// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The 7-series block as a root port, 64 or 128 bit, for a user that speaks the internal TLP interface from
// the host's side, as ls_nvme_host does: requests of one beat to configuration space, registers and
// doorbells; completions with data for what devices read; what devices write and read, and their completions.
//
// Configuration requests are TLPs on the transmit stream like others (PG054, Transmit Interface), of type 0 to
// the bus directly below and of type 1 to those behind it. The block's own configuration is ls_rp_cfg's.
// Streams are those of the endpoint's shim, with the same reserve of transmit buffers for completions.
module ls_rp_7s
  import ls_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter int unsigned Width       = 64,
  parameter int unsigned Reserve     = 4,
  parameter logic [11:0] Express     = 12'h060,
  parameter logic [7:0]  PriBus      = 8'd0,
  parameter logic [7:0]  SecBus      = 8'd1,
  parameter logic [7:0]  SubBus      = 8'd1,
  parameter logic [63:0] WindowBase  = 64'he000_0000,
  parameter logic [63:0] WindowBytes = 64'h0100_0000,
  parameter int unsigned MaxPayload  = 512,
  parameter int unsigned WaitCycles  = 25000000,
  parameter int unsigned LookCycles  = 250000000,
  localparam int unsigned Bytes      = Width / 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  // the block
  output logic [Width-1:0]  s_axis_tx_tdata_o,
  output logic [Bytes-1:0]  s_axis_tx_tkeep_o,
  output logic              s_axis_tx_tlast_o,
  output logic              s_axis_tx_tvalid_o,
  input  logic              s_axis_tx_tready_i,
  input  logic [5:0]        tx_buf_av_i,
  input  logic [Width-1:0]  m_axis_rx_tdata_i,
  input  logic [21:0]       m_axis_rx_tuser_i,
  input  logic              m_axis_rx_tlast_i,
  input  logic              m_axis_rx_tvalid_i,
  output logic              m_axis_rx_tready_o,
  input  logic              link_i,            // user_lnk_up
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
  input  logic              cpl_valid_i,
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

  if (!(Width inside {64, 128})) begin : gen_check
    $error("%m: Width must be 64 or 128");
  end

  logic        rq_valid, rq_ready, cpl_valid, cpl_ready, rx_valid, rx_ready, rx_mem, got_valid;
  logic [1:0]  rq_cfg;
  tlp_hdr_t    rq_hdr, rx_hdr;
  logic [31:0] rq_data;
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
  ls_7s_tx #(.Width(Width), .Reserve(Reserve)) u_tx (
    .clk_i, .rst_ni, .id_i({PriBus, 8'd0}), .s_axis_tx_tdata_o, .s_axis_tx_tkeep_o, .s_axis_tx_tlast_o, .s_axis_tx_tvalid_o,
    .s_axis_tx_tready_i, .tx_buf_av_i, .tx_valid_i(rq_valid), .tx_ready_o(rq_ready), .tx_sop_i(1'b1), .tx_eop_i(1'b1),
    .tx_cfg_i(rq_cfg), .tx_hdr_i(rq_hdr), .tx_data_i(Width'(rq_data)), .np_valid_i(1'b0), .np_ready_o(unused_ready),
    .np_hdr_i('0), .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_sop_i, .cpl_eop_i, .cpl_hdr_i, .cpl_data_i
  );

  ls_7s_rx #(.Width(Width)) u_rx (
    .clk_i, .rst_ni, .m_axis_rx_tdata_i, .m_axis_rx_tuser_i, .m_axis_rx_tlast_i, .m_axis_rx_tvalid_i, .m_axis_rx_tready_o,
    .rx_req_valid_o(rx_valid), .rx_req_ready_i(rx_ready), .rx_req_sop_o, .rx_req_eop_o, .rx_req_mem_o(rx_mem),
    .rx_req_hdr_o(rx_hdr), .rx_req_data_o, .rx_cpl_valid_o(got_valid), .rx_cpl_sop_o, .rx_cpl_eop_o, .rx_cpl_hdr_o, .rx_cpl_data_o
  );

endmodule
