// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The card that a guest sees: the engine behind the 7-series block, two channels each way, and as its design what the
// boards have, a loopback of each channel, with a FIFO in it. What other cards write to the window comes out of the last
// channel as well, between frames of its loopback. At the user port are eight registers that keep what is written. Only the
// block's pins come out.
module remote_card
  import ls_pkg::*;
#(
  localparam int unsigned Width    = 64,
  localparam int unsigned Channels = 2,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned Depth    = 512,    // beats in each loopback
  localparam int unsigned Arrived  = 131072  // beats of the window that wait for the host, 1 MiB
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [7:0]       cfg_bus_number,
  input  logic [4:0]       cfg_device_number,
  input  logic [2:0]       cfg_function_number,
  input  logic [15:0]      cfg_command,
  input  logic [15:0]      cfg_dcommand,
  input  logic [1:0]       cfg_pmcsr_powerstate,
  input  logic             cfg_interrupt_msixenable,
  input  logic             cfg_interrupt_msixfm,
  input  logic             cfg_received_func_lvl_rst,
  output logic [Width-1:0] s_axis_tx_tdata,
  output logic [Bytes-1:0] s_axis_tx_tkeep,
  output logic             s_axis_tx_tlast,
  output logic             s_axis_tx_tvalid,
  input  logic             s_axis_tx_tready,
  input  logic [5:0]       tx_buf_av,
  input  logic [Width-1:0] m_axis_rx_tdata,
  input  logic [Bytes-1:0] m_axis_rx_tkeep,
  input  logic             m_axis_rx_tlast,
  input  logic [21:0]      m_axis_rx_tuser,
  input  logic             m_axis_rx_tvalid,
  output logic             m_axis_rx_tready
);

  logic                      user_rst_n;
  logic [Channels-1:0]       out_valid, out_ready, out_last, in_valid, in_ready, in_last;
  logic [Channels*Width-1:0] out_data, in_data;
  logic [Channels*Bytes-1:0] out_keep, in_keep;

  for (genvar k = 0; k < Channels; k++) begin : gen_loopback
    logic [$clog2(Depth):0] used;
    logic                   unused;
    ls_fifo #(.Width(Width + Bytes + 1), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni(user_rst_n), .clear_i(1'b0), .valid_i(out_valid[k]), .ready_o(out_ready[k]),
      .data_i({out_last[k], out_keep[k*Bytes+:Bytes], out_data[k*Width+:Width]}),
      .valid_o(in_valid[k]), .ready_i(in_ready[k]),
      .data_o({in_last[k], in_keep[k*Bytes+:Bytes], in_data[k*Width+:Width]}), .used_o(used)
    );
    assign unused = ^used;
  end

  // ---- the window: a frame of it or one of the loopback, whichever is there -------------------------
  // Nothing that arrives may wait for the host: behind a window that is full, completions of the channel's own
  // descriptors would wait as well. So there is room for all that anybody sends before it is read.
  logic                   win_valid, win_ready, win_last, far_valid, far_ready, far_last, mix_valid, mix_ready, mix_last;
  logic                   inside_q, far_q, far, unused_win;
  logic [Width-1:0]       win_data, far_data, mix_data;
  logic [Bytes-1:0]       win_keep, far_keep, mix_keep;
  logic [$clog2(Arrived):0] far_used;
  ls_fifo #(.Width(Width + Bytes + 1), .Depth(Arrived)) u_arrived (
    .clk_i, .rst_ni(user_rst_n), .clear_i(1'b0), .valid_i(win_valid), .ready_o(win_ready),
    .data_i({win_last, win_keep, win_data}), .valid_o(far_valid), .ready_i(far_ready),
    .data_o({far_last, far_keep, far_data}), .used_o(far_used)
  );
  localparam int unsigned Last = Channels - 1;
  assign far       = inside_q ? far_q : far_valid;
  assign mix_valid = far ? far_valid : in_valid[Last];
  assign mix_last  = far ? far_last : in_last[Last];
  assign mix_data  = far ? far_data : in_data[Last*Width+:Width];
  assign mix_keep  = far ? far_keep : in_keep[Last*Bytes+:Bytes];
  assign far_ready = far && mix_ready;
  always_ff @(posedge clk_i) begin
    if (!user_rst_n)                     inside_q <= 1'b0;
    else if (mix_valid && mix_ready)     inside_q <= !mix_last;
    else if (mix_valid && !inside_q)     inside_q <= 1'b1;     // what was shown stays
    if (!inside_q) far_q <= far;
  end

  // Towards the engine.
  logic [Channels-1:0]       c2h_valid, c2h_ready, c2h_last;
  logic [Channels*Width-1:0] c2h_data;
  logic [Channels*Bytes-1:0] c2h_keep;
  for (genvar k = 0; k < Channels; k++) begin : gen_c2h
    if (k == Last) begin : gen_mixed
      assign c2h_valid[k]            = mix_valid;
      assign c2h_last[k]             = mix_last;
      assign c2h_data[k*Width+:Width] = mix_data;
      assign c2h_keep[k*Bytes+:Bytes] = mix_keep;
      assign mix_ready               = c2h_ready[k];
      assign in_ready[k]             = !far && mix_ready;
    end else begin : gen_plain
      assign c2h_valid[k]            = in_valid[k];
      assign c2h_last[k]             = in_last[k];
      assign c2h_data[k*Width+:Width] = in_data[k*Width+:Width];
      assign c2h_keep[k*Bytes+:Bytes] = in_keep[k*Bytes+:Bytes];
      assign in_ready[k]             = c2h_ready[k];
    end
  end
  assign unused_win = ^far_used;

  logic        user_valid, user_write;
  logic [14:0] user_addr;
  logic [63:0] user_wdata, scratch_q [8];
  logic [7:0]  user_wstrb;
  always_ff @(posedge clk_i) begin
    if (user_valid && user_write) begin
      for (int i = 0; i < 8; i++) if (user_wstrb[i]) scratch_q[user_addr[5:3]][i*8+:8] <= user_wdata[i*8+:8];
    end
  end

  /* verilator lint_off PINCONNECTEMPTY */
  ls_top_7s #(
    .Width(Width), .H2c(Channels), .C2h(Channels), .Tags(32), .Batch(32), .Fetches(2), .MaxPayload(512),
    .MaxRequest(512), .Vectors(8), .FlrRest(256)
  ) u_top (
    .clk_i, .rst_ni, .cfg_bus_number, .cfg_device_number, .cfg_function_number, .cfg_command, .cfg_dcommand,
    .cfg_pmcsr_powerstate, .cfg_interrupt_msixenable, .cfg_interrupt_msixfm, .cfg_interrupt_msienable(1'b0),
    .cfg_interrupt_mmenable('0), .cfg_interrupt(), .cfg_interrupt_rdy(1'b0), .cfg_interrupt_di(),
    .cfg_received_func_lvl_rst, .s_axis_tx_tdata, .s_axis_tx_tkeep, .s_axis_tx_tlast, .s_axis_tx_tvalid,
    .s_axis_tx_tuser(), .s_axis_tx_tready, .tx_buf_av, .m_axis_rx_tdata, .m_axis_rx_tkeep, .m_axis_rx_tlast,
    .m_axis_rx_tuser, .m_axis_rx_tvalid, .m_axis_rx_tready,
    .m_axi_awid(), .m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(),
    .m_axi_awprot(), .m_axi_awqos(), .m_axi_awvalid(), .m_axi_awready('0), .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(),
    .m_axi_wvalid(), .m_axi_wready('0), .m_axi_bid('0), .m_axi_bresp('0), .m_axi_bvalid('0), .m_axi_bready(), .m_axi_arid(),
    .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(),
    .m_axi_arqos(), .m_axi_arvalid(), .m_axi_arready('0), .m_axi_rid('0), .m_axi_rdata('0), .m_axi_rresp('0),
    .m_axi_rlast('0), .m_axi_rvalid('0), .m_axi_rready(),
    .user_clk_i(clk_i), .user_rst_ni(rst_ni), .user_rst_no(user_rst_n),
    .h2c_cmd_valid_i('0), .h2c_cmd_ready_o(), .h2c_cmd_addr_i('0), .h2c_cmd_len_i('0), .h2c_cmd_eof_i('0),
    .h2c_cmd_id_i('0), .h2c_done_valid_o(), .h2c_done_len_o(), .h2c_done_eof_o(), .h2c_done_cause_o(),
    .h2c_done_id_o(), .m_axis_h2c_tvalid(out_valid), .m_axis_h2c_tready(out_ready), .m_axis_h2c_tdata(out_data),
    .m_axis_h2c_tkeep(out_keep), .m_axis_h2c_tlast(out_last), .m_axis_h2c_tuser(),
    .c2h_cmd_valid_i('0), .c2h_cmd_ready_o(), .c2h_cmd_addr_i('0), .c2h_cmd_len_i('0), .c2h_cmd_eof_i('0),
    .c2h_cmd_id_i('0), .c2h_done_valid_o(), .c2h_done_len_o(), .c2h_done_eof_o(), .c2h_done_cause_o(),
    .c2h_done_id_o(), .s_axis_c2h_tvalid(c2h_valid), .s_axis_c2h_tready(c2h_ready), .s_axis_c2h_tdata(c2h_data),
    .s_axis_c2h_tkeep(c2h_keep), .s_axis_c2h_tlast(c2h_last),
    .p2p_cmd_valid_i(1'b0), .p2p_cmd_ready_o(), .p2p_cmd_addr_i('0), .p2p_cmd_len_i('0), .p2p_cmd_eof_i(1'b0),
    .p2p_cmd_id_i('0), .p2p_done_valid_o(), .p2p_done_len_o(), .p2p_done_eof_o(), .p2p_done_cause_o(),
    .p2p_done_id_o(), .s_axis_p2p_tvalid(1'b0), .s_axis_p2p_tready(), .s_axis_p2p_tdata('0), .s_axis_p2p_tkeep('0),
    .s_axis_p2p_tlast(1'b0), .m_axis_win_tvalid(win_valid), .m_axis_win_tready(win_ready), .m_axis_win_tdata(win_data),
    .m_axis_win_tkeep(win_keep), .m_axis_win_tlast(win_last), .m_axis_win_tuser(),
    .user_valid_o(user_valid), .user_write_o(user_write), .user_addr_o(user_addr), .user_wdata_o(user_wdata),
    .user_wstrb_o(user_wstrb), .user_ready_i(1'b1), .user_error_i(1'b0), .user_rdata_i(scratch_q[user_addr[5:3]]),
    .user_irq_i('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
