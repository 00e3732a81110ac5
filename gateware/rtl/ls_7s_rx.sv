// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The receive stream of the 7-series block, 64 or 128 bit, taken apart: headers come out of the data,
// payload in the order of the inside, every TLP from lane 0 on, completions and requests on streams of
// their own. Endpoints and root ports receive through it.
//
// What is no memory request has `rx_req_mem_o` at 0 and BAR 7. If it must be answered it looks like a
// read, whatever data it brings; else it looks like a write.
module ls_7s_rx
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Dws  = Width / 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [Width-1:0]  m_axis_rx_tdata_i,
  input  logic [21:0]       m_axis_rx_tuser_i,
  input  logic              m_axis_rx_tlast_i,
  input  logic              m_axis_rx_tvalid_i,
  output logic              m_axis_rx_tready_o,

  output logic              rx_req_valid_o,
  input  logic              rx_req_ready_i,
  output logic              rx_req_sop_o,
  output logic              rx_req_eop_o,
  output logic              rx_req_mem_o,    // counts with sop
  output tlp_hdr_t          rx_req_hdr_o,
  output logic [Width-1:0]  rx_req_data_o,
  output logic              rx_cpl_valid_o,
  output logic              rx_cpl_sop_o,
  output logic              rx_cpl_eop_o,
  output tlp_hdr_t          rx_cpl_hdr_o,
  output logic [Width-1:0]  rx_cpl_data_o
);

  logic             r_valid, r_ready;
  logic [Width-1:0] r_data;
  logic [7:0]       r_bar, bar;

  if (Width == 128) begin : gen_straddle
    ls_unstraddle u_unstraddle (
      .clk_i, .rst_ni, .valid_i(m_axis_rx_tvalid_i), .ready_o(m_axis_rx_tready_o),
      .data_i(m_axis_rx_tdata_i), .sof_i(m_axis_rx_tuser_i[14]), .sof_high_i(m_axis_rx_tuser_i[13]),
      .eof_i(m_axis_rx_tuser_i[21]), .eof_high_i(m_axis_rx_tuser_i[20]), .side_i(m_axis_rx_tuser_i[9:2]),
      .valid_o(r_valid), .ready_i(r_ready), .data_o(r_data), .side_o(r_bar)
    );
  end else begin : gen_plain
    assign r_valid = m_axis_rx_tvalid_i;
    assign m_axis_rx_tready_o = r_ready;
    assign r_data  = m_axis_rx_tdata_i;
    assign r_bar   = m_axis_rx_tuser_i[9:2];
  end

  logic [127:0]     rh;
  logic             unused_tail, r4, rdata, t_valid, t_ready, t_sop, t_eop, t_cpl, t_mem, t_np;
  logic [10:0]      rlen;
  logic [Width-1:0] t_data;
  tlp_hdr_t         th, ch;                  // as a request, as a completion
  assign r4    = rh[29];
  assign rdata = rh[30];
  assign rlen  = {rh[9:0] == '0, rh[9:0]};
  ls_hdr_strip #(.Width(Width), .Side(8)) u_strip (
    .clk_i, .rst_ni, .valid_i(r_valid), .ready_o(r_ready), .data_i(r_data), .side_i(r_bar),
    .tail_i(1'b0), .tail_o(unused_tail), .head_o(rh), .side_o(bar), .four_i(r4), .len_dw_i(rdata ? rlen : '0),
    .valid_o(t_valid), .ready_i(t_ready), .sop_o(t_sop), .eop_o(t_eop), .data_o(t_data)
  );

  assign t_cpl = rh[28:25] == 4'b0101;                       // Cpl, CplD and the locked ones
  assign t_mem = rh[28:24] == 5'b00000;
  assign t_np  = !rdata || (rh[28:24] inside {5'b00010, 5'b01100, 5'b01101, 5'b01110});

  always_comb begin
    th              = '0;
    th.len_dw       = rlen;
    th.tc           = rh[22:20];
    th.attr         = {rh[18], rh[13:12]};
    th.ep           = rh[14];
    ch              = th;
    if (!rdata) ch.len_dw = '0;
    ch.kind         = rdata ? TlpCplD : TlpCpl;
    ch.status       = rh[47:45];
    ch.byte_count   = {rdata && rh[43:32] == '0, rh[43:32]};
    ch.requester_id = rh[95:80];
    ch.tag          = rh[79:72];
    ch.addr[6:0]    = rh[70:64];
    // What is no memory request goes where nothing answers; messages are not completed.
    th.kind         = (t_mem ? rdata : (rh[28:27] == 2'b10 || !t_np)) ? TlpMemWr : TlpMemRd;
    th.requester_id = rh[63:48];
    th.tag          = rh[47:40];
    th.last_be      = rh[39:36];
    th.first_be     = rh[35:32];
    th.addr         = r4 ? {rh[95:64], rh[127:98], 2'b00} : {32'd0, rh[95:66], 2'b00};
    th.bar          = 3'd7;
    // A BAR of 64 bit is told by both of its bits: its own number is the lower one.
    for (int unsigned i = 6; i > 0; i--) if (t_mem && bar[i-1]) th.bar = 3'(i - 1);
  end

  // An atomic request is answered as a read of nothing; its operands end here.
  logic to_cpl, to_cpl_q, operands, rest;
  assign to_cpl   = t_sop ? t_cpl : to_cpl_q;
  assign operands = rdata && th.kind == TlpMemRd;
  assign rest     = operands && !t_sop;
  assign t_ready  = to_cpl || rest || rx_req_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                  to_cpl_q <= 1'b0;
    else if (t_valid && t_ready)  to_cpl_q <= to_cpl;
  end
  assign rx_req_valid_o = t_valid && !to_cpl && !rest;
  assign rx_req_sop_o   = t_sop;
  assign rx_req_eop_o   = t_eop || operands;
  assign rx_req_mem_o   = t_mem;
  assign rx_req_hdr_o   = th;
  assign rx_cpl_valid_o = t_valid && to_cpl;
  assign rx_cpl_sop_o   = t_sop;
  assign rx_cpl_eop_o   = t_eop;
  assign rx_cpl_hdr_o   = ch;
  for (genvar i = 0; i < Dws; i++) begin : gen_dw
    assign rx_req_data_o[i*32+:32] = big_endian(t_data[i*32+:32]);
  end
  assign rx_cpl_data_o = rx_req_data_o;

  logic unused;
  assign unused = ^{rh, bar, unused_tail, m_axis_rx_tuser_i, m_axis_rx_tlast_i};

endmodule
