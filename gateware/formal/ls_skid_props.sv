// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The skid buffer loses nothing, repeats nothing, and keeps the stream's rules at its output
// whatever comes in: what was counted in and not yet out is exactly what it holds.
module ls_skid_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic [3:0] data_i,
  input logic       ready_i
);
  logic       ready, valid;
  logic [3:0] data;

  ls_skid #(.Width(4)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );

  // A model: a queue of two.
  logic [1:0] n_q;
  logic [3:0] a_q, b_q, held_q;
  logic       first_q = 1'b1, wait_q;
  logic       in, out;
  assign in  = valid_i && ready;
  assign out = valid && ready_i;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) begin
      n_q    <= '0;
      wait_q <= 1'b0;
    end else begin
      n_q    <= n_q + 2'(in) - 2'(out);
      wait_q <= valid && !ready_i;
      if (out) a_q <= (n_q == 2'd2) ? b_q : data_i;
      else if (in && n_q == 2'd0) a_q <= data_i;
      if (in && ((n_q == 2'd1 && !out) || (n_q == 2'd2 && out))) b_q <= data_i;
    end
    held_q <= data;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    if (!first_q) assume (rst_ni);
    if (!first_q) begin
      a_valid: assert (valid == (n_q != 2'd0));
      a_full:  assert (n_q != 2'd3 && ready == (n_q != 2'd2));
      if (n_q != 2'd0) a_first:  assert (data == a_q);
      if (n_q == 2'd2) a_second: assert (dut.hold_q == b_q);
      if (wait_q) a_held: assert (valid && data == held_q);
    end
    c_full: cover (n_q == 2'd2 && ready_i);
  end
endmodule
