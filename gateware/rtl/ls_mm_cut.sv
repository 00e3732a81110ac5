// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A stretch of card memory cut into AXI4 bursts: at multiples of `BurstBytes`, so none crosses 4 KiB
// and none is longer than that. One burst a cycle.
module ls_mm_cut
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned BurstBytes = 1024,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned EdgeBits = $clog2(BurstBytes)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               valid_i,
  output logic               ready_o,
  input  logic [CardBits-1:0] addr_i,
  input  logic [LenBits-1:0] len_i,      // bytes, not 0
  output logic               valid_o,
  input  logic               ready_i,
  output logic [CardBits-1:0] addr_o,    // of its first byte
  output logic [7:0]         beats_o,    // less one
  output logic               last_o      // of its stretch
);

  if (BurstBytes > 4096 || BurstBytes > 256 * Bytes || BurstBytes < Bytes || (BurstBytes & (BurstBytes - 1)) != 0) begin : gen_check
    $error("%m: BurstBytes must be a power of two, at most 4096 and 256 beats");
  end

  logic                busy_q, last;
  logic [CardBits-1:0] addr_q;
  logic [LenBits-1:0]  len_q;
  logic [EdgeBits:0]   edge_n, n, reach;

  assign edge_n  = (EdgeBits+1)'(BurstBytes) - {1'b0, addr_q[EdgeBits-1:0]};
  assign last    = len_q <= LenBits'(edge_n);
  assign n       = last ? (EdgeBits+1)'(len_q) : edge_n;
  assign reach   = (EdgeBits+1)'(addr_q[LaneBits-1:0]) + n - 1'b1;    // from the first lane to the last byte
  assign ready_o = !busy_q || (ready_i && last);
  assign valid_o = busy_q;
  assign addr_o  = addr_q;
  assign beats_o = 8'(reach >> LaneBits);
  assign last_o  = last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) busy_q <= 1'b0;
    else if (ready_o)       busy_q <= valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      addr_q <= addr_i;
      len_q  <= len_i;
    end else if (ready_i) begin
      addr_q <= {addr_q[CardBits-1:EdgeBits] + 1'b1, EdgeBits'(0)};
      len_q  <= len_q - LenBits'(n);
    end
  end

endmodule
