// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A card with the UltraScale+ block: pins of the slot, the block (pcie4_uscale_plus), the engine, and
// a loopback of its streams as the design. Everything that a board differs in is a parameter or a
// constraint.
module ls_board_usp
  import ls_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 256,     // of the block's streams: 64, 128, 256 or 512
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned RqUser = (Width == 512) ? 137 : 62,
  localparam int unsigned RcUser = (Width == 512) ? 161 : 75,
  localparam int unsigned CqUser = (Width == 512) ? 183 : 88,
  localparam int unsigned CcUser = (Width == 512) ? 81 : 33
) (
  input  logic             refclk_p_i,   // 100 MHz, from the slot
  input  logic             refclk_n_i,
  input  logic             perst_ni,     // the slot's PERST#
  input  logic [Lanes-1:0] rx_p_i,
  input  logic [Lanes-1:0] rx_n_i,
  output logic [Lanes-1:0] tx_p_o,
  output logic [Lanes-1:0] tx_n_o,
  output logic [1:0]       led_o         // 0 the link is up, 1 blinks with the user clock
);

  logic                refclk, refclk_gt, clk, block_rst, link_up, rst_nq, ext_tag;
  logic [26:0]         blink_q;
  logic [Width-1:0]    rq_tdata, rc_tdata, cq_tdata, cc_tdata, s_data;
  logic [Width/32-1:0] rq_tkeep, rc_tkeep, cq_tkeep, cc_tkeep;
  logic                rq_tlast, rc_tlast, cq_tlast, cc_tlast;
  logic                rq_tvalid, rc_tvalid, cq_tvalid, cc_tvalid, rc_tready, cq_tready;
  logic [3:0]          rq_tready, cc_tready;   // copies of one signal
  logic [RqUser-1:0]   rq_tuser;
  logic [RcUser-1:0]   rc_tuser;
  logic [CqUser-1:0]   cq_tuser;
  logic [CcUser-1:0]   cc_tuser;
  logic [Bytes-1:0]    s_keep;
  logic                s_valid, s_ready, s_last;
  logic [1:0]          cfg_max_payload;
  logic [2:0]          cfg_max_read_req;
  logic [15:0]         cfg_function_status;
  logic [11:0]         cfg_function_power_state;
  logic [3:0]          msix_enable, msix_mask, flr_in_process, flr_done;
  logic [9:0]          cfg_mgmt_addr;
  logic                cfg_mgmt_read, cfg_mgmt_read_write_done;
  logic [31:0]         cfg_mgmt_read_data;

  /* verilator lint_off PINCONNECTEMPTY */
  IBUFDS_GTE4 #(.REFCLK_HROW_CK_SEL(2'b00)) u_refclk (
    .O(refclk_gt), .ODIV2(refclk), .CEB(1'b0), .I(refclk_p_i), .IB(refclk_n_i)
  );

  pcie4_uscale_plus_0 u_block (
    .pci_exp_txn(tx_n_o), .pci_exp_txp(tx_p_o), .pci_exp_rxn(rx_n_i), .pci_exp_rxp(rx_p_i), .user_clk(clk),
    .user_reset(block_rst), .user_lnk_up(link_up), .s_axis_rq_tdata(rq_tdata), .s_axis_rq_tkeep(rq_tkeep),
    .s_axis_rq_tlast(rq_tlast), .s_axis_rq_tready(rq_tready), .s_axis_rq_tuser(rq_tuser),
    .s_axis_rq_tvalid(rq_tvalid), .m_axis_rc_tdata(rc_tdata), .m_axis_rc_tkeep(rc_tkeep),
    .m_axis_rc_tlast(rc_tlast), .m_axis_rc_tready(rc_tready), .m_axis_rc_tuser(rc_tuser),
    .m_axis_rc_tvalid(rc_tvalid), .m_axis_cq_tdata(cq_tdata), .m_axis_cq_tkeep(cq_tkeep),
    .m_axis_cq_tlast(cq_tlast), .m_axis_cq_tready(cq_tready), .m_axis_cq_tuser(cq_tuser),
    .m_axis_cq_tvalid(cq_tvalid), .s_axis_cc_tdata(cc_tdata), .s_axis_cc_tkeep(cc_tkeep),
    .s_axis_cc_tlast(cc_tlast), .s_axis_cc_tready(cc_tready), .s_axis_cc_tuser(cc_tuser),
    .s_axis_cc_tvalid(cc_tvalid), .pcie_rq_seq_num0(), .pcie_rq_seq_num_vld0(), .pcie_rq_seq_num1(),
    .pcie_rq_seq_num_vld1(), .pcie_rq_tag0(), .pcie_rq_tag1(), .pcie_rq_tag_av(), .pcie_rq_tag_vld0(),
    .pcie_rq_tag_vld1(), .pcie_tfc_nph_av(), .pcie_tfc_npd_av(), .pcie_cq_np_req(2'b01), .pcie_cq_np_req_count(),
    .cfg_phy_link_down(), .cfg_phy_link_status(), .cfg_negotiated_width(), .cfg_current_speed(),
    .cfg_max_payload(cfg_max_payload), .cfg_max_read_req(cfg_max_read_req),
    .cfg_function_status(cfg_function_status), .cfg_function_power_state(cfg_function_power_state),
    .cfg_vf_status(), .cfg_vf_power_state(), .cfg_link_power_state(), .cfg_mgmt_addr(cfg_mgmt_addr),
    .cfg_mgmt_function_number('0), .cfg_mgmt_write(1'b0), .cfg_mgmt_write_data('0), .cfg_mgmt_byte_enable(4'b1111),
    .cfg_mgmt_read(cfg_mgmt_read), .cfg_mgmt_read_data(cfg_mgmt_read_data),
    .cfg_mgmt_read_write_done(cfg_mgmt_read_write_done), .cfg_mgmt_debug_access(1'b0), .cfg_err_cor_out(),
    .cfg_err_nonfatal_out(), .cfg_err_fatal_out(), .cfg_local_error_valid(), .cfg_local_error_out(),
    .cfg_ltssm_state(), .cfg_rx_pm_state(), .cfg_tx_pm_state(), .cfg_rcb_status(), .cfg_obff_enable(),
    .cfg_pl_status_change(), .cfg_tph_requester_enable(), .cfg_tph_st_mode(), .cfg_vf_tph_requester_enable(),
    .cfg_vf_tph_st_mode(), .cfg_msg_received(), .cfg_msg_received_data(), .cfg_msg_received_type(),
    .cfg_msg_transmit(1'b0), .cfg_msg_transmit_type('0), .cfg_msg_transmit_data('0), .cfg_msg_transmit_done(),
    .cfg_fc_ph(), .cfg_fc_pd(), .cfg_fc_nph(), .cfg_fc_npd(), .cfg_fc_cplh(), .cfg_fc_cpld(), .cfg_fc_sel('0),
    .cfg_dsn('0), .cfg_bus_number(), .cfg_power_state_change_ack(1'b1), .cfg_power_state_change_interrupt(),
    .cfg_err_cor_in(1'b0), .cfg_err_uncor_in(1'b0), .cfg_flr_in_process(flr_in_process), .cfg_flr_done(flr_done),
    .cfg_vf_flr_in_process(), .cfg_vf_flr_func_num('0), .cfg_vf_flr_done(1'b0), .cfg_link_training_enable(1'b1),
    .cfg_interrupt_int('0), .cfg_interrupt_pending('0), .cfg_interrupt_sent(), .cfg_interrupt_msi_sent(),
    .cfg_interrupt_msi_fail(), .cfg_interrupt_msi_function_number('0), .cfg_interrupt_msix_enable(msix_enable),
    .cfg_interrupt_msix_mask(msix_mask), .cfg_interrupt_msix_vf_enable(), .cfg_interrupt_msix_vf_mask(),
    .cfg_pm_aspm_l1_entry_reject(1'b0), .cfg_pm_aspm_tx_l0s_entry_disable(1'b0), .cfg_interrupt_msix_data('0),
    .cfg_interrupt_msix_address('0), .cfg_interrupt_msix_int(1'b0), .cfg_interrupt_msix_vec_pending('0),
    .cfg_interrupt_msix_vec_pending_status(), .cfg_hot_reset_out(), .cfg_config_space_enable(1'b1),
    .cfg_req_pm_transition_l23_ready(1'b0), .cfg_hot_reset_in(1'b0), .cfg_ds_port_number('0),
    .cfg_ds_bus_number('0), .cfg_ds_device_number('0), .sys_clk(refclk), .sys_clk_gt(refclk_gt),
    .sys_reset(perst_ni), .phy_rdy_out()
  );

  // The engine stands in reset while the block does, and while there is no link.
  always_ff @(posedge clk) begin
    rst_nq  <= !block_rst && link_up;
    blink_q <= blink_q + 1'b1;
  end

  assign led_o = {blink_q[26], link_up};

  ls_usp_ext_tag u_ext_tag (
    .clk_i(clk), .rst_ni(rst_nq), .cfg_mgmt_addr, .cfg_mgmt_read, .cfg_mgmt_read_data,
    .cfg_mgmt_read_write_done, .ext_tag_o(ext_tag)
  );

  ls_top_usp #(.Width(Width), .Straddle(1'b1)) u_top (
    .clk_i(clk), .rst_ni(rst_nq), .cfg_max_payload, .cfg_max_read_req, .cfg_function_status,
    .cfg_function_power_state, .cfg_ext_tag_enable(ext_tag), .cfg_msix_enable(msix_enable[0]),
    .cfg_msix_mask(msix_mask[0]), .cfg_interrupt_msi_enable('0),
    .m_axi_awid(), .m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(),
    .m_axi_awprot(), .m_axi_awqos(), .m_axi_awvalid(), .m_axi_awready('0), .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(),
    .m_axi_wvalid(), .m_axi_wready('0), .m_axi_bid('0), .m_axi_bresp('0), .m_axi_bvalid('0), .m_axi_bready(), .m_axi_arid(),
    .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(),
    .m_axi_arqos(), .m_axi_arvalid(), .m_axi_arready('0), .m_axi_rid('0), .m_axi_rdata('0), .m_axi_rresp('0),
    .m_axi_rlast('0), .m_axi_rvalid('0), .m_axi_rready(),
    .cfg_interrupt_msi_mmenable('0),
    .cfg_interrupt_msi_data('0), .cfg_interrupt_msi_select(), .cfg_interrupt_msi_int(),
    .cfg_interrupt_msi_function_number(), .cfg_interrupt_msi_sent(1'b0), .cfg_interrupt_msi_fail(1'b0),
    .cfg_interrupt_msi_pending_status(), .cfg_interrupt_msi_pending_status_data_enable(),
    .cfg_interrupt_msi_pending_status_function_num(), .pcie_rq_seq_num0('0), .pcie_rq_seq_num_vld0(1'b0),
    .pcie_rq_seq_num1('0), .pcie_rq_seq_num_vld1(1'b0), .cfg_flr_in_process(flr_in_process), .cfg_flr_done(flr_done),
    .s_axis_rq_tdata(rq_tdata), .s_axis_rq_tkeep(rq_tkeep),
    .s_axis_rq_tlast(rq_tlast), .s_axis_rq_tuser(rq_tuser), .s_axis_rq_tvalid(rq_tvalid),
    .s_axis_rq_tready(rq_tready[0]), .m_axis_rc_tdata(rc_tdata), .m_axis_rc_tkeep(rc_tkeep),
    .m_axis_rc_tlast(rc_tlast), .m_axis_rc_tuser(rc_tuser), .m_axis_rc_tvalid(rc_tvalid),
    .m_axis_rc_tready(rc_tready), .m_axis_cq_tdata(cq_tdata), .m_axis_cq_tkeep(cq_tkeep),
    .m_axis_cq_tlast(cq_tlast), .m_axis_cq_tuser(cq_tuser), .m_axis_cq_tvalid(cq_tvalid),
    .m_axis_cq_tready(cq_tready), .s_axis_cc_tdata(cc_tdata), .s_axis_cc_tkeep(cc_tkeep),
    .s_axis_cc_tlast(cc_tlast), .s_axis_cc_tuser(cc_tuser), .s_axis_cc_tvalid(cc_tvalid),
    .s_axis_cc_tready(cc_tready[0]),
    .user_clk_i(clk), .user_rst_ni(rst_nq), .user_rst_no(),
    .h2c_cmd_valid_i(1'b0), .h2c_cmd_ready_o(), .h2c_cmd_addr_i('0), .h2c_cmd_len_i('0),
    .h2c_cmd_eof_i(1'b0), .h2c_cmd_id_i('0), .h2c_done_valid_o(), .h2c_done_len_o(),
    .h2c_done_eof_o(), .h2c_done_cause_o(), .h2c_done_id_o(), .m_axis_h2c_tvalid(s_valid),
    .m_axis_h2c_tready(s_ready), .m_axis_h2c_tdata(s_data), .m_axis_h2c_tkeep(s_keep), .m_axis_h2c_tlast(s_last),
    .m_axis_h2c_tuser(), .c2h_cmd_valid_i(1'b0), .c2h_cmd_ready_o(), .c2h_cmd_addr_i('0),
    .c2h_cmd_len_i('0), .c2h_cmd_eof_i(1'b0), .c2h_cmd_id_i('0), .c2h_done_valid_o(),
    .c2h_done_len_o(), .c2h_done_eof_o(), .c2h_done_cause_o(), .c2h_done_id_o(),
    .s_axis_c2h_tvalid(s_valid), .s_axis_c2h_tready(s_ready), .s_axis_c2h_tdata(s_data), .s_axis_c2h_tkeep(s_keep),
    .s_axis_c2h_tlast(s_last), .p2p_cmd_valid_i(1'b0), .p2p_cmd_ready_o(), .p2p_cmd_addr_i('0),
    .p2p_cmd_len_i('0), .p2p_cmd_eof_i(1'b0), .p2p_cmd_id_i('0), .p2p_done_valid_o(),
    .p2p_done_len_o(), .p2p_done_eof_o(), .p2p_done_cause_o(), .p2p_done_id_o(),
    .s_axis_p2p_tvalid(1'b0), .s_axis_p2p_tready(), .s_axis_p2p_tdata('0), .s_axis_p2p_tkeep('0), .s_axis_p2p_tlast(1'b0),
    .m_axis_win_tvalid(), .m_axis_win_tready(1'b1), .m_axis_win_tdata(), .m_axis_win_tkeep(), .m_axis_win_tlast(),
    .m_axis_win_tuser(), .user_valid_o(), .user_write_o(), .user_addr_o(), .user_wdata_o(),
    .user_wstrb_o(), .user_ready_i(1'b1), .user_error_i(1'b0), .user_rdata_i('0),
    .user_irq_i('0)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic unused;
  assign unused = ^{rq_tready[3:1], cc_tready[3:1], msix_enable[3:1], msix_mask[3:1]};

endmodule
