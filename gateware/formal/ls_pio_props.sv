// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever requests come, and however the registers answer: what leaves is a stream of completions
// by the rules, as many as there were reads, each with its read's tag. Nothing is forgotten.
module ls_pio_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             sop_i,
  input logic             eop_i,
  input tlp_hdr_t         hdr_i,
  input logic [Width-1:0] data_i,
  input logic             reg_ready_i,
  input logic             reg_error_i,
  input logic [63:0]      reg_rdata_i,
  input logic             clear_i,
  input logic             ready_i
);
  logic             ready, reg_valid, reg_write, valid, f_answer, f_request, f_poison;
  logic [15:0]      reg_addr;
  logic [63:0]      reg_wdata;
  logic [7:0]       reg_wstrb;
  tlp_hdr_t         hdr;
  logic [Width-1:0] data;

  ls_pio #(.Width(Width)) dut (
    .clk_i, .rst_ni, .rx_valid_i(valid_i), .rx_ready_o(ready), .rx_sop_i(sop_i), .rx_eop_i(eop_i),
    .rx_hdr_i(hdr_i), .rx_data_i(data_i), .reg_valid_o(reg_valid), .reg_write_o(reg_write),
    .reg_addr_o(reg_addr), .reg_wdata_o(reg_wdata), .reg_wstrb_o(reg_wstrb), .reg_ready_i,
    .reg_error_i, .reg_rdata_i, .clear_i, .tx_valid_o(valid), .tx_ready_i(ready_i), .tx_hdr_o(hdr),
    .tx_data_o(data), .fault_answer_o(f_answer), .fault_request_o(f_request), .fault_poison_o(f_poison)
  );
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1)
  );
  ls_stream_check #(.Width(Width), .Posted(1'b1)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(1'b1), .last_i(1'b1), .hdr_i(hdr),
    .data_i(data), .keep_i('1)
  );

  logic       first_q = 1'b1, clear_q, owed_q, held_q, write_q;
  logic [7:0] tag_q, strb_q;
  logic [15:0] addr_q;
  logic       read;
  tlp_hdr_t   asked_q;
  assign read = valid_i && ready && sop_i && hdr_i.kind == TlpMemRd;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    clear_q <= clear_i;
    if (!rst_ni)                owed_q <= 1'b0;
    else if (read)              owed_q <= 1'b1;
    else if (valid && ready_i)  owed_q <= 1'b0;
    if (read) {tag_q, asked_q} <= {hdr_i.tag, hdr_i};
    held_q  <= rst_ni && reg_valid && !reg_ready_i;
    {write_q, addr_q, strb_q} <= {reg_write, reg_addr, reg_wstrb};
  end

  // Byte Count and the low two bits of Lower Address, as the standard's tables have them by the byte enables; a read
  // of no bytes counts as one.
  logic [3:0] first, last;
  logic [1:0] lead, back;
  assign first = asked_q.first_be;
  assign last  = (asked_q.len_dw == 11'd1) ? first : asked_q.last_be;
  assign lead  = first[0] ? 2'd0 : first[1] ? 2'd1 : first[2] ? 2'd2 : (first[3] ? 2'd3 : 2'd0);
  assign back  = last[3]  ? 2'd0 : last[2]  ? 2'd1 : last[1]  ? 2'd2 : 2'd3;
  logic [12:0] bytes;
  assign bytes = (asked_q.len_dw == 11'd1 && first == '0) ? 13'd1 : 13'(asked_q.len_dw) * 13'd4 - 13'(lead) - 13'(back);

  logic        idle;
  logic [10:0] here;      // DWs left in the beat that is here, if one is
  assign idle = dut.state_q inside {2'd0, 2'd2};
  assign here = (dut.state_q == 2'd2) ? '0 : 11'(dut.beat_q);
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni && (!clear_i || clear_q));     // cleared once, after reset
    if (valid_i && sop_i) assume (hdr_i.kind inside {TlpMemRd, TlpMemWr});
    if (!first_q) begin
      a_one:  assert (!(read && owed_q));                         // one at a time
      a_owed: assert (!valid || (owed_q && hdr.tag == tag_q));    // none that was not asked for
      a_kept: assert (!(ready && owed_q));                        // and no read before it is answered
      a_reg:  assert (!held_q || (reg_valid && {reg_write, reg_addr, reg_wstrb} == {write_q, addr_q, strb_q}));
      a_cpl:  assert (!valid || (hdr.kind == TlpCplD ? hdr.len_dw inside {11'd1, 11'd2} : hdr.status != CplSc));
      a_bytes: assert (!valid || hdr.kind != TlpCplD || (hdr.byte_count == bytes && hdr.addr[1:0] == lead && hdr.len_dw == asked_q.len_dw));
      // What carries the proof.
      i_hdr:  assert (!owed_q || dut.hdr_q == asked_q);
      i_shut: assert (!u_out.open_q);
      i_owed: assert (owed_q == (!idle && dut.hdr_q.kind == TlpMemRd));
      i_kind: assert (idle || dut.hdr_q.kind inside {TlpMemRd, TlpMemWr});
      i_idle: assert (dut.state_q != 2'd0 || !u_in.open_q);
      i_ans:  assert (!dut.ans_q || dut.set_q);
      a_clear: assert (!clear_i || (!reg_valid && reg_wdata == '0));
      i_set:  assert (!dut.set_q || (dut.state_q == 2'd1 && dut.pair_q == dut.pair && dut.strb_q == dut.strb));
      i_next: assert (dut.state_q != 2'd2 || (u_in.open_q && dut.hdr_q.kind == TlpMemWr));
      if (owed_q) i_read: assert (!u_in.open_q);
      if (dut.state_q inside {2'd1, 2'd2}) begin
        i_left: assert (dut.left_q != '0 && dut.left_q <= 11'd1024);
        i_beat: assert (owed_q || dut.state_q == 2'd2 || (dut.beat_q != '0 && 11'(dut.beat_q) <= 11'(Width / 32)));
        i_open: assert (owed_q || (u_in.open_q == (dut.left_q > here)));
        i_more: assert (owed_q || !u_in.open_q || 11'(u_in.left_q)
                        == (dut.left_q - here + 11'(Width / 32 - 1)) / (Width / 32));
      end
      i_cpl:  assert (dut.state_q != 2'd3 || dut.hdr_q.kind == TlpMemRd);
      i_tag:  assert (!owed_q || dut.hdr_q.tag == tag_q);
      if (owed_q) begin
        i_short: assert (dut.status_q != CplSc || dut.hdr_q.len_dw inside {11'd1, 11'd2});
        i_be:    assert (dut.hdr_q.len_dw == 11'd1 ? dut.hdr_q.last_be == '0
                         : (dut.hdr_q.first_be != '0 && dut.hdr_q.last_be != '0) );
        i_len:   assert (dut.hdr_q.len_dw != '0 && dut.hdr_q.len_dw <= 11'd1024);
      end
    end
    c_two:  cover (!first_q && valid && hdr.kind == TlpCplD && hdr.len_dw == 11'd2 && hdr.byte_count == 13'd8);
    c_none: cover (!first_q && valid && hdr.kind == TlpCplD && asked_q.first_be == '0);
    c_fail: cover (!first_q && valid && hdr.status == CplCa);
  end
endmodule
