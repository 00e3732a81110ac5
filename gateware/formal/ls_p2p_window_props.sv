// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever writes come to the window, what it gives out is an AXI4-Stream by the rules, and its
// `error` stands only beside `last`.
module ls_p2p_window_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             sop_i,
  input logic             eop_i,
  input tlp_hdr_t         hdr_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i
);
  logic             ready, valid, last, error;
  logic [Width-1:0] data;
  logic [Bytes-1:0] keep;

  ls_p2p_window #(.Width(Width), .BufBytes(16 * Bytes), .EofBit(12)) dut (
    .clk_i, .rst_ni, .rx_valid_i(valid_i), .rx_ready_o(ready), .rx_sop_i(sop_i), .rx_eop_i(eop_i),
    .rx_hdr_i(hdr_i), .rx_data_i(data_i), .m_valid_o(valid), .m_ready_i(ready_i), .m_data_o(data),
    .m_keep_o(keep), .m_last_o(last), .m_error_o(error)
  );
  ls_stream_check #(.Width(Width), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i, .ready_i(ready), .sop_i, .last_i(eop_i), .hdr_i, .data_i, .keep_i('1)
  );
  ls_stream_check #(.Width(Width), .IsTlp(1'b0)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(1'b0), .last_i(last), .hdr_i('0),
    .data_i(data), .keep_i(keep)
  );

  logic first_q = 1'b1, wait_q, error_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    wait_q  <= rst_ni && valid && !ready_i;
    error_q <= error;
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    if (valid_i && sop_i) assume (hdr_i.kind == TlpMemWr);
    if (!first_q) begin
      a_error: assert (!error || last);
      a_held:  assert (!wait_q || error == error_q);
    end
    c_last:  cover (!first_q && valid && last && !keep[7] && ready_i);
    c_error: cover (!first_q && valid && error);
  end
endmodule
