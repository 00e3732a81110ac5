// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// One write port with byte enables, one read port with a registered output that holds while
// `re_i` is low: the form that every FPGA family maps to its block RAM.
module ls_ram #(
  parameter int unsigned Bytes = 8,
  parameter int unsigned Depth = 64,
  parameter bit          Block = Depth >= 64,   // block RAM
  parameter bit          Apart = 1'b0,          // what is read in the cycle of a write to its place is not used:
                                                // block RAM alone will do. In simulation it reads inverted
  parameter bit          Ultra = 1'b0,          // of UltraRAM: for large ones, with Apart
  localparam int unsigned AddrBits = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic [Bytes-1:0]    we_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [Bytes*8-1:0]  wdata_i,
  input  logic                re_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [Bytes*8-1:0]  rdata_o
);

  // Shallow ones are made of LUTs: block RAM would be mostly empty, and slow before logic. From 64 on
  // the LUTs would be more than a fifth of an engine's; so they would where a wide row goes from there
  // to a register.
  if (!Block) begin : gen_small
    (* ram_style = "distributed" *) logic [Bytes*8-1:0] mem [Depth];
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Bytes; i++) begin
        if (we_i[i]) mem[waddr_i][i*8+:8] <= wdata_i[i*8+:8];
      end
      if (re_i) rdata_o <= mem[raddr_i];
    end
  end else if (Ultra) begin : gen_ultra
    (* ram_style = "ultra", no_rw_check = Apart *) logic [Bytes*8-1:0] mem [Depth];
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Bytes; i++) begin
        if (we_i[i]) mem[waddr_i][i*8+:8] <= wdata_i[i*8+:8];
      end
      if (re_i) rdata_o <= mem[raddr_i];
`ifdef VERILATOR
      if (Apart && re_i && |we_i && waddr_i == raddr_i) rdata_o <= ~mem[raddr_i];
`endif
    end
  end else begin : gen_large
    (* ram_style = "block", no_rw_check = Apart *) logic [Bytes*8-1:0] mem [Depth];
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Bytes; i++) begin
        if (we_i[i]) mem[waddr_i][i*8+:8] <= wdata_i[i*8+:8];
      end
      if (re_i) rdata_o <= mem[raddr_i];
`ifdef VERILATOR
      if (Apart && re_i && |we_i && waddr_i == raddr_i) rdata_o <= ~mem[raddr_i];
`endif
    end
  end

endmodule
