// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The mirror of ls_hdr_insert: takes 3 or 4 header DWs off the front of a row of DWs and moves the
// payload down to lane 0. The header is given out beside the first payload beat.
module ls_hdr_strip #(
  parameter int unsigned Width = 128,
  parameter int unsigned Side  = 1,     // width of what comes beside the first beat
  parameter bit          Late  = 1'b0,  // the header says in DW 2 or 3 what follows it: four_i, len_dw_i
  localparam int unsigned BeatDw = Width / 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  input  logic [Side-1:0]  side_i,
  input  logic             tail_i,      // what comes beside the last beat
  // Of the header as it comes out below, decoded by the caller:
  output logic [127:0]     head_o,      // the header of the packet being taken apart
  output logic [Side-1:0]  side_o,
  input  logic             four_i,
  input  logic [10:0]      len_dw_i,    // payload DWs, 0 if none
  output logic             valid_o,
  input  logic             ready_i,
  output logic             sop_o,
  output logic             eop_o,
  output logic             tail_o,      // beside the last beat
  output logic [Width-1:0] data_o
);

  // `Lead` header DWs may share a beat with payload: 1 or 2 at 64 bit, after a beat of header
  // alone; 3 or 4 elsewhere. At 64 bit the header is in registers before anything goes out, and a
  // packet whose payload is all in the header's beat is given out from them, a cycle later.
  localparam bit Pre = Width == 64;

  typedef enum logic [1:0] {StPre, StHead, StBody, StFlush} state_e;
  localparam state_e StFirst = Pre ? StPre : StHead;
  state_e             state_q;
  logic [Width-1:0]   prev_q;
  logic [127:0]       head_q, head_d;
  logic [Side-1:0]    side_q;
  logic               sop_q, four_q, tail_q, four, take, head_now, silent, give;
  logic [11:0]        bring_q;            // payload DWs still to come in
  logic [11:0]        space, after;
  logic [Width-1:0]   high, low, shifted;

  assign head_now = (state_q == StHead);
  if (Pre) begin : gen_head_narrow
    // In the header's last beat its upper half is not in the register yet.
    assign head_o = (Late && head_now) ? head_d : head_q;
    assign side_o = side_q;
    assign head_d = {data_i, head_now ? head_q[63:0] : data_i};
  end else begin : gen_head_wide
    assign head_o = head_now ? data_i[127:0] : head_q;
    assign side_o = head_now ? side_i : side_q;
    assign head_d = data_i[127:0];
  end

  // DWs of payload in the header's last beat.
  assign four  = head_now ? four_i : four_q;
  assign space = 12'(BeatDw) - (Pre ? (four ? 12'd2 : 12'd1) : (four ? 12'd4 : 12'd3));
  assign after = 12'(len_dw_i) - space;   // payload still to come after that beat

  // Rows join where the header's end falls.
  always_comb begin
    if (Pre) begin
      high = four ? '0 : Width'(prev_q >> 32);
      low  = four ? data_i : Width'(data_i << 32);
    end else begin
      high = four ? (prev_q >> 128) : (prev_q >> 96);
      low  = four ? (data_i << (Width - 128)) : (data_i << (Width - 96));
    end
  end
  assign shifted = four ? (data_i >> 128) : (data_i >> 96);

  logic whole, ends;
  assign whole  = 12'(len_dw_i) <= space;                 // all payload is in the header's beat
  assign silent = (state_q == StPre) || (head_now && (Pre || !whole));
  // What came in the header's beat goes out with the first, so as much waits in every beat.
  assign ends   = (state_q == StFlush) || bring_q <= 12'(BeatDw) - space;
  assign give   = (head_now && whole && !Pre) || state_q == StBody;

  assign valid_o = (state_q == StFlush) || (valid_i && give);
  assign ready_o = (state_q == StFlush) ? 1'b0 : (silent || ready_i);
  assign take    = valid_i && ready_o;
  assign sop_o   = head_now || sop_q;
  assign eop_o   = head_now ? whole : ends;
  assign tail_o  = (state_q == StFlush) ? tail_q : tail_i;
  assign data_o  = (head_now && !Pre) ? shifted : (state_q == StFlush) ? high : (high | low);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StFirst;
      sop_q   <= 1'b0;
    end else begin
      if (valid_o && ready_i) sop_q <= 1'b0;
      unique case (state_q)
        StPre:  if (take) state_q <= StHead;
        StHead: if (take) begin
          sop_q   <= Pre || !whole;
          state_q <= !whole ? StBody : Pre ? StFlush : StFirst;
        end
        StBody: if (take) begin
          // This beat brings more than leaves with it.
          if (bring_q <= 12'(BeatDw)) state_q <= ends ? StFirst : StFlush;
        end
        default: if (ready_i) state_q <= StFirst;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      prev_q <= data_i;
      tail_q <= tail_i;
      if (state_q == StPre || head_now) begin
        head_q <= head_d;
        if (!Pre || !head_now) side_q <= side_i;
      end
      if (head_now) begin
        four_q  <= four_i;
        bring_q <= after;
      end else begin
        bring_q <= bring_q - 12'(BeatDw);
      end
    end
  end

endmodule
