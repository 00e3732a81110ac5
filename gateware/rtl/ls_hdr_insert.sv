// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Vendor blocks want header and payload in one row of DWs; inside, the header travels beside the
// data. This puts 3 or 4 header DWs in front and moves the payload up behind them.
module ls_hdr_insert #(
  parameter int unsigned Width = 128,
  localparam int unsigned BeatDw = Width / 32,
  localparam int unsigned CntBits = $clog2(BeatDw) + 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  output logic               ready_o,
  input  logic               sop_i,
  input  logic               eop_i,
  input  logic [127:0]       head_i,    // counts with sop; where there are three DWs, the last stands highest
  input  logic               four_i,    // 4 header DWs instead of 3
  input  logic [10:0]        len_dw_i,  // payload DWs, 0 if none
  input  logic [Width-1:0]   data_i,
  output logic               valid_o,
  input  logic               ready_i,
  output logic               first_o,
  output logic               last_o,
  output logic [CntBits-1:0] count_o,   // DWs in use
  output logic [Width-1:0]   data_o
);

  // At 64 bit two header DWs leave in a beat of their own; what is left of the header, 1 or 2 DWs
  // there and 3 or 4 elsewhere, shares a beat with payload.
  localparam bit          Pre   = Width == 64;
  localparam int unsigned Carry = Pre ? 64 : 128;

  localparam int unsigned LaneBits = $clog2(BeatDw);
  logic                pre_q, flush_q, four_q, four, begins, in_pre, move, more;
  logic [Carry-1:0]    carry_q, front;       // front: what stands in front of the next beat
  logic [LaneBits-1:0] lanes_q, lanes;       // payload DWs of the input's last beat, 0 if all
  logic [CntBits:0]    full;                 // DWs that its end has to bring out,
  logic [CntBits-1:0]  left;                 // and those in its last beat

  // While the end of a TLP is flushed, the next one may stand at the input already.
  assign begins = sop_i && !flush_q;
  assign four   = begins ? four_i : four_q;
  assign in_pre = Pre && begins && !pre_q;
  // The last input beat's payload and what stands in front of it: one beat, or one and a flush.
  assign lanes  = begins ? len_dw_i[LaneBits-1:0] : lanes_q;
  assign full   = (begins && len_dw_i == '0 ? '0 : (CntBits+1)'(lanes == '0 ? BeatDw : 32'(lanes)))
                + (CntBits+1)'(four ? (Pre ? 2 : 4) : (Pre ? 1 : 3));
  assign left   = CntBits'(full - (flush_q ? (CntBits+1)'(BeatDw) : '0));
  assign more   = !flush_q && (in_pre || !eop_i || full > (CntBits+1)'(BeatDw));
  // The payload follows the last header DW.
  if (Pre) begin : gen_narrow
    // A choice of four for each half, a LUT of six inputs a bit: of what was carried, the header's
    // first beat, and its second, whose DWs depend on how many there are.
    logic [1:0]       low, high;
    logic [3:0][31:0] lows, highs;
    assign low     = {begins && !in_pre, begins && (in_pre || !four_i)};
    assign lows    = {head_i[127:96], head_i[95:64], head_i[31:0], carry_q[31:0]};
    assign high    = in_pre ? 2'd1 : !four ? 2'd2 : begins ? 2'd3 : 2'd0;
    assign highs   = {head_i[127:96], data_i[31:0], head_i[63:32], carry_q[63:32]};
    assign data_o  = {highs[high], lows[low]};
    assign front   = {data_i[63:32], four ? data_i[31:0] : data_i[63:32]};     // carried on
  end else begin : gen_wide
    logic [Width+Carry-1:0] wide;
    logic [Carry-1:0]       first;
    assign first   = four_i ? head_i : {32'd0, head_i[127:96], head_i[63:0]};
    assign wide    = four ? {data_i, begins ? first : carry_q} : {32'd0, data_i, begins ? first[95:0] : carry_q[95:0]};
    assign data_o  = wide[Width-1:0];
    assign front   = four ? wide[Width+:Carry] : Carry'({32'd0, wide[Width+:Carry-32]});
  end

  assign valid_o = valid_i || flush_q;
  assign move    = valid_o && ready_i;
  assign ready_o = ready_i && !flush_q && !in_pre;
  assign first_o = begins && !pre_q;
  assign last_o  = !more;
  assign count_o = more ? CntBits'(BeatDw) : left;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pre_q   <= 1'b0;
      flush_q <= 1'b0;
    end else if (move) begin
      pre_q   <= in_pre;
      flush_q <= !in_pre && !flush_q && eop_i && more;
    end
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      if (begins) four_q  <= four_i;
      if (begins) lanes_q <= len_dw_i[LaneBits-1:0];
      if (!in_pre) carry_q <= front;
    end
  end

endmodule
