// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_core between registers and four pins, for a router: its inputs come from a shift register,
// its outputs end in registers that are folded into one bit a level at a time. Every path that is
// timed runs inside the engine or between it and a register of its own at each port.
module ls_route
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Vectors = 4,
  localparam int unsigned Bytes  = Width / 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,
  output logic bit_o
);

  settings_t set_i;
  logic tx_ready_i;
  logic rq_ready_i;
  logic cpl_ready_i;
  logic rx_req_valid_i;
  logic rx_req_sop_i;
  logic rx_req_eop_i;
  tlp_hdr_t rx_req_hdr_i;
  logic [Width-1:0] rx_req_data_i;
  logic rx_cpl_valid_i;
  logic rx_cpl_sop_i;
  logic rx_cpl_eop_i;
  tlp_hdr_t rx_cpl_hdr_i;
  logic [Width-1:0] rx_cpl_data_i;
  logic h2c_cmd_valid_i;
  dma_cmd_t h2c_cmd_i;
  logic h2c_ready_i;
  logic c2h_cmd_valid_i;
  dma_cmd_t c2h_cmd_i;
  logic c2h_valid_i;
  logic [Width-1:0] c2h_data_i;
  logic [Bytes-1:0] c2h_keep_i;
  logic c2h_last_i;
  logic p2p_cmd_valid_i;
  dma_cmd_t p2p_cmd_i;
  logic p2p_valid_i;
  logic [Width-1:0] p2p_data_i;
  logic [Bytes-1:0] p2p_keep_i;
  logic p2p_last_i;
  logic win_ready_i;
  logic user_ready_i;
  logic user_error_i;
  logic [63:0] user_rdata_i;
  logic [Vectors-1:0] user_irq_i;
  logic tx_valid_o;
  logic tx_sop_o;
  logic tx_eop_o;
  tlp_hdr_t tx_hdr_o;
  logic [Width-1:0] tx_data_o;
  logic rq_valid_o;
  tlp_hdr_t rq_hdr_o;
  logic cpl_valid_o;
  tlp_hdr_t cpl_hdr_o;
  logic [63:0] cpl_data_o;
  logic rx_req_ready_o;
  logic h2c_cmd_ready_o;
  logic h2c_done_valid_o;
  dma_done_t h2c_done_o;
  logic h2c_valid_o;
  logic [Width-1:0] h2c_data_o;
  logic [Bytes-1:0] h2c_keep_o;
  logic h2c_last_o;
  logic h2c_error_o;
  logic c2h_cmd_ready_o;
  logic c2h_done_valid_o;
  dma_done_t c2h_done_o;
  logic c2h_ready_o;
  logic p2p_cmd_ready_o;
  logic p2p_done_valid_o;
  dma_done_t p2p_done_o;
  logic p2p_ready_o;
  logic win_valid_o;
  logic [Width-1:0] win_data_o;
  logic [Bytes-1:0] win_keep_o;
  logic win_last_o;
  logic win_error_o;
  logic user_valid_o;
  logic user_write_o;
  logic [14:0] user_addr_o;
  logic [63:0] user_wdata_o;
  logic [7:0] user_wstrb_o;

  typedef struct packed {
    settings_t set;
    logic tx_ready;
    logic rq_ready;
    logic cpl_ready;
    logic rx_req_valid;
    logic rx_req_sop;
    logic rx_req_eop;
    tlp_hdr_t rx_req_hdr;
    logic [Width-1:0] rx_req_data;
    logic rx_cpl_valid;
    logic rx_cpl_sop;
    logic rx_cpl_eop;
    tlp_hdr_t rx_cpl_hdr;
    logic [Width-1:0] rx_cpl_data;
    logic h2c_cmd_valid;
    dma_cmd_t h2c_cmd;
    logic h2c_ready;
    logic c2h_cmd_valid;
    dma_cmd_t c2h_cmd;
    logic c2h_valid;
    logic [Width-1:0] c2h_data;
    logic [Bytes-1:0] c2h_keep;
    logic c2h_last;
    logic p2p_cmd_valid;
    dma_cmd_t p2p_cmd;
    logic p2p_valid;
    logic [Width-1:0] p2p_data;
    logic [Bytes-1:0] p2p_keep;
    logic p2p_last;
    logic win_ready;
    logic user_ready;
    logic user_error;
    logic [63:0] user_rdata;
    logic [Vectors-1:0] user_irq;
  } in_t;
  typedef struct packed {
    logic tx_valid;
    logic tx_sop;
    logic tx_eop;
    tlp_hdr_t tx_hdr;
    logic [Width-1:0] tx_data;
    logic rq_valid;
    tlp_hdr_t rq_hdr;
    logic cpl_valid;
    tlp_hdr_t cpl_hdr;
    logic [63:0] cpl_data;
    logic rx_req_ready;
    logic h2c_cmd_ready;
    logic h2c_done_valid;
    dma_done_t h2c_done;
    logic h2c_valid;
    logic [Width-1:0] h2c_data;
    logic [Bytes-1:0] h2c_keep;
    logic h2c_last;
    logic h2c_error;
    logic c2h_cmd_ready;
    logic c2h_done_valid;
    dma_done_t c2h_done;
    logic c2h_ready;
    logic p2p_cmd_ready;
    logic p2p_done_valid;
    dma_done_t p2p_done;
    logic p2p_ready;
    logic win_valid;
    logic [Width-1:0] win_data;
    logic [Bytes-1:0] win_keep;
    logic win_last;
    logic win_error;
    logic user_valid;
    logic user_write;
    logic [14:0] user_addr;
    logic [63:0] user_wdata;
    logic [7:0] user_wstrb;
  } out_t;

  localparam int unsigned InBits = $bits(in_t), OutBits = $bits(out_t);
  localparam int unsigned Groups = (OutBits + 15) / 16;
  logic               rst_q;
  in_t                shift_q, in_q;
  out_t               out_q;
  logic [Groups*16-1:0] wide;
  logic [Groups-1:0]    fold_q;
  logic [7:0]           fold2_q;

  always_ff @(posedge clk_i) begin
    rst_q   <= rst_ni;
    shift_q <= {shift_q[InBits-2:0], bit_i};
    in_q    <= shift_q;
    bit_o   <= ^fold2_q;
    for (int unsigned i = 0; i < 8; i++) fold2_q[i] <= ^(fold_q & mask_of(i));
    for (int unsigned i = 0; i < Groups; i++) fold_q[i] <= ^wide[i*16+:16];
  end
  function automatic logic [Groups-1:0] mask_of(input int unsigned i);
    for (int unsigned j = 0; j < Groups; j++) mask_of[j] = (j % 8 == i);
  endfunction
  assign wide = (Groups*16)'(out_q);

  assign set_i = in_q.set;
  assign tx_ready_i = in_q.tx_ready;
  assign rq_ready_i = in_q.rq_ready;
  assign cpl_ready_i = in_q.cpl_ready;
  assign rx_req_valid_i = in_q.rx_req_valid;
  assign rx_req_sop_i = in_q.rx_req_sop;
  assign rx_req_eop_i = in_q.rx_req_eop;
  assign rx_req_hdr_i = in_q.rx_req_hdr;
  assign rx_req_data_i = in_q.rx_req_data;
  assign rx_cpl_valid_i = in_q.rx_cpl_valid;
  assign rx_cpl_sop_i = in_q.rx_cpl_sop;
  assign rx_cpl_eop_i = in_q.rx_cpl_eop;
  assign rx_cpl_hdr_i = in_q.rx_cpl_hdr;
  assign rx_cpl_data_i = in_q.rx_cpl_data;
  assign h2c_cmd_valid_i = in_q.h2c_cmd_valid;
  assign h2c_cmd_i = in_q.h2c_cmd;
  assign h2c_ready_i = in_q.h2c_ready;
  assign c2h_cmd_valid_i = in_q.c2h_cmd_valid;
  assign c2h_cmd_i = in_q.c2h_cmd;
  assign c2h_valid_i = in_q.c2h_valid;
  assign c2h_data_i = in_q.c2h_data;
  assign c2h_keep_i = in_q.c2h_keep;
  assign c2h_last_i = in_q.c2h_last;
  assign p2p_cmd_valid_i = in_q.p2p_cmd_valid;
  assign p2p_cmd_i = in_q.p2p_cmd;
  assign p2p_valid_i = in_q.p2p_valid;
  assign p2p_data_i = in_q.p2p_data;
  assign p2p_keep_i = in_q.p2p_keep;
  assign p2p_last_i = in_q.p2p_last;
  assign win_ready_i = in_q.win_ready;
  assign user_ready_i = in_q.user_ready;
  assign user_error_i = in_q.user_error;
  assign user_rdata_i = in_q.user_rdata;
  assign user_irq_i = in_q.user_irq;

  always_ff @(posedge clk_i) begin
    out_q.tx_valid <= tx_valid_o;
    out_q.tx_sop <= tx_sop_o;
    out_q.tx_eop <= tx_eop_o;
    out_q.tx_hdr <= tx_hdr_o;
    out_q.tx_data <= tx_data_o;
    out_q.rq_valid <= rq_valid_o;
    out_q.rq_hdr <= rq_hdr_o;
    out_q.cpl_valid <= cpl_valid_o;
    out_q.cpl_hdr <= cpl_hdr_o;
    out_q.cpl_data <= cpl_data_o;
    out_q.rx_req_ready <= rx_req_ready_o;
    out_q.h2c_cmd_ready <= h2c_cmd_ready_o;
    out_q.h2c_done_valid <= h2c_done_valid_o;
    out_q.h2c_done <= h2c_done_o;
    out_q.h2c_valid <= h2c_valid_o;
    out_q.h2c_data <= h2c_data_o;
    out_q.h2c_keep <= h2c_keep_o;
    out_q.h2c_last <= h2c_last_o;
    out_q.h2c_error <= h2c_error_o;
    out_q.c2h_cmd_ready <= c2h_cmd_ready_o;
    out_q.c2h_done_valid <= c2h_done_valid_o;
    out_q.c2h_done <= c2h_done_o;
    out_q.c2h_ready <= c2h_ready_o;
    out_q.p2p_cmd_ready <= p2p_cmd_ready_o;
    out_q.p2p_done_valid <= p2p_done_valid_o;
    out_q.p2p_done <= p2p_done_o;
    out_q.p2p_ready <= p2p_ready_o;
    out_q.win_valid <= win_valid_o;
    out_q.win_data <= win_data_o;
    out_q.win_keep <= win_keep_o;
    out_q.win_last <= win_last_o;
    out_q.win_error <= win_error_o;
    out_q.user_valid <= user_valid_o;
    out_q.user_write <= user_write_o;
    out_q.user_addr <= user_addr_o;
    out_q.user_wdata <= user_wdata_o;
    out_q.user_wstrb <= user_wstrb_o;
  end

  ls_core #(.Width(Width), .Vectors(Vectors)) u_core (
    .clk_i, .rst_ni(rst_q), .set_i, .tx_ready_i, .rq_ready_i, .cpl_ready_i,
    .rx_req_valid_i, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
    .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
    .h2c_cmd_valid_i, .h2c_cmd_i, .h2c_ready_i, .c2h_cmd_valid_i, .c2h_cmd_i, .c2h_valid_i,
    .c2h_data_i, .c2h_keep_i, .c2h_last_i, .p2p_cmd_valid_i, .p2p_cmd_i, .p2p_valid_i,
    .p2p_data_i, .p2p_keep_i, .p2p_last_i, .win_ready_i, .user_ready_i, .user_error_i,
    .user_rdata_i, .user_irq_i, .tx_valid_o, .pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(), .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
    .rq_valid_o, .rq_hdr_o, .cpl_valid_o, .cpl_hdr_o, .cpl_data_o, .rx_req_ready_o, .h2c_cmd_ready_o, .h2c_done_valid_o, .h2c_done_o,
    .h2c_valid_o, .h2c_data_o, .h2c_keep_o, .h2c_last_o, .h2c_error_o, .c2h_cmd_ready_o,
    .c2h_done_valid_o, .c2h_done_o, .c2h_ready_o, .p2p_cmd_ready_o, .p2p_done_valid_o,
    .p2p_done_o, .p2p_ready_o, .win_valid_o, .win_data_o, .win_keep_o, .win_last_o, .win_error_o,
    .user_valid_o, .user_write_o, .user_addr_o, .user_wdata_o, .user_wstrb_o
  );

endmodule
