// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The gate of a root port between streams that keep the rules: what comes out keeps them too, whenever the port
// goes up or down; and while it is down no TLP begins that was not shown before.
module ls_rp_gate_props
  import ls_pkg::*;
(
  input logic     clk_i,
  input logic     rst_ni,
  input logic     up_i,
  input logic     rq_valid_i, rq_cfg_i, rq_ready_i,
  input tlp_hdr_t rq_hdr_i,
  input logic     cpl_valid_i, cpl_sop_i, cpl_eop_i, cpl_ready_i,
  input tlp_hdr_t cpl_hdr_i,
  input logic     rx_valid_i, rx_sop_i, rx_eop_i, rx_mem_i, rx_ready_i,
  input tlp_hdr_t rx_hdr_i
);
  logic       rq_ready, rq_valid, cpl_ready, cpl_valid, rx_ready, rx_valid;
  logic [1:0] rq_cfg;
  tlp_hdr_t   rx_hdr;
  ls_rp_gate dut (
    .clk_i, .rst_ni, .up_i, .rq_valid_i, .rq_ready_o(rq_ready), .rq_cfg_i, .rq_hdr_i, .rq_valid_o(rq_valid), .rq_ready_i,
    .rq_cfg_o(rq_cfg), .cpl_valid_i, .cpl_ready_o(cpl_ready), .cpl_sop_i, .cpl_valid_o(cpl_valid), .cpl_ready_i, .rx_valid_i,
    .rx_ready_o(rx_ready), .rx_sop_i, .rx_mem_i, .rx_hdr_i, .rx_valid_o(rx_valid), .rx_ready_i, .rx_hdr_o(rx_hdr)
  );

  ls_stream_check #(.Width(64), .Assume(1'b1)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_valid_i), .ready_i(rq_ready), .sop_i(1'b1), .last_i(1'b1), .hdr_i(rq_hdr_i),
    .data_i(64'(rq_cfg_i)), .keep_i('1));
  ls_stream_check #(.Width(64), .Assume(1'b1)) u_cpl (
    .clk_i, .rst_ni, .valid_i(cpl_valid_i), .ready_i(cpl_ready), .sop_i(cpl_sop_i), .last_i(cpl_eop_i), .hdr_i(cpl_hdr_i),
    .data_i('0), .keep_i('1));
  ls_stream_check #(.Width(64), .Assume(1'b1)) u_rx (
    .clk_i, .rst_ni, .valid_i(rx_valid_i), .ready_i(rx_ready), .sop_i(rx_sop_i), .last_i(rx_eop_i), .hdr_i(rx_hdr_i),
    .data_i(64'(rx_mem_i)), .keep_i('1));
  ls_stream_check #(.Width(64)) u_rq_out (
    .clk_i, .rst_ni, .valid_i(rq_valid), .ready_i(rq_ready_i), .sop_i(1'b1), .last_i(1'b1), .hdr_i(rq_hdr_i),
    .data_i(64'(rq_cfg)), .keep_i('1));
  ls_stream_check #(.Width(64)) u_cpl_out (
    .clk_i, .rst_ni, .valid_i(cpl_valid), .ready_i(cpl_ready_i), .sop_i(cpl_sop_i), .last_i(cpl_eop_i), .hdr_i(cpl_hdr_i),
    .data_i('0), .keep_i('1));
  ls_stream_check #(.Width(64)) u_rx_out (
    .clk_i, .rst_ni, .valid_i(rx_valid), .ready_i(rx_ready_i), .sop_i(rx_sop_i), .last_i(rx_eop_i), .hdr_i(rx_hdr),
    .data_i('0), .keep_i('1));

  logic first_q = 1'b1, rq_held_q, cpl_held_q, down_q;
  always_ff @(posedge clk_i) begin
    first_q    <= 1'b0;
    rq_held_q  <= rst_ni && rq_valid && !rq_ready_i;
    cpl_held_q <= rst_ni && cpl_valid && !cpl_ready_i;
    down_q     <= !up_i;
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    assume (rq_hdr_i.kind == TlpMemRd || (rq_hdr_i.kind == TlpMemWr && rq_hdr_i.len_dw inside {11'd1, 11'd2}));
    assume (!cpl_sop_i || cpl_hdr_i.kind == TlpCplD || cpl_hdr_i.kind == TlpCpl);
    assume (!rx_sop_i || rx_hdr_i.kind == TlpMemWr || rx_hdr_i.kind == TlpMemRd);
    assume (!rx_sop_i || rx_mem_i || rx_hdr_i.len_dw <= 11'd1024);
    if (!first_q) begin
      // The checks of both sides stand alike.
      assert (!u_rq.open_q && !u_rq_out.open_q);
      assert (u_cpl_out.open_q == (u_cpl.open_q && dut.cpl_go_q) && (!u_cpl_out.open_q || u_cpl_out.left_q == u_cpl.left_q));
      assert (u_rx_out.open_q == (u_rx.open_q && !dut.drop_q) && (!u_rx_out.open_q || u_rx_out.left_q == u_rx.left_q));
      assert (dut.rq_shown_q == rq_held_q && dut.cpl_shown_q == cpl_held_q && (!cpl_held_q || dut.cpl_go_q));
      if (!up_i) begin
        a_rq_none:  assert (!rq_valid || rq_held_q);
        a_cpl_none: assert (!(cpl_valid && cpl_sop_i) || cpl_held_q);
        a_taken:    assert (rq_ready || rq_held_q);
      end
      // A message goes nowhere, what must be answered goes where nothing is.
      if (rx_valid && rx_sop_i && !rx_mem_i) a_nowhere: assert (rx_hdr.kind == TlpMemRd && rx_hdr.addr == 64'hffff_ffff_ffff_f000);
      if (rq_valid) a_type: assert (rq_cfg == {rq_cfg_i, rq_cfg_i && rq_hdr_i.addr[27:20] != 8'd1});
    end
    c_whole: cover (!first_q && !up_i && cpl_valid && cpl_eop_i && !cpl_sop_i);
    c_held:  cover (!first_q && !up_i && down_q && rq_valid && rq_ready_i);
    c_drop:  cover (!first_q && rx_valid_i && rx_ready && !rx_valid && rx_eop_i && !rx_sop_i);
  end
endmodule
