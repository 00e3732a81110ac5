// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Many TLP sources, one way out. Source 0 carries completions and goes first: a processor waits
// for each of them. The others take turns, a TLP at a time. One register at the output, no cycle
// lost between TLPs.
module ls_tx_mux
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned N     = 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,
  input  logic [N-1:0]            sop_i,
  input  logic [N-1:0]            eop_i,
  input  tlp_hdr_t [N-1:0]        hdr_i,
  input  logic [N-1:0][Width-1:0] data_i,
  output logic                    valid_o,
  input  logic                    ready_i,
  output logic                    sop_o,
  output logic                    eop_o,
  output tlp_hdr_t                hdr_o,
  output logic [Width-1:0]        data_o
);

  logic [N-1:0] gnt, lock_q, sel;
  logic [N-2:0] turn;
  logic         adv, locked_q, any, sop, eop;
  tlp_hdr_t     hdr;
  logic [Width-1:0] data;

  ls_arb #(.N(N - 1)) u_turn (
    .clk_i, .rst_ni, .req_i(valid_i[N-1:1]),
    .take_i(adv && !locked_q && !valid_i[0]), .gnt_o(turn)
  );
  assign gnt = valid_i[0] ? N'(1) : {turn, 1'b0};
  assign sel = locked_q ? lock_q : gnt;
  assign adv = !valid_o || ready_i;
  assign any = |(sel & valid_i);
  assign ready_o = adv ? sel : '0;

  always_comb begin
    sop  = 1'b0;
    eop  = 1'b0;
    hdr  = '0;
    data = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (sel[i]) begin
        sop  |= sop_i[i];
        eop  |= eop_i[i];
        hdr  |= hdr_i[i];
        data |= data_i[i];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o  <= 1'b0;
      locked_q <= 1'b0;
      lock_q   <= '0;
    end else if (adv) begin
      valid_o <= any;
      if (any) begin
        locked_q <= !eop;
        lock_q   <= sel;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (adv) begin
      sop_o  <= sop;
      eop_o  <= eop;
      hdr_o  <= hdr;
      data_o <= data;
    end
  end

endmodule
