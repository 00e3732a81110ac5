// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// From 16 bit to 64: a TLP whose length is known to be right, its header taken into registers word by word, its payload
// put together by four words. Between the header and its first beat is a clock in which others may look at it.
module ls_tl_unpack
  import ls_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter bit Completions = 1'b0        // it takes these, else requests
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [15:0] word_i,
  output logic        idle_o,             // the next word is the first of a TLP
  output logic        gone_o,             // the last word of one leaves its buffer
  output logic [8:0]  gone_data_o,        // its data credits
  output logic [7:0]  kind_o,             // Fmt and Type
  output tlp_hdr_t    hdr_o,
  output logic        look_o,             // the header is whole
  output logic        valid_o,
  input  logic        ready_i,
  output logic        sop_o,
  output logic        eop_o,
  output logic [63:0] data_o
);

  typedef enum logic [2:0] {Header, Look, Payload, Digest, Last} state_e;
  state_e           state_q;
  logic [2:0]       at_q;
  logic [7:0][15:0] head_q;
  logic [10:0]      len_dw, left_q;       // DWs of payload
  logic             half_q, pair_q, take, four, brings, digest, full_q, sop_q, eop_q, ends, beat;
  logic [47:0]      parts_q;
  logic [63:0]      data_q;

  assign four   = head_q[0][5];
  assign brings = head_q[0][6];
  assign digest = head_q[1][7];
  assign len_dw = {{head_q[1][1:0], head_q[1][15:8]} == '0, head_q[1][1:0], head_q[1][15:8]};

  // Payload: a beat is whole with its fourth word, or with the second of the last DW.
  assign ends    = left_q == 11'd1 && half_q;
  assign beat    = ends || (pair_q && half_q);
  assign ready_o = state_q == Header || state_q == Digest || (state_q == Payload && !(beat && full_q && !ready_i));
  assign take    = valid_i && ready_o;
  assign idle_o  = state_q == Header && at_q == '0;
  assign look_o  = state_q == Look;

  logic [2:0] last_at;
  assign last_at = four ? 3'd7 : 3'd5;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Header;
      at_q    <= '0;
      full_q  <= 1'b0;
    end else begin
      if (valid_o && ready_i) full_q <= 1'b0;
      unique case (state_q)
        Header: if (take) begin
          at_q <= at_q + 1'b1;
          if (at_q == last_at) state_q <= Look;
        end
        Look: begin
          state_q <= brings ? Payload : digest ? Digest : Last;
          full_q  <= !brings;
          at_q    <= '0;
        end
        Payload: if (take && beat) begin
          full_q <= 1'b1;
          if (ends) state_q <= digest ? Digest : Last;
        end
        Digest: if (take) begin
          at_q <= at_q ^ 3'd1;
          if (at_q[0]) state_q <= Last;
        end
        default: if (!full_q || ready_i) state_q <= Header;    // its header stays until its last beat is taken
      endcase
      if (state_q == Last) at_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take && state_q == Header) head_q[at_q] <= word_i;
    if (state_q == Look) begin
      left_q <= len_dw;
      half_q <= 1'b0;
      pair_q <= 1'b0;
      sop_q  <= 1'b1;
      eop_q  <= !brings;
    end else if (take && state_q == Payload) begin
      half_q <= !half_q;
      if (half_q) begin
        pair_q <= !pair_q;
        left_q <= left_q - 1'b1;
      end
      unique case ({pair_q, half_q})
        2'd0: parts_q[15:0]  <= word_i;
        2'd1: parts_q[31:16] <= word_i;
        2'd2: parts_q[47:32] <= word_i;
        default: ;
      endcase
      if (beat) begin
        data_q <= pair_q ? {word_i, parts_q} : {32'd0, word_i, parts_q[15:0]};
        eop_q  <= ends;
      end
    end
    if (valid_o && ready_i) sop_q <= 1'b0;
  end

  assign gone_o      = state_q == Last && (!full_q || ready_i);
  assign gone_data_o = brings ? credits_of(len_dw) : '0;
  assign valid_o     = full_q;
  assign sop_o       = sop_q;
  assign eop_o       = eop_q;
  assign data_o      = data_q;
  assign kind_o      = head_q[0][7:0];

  // ---- the header ------------------------------------------------------------------------------------
  function automatic logic [15:0] swap(logic [15:0] w);     // the earlier byte is the higher one of a number
    return {w[7:0], w[15:8]};
  endfunction
  always_comb begin
    hdr_o      = '0;
    hdr_o.tc   = head_q[0][14:12];
    hdr_o.attr = {head_q[0][10], head_q[1][5:4]};
    hdr_o.ep   = head_q[1][6];
    if (Completions) begin
      hdr_o.kind         = brings ? TlpCplD : TlpCpl;
      hdr_o.len_dw       = brings ? len_dw : '0;
      hdr_o.status       = head_q[3][7:5];
      hdr_o.byte_count   = {brings && {head_q[3][3:0], head_q[3][15:8]} == '0, head_q[3][3:0], head_q[3][15:8]};
      hdr_o.requester_id = swap(head_q[4]);
      hdr_o.tag          = head_q[5][7:0];
      hdr_o.addr[6:0]    = head_q[5][14:8];
    end else begin
      hdr_o.kind         = brings ? TlpMemWr : TlpMemRd;
      hdr_o.len_dw       = len_dw;
      hdr_o.requester_id = swap(head_q[2]);
      hdr_o.tag          = head_q[3][7:0];
      hdr_o.last_be      = head_q[3][15:12];
      hdr_o.first_be     = head_q[3][11:8];
      hdr_o.addr         = four ? {swap(head_q[4]), swap(head_q[5]), swap(head_q[6]), swap(head_q[7])} : {32'd0, swap(head_q[4]), swap(head_q[5])};
      hdr_o.addr[1:0]    = '0;
    end
  end

endmodule
