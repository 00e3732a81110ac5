// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The queue gives out what it took, in order, and what it shows stays. One row among all is followed from its
// arrival to its leaving.
module ls_fifo_ram_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic [7:0] data_i,
  input logic       ready_i,
  input logic       mark
);
  localparam int unsigned Depth = 4;
  logic       ready, valid;
  logic [7:0] data;
  ls_fifo_ram #(.Width(8), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );

  logic       first_q = 1'b1, in_q, push, pull;
  logic [2:0] count_q, before_q;        // rows that are here; those before the one that is followed
  logic [7:0] watch_q;
  logic [2:0] place;
  assign push  = valid_i && ready;
  assign pull  = valid && ready_i;
  assign place = dut.rd_q + before_q - 3'(valid);
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) begin
      in_q    <= 1'b0;
      count_q <= '0;
    end else begin
      count_q <= count_q + 3'(push) - 3'(pull);
      if (!in_q && push && mark) begin
        in_q     <= 1'b1;
        watch_q  <= data_i;
        before_q <= count_q - 3'(pull);
      end else if (in_q && pull) begin
        before_q <= before_q - 1'b1;
        if (before_q == '0) in_q <= 1'b0;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    if (!first_q) begin
      a_count: assert (count_q == 3'(dut.used) + 3'(valid) && count_q <= 3'(Depth + 1));
      a_ready: assert (ready == (dut.used != 3'(Depth)) && dut.used <= 3'(Depth));
      a_apart: assert (!(dut.push && dut.pull && dut.wr_q[1:0] == dut.rd_q[1:0]));
      if (in_q) begin
        a_inside: assert (before_q < count_q);
        if (valid && before_q == '0) a_order: assert (data == watch_q);
        else i_place: assert (dut.u_rows.gen_small.mem[place[1:0]] == watch_q);
      end
    end
    c_full: cover (!first_q && count_q == 3'(Depth + 1) && in_q && before_q == 3'd2);
  end
endmodule
