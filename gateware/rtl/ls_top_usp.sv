// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The whole engine for the UltraScale+ block: ports named as the block names them, to be wired one
// to one. The block must be set to DWORD alignment, client tags, straddling as `Straddle` says, and
// MSI-X with its table in BAR 0 at 0x1000 and pending bits at 0x1080; with `Msi`, MSI as well.
module ls_top_usp
  import ls_pkg::*;
#(
  parameter bit          TwoClocks  = 1'b0,
  parameter int unsigned Width      = 64,
  parameter bit          Straddle   = 1'b0,   // more than one TLP in a beat, where the block has it
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
  parameter bit          Msi        = 1'b0,   // MSI beside MSI-X: see ls_msi
  parameter bit          Mm         = 1'b0,   // card memory in the place of streams: see ls_mm
  parameter int unsigned BurstBytes = 1024,   // longest burst there
  parameter int unsigned AxiIdBits  = 1,      // of the one ID there, 0
  localparam int unsigned Mms       = (H2c > C2h) ? H2c : C2h,
  localparam int unsigned Bytes     = Width / 8,
  localparam int unsigned RqUser    = (Width == 512) ? 137 : 62,
  localparam int unsigned RcUser    = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser    = (Width == 512) ? 183 : 88,
  localparam int unsigned CcUser    = (Width == 512) ? 81 : 33
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk_i CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_rq:m_axis_rc:m_axis_cq:s_axis_cc:m_axi, ASSOCIATED_RESET rst_ni" *)
  input  logic               clk_i,     // the block's user clock
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst_ni RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  logic               rst_ni,
  input  logic [1:0]         cfg_max_payload,
  input  logic [2:0]         cfg_max_read_req,
  input  logic [15:0]        cfg_function_status,
  input  logic [11:0]        cfg_function_power_state,
  input  logic               cfg_ext_tag_enable,
  input  logic               cfg_msix_enable,
  input  logic               cfg_msix_mask,
  input  logic [3:0]         cfg_interrupt_msi_enable,  // this and the next: with `Msi`
  input  logic [11:0]        cfg_interrupt_msi_mmenable,
  input  logic [31:0]        cfg_interrupt_msi_data,
  output logic [1:0]         cfg_interrupt_msi_select,
  output logic [31:0]        cfg_interrupt_msi_int,
  output logic [7:0]         cfg_interrupt_msi_function_number,
  input  logic               cfg_interrupt_msi_sent,
  input  logic               cfg_interrupt_msi_fail,
  output logic [31:0]        cfg_interrupt_msi_pending_status,
  output logic               cfg_interrupt_msi_pending_status_data_enable,
  output logic [1:0]         cfg_interrupt_msi_pending_status_function_num,
  input  logic [5:0]         pcie_rq_seq_num0,
  input  logic               pcie_rq_seq_num_vld0,
  input  logic [5:0]         pcie_rq_seq_num1,
  input  logic               pcie_rq_seq_num_vld1,
  input  logic [3:0]         cfg_flr_in_process,
  output logic [3:0]         cfg_flr_done,
  output logic [Width-1:0]   s_axis_rq_tdata,
  output logic [Width/32-1:0] s_axis_rq_tkeep,
  output logic               s_axis_rq_tlast,
  output logic [RqUser-1:0]  s_axis_rq_tuser,
  output logic               s_axis_rq_tvalid,
  input  logic               s_axis_rq_tready,
  input  logic [Width-1:0]   m_axis_rc_tdata,
  input  logic [Width/32-1:0] m_axis_rc_tkeep,
  input  logic               m_axis_rc_tlast,
  input  logic [RcUser-1:0]  m_axis_rc_tuser,
  input  logic               m_axis_rc_tvalid,
  output logic               m_axis_rc_tready,
  input  logic [Width-1:0]   m_axis_cq_tdata,
  input  logic [Width/32-1:0] m_axis_cq_tkeep,
  input  logic               m_axis_cq_tlast,
  input  logic [CqUser-1:0]  m_axis_cq_tuser,
  input  logic               m_axis_cq_tvalid,
  output logic               m_axis_cq_tready,
  output logic [Width-1:0]   s_axis_cc_tdata,
  output logic [Width/32-1:0] s_axis_cc_tkeep,
  output logic               s_axis_cc_tlast,
  output logic [CcUser-1:0]  s_axis_cc_tuser,
  output logic               s_axis_cc_tvalid,
  input  logic               s_axis_cc_tready,

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
  ls_shim_usp #(.Width(Width), .Straddle(Straddle), .Number(Msi)) u_shim (
    .clk_i, .rst_ni, .rq_tdata_o(s_axis_rq_tdata), .rq_tkeep_o(s_axis_rq_tkeep),
    .rq_tlast_o(s_axis_rq_tlast), .rq_tuser_o(s_axis_rq_tuser), .rq_tvalid_o(s_axis_rq_tvalid),
    .rq_tready_i(s_axis_rq_tready), .rc_tdata_i(m_axis_rc_tdata),
    .rc_tuser_i(m_axis_rc_tuser), .rc_tvalid_i(m_axis_rc_tvalid),
    .rc_tready_o(m_axis_rc_tready), .cq_tdata_i(m_axis_cq_tdata), .cq_tuser_i(m_axis_cq_tuser),
    .cq_tvalid_i(m_axis_cq_tvalid), .cq_tready_o(m_axis_cq_tready), .cc_tdata_o(s_axis_cc_tdata),
    .cc_tkeep_o(s_axis_cc_tkeep), .cc_tlast_o(s_axis_cc_tlast), .cc_tuser_o(s_axis_cc_tuser),
    .cc_tvalid_o(s_axis_cc_tvalid), .cc_tready_i(s_axis_cc_tready), .tx_valid_i(out_valid),
    .tx_ready_o(out_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop), .tx_hdr_i(tx_hdr),
    .tx_data_i(tx_data), .np_valid_i(np_valid), .np_ready_o(np_ready), .np_hdr_i(np_hdr),
    .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_hdr_i(cpl_hdr), .cpl_data_i(cpl_data),
    .rx_req_valid_o(rx_req_valid), .rx_req_ready_i(rx_req_ready), .rx_req_sop_o(rx_req_sop),
    .rx_req_eop_o(rx_req_eop), .rx_req_hdr_o(rx_req_hdr), .rx_req_data_o(rx_req_data),
    .rx_cpl_valid_o(rx_cpl_valid), .rx_cpl_sop_o(rx_cpl_sop), .rx_cpl_eop_o(rx_cpl_eop),
    .rx_cpl_hdr_o(rx_cpl_hdr), .rx_cpl_data_o(rx_cpl_data)
  );

  settings_t set;
  assign set = '{
    mps:     {1'b0, cfg_max_payload},
    mrrs:    cfg_max_read_req,
    ext_tag: cfg_ext_tag_enable,
    master:  cfg_function_status[2] && cfg_function_power_state[2:1] == 2'd0,   // D0, active or not
    msix:    cfg_msix_enable && !cfg_msix_mask
  };

  // ---- MSI of function 0 ---------------------------------------------------------------------------
  msi_t               msi;
  logic [Vectors-1:0] pending;
  assign cfg_interrupt_msi_select                      = '0;
  assign cfg_interrupt_msi_function_number             = '0;
  assign cfg_interrupt_msi_pending_status_function_num = '0;
  if (Msi) begin : gen_msi
    // Writes have the number 1 on RQ: the block says when no interrupt can pass them any more.
    logic       ask, begins;
    logic [4:0] number;
    ls_msi u_msi (
      .clk_i, .rst_ni, .master_i(set.master), .enable_i(cfg_interrupt_msi_enable[0]),
      .granted_i(cfg_interrupt_msi_mmenable[2:0]), .mask_i(cfg_interrupt_msi_data),
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_hdr_i(tx_hdr),
      .tx_valid_o(out_valid), .tx_ready_i(out_ready),
      .passed_i(2'(pcie_rq_seq_num_vld0 && pcie_rq_seq_num0 == 6'd1) + 2'(pcie_rq_seq_num_vld1 && pcie_rq_seq_num1 == 6'd1)),
      .ask_o(ask), .begin_o(begins), .number_o(number), .sent_i(cfg_interrupt_msi_sent),
      .fail_i(cfg_interrupt_msi_fail), .msi_o(msi)
    );
    assign cfg_interrupt_msi_int = 32'(begins) << number;
    assign cfg_interrupt_msi_pending_status_data_enable = 1'b1;
    always_comb begin
      cfg_interrupt_msi_pending_status = '0;
      for (int unsigned i = 0; i < Vectors; i++) begin
        if (pending[i]) cfg_interrupt_msi_pending_status[alias_of(5'(i), msi.granted)] = 1'b1;
      end
    end
    logic unused_msi;
    assign unused_msi = ^{ask, cfg_interrupt_msi_enable, cfg_interrupt_msi_mmenable};
  end else begin : gen_no_msi
    assign msi                              = '0;
    assign out_valid                        = tx_valid;
    assign tx_ready                         = out_ready;
    assign cfg_interrupt_msi_int            = '0;
    assign cfg_interrupt_msi_pending_status = '0;
    assign cfg_interrupt_msi_pending_status_data_enable = 1'b0;
    logic unused_msi;
    assign unused_msi = ^{pending, cfg_interrupt_msi_enable, cfg_interrupt_msi_mmenable, cfg_interrupt_msi_data,
                          cfg_interrupt_msi_sent, cfg_interrupt_msi_fail, pcie_rq_seq_num0, pcie_rq_seq_num_vld0,
                          pcie_rq_seq_num1, pcie_rq_seq_num_vld1};
  end

  // ---- function-level reset ----------------------------------------------------------------------
  logic core_rst_n, flr_done, unused_ready;
  logic e_tx_valid, e_tx_ready, e_np_valid, e_np_ready, e_cpl_valid, e_cpl_ready;
  logic e_rx_req_valid, e_rx_req_ready, e_rx_cpl_valid;
  ls_flr #(.TwoClocks(TwoClocks), .Rest(FlrRest)) u_flr (
    .clk_i, .rst_ni, .user_clk_i, .user_rst_ni, .flr_i(cfg_flr_in_process[0]), .flr_done_o(flr_done),
    .core_rst_no(core_rst_n), .core_user_rst_no(user_rst_no),
    .out_valid_i({e_cpl_valid, e_np_valid, e_tx_valid}), .out_ready_o({e_cpl_ready, e_np_ready, e_tx_ready}),
    .out_eop_i({2'b11, tx_eop}), .out_valid_o({cpl_valid, np_valid, tx_valid}),
    .out_ready_i({cpl_ready, np_ready, tx_ready}),
    .in_valid_i({rx_cpl_valid, rx_req_valid}), .in_ready_o({unused_ready, rx_req_ready}),
    .in_eop_i({rx_cpl_eop, rx_req_eop}), .in_valid_o({e_rx_cpl_valid, e_rx_req_valid}),
    .in_ready_i({1'b1, e_rx_req_ready})
  );
  assign cfg_flr_done = {3'd0, flr_done};

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

  logic unused;
  assign unused = ^{unused_ready, cfg_flr_in_process, cfg_function_status, cfg_function_power_state, m_axis_rc_tkeep, m_axis_rc_tlast, m_axis_cq_tkeep,
                    m_axis_cq_tlast};

endmodule
