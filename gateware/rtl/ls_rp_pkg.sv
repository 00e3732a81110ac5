// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// How far a root port's own configuration has come, or where it has failed; and how its link has trained.
package ls_rp_pkg;

  /* verilator lint_off UNUSEDPARAM */

  typedef enum logic [3:0] {
    RpDown    = 4'd0,   // no link
    RpHeader  = 4'd1,   // the block has a Type 1 header
    RpExpress = 4'd2,   // its PCI Express Capability is where it should be, and is a Root Port's
    RpPayload = 4'd3,   // it supports the MPS that is wanted
    RpBuses   = 4'd4,   // bus numbers
    RpWindow  = 4'd5,   // I/O, memory and prefetchable windows
    RpControl = 4'd6,   // Device Control
    RpCommand = 4'd7,   // memory space, bus master
    RpWait    = 4'd8,   // until the device below may be configured
    RpUp      = 4'd9,
    RpLook    = 4'd10   // before RpUp: the device below is asked what its link can
  } rp_step_e;

  // A link. Speeds are as in Link Capabilities: 1 is 2.5 GT/s, 2 is 5, 3 is 8, 4 is 16. 0: not known.
  typedef struct packed {
    logic [3:0] speed;         // what it has trained to
    logic [5:0] width;         // lanes
    logic [3:0] own_speed;     // what the port can
    logic [5:0] own_width;
    logic [3:0] their_speed;   // what the device below can
    logic [5:0] their_width;
    logic       training;
    logic       below;         // it has trained below what both can
  } rp_link_t;

  /* verilator lint_on UNUSEDPARAM */
endpackage
