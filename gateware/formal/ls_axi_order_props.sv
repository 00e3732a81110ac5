// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The port of ls_axi_fifo, whatever comes and however the memory takes and answers, addresses first or data: the rules of
// AXI4 (ls_axi_check). A burst that is shown has all of its data here, which waits for no address to be taken.
module ls_axi_order_props
  import ls_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        s_valid_i,
  input logic [15:0] s_data_i,
  input logic        m_ready_i,
  input mm_in_t      any_i,
  input logic [15:0] rdata_i
);
  logic        s_ready, m_valid, first_q = 1'b1;
  logic [15:0] m_data, wdata;
  logic [5:0]  level;
  logic [1:0]  wr_bad, rd_bad;
  logic [9:0]  bad;
  mm_in_t      mm_in;
  mm_out_t     mm;
  ls_axi_fifo #(.Width(16), .SizeLog2(5), .BurstBytes(4), .InBytes(8), .OutBytes(8), .Bursts(2), .FlushCycles(2)) dut (
    .clk_i, .rst_ni, .s_valid_i, .s_ready_o(s_ready), .s_data_i, .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data),
    .mm_i(mm_in), .mm_rdata_i(rdata_i), .mm_o(mm), .mm_wdata_o(wdata), .high_clear_i(1'b0), .level_o(level), .high_o(),
    .wr_bad_o(wr_bad), .rd_bad_o(rd_bad)
  );
  ls_axi_check #(.Width(16), .Out(4), .Wait(3), .Stop(1'b0)) u_rules (
    .clk_i, .rst_ni, .mm_i(mm_in), .mm_o(mm), .wdata_i(wdata), .wstrb_i('1), .here_i(1'b1), .bad_o(bad)
  );

  logic [2:0] addrs_q, datas_q;               // of bursts that are not answered: addresses taken, data taken whole
  logic [4:0] reads_q;                        // beats asked for
  logic       aw, w_end;
  assign aw    = mm.aw_valid && mm_in.aw_ready;
  assign w_end = mm.w_valid && mm_in.w_ready && mm.w_last;
  always_comb begin
    mm_in         = any_i;
    mm_in.b_valid = any_i.b_valid && addrs_q != '0 && datas_q != '0;
    mm_in.r_valid = any_i.r_valid && reads_q != '0;
  end
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) {addrs_q, datas_q, reads_q} <= '0;
    else begin
      addrs_q <= addrs_q + 3'(aw) - 3'(mm_in.b_valid);
      datas_q <= datas_q + 3'(w_end) - 3'(mm_in.b_valid);
      reads_q <= reads_q + ((mm.ar_valid && mm_in.ar_ready) ? 5'(mm.ar_len) + 5'd1 : '0) - 5'(mm_in.r_valid);
    end
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    if (!first_q) a_rules: assert (bad == '0);
    // Data before its address, after it, and both at once.
    c_first:  cover (!first_q && datas_q > addrs_q && mm.aw_valid);
    c_second: cover (!first_q && addrs_q > datas_q && mm.w_valid && mm.w_last);
    c_both:   cover (!first_q && addrs_q == '0 && datas_q == '0 && aw && w_end);
  end
  logic unused;
  assign unused = ^{s_ready, m_valid, m_data, level, wr_bad, rd_bad};
endmodule
