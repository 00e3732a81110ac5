// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What software wrote, in a memory and not in registers: the processor reads it back, messages
// take their addresses and data from it, and so do descriptor fetches. Where registers would need
// a multiplexer as wide as an address for every user, one read port is all: the processor goes first,
// then messages, then fetches. Who may read has the data in the next cycle.
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
  input  logic              re_i,
  input  logic              msg_re_i,
  output logic              msg_ok_o,
  input  logic [AtBits-1:0] msg_at_i,
  input  logic              fetch_re_i,
  output logic              fetch_ok_o,
  input  logic [AtBits-1:0] fetch_at_i,
  output logic [63:0]       data_o       // a cycle after one of them may read
);

  logic [AtBits-1:0] at;
  assign msg_ok_o   = msg_re_i && !re_i;
  assign fetch_ok_o = fetch_re_i && !re_i && !msg_re_i;
  assign at         = re_i ? at_i : msg_re_i ? msg_at_i : fetch_at_i;

  // With more channels there are more places than a LUT has.
  if (AtBits <= 5) begin : gen_small
    (* ram_style = "distributed" *) logic [31:0] low_mem [2**AtBits], high_mem [2**AtBits];
    always_ff @(posedge clk_i) begin
      if (we_lo_i) low_mem[at_i]  <= wdata_i[31:0];
      if (we_hi_i) high_mem[at_i] <= wdata_i[63:32];
      data_o <= {high_mem[at], low_mem[at]};
    end
  end else begin : gen_large
    (* ram_style = "block" *) logic [31:0] low_mem [2**AtBits], high_mem [2**AtBits];
    always_ff @(posedge clk_i) begin
      if (we_lo_i) low_mem[at_i]  <= wdata_i[31:0];
      if (we_hi_i) high_mem[at_i] <= wdata_i[63:32];
      data_o <= {high_mem[at], low_mem[at]};
    end
  end

endmodule
