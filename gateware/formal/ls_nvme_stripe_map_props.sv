// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Any block of a command that the stripe takes is in the command of its drive, at its place there, and in no other;
// the drives' commands have as many blocks together as the user's: so each has its own, once. A command of which a block
// is beyond the capacity goes to no drive. The drives are of any size and of one block size; followed is the one
// command that is taken first.
module ls_nvme_stripe_map_props
  import ls_nvme_pkg::*;
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives     = 2,
  parameter int unsigned ChunkBytes = 1024,
  parameter int unsigned Bits       = 6         // of LBAs, lengths and sizes that are not zero
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic [1:0]              block_log2,   // this and the next three never change
  input logic [Drives-1:0][63:0] size_i,
  input user_cmd_t               user_i,
  input logic [31:0]             offset,       // of the block that is looked for
  input logic                    user_valid_i,
  input logic [Drives-1:0]       cmd_ready_i,
  input logic                    ready_i
);
  localparam int unsigned DriveBits = $clog2(Drives), ChunkLog2 = $clog2(ChunkBytes / 512);

  logic                     taken_q, run, rd_valid, wr_valid, expect_valid, user_ready;
  logic [Drives-1:0]        changed, cmd_valid, give;
  logic [2:0]               which;
  logic [1:0]               block;
  logic [63:0]              size;
  fault_e                   fault;
  user_cmd_t                cmd;
  plan_t                    plan;
  expect_t                  expected;
  drive_t [Drives-1:0]      drive;
  always_comb begin
    drive = '0;
    for (int unsigned i = 0; i < Drives; i++) drive[i].block_log2 = block_log2;
  end
  ls_nvme_stripe_map #(.Drives(Drives), .ChunkBytes(ChunkBytes)) dut (
    .clk_i, .rst_ni, .run_i('1), .dead_i('0), .drive_i(drive), .size_i, .run_o(run), .changed_o(changed), .fault_o(fault),
    .which_o(which), .size_o(size), .block_log2_o(block), .user_valid_i(user_valid_i && !taken_q), .user_ready_o(user_ready),
    .user_i, .cmd_valid_o(cmd_valid), .cmd_ready_i, .cmd_o(cmd), .rd_valid_o(rd_valid), .rd_ready_i(ready_i),
    .wr_valid_o(wr_valid), .wr_ready_i(ready_i), .plan_o(plan), .expect_valid_o(expect_valid), .expect_ready_i(ready_i),
    .expect_o(expected)
  );
  assign give = cmd_valid & cmd_ready_i;

  // Where the block is, from the definition.
  logic [63:0]          lba, chunk, chunk_blocks, place;
  logic [DriveBits-1:0] home;
  assign lba          = user_i.lba + 64'(offset);
  assign chunk        = lba >> (3'(ChunkLog2) - 3'(block_log2));
  assign chunk_blocks = 64'd1 << (3'(ChunkLog2) - 3'(block_log2));
  assign home         = DriveBits'(chunk);
  assign place        = ((chunk >> DriveBits) << (3'(ChunkLog2) - 3'(block_log2))) | (lba & (chunk_blocks - 1'b1));

  logic                    first_q = 1'b1, found_q;
  logic [32:0]             blocks_q;
  logic [Drives-1:0]       given_q;
  logic [1:0]              same_block_q;
  logic [Drives-1:0][63:0] same_size_q;
  user_cmd_t               same_user_q;
  logic [31:0]             same_offset_q;
  logic                    holds;
  assign holds = 64'(place) >= cmd.lba && place - cmd.lba <= 64'(cmd.nlb);
  always_ff @(posedge clk_i) begin
    first_q       <= 1'b0;
    same_block_q  <= block_log2;
    same_size_q   <= size_i;
    same_user_q   <= user_i;
    same_offset_q <= offset;
    if (!rst_ni) begin
      {taken_q, found_q, blocks_q} <= '0;
      given_q <= '0;
    end else begin
      if (user_valid_i && user_ready) taken_q <= 1'b1;
      if (give != '0) begin
        given_q  <= given_q | give;
        blocks_q <= blocks_q + 33'(cmd.nlb) + 33'd1;
        if (give[home]) found_q <= 1'b1;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (block_log2 == same_block_q && size_i == same_size_q && user_i == same_user_q && offset == same_offset_q);
    end
    assume (user_i.lba >> Bits == '0 && user_i.nlb >> Bits == '0);
    for (int unsigned i = 0; i < Drives; i++) assume (size_i[i] >> Bits == '0);
    assume (user_i.op inside {OpRead, OpWrite, OpFlush} && offset <= user_i.nlb);
    if (!first_q) begin
      a_one: assert ((cmd_valid & (cmd_valid - 1'b1)) == '0);
      if (cmd_valid != '0 && user_i.op != OpFlush) begin
        a_once:  assert ((cmd_valid & given_q) == '0);
        a_home:  assert (holds || !cmd_valid[home]);
        a_size:  assert (cmd.op == user_i.op && cmd.fua == user_i.fua && lba < size && lba >= user_i.lba);
        a_drive: assert (!cmd_valid[home] || place < size_i[home]);
      end
      if (expect_valid) begin
        a_told:  assert (expected.drives == MostDrives'(given_q) && expected.tag == user_i.tag);
        a_plan:  assert (rd_valid == (user_i.op == OpRead) && wr_valid == (user_i.op == OpWrite) && plan.own == expected.own);
        a_own:   assert (!expected.own || given_q == '0);
        if (!expected.own && user_i.op == OpFlush) a_flush: assert (given_q == '1);
        if (!expected.own && user_i.op != OpFlush) begin
          a_found: assert (found_q);
          a_sum:   assert (blocks_q == 33'(user_i.nlb) + 33'd1);
          a_begin: assert (offset != '0 || (plan.drive == 3'(home) && 64'(plan.at) == (64'(lba << block_log2) & 64'(ChunkBytes / 512 - 1))));
          a_units: assert (37'(plan.units) + 37'd1 == 37'(user_i.nlb) + 37'd1 << block_log2);
        end
        // Refused is only what is not all there.
        if (fault == FaultNone) a_beyond: assert (expected.own == (user_i.op != OpFlush && (65'(user_i.lba) + 65'(user_i.nlb) >= 65'(size))));
      end
      a_size_of: assert (!run || fault == FaultNone);
    end
    c_both:   cover (!first_q && expect_valid && given_q == '1 && user_i.op == OpWrite && plan.at != '0 && user_i.nlb > 32'd20 && block_log2 == 2'd1);
    c_beyond: cover (!first_q && expect_valid && expected.own && run);
  end

  logic unused;
  assign unused = ^{changed, which, block};
endmodule
