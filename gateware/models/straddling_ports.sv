// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Nothing but the streams of the UltraScale+ block at 512 bit that the test of the model's
// straddling looks at: the model drives RC and CQ, and watches what the test drives on RQ.
module straddling_ports #(
  parameter int unsigned Width = 512
) (
  input  logic                clk_i,
  input  logic [Width-1:0]    rq_tdata_i,
  input  logic [136:0]        rq_tuser_i,
  input  logic                rq_tvalid_i,
  input  logic                rq_tready_i,
  output logic [Width-1:0]    s_axis_rq_tdata,
  output logic [136:0]        s_axis_rq_tuser,
  output logic                s_axis_rq_tvalid,
  output logic                s_axis_rq_tready,
  input  logic [Width-1:0]    m_axis_cq_tdata,
  input  logic [Width/32-1:0] m_axis_cq_tkeep,
  input  logic                m_axis_cq_tlast,
  input  logic [182:0]        m_axis_cq_tuser,
  input  logic                m_axis_cq_tvalid,
  output logic                m_axis_cq_tready,
  input  logic [Width-1:0]    m_axis_rc_tdata,
  input  logic [Width/32-1:0] m_axis_rc_tkeep,
  input  logic                m_axis_rc_tlast,
  input  logic [160:0]        m_axis_rc_tuser,
  input  logic                m_axis_rc_tvalid,
  output logic                m_axis_rc_tready
);
  assign s_axis_rq_tdata  = rq_tdata_i;
  assign s_axis_rq_tuser  = rq_tuser_i;
  assign s_axis_rq_tvalid = rq_tvalid_i;
  assign s_axis_rq_tready = rq_tready_i;
  assign m_axis_cq_tready = 1'b1;
  assign m_axis_rc_tready = 1'b1;
endmodule
