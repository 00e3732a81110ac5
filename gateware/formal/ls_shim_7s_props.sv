// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The 7-series shim between a core and a block that keep the rules. Towards the block: an
// AXI4-Stream by the rules, whose frames are as long as their header says, and no write or read
// begins while only the reserve of transmit buffers is free. Towards the core: TLP streams by the
// rules. At 128 bit the block's TLPs begin in lane 0 here; ls_unstraddle has a proof of its own.
module ls_shim_7s_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes  = Width / 8,
  localparam int unsigned BeatDw = Width / 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             tx_ready_i,
  input logic [5:0]       tx_buf_av_i,
  input logic             rx_valid_i,
  input logic [Width-1:0] rx_data_i,
  input logic [7:0]       bar_i,
  input logic             w_valid_i, w_sop_i, w_eop_i,
  input tlp_hdr_t         w_hdr_i,
  input logic [Width-1:0] w_data_i,
  input logic             r_valid_i,
  input tlp_hdr_t         r_hdr_i,
  input logic             c_valid_i,
  input tlp_hdr_t         c_hdr_i,
  input logic [63:0]      c_data_i,
  input logic             req_ready_i
);
  logic             valid, last, rx_ready, w_ready, r_ready, c_ready;
  logic             req_valid, req_sop, req_eop, cpl_valid, cpl_sop, cpl_eop;
  logic [Width-1:0] data, req_data, cpl_data;
  logic [Bytes-1:0] keep;
  tlp_hdr_t         req_hdr, cpl_hdr;
  logic [21:0]      user;
  logic [12:0]      pos_q;

  // Only what ls_unstraddle looks at: where a TLP begins and ends.
  logic [12:0] total;
  logic        ends;
  assign ends = pos_q + 13'(BeatDw) >= total;
  assign user = {ends, (total - pos_q > 13'd2), 6'd0, (pos_q == '0), 1'b0, 2'd0, bar_i, 2'd0};

  ls_shim_7s #(.Width(Width)) dut (
    .clk_i, .rst_ni, .id_i(16'h0100), .s_axis_tx_tdata_o(data), .s_axis_tx_tkeep_o(keep),
    .s_axis_tx_tlast_o(last), .s_axis_tx_tvalid_o(valid), .s_axis_tx_tready_i(tx_ready_i),
    .tx_buf_av_i, .m_axis_rx_tdata_i(rx_data_i), .m_axis_rx_tuser_i(user), .m_axis_rx_tlast_i(ends),
    .m_axis_rx_tvalid_i(rx_valid_i), .m_axis_rx_tready_o(rx_ready), .tx_valid_i(w_valid_i),
    .tx_ready_o(w_ready), .tx_sop_i(w_sop_i), .tx_eop_i(w_eop_i), .tx_hdr_i(w_hdr_i),
    .tx_data_i(w_data_i), .np_valid_i(r_valid_i), .np_ready_o(r_ready), .np_hdr_i(r_hdr_i),
    .cpl_valid_i(c_valid_i), .cpl_ready_o(c_ready), .cpl_hdr_i(c_hdr_i), .cpl_data_i(c_data_i),
    .rx_req_valid_o(req_valid), .rx_req_ready_i(req_ready_i), .rx_req_sop_o(req_sop),
    .rx_req_eop_o(req_eop), .rx_req_hdr_o(req_hdr), .rx_req_data_o(req_data),
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
  logic [Width-1:0] used;
  always_comb for (int unsigned i = 0; i < Bytes; i++) used[8*i+:8] = {8{keep[i]}};
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i(tx_ready_i), .sop_i(1'b0), .last_i(last), .hdr_i('0),
    .data_i(data & used), .keep_i(keep));
  logic [12:0] sent_q, o_total;
  logic [31:0] o_dw0_q, o_dw0;
  assign o_dw0   = (sent_q == '0) ? data[31:0] : o_dw0_q;
  assign o_total = (o_dw0[29] ? 13'd4 : 13'd3) + (o_dw0[30] ? {2'd0, o_dw0[9:0] == '0, o_dw0[9:0]} : 13'd0);

  // ---- the block's side: what comes in -------------------------------------------------------
  logic [31:0]      dw0_q, dw0, dw1, at;
  logic [Width-1:0] data_q;
  logic [7:0]       bar_q;
  logic             held_q, has_cpl;
  logic [10:0]      len;
  logic             first_q = 1'b1;
  assign dw0     = (pos_q == '0) ? rx_data_i[31:0] : dw0_q;
  assign dw1     = rx_data_i[63:32];                                     // counts at the first beat
  assign at      = dw0[29] ? rx_data_i[Width-1-:32] : rx_data_i[Width-33-:32];
  assign len     = {dw0[9:0] == '0, dw0[9:0]};
  assign total   = (dw0[29] ? 13'd4 : 13'd3) + (dw0[30] ? 13'(len) : 13'd0);
  assign has_cpl = dw0[28:24] == 5'b01010;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    held_q  <= rst_ni && rx_valid_i && !rx_ready;
    {data_q, bar_q} <= {rx_data_i, bar_i};
    if (!rst_ni) begin
      pos_q  <= '0;
      sent_q <= '0;
    end else begin
      if (rx_valid_i && rx_ready) begin
        pos_q <= ends ? '0 : pos_q + 13'(BeatDw);
        dw0_q <= dw0;
      end
      if (valid && tx_ready_i) begin
        sent_q  <= last ? '0 : sent_q + 13'(BeatDw);
        o_dw0_q <= o_dw0;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    assume (w_hdr_i.kind == TlpMemWr || !w_sop_i);
    assume (r_hdr_i.kind == TlpMemRd);
    assume (c_hdr_i.kind == TlpCpl || (c_hdr_i.kind == TlpCplD && c_hdr_i.len_dw inside {11'd1, 11'd2}));
    if (held_q) assume (rx_valid_i && {data_q, bar_q} == {rx_data_i, bar_i});
    // TLPs that the sender and the block let through: memory requests within a page, with the byte
    // enables they must have, and completions.
    if (rx_valid_i && pos_q == '0) begin
      assume (dw0[31] == 1'b0 && (dw0[28:24] == 5'b00000 || (has_cpl && !dw0[29])));
      if (!has_cpl) assume (len == 11'd1 ? dw1[7:4] == '0 : (dw1[7:4] != '0 && dw1[3:0] != '0));
      if (has_cpl && dw0[30]) assume (dw1[15:13] == '0);
    end
    if (rx_valid_i && !has_cpl && pos_q == (Width == 64 ? 13'd2 : 13'd0))
      assume ({2'd0, at[11:2], 2'b00} + {1'b0, len, 2'b00} <= 14'd4096);
    if (!first_q) begin
      if (valid) begin
        a_frame: assert (last == (sent_q + 13'(BeatDw) >= o_total));
        a_keep:  assert ($countones(keep) == (last ? 32'(o_total - sent_q) * 4 : Bytes));
      end
      a_room: assert (tx_buf_av_i > 6'd4 || !((w_valid_i && w_ready && w_sop_i) || (r_valid_i && r_ready)));
    end
    c_write: cover (!first_q && valid && tx_ready_i && last && sent_q > 13'd4 && o_dw0[29]);
    c_read:  cover (!first_q && req_valid && req_sop && req_hdr.kind == TlpMemWr && req_hdr.len_dw == 11'd3);
  end
endmodule
