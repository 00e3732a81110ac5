// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A root port's own configuration space, written by the block's Configuration Management interface: nobody
// is above it to send configuration requests. A table of accesses, done in order each time that the link
// comes up; what was written and matters is read back, so a block that was set as something else, or that
// keeps nothing, is told and not used.
//
// The interface is that of PG054 (Configuration Management Interface; the 7-series block) and of PG213
// (Configuration Management Interface; UltraScale+) alike: a DWORD's address, an enable that stands until
// done, done for a cycle.
//
// Afterwards it waits as long as the standard wants software to, before the first configuration request to
// the device below (Conventional Reset: 100 ms). Root Control is left as it is: without CRS Software
// Visibility a completion with CRS is handed on as it is, and whoever made the request makes it again.
module ls_rp_cfg
  import ls_rp_pkg::*;
#(
  parameter logic [11:0] Express     = 12'h060,        // where the block has its PCI Express Capability
  parameter logic [7:0]  PriBus      = 8'd0,
  parameter logic [7:0]  SecBus      = 8'd1,           // directly below
  parameter logic [7:0]  SubBus      = 8'd1,           // the last bus below
  parameter logic [63:0] WindowBase  = 64'he000_0000,  // memory space of what is below
  parameter logic [63:0] WindowBytes = 64'h0100_0000,
  parameter int unsigned MaxPayload  = 512,            // MPS
  parameter int unsigned WaitCycles  = 25000000,       // 100 ms
  parameter int unsigned DoneCycles  = 4096            // an access that takes longer has failed
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        link_i,          // the link is up
  input  logic        busy_i,          // another one's access is under way: it ends first
  output logic        up_o,            // and configured, and the device below may be asked
  output logic        failed_o,        // until the link goes down
  output rp_step_e    step_o,

  output logic [9:0]  mgmt_addr_o,     // a DWORD's address
  output logic        mgmt_read_o,
  output logic        mgmt_write_o,
  output logic [31:0] mgmt_data_o,
  output logic [3:0]  mgmt_be_o,
  input  logic [31:0] mgmt_data_i,
  input  logic        mgmt_done_i
);

  localparam logic [63:0] WindowLast = WindowBase + WindowBytes - 64'd1;
  localparam bit          High       = WindowBase[63:32] != '0;
  localparam logic [2:0]  MpsCode    = 3'($clog2(MaxPayload) - 7);

  if (WindowBase[19:0] != '0 || WindowBytes[19:0] != '0 || WindowBytes == '0) begin : gen_check_window
    $error("%m: WindowBase and WindowBytes must be multiples of 1 MiB");
  end
  if ((WindowBase[63:32] == '0) != (WindowLast[63:32] == '0) || WindowLast < WindowBase) begin : gen_check_4g
    $error("%m: the window must lie below 4 GiB or above");
  end
  if (MaxPayload < 128 || MaxPayload > 4096 || (MaxPayload & (MaxPayload - 1)) != 0) begin : gen_check_mps
    $error("%m: MaxPayload must be a power of two, 128 to 4096");
  end
  if (SecBus <= PriBus || SubBus < SecBus) begin : gen_check_bus
    $error("%m: SecBus must be above PriBus, and SubBus no less than SecBus");
  end
  if (Express[1:0] != '0) begin : gen_check_express
    $error("%m: Express must be a DWORD's address");
  end

  // ---- what is done ----------------------------------------------------------------------------
  typedef enum logic [1:0] {Write, Expect, AtLeast} what_e;   // AtLeast: the lowest three bits
  typedef struct packed {
    rp_step_e    step;
    what_e       what;
    logic [11:0] at;
    logic [3:0]  be;
    logic [31:0] data;
    logic [31:0] mask;        // of what is read
  } access_t;

  // Type 1 header (PCI-to-PCI bridge): a window from base to limit in units of 1 MiB; one with its base
  // above its limit is closed. A window above 4 GiB is a prefetchable one, the only kind that has 64 bits.
  localparam logic [31:0] Window = {WindowLast[31:20], 4'd0, WindowBase[31:20], 4'd0};
  localparam logic [31:0] Closed = 32'h0000_fff0;
  localparam logic [31:0] Bits   = 32'hfff0_fff0;
  localparam int unsigned Steps  = 16;
  localparam access_t [Steps-1:0] Table = {
    access_t'{RpCommand, Expect,  12'h004, 4'h0, 32'h0000_0006, 32'h0000_0006},
    access_t'{RpCommand, Write,   12'h004, 4'h3, 32'h0000_0406, 32'h0},           // Memory Space, Bus Master, no INTx
    access_t'{RpControl, Expect,  Express + 12'h8, 4'h0, {24'd0, MpsCode, 5'd0}, 32'h0000_00e0},
    access_t'{RpControl, Write,   Express + 12'h8, 4'h3, {16'd0, 4'h2, 4'h0, MpsCode, 5'd0}, 32'h0},   // MRRS 512
    access_t'{RpWindow,  Expect,  High ? 12'h028 : 12'h020, 4'h0, High ? WindowBase[63:32] : Window, High ? '1 : Bits},
    access_t'{RpWindow,  Expect,  High ? 12'h024 : 12'h020, 4'h0, Window, Bits},
    access_t'{RpWindow,  Write,   12'h02c, 4'hf, High ? WindowLast[63:32] : 32'h0, 32'h0},
    access_t'{RpWindow,  Write,   12'h028, 4'hf, High ? WindowBase[63:32] : 32'h0, 32'h0},
    access_t'{RpWindow,  Write,   12'h024, 4'hf, High ? Window : Closed, 32'h0},  // prefetchable memory
    access_t'{RpWindow,  Write,   12'h020, 4'hf, High ? Closed : Window, 32'h0},  // memory
    access_t'{RpWindow,  Write,   12'h01c, 4'h3, 32'h0000_00f0, 32'h0},           // I/O: closed
    access_t'{RpBuses,   Expect,  12'h018, 4'h0, {8'd0, SubBus, SecBus, PriBus}, 32'h00ff_ffff},
    access_t'{RpBuses,   Write,   12'h018, 4'h7, {8'd0, SubBus, SecBus, PriBus}, 32'h0},
    access_t'{RpPayload, AtLeast, Express + 12'h4, 4'h0, {29'd0, MpsCode}, 32'h0000_0007},  // Device Capabilities
    access_t'{RpExpress, Expect,  Express, 4'h0, 32'h0040_0010, 32'h00f0_00ff},   // Device/Port Type: Root Port
    access_t'{RpHeader,  Expect,  12'h00c, 4'h0, 32'h0001_0000, 32'h007f_0000}
  };

  // ---- doing it --------------------------------------------------------------------------------
  localparam int unsigned CountBits = $clog2(((WaitCycles > DoneCycles) ? WaitCycles : DoneCycles) + 1);
  typedef enum logic [2:0] {StDown, StAccess, StCheck, StWait, StUp, StFailed} state_e;
  state_e                   state_q;
  logic [$clog2(Steps)-1:0] at_q;
  logic [CountBits-1:0]     count_q;
  logic [31:0]              got_q;
  access_t                  now;
  logic                     good;

  assign now  = Table[at_q];
  assign good = (now.what == Write) || ((now.what == Expect) ? ((got_q ^ now.data) & now.mask) == '0
                                                             : got_q[2:0] >= now.data[2:0]);

  assign mgmt_addr_o  = now.at[11:2];
  assign mgmt_read_o  = state_q == StAccess && now.what != Write;
  assign mgmt_write_o = state_q == StAccess && now.what == Write;
  assign mgmt_data_o  = now.data;
  assign mgmt_be_o    = now.be;
  assign up_o         = state_q == StUp && link_i;
  assign failed_o     = state_q == StFailed;
  always_comb begin
    unique case (state_q)
      StDown:  step_o = RpDown;
      StWait:  step_o = RpWait;
      StUp:    step_o = RpUp;
      default: step_o = now.step;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StDown;
      at_q    <= '0;
      count_q <= '0;
    end else begin
      unique case (state_q)
        StDown: begin
          at_q    <= '0;
          count_q <= '0;
          if (link_i && !busy_i) state_q <= StAccess;
        end
        // An access that has begun goes on until it is done, whatever becomes of the link.
        StAccess: begin
          count_q <= count_q + 1'b1;
          if (mgmt_done_i) state_q <= StCheck;
          else if (32'(count_q) == DoneCycles) state_q <= StFailed;
        end
        StCheck: begin
          count_q <= '0;
          at_q    <= at_q + 1'b1;
          state_q <= (32'(at_q) == Steps - 1) ? StWait : StAccess;
          if (!good) begin
            at_q    <= at_q;
            state_q <= StFailed;
          end
          if (!link_i) state_q <= StDown;
        end
        StWait: begin
          count_q <= count_q + 1'b1;
          if (32'(count_q) >= WaitCycles) state_q <= StUp;
          if (!link_i) state_q <= StDown;
        end
        default: if (!link_i) state_q <= StDown;
      endcase
    end
  end
  always_ff @(posedge clk_i) if (mgmt_done_i) got_q <= mgmt_data_i;

  logic unused;
  assign unused = ^{now.at[1:0]};

endmodule
