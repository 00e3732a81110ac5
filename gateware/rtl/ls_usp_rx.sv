// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What comes from the UltraScale+ block, DWORD-aligned: completions of ours from RC, with descriptors of 12
// bytes, and requests of others from CQ, with 16. Headers come out of the data, and every TLP begins in lane
// 0. Endpoints and root ports receive through it.
//
// What is no memory request has `rx_req_mem_o` at 0 and BAR 7. If it must be answered it looks like a read,
// whatever data it brings; else it looks like a write.
module ls_usp_rx
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 256,
  parameter bit          Straddle = 1'b0,
  localparam int unsigned Dws    = Width / 32,
  localparam int unsigned RcUser = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser = (Width == 512) ? 183 : 88
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [Width-1:0]  rc_tdata_i,
  input  logic [RcUser-1:0] rc_tuser_i,
  input  logic              rc_tvalid_i,
  output logic              rc_tready_o,
  input  logic [Width-1:0]  cq_tdata_i,
  input  logic [CqUser-1:0] cq_tuser_i,
  input  logic              cq_tvalid_i,
  output logic              cq_tready_o,

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

  // ---- completions -----------------------------------------------------------------------
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

  // ---- requests --------------------------------------------------------------------------
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
  assign rx_req_mem_o   = cq_read || cq_write;
  always_comb begin
    rx_req_hdr_o              = '0;
    rx_req_hdr_o.kind         = (cq_read || cq_other_np) ? TlpMemRd : TlpMemWr;
    rx_req_hdr_o.addr         = {cq_head[63:2], 2'b00};
    rx_req_hdr_o.len_dw       = cq_head[74:64];
    rx_req_hdr_o.requester_id = cq_head[95:80];
    rx_req_hdr_o.tag          = cq_head[103:96];
    rx_req_hdr_o.bar          = rx_req_mem_o ? cq_head[114:112] : 3'd7;
    rx_req_hdr_o.tc           = cq_head[123:121];
    rx_req_hdr_o.attr         = cq_head[126:124];
    rx_req_hdr_o.ep           = cq_broken && rx_req_eop_o;
    rx_req_hdr_o.first_be     = cq_be[3:0];
    rx_req_hdr_o.last_be      = cq_be[7:4];
  end

  logic unused;
  assign unused = ^{cq_head, rc_head, rc_tuser_i, cq_tuser_i, unused_side};

endmodule
