// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Link training at x1 and 2.5 GT/s, from Detect to L0 and through Recovery, as an upstream port (endpoint) and as a
// downstream port (root). Its transitions, and which of the standard's states are not there, are in docs/ls_mac.md.
// Every state but L0 has a time, after which it leaves for Detect.
module ls_ltssm
  import ls_phy_pkg::*;
#(
  parameter bit          Down    = 1'b0,          // a downstream port
  parameter logic [7:0]  Link    = 8'd0,          // the number that a downstream port gives
  parameter logic [7:0]  Fts     = 8'd255,        // N_FTS; L0s is not entered
  parameter int unsigned MsCycles = 125_000,      // a millisecond; less makes simulations short
  parameter int unsigned Ts1Count = 1024          // TS1 of Polling.Active
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // PIPE
  output logic       detect_o,
  output logic [1:0] power_down_o,
  input  logic       phy_status_i,
  input  logic [2:0] rx_status_i,
  input  logic       rx_idle_i,
  output logic       polarity_o,
  // what goes out and comes in
  output tx_mode_e   mode_o,
  output ts_t        ts_o,
  input  logic       ts_sent_i,
  input  logic       data_sent_i,
  input  logic       ts_valid_i,
  input  logic       inverted_i,
  input  ts_t        ts_i,
  input  logic       idle_i,                      // two symbols of logical idle came
  // the data link layer
  input  logic       retrain_i,
  output logic       link_up_o,                   // L0, and Recovery as long as it lasts: not through Detect
  output logic       l0_o,
  output ltssm_e     state_o
);

  if (MsCycles < 1 || Ts1Count < 1 || Ts1Count > 1024) begin : gen_check
    $error("%m: MsCycles must be 1 or more, Ts1Count 1 to 1024");
  end

  localparam int unsigned MsBits = $clog2(MsCycles + 1);
  localparam logic [7:0]  Rate25 = 8'h02;

  ltssm_e            state_q, state;
  logic [MsBits-1:0] cycle_q;
  logic [5:0]        ms_q;
  logic [9:0]        sent_q;                      // TS since one came; those of Polling.Active from its begin
  logic [3:0]        same_q, same;                // TS that came one after the other
  logic [1:0]        turned_q;                    // inverted ones, one after the other
  logic              heard_q, ready_q, found_q, up_q;
  logic [7:0]        link_q;
  logic              match, late, ready;
  // What came, a clock later: a TS, of an exchanged line; what it says.
  logic              came_q, inverted_q, ts2_q, pads_q, ours_q, asks_q, number_q;
  logic [7:0]        told_q;
  logic [5:0]        limit;

  assign state_o   = state_q;
  assign l0_o      = state_q == L0;
  assign link_up_o = up_q;

  // ---- what came ------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    came_q     <= rst_ni && ts_valid_i;
    inverted_q <= inverted_i;
    ts2_q      <= ts_i.ts2;
    pads_q     <= ts_i.link == Pad && ts_i.lane == Pad;
    ours_q     <= ts_i.link == {1'b0, link_q} && ts_i.lane == 9'd0;
    asks_q     <= ts_i.lane == Pad && (Down ? ts_i.link == {1'b0, Link} : !ts_i.link.k);
    number_q   <= !ts_i.link.k;
    told_q     <= ts_i.link.data;
  end
  always_comb begin
    unique case (state_q)
      PollActive:  match = pads_q;
      PollConfig:  match = pads_q && ts2_q;
      WidthStart:  match = !ts2_q && asks_q;
      WidthAccept: match = !ts2_q && ours_q;
      NumWait:     match = ours_q && (Down || ts2_q);
      RcvrLock:    match = ours_q;
      CfgComplete, RcvrCfg: match = ours_q && ts2_q;
      default:     match = 1'b0;
    endcase
  end
  assign same = !came_q ? same_q : !match || inverted_q ? '0 : same_q + 4'(same_q != 4'd8);

  // N_FTS, rates and the control bits are not looked at: L0s, more than 2.5 GT/s, Hot Reset, Disabled and Loopback are not there.
  logic unused;
  assign unused = &{ts_i.n_fts, ts_i.rate, ts_i.control};

  // ---- how long a state may last ----------------------------------------------------------------------
  always_comb begin
    unique case (state_q)
      DetectQuiet, DetectActive:        limit = 6'd12;
      PollActive, WidthStart, RcvrLock: limit = 6'd24;
      PollConfig, RcvrCfg:              limit = 6'd48;
      default:                          limit = 6'd2;
    endcase
  end
  assign late = ms_q == limit;
  // Of the end of a reset it may have told before this module looked.
  assign ready = ready_q || ms_q != '0;

  // ---- from state to state ----------------------------------------------------------------------------
  always_comb begin
    state = state_q;
    unique case (state_q)
      DetectQuiet:  if (ready && (late || !rx_idle_i)) state = DetectActive;
      DetectActive: if (phy_status_i) state = rx_status_i == 3'd3 ? PollActive : DetectQuiet;
      PollActive:   if (same_q == 4'd8 && sent_q == 10'(Ts1Count - 1)) state = PollConfig;
      PollConfig:   if (same_q == 4'd8 && sent_q >= 10'd16) state = WidthStart;
      WidthStart:   if (same_q >= 4'd2) state = WidthAccept;
      WidthAccept:  if (Down || same_q >= 4'd2) state = NumWait;
      NumWait:      if (same_q >= 4'd2) state = NumAccept;
      NumAccept:    state = CfgComplete;
      CfgComplete:  if (same_q == 4'd8 && sent_q >= 10'd16) state = CfgIdle;
      RcvrLock:     if (same_q == 4'd8) state = RcvrCfg;
      RcvrCfg:      if (same_q == 4'd8 && sent_q >= 10'd16) state = RcvrIdle;
      CfgIdle, RcvrIdle: if (heard_q && sent_q >= 10'd8) state = L0;
      L0:           if (retrain_i || came_q) state = RcvrLock;
      default:      state = DetectQuiet;
    endcase
    if (late && state == state_q && !(state_q inside {DetectQuiet, L0})) state = DetectQuiet;
  end

  // ---- counters ---------------------------------------------------------------------------------------
  logic changes, counts;
  assign changes = state != state_q;
  // A TS counts once one that matches has come, in Polling.Active from the first on; in the states of idle a clock of it does.
  assign counts  = state_q inside {CfgIdle, RcvrIdle} ? data_sent_i && heard_q
                 : ts_sent_i && (heard_q || state_q == PollActive);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= DetectQuiet;
      cycle_q  <= '0;
      ms_q     <= '0;
      sent_q   <= '0;
      same_q   <= '0;
      heard_q  <= 1'b0;
      up_q     <= 1'b0;
      ready_q  <= 1'b0;
      found_q  <= 1'b0;
      turned_q <= '0;
      polarity_o <= 1'b0;
    end else begin
      state_q <= state;
      if (changes) begin
        cycle_q <= '0;
        ms_q    <= '0;
        sent_q  <= '0;
        same_q  <= '0;
        heard_q <= 1'b0;
      end else begin
        if (cycle_q == MsBits'(MsCycles - 1)) begin
          cycle_q <= '0;
          ms_q    <= ms_q + 6'(!late);
        end else cycle_q <= cycle_q + 1'b1;
        if (counts && !(&sent_q) && !(state_q == PollActive && sent_q == 10'(Ts1Count - 1))) sent_q <= sent_q + 1'b1;
        if (state_q inside {CfgIdle, RcvrIdle}) same_q <= !idle_i ? (came_q ? '0 : same_q) : same_q + 4'(same_q != 4'd8);
        else same_q <= same;
        heard_q <= heard_q || (state_q inside {CfgIdle, RcvrIdle} ? same_q >= 4'd4 : came_q && match && !inverted_q);
      end
      up_q <= state == L0 || (up_q && state inside {RcvrLock, RcvrCfg, RcvrIdle});
      // The PHY has answered the end of its reset, or that it is in P1; that a receiver was found, in P0.
      ready_q <= state_q == DetectQuiet ? !changes && (ready_q || phy_status_i) : state == DetectQuiet && state_q == DetectActive;
      found_q <= state_q == PollActive && (found_q || phy_status_i);
      if (state inside {DetectQuiet, DetectActive}) begin
        turned_q   <= '0;
        polarity_o <= 1'b0;
      end else if (came_q && state_q inside {PollActive, PollConfig}) begin
        turned_q <= !inverted_q ? '0 : turned_q == 2'd3 ? 2'd0 : turned_q + 1'b1;
        if (inverted_q && turned_q == 2'd3) polarity_o <= !polarity_o;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == DetectQuiet) link_q <= Link;
    else if (!Down && state_q == WidthStart && came_q && number_q) link_q <= told_q;
  end

  // ---- what goes out ----------------------------------------------------------------------------------
  assign detect_o     = state_q == DetectActive;
  assign power_down_o = state_q inside {DetectQuiet, DetectActive} ? 2'd2 : 2'd0;
  always_comb begin
    unique case (state_q)
      DetectQuiet, DetectActive: mode_o = TxQuiet;
      PollActive:                mode_o = found_q ? TxTraining : TxQuiet;
      CfgIdle, RcvrIdle, L0:     mode_o = TxData;
      default:                   mode_o = TxTraining;
    endcase
    ts_o = '{ts2: state_q inside {PollConfig, CfgComplete, RcvrCfg}, link: Pad, lane: Pad, n_fts: Fts, rate: Rate25, control: '0};
    if (!(state_q inside {PollActive, PollConfig}) && !(state_q == WidthStart && !Down)) ts_o.link = {1'b0, link_q};
    if (state_q inside {NumWait, NumAccept, CfgComplete, RcvrLock, RcvrCfg}) ts_o.lane = '0;
  end

endmodule
