// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A block that straddles begins TLPs at several places of a beat, where another one has just ended
// (RC of the UltraScale+ block at 256 and 512 bit, CQ at 512). Here they come out one after the
// other, the header beside the first beat, the payload from lane 0.
//
// Two beats are held, and a TLP is looked for from where the one before it ended. A beat of payload
// begins `Head` DWs into a segment, so it lies in one segment more than a beat has. One goes out in
// a cycle: of TLPs shorter than that, fewer come in.
module ls_straddle_in #(
  parameter int unsigned Width = 512,
  parameter int unsigned SegDw = 4,      // a TLP may begin at each multiple of these
  parameter int unsigned Head  = 3,      // header DWs, 3 or 4
  parameter int unsigned Side  = 1,      // width of what comes beside the first beat of a TLP
  localparam int unsigned BeatDw  = Width / 32,
  localparam int unsigned Segs    = BeatDw / SegDw
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      valid_i,
  output logic                      ready_o,
  input  logic [Width-1:0]          data_i,
  input  logic [Segs-1:0]           sop_i,     // a TLP begins at this segment
  input  logic [Segs-1:0][Side-1:0] side_i,
  input  logic                      tail_i,    // counts for the TLPs that end in this beat
  // Of the header as it comes out below, decoded by the caller:
  output logic [127:0]              head_o,
  output logic [Side-1:0]           side_o,
  input  logic [10:0]               len_dw_i,  // payload DWs, 0 if none
  output logic                      valid_o,
  input  logic                      ready_i,
  output logic                      sop_o,
  output logic                      eop_o,
  output logic                      tail_o,    // beside the last beat
  output logic [Width-1:0]          data_o
);

  localparam int unsigned SegBits = SegDw * 32;
  localparam int unsigned PosBits = $clog2(Segs);
  localparam int unsigned WinBits = Width + Head * 32;

  if (Head < 3 || Head > 4 || SegDw < Head || Segs < 2 || Segs * SegDw != BeatDw) begin : gen_check
    $error("%m: Head must be 3 or 4, SegDw at least that, and two or more segments a beat");
  end

  // ---- two beats: the older one, in which the next thing to go out begins, and the one after it --
  logic                      old_q, new_q;            // is there one?
  logic [Width-1:0]          old_data_q, new_data_q;
  logic [Segs-1:0]           old_sop_q, new_sop_q;    // of the older one: those that have not begun
  logic [Segs-1:0][Side-1:0] old_side_q, new_side_q;
  logic                      old_tail_q, new_tail_q;
  logic                      shift;                   // the newer takes the place of the older

  // While something waits to be taken nothing comes in: lanes above its end would change.
  assign ready_o = shift || (!new_q && (ready_i || !valid_o));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) new_q <= 1'b0;
    else         new_q <= (valid_i && ready_o) || (new_q && !shift);
  end
  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      new_data_q <= data_i;
      new_sop_q  <= sop_i;
      new_side_q <= side_i;
      new_tail_q <= tail_i;
    end
  end

  // ---- what goes out ------------------------------------------------------------------------
  logic [PosBits-1:0]            at_q, at;            // the segment from which it is taken
  logic                          mid_q, move, in_old, rest;
  logic [11:0]                   left_q, left;        // DWs from there to the end of the TLP
  logic [Segs-1:0]               after;               // beginnings in the older beat, this one gone
  logic [WinBits-1:0]            window;
  logic [127:0]                  head_q;
  logic [Side-1:0]               side_q;

  function automatic logic [PosBits-1:0] lowest(input logic [Segs-1:0] from);
    lowest = '0;
    for (int i = int'(Segs) - 1; i >= 0; i--) if (from[i]) lowest = PosBits'(i);
  endfunction

  assign at     = mid_q ? at_q : lowest(old_sop_q);
  assign window = WinBits'({new_data_q, old_data_q} >> (32'(at) * SegBits));
  assign head_o = mid_q ? head_q : 128'(window[Head*32-1:0]);
  assign side_o = mid_q ? side_q : old_side_q[at];
  assign data_o = window[Head*32+:Width];
  assign sop_o  = !mid_q;
  assign left   = mid_q ? left_q : 12'(len_dw_i) + 12'(Head);
  assign eop_o  = left <= 12'(BeatDw + Head);
  // The end may lie in the older beat; all else needs both.
  assign in_old  = left <= 12'(BeatDw) - 12'(32'(at) * SegDw);
  assign rest    = mid_q || old_sop_q != '0;
  assign valid_o = old_q && rest && (in_old || new_q);
  assign tail_o  = in_old ? old_tail_q : new_tail_q;
  assign move    = valid_o && ready_i;
  assign after   = mid_q ? old_sop_q : old_sop_q & (old_sop_q - 1'b1);

  // The older beat is done with when the TLP goes on in the newer one, or none is left in it.
  logic leave;
  assign leave = old_q && (move ? !eop_o || after == '0 : !rest);
  assign shift = new_q && (leave || !old_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      old_q <= 1'b0;
      mid_q <= 1'b0;
    end else begin
      if (shift)      old_q <= 1'b1;
      else if (leave) old_q <= 1'b0;
      if (move) mid_q <= !eop_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (shift) begin
      old_data_q <= new_data_q;
      old_side_q <= new_side_q;
      old_tail_q <= new_tail_q;
      old_sop_q  <= new_sop_q;
    end else if (move) begin
      old_sop_q  <= after;
    end
    if (move) begin
      at_q   <= at;
      left_q <= left - 12'(BeatDw);
      if (!mid_q) begin
        head_q <= head_o;
        side_q <= side_o;
      end
    end
  end

endmodule
