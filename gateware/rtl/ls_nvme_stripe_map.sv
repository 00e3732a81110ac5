// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Where a stripe lies on its drives. Of the drives' sizes and block sizes it makes one capacity, or a fault;
// of a user command one command for each drive that it touches: the chunks that a drive has of it follow each
// other there. With the last of them go the plan of its stream and what reports to expect.
//
// A drive that fails later is its host's matter, which answers for it. Only one that comes back with other
// blocks, or with fewer, ends the stripe: what waits for it was counted in the old ones. It is cut off as soon as
// its host has read that, so before its queues are there; what is in flight at the others ends as it would have.
module ls_nvme_stripe_map
  import ls_nvme_pkg::*;
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives     = 2,
  parameter int unsigned ChunkBytes = 4096
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic [Drives-1:0]        run_i,
  input  logic [Drives-1:0]        dead_i,
  input  drive_t [Drives-1:0]      drive_i,
  input  logic [Drives-1:0][63:0]  size_i,
  output logic                     run_o,        // commands go to the drives
  output logic [Drives-1:0]        changed_o,    // for good
  output fault_e                   fault_o,
  output logic [2:0]               which_o,
  output logic [63:0]              size_o,       // blocks
  output logic [1:0]               block_log2_o,

  input  logic                     hold_i,           // takes no command
  output logic                     idle_o,           // none is being divided
  input  logic                     user_valid_i,
  output logic                     user_ready_o,
  input  user_cmd_t                user_i,

  output logic [Drives-1:0]        cmd_valid_o,
  input  logic [Drives-1:0]        cmd_ready_i,
  output user_cmd_t                cmd_o,
  output logic                     rd_valid_o,
  input  logic                     rd_ready_i,
  output logic                     wr_valid_o,
  input  logic                     wr_ready_i,
  output plan_t                    plan_o,
  output logic                     expect_valid_o,
  input  logic                     expect_ready_i,
  output expect_t                  expect_o
);

  localparam int unsigned ChunkBits = $clog2(ChunkBytes / 512);    // of an address within a chunk
  localparam int unsigned DriveBits = $clog2(Drives);
  localparam int unsigned RowBits   = UnitBits - ChunkBits - DriveBits;

  if (Drives < 2 || Drives > MostDrives || (Drives & (Drives - 1)) != 0) begin : gen_check_drives
    $error("%m: Drives must be 2, 4 or 8");
  end
  if (ChunkBytes < 512 || ChunkBytes > 1048576 || (ChunkBytes & (ChunkBytes - 1)) != 0) begin : gen_check_chunk
    $error("%m: ChunkBytes must be a power of two, 512 to 1048576");
  end

  // ---- what the drives are -----------------------------------------------------------------------
  typedef enum logic [2:0] {GeLook, GeSize, GeSum, GeGood, GeBad, GeChanged} geo_e;
  geo_e                  geo_q;
  logic [DriveBits-1:0]  d_q, dead_at, changed_at;
  logic [1:0]            block_q;
  logic [UnitBits-1:0]   least_q, cap_q, now_units;
  logic [63:0]           now_size;
  fault_e                fault_q;
  logic [DriveBits-1:0]  which_q;
  logic                  settled, other;
  logic [Drives-1:0]     changed, changed_q;

  // A drive of more is taken for one of 2^BlockBits - 1 blocks: eight of them are below the LBAs that are refused
  // unseen, which are those that might not fit UnitBits in units.
  localparam int unsigned BlockBits = UnitBits - 10;
  function automatic logic [UnitBits-1:0] units_of(input logic [63:0] blocks, input logic [1:0] block_log2);
    return UnitBits'((blocks[63:BlockBits] != '0) ? {BlockBits{1'b1}} : blocks[BlockBits-1:0]) << block_log2;
  endfunction

  assign now_size  = size_i[d_q];
  assign now_units = units_of(now_size, drive_i[d_q].block_log2);
  assign other     = drive_i[d_q].block_log2 != block_q && d_q != '0;
  assign settled   = &(run_i | dead_i);
  always_comb begin
    dead_at    = '0;
    changed_at = '0;
    changed    = '0;
    for (int unsigned i = Drives; i > 0; i--) begin
      if (dead_i[i-1]) dead_at = DriveBits'(i - 1);
      if (drive_i[i-1].block_log2 != block_q || (run_i[i-1] && units_of(size_i[i-1], block_q) < least_q)) begin
        changed[i-1] = 1'b1;
        changed_at   = DriveBits'(i - 1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      geo_q   <= GeLook;
      fault_q <= FaultNone;
      which_q <= '0;
      d_q     <= '0;
    end else begin
      unique case (geo_q)
        GeLook: begin
          d_q     <= '0;
          which_q <= dead_at;
          fault_q <= (settled && dead_i != '0) ? FaultDead : FaultNone;
          if (&run_i) geo_q <= GeSize;
        end
        GeSize: begin
          d_q     <= d_q + 1'b1;
          which_q <= d_q;
          if (!(&run_i)) geo_q <= GeLook;
          else if (other || (32'd512 << drive_i[d_q].block_log2) > 32'(ChunkBytes) || now_units >> ChunkBits == '0) begin
            geo_q   <= GeBad;
            fault_q <= other ? FaultBlock : (now_units >> ChunkBits == '0) ? FaultSmall : FaultChunk;
          end else if (d_q == '1) geo_q <= GeSum;
        end
        GeSum: begin
          geo_q   <= GeGood;
          which_q <= '0;
        end
        GeGood:
          if (changed != '0) begin
            geo_q   <= GeChanged;
            fault_q <= FaultChanged;
            which_q <= changed_at;
          end
        GeBad:   if (!(&run_i)) geo_q <= GeLook;
        default: geo_q <= GeChanged;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                                      changed_q <= '0;
    else if (geo_q == GeGood || geo_q == GeChanged) changed_q <= changed_q | changed;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) block_q <= '0;
    else if (geo_q == GeSize && d_q == '0) block_q <= drive_i[0].block_log2;
    if (geo_q == GeSize) least_q <= (d_q == '0 || now_units < least_q) ? now_units : least_q;
    // Whole chunks of the smallest drive, so many times.
    if (geo_q == GeSum) cap_q <= {least_q[UnitBits-DriveBits-1:ChunkBits], (ChunkBits+DriveBits)'(0)};
  end
  assign run_o        = geo_q == GeGood;
  assign changed_o    = changed_q;
  assign fault_o      = fault_q;
  assign which_o      = 3'(which_q);
  assign size_o       = run_o ? 64'(cap_q >> block_q) : '0;
  assign block_log2_o = block_q;

  // ---- commands ----------------------------------------------------------------------------------
  typedef enum logic [2:0] {StIdle, StUnits, StLast, StCheck, StEnds, StLen, StGive, StPost} state_e;
  state_e                state_q;
  user_cmd_t             user_q;
  logic                  own_q, over_q, flush, data;
  logic [UnitBits-1:0]   ua_q, last_q, from_q, to_q, left_q;
  logic [35:0]           units_q;                                  // less one
  logic [DriveBits-1:0]  at_q, col0, col1;
  logic [RowBits-1:0]    row0, row1;
  logic [Drives-1:0]     mask_q;
  logic                  give, post, accept, refuse;

  // User commands are refused where there is no stripe, and none will come by itself.
  assign refuse       = geo_q == GeBad || geo_q == GeChanged || (geo_q == GeLook && fault_q == FaultDead);
  assign accept       = (geo_q == GeGood || refuse) && !hold_i;
  assign idle_o       = state_q == StIdle;
  assign user_ready_o = state_q == StIdle && accept;
  assign flush        = user_q.op == OpFlush;
  assign data         = !flush;

  assign {row0, col0} = ua_q[UnitBits-1:ChunkBits];
  assign {row1, col1} = last_q[UnitBits-1:ChunkBits];
  function automatic logic [UnitBits-1:0] unit_at(input logic [RowBits-1:0] row, input logic [UnitBits-1:0] offset);
    return UnitBits'(row) << ChunkBits | offset;
  endfunction
  localparam logic [UnitBits-1:0] Within = (UnitBits'(1) << ChunkBits) - 1'b1;

  assign cmd_valid_o = (state_q == StGive && (flush || left_q != '0)) ? Drives'(1) << at_q : '0;
  assign give        = state_q == StGive && (cmd_valid_o & ~cmd_ready_i) == '0;
  always_comb begin
    cmd_o     = user_q;
    cmd_o.lba = 64'(from_q >> block_q);
    cmd_o.nlb = 32'((left_q >> block_q) - 1'b1);
  end

  assign post           = state_q == StPost && expect_ready_i && (user_q.op != OpRead || rd_ready_i)
                          && (user_q.op != OpWrite || wr_ready_i);
  assign expect_valid_o = post;
  assign rd_valid_o     = post && user_q.op == OpRead;
  assign wr_valid_o     = post && user_q.op == OpWrite;
  // A refused read is one byte, however long it was to be.
  assign plan_o         = '{own: own_q, drive: 3'(col0), at: 20'(ua_q & Within), units: (own_q && user_q.op == OpRead) ? '0 : units_q};
  assign expect_o       = '{drives: MostDrives'(mask_q), own: own_q, why: over_q ? WhyStatus : WhyUnfit, tag: user_q.tag};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:  if (user_valid_i && accept) state_q <= StUnits;
        StUnits: state_q <= StLast;
        StLast:  state_q <= StCheck;
        StCheck: state_q <= (own_q || over_q || (data && last_q >= cap_q)) ? StPost : StEnds;
        StEnds:  state_q <= StLen;
        StLen:   state_q <= StGive;
        StGive:  if (give) state_q <= (at_q == '1) ? StPost : StEnds;
        StPost:  if (post) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      user_q <= user_i;
      own_q  <= refuse;
      mask_q <= '0;
      at_q   <= '0;
    end
    if (state_q == StUnits) begin
      ua_q    <= UnitBits'(user_q.lba << block_q);
      units_q <= ((36'(user_q.nlb) + 36'd1) << block_q) - 36'd1;
      over_q  <= data && !own_q && user_q.lba[63:UnitBits-4] != '0;
    end
    if (state_q == StLast) last_q <= ua_q + UnitBits'(units_q);
    if (state_q == StCheck) begin
      over_q <= over_q || (data && !own_q && last_q >= cap_q);
      own_q  <= own_q || over_q || (data && last_q >= cap_q);
    end
    if (state_q == StEnds) begin
      from_q <= (at_q < col0)  ? unit_at(row0 + 1'b1, '0)
              : (at_q == col0) ? unit_at(row0, ua_q & Within) : unit_at(row0, '0);
      to_q   <= (at_q < col1)  ? unit_at(row1 + 1'b1, '0)
              : (at_q == col1) ? unit_at(row1, last_q & Within) + 1'b1 : unit_at(row1, '0);
    end
    if (state_q == StLen) left_q <= to_q - from_q;
    if (give) begin
      at_q   <= at_q + 1'b1;
      mask_q <= mask_q | cmd_valid_o;
    end
  end

endmodule
