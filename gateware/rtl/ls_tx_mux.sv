// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Many TLP sources, one way out. They take turns, a TLP at a time; with `First`, source 0 carries
// completions and goes before the others: a processor waits for each of them. One register at the
// output, no cycle lost between TLPs.
//
// Who is next is decided a cycle ahead, so that neither `ready` nor the multiplexer waits for a
// decision. Nobody can say a cycle ahead whether the source that is ending its TLP has another:
// if no other waits, it keeps the way, and loses nothing if it has.
//
// So a source that has the way when others come begins a TLP, and may be the first again in the turn that follows. With `Fair`,
// at the price of a longer way to the decision, that counts: none begins twice while another one waits.
module ls_tx_mux
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned N     = 3,
  parameter bit          First = 1'b1,
  parameter bit          Fair  = 1'b0
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

  localparam int unsigned AtBits = $clog2(N);
  logic [N-1:0] lock_q, next, any, other, after_q, after, upto;  // lock_q: whose turn it is
  logic [AtBits-1:0] at_q, at;
  logic         adv, locked_q, take, start, sop, eop, ends, stay;
  tlp_hdr_t     hdr;
  logic [Width-1:0] data;

  assign adv     = !valid_o || ready_i;
  assign take    = adv && ((lock_q & valid_i) != '0);
  assign start   = take && !locked_q;
  assign ends    = take && eop;
  assign ready_o = adv ? lock_q : '0;

  // ---- who is next ---------------------------------------------------------------------------
  function automatic logic [N-1:0] choose(input logic [N-1:0] cand);
    logic [N-1:0] masked, pick;
    masked = cand & after;
    pick   = (First && cand[0]) ? N'(1) : (masked != '0) ? masked : cand;
    for (int unsigned i = 0; i < N; i++) choose[i] = pick[i] && ((pick & N'((1 << i) - 1)) == '0);
    if (cand == '0) choose = lock_q;
  endfunction

  // Both answers are ready before it is known whether the link takes this beat.
  assign after = (Fair && start) ? ~upto : after_q;
  assign stay  = (locked_q || take || (Fair && (lock_q & valid_i) != '0)) && !ends;
  assign any   = choose(valid_i);
  assign other = choose(valid_i & ~lock_q);
  assign next  = stay ? lock_q : ends ? other : any;
  for (genvar i = 0; i < N; i++) begin : gen_upto
    localparam logic [N-1:0] Below = N'((1 << i) - 1);
    assign upto[i] = (lock_q & ~Below) != '0;
  end
  always_comb begin
    at = '0;
    for (int unsigned i = 0; i < N; i++) if (next[i]) at |= AtBits'(i);
  end

  // ---- the way out: a number, not a bit per source, so that up to four are one LUT --------------
  assign sop  = sop_i[at_q];
  assign eop  = eop_i[at_q];
  assign hdr  = hdr_i[at_q];
  assign data = data_i[at_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o  <= 1'b0;
      locked_q <= 1'b0;
      lock_q   <= N'(1);
      at_q     <= '0;
      after_q  <= '1;
    end else begin
      if (adv) valid_o <= take;
      locked_q <= (locked_q || take) && !ends;
      lock_q   <= next;
      at_q     <= at;
      if (start && !(First && lock_q[0])) after_q <= ~upto;   // served last, waits longest
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
