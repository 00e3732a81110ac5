// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The way of a stream over the drives, row by row: a plan is so many rows from a place in a chunk on, and at
// the end of each chunk it is the next drive's turn. Cutting and joining go the same way.
module ls_nvme_stripe_walk
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives  = 2,
  parameter int unsigned Chunk   = 32,         // rows
  parameter int unsigned PerUnit = 4,          // rows of 512 bytes
  localparam int unsigned DriveBits = $clog2(Drives)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 plan_valid_i,
  output logic                 plan_ready_o,
  input  plan_t                plan_i,

  output logic                 valid_o,        // a row is due,
  input  logic                 next_i,         // and has gone
  output logic [DriveBits-1:0] drive_o,
  output logic                 own_o,          // of a refused command
  output logic                 first_o,        // of its command
  output logic                 last_o
);

  localparam int unsigned AtBits    = (Chunk > 1) ? $clog2(Chunk) : 1;
  localparam int unsigned RowsLog2  = $clog2(PerUnit);
  localparam int unsigned LeftBits  = 36 + RowsLog2;

  logic [AtBits-1:0]   at_q;
  logic [LeftBits-1:0] left_q;                 // but this one
  logic                none_q;

  // The next plan is taken as the last row goes, so that no cycle is lost.
  assign last_o       = none_q;
  assign plan_ready_o = !valid_o || (next_i && last_o);

  always_ff @(posedge clk_i) begin
    if (!rst_ni)           valid_o <= 1'b0;
    else if (plan_ready_o) valid_o <= plan_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (plan_ready_o) begin
      own_o   <= plan_i.own;
      drive_o <= DriveBits'(plan_i.drive);
      at_q    <= AtBits'(32'(plan_i.at) * PerUnit);
      left_q  <= (LeftBits'(plan_i.units) << RowsLog2) | LeftBits'(PerUnit - 1);
      none_q  <= plan_i.units == '0 && PerUnit == 1;
      first_o <= 1'b1;
    end else if (next_i) begin
      first_o <= 1'b0;
      left_q  <= left_q - 1'b1;
      none_q  <= left_q == LeftBits'(1);
      at_q    <= (at_q == AtBits'(Chunk - 1)) ? '0 : at_q + 1'b1;
      if (at_q == AtBits'(Chunk - 1)) drive_o <= drive_o + 1'b1;
    end
  end

  logic unused;
  assign unused = ^plan_i;

endmodule
