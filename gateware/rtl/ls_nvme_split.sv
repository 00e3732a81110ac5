// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A user command of any number of blocks becomes commands that the drive takes: at most MDTS, and
// with a place in the buffer. A read waits until there is room for its data, a write until its data
// is here, a flush until all before it have come back, because it covers only those, and so does a Format. What has no data
// is divided at the 65536 blocks that a command can name.
module ls_nvme_split
  import ls_nvme_pkg::*;
#(
  parameter int unsigned WrBytes = 65536,
  parameter int unsigned RdBytes = 65536,
  localparam int unsigned WrBits = $clog2(WrBytes / 512),
  localparam int unsigned RdBits = $clog2(RdBytes / 512)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              go_i,          // there is a drive, or none will come
  input  drive_t            drive_i,
  input  logic              empty_i,       // nothing is in flight

  input  logic              user_valid_i,
  output logic              user_ready_o,
  output logic              idle_o,        // no command has been taken and not been given on
  input  user_cmd_t         user_i,

  input  logic [WrBits:0]   filled_i,      // units that the stream has brought, modulo twice the buffer
  input  logic [RdBits:0]   freed_i,       // units that have left to the stream, likewise

  output logic              cmd_valid_o,
  input  logic              cmd_ready_i,
  output cmd_t              cmd_o
);

  typedef enum logic [2:0] {StIdle, StSize, StUnits, StFit, StGive} state_e;
  state_e          state_q;
  user_cmd_t       user_q;       // what is left of it
  logic [15:0]     most, n_q;    // blocks less one
  logic            last, data, fits, ok_q;
  logic [12:0]     units_q;
  logic [31:0]     pos_q;
  logic [WrBits:0] wr_q, have_q;
  logic [RdBits:0] rd_q, used_q;

  assign most = data ? drive_i.max_blocks - 16'd1 : 16'hffff;
  assign last = user_q.op == OpFlush || user_q.op > OpTrim || user_q.nlb <= 32'(most);
  assign data = moves(user_q.op);
  // From registers: what comes and what leaves is seen a cycle late, and the places of this command have
  // stood for two when they are asked.
  always_ff @(posedge clk_i) begin
    have_q <= filled_i - wr_q;
    used_q <= rd_q - freed_i;
  end

  always_comb begin
    unique case (user_q.op)
      OpRead:  fits = 32'(used_q) + 32'(units_q) <= 32'(RdBytes / 512);
      OpWrite: fits = 32'(have_q) >= 32'(units_q);
      OpFlush, OpFormat: fits = empty_i;
      default: fits = 1'b1;
    endcase
  end

  assign idle_o       = state_q == StIdle;
  assign user_ready_o = state_q == StIdle && go_i;
  assign cmd_valid_o  = state_q == StGive;
  always_comb begin
    cmd_o           = '0;
    cmd_o.rec.op    = user_q.op;
    cmd_o.rec.last  = ok_q;
    cmd_o.rec.units = units_q;
    cmd_o.rec.tag   = user_q.tag;
    cmd_o.fua       = user_q.fua;
    cmd_o.lba       = user_q.lba;
    cmd_o.nlb       = n_q;
    cmd_o.pos       = pos_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      wr_q    <= '0;
      rd_q    <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (user_valid_i && go_i) state_q <= StSize;
        StSize:  state_q <= StUnits;
        StUnits: state_q <= StFit;
        StFit:  if (fits) state_q <= StGive;             // once it fits it goes on to
        StGive:
          if (cmd_ready_i) begin
            state_q <= ok_q ? StIdle : StSize;
            if (user_q.op == OpWrite) wr_q <= wr_q + (WrBits+1)'(units_q);
            if (user_q.op == OpRead)  rd_q <= rd_q + (RdBits+1)'(units_q);
          end
        default: state_q <= StIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) user_q <= user_i;
    if (state_q == StSize) begin
      ok_q    <= last;
      n_q     <= last ? user_q.nlb[15:0] | {16{user_q.op > OpTrim && user_q.nlb[31:16] != '0}} : most;
    end
    if (state_q == StUnits) units_q <= data ? (n_q[12:0] + 13'd1) << drive_i.block_log2 : '0;
    if (state_q == StFit) pos_q <= (user_q.op == OpWrite) ? 32'(wr_q[WrBits-1:0]) : 32'(rd_q[RdBits-1:0]);
    if (state_q == StGive && cmd_ready_i) begin
      user_q.lba <= user_q.lba + 64'(n_q) + 64'd1;
      user_q.nlb <= user_q.nlb - 32'(n_q) - 32'd1;
    end
  end


  logic unused;
  assign unused = ^drive_i;

endmodule
