// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Buffer space is never handed out twice: a read gets room that has left to the stream, a write data
// that has come and was not given before, and the stream of write data fills only what was freed. The two
// are as ls_nvme_host joins them, with buffers of 64 units; what is freed is any of what was given.
module ls_nvme_split_props
  import ls_nvme_pkg::*;
(
  input logic      clk_i,
  input logic      rst_ni,
  input drive_t    drive_i,
  input logic      go_i,
  input logic      empty_i,
  input logic      user_valid_i,
  input user_cmd_t user_i,
  input logic      cmd_ready_i,
  input logic      s_valid_i,
  input logic [6:0] rd_free,
  input logic [6:0] wr_free
);
  localparam logic [6:0] Units = 7'd64;
  localparam logic [2:0] StIdle = 3'd0, StSize = 3'd1, StFit = 3'd3, StGive = 3'd4;      // of ls_nvme_split
  logic       user_ready, cmd_valid, s_ready, we;
  cmd_t       cmd;
  logic [6:0] filled, rd_freed_q, wr_freed_q, rd_given_q, wr_given_q;
  logic [11:0] row;
  ls_nvme_split #(.WrBytes(32768), .RdBytes(32768)) dut (
    .clk_i, .rst_ni, .go_i, .drive_i, .empty_i, .user_valid_i, .user_ready_o(user_ready), .idle_o(), .user_i, .filled_i(filled),
    .freed_i(rd_freed_q), .cmd_valid_o(cmd_valid), .cmd_ready_i, .cmd_o(cmd)
  );
  ls_nvme_input #(.Width(64), .WrBytes(32768)) input_dut (
    .clk_i, .rst_ni, .s_valid_i, .s_ready_o(s_ready), .freed_i(wr_freed_q), .filled_o(filled), .we_o(we), .row_o(row)
  );

  logic   first_q = 1'b1, give, held_q;
  drive_t drive_q;
  cmd_t   cmd_q;
  logic [6:0]  rd_used, wr_used, wr_have;
  logic [12:0] beats;
  logic [31:0] in_n;
  assign in_n    = (32'(dut.n_q) + 32'd1) << drive_i.block_log2;      // units of a command of n_q
  assign give    = cmd_valid && cmd_ready_i;
  assign rd_used = rd_given_q - rd_freed_q;
  assign wr_used = wr_given_q - wr_freed_q;
  assign wr_have = filled - wr_given_q;
  assign beats   = input_dut.at_q - {wr_freed_q, 6'd0};
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    drive_q <= drive_i;
    cmd_q   <= cmd;
    held_q  <= rst_ni && cmd_valid && !cmd_ready_i;
    if (!rst_ni) begin
      rd_freed_q <= '0;
      wr_freed_q <= '0;
      rd_given_q <= '0;
      wr_given_q <= '0;
    end else begin
      if (rd_free <= rd_used) rd_freed_q <= rd_freed_q + rd_free;
      if (wr_free <= wr_used) wr_freed_q <= wr_freed_q + wr_free;
      if (give && cmd.rec.op == OpRead)  rd_given_q <= rd_given_q + cmd.rec.units[6:0];
      if (give && cmd.rec.op == OpWrite) wr_given_q <= wr_given_q + cmd.rec.units[6:0];
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (drive_i == drive_q);
      assume (drive_i.max_blocks != '0 && (32'(drive_i.max_blocks) << drive_i.block_log2) <= 32'd64);
      assume (user_i.op inside {OpRead, OpWrite, OpFlush, OpZero, OpTrim});
      if (held_q) assume (empty_i || cmd_q.rec.op != OpFlush);      // nothing else is given meanwhile
    end
    if (!first_q) begin
      a_room:  assert (rd_used <= Units && wr_used <= Units && 8'(wr_used) + 8'(wr_have) <= 8'(Units));
      a_fill:  assert (beats <= 13'd4096);
      a_write: assert (!we || beats < 13'd4096);
      if (cmd_valid) begin
        a_read: assert (cmd.rec.op != OpRead || 14'(rd_used) + 14'(cmd.rec.units) <= 14'(Units));
        a_data: assert (cmd.rec.op != OpWrite || 14'(wr_have) >= 14'(cmd.rec.units));
        a_pos:  assert (!moves(cmd.rec.op) || cmd.pos[5:0] == (cmd.rec.op == OpWrite ? wr_given_q[5:0] : rd_given_q[5:0]));
        a_some: assert (moves(cmd.rec.op) ? cmd.rec.units != '0 && cmd.rec.units <= 13'd64 : cmd.rec.units == '0);
        a_mdts: assert (!moves(cmd.rec.op) || 32'(cmd.rec.units) == (32'(cmd.nlb) + 32'd1) << drive_i.block_log2);
      end
      a_held:  assert (!held_q || (cmd_valid && cmd == cmd_q));
      i_given: assert (dut.rd_q == rd_given_q && dut.wr_q == wr_given_q
                       && (dut.state_q == StIdle || dut.user_q.op inside {OpRead, OpWrite, OpFlush, OpZero, OpTrim}));
      i_size:  assert (dut.state_q inside {StIdle, StSize} || !moves(dut.user_q.op) || (in_n != '0 && in_n <= 32'd64));
      i_units: assert (!(dut.state_q inside {StFit, StGive}) || 32'(dut.units_q) == (moves(dut.user_q.op) ? in_n : 32'd0));
      i_late:  assert (dut.state_q inside {StIdle, StSize}
                       || (dut.used_q >= rd_used && dut.used_q <= Units && dut.have_q <= wr_have));
    end
    c_split: cover (!first_q && give && cmd.rec.op == OpRead && !cmd.rec.last && rd_used != '0);
  end
endmodule
