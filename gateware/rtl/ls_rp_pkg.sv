// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// How far a root port's own configuration has come, or where it has failed.
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
    RpUp      = 4'd9
  } rp_step_e;

  /* verilator lint_on UNUSEDPARAM */
endpackage
