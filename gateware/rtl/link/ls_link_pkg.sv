// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Words of the data link layer: sequence numbers, DLLPs, credits, the two CRCs for two bytes a clock, and the times
// that the standard gives to Acks and to replays at x1 and 2.5 GT/s. Sources are named in docs/ls_link.md.
package ls_link_pkg;

  typedef logic [11:0] seq_t;

  typedef struct packed {
    logic [7:0]  hdr;
    logic [11:0] data;
  } fc_t;

  typedef fc_t [2:0] credits_t;         // posted, non-posted, completions, from [0] on

  typedef enum logic [1:0] {DlInactive, DlInit1, DlInit2, DlActive} dl_e;

  typedef logic [31:0] dllp_t;          // without its CRC; the first byte on the wire in 7:0

  // The upper two bits of the first byte; the next two are the class, or 0 of an Ack and 1 of a Nak.
  localparam logic [1:0] AckNak   = 2'd0;
  localparam logic [1:0] InitFc1  = 2'd1;
  localparam logic [1:0] UpdateFc = 2'd2;
  localparam logic [1:0] InitFc2  = 2'd3;

  function automatic dllp_t dllp_ack(logic nak, seq_t seq);
    return {seq[7:0], 4'h0, seq[11:8], 8'h0, AckNak, 1'b0, nak, 4'h0};
  endfunction

  function automatic dllp_t dllp_fc(logic [1:0] kind, logic [1:0] of_class, fc_t fc);
    return {fc.data[7:0], fc.hdr[1:0], 2'b0, fc.data[11:8], 2'b0, fc.hdr[7:2], kind, of_class, 4'h0};
  endfunction

  // The LCRC: the CRC-32 of Ethernet, which goes out complemented, its lowest byte first. A TLP with its LCRC leaves
  // LcrcRight; with its LCRC inverted, as that of a nullified TLP is, 0.
  localparam logic [31:0] LcrcRight = 32'hdebb20e3;

  function automatic logic [31:0] lcrc_next(logic [31:0] crc, logic [15:0] word);
    lcrc_next = crc;
    for (int unsigned i = 0; i < 16; i++)
      lcrc_next = {1'b0, lcrc_next[31:1]} ^ (lcrc_next[0] != word[i] ? 32'hedb88320 : 32'h0);
  endfunction

  // That of a DLLP: X^16 + X^12 + X^3 + X + 1, in the same manner.
  function automatic logic [15:0] dllp_crc_next(logic [15:0] crc, logic [15:0] word);
    dllp_crc_next = crc;
    for (int unsigned i = 0; i < 16; i++)
      dllp_crc_next = {1'b0, dllp_crc_next[15:1]} ^ (dllp_crc_next[0] != word[i] ? 16'hd008 : 16'h0);
  endfunction

  // The longest time from a TLP to its Ack, in clocks of two symbols: of a Max_Payload_Size of 128, 256 and 512 bytes.
  localparam int unsigned Ack128 = ((128 + 28) * 14 / 10 + 19) / 2;
  localparam int unsigned Ack256 = ((256 + 28) * 14 / 10 + 19) / 2;
  localparam int unsigned Ack512 = ((512 + 28) + 19) / 2;
  // From a TLP to its replay: three times as long, at least, and twice that at most.
  localparam int unsigned Replay128 = (3 * ((128 + 28) * 14 / 10 + 19) + 1) / 2;
  localparam int unsigned Replay256 = (3 * ((256 + 28) * 14 / 10 + 19) + 1) / 2;
  localparam int unsigned Replay512 = (3 * ((512 + 28) + 19) + 1) / 2;

endpackage
