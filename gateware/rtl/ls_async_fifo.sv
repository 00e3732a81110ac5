// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A queue between two clocks. Both sides run at full rate; an entry takes about four cycles of the reader's clock to
// appear.
module ls_async_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
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

  logic wr, rd, full, empty;
  assign wr_ready_o = !full;
  assign rd_valid_o = !empty;
  assign wr         = wr_valid_i && wr_ready_o;
  assign rd         = rd_valid_o && rd_ready_i;

  logic [$clog2(Depth):0] wr_held, rd_held;
  logic                   unused;
  assign unused = &{wr_held, rd_held};
  ls_async_ring #(.Width(Width), .Depth(Depth)) u_ring (
    .wr_clk_i, .wr_rst_ni, .wr_i(wr), .wr_data_i, .wr_full_o(full), .wr_held_o(wr_held),
    .rd_clk_i, .rd_rst_ni, .rd_i(rd), .rd_data_o, .rd_empty_o(empty), .rd_held_o(rd_held)
  );

endmodule
