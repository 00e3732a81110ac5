// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Between the internal TLP interface and the two AXI4-Stream interfaces of the 7-series block, 64
// or 128 bit: whole TLPs with their headers in the data, payload bytes big-endian within each DW,
// and at 128 bit received TLPs that may begin in the upper half of a beat.
//
// Headers take beats here: a 256-byte write with a 4 DW header is 34 beats of 64 bit instead of
// 32. That is the ceiling of this interface, not of the engine.
module ls_shim_7s
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Reserve = 4,      // transmit buffers of the block kept for completions
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned Dws   = Width / 32
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

  localparam int unsigned CntBits = $clog2(Dws) + 1;

  if (!(Width inside {64, 128})) begin : gen_check
    $error("%m: Width must be 64 or 128");
  end

  function automatic logic [Width-1:0] swap(input logic [Width-1:0] d);
    for (int unsigned i = 0; i < Dws; i++) begin
      for (int unsigned j = 0; j < 4; j++) swap[i*32+j*8+:8] = d[i*32+(3-j)*8+:8];
    end
  endfunction

  // ---- out -----------------------------------------------------------------------------------
  // What lacks credits waits in the block's transmit buffers. Writes and reads leave some of them
  // free, so that completions can always enter: then the receive side never waits for credits of
  // another kind, as the standard demands, and two cards that write to each other cannot lock.
  logic             o_valid, o_ready, o_sop, o_eop, w_ready, n_ready, first, room, may_write;
  tlp_hdr_t         h;
  logic [Width-1:0] o_data;
  // Of a completion, what its second and third header DW say of it stands where a request has its
  // tag, byte enables and address: so it is chosen together with them, and nothing is chosen twice.
  tlp_hdr_t np_hdr, tx_hdr, cpl_hdr;
  function automatic tlp_hdr_t request(input tlp_hdr_t hdr);
    request              = hdr;
    request.addr[1:0]    = '0;
    request.requester_id = '0;
    request.status       = '0;
    request.byte_count   = '0;
    request.bar          = '0;
  endfunction
  assign np_hdr = request(np_hdr_i);
  assign tx_hdr = request(tx_hdr_i);
  always_comb begin
    cpl_hdr      = request(cpl_hdr_i);
    cpl_hdr.addr = {32'd0, cpl_hdr_i.requester_id, cpl_hdr_i.tag, 1'b0, cpl_hdr_i.addr[6:0]};
    {cpl_hdr.tag, cpl_hdr.last_be, cpl_hdr.first_be} = {cpl_hdr_i.status, 1'b0, cpl_hdr_i.byte_count[11:0]};
  end

  ls_tx_mux #(.Width(Width), .N(3)) u_mux (
    .clk_i, .rst_ni,
    .valid_i({np_valid_i && room, tx_valid_i && may_write, cpl_valid_i}),
    .ready_o({n_ready, w_ready, cpl_ready_o}),
    .sop_i({1'b1, tx_sop_i, 1'b1}), .eop_i({1'b1, tx_eop_i, 1'b1}),
    .hdr_i({np_hdr, tx_hdr, cpl_hdr}),
    .data_i({tx_data_i, tx_data_i, Width'(cpl_data_i)}),     // a read has none
    .valid_o(o_valid), .ready_i(o_ready), .sop_o(o_sop), .eop_o(o_eop), .hdr_o(h), .data_o(o_data)
  );
  assign room       = 32'(tx_buf_av_i) > Reserve;
  assign may_write  = room || !tx_sop_i;
  assign tx_ready_o = w_ready && may_write;
  assign np_ready_o = n_ready && room;

  logic         is_cpl, has_data, four;
  logic [31:0]  dw0;
  logic [127:0] head;
  assign is_cpl   = h.kind == TlpCpl || h.kind == TlpCplD;
  assign has_data = h.kind == TlpMemWr || h.kind == TlpCplD;
  assign four     = h.addr[63:32] != '0;
  assign dw0 = {1'b0, has_data, four, is_cpl ? 5'b01010 : 5'b00000,
                1'b0, h.tc, 1'b0, h.attr[2], 2'b00, 1'b0, h.ep, h.attr[1:0], 2'b00, h.len_dw[9:0]};
  assign head = {h.addr[31:0], h.addr[63:32], id_i, h.tag, h.last_be, h.first_be, dw0};

  logic [Width-1:0]   swapped;
  logic [CntBits-1:0] count;
  assign swapped = swap(o_data);
  ls_hdr_insert #(.Width(Width)) u_insert (
    .clk_i, .rst_ni, .valid_i(o_valid), .ready_o(o_ready), .sop_i(o_sop), .eop_i(o_eop),
    .head_i(head), .four_i(four), .len_dw_i(has_data ? h.len_dw : '0), .data_i(swapped),
    .valid_o(s_axis_tx_tvalid_o), .ready_i(s_axis_tx_tready_i), .first_o(first),
    .last_o(s_axis_tx_tlast_o), .count_o(count), .data_o(s_axis_tx_tdata_o)
  );
  for (genvar i = 0; i < Dws; i++) begin : gen_keep
    assign s_axis_tx_tkeep_o[i*4+:4] = {4{CntBits'(i) < count}};
  end

  // ---- in ------------------------------------------------------------------------------------
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
  assign rx_req_hdr_o   = th;
  assign rx_req_data_o  = swap(t_data);
  assign rx_cpl_valid_o = t_valid && to_cpl;
  assign rx_cpl_sop_o   = t_sop;
  assign rx_cpl_eop_o   = t_eop;
  assign rx_cpl_hdr_o   = ch;
  assign rx_cpl_data_o  = swap(t_data);

  logic unused;
  assign unused = ^{rh, h, first, bar, unused_tail, m_axis_rx_tuser_i, m_axis_rx_tlast_i};

endmodule
