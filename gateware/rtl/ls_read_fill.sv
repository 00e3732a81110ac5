// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Completions arrive split, interleaved between tags and in any order; each says with its Byte
// Count how far it is from the end of its request. From that and the request's end alone follows
// where its bytes belong, so no state per tag has to be read, changed and written back, and
// completions of one beat can follow each other in every cycle.
module ls_read_fill
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned PosBits = 14,
  parameter int unsigned Tags    = 32,
  localparam int unsigned TagBits = (Tags == 1) ? 1 : $clog2(Tags),
  localparam int unsigned Bytes   = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               rx_valid_i,
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  tlp_hdr_t           rx_hdr_i,
  input  logic [Width-1:0]   rx_data_i,
  input  logic               rx_waits_i,   // the tag of this header waits for a completion
  input  logic               rx_gen_i,     // and its generation
  input  logic [PosBits-1:0] rx_end_i,     // where its request ends in the buffer
  input  logic [12:0]        rx_size_i,    // and how long it is
  input  logic               clear_i,      // this tag's generation ends without a completion
  input  logic [TagBits-1:0] clear_tag_i,
  input  logic               clear_gen_i,

  output logic               write_o,
  output logic [PosBits-1:0] pos_o,
  output logic [1:0]         from_o,       // lanes of data_o that count: from this one on,
  output logic [LaneBits:0]  upto_o,       // and below this one
  output logic [Width-1:0]   data_o,

  output logic               busy_o,       // a first beat is looked at: do not clear in this cycle
  output logic               done_o,
  output logic               fail_o,
  output logic [TagBits-1:0] tag_o,
  output cause_e             cause_o,
  output logic               stray_o       // a completion nobody waits for, dropped
);

  // ---- stage 1: as it came -----------------------------------------------------------------
  logic               a_valid_q, a_sop_q, a_eop_q, a_bad_q, a_waits_q, a_gen_q;
  logic               a_ok_q;                        // it has data
  logic               a_more_q;                      // and more of it than its Byte Count says
  tlp_hdr_t           a_hdr_q;
  logic [Width-1:0]   a_data_q;
  logic [PosBits-1:0] a_end_q;
  logic [12:0]        a_size_q, a_left_q;
  logic [13:0]        upto, over, a_over_q;
  logic [12:0]        a_upto_q;

  // Bytes from DW 0's first byte to the end of the request, and how many of them come later.
  assign upto = 14'(rx_hdr_i.byte_count) + 14'(rx_hdr_i.addr[1:0]);
  assign over = upto - {1'b0, rx_hdr_i.len_dw, 2'b00};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else         a_valid_q <= rx_valid_i;
  end

  always_ff @(posedge clk_i) begin
    a_sop_q   <= rx_sop_i;
    a_eop_q   <= rx_eop_i;
    a_bad_q   <= rx_hdr_i.ep;         // that of the last beat counts
    a_data_q  <= rx_data_i;
    if (rx_valid_i && rx_sop_i) begin
      a_hdr_q   <= rx_hdr_i;
      a_upto_q  <= upto[12:0];
      a_over_q  <= over;
      a_more_q  <= over[13] && over[12:2] != '1;
      a_left_q  <= (over[13] || over == '0) ? upto[12:0] : {rx_hdr_i.len_dw, 2'b00};
      a_waits_q <= rx_waits_i;
      a_gen_q   <= rx_gen_i;
      a_end_q   <= rx_end_i;
      a_ok_q    <= rx_hdr_i.kind == TlpCplD && rx_hdr_i.status == CplSc;
      a_size_q  <= rx_size_i;
    end
  end

  // ---- stage 2: where it goes --------------------------------------------------------------
  logic [1:0]         low;
  logic [12:0]        left, left_q;
  logic [PosBits-1:0] pos_q, pos;
  logic               good, data_ok, final_cpl, b_done, lost, lost_q, fail_q, gap_q;
  cause_e             cause, cause_q;

  // What the next Byte Count of each tag must be: a completion that was lost is not made up for.
  // The first one of a generation must say the size of the request.
  (* ram_style = "distributed" *) logic seen_mem [Tags];
  logic [12:0]        left_mem [Tags];
  logic [TagBits-1:0] a_tag;
  logic               adds_up, first;
  assign a_tag   = TagBits'(a_hdr_q.tag);
  assign first   = a_valid_q && a_sop_q && a_waits_q;
  assign busy_o  = first;
  assign adds_up = (seen_mem[a_tag] != a_gen_q) ? a_hdr_q.byte_count == a_size_q : a_hdr_q.byte_count == left_mem[a_tag];
  always_ff @(posedge clk_i) begin
    // After one that does not fit its request none adds up: no Byte Count is above 4096.
    if (first)            left_mem[a_tag] <= a_over_q[12:0] | {!good, 12'd0};
    if (first || clear_i) seen_mem[first ? a_tag : clear_tag_i] <= first ? a_gen_q : clear_gen_i;
    if (first)            lost_q <= data_ok && !adds_up;
  end

  assign low       = a_hdr_q.addr[1:0];
  assign data_ok   = a_ok_q;
  assign final_cpl = !data_ok || a_over_q[13] || a_over_q == '0;
  // A Byte Count larger than the request, or more data than the Byte Count, would reach outside of its place.
  assign good      = a_waits_q && (!data_ok || (!a_more_q && a_hdr_q.byte_count <= a_size_q));
  assign pos       = a_sop_q ? a_end_q - PosBits'(a_upto_q)
                             : pos_q + PosBits'(Bytes);
  assign left      = a_sop_q ? a_left_q : left_q;

  always_comb begin
    unique case (a_hdr_q.status)
      CplCa:     cause = CauseCa;
      CplMisfit: cause = CauseUnexpected;
      default:   cause = CauseUr;
    endcase
    if (data_ok) cause = CausePoison;
  end
  assign lost   = a_sop_q ? data_ok && !adds_up : lost_q;
  assign b_done = a_valid_q && a_eop_q && good && final_cpl;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_o <= 1'b0;
      done_o  <= 1'b0;
      fail_q  <= 1'b0;
      gap_q   <= 1'b0;
      stray_o <= 1'b0;
    end else begin
      write_o <= a_valid_q && good && data_ok;
      done_o  <= b_done;
      fail_q  <= a_valid_q && a_eop_q && good && (!data_ok || a_hdr_q.ep || a_bad_q);
      gap_q   <= a_valid_q && a_eop_q && good && lost;      // comes last, so it is joined behind
      stray_o <= a_valid_q && a_eop_q && !good;
    end
  end

  always_ff @(posedge clk_i) begin
    if (a_valid_q) begin
      pos_q  <= pos;
      left_q <= left - 13'(Bytes);
    end
    data_o  <= a_data_q;
    tag_o   <= TagBits'(a_hdr_q.tag);
    cause_q <= cause;
    from_o  <= a_sop_q ? low : 2'd0;
    upto_o  <= (left >= 13'(Bytes)) ? (LaneBits+1)'(Bytes) : left[LaneBits:0];
  end
  assign pos_o   = pos_q;
  assign fail_o  = fail_q || gap_q;
  assign cause_o = gap_q ? CauseUnexpected : cause_q;

  logic unused;
  assign unused = ^{a_hdr_q, a_upto_q};

endmodule
