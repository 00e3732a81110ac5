// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Memory that takes and gives a beat each cycle from any DW on: a bank for each DW of a beat, so the
// DWs past the end of a row come from or go to the next row of their banks. A TLP may begin at any DW.
//
// A write takes effect a cycle after `we_i`; reading is one cycle, and holds while `re_i` is low.
module ls_nvme_mem #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 512,
  parameter bit          Apart = 1'b0,           // as in ls_ram
  parameter bit          Ultra = 1'b0,           // likewise
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned BeatDw   = Width / 32,
  localparam int unsigned LaneBits = $clog2(BeatDw),
  localparam int unsigned RowBits  = $clog2(Rows)
) (
  input  logic                clk_i,
  input  logic [Bytes-1:0]    we_i,      // as the data, before it is turned
  input  logic [RowBits-1:0]  wrow_i,
  input  logic [LaneBits-1:0] wlane_i,   // where DW 0 of the data goes
  input  logic [Width-1:0]    wdata_i,
  input  logic                re_i,
  input  logic [RowBits-1:0]  rrow_i,
  input  logic [LaneBits-1:0] rlane_i,   // which DW comes to lane 0 when `turn` is asked of the reader
  output logic [Width-1:0]    rdata_o    // not turned: lane i is DW i of its row
);

  logic [LaneBits-1:0] turn;
  logic [Width-1:0]    wdata;
  logic [Bytes-1:0]    we;
  assign turn = LaneBits'(0) - wlane_i;
  ls_rotate #(.Lanes(BeatDw), .LaneSize(32)) u_data (.data_i(wdata_i), .shift_i(turn), .data_o(wdata));
  ls_rotate #(.Lanes(BeatDw), .LaneSize(4))  u_be   (.data_i(we_i), .shift_i(turn), .data_o(we));

  for (genvar i = 0; i < BeatDw; i++) begin : gen_bank
    logic [RowBits-1:0] wrow, rrow;
    assign wrow = wrow_i + RowBits'(32'(i) < 32'(wlane_i));
    assign rrow = rrow_i + RowBits'(32'(i) < 32'(rlane_i));
    ls_ram #(.Bytes(4), .Depth(Rows), .Block(1'b1), .Apart(Apart), .Ultra(Ultra)) u_ram (
      .clk_i, .we_i(we[i*4+:4]), .waddr_i(wrow), .wdata_i(wdata[i*32+:32]), .re_i, .raddr_i(rrow),
      .rdata_o(rdata_o[i*32+:32])
    );
  end

endmodule
