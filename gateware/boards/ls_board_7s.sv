// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A card with the 7-series block: pins of the slot, the block (pcie_7x), the engine, and a loopback
// of its streams as the design. Everything that a board differs in is a parameter or a constraint.
module ls_board_7s
  import ls_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 128,     // of the block's streams: 64 or 128
  parameter int unsigned Tags  = 7,     // reads in flight: the block has room for 72 completions
  parameter int unsigned Batch = 32,    // descriptors that a fetch asks for,
  parameter int unsigned Fetches = 1,   // fetches out, for each channel
  localparam int unsigned Bytes = Width / 8
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

  logic             refclk, clk, block_rst, link_up, rst_nq;
  logic [26:0]      blink_q;
  logic [Width-1:0] tx_tdata, rx_tdata, s_data;
  logic [Bytes-1:0] tx_tkeep, rx_tkeep, s_keep;
  logic             tx_tlast, tx_tvalid, tx_tready, rx_tlast, rx_tvalid, rx_tready;
  logic             s_valid, s_ready, s_last;
  logic [3:0]       tx_tuser;
  logic [21:0]      rx_tuser;
  logic [5:0]       tx_buf_av;
  logic [7:0]       cfg_bus_number;
  logic [4:0]       cfg_device_number;
  logic [2:0]       cfg_function_number;
  logic [15:0]      cfg_command, cfg_dcommand;
  logic [1:0]       cfg_pmcsr_powerstate;
  logic             cfg_interrupt_msixenable, cfg_interrupt_msixfm, func_lvl_rst;

  /* verilator lint_off PINCONNECTEMPTY */
  IBUFDS_GTE2 u_refclk (.O(refclk), .ODIV2(), .CEB(1'b0), .I(refclk_p_i), .IB(refclk_n_i));

  pcie_7x_0 u_block (
    .pci_exp_txp(tx_p_o), .pci_exp_txn(tx_n_o), .pci_exp_rxp(rx_p_i), .pci_exp_rxn(rx_n_i), .user_clk_out(clk),
    .user_reset_out(block_rst), .user_lnk_up(link_up), .user_app_rdy(), .tx_buf_av(tx_buf_av), .tx_cfg_req(),
    .tx_err_drop(), .s_axis_tx_tready(tx_tready), .s_axis_tx_tdata(tx_tdata), .s_axis_tx_tkeep(tx_tkeep),
    .s_axis_tx_tlast(tx_tlast), .s_axis_tx_tvalid(tx_tvalid), .s_axis_tx_tuser(tx_tuser), .tx_cfg_gnt(1'b1),
    .m_axis_rx_tdata(rx_tdata), .m_axis_rx_tkeep(rx_tkeep), .m_axis_rx_tlast(rx_tlast),
    .m_axis_rx_tvalid(rx_tvalid), .m_axis_rx_tready(rx_tready), .m_axis_rx_tuser(rx_tuser), .rx_np_ok(1'b1),
    .rx_np_req(1'b1), .cfg_mgmt_do(), .cfg_mgmt_rd_wr_done(), .cfg_status(), .cfg_command(cfg_command),
    .cfg_dstatus(), .cfg_dcommand(cfg_dcommand), .cfg_lstatus(), .cfg_lcommand(), .cfg_dcommand2(),
    .cfg_pcie_link_state(), .cfg_pmcsr_pme_en(), .cfg_pmcsr_powerstate(cfg_pmcsr_powerstate),
    .cfg_pmcsr_pme_status(), .cfg_received_func_lvl_rst(func_lvl_rst), .cfg_mgmt_di('0), .cfg_mgmt_byte_en('0),
    .cfg_mgmt_dwaddr('0), .cfg_mgmt_wr_en(1'b0), .cfg_mgmt_rd_en(1'b0), .cfg_mgmt_wr_readonly(1'b0),
    .cfg_trn_pending(1'b0), .cfg_pm_halt_aspm_l0s(1'b0), .cfg_pm_halt_aspm_l1(1'b0), .cfg_pm_force_state_en(1'b0),
    .cfg_pm_force_state('0), .cfg_dsn('0), .cfg_interrupt(1'b0), .cfg_interrupt_rdy(), .cfg_interrupt_assert(1'b0),
    .cfg_interrupt_di('0), .cfg_interrupt_do(), .cfg_interrupt_mmenable(), .cfg_interrupt_msienable(),
    .cfg_interrupt_msixenable(cfg_interrupt_msixenable), .cfg_interrupt_msixfm(cfg_interrupt_msixfm),
    .cfg_interrupt_stat(1'b0), .cfg_pciecap_interrupt_msgnum('0), .cfg_to_turnoff(), .cfg_turnoff_ok(1'b0),
    .cfg_bus_number(cfg_bus_number), .cfg_device_number(cfg_device_number),
    .cfg_function_number(cfg_function_number), .cfg_pm_wake(1'b0), .cfg_pm_send_pme_to(1'b0),
    .cfg_ds_bus_number('0), .cfg_ds_device_number('0), .cfg_ds_function_number('0), .cfg_mgmt_wr_rw1c_as_rw(1'b0),
    .cfg_bridge_serr_en(), .cfg_slot_control_electromech_il_ctl_pulse(), .cfg_root_control_syserr_corr_err_en(),
    .cfg_root_control_syserr_non_fatal_err_en(), .cfg_root_control_syserr_fatal_err_en(),
    .cfg_root_control_pme_int_en(), .cfg_aer_rooterr_corr_err_reporting_en(),
    .cfg_aer_rooterr_non_fatal_err_reporting_en(), .cfg_aer_rooterr_fatal_err_reporting_en(),
    .cfg_aer_rooterr_corr_err_received(), .cfg_aer_rooterr_non_fatal_err_received(),
    .cfg_aer_rooterr_fatal_err_received(), .pl_directed_link_change('0), .pl_directed_link_width('0),
    .pl_directed_link_speed(1'b0), .pl_directed_link_auton(1'b0), .pl_upstream_prefer_deemph(1'b1),
    .pl_sel_lnk_rate(), .pl_sel_lnk_width(), .pl_ltssm_state(), .pl_lane_reversal_mode(), .pl_phy_lnk_up(),
    .pl_tx_pm_state(), .pl_rx_pm_state(), .pl_link_upcfg_cap(), .pl_link_gen2_cap(),
    .pl_link_partner_gen2_supported(), .pl_initial_link_width(), .pl_directed_change_done(), .pl_received_hot_rst(),
    .pl_transmit_hot_rst(1'b0), .pl_downstream_deemph_source(1'b0), .cfg_vc_tcvc_map(), .sys_clk(refclk),
    .sys_rst_n(perst_ni)
  );

  // The engine stands in reset while the block does, and while there is no link.
  always_ff @(posedge clk) begin
    rst_nq  <= !block_rst && link_up;
    blink_q <= blink_q + 1'b1;
  end

  assign led_o = {blink_q[26], link_up};

  ls_top_7s #(.Width(Width), .Tags(Tags), .Batch(Batch), .Fetches(Fetches)) u_top (
    .clk_i(clk), .rst_ni(rst_nq), .cfg_bus_number, .cfg_device_number, .cfg_function_number,
    .cfg_command, .cfg_dcommand, .cfg_pmcsr_powerstate, .cfg_interrupt_msixenable,
    .cfg_interrupt_msixfm, .cfg_interrupt_msienable(1'b0),
    .m_axi_awid(), .m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(),
    .m_axi_awprot(), .m_axi_awqos(), .m_axi_awvalid(), .m_axi_awready('0), .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(),
    .m_axi_wvalid(), .m_axi_wready('0), .m_axi_bid('0), .m_axi_bresp('0), .m_axi_bvalid('0), .m_axi_bready(), .m_axi_arid(),
    .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(),
    .m_axi_arqos(), .m_axi_arvalid(), .m_axi_arready('0), .m_axi_rid('0), .m_axi_rdata('0), .m_axi_rresp('0),
    .m_axi_rlast('0), .m_axi_rvalid('0), .m_axi_rready(),
    .cfg_interrupt_mmenable('0), .cfg_interrupt(),
    .cfg_interrupt_rdy(1'b0), .cfg_interrupt_di(), .cfg_received_func_lvl_rst(func_lvl_rst), .s_axis_tx_tdata(tx_tdata),
    .s_axis_tx_tkeep(tx_tkeep), .s_axis_tx_tlast(tx_tlast), .s_axis_tx_tvalid(tx_tvalid), .s_axis_tx_tuser(tx_tuser),
    .s_axis_tx_tready(tx_tready), .tx_buf_av, .m_axis_rx_tdata(rx_tdata),
    .m_axis_rx_tkeep(rx_tkeep), .m_axis_rx_tlast(rx_tlast), .m_axis_rx_tuser(rx_tuser),
    .m_axis_rx_tvalid(rx_tvalid), .m_axis_rx_tready(rx_tready),
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

endmodule
