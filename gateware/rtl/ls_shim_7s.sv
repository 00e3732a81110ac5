// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Between the internal TLP interface and the two AXI4-Stream interfaces of the 7-series block, 64
// or 128 bit: whole TLPs with their headers in the data, payload bytes big-endian within each DW,
// and at 128 bit received TLPs that may begin in the upper half of a beat.
//
// Headers take beats here: a 256-byte write with a 4 DW header is 34 beats of 64 bit instead of
// 32. That is the ceiling of this interface, not of the engine. The work is done in ls_7s_tx and
// ls_7s_rx, which a root port has as well.
module ls_shim_7s
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Reserve = 4,      // transmit buffers of the block kept for completions
  localparam int unsigned Bytes = Width / 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [15:0]       id_i,            // bus, device, function: of the block's cfg outputs

  output logic [Width-1:0]  s_axis_tx_tdata_o,
  output logic [Bytes-1:0]  s_axis_tx_tkeep_o,
  output logic              s_axis_tx_tlast_o,
  output logic              s_axis_tx_tvalid_o,
  input  logic              s_axis_tx_tready_i,
  input  logic [5:0]        tx_buf_av_i,     // free transmit buffers of the block, a TLP each
  input  logic [Width-1:0]  m_axis_rx_tdata_i,
  input  logic [21:0]       m_axis_rx_tuser_i,
  input  logic              m_axis_rx_tlast_i,
  input  logic              m_axis_rx_tvalid_i,
  output logic              m_axis_rx_tready_o,

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

  if (!(Width inside {64, 128})) begin : gen_check
    $error("%m: Width must be 64 or 128");
  end

  ls_7s_tx #(.Width(Width), .Reserve(Reserve)) u_tx (
    .clk_i, .rst_ni, .id_i, .s_axis_tx_tdata_o, .s_axis_tx_tkeep_o, .s_axis_tx_tlast_o, .s_axis_tx_tvalid_o,
    .s_axis_tx_tready_i, .tx_buf_av_i, .tx_valid_i, .tx_ready_o, .tx_sop_i, .tx_eop_i, .tx_cfg_i(2'b00), .tx_hdr_i,
    .tx_data_i, .np_valid_i, .np_ready_o, .np_hdr_i, .cpl_valid_i, .cpl_ready_o, .cpl_sop_i(1'b1), .cpl_eop_i(1'b1),
    .cpl_hdr_i, .cpl_data_i(Width'(cpl_data_i))
  );

  logic unused_mem;
  ls_7s_rx #(.Width(Width)) u_rx (
    .clk_i, .rst_ni, .m_axis_rx_tdata_i, .m_axis_rx_tuser_i, .m_axis_rx_tlast_i, .m_axis_rx_tvalid_i, .m_axis_rx_tready_o,
    .rx_req_valid_o, .rx_req_ready_i, .rx_req_sop_o, .rx_req_eop_o, .rx_req_mem_o(unused_mem), .rx_req_hdr_o, .rx_req_data_o,
    .rx_cpl_valid_o, .rx_cpl_sop_o, .rx_cpl_eop_o, .rx_cpl_hdr_o, .rx_cpl_data_o
  );

endmodule
