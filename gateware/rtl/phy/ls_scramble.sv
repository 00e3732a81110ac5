// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The scrambler of 2.5 GT/s, which is the descrambler too: COM sets it, SKP does not move it, every other symbol
// does. Control symbols pass, and so do the symbols of TS1 and TS2, which it finds itself: what follows COM, unless
// the next symbol is a control symbol other than PAD. A COM may be in either half of a pair.
module ls_scramble
  import ls_phy_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  off_i,          // pass data as it is; the state goes on
  input  logic  valid_i,
  input  pair_t pair_i,
  output logic  valid_o,        // a clock later
  output pair_t pair_o
);

  logic [15:0] state_q, state;
  logic [3:0]  left_q, left;    // symbols of a training sequence still to come
  pair_t       pair;

  always_comb begin
    state = state_q;
    left  = left_q;
    pair  = pair_i;
    for (int unsigned i = 0; i < 2; i++) begin
      if (!pair_i[i].k && left == '0 && !off_i) pair[i].data = pair_i[i].data ^ scramble_key(state);
      if (pair_i[i] == Com) state = '1;
      else if (pair_i[i] != Skp) state = scramble_next(state);
      if (pair_i[i] == Com) left = 4'd15;
      else if (pair_i[i].k && pair_i[i] != Pad) left = '0;
      else if (left != '0) left = left - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= '1;
      left_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      valid_o <= valid_i;
      if (valid_i) begin
        state_q <= state;
        left_q  <= left;
      end
    end
  end

  always_ff @(posedge clk_i) pair_o <= pair;

endmodule
