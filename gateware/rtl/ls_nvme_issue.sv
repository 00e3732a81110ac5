// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Writes the 64 bytes of a command into the submission queue, a beat at a time, then moves the tail,
// and rings the doorbell: at once after a pause, and within `Hold` cycles of the last ring only once
// for all that have come by then.
//
// A PRP entry is arithmetic, because the buffer is contiguous: PRP 1 is where the data begins, PRP 2
// the page after it, or the place in the list region that belongs to that page. They are worked out
// in the two cycles before the first beat.
//
// The one range of a Dataset Management command is written before it, where the queue has an entry that
// is not out: half the queue further, since the window is half of it. The place in the queue is counted here: a
// command that is given again (ls_nvme_retry) has another place, and no new number.
module ls_nvme_issue
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Cmds       = 32,
  parameter int unsigned WrBytes    = 65536,
  parameter int unsigned RdBytes    = 65536,
  parameter int unsigned RegionBits = 16,
  parameter logic [63:0] MemBase    = 64'h0,
  parameter int unsigned Hold       = 32,
  localparam int unsigned CidBits    = $clog2(Cmds),
  localparam int unsigned SqBits     = sq_bits(Cmds),
  localparam int unsigned Steps      = 512 / Width,
  localparam int unsigned StepBits   = (Steps == 1) ? 1 : $clog2(Steps),
  localparam int unsigned Ranges     = (Width >= 128) ? 1 : 128 / Width    // beats of a range
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              run_i,
  input  logic              dead_i,        // no drive: a command is only entered, to be ended

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  cmd_t              cmd_i,

  input  logic              room_i,        // of the window
  input  logic [15:0]        cid_i,
  output logic              put_o,

  input  logic              hold_i,        // the memory is not for us in this cycle
  output logic              we_o,          // a beat
  output logic [SqBits-1:0] addr_o,        // byte address in the queue
  output logic [Width-1:0]  data_o,

  output logic              bell_valid_o,
  input  logic              bell_ready_i,
  output logic [CidBits:0]   bell_o
);

  logic [StepBits-1:0] word_q;
  logic [511:0]    entry;
  logic            step, full, idle_q, plan_q, known_q;
  logic [7:0]      opcode;
  logic [63:0]     prp1, prp2, prp1_q, prp2_q;
  logic [31:0]     page, beyond;
  logic [12:0]     first, rest;
  logic            is_wr, is_trim, trim_q, fits_q, two_q;
  logic            ranged_q, ranging;             // the range of this command stands; is being written
  logic [511:0]    words;
  logic            last;
  logic [CidBits:0] tail_q, at, opposite;

  // ---- where the data is -----------------------------------------------------------------------
  assign is_wr   = cmd_i.rec.op == OpWrite;
  assign is_trim = cmd_i.rec.op == OpTrim;
  assign first = 13'd8 - 13'(cmd_i.pos[2:0]);           // units up to the end of the first page
  assign rest   = cmd_i.rec.units - first;
  assign page   = cmd_i.pos >> 3;
  assign beyond = (page + 32'd1) & (is_wr ? 32'(WrBytes / 4096 - 1) : 32'(RdBytes / 4096 - 1));

  function automatic logic [63:0] place(input logic [2:0] region, input logic [RegionBits-1:0] offset);
    return {MemBase[63:RegionBits+3], region, offset};
  endfunction
  always_comb begin
    prp1 = place(is_wr ? RegWr : RegRd, RegionBits'(cmd_i.pos << 9));
    if (fits_q)     prp2 = '0;
    else if (two_q) prp2 = place(is_wr ? RegWr : RegRd, RegionBits'(beyond << 12));
    else          prp2 = place(is_wr ? RegWrList : RegRdList, RegionBits'(page << 9));
    if (!moves(cmd_i.rec.op)) {prp1, prp2} = '0;
    if (is_trim) prp1 = place(RegSq, RegionBits'(opposite) << 6);
  end
  always_ff @(posedge clk_i) begin
    {prp1_q, prp2_q} <= {prp1, prp2};
    fits_q           <= cmd_i.rec.units <= first;
    two_q            <= rest <= 13'd8;
    trim_q           <= is_trim;
    plan_q           <= rst_ni && cmd_valid_i && !put_o;
    known_q          <= rst_ni && plan_q && cmd_valid_i && !put_o;
  end

  // ---- the entry -------------------------------------------------------------------------------
  always_comb begin
    unique case (cmd_i.rec.op)
      OpRead:  opcode = 8'h02;
      OpWrite: opcode = 8'h01;
      OpZero:  opcode = 8'h08;
      OpTrim:  opcode = 8'h09;
      default: opcode = 8'h00;
    endcase
    entry          = '0;
    entry[63:0]    = {32'd1, cid_i, 8'h00, opcode};         // namespace 1
    entry[255:192] = prp1_q;
    entry[319:256] = prp2_q;
    if (is_trim) entry[383:320] = {32'h4, 32'd0};                 // deallocate; one range
    else if (cmd_i.rec.op != OpFlush) begin
      entry[383:320] = cmd_i.lba;
      entry[415:384] = {1'b0, cmd_i.fua && cmd_i.rec.op inside {OpWrite, OpZero}, 14'd0, cmd_i.nlb};
    end
  end
  // A range: context attributes, length in blocks, first block.
  assign ranging     = trim_q && !ranged_q;
  assign words       = ranging ? 512'({cmd_i.lba, 32'(cmd_i.nlb) + 32'd1, 32'd0}) : entry;
  assign opposite    = {!tail_q[CidBits], tail_q[CidBits-1:0]};
  assign at          = ranging ? opposite : tail_q;
  assign data_o      = words[word_q*Width+:Width];
  assign step        = cmd_valid_i && known_q && room_i && run_i && !hold_i;
  assign we_o        = step;
  assign addr_o      = SqBits'(at) << 6 | SqBits'(word_q) << $clog2(Width / 8);
  assign last        = word_q == StepBits'(Ranges - 1);
  assign full        = !ranging && word_q == StepBits'(Steps - 1);
  assign cmd_ready_o = (step && full) || (room_i && dead_i);
  assign put_o       = cmd_valid_i && cmd_ready_o;

  // ---- the doorbell ----------------------------------------------------------------------------
  logic [CidBits:0]         rung_q;
  logic [$clog2(Hold)-1:0] hold_q;
  assign bell_o       = tail_q;
  assign bell_valid_o = run_i && idle_q && tail_q != rung_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      word_q <= '0;
      tail_q <= '0;
      rung_q <= '0;
      hold_q <= '0;
      idle_q <= 1'b1;
      ranged_q <= 1'b0;
    end else begin
      if (!hold_i || !cmd_valid_i) begin
        word_q   <= (step && !full && !(ranging && last)) ? word_q + 1'b1 : '0;
        ranged_q <= step && !full && (ranged_q || (ranging && last));
      end
      if (put_o) tail_q <= tail_q + 1'b1;
      if (bell_valid_o && bell_ready_i) begin
        rung_q <= bell_o;
        hold_q <= '1;
        idle_q <= 1'b0;
      end else begin
        hold_q <= idle_q ? '0 : hold_q - 1'b1;
        if (hold_q == '0) idle_q <= 1'b1;
      end
    end
  end

endmodule
