// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Row k of a plan is on the drive on which the stripe has it: a plan begins at a place in a drive's chunk, rows
// follow each other from there, a chunk a drive, the drives in turn. A plan has as many rows as it says, the last is told
// and the first, and the next plan begins in the cycle after it.
module ls_nvme_stripe_walk_props
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives  = 4,
  parameter int unsigned Chunk   = 8,
  parameter int unsigned PerUnit = 4
) (
  input logic  clk_i,
  input logic  rst_ni,
  input logic  plan_valid_i,
  input plan_t plan_i,
  input logic  next_i
);
  localparam int unsigned DriveBits = $clog2(Drives), ChunkBits = $clog2(Chunk), UnitLog2 = $clog2(PerUnit);

  logic                 plan_ready, valid, own, first, last, move;
  logic [DriveBits-1:0] drive;
  ls_nvme_stripe_walk #(.Drives(Drives), .Chunk(Chunk), .PerUnit(PerUnit)) dut (
    .clk_i, .rst_ni, .plan_valid_i, .plan_ready_o(plan_ready), .plan_i, .valid_o(valid), .next_i(next_i && valid),
    .drive_o(drive), .own_o(own), .first_o(first), .last_o(last)
  );
  assign move = next_i && valid;

  // The plan that is gone through, the rows of it that have gone, and where the next one is, counted in rows from the
  // chunk of drive 0 on.
  logic        first_q = 1'b1, open_q;
  plan_t       plan_q;
  logic [39:0] gone_q, rows, row;
  assign rows = (40'(plan_q.units) + 40'd1) << UnitLog2;
  assign row  = (40'(plan_q.drive) << ChunkBits) + (40'(plan_q.at) << UnitLog2) + gone_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni)         open_q <= 1'b0;
    else if (plan_ready) open_q <= plan_valid_i;
    if (plan_ready) begin
      plan_q <= plan_i;
      gone_q <= '0;
    end else if (move) begin
      gone_q <= gone_q + 1'b1;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (32'(plan_i.drive) < Drives && 32'(plan_i.at) < Chunk / PerUnit);
    end
    if (!first_q) begin
      a_open:  assert (valid == open_q);
      a_ready: assert (plan_ready == (!valid || (move && gone_q == rows - 1'b1)));
      if (valid) begin
        a_drive: assert (drive == row[ChunkBits+:DriveBits] && own == plan_q.own);
        a_first: assert (first == (gone_q == '0));
        a_last:  assert (last == (gone_q == rows - 1'b1));
        a_rows:  assert (gone_q < rows);
        i_at:    assert (dut.at_q == row[ChunkBits-1:0]);
        i_left:  assert (40'(dut.left_q) == rows - 1'b1 - gone_q);
        i_plan:  assert (32'(plan_q.drive) < Drives && 32'(plan_q.at) < Chunk / PerUnit);
      end
    end
    c_chunks: cover (!first_q && valid && 32'(row) >= 2 * Chunk && plan_q.drive == '0 && plan_q.at != '0);
  end
endmodule
