// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Words of the physical layer at 2.5 GT/s: symbols as a PIPE of 16 bit carries them, the control symbols of
// PCI Express, the scrambler's polynomial, what a training sequence says, and the states of the LTSSM.
package ls_phy_pkg;

  typedef struct packed {
    logic       k;              // a control symbol
    logic [7:0] data;
  } sym_t;

  typedef sym_t [1:0] pair_t;   // [0] is the first on the wire

  localparam sym_t Com = 9'h1bc;
  localparam sym_t Skp = 9'h11c;
  localparam sym_t Idl = 9'h17c;
  localparam sym_t Pad = 9'h1f7;
  localparam sym_t Stp = 9'h1fb;
  localparam sym_t Sdp = 9'h15c;
  localparam sym_t End = 9'h1fd;
  localparam sym_t Edb = 9'h1fe;

  localparam logic [7:0] IdTs1 = 8'h4a;
  localparam logic [7:0] IdTs2 = 8'h45;

  // What TS1 and TS2 carry beside their identifiers.
  typedef struct packed {
    logic       ts2;
    sym_t       link;           // a number, or Pad
    sym_t       lane;
    logic [7:0] n_fts;
    logic [7:0] rate;
    logic [7:0] control;        // hot reset, disable link, loopback, disable scrambling, from bit 0 on
  } ts_t;

  typedef enum logic [4:0] {
    DetectQuiet, DetectActive, PollActive, PollConfig,
    WidthStart, WidthAccept, NumWait, NumAccept, CfgComplete, CfgIdle,
    L0, RcvrLock, RcvrCfg, RcvrIdle
  } ltssm_e;

  // What the transmitter sends.
  typedef enum logic [1:0] {TxQuiet, TxTraining, TxData} tx_mode_e;

  // X^16 + X^5 + X^4 + X^3 + 1, eight bits further; the highest bit is the output.
  function automatic logic [15:0] scramble_next(logic [15:0] state);
    scramble_next = state;
    for (int unsigned i = 0; i < 8; i++)
      scramble_next = {scramble_next[14:0], 1'b0} ^ (scramble_next[15] ? 16'h0039 : 16'h0);
  endfunction

  // What scrambles a byte: the first bit on the wire, its lowest, first.
  function automatic logic [7:0] scramble_key(logic [15:0] state);
    logic [15:0] s;
    s = state;
    for (int unsigned i = 0; i < 8; i++) begin
      scramble_key[i] = s[15];
      s = {s[14:0], 1'b0} ^ (s[15] ? 16'h0039 : 16'h0);
    end
  endfunction

endpackage
