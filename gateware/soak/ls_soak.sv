// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the soak drives: the engine behind ls_flr as in the vendor tops, at its internal interface, with the fields of
// commands as ports of their own. The engine's channels are the first of each direction.
module ls_soak
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned BufBytes   = 16384,
  parameter int unsigned Fetches    = 4,
  parameter int unsigned Batch      = 16,
  parameter int unsigned Vectors    = 4,
  parameter int unsigned AnswerTime = 64,     // short: some accesses are never answered
  parameter int unsigned FlrRest    = 1000,   // cycles
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,
  input  logic               flr_i,            // pulse: a function-level reset
  output logic               flr_done_o,       // pulse: it is over
  output logic               core_rst_no,      // the engine's reset, and so the user's

  // TLPs
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
  input  logic [Width-1:0]   rx_cpl_data_i,

  // host to card
  input  logic               h2c_cmd_valid_i,
  output logic               h2c_cmd_ready_o,
  input  logic [63:0]  h2c_cmd_addr_i,
  input  logic [23:0]  h2c_cmd_len_i,
  input  logic         h2c_cmd_eof_i,
  input  logic [23:0]  h2c_cmd_id_i,
  output logic               h2c_done_valid_o,
  output dma_done_t          h2c_done_o,
  output logic               h2c_valid_o,
  input  logic               h2c_ready_i,
  output logic [Width-1:0]   h2c_data_o,
  output logic [Bytes-1:0]   h2c_keep_o,
  output logic               h2c_last_o,
  output logic               h2c_error_o,

  // card to host
  input  logic               c2h_cmd_valid_i,
  output logic               c2h_cmd_ready_o,
  input  logic [63:0]  c2h_cmd_addr_i,
  input  logic [23:0]  c2h_cmd_len_i,
  input  logic         c2h_cmd_eof_i,
  input  logic [23:0]  c2h_cmd_id_i,
  output logic               c2h_done_valid_o,
  output dma_done_t          c2h_done_o,
  input  logic               c2h_valid_i,
  output logic               c2h_ready_o,
  input  logic [Width-1:0]   c2h_data_i,
  input  logic [Bytes-1:0]   c2h_keep_i,
  input  logic               c2h_last_i,

  // card to card: sending
  input  logic               p2p_cmd_valid_i,
  output logic               p2p_cmd_ready_o,
  input  logic [63:0]  p2p_cmd_addr_i,
  input  logic [23:0]  p2p_cmd_len_i,
  input  logic         p2p_cmd_eof_i,
  input  logic [23:0]  p2p_cmd_id_i,
  output logic               p2p_done_valid_o,
  output dma_done_t          p2p_done_o,
  input  logic               p2p_valid_i,
  output logic               p2p_ready_o,
  input  logic [Width-1:0]   p2p_data_i,
  input  logic [Bytes-1:0]   p2p_keep_i,
  input  logic               p2p_last_i,

  // card to card: receiving
  output logic               win_valid_o,
  input  logic               win_ready_i,
  output logic [Width-1:0]   win_data_o,
  output logic [Bytes-1:0]   win_keep_o,
  output logic               win_last_o,
  output logic               win_error_o,

  // registers and interrupts of the user's design
  output logic               user_valid_o,
  output logic               user_write_o,
  output logic [14:0]        user_addr_o,
  output logic [63:0]        user_wdata_o,
  output logic [7:0]         user_wstrb_o,
  input  logic               user_ready_i,
  input  logic               user_error_i,
  input  logic [63:0]        user_rdata_i,
  input  logic [Vectors-1:0] user_irq_i
);

  logic [2:0] e_valid, e_ready;
  logic [1:0] e_in_valid;
  logic       e_in_ready, unused_ready, unused_user;
  dma_cmd_t   h2c_cmd, c2h_cmd, p2p_cmd;
  always_comb begin
    h2c_cmd      = '0;
    h2c_cmd.addr = h2c_cmd_addr_i;
    h2c_cmd.len  = h2c_cmd_len_i;
    h2c_cmd.sof  = 1'b1;
    h2c_cmd.eof  = h2c_cmd_eof_i;
    h2c_cmd.id   = h2c_cmd_id_i;
  end
  always_comb begin
    c2h_cmd      = '0;
    c2h_cmd.addr = c2h_cmd_addr_i;
    c2h_cmd.len  = c2h_cmd_len_i;
    c2h_cmd.sof  = 1'b1;
    c2h_cmd.eof  = c2h_cmd_eof_i;
    c2h_cmd.id   = c2h_cmd_id_i;
  end
  always_comb begin
    p2p_cmd      = '0;
    p2p_cmd.addr = p2p_cmd_addr_i;
    p2p_cmd.len  = p2p_cmd_len_i;
    p2p_cmd.sof  = 1'b1;
    p2p_cmd.eof  = p2p_cmd_eof_i;
    p2p_cmd.id   = p2p_cmd_id_i;
  end

  ls_flr #(.Rest(FlrRest)) u_flr (
    .clk_i, .rst_ni, .user_clk_i(clk_i), .user_rst_ni(rst_ni), .flr_i, .flr_done_o, .core_rst_no,
    .core_user_rst_no(unused_user),
    .out_valid_i(e_valid), .out_ready_o(e_ready), .out_eop_i({2'b11, tx_eop_o}),
    .out_valid_o({cpl_valid_o, rq_valid_o, tx_valid_o}), .out_ready_i({cpl_ready_i, rq_ready_i, tx_ready_i}),
    .in_valid_i({rx_cpl_valid_i, rx_req_valid_i}), .in_ready_o({unused_ready, rx_req_ready_o}),
    .in_eop_i({rx_cpl_eop_i, rx_req_eop_i}), .in_valid_o(e_in_valid), .in_ready_i({1'b1, e_in_ready})
  );

  ls_core #(
    .Width(Width), .Tags(Tags), .MaxPayload(MaxPayload), .MaxRequest(MaxRequest), .BufBytes(BufBytes),
    .Batch(Batch), .Fetches(Fetches), .Vectors(Vectors), .AnswerTime(AnswerTime)
  ) u_core (
    .clk_i, .rst_ni(core_rst_no), .set_i, .pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(),
    .tx_valid_o(e_valid[0]), .tx_ready_i(e_ready[0]), .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
    .rq_valid_o(e_valid[1]), .rq_ready_i(e_ready[1]), .rq_hdr_o, .cpl_valid_o(e_valid[2]), .cpl_ready_i(e_ready[2]),
    .cpl_hdr_o, .cpl_data_o, .rx_req_valid_i(e_in_valid[0]), .rx_req_ready_o(e_in_ready), .rx_req_sop_i,
    .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i, .rx_cpl_valid_i(e_in_valid[1]), .rx_cpl_sop_i, .rx_cpl_eop_i,
    .rx_cpl_hdr_i, .rx_cpl_data_i, .h2c_cmd_valid_i, .h2c_cmd_ready_o, .h2c_cmd_i(h2c_cmd), .h2c_done_valid_o,
    .h2c_done_o, .h2c_valid_o, .h2c_ready_i, .h2c_data_o, .h2c_keep_o, .h2c_last_o, .h2c_error_o, .c2h_cmd_valid_i,
    .c2h_cmd_ready_o, .c2h_cmd_i(c2h_cmd), .c2h_done_valid_o, .c2h_done_o, .c2h_valid_i, .c2h_ready_o, .c2h_data_i,
    .c2h_keep_i, .c2h_last_i, .p2p_cmd_valid_i, .p2p_cmd_ready_o, .p2p_cmd_i(p2p_cmd), .p2p_done_valid_o, .p2p_done_o,
    .p2p_valid_i, .p2p_ready_o, .p2p_data_i, .p2p_keep_i, .p2p_last_i, .win_valid_o, .win_ready_i, .win_data_o,
    .win_keep_o, .win_last_o, .win_error_o, .user_valid_o, .user_write_o, .user_addr_o, .user_wdata_o, .user_wstrb_o,
    .user_ready_i, .user_error_i, .user_rdata_i, .user_irq_i
  );

  logic unused;
  assign unused = ^{unused_ready, unused_user};

endmodule
