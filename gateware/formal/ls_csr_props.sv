// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What software writes is what a channel is told, and nothing else changes it: one channel, one fault
// and one vector's mask are followed by a copy written down here. A pushed descriptor is told once, a
// fault stays until it is cleared and is never lost to a clearing, a read changes nothing, the places of
// the memory are cleared after reset before any access.
module ls_csr_props
  import ls_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic        write_i,
  input logic [12:0] addr_i,
  input logic [63:0] wdata_i,
  input logic [7:0]  wstrb_i,
  input logic [11:0] fault_i,
  input logic        push_busy_i,
  input logic [63:0] ram_i,
  input logic [1:0]  me,         // the channel; any value, but always the same, and so
  input logic [3:0]  bit_i       // the fault
);
  logic        ready, error, tick, we_lo, we_hi, clearing, mask_we, ram_re;
  logic [63:0] rdata;
  ch_cfg_t     cfg [3];
  ch_stat_t    stat [3];
  logic [2:0]  clear;
  logic [2:0][3:0] sel;
  logic [1:0]  push, mask_at;
  logic [4:0]  ram_at;
  for (genvar i = 0; i < 3; i++) begin : gen_stat
    assign stat[i] = '0;
  end
  ls_csr dut (
    .clk_i, .rst_ni, .reg_valid_i(valid_i), .reg_ready_o(ready), .reg_write_i(write_i), .reg_addr_i(addr_i),
    .reg_wdata_i(wdata_i), .reg_wstrb_i(wstrb_i), .reg_rdata_o(rdata), .reg_error_o(error), .fault_i, .tick_o(tick),
    .cfg_o(cfg), .stat_i(stat), .clear_o(clear), .use_sel_o(sel), .push_o(push), .push_busy_i, .ram_we_lo_o(we_lo),
    .ram_we_hi_o(we_hi), .ram_clear_o(clearing), .ram_at_o(ram_at), .ram_re_o(ram_re), .ram_data_i(ram_i), .mask_we_o(mask_we),
    .mask_at_o(mask_at), .mask_i('0), .pending_i('0)
  );

  logic       first_q = 1'b1, waits_q, read_q, fault_q, past_q, due_q;
  logic       wrote, here, control, tail;
  logic [1:0] me_q, pushed_q;
  logic [3:0] bit_q;
  logic [5:0] cleared_q;
  ch_cfg_t    mine_q, mine;
  logic [90:0] access_q;
  assign wrote   = valid_i && ready && write_i && !error && !addr_i[12] && addr_i[11:10] == '0;
  assign here    = wrote && addr_i[11:8] == 4'(me) + 4'd1;
  assign control = here && addr_i[7:3] == 5'd0;
  assign tail    = here && addr_i[7:3] == 5'd3 && me != 2'd2;
  assign mine    = cfg[me];
  logic stored;               // what is read here, software wrote: the MSI-X table, a channel's first registers
  assign stored = (addr_i[12:8] == 5'd16 && addr_i[7:6] == '0) || (addr_i[12:10] == '0 && addr_i[9:8] inside {2'd1, 2'd2} && addr_i[7:6] == '0)
               || (addr_i[12:8] == 5'd3 && addr_i[7:6] == '0);

  always_ff @(posedge clk_i) begin
    first_q  <= 1'b0;
    past_q   <= rst_ni;
    due_q    <= rst_ni && dut.tick_q[23:8] >= dut.tick_len_q;
    me_q     <= me;
    bit_q    <= bit_i;
    waits_q  <= rst_ni && valid_i && !ready;
    read_q   <= rst_ni && ram_re && !clearing && stored;
    access_q <= {write_i, addr_i, wdata_i, wstrb_i, 5'd0};
    pushed_q <= (rst_ni && wrote && addr_i[7:3] == 5'd5 && wstrb_i[4]) ? {addr_i[11:8] == 4'd2, addr_i[11:8] == 4'd1} : '0;
    if (!rst_ni) begin
      mine_q    <= '0;
      fault_q   <= 1'b0;
      cleared_q <= '0;
    end else begin
      if (control && wstrb_i[0]) begin
        mine_q.enable     <= wdata_i[0];
        mine_q.stop       <= wdata_i[1];
        mine_q.ring       <= wdata_i[2];
        mine_q.record     <= wdata_i[3];
        mine_q.attr       <= wdata_i[6:4];
        mine_q.size_log2  <= wdata_i[11:8];
        mine_q.vector     <= wdata_i[15:12];
        mine_q.coal_count <= wdata_i[23:16];
        mine_q.first      <= wdata_i[24];
        mine_q.keep       <= wdata_i[25];
        mine_q.tell       <= wdata_i[26];
      end
      if (control && wstrb_i[4]) mine_q.coal_time <= wdata_i[47:32];
      if (tail && wstrb_i[0])    mine_q.tail <= wdata_i[15:0];
      fault_q <= fault_i[bit_i] || (fault_q && !(wrote && addr_i[11:3] == 9'd2 && wstrb_i[0] && wdata_i[bit_i]));
      if (clearing) cleared_q <= cleared_q + 6'd1;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (me == me_q && bit_i == bit_q);
      if (waits_q) assume (valid_i && {write_i, addr_i, wdata_i, wstrb_i, 5'd0} == access_q);
    end
    assume (me != 2'd3 && bit_i < 4'd12);
    if (!first_q) begin
      a_config: assert (mine == mine_q);
      a_fault:  assert (dut.fault_q[bit_i] == fault_q);
      a_push:   assert (push == pushed_q);
      a_room:   assert (pushed_q == '0 || (!clearing && past_q));
      a_clear:  assert (clearing == (cleared_q != 6'd32) && (!clearing || (ram_at == cleared_q[4:0] && !(valid_i && ready))));
      a_memory: assert (!(we_lo || we_hi) || (valid_i && write_i && !error && ready));
      a_place:  assert (!(we_lo || we_hi) || ram_at == (addr_i[12] ? {2'd0, addr_i[5:3]} : {addr_i[9:8], addr_i[5:3]}));
      a_kept:   assert (!(here && addr_i[7:6] == '0) || {we_hi, we_lo} == {wstrb_i[4], wstrb_i[0]});
      a_else:   assert (!(we_lo || we_hi) || addr_i[12] || addr_i[7:6] == '0);     // a status changes no setting
      a_tick:   assert (tick == due_q);                        // none comes of a reset
      // A read of what was written is answered from its place, in the cycle after it was read there.
      a_read:   assert (!ram_re || clearing || (valid_i && !write_i && !ready && (!stored || ram_at == (addr_i[12] ? {2'd0, addr_i[5:3]} : {addr_i[9:8], addr_i[5:3]}))));
      a_answer: assert (!(read_q && past_q) || (ready && rdata == (addr_i[12] && addr_i[3] ? {32'd0, ram_i[31:0]} : ram_i)));
      a_asks:   assert (!(valid_i && !write_i && !ready && stored) || ram_re);
      i_clear:  assert (dut.clear_q == 6'd32 + cleared_q);
      i_phase:  assert (!dut.phase_q || (!clearing && waits_q));
    end
    c_read: cover (!first_q && valid_i && ready && !write_i && cleared_q == 6'd32);
  end
endmodule
