// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs on their way to the UltraScale+ block, DWORD-aligned: requests with descriptors of 16 bytes to RQ,
// where writes and reads take turns; completions with 12 bytes to CC, whatever becomes of RQ. Endpoints and
// root ports send through it.
//
// An endpoint leaves its Requester and Completer ID to the block, which has captured its bus number. Nobody
// gives a root port one: with `Root`, descriptors carry `id_i` and say that it counts (Requester ID Enable,
// Completer ID Enable). A root port may also mark a request on `tx` as one to configuration space, whose
// address is that of ECAM: {bus, device, function, register}. Its target goes to the Completer ID.
module ls_usp_tx
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 256,
  parameter bit          Straddle = 1'b0,
  parameter bit          Number   = 1'b0,   // writes have the sequence number 1 on RQ, all else 0
  parameter bit          Root     = 1'b0,
  localparam int unsigned Dws    = Width / 32,
  localparam int unsigned RqUser = (Width == 512) ? 137 : 62,
  localparam int unsigned CcUser = (Width == 512) ? 81 : 33
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [15:0]       id_i,            // bus, device, function; counts with Root

  output logic [Width-1:0]  rq_tdata_o,
  output logic [Dws-1:0]    rq_tkeep_o,
  output logic              rq_tlast_o,
  output logic [RqUser-1:0] rq_tuser_o,
  output logic              rq_tvalid_o,
  input  logic              rq_tready_i,
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
  input  logic [1:0]        tx_cfg_i,        // {a configuration request, of type 1}
  input  tlp_hdr_t          tx_hdr_i,
  input  logic [Width-1:0]  tx_data_i,
  input  logic              np_valid_i,      // reads
  output logic              np_ready_o,
  input  tlp_hdr_t          np_hdr_i,
  input  logic              cpl_valid_i,
  output logic              cpl_ready_o,
  input  logic              cpl_sop_i,
  input  logic              cpl_eop_i,
  input  tlp_hdr_t          cpl_hdr_i,
  input  logic [Width-1:0]  cpl_data_i
);

  localparam int unsigned CntBits = $clog2(Dws) + 1;

  function automatic logic [Dws-1:0] keep_of(input logic [CntBits-1:0] n);
    return ~({Dws{1'b1}} << n);
  endfunction

  // ---- writes and reads to RQ ------------------------------------------------------------------
  logic             rq_valid, rq_ready, rq_sop, rq_eop;
  tlp_hdr_t         rq_hdr, tx_hdr;
  logic [Width-1:0] rq_data;
  // Whether a request goes to configuration space stands where one received has its BAR.
  always_comb begin
    tx_hdr     = tx_hdr_i;
    tx_hdr.bar = {1'b0, tx_cfg_i};
  end
  ls_tx_mux #(.Width(Width), .N(2), .First(1'b0)) u_rq_mux (
    .clk_i, .rst_ni,
    .valid_i({np_valid_i, tx_valid_i}), .ready_o({np_ready_o, tx_ready_o}),
    .sop_i({1'b1, tx_sop_i}), .eop_i({1'b1, tx_eop_i}), .hdr_i({np_hdr_i, tx_hdr}),
    .data_i({Width'(0), tx_data_i}),
    .valid_o(rq_valid), .ready_i(rq_ready), .sop_o(rq_sop), .eop_o(rq_eop), .hdr_o(rq_hdr),
    .data_o(rq_data)
  );

  logic [127:0] rq_head;
  logic         rq_write, rq_cfg;
  logic [3:0]   rq_type;
  logic [10:0]  rq_len;
  assign rq_write = rq_hdr.kind == TlpMemWr;
  assign rq_cfg   = Root && rq_hdr.bar[1];
  assign rq_type  = rq_cfg ? {2'b10, rq_write, rq_hdr.bar[0]} : {3'b000, rq_write};
  assign rq_len   = rq_write ? rq_hdr.len_dw : '0;
  assign rq_head  = {
    1'b0, rq_hdr.attr, rq_hdr.tc, Root, rq_cfg ? rq_hdr.addr[27:12] : 16'd0, rq_hdr.tag,   // DW3
    Root ? id_i : 16'd0, rq_hdr.ep, rq_type, rq_hdr.len_dw,                                // DW2
    rq_cfg ? {52'd0, rq_hdr.addr[11:2]} : rq_hdr.addr[63:2], 2'b00                         // DW1, DW0
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

  // ---- completions to CC -----------------------------------------------------------------------
  logic [127:0]       cc_head;
  logic               cc_first;
  logic [CntBits-1:0] cc_count;
  assign cc_head = {
    1'b0, cpl_hdr_i.attr, cpl_hdr_i.tc, Root, Root ? id_i : 16'd0, cpl_hdr_i.tag,         // DW2
    32'd0,
    cpl_hdr_i.requester_id, 1'b0, cpl_hdr_i.ep, cpl_hdr_i.status, cpl_hdr_i.len_dw,       // DW1
    3'd0, cpl_hdr_i.byte_count, 9'd0, cpl_hdr_i.addr[6:0]                                 // DW0
  };
  ls_hdr_insert #(.Width(Width)) u_cc (
    .clk_i, .rst_ni, .valid_i(cpl_valid_i), .ready_o(cpl_ready_o), .sop_i(cpl_sop_i), .eop_i(cpl_eop_i),
    .head_i(cc_head), .four_i(1'b0), .len_dw_i(cpl_hdr_i.kind == TlpCplD ? cpl_hdr_i.len_dw : '0),
    .data_i(cpl_data_i),
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

  logic unused;
  assign unused = ^{cpl_hdr_i, rq_hdr, np_hdr_i, id_i};

endmodule
