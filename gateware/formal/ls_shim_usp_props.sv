// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The UltraScale+ shim between a core and a block that keep the rules. Towards the block: RQ and CC
// are AXI4-Streams by the rules, with frames as long as their descriptors say, and CC takes a
// completion whatever RQ does. Towards the core: completions and requests by the rules of a TLP
// stream, whatever error codes the block gives.
module ls_shim_usp_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned BeatDw = Width / 32
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              rq_ready_i,
  input logic              cc_ready_i,
  input logic              rc_valid_i,
  input logic [Width-1:0]  rc_data_i,
  input logic              rc_broken_i,
  input logic              cq_valid_i,
  input logic [Width-1:0]  cq_data_i,
  input logic [7:0]        be_i,
  input logic              w_valid_i, w_sop_i, w_eop_i,
  input tlp_hdr_t          w_hdr_i,
  input logic [Width-1:0]  w_data_i,
  input logic              r_valid_i,
  input tlp_hdr_t          r_hdr_i,
  input logic              c_valid_i,
  input tlp_hdr_t          c_hdr_i,
  input logic [63:0]       c_data_i,
  input logic              req_ready_i
);
  logic              rq_valid, rq_last, cc_valid, cc_last, rc_ready, cq_ready, w_ready, r_ready, c_ready;
  logic              req_valid, req_sop, req_eop, cpl_valid, cpl_sop, cpl_eop;
  logic [Width-1:0]  rq_data, cc_data, req_data, cpl_data;
  logic [BeatDw-1:0] rq_keep, cc_keep;
  logic [61:0]       rq_user;
  logic [32:0]       cc_user;
  tlp_hdr_t          req_hdr, cpl_hdr;

  ls_shim_usp #(.Width(Width)) dut (
    .clk_i, .rst_ni, .rq_tdata_o(rq_data), .rq_tkeep_o(rq_keep), .rq_tlast_o(rq_last),
    .rq_tuser_o(rq_user), .rq_tvalid_o(rq_valid), .rq_tready_i(rq_ready_i), .rc_tdata_i(rc_data_i),
    .rc_tuser_i(75'(rc_broken_i) << 42), .rc_tvalid_i(rc_valid_i), .rc_tready_o(rc_ready), .cq_tdata_i(cq_data_i), .cq_tuser_i(88'(be_i)),
    .cq_tvalid_i(cq_valid_i), .cq_tready_o(cq_ready), .cc_tdata_o(cc_data), .cc_tkeep_o(cc_keep),
    .cc_tlast_o(cc_last), .cc_tuser_o(cc_user), .cc_tvalid_o(cc_valid), .cc_tready_i(cc_ready_i),
    .tx_valid_i(w_valid_i), .tx_ready_o(w_ready), .tx_sop_i(w_sop_i), .tx_eop_i(w_eop_i),
    .tx_hdr_i(w_hdr_i), .tx_data_i(w_data_i), .np_valid_i(r_valid_i), .np_ready_o(r_ready),
    .np_hdr_i(r_hdr_i), .cpl_valid_i(c_valid_i), .cpl_ready_o(c_ready), .cpl_hdr_i(c_hdr_i),
    .cpl_data_i(c_data_i), .rx_req_valid_o(req_valid), .rx_req_ready_i(req_ready_i),
    .rx_req_sop_o(req_sop), .rx_req_eop_o(req_eop), .rx_req_hdr_o(req_hdr), .rx_req_data_o(req_data),
    .rx_cpl_valid_o(cpl_valid), .rx_cpl_sop_o(cpl_sop), .rx_cpl_eop_o(cpl_eop),
    .rx_cpl_hdr_o(cpl_hdr), .rx_cpl_data_o(cpl_data)
  );

  // ---- the core's side -----------------------------------------------------------------------
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_w (
    .clk_i, .rst_ni, .valid_i(w_valid_i), .ready_i(w_ready), .sop_i(w_sop_i), .last_i(w_eop_i),
    .hdr_i(w_hdr_i), .data_i(w_data_i), .keep_i('1));
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_r (
    .clk_i, .rst_ni, .valid_i(r_valid_i), .ready_i(r_ready), .sop_i(1'b1), .last_i(1'b1),
    .hdr_i(r_hdr_i), .data_i('0), .keep_i('1));
  ls_stream_check #(.Width(64), .Assume(1'b1)) u_c (
    .clk_i, .rst_ni, .valid_i(c_valid_i), .ready_i(c_ready), .sop_i(1'b1), .last_i(1'b1),
    .hdr_i(c_hdr_i), .data_i(c_data_i), .keep_i('1));
  ls_stream_check #(.Width(Width)) u_req (
    .clk_i, .rst_ni, .valid_i(req_valid), .ready_i(req_ready_i), .sop_i(req_sop), .last_i(req_eop),
    .hdr_i(req_hdr), .data_i(req_data), .keep_i('1));
  ls_stream_check #(.Width(Width)) u_cpl (
    .clk_i, .rst_ni, .valid_i(cpl_valid), .ready_i(1'b1), .sop_i(cpl_sop), .last_i(cpl_eop),
    .hdr_i(cpl_hdr), .data_i(cpl_data), .keep_i('1));

  // ---- the block's side: what goes out -------------------------------------------------------
  logic [Width-1:0]   rq_used, cc_used;
  logic [Width/8-1:0] rq_bytes, cc_bytes;
  always_comb begin
    for (int unsigned i = 0; i < BeatDw; i++) begin
      rq_used[32*i+:32] = {32{rq_keep[i]}};
      cc_used[32*i+:32] = {32{cc_keep[i]}};
      rq_bytes[4*i+:4]  = {4{rq_keep[i]}};
      cc_bytes[4*i+:4]  = {4{cc_keep[i]}};
    end
  end
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_valid), .ready_i(rq_ready_i), .sop_i(1'b0), .last_i(rq_last), .hdr_i('0),
    .data_i(rq_data & rq_used), .keep_i(rq_bytes));
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_cc (
    .clk_i, .rst_ni, .valid_i(cc_valid), .ready_i(cc_ready_i), .sop_i(1'b0), .last_i(cc_last), .hdr_i('0),
    .data_i(cc_data & cc_used), .keep_i(cc_bytes));

  // A descriptor says in DW 1 (RC, CC) or DW 2 (CQ, RQ) how long its payload is.
  logic [12:0] rq_q, cc_q, rc_q, cq_q, rc_total, cq_total;     // DWs of the open frame
  logic [10:0] rq_len_q, rq_len, cc_len;
  logic [Width-1:0] rc_hold_q, cq_hold_q;
  logic [7:0]  be_q;
  logic        first_q = 1'b1, rc_held_q, cq_held_q;
  logic [31:0] rc_dw0, rc_dw1, rc0_q, rc1_q, cq_dw2, cq2_q;
  assign rq_len = (rq_q == 13'(Width == 64 ? 2 : 0)) ? (rq_data[(Width == 64 ? 11 : 75)+:4] == 4'd1
                ? rq_data[(Width == 64 ? 0 : 64)+:11] : '0) : rq_len_q;
  assign cc_len = (cc_q == '0) ? cc_data[42:32] : '0;
  assign {rc_dw1, rc_dw0} = (rc_q == '0) ? rc_data_i[63:0] : {rc1_q, rc0_q};
  assign rc_total = 13'd3 + ((rc_dw0[15:12] inside {4'd8, 4'd9}) ? 13'd0 : 13'(rc_dw1[10:0]));
  assign cq_dw2   = (cq_q == 13'(Width == 64 ? 2 : 0)) ? cq_data_i[(Width == 64 ? 0 : 64)+:32] : cq2_q;
  assign cq_total = 13'd4 + ((cq_dw2[14:11] == 4'd1) ? 13'(cq_dw2[10:0]) : 13'd0);

  logic [31:0] cq_addr, cq0_q;               // of the first beat, as the byte enables are
  logic [7:0]  cq_be, cq_be_q;
  assign {cq_be, cq_addr} = (cq_q == '0) ? {be_i, cq_data_i[31:0]} : {cq_be_q, cq0_q};
  always_ff @(posedge clk_i) if (cq_valid_i && cq_ready && cq_q == '0) {cq_be_q, cq0_q} <= {be_i, cq_data_i[31:0]};

  always_ff @(posedge clk_i) begin
    first_q   <= 1'b0;
    rc_held_q <= rst_ni && rc_valid_i && !rc_ready;
    cq_held_q <= rst_ni && cq_valid_i && !cq_ready;
    {rc_hold_q, cq_hold_q, be_q} <= {rc_data_i, cq_data_i, be_i};
    if (!rst_ni) begin
      {rq_q, cc_q, rc_q, cq_q} <= '0;
    end else begin
      if (rq_valid && rq_ready_i) begin
        rq_q     <= rq_last ? '0 : rq_q + 13'(BeatDw);
        rq_len_q <= rq_len;
      end
      if (cc_valid && cc_ready_i) cc_q <= cc_last ? '0 : cc_q + 13'(BeatDw);
      if (rc_valid_i && rc_ready) begin
        rc_q <= (rc_q + 13'(BeatDw) >= rc_total) ? '0 : rc_q + 13'(BeatDw);
        {rc1_q, rc0_q} <= {rc_dw1, rc_dw0};
      end
      if (cq_valid_i && cq_ready) begin
        cq_q  <= (cq_q != '0 || Width > 64) && (cq_q + 13'(BeatDw) >= cq_total) ? '0 : cq_q + 13'(BeatDw);
        cq2_q <= cq_dw2;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    assume (w_hdr_i.kind == TlpMemWr || !w_sop_i);
    assume (r_hdr_i.kind == TlpMemRd);
    assume (c_hdr_i.kind == TlpCpl || (c_hdr_i.kind == TlpCplD && c_hdr_i.len_dw inside {11'd1, 11'd2}));
    assume (c_hdr_i.kind == TlpCplD || c_hdr_i.len_dw == '0);
    if (rc_held_q) assume (rc_valid_i && rc_data_i == rc_hold_q);
    if (cq_held_q) assume (cq_valid_i && {cq_data_i, be_i} == {cq_hold_q, be_q});
    // The block's word: at most 1024 DWs; a completion without error codes that has payload is a
    // good one, one with status SC has payload; memory requests within a page, byte enables fit.
    if (rc_valid_i && rc_q == '0) begin
      assume (rc_dw1[10:0] <= 11'd1024);
      if (rc_dw0[15:13] == '0 && rc_dw1[10:0] != '0) assume (rc_dw1[13:11] == CplSc && rc_dw0[28:16] != '0);
    end
    if (cq_valid_i && cq_q == 13'(Width == 64 ? 2 : 0))
      assume (cq_dw2[14:11] inside {4'd0, 4'd1} && cq_dw2[10:0] != '0 && cq_dw2[10:0] <= 11'd1024);
    if (cq_valid_i && cq_q == 13'(Width == 64 ? 2 : 0)) begin
      assume ({2'd0, cq_addr[11:2], 2'b00} + {1'b0, cq_dw2[10:0], 2'b00} <= 14'd4096);
      assume (cq_dw2[10:0] == 11'd1 ? cq_be[7:4] == '0 : (cq_be[7:4] != '0 && cq_be[3:0] != '0));
    end
    if (!first_q) begin
      if (rq_valid && (rq_q != '0 || Width > 64)) begin
        a_rq_frame: assert (rq_last == (rq_q + 13'(BeatDw) >= 13'd4 + 13'(rq_len)));
        a_rq_keep:  assert ($countones(rq_keep) == (rq_last ? 32'(13'd4 + 13'(rq_len) - rq_q) : BeatDw));
      end
      if (rq_valid && rq_q == '0 && Width == 64) a_rq_first: assert (!rq_last && rq_keep == '1);
      if (cc_valid && cc_q == '0) begin
        a_cc_frame: assert (cc_last == (13'(BeatDw) >= 13'd3 + 13'(cc_len)));
        a_cc_keep:  assert ($countones(cc_keep) == (cc_last ? 32'd3 + 32'(cc_len) : BeatDw));
      end
      a_apart: assert (!(c_valid_i && cc_ready_i) || cc_valid);     // RQ is not asked
    end
    c_write: cover (!first_q && rq_valid && rq_ready_i && rq_last && rq_len == 11'd3);
    c_late:  cover (!first_q && rc_valid_i && (rc_q != '0 || Width > 64) && rc_dw0[15:12] == 4'd9);
    c_cpl:   cover (!first_q && cpl_valid && cpl_eop && !cpl_sop);
  end
endmodule
