// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Read requests of several sources take turns. No register: a request is on the interface in the
// cycle in which its source shows it, which is two cycles after the command.
module ls_rq_mux
  import ls_pkg::*;
#(
  parameter int unsigned N = 3
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [N-1:0]     valid_i,
  output logic [N-1:0]     ready_o,
  input  tlp_hdr_t [N-1:0] hdr_i,
  output logic             valid_o,
  input  logic             ready_i,
  output tlp_hdr_t         hdr_o
);

  // Once shown, a request stays shown until it is taken.
  logic [N-1:0] gnt, hold_q, sel;

  ls_arb #(.N(N)) u_turn (
    .clk_i, .rst_ni, .req_i(valid_i), .take_i(hold_q == '0), .gnt_o(gnt)
  );
  assign sel     = (hold_q != '0) ? hold_q : gnt;
  assign valid_o = |valid_i;
  assign ready_o = ready_i ? sel : '0;

  always_comb begin
    hdr_o = '0;
    for (int unsigned i = 0; i < N; i++) if (sel[i]) hdr_o |= hdr_i[i];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) hold_q <= '0;
    else         hold_q <= (valid_o && !ready_i) ? sel : '0;
  end

endmodule
