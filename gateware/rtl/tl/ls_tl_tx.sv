// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// From 64 bit to 16, and which TLP is next: completions of this layer, then those of the engine, then writes and read
// requests in turn; none for which the other end has no room. One that has begun goes out whole, and its place is
// behind all that began before it.
module ls_tl_tx
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        up_i,               // the link is active: else nothing begins, and what had begun ends at once
  input  logic [15:0] id_i,
  // credits of the other end
  input  credits_t    limit_i,
  input  logic [2:0]  free_hdr_i,         // without bound
  input  logic [2:0]  free_data_i,
  // TLPs
  input  logic        own_valid_i,        // completions of this layer
  output logic        own_ready_o,
  input  tlp_hdr_t    own_hdr_i,
  input  logic [31:0] own_data_i,
  input  logic        cpl_valid_i,
  output logic        cpl_ready_o,
  input  tlp_hdr_t    cpl_hdr_i,
  input  logic [63:0] cpl_data_i,
  input  logic        tx_valid_i,
  output logic        tx_ready_o,
  input  tlp_hdr_t    tx_hdr_i,
  input  logic [63:0] tx_data_i,
  input  logic        rq_valid_i,
  output logic        rq_ready_o,
  input  tlp_hdr_t    rq_hdr_i,
  // the link
  output logic        valid_o,
  input  logic        ready_i,
  output logic [15:0] word_o,
  output logic        last_o,
  output logic        ca_o                // a completion with CA went out
);

  typedef enum logic [1:0] {Choose, Header, Payload, Break} state_e;
  typedef enum logic [1:0] {Own, Cpl, Tx, Rq} source_e;

  // ---- credits ---------------------------------------------------------------------------------------
  credits_t used_q, left_q;
  class_e   class_now;
  logic     begins;
  logic [8:0] data_now;
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < 3; c++) begin
      left_q[c].hdr  <= limit_i[c].hdr - used_q[c].hdr;
      left_q[c].data <= limit_i[c].data - used_q[c].data;
      if (!rst_ni || !up_i) used_q[c] <= '0;
      else if (begins && class_now == class_e'(c)) begin
        used_q[c].hdr  <= used_q[c].hdr + 1'b1;
        used_q[c].data <= used_q[c].data + 12'(data_now);
      end
    end
  end

  function automatic logic fits(fc_t left, logic free_hdr, logic free_data, logic [8:0] data);
    return (free_hdr || left.hdr != '0) && (free_data || left.data >= 12'(data));
  endfunction

  // ---- which is next: looked at a clock before, while nothing that it rests on changes ---------------
  state_e     state_q;
  source_e    pick, source_q;
  logic [3:0] fits_q;
  logic       settled_q;
  logic [1:0] up_q;                       // credits are those of this link
  logic       turn_q, may;
  logic [8:0] cpl_data, tx_data;
  assign cpl_data = credits_of(cpl_hdr_i.len_dw);
  assign tx_data  = credits_of(tx_hdr_i.len_dw);
  always_ff @(posedge clk_i) begin
    fits_q[Own] <= own_valid_i && fits(left_q[ClassCpl], free_hdr_i[ClassCpl], free_data_i[ClassCpl], 9'd1);
    fits_q[Cpl] <= cpl_valid_i && fits(left_q[ClassCpl], free_hdr_i[ClassCpl], free_data_i[ClassCpl], cpl_data);
    fits_q[Tx]  <= tx_valid_i && fits(left_q[ClassP], free_hdr_i[ClassP], free_data_i[ClassP], tx_data);
    fits_q[Rq]  <= rq_valid_i && fits(left_q[ClassNp], free_hdr_i[ClassNp], free_data_i[ClassNp], '0);
    settled_q   <= state_q == Choose && rst_ni && up_i;
    up_q        <= {up_q[0], 1'b1} & {2{rst_ni && up_i}};
  end
  always_comb begin
    if (fits_q[Own])      pick = Own;
    else if (fits_q[Cpl]) pick = Cpl;
    else if (fits_q[Tx] && !(fits_q[Rq] && turn_q)) pick = Tx;
    else                  pick = Rq;
  end
  assign may    = state_q == Choose && up_i && settled_q && up_q[1];
  assign begins = may && fits_q != '0;

  // ---- its header, as bytes --------------------------------------------------------------------------
  tlp_hdr_t hdr;
  logic     is_cpl, brings, four;
  logic [7:0][15:0] head, head_q;
  always_comb begin
    unique case (pick)
      Own:     hdr = own_hdr_i;
      Cpl:     hdr = cpl_hdr_i;
      Tx:      hdr = tx_hdr_i;
      default: hdr = rq_hdr_i;
    endcase
  end
  function automatic logic [15:0] swap(logic [15:0] w);
    return {w[7:0], w[15:8]};
  endfunction
  logic unused;
  assign unused = &hdr.bar;
  assign is_cpl    = pick inside {Own, Cpl};
  assign brings    = is_cpl ? hdr.kind == TlpCplD : pick == Tx;
  assign four      = !is_cpl && hdr.addr[63:32] != '0;
  assign class_now = is_cpl ? ClassCpl : pick == Tx ? ClassP : ClassNp;
  assign data_now  = brings ? credits_of(hdr.len_dw) : '0;
  always_comb begin
    head    = '0;
    head[0] = {1'b0, hdr.tc, 1'b0, hdr.attr[2], 2'b00, 1'b0, brings, four, is_cpl ? 5'b01010 : 5'b00000};
    head[1] = {hdr.len_dw[7:0], 1'b0, hdr.ep, hdr.attr[1:0], 2'b00, hdr.len_dw[9:8]};
    head[2] = swap(id_i);
    if (is_cpl) begin
      head[3] = {hdr.byte_count[7:0], hdr.status, 1'b0, hdr.byte_count[11:8]};
      head[4] = swap(hdr.requester_id);
      head[5] = {1'b0, hdr.addr[6:0], hdr.tag};
    end else begin
      head[3] = {hdr.last_be, hdr.first_be, hdr.tag};
      head[4] = swap(four ? hdr.addr[63:48] : hdr.addr[31:16]);
      head[5] = swap(four ? hdr.addr[47:32] : {hdr.addr[15:2], 2'b00});
      head[6] = swap(hdr.addr[31:16]);
      head[7] = swap({hdr.addr[15:2], 2'b00});
    end
  end

  // ---- words -----------------------------------------------------------------------------------------
  logic [2:0]  at_q;                      // header words that are left, less one
  logic [11:0] left_words_q;              // of the payload
  logic [2:0]  have_q;                    // words in the beat
  logic [63:0] beat_q;
  logic        brings_q, out, refill, given;

  assign valid_o = state_q == Header || state_q == Break || (state_q == Payload && have_q != '0);
  assign word_o  = state_q == Header ? head_q[0] : beat_q[15:0];
  assign last_o  = state_q == Break || (state_q == Header ? at_q == '0 && !brings_q : left_words_q == 12'd1);
  assign out     = valid_o && ready_i;
  // Of a write the beats behind the first: when the last word of one goes out, or none is there.
  assign refill  = state_q == Payload && source_q == Tx && (have_q == '0 || (have_q == 3'd1 && out)) && left_words_q > 12'(have_q) && up_i;
  assign given   = refill && tx_valid_i;

  assign own_ready_o = begins && pick == Own;
  assign cpl_ready_o = begins && pick == Cpl;
  assign tx_ready_o  = (begins && pick == Tx) || refill;
  assign rq_ready_o  = begins && pick == Rq;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Choose;
    else begin
      unique case (state_q)
        Choose:  if (begins) state_q <= Header;
        Header:  if (out && at_q == '0) state_q <= brings_q ? Payload : Choose;
        Payload: if (out && last_o) state_q <= Choose;
        default: if (out) state_q <= Choose;
      endcase
      // The link takes and drops what comes now: it is told where this ends.
      if (!up_i && state_q inside {Header, Payload} && !(out && last_o)) state_q <= Break;
    end
    ca_o <= rst_ni && begins && pick == Cpl && hdr.status == CplCa;
    if (begins) begin
      source_q <= pick;
      turn_q   <= pick == Tx;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      head_q       <= head;
      at_q         <= four ? 3'd7 : 3'd5;
      brings_q     <= brings;
      left_words_q <= {hdr.len_dw, 1'b0};
      have_q       <= 3'd4;
      unique case (pick)
        Own:     beat_q <= {32'd0, own_data_i};
        Cpl:     beat_q <= cpl_data_i;
        default: beat_q <= tx_data_i;
      endcase
    end else begin
      if (state_q == Header && out) begin
        head_q <= {16'd0, head_q[7:1]};
        at_q   <= at_q - 1'b1;
      end
      if (state_q == Payload) begin
        if (out) left_words_q <= left_words_q - 1'b1;
        if (given) begin
          beat_q <= tx_data_i;
          have_q <= 3'd4;
        end else if (out) begin
          beat_q <= {16'd0, beat_q[63:16]};
          have_q <= have_q - 1'b1;
        end
      end
    end
  end

endmodule
