// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the user of the UltraScale+ block keeps on RQ and CC, in every test of the root port: the rules of an
// AXI4-Stream and, which these do not ask for, that valid does not fall inside a packet.
module ls_rp_usp_binds
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Dws = Width / 32
) (
  input logic             clk_i, rst_ni,
  input logic             rq_tvalid_o, rq_tready_i, rq_tlast_o,
  input logic [Width-1:0] rq_tdata_o,
  input logic [Dws-1:0]   rq_tkeep_o,
  input logic             cc_tvalid_o, cc_tready_i, cc_tlast_o,
  input logic [Width-1:0] cc_tdata_o,
  input logic [Dws-1:0]   cc_tkeep_o
);
  logic [Width-1:0]   rq_used, cc_used;
  logic [Width/8-1:0] rq_bytes, cc_bytes;
  for (genvar i = 0; i < Dws; i++) begin : gen_dw
    assign rq_used[32*i+:32] = rq_tkeep_o[i] ? rq_tdata_o[32*i+:32] : '0;
    assign cc_used[32*i+:32] = cc_tkeep_o[i] ? cc_tdata_o[32*i+:32] : '0;
    assign rq_bytes[4*i+:4]  = {4{rq_tkeep_o[i]}};
    assign cc_bytes[4*i+:4]  = {4{cc_tkeep_o[i]}};
  end
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_tvalid_o), .ready_i(rq_tready_i), .sop_i(1'b0), .last_i(rq_tlast_o), .hdr_i('0),
    .data_i(rq_used), .keep_i(rq_bytes));
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_cc (
    .clk_i, .rst_ni, .valid_i(cc_tvalid_o), .ready_i(cc_tready_i), .sop_i(1'b0), .last_i(cc_tlast_o), .hdr_i('0),
    .data_i(cc_used), .keep_i(cc_bytes));

  logic rq_open_q, cc_open_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_open_q <= 1'b0;
      cc_open_q <= 1'b0;
    end else begin
      if (rq_tvalid_o && rq_tready_i) rq_open_q <= !rq_tlast_o;
      if (cc_tvalid_o && cc_tready_i) cc_open_q <= !cc_tlast_o;
      a_rq_whole: assert (!rq_open_q || rq_tvalid_o);
      a_cc_whole: assert (!cc_open_q || cc_tvalid_o);
    end
  end
endmodule

bind ls_rp_usp ls_rp_usp_binds #(.Width(Width)) u_binds (.*);
