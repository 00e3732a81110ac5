// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The whole engine for the 7-series block: ports named as the block names them. The block must have
// MSI-X with its table in BAR 0 at 0x1000 and pending bits at 0x1080; with `Msi`, MSI as well.
module ls_top_7s
  import ls_pkg::*;
#(
  parameter bit          TwoClocks  = 1'b0,
  parameter int unsigned Width      = 64,
  parameter int unsigned H2c        = 1,      // channels from host to card, 1 to 8
  parameter int unsigned C2h        = 1,      // channels from card to host, 1 to 8
  parameter int unsigned Tags       = 32,     // data reads in flight; shared out evenly to the channels
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned BufBytes   = 16384,  // completions of host to card; shared out likewise
  parameter int unsigned Batch      = (Width == 64) ? 16 : 32,  // descriptors fetched at once
  parameter int unsigned Fetches    = fetches(Width, H2c + C2h),        // of them out, a channel
  parameter int unsigned WindowBits = 20,     // size of the card-to-card BAR, 2**WindowBits bytes
  parameter int unsigned WindowBuf  = 4096,   // bytes buffered behind it
  parameter int unsigned Vectors    = 4,
  parameter int unsigned AnswerTime = 1024,   // cycles a register access may take
  parameter int unsigned FlrRest    = 12_500_000, // cycles a function-level reset takes: see ls_flr
  parameter int unsigned Reserve    = 4,      // transmit buffers of the block kept for completions
  parameter bit          Msi        = 1'b0,   // MSI beside MSI-X: see ls_msi
  parameter bit          Mm         = 1'b0,   // card memory in the place of streams: see ls_mm
  parameter int unsigned BurstBytes = 1024,   // longest burst there
  parameter int unsigned AxiIdBits  = 1,      // of the one ID there, 0
  localparam int unsigned Mms       = (H2c > C2h) ? H2c : C2h,
  localparam int unsigned Bytes     = Width / 8
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk_i CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_tx:m_axis_rx:m_axi, ASSOCIATED_RESET rst_ni" *)
  input  logic               clk_i,     // the block's user clock
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst_ni RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic               rst_ni,
  input  logic [7:0]         cfg_bus_number,
  input  logic [4:0]         cfg_device_number,
  input  logic [2:0]         cfg_function_number,
  input  logic [15:0]        cfg_command,
  input  logic [15:0]        cfg_dcommand,
  input  logic [1:0]         cfg_pmcsr_powerstate,
  input  logic               cfg_interrupt_msixenable,
  input  logic               cfg_interrupt_msixfm,
  input  logic               cfg_interrupt_msienable,   // this and the next: with `Msi`
  input  logic [2:0]         cfg_interrupt_mmenable,
  output logic               cfg_interrupt,
  input  logic               cfg_interrupt_rdy,
  output logic [7:0]         cfg_interrupt_di,
  input  logic               cfg_received_func_lvl_rst,
  output logic [Width-1:0]   s_axis_tx_tdata,
  output logic [Bytes-1:0]   s_axis_tx_tkeep,
  output logic               s_axis_tx_tlast,
  output logic               s_axis_tx_tvalid,
  output logic [3:0]         s_axis_tx_tuser,
  input  logic               s_axis_tx_tready,
  input  logic [5:0]         tx_buf_av,
  input  logic [Width-1:0]   m_axis_rx_tdata,
  input  logic [Bytes-1:0]   m_axis_rx_tkeep,
  input  logic               m_axis_rx_tlast,
  input  logic [21:0]        m_axis_rx_tuser,
  input  logic               m_axis_rx_tvalid,
  output logic               m_axis_rx_tready,

  // card memory, with `Mm`, on clk_i: channel 0 lowest
  output logic [H2c*AxiIdBits-1:0] m_axi_awid,
  output logic [H2c*CardBits-1:0] m_axi_awaddr,
  output logic [H2c*8-1:0] m_axi_awlen,
  output logic [H2c*3-1:0] m_axi_awsize,
  output logic [H2c*2-1:0] m_axi_awburst,
  output logic [H2c-1:0] m_axi_awlock,
  output logic [H2c*4-1:0] m_axi_awcache,
  output logic [H2c*3-1:0] m_axi_awprot,
  output logic [H2c*4-1:0] m_axi_awqos,
  output logic [H2c-1:0] m_axi_awvalid,
  input  logic [H2c-1:0] m_axi_awready,
  output logic [H2c*Width-1:0] m_axi_wdata,
  output logic [H2c*Bytes-1:0] m_axi_wstrb,
  output logic [H2c-1:0] m_axi_wlast,
  output logic [H2c-1:0] m_axi_wvalid,
  input  logic [H2c-1:0] m_axi_wready,
  input  logic [H2c*AxiIdBits-1:0] m_axi_bid,
  input  logic [H2c*2-1:0] m_axi_bresp,
  input  logic [H2c-1:0] m_axi_bvalid,
  output logic [H2c-1:0] m_axi_bready,
  output logic [C2h*AxiIdBits-1:0] m_axi_arid,
  output logic [C2h*CardBits-1:0] m_axi_araddr,
  output logic [C2h*8-1:0] m_axi_arlen,
  output logic [C2h*3-1:0] m_axi_arsize,
  output logic [C2h*2-1:0] m_axi_arburst,
  output logic [C2h-1:0] m_axi_arlock,
  output logic [C2h*4-1:0] m_axi_arcache,
  output logic [C2h*3-1:0] m_axi_arprot,
  output logic [C2h*4-1:0] m_axi_arqos,
  output logic [C2h-1:0] m_axi_arvalid,
  input  logic [C2h-1:0] m_axi_arready,
  input  logic [C2h*AxiIdBits-1:0] m_axi_rid,
  input  logic [C2h*Width-1:0] m_axi_rdata,
  input  logic [C2h*2-1:0] m_axi_rresp,
  input  logic [C2h-1:0] m_axi_rlast,
  input  logic [C2h-1:0] m_axi_rvalid,
  output logic [C2h-1:0] m_axi_rready,

  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 user_clk_i CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF m_axis_h2c:s_axis_c2h:s_axis_p2p:m_axis_win, ASSOCIATED_RESET user_rst_ni:user_rst_no" *)
  input  logic               user_clk_i,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 user_rst_ni RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic               user_rst_ni,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 user_rst_no RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  output logic               user_rst_no,   // low as well while a function-level reset runs: streams begin anew
  input  logic [H2c-1:0]           h2c_cmd_valid_i,
  output logic [H2c-1:0]           h2c_cmd_ready_o,
  input  logic [H2c*64-1:0]        h2c_cmd_addr_i,
  input  logic [H2c*LenBits-1:0]   h2c_cmd_len_i,
  input  logic [H2c-1:0]           h2c_cmd_eof_i,
  input  logic [H2c*IdBits-1:0]    h2c_cmd_id_i,
  output logic [H2c-1:0]           h2c_done_valid_o,
  output logic [H2c*LenBits-1:0]   h2c_done_len_o,
  output logic [H2c-1:0]           h2c_done_eof_o,
  output logic [H2c*4-1:0]         h2c_done_cause_o,
  output logic [H2c*IdBits-1:0]    h2c_done_id_o,
  output logic [H2c-1:0]           m_axis_h2c_tvalid,
  input  logic [H2c-1:0]           m_axis_h2c_tready,
  output logic [H2c*Width-1:0]     m_axis_h2c_tdata,
  output logic [H2c*Bytes-1:0]     m_axis_h2c_tkeep,
  output logic [H2c-1:0]           m_axis_h2c_tlast,
  output logic [H2c-1:0]           m_axis_h2c_tuser,   // beside tlast: error
  input  logic [C2h-1:0]           c2h_cmd_valid_i,
  output logic [C2h-1:0]           c2h_cmd_ready_o,
  input  logic [C2h*64-1:0]        c2h_cmd_addr_i,
  input  logic [C2h*LenBits-1:0]   c2h_cmd_len_i,
  input  logic [C2h-1:0]           c2h_cmd_eof_i,
  input  logic [C2h*IdBits-1:0]    c2h_cmd_id_i,
  output logic [C2h-1:0]           c2h_done_valid_o,
  output logic [C2h*LenBits-1:0]   c2h_done_len_o,
  output logic [C2h-1:0]           c2h_done_eof_o,
  output logic [C2h*4-1:0]         c2h_done_cause_o,
  output logic [C2h*IdBits-1:0]    c2h_done_id_o,
  input  logic [C2h-1:0]           s_axis_c2h_tvalid,
  output logic [C2h-1:0]           s_axis_c2h_tready,
  input  logic [C2h*Width-1:0]     s_axis_c2h_tdata,
  input  logic [C2h*Bytes-1:0]     s_axis_c2h_tkeep,
  input  logic [C2h-1:0]           s_axis_c2h_tlast,
  input  logic               p2p_cmd_valid_i,
  output logic               p2p_cmd_ready_o,
  input  logic [63:0]        p2p_cmd_addr_i,
  input  logic [LenBits-1:0] p2p_cmd_len_i,
  input  logic               p2p_cmd_eof_i,
  input  logic [IdBits-1:0]  p2p_cmd_id_i,
  output logic               p2p_done_valid_o,
  output logic [LenBits-1:0] p2p_done_len_o,
  output logic               p2p_done_eof_o,
  output logic [3:0]         p2p_done_cause_o,
  output logic [IdBits-1:0]  p2p_done_id_o,
  input  logic               s_axis_p2p_tvalid,
  output logic               s_axis_p2p_tready,
  input  logic [Width-1:0]   s_axis_p2p_tdata,
  input  logic [Bytes-1:0]   s_axis_p2p_tkeep,
  input  logic               s_axis_p2p_tlast,
  output logic               m_axis_win_tvalid,
  input  logic               m_axis_win_tready,
  output logic [Width-1:0]   m_axis_win_tdata,
  output logic [Bytes-1:0]   m_axis_win_tkeep,
  output logic               m_axis_win_tlast,
  output logic               m_axis_win_tuser,
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

  logic             tx_valid, tx_ready, tx_sop, tx_eop, np_valid, np_ready;
  logic             rx_req_valid, rx_req_ready, rx_req_sop, rx_req_eop;
  logic             rx_cpl_valid, rx_cpl_sop, rx_cpl_eop;
  logic             cpl_valid, cpl_ready;
  logic [63:0]      cpl_data;
  tlp_hdr_t         tx_hdr, np_hdr, cpl_hdr, rx_req_hdr, rx_cpl_hdr;
  logic [Width-1:0] tx_data, rx_req_data, rx_cpl_data;

  logic out_valid, out_ready;    // tx without what asks for an MSI
  ls_shim_7s #(.Width(Width), .Reserve(Reserve)) u_shim (
    .clk_i, .rst_ni, .id_i({cfg_bus_number, cfg_device_number, cfg_function_number}),
    .s_axis_tx_tdata_o(s_axis_tx_tdata), .s_axis_tx_tkeep_o(s_axis_tx_tkeep),
    .s_axis_tx_tlast_o(s_axis_tx_tlast), .s_axis_tx_tvalid_o(s_axis_tx_tvalid),
    .s_axis_tx_tready_i(s_axis_tx_tready), .tx_buf_av_i(tx_buf_av), .m_axis_rx_tdata_i(m_axis_rx_tdata),
    .m_axis_rx_tuser_i(m_axis_rx_tuser), .m_axis_rx_tlast_i(m_axis_rx_tlast),
    .m_axis_rx_tvalid_i(m_axis_rx_tvalid), .m_axis_rx_tready_o(m_axis_rx_tready),
    .tx_valid_i(out_valid), .tx_ready_o(out_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop),
    .tx_hdr_i(tx_hdr), .tx_data_i(tx_data), .np_valid_i(np_valid), .np_ready_o(np_ready),
    .np_hdr_i(np_hdr),
    .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_hdr_i(cpl_hdr), .cpl_data_i(cpl_data), .rx_req_valid_o(rx_req_valid), .rx_req_ready_i(rx_req_ready),
    .rx_req_sop_o(rx_req_sop), .rx_req_eop_o(rx_req_eop), .rx_req_hdr_o(rx_req_hdr),
    .rx_req_data_o(rx_req_data), .rx_cpl_valid_o(rx_cpl_valid), .rx_cpl_sop_o(rx_cpl_sop),
    .rx_cpl_eop_o(rx_cpl_eop), .rx_cpl_hdr_o(rx_cpl_hdr), .rx_cpl_data_o(rx_cpl_data)
  );

  settings_t set;
  assign set = '{
    mps:     cfg_dcommand[7:5],
    mrrs:    cfg_dcommand[14:12],
    ext_tag: cfg_dcommand[8],
    master:  cfg_command[2] && cfg_pmcsr_powerstate == 2'd0,
    msix:    cfg_interrupt_msixenable && !cfg_interrupt_msixfm
  };

  // ---- MSI -----------------------------------------------------------------------------------------
  msi_t               msi;
  logic [Vectors-1:0] pending;
  if (Msi) begin : gen_msi
    // What the block makes itself enters its transmit buffers as what comes from here does, and no
    // posted TLP passes another there: a write is safe when its last beat is taken.
    logic       mid_q, write_q, write, go, unused_begin;
    logic [4:0] number;
    assign go    = s_axis_tx_tvalid && s_axis_tx_tready;
    assign write = mid_q ? write_q : s_axis_tx_tdata[30] && s_axis_tx_tdata[28:24] == '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) mid_q <= 1'b0;
      else if (go) mid_q <= !s_axis_tx_tlast;
      if (go) write_q <= write;
    end
    ls_msi u_msi (
      .clk_i, .rst_ni, .master_i(set.master), .enable_i(cfg_interrupt_msienable),
      .granted_i(cfg_interrupt_mmenable), .mask_i('0),
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_hdr_i(tx_hdr),
      .tx_valid_o(out_valid), .tx_ready_i(out_ready), .passed_i({1'b0, go && s_axis_tx_tlast && write}),
      .ask_o(cfg_interrupt), .begin_o(unused_begin), .number_o(number), .sent_i(cfg_interrupt_rdy), .fail_i(1'b0),
      .msi_o(msi)
    );
    assign cfg_interrupt_di = 8'(number);
    logic unused_msi;
    assign unused_msi = unused_begin ^ ^pending;
  end else begin : gen_no_msi
    assign msi              = '0;
    assign out_valid        = tx_valid;
    assign tx_ready         = out_ready;
    assign cfg_interrupt    = 1'b0;
    assign cfg_interrupt_di = '0;
    logic unused_msi;
    assign unused_msi = ^{pending, cfg_interrupt_msienable, cfg_interrupt_mmenable, cfg_interrupt_rdy};
  end

  // ---- function-level reset ----------------------------------------------------------------------
  logic core_rst_n, flr_done, unused_ready;
  logic e_tx_valid, e_tx_ready, e_np_valid, e_np_ready, e_cpl_valid, e_cpl_ready;
  logic e_rx_req_valid, e_rx_req_ready, e_rx_cpl_valid;
  ls_flr #(.TwoClocks(TwoClocks), .Rest(FlrRest)) u_flr (
    .clk_i, .rst_ni, .user_clk_i, .user_rst_ni, .flr_i(cfg_received_func_lvl_rst), .flr_done_o(flr_done),
    .core_rst_no(core_rst_n), .core_user_rst_no(user_rst_no),
    .out_valid_i({e_cpl_valid, e_np_valid, e_tx_valid}), .out_ready_o({e_cpl_ready, e_np_ready, e_tx_ready}),
    .out_eop_i({2'b11, tx_eop}), .out_valid_o({cpl_valid, np_valid, tx_valid}),
    .out_ready_i({cpl_ready, np_ready, tx_ready}),
    .in_valid_i({rx_cpl_valid, rx_req_valid}), .in_ready_o({unused_ready, rx_req_ready}),
    .in_eop_i({rx_cpl_eop, rx_req_eop}), .in_valid_o({e_rx_cpl_valid, e_rx_req_valid}),
    .in_ready_i({1'b1, e_rx_req_ready})
  );

  mm_in_t [Mms-1:0]          mm_in;
  mm_out_t [Mms-1:0]         mm_out;
  logic [C2h-1:0][Width-1:0] mm_rdata;
  logic [H2c-1:0][Width-1:0] mm_wdata;
  logic [H2c-1:0][Bytes-1:0] mm_wstrb;
  ls_mm_ports #(.Width(Width), .H2c(H2c), .C2h(C2h), .AxiIdBits(AxiIdBits)) u_mm (
    .mm_out_i(mm_out), .mm_wdata_i(mm_wdata), .mm_wstrb_i(mm_wstrb), .mm_in_o(mm_in), .mm_rdata_o(mm_rdata), .*
  );

  ls_engine #(
    .TwoClocks(TwoClocks), .Width(Width), .H2c(H2c), .C2h(C2h), .Tags(Tags), .MaxPayload(MaxPayload),
    .MaxRequest(MaxRequest), .BufBytes(BufBytes), .Batch(Batch), .Fetches(Fetches), .WindowBits(WindowBits),
    .WindowBuf(WindowBuf), .Vectors(Vectors), .AnswerTime(AnswerTime), .Msi(Msi),
    .Mm(Mm), .BurstBytes(BurstBytes)
  ) u_engine (
    .clk_i, .rst_ni(core_rst_n), .set_i(set), .msi_i(msi), .pending_o(pending), .mm_i(mm_in), .mm_rdata_i(mm_rdata),
    .mm_o(mm_out), .mm_wdata_o(mm_wdata), .mm_wstrb_o(mm_wstrb), .tx_valid_o(e_tx_valid),
    .tx_ready_i(e_tx_ready), .tx_sop_o(tx_sop), .tx_eop_o(tx_eop), .tx_hdr_o(tx_hdr),
    .tx_data_o(tx_data), .rq_valid_o(e_np_valid), .rq_ready_i(e_np_ready), .rq_hdr_o(np_hdr),
    .cpl_valid_o(e_cpl_valid), .cpl_ready_i(e_cpl_ready), .cpl_hdr_o(cpl_hdr), .cpl_data_o(cpl_data),
    .rx_req_valid_i(e_rx_req_valid), .rx_req_ready_o(e_rx_req_ready), .rx_req_sop_i(rx_req_sop),
    .rx_req_eop_i(rx_req_eop), .rx_req_hdr_i(rx_req_hdr), .rx_req_data_i(rx_req_data),
    .rx_cpl_valid_i(e_rx_cpl_valid), .rx_cpl_sop_i(rx_cpl_sop), .rx_cpl_eop_i(rx_cpl_eop),
    .rx_cpl_hdr_i(rx_cpl_hdr), .rx_cpl_data_i(rx_cpl_data), .user_rst_ni(user_rst_no),
    .h2c_valid_o(m_axis_h2c_tvalid), .h2c_ready_i(m_axis_h2c_tready), .h2c_data_o(m_axis_h2c_tdata),
    .h2c_keep_o(m_axis_h2c_tkeep), .h2c_last_o(m_axis_h2c_tlast), .h2c_error_o(m_axis_h2c_tuser),
    .c2h_valid_i(s_axis_c2h_tvalid), .c2h_ready_o(s_axis_c2h_tready), .c2h_data_i(s_axis_c2h_tdata),
    .c2h_keep_i(s_axis_c2h_tkeep), .c2h_last_i(s_axis_c2h_tlast), .p2p_valid_i(s_axis_p2p_tvalid),
    .p2p_ready_o(s_axis_p2p_tready), .p2p_data_i(s_axis_p2p_tdata), .p2p_keep_i(s_axis_p2p_tkeep),
    .p2p_last_i(s_axis_p2p_tlast), .win_valid_o(m_axis_win_tvalid), .win_ready_i(m_axis_win_tready),
    .win_data_o(m_axis_win_tdata), .win_keep_o(m_axis_win_tkeep), .win_last_o(m_axis_win_tlast),
    .win_error_o(m_axis_win_tuser), .*
  );

  assign s_axis_tx_tuser = '0;   // no discontinue, no streaming, no error forwarding

  logic unused;
  assign unused = ^{unused_ready, flr_done, m_axis_rx_tkeep, cfg_command, cfg_dcommand};

endmodule
