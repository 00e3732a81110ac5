// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Finds ordered sets in what was received, wherever in a pair they begin: TS1 and TS2 with what they say, whole and
// with all ten identifiers alike; the same of a line whose two wires are exchanged, by its inverted identifiers;
// SKP; EIOS by its second IDL. A damaged set is not told: its sender repeats it. Which symbol is which is seen a clock
// before it is told what that means.
module ls_os_rx
  import ls_phy_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  valid_i,
  input  pair_t pair_i,
  output logic  ts_valid_o,     // one clock, for a whole TS1 or TS2
  output logic  inverted_o,     // beside it: of an inverted line; only the kind counts then
  output ts_t   ts_o,
  output logic  skp_o,
  output logic  eios_o
);

  // A symbol, and what it is.
  typedef struct packed {
    sym_t sym;
    logic com, pad, skp, idl, id;       // the last: an identifier, of an exchanged line too
  } seen_t;

  logic [3:0] at_q, at;         // the place of the next symbol in a training sequence; 0: in none
  logic       idl_q, idl;       // the last two were COM, IDL
  logic [7:0] id_q, id;
  ts_t        ts_q, ts;
  logic       done, skp, eios, valid_q, twin_q, same;   // twins: both symbols of a pair have one byte
  seen_t [1:0] seen_q;

  function automatic logic is_id(sym_t s);
    return !s.k && (s.data == IdTs1 || s.data == IdTs2 || s.data == ~IdTs1 || s.data == ~IdTs2);
  endfunction

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && valid_i;
    for (int unsigned i = 0; i < 2; i++) begin
      seen_q[i].sym  <= pair_i[i];
      seen_q[i].com  <= pair_i[i] == Com;
      seen_q[i].pad  <= pair_i[i] == Pad;
      seen_q[i].skp  <= pair_i[i] == Skp;
      seen_q[i].idl  <= pair_i[i] == Idl;
      seen_q[i].id   <= is_id(pair_i[i]);
    end
    twin_q <= pair_i[1].data == pair_i[0].data;
  end

  always_comb begin
    at   = at_q;
    idl  = idl_q;
    id   = id_q;
    ts   = ts_q;
    done = 1'b0;
    skp  = 1'b0;
    eios = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      // As the identifier: of one that came in this pair it is known whether both are alike.
      same = i == 1 && at_q == 4'd6 ? twin_q : seen_q[i].sym.data == id_q;
      eios = eios || (idl && seen_q[i].idl);
      idl  = 1'b0;
      if (seen_q[i].com) at = 4'd1;
      else if (at == 4'd1 && seen_q[i].sym.k && !seen_q[i].pad) begin
        at  = '0;
        skp = skp || seen_q[i].skp;
        idl = seen_q[i].idl;
      end else if (at != '0) begin
        unique case (at)
          4'd1:    ts.link    = seen_q[i].sym;
          4'd2:    ts.lane    = seen_q[i].sym;
          4'd3:    ts.n_fts   = seen_q[i].sym.data;
          4'd4:    ts.rate    = seen_q[i].sym.data;
          4'd5:    ts.control = seen_q[i].sym.data;
          4'd6:    id         = seen_q[i].sym.data;
          default: ;
        endcase
        done = done || (at == 4'd15 && !seen_q[i].sym.k && same);
        if ((at == 4'd2 && seen_q[i].sym.k && !seen_q[i].pad) || (at inside {[3:5]} && seen_q[i].sym.k)
            || (at == 4'd6 && !seen_q[i].id) || (at > 4'd6 && (seen_q[i].sym.k || !same))) at = '0;
        else at = at + 1'b1;    // behind the last it is 0
      end
    end
    ts.ts2 = id == IdTs2 || id == ~IdTs2;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q       <= '0;
      idl_q      <= 1'b0;
      ts_valid_o <= 1'b0;
      skp_o      <= 1'b0;
      eios_o     <= 1'b0;
    end else begin
      ts_valid_o <= valid_q && done;
      skp_o      <= valid_q && skp;
      eios_o     <= valid_q && eios;
      if (valid_q) begin
        at_q  <= at;
        idl_q <= idl;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      id_q <= id;
      ts_q <= ts;
    end
  end

  assign ts_o       = ts_q;
  assign inverted_o = id_q == ~IdTs1 || id_q == ~IdTs2;

endmodule
