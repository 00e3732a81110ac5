// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The stream rules on what the user of a stripe reads; those of its hosts are bound by ls_nvme_binds.
module ls_nvme_stripe_binds
  import ls_pkg::*;
#(
  parameter int unsigned Row = 128
) (
  input logic             clk_i, rst_ni,
  input logic             m_valid_o, m_ready_i, m_last_o,
  input logic [Row-1:0]   m_data_o,
  input logic [Row/8-1:0] m_keep_o
);
  ls_stream_check #(.Width(Row), .IsTlp(1'b0)) u_m (
    .clk_i, .rst_ni, .valid_i(m_valid_o), .ready_i(m_ready_i), .sop_i(1'b0), .last_i(m_last_o), .hdr_i('0),
    .data_i(m_data_o), .keep_i(m_keep_o));
endmodule

bind ls_nvme_stripe ls_nvme_stripe_binds #(.Row(Row)) u_binds (.*);
