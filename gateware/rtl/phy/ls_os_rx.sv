// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Finds ordered sets in what was received, wherever in a pair they begin: TS1 and TS2 with what they say, whole and
// with all ten identifiers alike; the same of a line whose two wires are exchanged, by its inverted identifiers;
// SKP; EIOS by its second IDL. A damaged set is not told: its sender repeats it.
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

  logic [3:0] at_q, at;         // the place of the next symbol in a training sequence; 0: in none
  logic       idl_q, idl;       // the last two were COM, IDL
  logic [7:0] id_q, id;
  ts_t        ts_q, ts;
  logic       done, skp, eios;

  function automatic logic is_id(sym_t s);
    return !s.k && (s.data == IdTs1 || s.data == IdTs2 || s.data == ~IdTs1 || s.data == ~IdTs2);
  endfunction

  always_comb begin
    at   = at_q;
    idl  = idl_q;
    id   = id_q;
    ts   = ts_q;
    done = 1'b0;
    skp  = 1'b0;
    eios = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      eios = eios || (idl && pair_i[i] == Idl);
      idl  = 1'b0;
      if (pair_i[i] == Com) at = 4'd1;
      else if (at == 4'd1 && pair_i[i].k && pair_i[i] != Pad) begin
        at  = '0;
        skp = skp || pair_i[i] == Skp;
        idl = pair_i[i] == Idl;
      end else if (at != '0) begin
        unique case (at)
          4'd1:    ts.link    = pair_i[i];
          4'd2:    ts.lane    = pair_i[i];
          4'd3:    ts.n_fts   = pair_i[i].data;
          4'd4:    ts.rate    = pair_i[i].data;
          4'd5:    ts.control = pair_i[i].data;
          4'd6:    id         = pair_i[i].data;
          default: ;
        endcase
        done = done || (at == 4'd15 && !pair_i[i].k && pair_i[i].data == id);
        if ((at == 4'd2 && pair_i[i].k && pair_i[i] != Pad) || (at inside {[3:5]} && pair_i[i].k)
            || (at == 4'd6 && !is_id(pair_i[i])) || (at > 4'd6 && (pair_i[i].k || pair_i[i].data != id))) at = '0;
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
      ts_valid_o <= valid_i && done;
      skp_o      <= valid_i && skp;
      eios_o     <= valid_i && eios;
      if (valid_i) begin
        at_q  <= at;
        idl_q <= idl;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      id_q <= id;
      ts_q <= ts;
    end
  end

  assign ts_o       = ts_q;
  assign inverted_o = id_q == ~IdTs1 || id_q == ~IdTs2;

endmodule
