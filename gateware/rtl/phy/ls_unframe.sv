// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Packets out of descrambled symbols: what stands between STP or SDP and END or EDB, two bytes at a time from the
// first on, at whichever half of a pair the packet begins. In one clock a packet may end and another begin: the word
// and the end are of the old one. Whatever is no data inside a packet ends it as bad.
module ls_unframe
  import ls_phy_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        on_i,               // symbols are those of a link in L0
  input  logic        valid_i,
  input  logic        bad_i,              // a symbol of this pair was hit
  input  pair_t       pair_i,
  output logic        start_o,
  output logic        dllp_o,             // beside start: of SDP
  output logic        valid_o,
  output logic [15:0] data_o,             // the earlier byte in 7:0
  output logic        end_o,
  output logic        bad_o,              // beside end: hit, cut off, or of an odd number of bytes
  output logic        edb_o,              // beside end: it was EDB
  output logic        idle_o,             // both symbols are logical idle
  output logic        error_o             // a control symbol where none may be
);

  logic       in_q, have_q, hit_q, in, have, hit, start, dllp, word, ends, bad, edb, error;
  logic [7:0] byte_q, low;
  logic [15:0] data;

  always_comb begin
    in    = in_q;
    have  = have_q;
    hit   = hit_q || bad_i;
    low   = byte_q;
    start = 1'b0;
    dllp  = 1'b0;
    word  = 1'b0;
    data  = '0;
    ends  = 1'b0;
    bad   = 1'b0;
    edb   = 1'b0;
    error = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      if (!pair_i[i].k) begin
        if (in && have) begin
          word = 1'b1;
          data = {pair_i[i].data, low};
        end
        if (in && !have) low = pair_i[i].data;
        have = in && !have;
      end else begin
        if (in) begin
          ends = 1'b1;
          bad  = hit || have || !(pair_i[i] inside {End, Edb});
          edb  = pair_i[i] == Edb;
        end
        error = error || (in ? !(pair_i[i] inside {End, Edb}) : pair_i[i] inside {End, Edb, Idl, Pad});
        in    = pair_i[i] inside {Stp, Sdp};
        start = start || in;
        if (in) begin
          dllp = pair_i[i] == Sdp;
          hit  = bad_i;
        end
        have = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !on_i) begin
      in_q    <= 1'b0;
      have_q  <= 1'b0;
      hit_q   <= 1'b0;
      start_o <= 1'b0;
      valid_o <= 1'b0;
      end_o   <= in_q && rst_ni;
      bad_o   <= 1'b1;
      error_o <= 1'b0;
    end else begin
      start_o <= valid_i && start;
      valid_o <= valid_i && word;
      end_o   <= valid_i && ends;
      bad_o   <= bad;
      error_o <= valid_i && error;
      if (valid_i) begin
        in_q   <= in;
        have_q <= have;
        hit_q  <= hit;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    dllp_o <= dllp;
    data_o <= data;
    edb_o  <= edb;
    idle_o <= valid_i && !bad_i && pair_i == '0 && !in_q;
    if (valid_i) byte_q <= low;
  end

endmodule
