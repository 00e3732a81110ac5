// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever commands, frames and aborts come, and however the memory takes and answers, addresses first or data: the rules
// of AXI4 (ls_axi_check). Data that is here waits for no address to be taken. Frames are as long as their commands, or shorter.
module ls_mm_write_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                abort_i,
  input logic                mem_valid_i,
  input logic [CardBits-1:0] mem_addr_i,
  input logic [LenBits-1:0]  mem_len_i,
  input logic                s_valid_i,
  input logic [Width-1:0]    s_data_i,
  input logic                s_last_i,
  input mm_in_t              mm_i
);
  localparam int unsigned Commands = 4;
  logic             idle, answer_valid, s_ready;
  logic [1:0]       answer;
  mm_out_t          mm;
  logic [Width-1:0] wdata;
  logic [Width/8-1:0] wstrb;
  logic [9:0]       bad;
  mm_in_t           in;
  ls_mm_write #(.Width(Width), .BurstBytes(64), .Commands(Commands), .Bursts(4)) dut (
    .clk_i, .rst_ni, .abort_i, .idle_o(idle), .mem_valid_i, .mem_addr_i, .mem_len_i, .answer_valid_o(answer_valid),
    .answer_o(answer), .s_valid_i, .s_ready_o(s_ready), .s_data_i, .s_last_i, .aw_valid_o(mm.aw_valid),
    .aw_ready_i(mm_i.aw_ready), .aw_addr_o(mm.aw_addr), .aw_len_o(mm.aw_len), .w_valid_o(mm.w_valid),
    .w_ready_i(mm_i.w_ready), .w_data_o(wdata), .w_strb_o(wstrb), .w_last_o(mm.w_last),
    .b_valid_i(in.b_valid), .b_ready_o(mm.b_ready), .b_resp_i(mm_i.b_resp)
  );
  assign {mm.ar_valid, mm.ar_addr, mm.ar_len, mm.r_ready} = '0;
  ls_axi_check #(.Width(Width), .Out(8), .Wait(4), .Stop(1'b0)) u_rules (
    .clk_i, .rst_ni, .mm_i(in), .mm_o(mm), .wdata_i(wdata), .wstrb_i(wstrb), .here_i(s_valid_i || abort_i), .bad_o(bad)
  );

  logic       first_q = 1'b1;
  logic [3:0] cmds_q, owed_q, at_q;  // commands under way; of bursts not answered, data taken whole, addresses taken
  logic       abort_q, idle_q;
  always_comb begin
    in         = mm_i;
    in.b_valid = mm_i.b_valid && owed_q != '0 && at_q != '0;
  end
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    abort_q <= rst_ni && abort_i;
    idle_q  <= idle;
    if (!rst_ni) begin
      cmds_q <= '0;
      owed_q <= '0;
      at_q   <= '0;
    end else begin
      cmds_q <= (abort_i && idle) ? '0 : cmds_q + 4'(mem_valid_i) - 4'(answer_valid);
      owed_q <= owed_q + 4'(mm.w_valid && mm_i.w_ready && mm.w_last) - 4'(in.b_valid);
      at_q   <= at_q + 4'(mm.aw_valid && mm_i.aw_ready) - 4'(in.b_valid);
    end
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (!mem_valid_i || (32'(cmds_q) < Commands && mem_len_i != '0 && mem_len_i < 24'd200 && !abort_i));
      assume (!(abort_q && !abort_i) || idle_q);         // an abort is over when all has come to its end
    end
    if (!first_q) begin
      a_rules:  assert (bad == '0);
      a_answer: assert (!answer_valid || cmds_q != '0);
    end
    c_odd:   cover (!first_q && answer_valid && answer == 2'd2);
    // Data before its address, after it, and both at once.
    c_first:  cover (!first_q && owed_q > at_q && mm.aw_valid);
    c_second: cover (!first_q && at_q > owed_q && mm.w_valid && mm.w_last);
    c_both:   cover (!first_q && at_q == '0 && owed_q == '0 && mm.aw_valid && mm_i.aw_ready && mm.w_valid && mm_i.w_ready && mm.w_last);
    c_abort: cover (!first_q && abort_q && mm.w_valid && wstrb == '0);
  end
endmodule
