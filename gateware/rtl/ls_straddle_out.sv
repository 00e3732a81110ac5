// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Requests for a block that lets a TLP begin in the upper half of the beat in whose lower half
// another one ends (RQ of the UltraScale+ block at 512 bit, straddling on). Header and payload of
// one TLP after the other are laid into half beats; a TLP begins in the lower half, or in the upper
// half while the one before it ends in the lower, as the block demands.
//
// A beat comes in and a beat goes out in a cycle, so a TLP that is only a header takes a beat here
// unless it meets the end of another. A beat that is shown stays as it is until it is taken.
module ls_straddle_out #(
  parameter int unsigned Width = 512,
  localparam int unsigned BeatDw = Width / 32,
  localparam int unsigned Half   = BeatDw / 2,
  localparam int unsigned PtrBits = $clog2(BeatDw)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  output logic               ready_o,
  input  logic               sop_i,
  input  logic               eop_i,
  input  logic [127:0]       head_i,      // 4 DWs; counts with sop, as the byte enables do
  input  logic [7:0]         be_i,
  input  logic [10:0]        len_dw_i,    // payload DWs, 0 if none
  input  logic [Width-1:0]   data_i,
  output logic               valid_o,
  input  logic               ready_i,
  output logic               sop_o,       // a TLP begins in this beat,
  output logic               sop_high_o,  // in its upper half
  output logic [7:0]         be_o,        // its byte enables
  output logic [1:0]         eop_o,       // one ends, two end
  output logic [1:0][PtrBits-1:0] end_o,  // in which DW
  output logic [Width-1:0]   data_o
);

  // What is left over from a beat: 4 DWs of a TLP that began low, 4 more than a half of one that
  // began high.
  localparam int unsigned Carry = Half + 4;

  if (Half < 8) begin : gen_check
    $error("%m: Width must be at least 512");
  end

  logic                open_q, flush_q, high_q;   // a TLP is open; all of it is in; it began high
  logic [Carry*32-1:0] carry_q;
  logic [11:0]         left_q, total, left;       // DWs of it that have not gone
  logic                start_low, start_high, go, adv, take, one_ends, new_ends, high;
  logic [Width-1:0]    low_way, high_way;

  assign adv        = !valid_o || ready_i;
  assign total      = 12'(len_dw_i) + 12'd4;
  assign start_low  = valid_i && !open_q;
  assign start_high = valid_i && flush_q && left_q <= 12'(Half);
  assign go         = flush_q || valid_i;
  assign take       = valid_i && (!flush_q || start_high);
  assign ready_o    = adv && (!flush_q || start_high);

  // The two places that a TLP's payload may have.
  assign high     = open_q ? high_q : 1'b0;
  assign low_way  = {data_i[Width-129:0], open_q ? carry_q[127:0] : head_i};
  assign high_way = start_high ? {data_i[(Half-4)*32-1:0], head_i, carry_q[Half*32-1:0]}
                               : {data_i[(Half-4)*32-1:0], carry_q};

  assign left     = open_q ? left_q : total;
  assign one_ends = left <= 12'(BeatDw);                      // the TLP that is lowest in this beat
  assign new_ends = start_high && total <= 12'(Half);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q  <= 1'b0;
      flush_q <= 1'b0;
      valid_o <= 1'b0;
    end else if (adv) begin
      valid_o <= go;
      if (go) begin
        open_q  <= start_high ? !new_ends : !one_ends;
        flush_q <= start_high ? !new_ends && eop_i : !one_ends && (flush_q || eop_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (adv && take) begin
      // Began low: the last 4 DWs wait. Began high: all but those that had room above the carry.
      carry_q <= (start_high || high) ? data_i[Width-1:(Half-4)*32]
                                      : (Carry*32)'(data_i[Width-1:Width-128]);
    end
    if (adv && go) begin
      left_q     <= start_high ? total - 12'(Half) : left - 12'(BeatDw);
      high_q     <= start_high || high;
      sop_o      <= start_low || start_high;
      sop_high_o <= start_high;
      be_o       <= be_i;
      eop_o      <= {one_ends && new_ends, one_ends || new_ends};
      end_o[0]   <= PtrBits'(left - 12'd1);
      end_o[1]   <= PtrBits'(12'(Half) + total - 12'd1);
      data_o     <= (start_high || high) ? high_way : low_way;
    end
  end

  logic unused;
  assign unused = sop_i;

endmodule
