// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever commands and aborts come, and however the memory answers: requests are AXI4's (ls_axi_check), and
// the stream keeps its rules (ls_stream_check) and has a frame of as many bytes as each command.
module ls_mm_read_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                mem_valid_i,
  input logic [CardBits-1:0] mem_addr_i,
  input logic [LenBits-1:0]  mem_len_i,
  input logic                m_ready_i,
  input logic [Width-1:0]    r_data_i,
  input mm_in_t              mm_i
);
  localparam int unsigned Bytes = Width / 8, Commands = 4;
  logic             idle, answer_valid, m_valid, m_last;
  logic [1:0]       answer;
  mm_out_t          mm;
  logic [Width-1:0] m_data;
  logic [Bytes-1:0] m_keep;
  logic [9:0]       bad;
  mm_in_t           in;
  ls_mm_read #(.Width(Width), .BurstBytes(32), .Commands(Commands), .Bursts(4)) dut (
    .clk_i, .rst_ni, .abort_i(1'b0), .idle_o(idle), .mem_valid_i, .mem_addr_i, .mem_len_i, .answer_valid_o(answer_valid),
    .answer_o(answer), .ar_valid_o(mm.ar_valid), .ar_ready_i(in.ar_ready), .ar_addr_o(mm.ar_addr), .ar_len_o(mm.ar_len),
    .r_valid_i(in.r_valid), .r_ready_o(mm.r_ready), .r_data_i, .r_resp_i(in.r_resp), .r_last_i(in.r_last),
    .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data), .m_keep_o(m_keep), .m_last_o(m_last)
  );
  assign {mm.aw_valid, mm.aw_addr, mm.aw_len, mm.w_valid, mm.w_last, mm.b_ready} = '0;
  ls_axi_check #(.Width(Width), .Out(8), .Stop(1'b0)) u_rules (
    .clk_i, .rst_ni, .mm_i(in), .mm_o(mm), .wdata_i('0), .wstrb_i('0), .here_i(1'b0), .bad_o(bad)
  );
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_stream (
    .clk_i, .rst_ni, .valid_i(m_valid), .ready_i(m_ready_i), .sop_i(1'b0), .last_i(m_last), .hdr_i('0), .data_i(m_data),
    .keep_i(m_keep)
  );

  // The memory: bursts in the order asked for, a beat whenever it likes, at the end `last`.
  logic       first_q = 1'b1;
  logic [7:0] len_q [8];
  logic [3:0] in_q, out_q, cmds_q;
  logic [7:0] beat_q;
  // One command is followed: the first; its bytes.
  logic [LenBits-1:0] want_q;
  logic [8:0]         got_q;
  logic               have_q, over_q;
  logic [3:0]         count;
  always_comb begin
    in         = mm_i;
    in.b_valid = 1'b0;
    in.r_valid = mm_i.r_valid && in_q != out_q;
    in.r_last  = beat_q == len_q[out_q[2:0]];
    count      = '0;
    for (int unsigned i = 0; i < Bytes; i++) count += 4'(m_keep[i]);
  end
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni) begin
      in_q   <= '0;
      out_q  <= '0;
      beat_q <= '0;
      cmds_q <= '0;
      have_q <= 1'b0;
      over_q <= 1'b0;
      got_q  <= '0;
    end else begin
      if (mm.ar_valid && in.ar_ready) in_q <= in_q + 1'b1;
      if (in.r_valid && mm.r_ready) beat_q <= in.r_last ? '0 : beat_q + 1'b1;
      if (in.r_valid && mm.r_ready && in.r_last) out_q <= out_q + 1'b1;
      cmds_q <= cmds_q + 4'(mem_valid_i) - 4'(m_valid && m_ready_i && m_last);
      if (mem_valid_i) have_q <= 1'b1;
      if (m_valid && m_ready_i && !over_q) begin
        got_q  <= got_q + 9'(count);
        over_q <= m_last;
      end
    end
    if (mm.ar_valid && in.ar_ready) len_q[in_q[2:0]] <= mm.ar_len;
    if (mem_valid_i && !have_q) want_q <= mem_len_i;
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (!mem_valid_i || (32'(cmds_q) < Commands && mem_len_i != '0 && mem_len_i < 24'd80));
    end
    if (!first_q) begin
      a_rules: assert (bad == '0);
      a_bytes: assert (!over_q || LenBits'(got_q) == want_q);
      a_some:  assert (!m_valid || cmds_q != '0);
    end
    c_two: cover (!first_q && over_q && got_q > 9'd12 && m_valid && m_last);
  end
  logic unused;
  assign unused = ^{idle, answer_valid, answer};
endmodule
