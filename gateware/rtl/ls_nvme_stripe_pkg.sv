// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The vocabulary of ls_nvme_stripe: the report of a user command, why a set of drives cannot be striped,
// and the plan by which the streams are cut and joined.
package ls_nvme_stripe_pkg;
  import ls_nvme_pkg::*;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned MostDrives = 8;
  // Addresses within the stripe are in units of 512 bytes. A drive counts with 2^46 - 1 blocks at most, 32 PiB of 512 bytes.
  localparam int unsigned UnitBits   = 56;
  // What the stripe itself answers beyond its capacity: LBA Out of Range, as a drive does.
  localparam logic [14:0] OutOfRange = 15'h0080;

  typedef struct packed {
    why_e        why;
    logic [14:0] status;   // Status Field without its phase, where a drive sent an error
    logic [15:0] tag;
    logic        own;      // the stripe refused it, no drive has seen it
    logic [2:0]  drive;    // of the first error that was reported
  } stripe_done_t;

  // Why the drives are no stripe. Beside it stands the number of the drive.
  typedef enum logic [2:0] {
    FaultNone    = 3'd0,
    FaultDead    = 3'd1,   // has never come up: its step and cause tell more
    FaultBlock   = 3'd2,   // another block size than drive 0
    FaultChunk   = 3'd3,   // blocks larger than a chunk
    FaultSmall   = 3'd4,   // smaller than a chunk
    FaultChanged = 3'd5    // came back with another block size, or smaller: only a reset ends this
  } fault_e;

  // What belongs to a read or a write in its stream.
  typedef struct packed {
    logic        own;      // refused: one byte in error of a read, data of no drive of a write
    logic [2:0]  drive;    // where it begins,
    logic [19:0] at;       // so many units into a chunk
    logic [35:0] units;    // less one
  } plan_t;

  typedef struct packed {
    logic [MostDrives-1:0] drives;   // that report
    logic                  own;
    why_e                  why;      // then
    logic [15:0]           tag;
  } expect_t;

  /* verilator lint_on UNUSEDPARAM */
endpackage
