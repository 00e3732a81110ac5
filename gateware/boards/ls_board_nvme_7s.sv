// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A board with an NVMe drive below the 7-series block as a root port: pins, the block (pcie_7x), the NVMe host, and a design
// that only reads, all blocks in turn, so that no drive loses anything by a first try. Put your own design where the command
// port and the streams are. The board gives PERST# here, and the reference clock comes from the drive's adapter.
module ls_board_nvme_7s
  import ls_nvme_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 128,     // of the block's streams: 64 or 128
  parameter int unsigned Mhz   = 125,     // of the user clock
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             refclk_p_i,   // 100 MHz, the drive's clock too
  input  logic             refclk_n_i,
  input  logic             reset_i,      // a button: the block and the drive are reset
  input  logic             shut_i,       // a button: the drive is shut down, until the next reset
  output logic             perst_no,     // to the drive
  output logic             off_o,        // the adapter's second drive has no power
  input  logic [Lanes-1:0] rx_p_i,
  input  logic [Lanes-1:0] rx_n_i,
  output logic [Lanes-1:0] tx_p_o,
  output logic [Lanes-1:0] tx_n_o,
  output logic [2:0]       led_o         // 0 the drive runs, 1 it is shut down and may lose its power, 2 something has failed
);

  logic             refclk, clk, block_rst, link_up, rst_nq;
  logic [Width-1:0] tx_tdata, rx_tdata;
  logic [Bytes-1:0] tx_tkeep, rx_tkeep;
  logic             tx_tlast, tx_tvalid, tx_tready, rx_tlast, rx_tvalid, rx_tready;
  logic [21:0]      rx_tuser;
  logic [5:0]       tx_buf_av;
  logic [9:0]       mgmt_addr;
  logic [31:0]      mgmt_di, mgmt_do;
  logic [3:0]       mgmt_be;
  logic             mgmt_rd, mgmt_wr, mgmt_done;

  /* verilator lint_off PINCONNECTEMPTY */
  IBUFDS_GTE2 u_refclk (.O(refclk), .ODIV2(), .CEB(1'b0), .I(refclk_p_i), .IB(refclk_n_i));

  pcie_7x_0 u_block (
    .pci_exp_txp(tx_p_o), .pci_exp_txn(tx_n_o), .pci_exp_rxp(rx_p_i), .pci_exp_rxn(rx_n_i), .user_clk_out(clk),
    .user_reset_out(block_rst), .user_lnk_up(link_up), .user_app_rdy(), .tx_buf_av(tx_buf_av), .tx_cfg_req(),
    .tx_err_drop(), .s_axis_tx_tready(tx_tready), .s_axis_tx_tdata(tx_tdata), .s_axis_tx_tkeep(tx_tkeep),
    .s_axis_tx_tlast(tx_tlast), .s_axis_tx_tvalid(tx_tvalid), .s_axis_tx_tuser('0), .tx_cfg_gnt(1'b1),
    .m_axis_rx_tdata(rx_tdata), .m_axis_rx_tkeep(rx_tkeep), .m_axis_rx_tlast(rx_tlast),
    .m_axis_rx_tvalid(rx_tvalid), .m_axis_rx_tready(rx_tready), .m_axis_rx_tuser(rx_tuser), .rx_np_ok(1'b1),
    .rx_np_req(1'b1), .cfg_mgmt_do(mgmt_do), .cfg_mgmt_rd_wr_done(mgmt_done), .cfg_status(), .cfg_command(),
    .cfg_dstatus(), .cfg_dcommand(), .cfg_lstatus(), .cfg_lcommand(), .cfg_dcommand2(),
    .cfg_pcie_link_state(), .cfg_pmcsr_pme_en(), .cfg_pmcsr_powerstate(),
    .cfg_pmcsr_pme_status(), .cfg_received_func_lvl_rst(), .cfg_mgmt_di(mgmt_di), .cfg_mgmt_byte_en(mgmt_be),
    .cfg_mgmt_dwaddr(mgmt_addr), .cfg_mgmt_wr_en(mgmt_wr), .cfg_mgmt_rd_en(mgmt_rd), .cfg_mgmt_wr_readonly(1'b0),
    .cfg_trn_pending(1'b0), .cfg_pm_halt_aspm_l0s(1'b0), .cfg_pm_halt_aspm_l1(1'b0), .cfg_pm_force_state_en(1'b0),
    .cfg_pm_force_state('0), .cfg_dsn('0), .cfg_interrupt(1'b0), .cfg_interrupt_rdy(), .cfg_interrupt_assert(1'b0),
    .cfg_interrupt_di('0), .cfg_interrupt_do(), .cfg_interrupt_mmenable(), .cfg_interrupt_msienable(),
    .cfg_interrupt_msixenable(), .cfg_interrupt_msixfm(),
    .cfg_interrupt_stat(1'b0), .cfg_pciecap_interrupt_msgnum('0), .cfg_to_turnoff(), .cfg_turnoff_ok(1'b0),
    .cfg_bus_number(), .cfg_device_number(),
    .cfg_function_number(), .cfg_pm_wake(1'b0), .cfg_pm_send_pme_to(1'b0),
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
    .sys_rst_n(!reset_i)
  );

  // PERST# is given for 200 ms after the configuration of the FPGA, and after each reset: the standard asks for 100 ms of stable
  // power (T_PVPERL) and 100 us of the reference clock (T_PERST-CLK). The block waits for the drive meanwhile.
  localparam int unsigned PerstCycles = 200_000 * Mhz;
  logic [$clog2(PerstCycles+1)-1:0] perst_q;            // zero after the configuration, as all registers of the part
  (* ASYNC_REG = "TRUE" *) logic [1:0] reset_q, shut_q;
  assign off_o = 1'b1;
  always_ff @(posedge clk) begin
    reset_q <= {reset_q[0], reset_i};
    shut_q  <= {shut_q[0], shut_i};
    rst_nq  <= !block_rst && !reset_q[1];
    if (reset_q[1])                                     perst_q <= '0;
    else if (perst_q != ($bits(perst_q))'(PerstCycles)) perst_q <= perst_q + 1'b1;
    perst_no <= perst_q == ($bits(perst_q))'(PerstCycles);
  end

  // ---- the design ----------------------------------------------------------------------------------
  localparam int unsigned Chunk = 128;       // blocks of a read
  logic        cmd_valid, cmd_ready, done_valid, run, dead, shut_end, port_failed, asked_q, off_q, bad_q;
  logic [63:0] size, lba_q;
  user_cmd_t   cmd;
  user_done_t  done;
  why_e        shut_why;
  assign cmd_valid = run && !asked_q;
  assign cmd       = '{op: OpRead, fua: 1'b0, lba: lba_q, nlb: Chunk - 1, tag: '0};
  always_ff @(posedge clk) begin
    if (!rst_nq) {lba_q, asked_q, off_q, bad_q} <= '0;
    else begin
      asked_q <= asked_q || shut_q[1];
      if (shut_end) off_q <= shut_why == WhyNone;
      if (cmd_valid && cmd_ready) lba_q <= (lba_q + 64'(2 * Chunk) > size) ? '0 : lba_q + 64'(Chunk);
      bad_q <= bad_q || port_failed || (dead && !off_q && !asked_q) || (done_valid && done.why != WhyNone && !asked_q)
               || (shut_end && shut_why != WhyNone);
    end
    led_o <= {bad_q, off_q, run};
  end

  ls_nvme_7s #(.Width(Width), .TickCycles(1000 * Mhz), .WaitCycles(100_000 * Mhz), .LookCycles(1_000_000 * Mhz), .ShutTicks(10000)) u_host (
    .clk_i(clk), .rst_ni(rst_nq), .restart_i(1'b0), .s_axis_tx_tdata(tx_tdata), .s_axis_tx_tkeep(tx_tkeep), .s_axis_tx_tlast(tx_tlast),
    .s_axis_tx_tvalid(tx_tvalid), .s_axis_tx_tready(tx_tready), .tx_buf_av, .m_axis_rx_tdata(rx_tdata), .m_axis_rx_tkeep(rx_tkeep),
    .m_axis_rx_tlast(rx_tlast), .m_axis_rx_tuser(rx_tuser), .m_axis_rx_tvalid(rx_tvalid), .m_axis_rx_tready(rx_tready), .user_lnk_up(link_up),
    .cfg_mgmt_dwaddr(mgmt_addr), .cfg_mgmt_rd_en(mgmt_rd), .cfg_mgmt_wr_en(mgmt_wr), .cfg_mgmt_di(mgmt_di), .cfg_mgmt_byte_en(mgmt_be),
    .cfg_mgmt_do(mgmt_do), .cfg_mgmt_rd_wr_done(mgmt_done), .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready), .cmd_i(cmd),
    .done_valid_o(done_valid), .done_ready_i(1'b1), .done_o(done), .s_axis_wr_tvalid(1'b0), .s_axis_wr_tready(), .s_axis_wr_tdata('0),
    .m_axis_rd_tvalid(), .m_axis_rd_tready(1'b1), .m_axis_rd_tdata(), .m_axis_rd_tkeep(), .m_axis_rd_tlast(), .m_axis_rd_tuser(),
    .shut_ask_i(asked_q && !off_q), .shut_end_o(shut_end), .shut_why_o(shut_why), .health_ask_i(1'b0), .health_end_o(), .health_why_o(), .health_status_o(), .health_o(), .log_valid_o(),
    .log_data_o(), .trail_i(StepIdle), .trail_o(), .lost_o(), .run_o(run), .dead_o(dead), .step_o(), .why_o(), .detail_o(), .drive_o(),
    .size_o(size), .stray_o(), .port_up_o(), .port_failed_o(port_failed), .port_step_o(), .retrain_i(1'b0), .link_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic unused;
  assign unused = ^done;

endmodule
