// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A command port of the user's design: its fields to a command of the core, the core's report to
// fields, each across the clocks if there are two.
module ls_cmd_cross
  import ls_pkg::*;
#(
  parameter bit TwoClocks = 1'b0
) (
  input  logic               user_clk_i,
  input  logic               user_rst_ni,
  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  logic [63:0]        cmd_addr_i,
  input  logic [LenBits-1:0] cmd_len_i,
  input  logic               cmd_eof_i,
  input  logic [IdBits-1:0]  cmd_id_i,
  output logic               done_valid_o,
  output logic [LenBits-1:0] done_len_o,
  output logic               done_eof_o,
  output logic [3:0]         done_cause_o,
  output logic [IdBits-1:0]  done_id_o,

  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               core_cmd_valid_o,
  input  logic               core_cmd_ready_i,
  output dma_cmd_t           core_cmd_o,
  input  logic               core_done_valid_i,   // always taken
  input  dma_done_t          core_done_i
);

  dma_cmd_t  cmd;
  dma_done_t done;
  logic      done_ready;
  always_comb begin
    cmd      = '0;
    cmd.addr = cmd_addr_i;
    cmd.len  = cmd_len_i;
    cmd.eof  = cmd_eof_i;
    cmd.id   = cmd_id_i;
  end
  ls_cross #(.Width($bits(dma_cmd_t)), .Cross(TwoClocks)) u_cmd (
    .wr_clk_i(user_clk_i), .wr_rst_ni(user_rst_ni), .wr_valid_i(cmd_valid_i), .wr_ready_o(cmd_ready_o),
    .wr_data_i(cmd), .rd_clk_i(clk_i), .rd_rst_ni(rst_ni), .rd_valid_o(core_cmd_valid_o),
    .rd_ready_i(core_cmd_ready_i), .rd_data_o(core_cmd_o)
  );
  ls_cross #(.Width($bits(dma_done_t)), .Cross(TwoClocks)) u_done (
    .wr_clk_i(clk_i), .wr_rst_ni(rst_ni), .wr_valid_i(core_done_valid_i), .wr_ready_o(done_ready),
    .wr_data_i(core_done_i), .rd_clk_i(user_clk_i), .rd_rst_ni(user_rst_ni), .rd_valid_o(done_valid_o),
    .rd_ready_i(1'b1), .rd_data_o(done)
  );
  assign done_len_o   = done.len;
  assign done_eof_o   = done.eof;
  assign done_cause_o = done.cause;
  assign done_id_o    = done.id;

  logic unused;
  assign unused = ^{done, done_ready};

endmodule
