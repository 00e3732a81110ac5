// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What goes out, before the scrambler: TS1 or TS2 one after the other, or packets between STP or SDP and END or EDB
// with logical idle where there are none, and a SKP ordered set whenever it is due, between them and never inside.
//
// A packet comes as words of two bytes, an even number of bytes, and once its first word is shown a word must be
// there in every clock. `packet_ready_o` is low where an ordered set or the last symbols of a packet go out.
module ls_phy_tx
  import ls_phy_pkg::*;
#(
  parameter int unsigned SkpSymbols = 1180       // between SKP ordered sets, at least; up to a packet more
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  tx_mode_e    mode_i,
  input  ts_t         ts_i,                      // with TxTraining
  output logic        ts_sent_o,                 // the last symbols of a TS go out
  output logic        data_o,                    // a clock of logical idle or of a packet goes out
  input  logic        packet_valid_i,
  output logic        packet_ready_o,
  input  logic [15:0] packet_data_i,
  input  logic        packet_last_i,
  input  logic        packet_dllp_i,             // with the first word
  input  logic        packet_null_i,             // with the last word: EDB
  output logic        quiet_o,                   // electrical idle
  output pair_t       pair_o
);

  localparam int unsigned TimerBits = $clog2(SkpSymbols / 2 + 1);

  if (SkpSymbols < 64 || SkpSymbols > 1538) begin : gen_check
    $error("%m: SkpSymbols must be 64 to 1538");
  end

  typedef enum logic [2:0] {Idle, Training, Skips, Packet, Tail} what_e;

  what_e              what_q, what;              // what goes out in this clock
  logic [2:0]         at_q;                      // the pair within an ordered set
  logic [TimerBits-1:0] timer_q;
  logic               due_q, null_q, first, over;
  logic [7:0]         held_q;                    // the byte of a packet that waits for its other half of a pair
  ts_t                ts_q;
  logic               quiet;

  // A new thing may begin in this clock.
  assign first = what_q == Idle || over;

  always_comb begin
    what = what_q;
    if (first) begin
      if (mode_i == TxQuiet) what = Idle;
      else if (due_q) what = Skips;
      else if (mode_i == TxTraining) what = Training;
      else if (packet_valid_i) what = Packet;
      else what = Idle;
    end
  end

  // `over_q`: what went out in the clock before was whole.
  logic over_q;
  assign over = over_q;

  logic packet_begins;
  assign packet_begins  = first && what == Packet;
  assign packet_ready_o = what == Packet;
  assign ts_sent_o      = what == Training && !first && at_q == 3'd7;
  assign data_o         = what inside {Packet, Tail} || (what == Idle && mode_i == TxData);
  assign quiet          = what == Idle && mode_i == TxQuiet;

  pair_t pair;
  ts_t   ts;
  sym_t  id;
  assign ts = first ? ts_i : ts_q;
  assign id = {1'b0, ts.ts2 ? IdTs2 : IdTs1};
  always_comb begin
    pair = '0;
    unique case (what)
      Training: begin
        unique case (first ? 3'd0 : at_q)
          3'd0:    pair = {ts.link, Com};
          3'd1:    pair = {1'b0, ts.n_fts, ts.lane};
          3'd2:    pair = {1'b0, ts.control, 1'b0, ts.rate};
          default: pair = {id, id};
        endcase
      end
      Skips:   pair = first ? {Skp, Com} : {Skp, Skp};
      Packet:  pair = {1'b0, packet_data_i[7:0], packet_begins ? (packet_dllp_i ? Sdp : Stp) : {1'b0, held_q}};
      Tail:    pair = {null_q ? Edb : End, 1'b0, held_q};
      default: pair = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      what_q  <= Idle;
      over_q  <= 1'b1;
      at_q    <= '0;
      timer_q <= '0;
      due_q   <= 1'b0;
      quiet_o <= 1'b1;
    end else begin
      quiet_o <= quiet;
      at_q    <= (first ? 3'd0 : at_q) + 3'd1;
      unique case (what)
        Training: over_q <= !first && at_q == 3'd7;
        Skips:    over_q <= !first;
        Packet:   over_q <= 1'b0;
        default:  over_q <= 1'b1;
      endcase
      what_q <= what == Packet && packet_last_i ? Tail : what;
      if (mode_i == TxQuiet) begin
        timer_q <= '0;
        due_q   <= 1'b0;
      end else if (timer_q == TimerBits'(SkpSymbols / 2 - 1)) begin
        timer_q <= '0;
        due_q   <= 1'b1;
      end else begin
        timer_q <= timer_q + 1'b1;
        if (first && what == Skips) due_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    pair_o <= pair;
    held_q <= packet_data_i[15:8];
    null_q <= packet_null_i;
    if (first) ts_q <= ts_i;
  end

endmodule
