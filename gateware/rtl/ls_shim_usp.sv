// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Between the internal TLP interface and the four AXI4-Stream interfaces of the UltraScale+ block
// (RQ, RC, CQ, CC; DWORD-aligned). Descriptors of 16, 12, 16 and 12 bytes go in front of the payload
// there, so they take room here that they do not take inside. With `Straddle`, a TLP may begin in
// the beat in which another ends, where the block has that: RC at 256 bit, RQ, RC and CQ at 512. A
// completion on CC takes a beat with or without it.
module ls_shim_usp
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 256,
  parameter bit          Straddle = 1'b0,
  parameter bit          Number   = 1'b0,   // writes have the sequence number 1 on RQ, all else 0
  localparam int unsigned Dws    = Width / 32,
  localparam int unsigned RqUser = (Width == 512) ? 137 : 62,
  localparam int unsigned RcUser = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser = (Width == 512) ? 183 : 88,
  localparam int unsigned CcUser = (Width == 512) ? 81 : 33
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  output logic [Width-1:0]  rq_tdata_o,
  output logic [Dws-1:0]    rq_tkeep_o,
  output logic              rq_tlast_o,
  output logic [RqUser-1:0] rq_tuser_o,
  output logic              rq_tvalid_o,
  input  logic              rq_tready_i,
  input  logic [Width-1:0]  rc_tdata_i,
  input  logic [RcUser-1:0] rc_tuser_i,
  input  logic              rc_tvalid_i,
  output logic              rc_tready_o,
  input  logic [Width-1:0]  cq_tdata_i,
  input  logic [CqUser-1:0] cq_tuser_i,
  input  logic              cq_tvalid_i,
  output logic              cq_tready_o,
  output logic [Width-1:0]  cc_tdata_o,
  output logic [Dws-1:0]    cc_tkeep_o,
  output logic              cc_tlast_o,
  output logic [CcUser-1:0] cc_tuser_o,
  output logic              cc_tvalid_o,
  input  logic              cc_tready_i,

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

  if (!(Width inside {64, 128, 256, 512})) begin : gen_check
    $error("%m: Width must be 64, 128, 256 or 512");
  end

  function automatic logic [Dws-1:0] keep_of(input logic [CntBits-1:0] n);
    return ~({Dws{1'b1}} << n);
  endfunction

  // ---- out: writes and reads to RQ ------------------------------------------------------------
  logic             rq_valid, rq_ready, rq_sop, rq_eop;
  tlp_hdr_t         rq_hdr;
  logic [Width-1:0] rq_data;
  ls_tx_mux #(.Width(Width), .N(2), .First(1'b0)) u_rq_mux (
    .clk_i, .rst_ni,
    .valid_i({np_valid_i, tx_valid_i}), .ready_o({np_ready_o, tx_ready_o}),
    .sop_i({1'b1, tx_sop_i}), .eop_i({1'b1, tx_eop_i}), .hdr_i({np_hdr_i, tx_hdr_i}),
    .data_i({Width'(0), tx_data_i}),
    .valid_o(rq_valid), .ready_i(rq_ready), .sop_o(rq_sop), .eop_o(rq_eop), .hdr_o(rq_hdr),
    .data_o(rq_data)
  );

  logic [127:0]       rq_head;
  logic               rq_write;
  logic [10:0]        rq_len;
  logic [CntBits-1:0] cc_count;
  assign rq_write = rq_hdr.kind == TlpMemWr;
  assign rq_len   = rq_write ? rq_hdr.len_dw : '0;
  assign rq_head  = {
    1'b0, rq_hdr.attr, rq_hdr.tc, 1'b0, 16'd0, rq_hdr.tag,          // DW3
    16'd0, rq_hdr.ep, rq_write ? 4'd1 : 4'd0, rq_hdr.len_dw,        // DW2
    rq_hdr.addr[63:2], 2'b00                                        // DW1, DW0
  };
  if (Straddle && Width == 512) begin : gen_rq_straddle
    logic            begins, high;
    logic [7:0]      be;
    logic [1:0]      ends;
    logic [1:0][3:0] at;
    ls_straddle_out #(.Width(512)) u_rq (
      .clk_i, .rst_ni, .valid_i(rq_valid), .ready_o(rq_ready), .sop_i(rq_sop), .eop_i(rq_eop),
      .head_i(rq_head), .be_i({rq_hdr.last_be, rq_hdr.first_be}), .len_dw_i(rq_len),
      .data_i(rq_data), .valid_o(rq_tvalid_o), .ready_i(rq_tready_i), .sop_o(begins),
      .sop_high_o(high), .be_o(be), .eop_o(ends), .end_o(at), .data_o(rq_tdata_o)
    );
    assign rq_tkeep_o = '1;
    assign rq_tlast_o = 1'b0;
    always_comb begin
      rq_tuser_o        = '0;
      rq_tuser_o[3:0]   = be[3:0];
      rq_tuser_o[11:8]  = be[7:4];
      rq_tuser_o[20]    = begins;
      rq_tuser_o[23:22] = {high, 1'b0};
      rq_tuser_o[27:26] = ends;
      rq_tuser_o[35:28] = at;
      rq_tuser_o[61]    = Number && begins && (high ? rq_tdata_o[Width/2+75+:4] : rq_tdata_o[75+:4]) == 4'd1;
    end
  end else begin : gen_rq
    logic               first;
    logic [CntBits-1:0] count;
    ls_hdr_insert #(.Width(Width)) u_rq (
      .clk_i, .rst_ni, .valid_i(rq_valid), .ready_o(rq_ready), .sop_i(rq_sop), .eop_i(rq_eop),
      .head_i(rq_head), .four_i(1'b1), .len_dw_i(rq_len), .data_i(rq_data),
      .valid_o(rq_tvalid_o), .ready_i(rq_tready_i), .first_o(first), .last_o(rq_tlast_o),
      .count_o(count), .data_o(rq_tdata_o)
    );
    assign rq_tkeep_o = keep_of(count);
    if (Width == 512) begin : gen_user_512
      always_comb begin
        rq_tuser_o        = '0;
        rq_tuser_o[3:0]   = rq_hdr.first_be;
        rq_tuser_o[11:8]  = rq_hdr.last_be;
        rq_tuser_o[20]    = first;
        rq_tuser_o[26]    = rq_tlast_o;
        rq_tuser_o[31:28] = 4'(count - 1'b1);
        rq_tuser_o[61]    = Number && first && rq_write;
      end
    end else begin : gen_user
      always_comb begin
        rq_tuser_o     = RqUser'({rq_hdr.last_be, rq_hdr.first_be});
        rq_tuser_o[24] = Number && rq_write;
      end
      logic unused_first;
      assign unused_first = first;
    end
  end

  // ---- out: completions to CC, whatever becomes of RQ -------------------------------------------
  logic [127:0] cc_head;
  logic         cc_first;
  assign cc_head = {
    1'b0, cpl_hdr_i.attr, cpl_hdr_i.tc, 1'b0, 16'd0, cpl_hdr_i.tag,                       // DW2
    32'd0,
    cpl_hdr_i.requester_id, 1'b0, cpl_hdr_i.ep, cpl_hdr_i.status, cpl_hdr_i.len_dw,       // DW1
    3'd0, cpl_hdr_i.byte_count, 9'd0, cpl_hdr_i.addr[6:0]                                 // DW0
  };
  ls_hdr_insert #(.Width(Width)) u_cc (
    .clk_i, .rst_ni, .valid_i(cpl_valid_i), .ready_o(cpl_ready_o), .sop_i(1'b1), .eop_i(1'b1),
    .head_i(cc_head), .four_i(1'b0), .len_dw_i(cpl_hdr_i.kind == TlpCplD ? cpl_hdr_i.len_dw : '0),
    .data_i(Width'(cpl_data_i)),
    .valid_o(cc_tvalid_o), .ready_i(cc_tready_i), .first_o(cc_first), .last_o(cc_tlast_o),
    .count_o(cc_count), .data_o(cc_tdata_o)
  );
  assign cc_tkeep_o = keep_of(cc_count);

  if (Width == 512) begin : gen_user_512
    always_comb begin
      cc_tuser_o       = '0;
      cc_tuser_o[0]    = cc_first;
      cc_tuser_o[6]    = cc_tlast_o;
      cc_tuser_o[11:8] = 4'(cc_count - 1'b1);
    end
  end else begin : gen_user
    assign cc_tuser_o = '0;
    logic unused_first;
    assign unused_first = cc_first;
  end

  // ---- in: completions -----------------------------------------------------------------------
  logic [127:0] rc_head, cq_head;
  logic         rc_ok, rc_late, rc_bad, rc_bad_q, rc_drop, rc_drop_q, rc_valid, rc_sop, rc_eop, unused_side;
  logic [2:0]   rc_status;
  logic [10:0]  rc_len;
  // What the block found wrong comes as an error code: 0 none, 1 poisoned, 2 a status other than
  // SC, 3 to 5 a completion that does not fit its request, 6 one that fits no request of which the
  // block knows, 8 a function's reset, 9 its own timeout. All but 8 and 9 may bring payload.
  // What ends no request stops here: 6, 8 and 9, for the engine has a timeout of its own, which
  // keeps the tag out of use afterwards as well; 4 and 5 unless the block says that the request is
  // completed with it. The engine sees then that a piece is missing.
  assign rc_ok   = rc_head[15:13] == '0;
  assign rc_late = rc_head[15:12] inside {4'd8, 4'd9};
  assign rc_drop = !rc_sop ? rc_drop_q
                 : rc_late || rc_head[15:12] == 4'd6
                   || (rc_head[15:12] inside {4'd4, 4'd5} && !rc_head[30]);
  assign rc_len  = rc_late ? '0 : rc_head[42:32];
  assign rc_bad  = rc_sop ? (!rc_ok && rc_len != '0) : rc_bad_q;
  always_comb begin
    rc_status = rc_head[45:43];
    if (!rc_ok && rc_status == CplSc) rc_status = CplMisfit;
  end
  always_ff @(posedge clk_i) begin
    if (rc_valid) begin
      rc_bad_q  <= rc_bad;
      rc_drop_q <= rc_drop;
    end
  end
  // The block breaks off what it cannot read from its own memory, with the last beat.
  localparam int unsigned RcDiscontinue = (Width == 512) ? 96 : 42;
  logic rc_broken;
  if (Straddle && Width >= 256) begin : gen_rc_straddle
    logic [Dws/4-1:0] sop;
    if (Width == 512) begin : gen_512
      always_comb begin
        sop = '0;
        for (int unsigned i = 0; i < 4; i++) if (rc_tuser_i[64+i]) sop[rc_tuser_i[68+2*i+:2]] = 1'b1;
      end
    end else begin : gen_256
      // Where one begins is told by whether another one goes on in this beat.
      logic open_q;
      assign sop = {rc_tuser_i[33] || (rc_tuser_i[32] && open_q), rc_tuser_i[32] && !open_q};
      always_ff @(posedge clk_i) begin
        if (!rst_ni) open_q <= 1'b0;
        else if (rc_tvalid_i && rc_tready_o) open_q <= ^{open_q, rc_tuser_i[33:32], rc_tuser_i[34], rc_tuser_i[38]};
      end
    end
    ls_straddle_in #(.Width(Width), .SegDw(4), .Head(3)) u_rc (
      .clk_i, .rst_ni, .valid_i(rc_tvalid_i), .ready_o(rc_tready_o), .data_i(rc_tdata_i),
      .sop_i(sop), .side_i('0), .tail_i(rc_tuser_i[RcDiscontinue]), .head_o(rc_head),
      .side_o(unused_side), .len_dw_i(rc_len), .valid_o(rc_valid), .ready_i(1'b1), .sop_o(rc_sop),
      .eop_o(rc_eop), .tail_o(rc_broken), .data_o(rx_cpl_data_o)
    );
  end else begin : gen_rc
    ls_hdr_strip #(.Width(Width)) u_rc (
      .clk_i, .rst_ni, .valid_i(rc_tvalid_i), .ready_o(rc_tready_o), .data_i(rc_tdata_i), .side_i(1'b0),
      .tail_i(rc_tuser_i[RcDiscontinue]), .tail_o(rc_broken), .head_o(rc_head), .side_o(unused_side),
      .four_i(1'b0), .len_dw_i(rc_len), .valid_o(rc_valid), .ready_i(1'b1), .sop_o(rc_sop),
      .eop_o(rc_eop), .data_o(rx_cpl_data_o)
    );
  end
  // Of a completion that does not fit only the header goes on.
  assign rx_cpl_valid_o = rc_valid && !rc_drop && (rc_sop || !rc_bad);
  assign rx_cpl_sop_o   = rc_sop;
  assign rx_cpl_eop_o   = rc_eop || rc_bad;
  always_comb begin
    rx_cpl_hdr_o              = '0;
    rx_cpl_hdr_o.kind         = (rc_len != '0 && !rc_bad) ? TlpCplD : TlpCpl;
    rx_cpl_hdr_o.addr[6:0]    = rc_head[6:0];
    rx_cpl_hdr_o.len_dw       = rc_bad ? '0 : rc_len;
    rx_cpl_hdr_o.byte_count   = rc_head[28:16];
    rx_cpl_hdr_o.status       = rc_status;
    rx_cpl_hdr_o.ep           = rc_head[46] || (rc_broken && rc_eop);
    rx_cpl_hdr_o.requester_id = rc_head[63:48];
    rx_cpl_hdr_o.tag          = rc_head[71:64];
    rx_cpl_hdr_o.tc           = rc_head[91:89];
    rx_cpl_hdr_o.attr         = rc_head[94:92];
  end

  // ---- in: requests --------------------------------------------------------------------------
  // The byte enables come beside the first beat.
  localparam int unsigned LastBe = (Width == 512) ? 8 : 4;
  localparam int unsigned CqDiscontinue = (Width == 512) ? 96 : 41;
  logic [7:0] cq_be;
  logic       cq_broken, cq_valid, cq_sop, cq_eop, cq_rest;
  logic       cq_read, cq_write, cq_other_np;
  assign cq_read     = cq_head[78:75] == 4'd0;
  assign cq_write    = cq_head[78:75] == 4'd1;
  assign cq_other_np = !cq_read && !cq_write && cq_head[78:75] < 4'd12;   // above are messages
  logic [10:0] cq_len;
  assign cq_len = (cq_write || cq_head[78:75] >= 4'd12 || cq_head[78:75] inside {4'd3, 4'd4, 4'd5, 4'd6})
                ? cq_head[74:64] : '0;
  if (Straddle && Width == 512) begin : gen_cq_straddle
    // Byte enables come in the order of the TLPs that begin, wherever these begin.
    logic [1:0]      sop;
    logic [1:0][7:0] be, side;
    assign be   = {cq_tuser_i[15:12], cq_tuser_i[7:4], cq_tuser_i[11:8], cq_tuser_i[3:0]};
    assign sop  = {cq_tuser_i[81] || (cq_tuser_i[80] && cq_tuser_i[83]), cq_tuser_i[80] && !cq_tuser_i[83]};
    assign side = {cq_tuser_i[81] ? be[1] : be[0], be[0]};
    ls_straddle_in #(.Width(Width), .SegDw(8), .Head(4), .Side(8)) u_cq (
      .clk_i, .rst_ni, .valid_i(cq_tvalid_i), .ready_o(cq_tready_o), .data_i(cq_tdata_i), .sop_i(sop),
      .side_i(side), .tail_i(cq_tuser_i[CqDiscontinue]), .head_o(cq_head), .side_o(cq_be),
      .len_dw_i(cq_len), .valid_o(cq_valid), .ready_i(rx_req_ready_i || cq_rest), .sop_o(cq_sop),
      .eop_o(cq_eop), .tail_o(cq_broken), .data_o(rx_req_data_o)
    );
  end else begin : gen_cq
    ls_hdr_strip #(.Width(Width), .Side(8), .Late(1'b1)) u_cq (
      .clk_i, .rst_ni, .valid_i(cq_tvalid_i), .ready_o(cq_tready_o), .data_i(cq_tdata_i),
      .side_i({cq_tuser_i[LastBe+:4], cq_tuser_i[3:0]}), .tail_i(cq_tuser_i[CqDiscontinue]),
      .tail_o(cq_broken), .head_o(cq_head), .side_o(cq_be), .four_i(1'b1), .len_dw_i(cq_len),
      .valid_o(cq_valid), .ready_i(rx_req_ready_i || cq_rest), .sop_o(cq_sop), .eop_o(cq_eop),
      .data_o(rx_req_data_o)
    );
  end
  // An atomic request is answered as a read of nothing; its operands end here.
  assign cq_rest        = cq_other_np && !cq_sop;
  assign rx_req_valid_o = cq_valid && !cq_rest;
  assign rx_req_sop_o   = cq_sop;
  assign rx_req_eop_o   = cq_eop || cq_other_np;
  always_comb begin
    rx_req_hdr_o              = '0;
    rx_req_hdr_o.kind         = (cq_read || cq_other_np) ? TlpMemRd : TlpMemWr;
    rx_req_hdr_o.addr         = {cq_head[63:2], 2'b00};
    rx_req_hdr_o.len_dw       = cq_head[74:64];
    rx_req_hdr_o.requester_id = cq_head[95:80];
    rx_req_hdr_o.tag          = cq_head[103:96];
    rx_req_hdr_o.bar          = (cq_read || cq_write) ? cq_head[114:112] : 3'd7;
    rx_req_hdr_o.tc           = cq_head[123:121];
    rx_req_hdr_o.attr         = cq_head[126:124];
    rx_req_hdr_o.ep           = cq_broken && rx_req_eop_o;
    rx_req_hdr_o.first_be     = cq_be[3:0];
    rx_req_hdr_o.last_be      = cq_be[7:4];
  end

  logic unused;
  assign unused = ^{cq_head, rc_head, rc_tuser_i, cq_tuser_i, cpl_hdr_i, rq_hdr, np_hdr_i, unused_side};

endmodule
