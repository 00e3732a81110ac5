// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A stream that may have to cross to another clock: an asynchronous queue if Cross is set, plain
// wires if not, so that a design with one clock pays nothing.
module ls_cross #(
  parameter int unsigned Width = 8,
  parameter bit          Cross = 1'b0
) (
  input  logic             wr_clk_i,
  input  logic             wr_rst_ni,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [Width-1:0] wr_data_i,
  input  logic             rd_clk_i,
  input  logic             rd_rst_ni,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [Width-1:0] rd_data_o
);

  if (Cross) begin : gen_cross
    ls_async_fifo #(.Width(Width)) u_fifo (.*);
  end else begin : gen_wire
    assign rd_valid_o = wr_valid_i;
    assign rd_data_o  = wr_data_i;
    assign wr_ready_o = rd_ready_i;
    logic unused;
    assign unused = ^{wr_clk_i, wr_rst_ni, rd_clk_i, rd_rst_ni};
  end

endmodule
