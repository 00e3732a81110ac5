// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine with ex_crossbar between its four streams. Register 0: bus address of the other
// card's window; register 8: the crossbar's setting. A command for the other card is always
// offered; it ends with the frame that it carries.
module ex_crossbar_top
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,
  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o,
  output logic               rq_valid_o,
  input  logic               rq_ready_i,
  output tlp_hdr_t           rq_hdr_o,
  output logic               cpl_valid_o,
  input  logic               cpl_ready_i,
  output tlp_hdr_t           cpl_hdr_o,
  output logic [63:0]        cpl_data_o,
  input  logic               rx_req_valid_i,
  output logic               rx_req_ready_o,
  input  logic               rx_req_sop_i,
  input  logic               rx_req_eop_i,
  input  tlp_hdr_t           rx_req_hdr_i,
  input  logic [Width-1:0]   rx_req_data_i,
  input  logic               rx_cpl_valid_i,   // always taken
  input  logic               rx_cpl_sop_i,
  input  logic               rx_cpl_eop_i,
  input  tlp_hdr_t           rx_cpl_hdr_i,
  input  logic [Width-1:0]   rx_cpl_data_i
);

  logic        reg_valid, reg_write, reg_ready, reg_error;
  logic [14:0] reg_addr;
  logic [63:0] reg_wdata, reg_rdata;
  logic             h_valid, h_ready, h_last;
  logic [Width-1:0] h_data;
  logic [Bytes-1:0] h_keep;
  logic             w_valid, w_ready, w_last;
  logic [Width-1:0] w_data;
  logic [Bytes-1:0] w_keep;
  logic             c_valid, c_ready, c_last;
  logic [Width-1:0] c_data;
  logic [Bytes-1:0] c_keep;
  logic             p_valid, p_ready, p_last;
  logic [Width-1:0] p_data;
  logic [Bytes-1:0] p_keep;
  logic             peer_set_q;
  logic [63:0]      peer_q;
  logic [1:0]       cross_q;
  localparam int unsigned Beat = Width + Bytes + 1;
  logic [Beat-1:0]  to_host, to_card;
  logic [Beat-1:0]  in_beat [2], out_beat [2];

  /* verilator lint_off PINCONNECTEMPTY */
  ls_engine #(.Width(Width)) u_engine (
    .clk_i, .rst_ni, .set_i, .pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(), .tx_valid_o, .tx_ready_i, .tx_sop_o,
    .tx_eop_o, .tx_hdr_o, .tx_data_o, .rq_valid_o, .rq_ready_i, .rq_hdr_o, .cpl_valid_o,
    .cpl_ready_i, .cpl_hdr_o, .cpl_data_o, .rx_req_valid_i,
    .rx_req_ready_o, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
    .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
    .user_clk_i(clk_i), .user_rst_ni(rst_ni), .h2c_cmd_valid_i('0), .h2c_cmd_ready_o(),
    .h2c_cmd_addr_i('0), .h2c_cmd_len_i('0), .h2c_cmd_eof_i('0), .h2c_cmd_id_i('0),
    .h2c_done_valid_o(), .h2c_done_len_o(), .h2c_done_eof_o(), .h2c_done_cause_o(),
    .h2c_done_id_o(), .h2c_valid_o(h_valid), .h2c_ready_i(h_ready), .h2c_data_o(h_data),
    .h2c_keep_o(h_keep), .h2c_last_o(h_last), .h2c_error_o(), .c2h_cmd_valid_i('0),
    .c2h_cmd_ready_o(), .c2h_cmd_addr_i('0), .c2h_cmd_len_i('0), .c2h_cmd_eof_i('0),
    .c2h_cmd_id_i('0), .c2h_done_valid_o(), .c2h_done_len_o(), .c2h_done_eof_o(),
    .c2h_done_cause_o(), .c2h_done_id_o(), .c2h_valid_i(c_valid), .c2h_ready_o(c_ready),
    .c2h_data_i(c_data), .c2h_keep_i(c_keep), .c2h_last_i(c_last), .p2p_cmd_valid_i(peer_set_q),
    .p2p_cmd_ready_o(), .p2p_cmd_addr_i(peer_q), .p2p_cmd_len_i(24'h07_0000),
    .p2p_cmd_eof_i(1'b1), .p2p_cmd_id_i('0), .p2p_done_valid_o(), .p2p_done_len_o(),
    .p2p_done_eof_o(), .p2p_done_cause_o(), .p2p_done_id_o(), .p2p_valid_i(p_valid),
    .p2p_ready_o(p_ready), .p2p_data_i(p_data), .p2p_keep_i(p_keep), .p2p_last_i(p_last),
    .win_valid_o(w_valid), .win_ready_i(w_ready), .win_data_o(w_data), .win_keep_o(w_keep),
    .win_last_o(w_last), .win_error_o(), .user_valid_o(reg_valid), .user_write_o(reg_write),
    .user_addr_o(reg_addr), .user_wdata_o(reg_wdata), .user_wstrb_o(), .user_ready_i(reg_ready),
    .user_error_i(reg_error), .user_rdata_i(reg_rdata), .user_irq_i('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign in_beat[0] = {h_last, h_keep, h_data};
  assign in_beat[1] = {w_last, w_keep, w_data};
  assign to_host    = out_beat[0];
  assign to_card    = out_beat[1];
  assign {c_last, c_keep, c_data} = to_host;
  assign {p_last, p_keep, p_data} = to_card;

  ex_crossbar #(.Width(Width)) u_crossbar (
    .clk_i, .rst_ni, .cross_i(cross_q),
    .s_valid_i({w_valid, h_valid}), .s_ready_o({w_ready, h_ready}), .s_beat_i(in_beat),
    .m_valid_o({p_valid, c_valid}), .m_ready_i({p_ready, c_ready}), .m_beat_o(out_beat)
  );

  assign reg_ready = reg_valid;
  assign reg_error = reg_addr > 15'd8;
  assign reg_rdata = reg_addr[3] ? {62'd0, cross_q} : peer_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      peer_q     <= '0;
      peer_set_q <= 1'b0;
      cross_q    <= '0;
    end else if (reg_valid && reg_write) begin
      if (reg_addr == '0) begin
        peer_q     <= reg_wdata;
        peer_set_q <= reg_wdata != '0;
      end else begin
        cross_q <= reg_wdata[1:0];
      end
    end
  end

endmodule
