// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The queue gives out what it took, in order, and holds no more than it can. One value among all
// is followed from its arrival to its leaving.
module ls_fifo_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic [3:0] data_i,
  input logic       ready_i,
  input logic       mark,
  input logic [3:0] watch       // any value, but always the same
);
  localparam int unsigned Depth = 4;
  logic       ready, valid;
  logic [3:0] data;
  logic [2:0] used;

  ls_fifo #(.Width(4), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i, .ready_o(ready), .data_i,
    .valid_o(valid), .ready_i, .data_o(data), .used_o(used)
  );

  logic [2:0] behind_q, count_q;
  logic       in_q;
  logic       first_q = 1'b1;

  logic [3:0] same_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    same_q  <= watch;
    if (!rst_ni) begin
      in_q     <= 1'b0;
      count_q  <= '0;
      behind_q <= '0;
    end else begin
      count_q <= count_q + 3'(valid_i && ready) - 3'(valid && ready_i);
      if (!in_q && valid_i && ready && mark && data_i == watch) begin
        in_q     <= 1'b1;
        behind_q <= count_q - 3'(valid && ready_i);
      end else if (in_q && valid && ready_i) begin
        behind_q <= behind_q - 1'b1;
        if (behind_q == '0) in_q <= 1'b0;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    if (!first_q) assume (rst_ni);
    if (!first_q) assume (watch == same_q);
    if (!first_q) begin
      a_count: assert (used == count_q && count_q <= 3'(Depth));
      a_valid: assert (valid == (count_q != '0));
      a_ready: assert (ready == (count_q != 3'(Depth)));
      if (in_q) a_inside: assert (behind_q < count_q);
      if (in_q) a_place:  assert (dut.mem[2'(dut.rd_q[1:0] + behind_q[1:0])] == watch);
      if (in_q && behind_q == '0) a_order: assert (valid && data == watch);
    end
    c_full: cover (count_q == 3'(Depth) && in_q && behind_q == 3'd2);
  end
endmodule
