// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The read streams of the drives, joined by chunk: beats of a drive become rows in its queue, which holds a
// chunk, and rows leave in the order of the blocks, a frame for a user command. Where a drive's own frame ends
// in error, its rows of this frame are zeros in error from there on, and those of the other drives stand in
// their places: a frame always has its length. But that of a refused read is one byte in error.
module ls_nvme_stripe_join
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

  input  logic [Drives-1:0]             s_valid_i,
  output logic [Drives-1:0]             s_ready_o,
  input  logic [Drives-1:0][Width-1:0]  s_data_i,
  input  logic [Drives-1:0]             s_error_i,

  output logic                          m_valid_o,
  input  logic                          m_ready_i,
  output logic [Row-1:0]                m_data_o,
  output logic [Row/8-1:0]              m_keep_o,
  output logic                          m_last_o,
  output logic                          m_error_o
);

  localparam int unsigned DriveBits = $clog2(Drives);
  localparam int unsigned Chunk     = ChunkBytes * 8 / Row;
  localparam int unsigned Depth     = (Chunk < 16) ? 16 : Chunk;

  logic                        due, own, first, last, move, next, bad, missing;
  logic [DriveBits-1:0]        drive;
  logic [Drives-1:0]           row_valid, row_ready, row_error, failed_q, failed;
  logic [Drives-1:0][Row-1:0]  row;

  for (genvar i = 0; i < Drives; i++) begin : gen_drive
    logic [DriveBits-1:0]        beat_q;
    logic [Drives-1:0][Width-1:0] held_q, whole;
    logic                        room, take, full;
    // A drive's stream fails between two blocks, so between two rows.
    assign full         = beat_q == '1 || s_error_i[i];
    assign s_ready_o[i] = !full || room;
    assign take         = s_valid_i[i] && s_ready_o[i];
    always_comb begin
      whole             = held_q;
      whole[Drives-1]   = s_data_i[i];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni)   beat_q <= '0;
      else if (take) beat_q <= s_error_i[i] ? '0 : beat_q + 1'b1;
      if (take) held_q[beat_q] <= s_data_i[i];
    end
    // The error is a byte of its own beside the row, for whole bytes.
    logic [7:0] mark;
    ls_fifo_ram #(.Width(Row + 8), .Depth(Depth)) u_rows (
      .clk_i, .rst_ni, .valid_i(s_valid_i[i] && full), .ready_o(room), .data_i({7'd0, s_error_i[i], whole}),
      .valid_o(row_valid[i]), .ready_i(row_ready[i]), .data_o({mark, row[i]})
    );
    assign row_error[i] = mark[0];
    assign row_ready[i] = move && !missing && drive == DriveBits'(i);
    logic unused_mark;
    assign unused_mark = ^mark;
  end

  // ---- in turn -----------------------------------------------------------------------------------
  // A refused read has a plan of one unit, of which only the first row is shown.
  ls_nvme_stripe_walk #(.Drives(Drives), .Chunk(Chunk), .PerUnit(UnitBytes * 8 / Row)) u_walk (
    .clk_i, .rst_ni, .plan_valid_i, .plan_ready_o, .plan_i, .valid_o(due), .next_i(next), .drive_o(drive), .own_o(own),
    .first_o(first), .last_o(last)
  );
  assign failed  = first ? '0 : failed_q;
  assign missing = own || failed[drive];
  assign next    = due && (missing || row_valid[drive]) && (!m_valid_o || m_ready_i);
  assign move    = next;
  assign bad     = missing || row_error[drive];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      m_valid_o <= 1'b0;
      failed_q  <= '0;
    end else begin
      if (!m_valid_o || m_ready_i) m_valid_o <= next && (!own || first);
      if (next) failed_q <= failed | (Drives'(bad) << drive);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!m_valid_o || m_ready_i) begin
      m_data_o  <= bad ? '0 : row[drive];
      m_keep_o  <= own ? (Row/8)'(1) : '1;
      m_last_o  <= own || last;
      m_error_o <= bad;
    end
  end

endmodule
