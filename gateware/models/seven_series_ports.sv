// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A user of the 7-series block that is only wires: the tests of the model itself drive the
// transmit stream through it and look at the receive stream.
module seven_series_ports #(
  parameter int unsigned Width = 64
) (
  input  logic               clk_i,
  input  logic [Width-1:0]   tx_tdata_i,
  input  logic [Width/8-1:0] tx_tkeep_i,
  input  logic               tx_tlast_i,
  input  logic               tx_tvalid_i,
  output logic               tx_tready_o,
  input  logic               rx_tready_i,
  output logic [Width-1:0]   s_axis_tx_tdata,
  output logic [Width/8-1:0] s_axis_tx_tkeep,
  output logic               s_axis_tx_tlast,
  output logic               s_axis_tx_tvalid,
  input  logic               s_axis_tx_tready,
  input  logic [5:0]         tx_buf_av,
  input  logic [Width-1:0]   m_axis_rx_tdata,
  input  logic [Width/8-1:0] m_axis_rx_tkeep,
  input  logic               m_axis_rx_tlast,
  input  logic [21:0]        m_axis_rx_tuser,
  input  logic               m_axis_rx_tvalid,
  output logic               m_axis_rx_tready,
  input  logic [7:0]         cfg_bus_number,
  input  logic [4:0]         cfg_device_number,
  input  logic [2:0]         cfg_function_number,
  input  logic [15:0]        cfg_command,
  input  logic [15:0]        cfg_dcommand,
  input  logic [1:0]         cfg_pmcsr_powerstate,
  input  logic               cfg_interrupt_msixenable,
  input  logic               cfg_interrupt_msixfm
);
  assign s_axis_tx_tdata  = tx_tdata_i;
  assign s_axis_tx_tkeep  = tx_tkeep_i;
  assign s_axis_tx_tlast  = tx_tlast_i;
  assign s_axis_tx_tvalid = tx_tvalid_i;
  assign tx_tready_o      = s_axis_tx_tready;
  assign m_axis_rx_tready = rx_tready_i;
endmodule
