// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What software wrote, in a memory and not in registers: the processor reads it back, messages
// take their addresses and data from it, and so do descriptor fetches. Where registers would need
// a multiplexer as wide as an address for every user, a read port is all.
//
// Places: {0, page, word} for the first eight words of the register pages, {1, 0, word} for the
// MSI-X table. ls_csr clears it after a reset.
module ls_reg_ram (
  input  logic        clk_i,
  input  logic        we_lo_i,
  input  logic        we_hi_i,
  input  logic [5:0]  at_i,        // written and read by the processor
  input  logic [63:0] wdata_i,
  output logic [63:0] rdata_o,
  input  logic [5:0]  msg_at_i,
  output logic [63:0] msg_data_o,
  input  logic [5:0]  fetch_at_i,
  output logic [63:0] fetch_data_o
);

  logic [31:0] low_mem [64], high_mem [64];

  always_ff @(posedge clk_i) begin
    if (we_lo_i) low_mem[at_i]  <= wdata_i[31:0];
    if (we_hi_i) high_mem[at_i] <= wdata_i[63:32];
  end
  assign rdata_o      = {high_mem[at_i], low_mem[at_i]};
  assign msg_data_o   = {high_mem[msg_at_i], low_mem[msg_at_i]};
  assign fetch_data_o = {high_mem[fetch_at_i], low_mem[fetch_at_i]};

endmodule
