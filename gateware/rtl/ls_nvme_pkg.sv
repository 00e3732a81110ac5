// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The vocabulary of the NVMe host: user commands and their reports, why a command or the bring-up
// failed, and the instructions of the sequencer that brings a drive up.
package ls_nvme_pkg;

  // The engine is linted with it, and uses nothing of it.
  /* verilator lint_off UNUSEDPARAM */

  typedef enum logic [2:0] {
    OpRead  = 3'd0,
    OpWrite = 3'd1,
    OpFlush = 3'd2,
    OpZero  = 3'd3,        // Write Zeroes
    OpTrim  = 3'd4,        // Dataset Management, attribute Deallocate
    OpFormat = 3'd5,       // Format NVM of namespace 1: `lba` is FormatKey, `nlb` is Command Dword 10
    OpRefused = 3'd6       // what a command that is none becomes, or a Format without its key
  } op_e;

  // "ERASEALL": no command formats a drive by mistake.
  localparam logic [63:0] FormatKey = 64'h4552_4153_4541_4c4c;
  // What a user may set in Command Dword 10 of a Format: SES and LBAF. No metadata, no protection.
  localparam logic [15:0] FormatBits = 16'h0e0f;

  // Has data in a stream.
  function automatic logic moves(input op_e op);
    return op == OpRead || op == OpWrite;
  endfunction

  // Why something ended without success; beside it stands the Status Field where the drive sent one.
  typedef enum logic [3:0] {
    WhyNone    = 4'd0,
    WhyStatus  = 4'd1,   // the drive answered with an error status
    WhyTimeout = 4'd2,   // no answer in time: of a command, of a request, of CSTS.RDY
    WhyUr      = 4'd3,   // Unsupported Request
    WhyCa      = 4'd4,   // Completer Abort
    WhyPoison  = 4'd5,   // poisoned data
    WhyCrs     = 4'd6,   // Configuration Request Retry Status without end
    WhyCfs     = 4'd7,   // Controller Fatal Status
    WhyCid     = 4'd8,   // a completion with an identifier that is not out, or out no more
    WhyReset   = 4'd9,   // was in flight when the drive was reset, or came while there is none
    WhyAbsent  = 4'd10,  // nothing there: registers read as all ones, or the link is down
    WhyUnfit   = 4'd11,  // a drive that this host cannot work with; the step says in what
    WhyLost    = 4'd12,  // of a flush: the drive was brought up again by itself, and may have lost what was acknowledged before
    WhyAbort   = 4'd13,  // no answer in time, and the Abort of that command has failed too
    WhyRefused = 4'd14,  // no such operation, or a Format without its key
    WhyShut    = 4'd15   // the drive was shut down, as the user has asked
  } why_e;

  // Steps of the bring-up, as the fail code names them.
  typedef enum logic [4:0] {
    StepIdle     = 5'd0,
    StepFind     = 5'd1,   // configuration space answers, class code
    StepBar      = 5'd2,   // BAR0: size, address
    StepExpress  = 5'd3,   // PCI Express capability: MPS, MRRS, extended tags
    StepMaster   = 5'd4,   // memory space, bus master
    StepCap      = 5'd5,   // CAP: DSTRD, MQES, MPSMIN, CSS
    StepDisable  = 5'd6,   // CC.EN = 0, CSTS.RDY = 0
    StepEnable   = 5'd7,   // admin queues, CC.EN = 1, CSTS.RDY = 1
    StepIdCtrl   = 5'd8,   // Identify controller
    StepIdNs     = 5'd9,   // Identify namespace
    StepQueues   = 5'd10,  // Set Features: Number of Queues
    StepCq       = 5'd11,  // Create I/O Completion Queue
    StepSq       = 5'd12,  // Create I/O Submission Queue
    StepRun      = 5'd13,  // running
    StepSwitch   = 5'd14,  // before StepBar: a drive is looked for below a switch
    StepBridge   = 5'd15,  // before StepMaster: bus numbers, window and bus master of the switches' ports
    StepCache    = 5'd16,  // before StepIdNs: Set Features: Volatile Write Cache
    StepPower    = 5'd17,  // likewise: Power Management
    StepShut     = 5'd18   // after StepRun: I/O queues deleted, CC.SHN = 01b, CSTS.SHST = 10b
  } step_e;

  typedef struct packed {
    op_e         op;
    logic        fua;      // OpWrite, OpZero: Force Unit Access
    logic [63:0] lba;
    logic [31:0] nlb;      // number of blocks less one, as in the standard; not for a flush
    logic [15:0] tag;
  } user_cmd_t;

  typedef struct packed {
    why_e        why;
    logic [14:0] status;   // Status Field without its phase, where the drive sent an error
    logic [15:0] tag;
  } user_done_t;

  // What is remembered of a command in flight.
  typedef struct packed {
    op_e         op;
    logic        last;     // of its user command
    logic [12:0] units;    // of 512 bytes
    logic [15:0] tag;
  } rec_t;

  // A command on its way to the drive.
  typedef struct packed {
    rec_t        rec;
    logic        fua;
    logic [63:0] lba;
    logic [15:0] nlb;      // less one
    logic [31:0] pos;      // place in its buffer, in units of 512 bytes
  } cmd_t;

  // What bring-up found out.
  typedef struct packed {
    logic [2:0]  mps;         // as in Device Control
    logic [3:0]  dstrd;
    logic [1:0]  block_log2;  // block size 512 << this
    logic        vwc;         // a volatile write cache is present
    logic [3:0]  format;      // index of the LBA format in use
    logic [15:0] max_blocks;  // of a command
  } drive_t;

  // When a step of the bring-up last began.
  typedef struct packed {
    logic        begun;       // since the host last looked for its drive
    logic [15:0] ticks;       // from then on; stops at its end
  } trail_t;

  // The health of a drive: the beginning of the SMART / Health Information log.
  typedef struct packed {
    logic [7:0]  warning;     // Critical Warning
    logic [15:0] kelvin;      // Composite Temperature
    logic [7:0]  spare;       // Available Spare, per cent
    logic [7:0]  threshold;   // of it
    logic [7:0]  used;        // Percentage Used, saturates at 255
  } health_t;

  // ---- record and play -------------------------------------------------------------------------
  localparam int unsigned LbaBits = 48;    // of a region and of places in it

  // What is asked for. The region is `blocks` blocks from `first` on.
  typedef struct packed {
    logic                play;      // read the region, not write it
    logic                skip;      // go on after a command that failed
    logic [LbaBits-1:0]  first;
    logic [LbaBits-1:0]  blocks;
    logic [LbaBits-1:0]  offset;    // where in the region it begins
    logic [LbaBits-1:0]  count;     // so many blocks, then it ends by itself; 0: without end
    logic [15:0]         chunk;     // blocks of a command
  } record_ask_t;

  // Why it ended.
  typedef enum logic [2:0] {
    EndStop   = 3'd0,      // asked to
    EndCount  = 3'd1,      // `count` blocks are done
    EndError  = 3'd2,      // a command failed
    EndDead   = 3'd3,      // the host has given the drive up
    EndRegion = 3'd4,      // refused: the region is empty or goes beyond the drive, or does not hold `offset`
    EndChunk  = 3'd5,      // refused: no block to a command, or more than the host's buffer of write data holds
    EndBuffer = 3'd6       // the buffer has stopped for ever: all must be reset
  } record_end_e;

  // Where it stands: what is reported by the drive, good or bad.
  typedef struct packed {
    logic [LbaBits-1:0]  at;        // offset in the region of the block that would be next
    logic [LbaBits-1:0]  blocks;    // since the start
    logic [31:0]         wraps;     // how often the last block of the region was passed
    logic [12:0]         pad;       // record: bytes of zeros at the end of the last block
    logic [31:0]         errors;    // commands that failed
    logic [LbaBits-1:0]  lost;      // blocks of them
  } record_place_t;

  // A command that failed.
  typedef struct packed {
    why_e                why;
    logic [14:0]         status;
    logic                flush;     // the flush at the end: no blocks, but none of the record is known to be durable
    logic [LbaBits-1:0]  lba;
    logic [15:0]         blocks;
  } record_fail_t;

  // What one piece of the stream took, 2**GigLog2 bytes of it, or what was left at the end.
  typedef struct packed {
    logic [31:0]         number;    // of the piece, from 0
    logic [39:0]         bytes;
    logic [47:0]         cycles;    // after the beat before its first one, until its last; all of these saturate
    logic [47:0]         stalled;   // of these: the user waited for us
    logic [47:0]         longest;   // without a break
    logic [39:0]         high;      // record: most bytes taken and not yet reported by the drive
  } record_fig_t;

  // ---- the sequencer ---------------------------------------------------------------------------
  typedef enum logic [4:0] {
    InMov, InAdd, InSub, InAnd, InOr, InXor,           // the accumulator and an operand
    InRor8, InShl, InShr,                              // by 8; by one
    InSt,                                              // the accumulator to a register
    InJmp, InJz, InJnz, InJn, InCall, InRet,           // Jn: bit 31 is set
    InCfgRd, InCfgWr, InBarRd, InBarWr,                // the operand is the address
    InSqWr, InMemRd,                                   // a DW of the submission queues; of what the drive wrote
    InTime,                                            // ticks since reset
    InFault,                                           // what has gone wrong while running
    InAsk,                                             // what is asked for while running
    InOut,                                             // to what bring-up found out
    InStep, InFail,
    InKill, InClear, InRun, InPause
  } in_e;

  typedef struct packed {
    in_e         op;
    logic        reg_op;      // the operand is a register, not `imm`
    logic [3:0]  r;
    logic [31:0] imm;
  } ins_t;

  // Outputs by number.
  localparam logic [3:0] OutMps = 4'd0, OutDstrd = 4'd1, OutBlock = 4'd2, OutMax = 4'd3, OutVwc = 4'd4,
                         OutSizeLow = 4'd5, OutSizeHigh = 4'd6, OutFormat = 4'd7, OutLog = 4'd8, OutHealthEnd = 4'd9,
                         OutFormatEnd = 4'd10, OutBdf = 4'd11;

  // Of the address of a configuration request: that nobody is there (UR) is no failure, but reads as all ones.
  localparam logic [31:0] Soft = 32'h8000_0000;

  // What is asked of the sequencer, in bits 1:0; in 31:16 the identifier to abort, or Command Dword 10 of the Format. Also what
  // the admin command that is out is for; AskAborted is the wait for the command that was to be aborted.
  localparam logic [31:0] AskHealth = 32'd1, AskAbort = 32'd2, AskFormat = 32'd3, AskAborted = 32'd4;
  // A bit of its own: nothing is out then, and nothing comes after it.
  localparam logic [31:0] AskShut = 32'd8;

  // What is done about the drive's volatile write cache, where it has one; a power state that is none.
  localparam int unsigned CacheLeft = 0, CacheOn = 1, CacheOff = 2, PowerLeft = 32;

  // Words of the program, as the power of two that holds them.
  function automatic int unsigned rom_bits(input int unsigned switch, input int unsigned share, input int unsigned cache,
                                           input int unsigned power, input int unsigned shut);
    return (switch == 0 && share == 0 && cache == CacheLeft && power == PowerLeft && shut == 0) ? 9 : 10;
  endfunction

  // Regions of the memory as the drive sees it.
  localparam logic [2:0] RegSq = 3'd0, RegCq = 3'd1, RegWr = 3'd2, RegRd = 3'd3, RegWrList = 3'd4, RegRdList = 3'd5;

  function automatic int unsigned region_bits(input int unsigned wr_bytes, input int unsigned rd_bytes);
    int unsigned most;
    most = (wr_bytes > rd_bytes) ? wr_bytes : rd_bytes;
    return (most < 65536) ? 16 : $clog2(most);
  endfunction

  // The I/O queue, of twice the window, is at the start of its region, the admin queue, of so many
  // entries, at the middle. Bytes of the I/O queue in its memory, no less than the admin queue has:
  localparam int unsigned Admin = 16;
  function automatic int unsigned sq_bits(input int unsigned cmds);
    return (2 * cmds < Admin) ? $clog2(Admin * 64) : $clog2(2 * cmds * 64);
  endfunction
  // Behind the admin completion queue lies the log page: bytes from the middle of the region.
  localparam int unsigned LogBytes = 512, LogAt = 512;
  function automatic int unsigned cq_bits(input int unsigned cmds);
    return (sq_bits(cmds) - 2 < $clog2(LogAt + LogBytes)) ? $clog2(LogAt + LogBytes) : sq_bits(cmds) - 2;
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
