// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What software wrote, in a memory and not in registers: the processor reads it back, messages
// take their addresses and data from it, and so do descriptor fetches. Where registers would need
// a multiplexer as wide as an address for every user, a read port is all.
//
// Places: {group, page, word}. The group is the channel's number; page 1 is host to card, 2 card to host,
// 3 card to card, a page's first eight words each. Page 0 of the groups, one after the other, is the
// MSI-X table, two words a vector. ls_csr clears it after a reset.
module ls_reg_ram #(
  parameter int unsigned AtBits = 5
) (
  input  logic              clk_i,
  input  logic              we_lo_i,
  input  logic              we_hi_i,
  input  logic [AtBits-1:0] at_i,        // written and read by the processor
  input  logic [63:0]       wdata_i,
  output logic [63:0]       rdata_o,
  input  logic [AtBits-1:0] msg_at_i,
  output logic [63:0]       msg_data_o,
  input  logic [AtBits-1:0] fetch_at_i,
  output logic [63:0]       fetch_data_o
);

  logic [31:0] low_mem [2**AtBits], high_mem [2**AtBits];

  always_ff @(posedge clk_i) begin
    if (we_lo_i) low_mem[at_i]  <= wdata_i[31:0];
    if (we_hi_i) high_mem[at_i] <= wdata_i[63:32];
  end
  assign rdata_o      = {high_mem[at_i], low_mem[at_i]};
  assign msg_data_o   = {high_mem[msg_at_i], low_mem[msg_at_i]};
  assign fetch_data_o = {high_mem[fetch_at_i], low_mem[fetch_at_i]};

endmodule
