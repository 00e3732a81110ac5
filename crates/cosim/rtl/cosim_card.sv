// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What is Verilated: the engine behind the 7-series block, with its ports at the pins, and the ping-pong
// of gateware/examples, which a pin puts between them. One model holds both, because to compile the
// engine a second time takes longer than to carry the ping-pong along.
module cosim_card
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned BufBytes   = 16384,
  parameter int unsigned WindowBits = 20,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               pingpong_i,  // the ping-pong stands at the card-to-card ports, else the pins do
  input  logic [7:0]         cfg_bus_number,
  input  logic [4:0]         cfg_device_number,
  input  logic [2:0]         cfg_function_number,
  input  logic [15:0]        cfg_dcommand,
  input  logic               cfg_interrupt_msixenable,
  output logic [Width-1:0]   s_axis_tx_tdata,
  output logic [Bytes-1:0]   s_axis_tx_tkeep,
  output logic               s_axis_tx_tlast,
  output logic               s_axis_tx_tvalid,
  input  logic               s_axis_tx_tready,
  input  logic [5:0]         tx_buf_av,
  input  logic [Width-1:0]   m_axis_rx_tdata,
  input  logic [Bytes-1:0]   m_axis_rx_tkeep,
  input  logic               m_axis_rx_tlast,
  input  logic [21:0]        m_axis_rx_tuser,
  input  logic               m_axis_rx_tvalid,
  output logic               m_axis_rx_tready,
  input  logic               h2c_cmd_valid_i,
  output logic               h2c_cmd_ready_o,
  input  logic [63:0]        h2c_cmd_addr_i,
  input  logic [LenBits-1:0] h2c_cmd_len_i,
  input  logic               h2c_cmd_eof_i,
  output logic               h2c_done_valid_o,
  output logic [3:0]         h2c_done_cause_o,
  input  logic               c2h_cmd_valid_i,
  output logic               c2h_cmd_ready_o,
  input  logic [63:0]        c2h_cmd_addr_i,
  input  logic [LenBits-1:0] c2h_cmd_len_i,
  input  logic               c2h_cmd_eof_i,
  output logic               c2h_done_valid_o,
  output logic [3:0]         c2h_done_cause_o,
  input  logic               p2p_cmd_valid_i,
  output logic               p2p_cmd_ready_o,
  input  logic [63:0]        p2p_cmd_addr_i,
  input  logic [LenBits-1:0] p2p_cmd_len_i,
  input  logic               p2p_cmd_eof_i,
  output logic               p2p_done_valid_o,
  output logic [3:0]         p2p_done_cause_o,
  output logic               h2c_valid_o,
  input  logic               h2c_ready_i,
  output logic [Width-1:0]   h2c_data_o,
  output logic [Bytes-1:0]   h2c_keep_o,
  output logic               h2c_last_o,
  output logic               h2c_error_o,
  output logic               win_valid_o,
  input  logic               win_ready_i,
  output logic [Width-1:0]   win_data_o,
  output logic [Bytes-1:0]   win_keep_o,
  output logic               win_last_o,
  output logic               win_error_o,
  input  logic               c2h_valid_i,
  output logic               c2h_ready_o,
  input  logic [Width-1:0]   c2h_data_i,
  input  logic [Bytes-1:0]   c2h_keep_i,
  input  logic               c2h_last_i,
  input  logic               p2p_valid_i,
  output logic               p2p_ready_o,
  input  logic [Width-1:0]   p2p_data_i,
  input  logic [Bytes-1:0]   p2p_keep_i,
  input  logic               p2p_last_i,
  output logic               pingpong_busy_o  // its timer runs
);
  logic               user_valid, user_write, user_ready, user_error;
  logic [14:0]        user_addr;
  logic [63:0]        user_wdata, user_rdata;
  logic               cmd_valid, cmd_ready, cmd_eof, own_cmd_valid;
  logic [63:0]        cmd_addr, own_cmd_addr;
  logic [LenBits-1:0] cmd_len, own_cmd_len;
  logic               s_valid, s_ready, s_last, own_valid, own_last;
  logic [Width-1:0]   s_data, own_data;
  logic [Bytes-1:0]   s_keep, own_keep;
  logic               win_valid, win_ready, own_ready, own_busy;

  /* verilator lint_off PINCONNECTEMPTY */
  ls_top_7s #(
    .Width(Width), .Tags(Tags), .Batch(32), .Fetches(1), .MaxPayload(MaxPayload), .MaxRequest(MaxRequest),
    .BufBytes(BufBytes), .WindowBits(WindowBits)
  ) u_top (
    .clk_i, .rst_ni, .cfg_bus_number, .cfg_device_number, .cfg_function_number, .cfg_dcommand,
    .cfg_command(16'h0006), .cfg_pmcsr_powerstate(2'd0),
    .cfg_interrupt_msixenable, .s_axis_tx_tdata, .s_axis_tx_tkeep, .s_axis_tx_tlast,
    .s_axis_tx_tvalid, .s_axis_tx_tready, .tx_buf_av, .m_axis_rx_tdata, .m_axis_rx_tkeep,
    .m_axis_rx_tlast, .m_axis_rx_tuser, .m_axis_rx_tvalid, .m_axis_rx_tready, .h2c_cmd_valid_i,
    .h2c_cmd_ready_o, .h2c_cmd_addr_i, .h2c_cmd_len_i, .h2c_cmd_eof_i, .h2c_done_valid_o,
    .h2c_done_cause_o, .c2h_cmd_valid_i, .c2h_cmd_ready_o, .c2h_cmd_addr_i, .c2h_cmd_len_i,
    .c2h_cmd_eof_i, .c2h_done_valid_o, .c2h_done_cause_o, .p2p_done_valid_o, .p2p_done_cause_o,
    .m_axis_h2c_tvalid(h2c_valid_o), .m_axis_h2c_tready(h2c_ready_i), .m_axis_h2c_tdata(h2c_data_o),
    .m_axis_h2c_tkeep(h2c_keep_o), .m_axis_h2c_tlast(h2c_last_o), .m_axis_h2c_tuser(h2c_error_o),
    .m_axis_win_tdata(win_data_o), .m_axis_win_tkeep(win_keep_o), .m_axis_win_tlast(win_last_o),
    .m_axis_win_tuser(win_error_o), .s_axis_c2h_tvalid(c2h_valid_i), .s_axis_c2h_tready(c2h_ready_o),
    .s_axis_c2h_tdata(c2h_data_i), .s_axis_c2h_tkeep(c2h_keep_i), .s_axis_c2h_tlast(c2h_last_i),
    .cfg_received_func_lvl_rst(1'b0), .cfg_interrupt_msixfm(1'b0), .s_axis_tx_tuser(),
    .user_clk_i(clk_i), .user_rst_ni(rst_ni), .user_rst_no(), .h2c_cmd_id_i('0), .h2c_done_len_o(),
    .h2c_done_eof_o(), .h2c_done_id_o(), .c2h_cmd_id_i('0), .c2h_done_len_o(),
    .c2h_done_eof_o(), .c2h_done_id_o(), .p2p_cmd_id_i('0), .p2p_done_len_o(),
    .p2p_done_eof_o(), .p2p_done_id_o(), .p2p_cmd_valid_i(cmd_valid),
    .p2p_cmd_ready_o(cmd_ready), .p2p_cmd_addr_i(cmd_addr), .p2p_cmd_len_i(cmd_len),
    .p2p_cmd_eof_i(cmd_eof), .s_axis_p2p_tvalid(s_valid), .s_axis_p2p_tready(s_ready), .s_axis_p2p_tdata(s_data),
    .s_axis_p2p_tkeep(s_keep), .s_axis_p2p_tlast(s_last), .m_axis_win_tvalid(win_valid), .m_axis_win_tready(win_ready),
    .user_valid_o(user_valid), .user_write_o(user_write), .user_addr_o(user_addr),
    .user_wdata_o(user_wdata), .user_wstrb_o(), .user_ready_i(user_ready || !pingpong_i),
    .user_error_i(user_error && pingpong_i), .user_rdata_i(pingpong_i ? user_rdata : '0),
    .user_irq_i('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  ex_pingpong_regs #(.Width(Width)) u_pingpong (
    .clk_i, .rst_ni, .user_valid_i(user_valid && pingpong_i), .user_write_i(user_write),
    .user_addr_i(user_addr), .user_wdata_i(user_wdata), .user_ready_o(user_ready),
    .user_error_o(user_error), .user_rdata_o(user_rdata), .busy_o(own_busy),
    .cmd_valid_o(own_cmd_valid), .cmd_ready_i(cmd_ready && pingpong_i), .cmd_addr_o(own_cmd_addr),
    .cmd_len_o(own_cmd_len), .m_valid_o(own_valid), .m_ready_i(s_ready && pingpong_i),
    .m_data_o(own_data), .m_keep_o(own_keep), .m_last_o(own_last),
    .s_valid_i(win_valid && pingpong_i), .s_ready_o(own_ready), .s_last_i(win_last_o)
  );

  assign cmd_valid       = pingpong_i ? own_cmd_valid : p2p_cmd_valid_i;
  assign cmd_addr        = pingpong_i ? own_cmd_addr : p2p_cmd_addr_i;
  assign cmd_len         = pingpong_i ? own_cmd_len : p2p_cmd_len_i;
  assign cmd_eof         = pingpong_i || p2p_cmd_eof_i;
  assign p2p_cmd_ready_o = cmd_ready && !pingpong_i;
  assign s_valid         = pingpong_i ? own_valid : p2p_valid_i;
  assign s_data          = pingpong_i ? own_data : p2p_data_i;
  assign s_keep          = pingpong_i ? own_keep : p2p_keep_i;
  assign s_last          = pingpong_i ? own_last : p2p_last_i;
  assign p2p_ready_o     = s_ready && !pingpong_i;
  assign win_ready       = pingpong_i ? own_ready : win_ready_i;
  // What the ping-pong has taken is shown at the pins as well, in the cycle in which it takes it.
  assign win_valid_o     = win_valid && (own_ready || !pingpong_i);
  assign pingpong_busy_o = pingpong_i && own_busy;
endmodule
