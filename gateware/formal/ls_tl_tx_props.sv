// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// No TLP goes out for which the other end has given no room, whatever is asked for and whenever credits come: what is
// left, counted here from what is taken at the ports, is never less than nothing. And a TLP has the words that its
// header says.
module ls_tl_tx_props
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        up_i,
  input logic [15:0] id_i,
  input fc_t [2:0]   more_i,              // credits that come
  input logic [2:0]  free_hdr_i,
  input logic [2:0]  free_data_i,
  input logic        own_valid_i,
  input tlp_hdr_t    own_hdr_i,
  input logic [31:0] own_data_i,
  input logic        cpl_valid_i,
  input tlp_hdr_t    cpl_hdr_i,
  input logic [63:0] cpl_data_i,
  input logic        tx_valid_i,
  input logic        tx_sop_i,
  input tlp_hdr_t    tx_hdr_i,
  input logic [63:0] tx_data_i,
  input logic        rq_valid_i,
  input tlp_hdr_t    rq_hdr_i,
  input logic        ready_i
);

  credits_t    limit_q, spent_q;
  logic        own_ready, cpl_ready, tx_ready, rq_ready, valid, last, ca;
  logic [15:0] word;
  ls_tl_tx dut (
    .clk_i, .rst_ni, .up_i, .id_i, .limit_i(limit_q), .free_hdr_i, .free_data_i, .own_valid_i, .own_ready_o(own_ready), .own_hdr_i, .own_data_i,
    .cpl_valid_i, .cpl_ready_o(cpl_ready), .cpl_hdr_i, .cpl_data_i, .tx_valid_i, .tx_ready_o(tx_ready), .tx_hdr_i, .tx_data_i, .rq_valid_i,
    .rq_ready_o(rq_ready), .rq_hdr_i, .valid_o(valid), .ready_i, .word_o(word), .last_o(last), .ca_o(ca)
  );

  // ---- credits, as they are at the ports ---------------------------------------------------------------
  logic [2:0]      takes;                 // by class
  logic [2:0][8:0] data;
  logic            first;                 // of a write
  assign first = tx_valid_i && tx_ready && dut.may;
  assign takes = {(own_valid_i && own_ready) || (cpl_valid_i && cpl_ready), rq_valid_i && rq_ready, first};
  assign data  = {own_valid_i && own_ready ? (own_hdr_i.kind == TlpCplD ? credits_of(own_hdr_i.len_dw) : '0)
                                           : (cpl_hdr_i.kind == TlpCplD ? credits_of(cpl_hdr_i.len_dw) : '0), 9'd0, credits_of(tx_hdr_i.len_dw)};

  logic     first_q = 1'b1, up_q, run_q, own_q, cpl_q, tx_q, rq_q, sop_q;
  tlp_hdr_t own_hdr_q, cpl_hdr_q, tx_hdr_q, rq_hdr_q;
  logic [2:0] free_hdr_q, free_data_q;
  fc_t [2:0]  left;
  always_comb for (int unsigned c = 0; c < 3; c++) left[c] = '{hdr: limit_q[c].hdr - spent_q[c].hdr, data: limit_q[c].data - spent_q[c].data};

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    up_q    <= up_i;
    run_q   <= rst_ni;
    own_q   <= rst_ni && own_valid_i && !own_ready;
    cpl_q   <= rst_ni && cpl_valid_i && !cpl_ready;
    tx_q    <= rst_ni && tx_valid_i && !tx_ready;
    rq_q    <= rst_ni && rq_valid_i && !rq_ready;
    sop_q   <= tx_sop_i;
    {own_hdr_q, cpl_hdr_q, tx_hdr_q, rq_hdr_q} <= {own_hdr_i, cpl_hdr_i, tx_hdr_i, rq_hdr_i};
    {free_hdr_q, free_data_q} <= {free_hdr_i, free_data_i};
    for (int unsigned c = 0; c < 3; c++) begin
      limit_q[c].hdr  <= limit_q[c].hdr + more_i[c].hdr;
      limit_q[c].data <= limit_q[c].data + more_i[c].data;
      if (!rst_ni || !up_i) begin
        spent_q[c] <= '0;
        limit_q[c] <= more_i[c];
      end else if (takes[c]) begin
        spent_q[c].hdr  <= spent_q[c].hdr + 1'b1;
        spent_q[c].data <= spent_q[c].data + 12'(data[c]);
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      // Who asks, asks until it is heard.
      if (own_q) assume (own_valid_i && own_hdr_i == own_hdr_q);
      if (cpl_q) assume (cpl_valid_i && cpl_hdr_i == cpl_hdr_q);
      if (tx_q)  assume (tx_valid_i && tx_hdr_i == tx_hdr_q && tx_sop_i == sop_q);
      if (rq_q)  assume (rq_valid_i && rq_hdr_i == rq_hdr_q);
      if (up_q)  assume ({free_hdr_i, free_data_i} == {free_hdr_q, free_data_q});
    end
    // What the standard lets a receiver give: half of what can be counted. One DW at most is own data, two the engine's.
    for (int unsigned c = 0; c < 3; c++) begin
      if (up_i && rst_ni) begin
        assume (free_hdr_i[c]  || 32'(left[c].hdr) + 32'(more_i[c].hdr) <= 128);
        assume (free_data_i[c] || 32'(left[c].data) + 32'(more_i[c].data) <= 2048);
      end else begin
        assume (more_i[c].hdr <= 8'd128 && more_i[c].data <= 12'd2048);
      end
    end
    assume (own_hdr_i.len_dw == 11'(own_hdr_i.kind == TlpCplD) && cpl_hdr_i.len_dw <= 11'd2 && (cpl_hdr_i.kind == TlpCplD) == (cpl_hdr_i.len_dw != '0));
    assume (tx_hdr_i.len_dw != '0 && tx_hdr_i.len_dw <= 11'd128);
    if (!first_q) begin
      a_one:  assert ($countones({takes, 1'b0}) <= 1);
      a_down: assert (up_i || takes == '0);
    end
  end

  for (genvar c = 0; c < 3; c++) begin : gen_class
    always_comb begin
      if (!first_q) begin
        if (takes[c] && up_i) begin
          a_hdr:  assert (free_hdr_i[c]  || (left[c].hdr != '0 && left[c].hdr <= 8'd128));
          a_data: assert (free_data_i[c] || (left[c].data >= 12'(data[c]) && left[c].data <= 12'd2048));
        end
        if (run_q) i_spent: assert (dut.used_q[c] == spent_q[c]);
        if (run_q && up_q) i_left: assert ((free_hdr_i[c] || left[c].hdr <= 8'd128) && (free_data_i[c] || left[c].data <= 12'd2048));
      end
    end
  end

  always_comb begin
    if (!first_q) begin
      c_write: cover (first && left[0].hdr == 8'd1 && left[0].data == 12'd32 && data[0] == 9'd32);
      c_read:  cover (takes[1] && spent_q[1].hdr == 8'd1);
      c_last:  cover (valid && ready_i && last && word != '0 && !ca);
    end
  end

endmodule
