// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A stream with what the block has dropped told in it: it keeps the rules, nothing of it is changed, and no TLP
// begins after the block's word before a poisoned write was there.
module ls_rp_lost_props
  import ls_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        lost_i,
  input logic        valid_i, sop_i, eop_i, mem_i, ready_i,
  input tlp_hdr_t    hdr_i,
  input logic [63:0] data_i
);
  logic        ready, valid, sop, eop, mem;
  tlp_hdr_t    hdr;
  logic [63:0] data;
  ls_rp_lost #(.Width(64)) dut (
    .clk_i, .rst_ni, .lost_i, .rx_valid_i(valid_i), .rx_ready_o(ready), .rx_sop_i(sop_i), .rx_eop_i(eop_i), .rx_mem_i(mem_i),
    .rx_hdr_i(hdr_i), .rx_data_i(data_i), .rx_valid_o(valid), .rx_ready_i(ready_i), .rx_sop_o(sop), .rx_eop_o(eop), .rx_mem_o(mem),
    .rx_hdr_o(hdr), .rx_data_o(data)
  );
  ls_stream_check #(.Width(64), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1));
  ls_stream_check #(.Width(64)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(sop), .last_i(eop), .hdr_i(hdr), .data_i(data), .keep_i('1));

  logic first_q = 1'b1, said_q, told_q, held_q, told;      // said, and one cycle passed; shown before
  assign told = valid && sop && mem && hdr.kind == TlpMemWr && hdr.ep && hdr.addr == 64'hffff_ffff_ffff_f000;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    held_q  <= rst_ni && valid && !ready_i;
    if (!rst_ni) {said_q, told_q} <= '0;
    else begin
      said_q <= lost_i || (said_q && !(told && ready_i));
      told_q <= said_q && !(told && ready_i);
    end
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    assume (!sop_i || (!hdr_i.ep && (hdr_i.kind == TlpMemWr || hdr_i.kind == TlpMemRd)));
    if (!first_q) begin
      assert (u_out.open_q == u_in.open_q && u_in.open_q == dut.inside_q && (!u_out.open_q || u_out.left_q == u_in.left_q));
      assert (dut.want_q == said_q && (!dut.mine_q || (said_q && !dut.inside_q)));
      assert (!u_out.held || u_out.past_q == 1'b0 || u_out.ok_held);
      a_next: assert (!(told_q && valid && sop && !held_q) || told);
      a_same: assert (told || {valid, sop, eop, mem, hdr, data, ready} == {valid_i, sop_i, eop_i, mem_i, hdr_i, data_i, ready_i});
      a_mine: assert (!told || !ready);
    end
    c_told: cover (!first_q && told && ready_i && valid_i);
    c_long: cover (!first_q && said_q && valid_i && !sop_i && eop_i);
  end
endmodule
