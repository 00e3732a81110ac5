// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The write stream, cut by chunk: each row goes to the queue of the drive whose chunk it is in, and leaves it
// in beats of that drive's width. A queue holds a chunk, so that rows come at the rate of all drives while
// each drive takes its own at its own. The data of a refused write goes nowhere.
module ls_nvme_stripe_cut
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Width      = 64,      // of a drive
  parameter int unsigned Drives     = 2,
  parameter int unsigned ChunkBytes = 4096,
  parameter int unsigned UnitBytes  = 512,     // of a plan
  localparam int unsigned Row       = Drives * Width
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          plan_valid_i,
  output logic                          plan_ready_o,
  input  plan_t                         plan_i,

  input  logic                          s_valid_i,
  output logic                          s_ready_o,
  input  logic [Row-1:0]                s_data_i,

  output logic [Drives-1:0]             m_valid_o,
  input  logic [Drives-1:0]             m_ready_i,
  output logic [Drives-1:0][Width-1:0]  m_data_o
);

  localparam int unsigned DriveBits = $clog2(Drives);
  localparam int unsigned Chunk     = ChunkBytes * 8 / Row;
  localparam int unsigned Depth     = (Chunk < 16) ? 16 : Chunk;

  logic                 due, own, first, last, move;
  logic [DriveBits-1:0] drive;
  logic [Drives-1:0]    in_ready;
  ls_nvme_stripe_walk #(.Drives(Drives), .Chunk(Chunk), .PerUnit(UnitBytes * 8 / Row)) u_walk (
    .clk_i, .rst_ni, .plan_valid_i, .plan_ready_o, .plan_i, .valid_o(due), .next_i(move), .drive_o(drive), .own_o(own),
    .first_o(first), .last_o(last)
  );
  assign s_ready_o = due && (own || in_ready[drive]);
  assign move      = s_valid_i && s_ready_o;

  for (genvar i = 0; i < Drives; i++) begin : gen_drive
    logic                 row_valid, row_ready;
    logic [Row-1:0]       row;
    logic [DriveBits-1:0] beat_q;
    ls_fifo_ram #(.Width(Row), .Depth(Depth)) u_rows (
      .clk_i, .rst_ni, .valid_i(move && !own && drive == DriveBits'(i)), .ready_o(in_ready[i]), .data_i(s_data_i),
      .valid_o(row_valid), .ready_i(row_ready), .data_o(row)
    );
    assign m_valid_o[i] = row_valid;
    assign m_data_o[i]  = row[beat_q*Width+:Width];
    assign row_ready    = m_ready_i[i] && beat_q == '1;
    always_ff @(posedge clk_i) begin
      if (!rst_ni)                         beat_q <= '0;
      else if (row_valid && m_ready_i[i])  beat_q <= beat_q + 1'b1;
    end
  end

  logic unused;
  assign unused = first ^ last;

endmodule
