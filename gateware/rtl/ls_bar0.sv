// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What answers in BAR 0: the engine's registers with the MSI-X table below 0x2000, doorbell pages from
// there on, the port of the user's design from 0x8000 on. What software wrote stands in a memory that
// messages and descriptor fetches read too.
//
// A doorbell page is 4 KiB in which every word is the tail register of one channel, and nothing else is:
// what a process may be given. 0x2000 + 0x2000 k is that of channel k from host to card, the page after
// it that of channel k from card to host, for the first three channels each way.
module ls_bar0
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned Vectors    = 4,
  parameter int unsigned H2c        = 1,
  parameter int unsigned C2h        = 1,
  parameter int unsigned AtBits     = 5,
  parameter int unsigned AnswerTime = 1024,   // cycles an access of the user's port may take
  localparam int unsigned Rings     = H2c + C2h,
  localparam int unsigned VBits     = $clog2(Vectors)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               rx_valid_i,
  output logic               rx_ready_o,
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  tlp_hdr_t           rx_hdr_i,
  input  logic [Width-1:0]   rx_data_i,
  output logic               cpl_valid_o,
  input  logic               cpl_ready_i,
  output tlp_hdr_t           cpl_hdr_o,
  output logic [63:0]        cpl_data_o,

  input  logic [Faults-1:0]  fault_i,        // pulses; 4 to 6 are found here
  output logic               tick_o,
  output ch_cfg_t            cfg_o [Rings+1],
  input  ch_stat_t           stat_i [Rings+1],
  output logic [Rings:0]     clear_o,
  output logic [Rings:0][3:0] use_sel_o,
  output logic [Rings-1:0]   push_o,
  input  logic               push_busy_i,

  input  logic               msg_re_i,       // reads of the register memory: see ls_reg_ram
  output logic               msg_ok_o,
  input  logic [AtBits-1:0]  msg_at_i,
  input  logic               fetch_re_i,
  output logic               fetch_ok_o,
  input  logic [AtBits-1:0]  fetch_at_i,
  output logic [63:0]        ram_data_o,
  output logic               mask_we_o,      // the mask of this vector is written
  output logic [VBits-1:0]   mask_at_o,
  output logic               mask_set_o,
  input  logic [Vectors-1:0] mask_i,
  input  logic [Vectors-1:0] pending_i,

  output logic               user_valid_o,
  output logic               user_write_o,
  output logic [14:0]        user_addr_o,
  output logic [63:0]        user_wdata_o,
  output logic [7:0]         user_wstrb_o,
  input  logic               user_ready_i,
  input  logic               user_error_i,
  input  logic [63:0]        user_rdata_i
);

  logic        reg_valid, reg_write, reg_ready, reg_error;
  logic [15:0] reg_addr;
  logic [63:0] reg_wdata, reg_rdata;
  logic [7:0]  reg_wstrb;
  logic [Width-1:0]  cpl_data;
  logic [Faults-1:0] own_fault;
  logic              clearing;

  ls_pio #(.Width(Width), .AddrBits(16)) u_pio (
    .clk_i, .rst_ni, .rx_valid_i, .rx_ready_o, .rx_sop_i, .rx_eop_i, .rx_hdr_i, .rx_data_i,
    .reg_valid_o(reg_valid), .reg_write_o(reg_write), .reg_addr_o(reg_addr),
    .reg_wdata_o(reg_wdata), .reg_wstrb_o(reg_wstrb), .reg_ready_i(reg_ready),
    .reg_error_i(reg_error), .reg_rdata_i(reg_rdata), .clear_i(clearing),
    .tx_valid_o(cpl_valid_o), .tx_ready_i(cpl_ready_i), .tx_hdr_o(cpl_hdr_o), .tx_data_o(cpl_data),
    .fault_answer_o(own_fault[4]), .fault_request_o(own_fault[5]), .fault_poison_o(own_fault[6])
  );
  assign cpl_data_o       = cpl_data[63:0];
  assign own_fault[3:0]   = '0;
  assign own_fault[Faults-1:7] = '0;

  // ---- whose address it is -----------------------------------------------------------------------
  logic        at_user, csr_ready, csr_error, user_ready, user_error;
  logic [63:0] csr_rdata;
  assign at_user   = reg_addr[15];
  assign reg_ready = at_user ? user_ready : csr_ready;
  assign reg_error = at_user ? user_error : csr_error;
  assign reg_rdata = at_user ? user_rdata_i : csr_rdata;

  // Pages 2, 4 and 6 are those of channels 0 to 2 from host to card.
  logic [1:0]  channel;
  logic [12:0] csr_addr;
  assign channel  = reg_addr[14:13] - 2'd1;
  assign csr_addr = reg_addr[14:13] == '0 ? reg_addr[12:0] : {1'b0, channel, reg_addr[12], !reg_addr[12], 8'h18};

  logic              we_lo, we_hi;
  logic [AtBits-1:0] at;
  logic              re;
  ls_csr #(
    .Width(Width), .Tags(Tags), .Vectors(Vectors), .H2c(H2c), .C2h(C2h), .AtBits(AtBits)
  ) u_csr (
    .clk_i, .rst_ni, .reg_valid_i(reg_valid && !at_user), .reg_ready_o(csr_ready),
    .reg_write_i(reg_write), .reg_addr_i(csr_addr), .reg_wdata_i(reg_wdata),
    .reg_wstrb_i(reg_wstrb), .reg_rdata_o(csr_rdata), .reg_error_o(csr_error),
    .fault_i(fault_i | own_fault), .tick_o, .cfg_o, .stat_i, .clear_o, .use_sel_o, .push_o, .push_busy_i,
    .ram_we_lo_o(we_lo), .ram_we_hi_o(we_hi), .ram_clear_o(clearing), .ram_at_o(at), .ram_re_o(re),
    .ram_data_i(ram_data_o),
    .mask_we_o, .mask_at_o, .mask_i, .pending_i
  );
  assign mask_set_o = reg_wdata[32];

  ls_reg_ram #(.AtBits(AtBits)) u_ram (
    .clk_i, .we_lo_i(we_lo || clearing), .we_hi_i(we_hi || clearing), .at_i(at),
    .wdata_i(reg_wdata), .re_i(re), .msg_re_i, .msg_ok_o, .msg_at_i,
    .fetch_re_i, .fetch_ok_o, .fetch_at_i, .data_o(ram_data_o)
  );

  ls_reg_guard #(.Cycles(AnswerTime)) u_guard (
    .clk_i, .rst_ni, .valid_i(reg_valid && at_user), .ready_o(user_ready), .error_o(user_error),
    .valid_o(user_valid_o), .ready_i(user_ready_i), .error_i(user_error_i)
  );
  assign user_write_o = reg_write;
  assign user_addr_o  = reg_addr[14:0];
  assign user_wdata_o = reg_wdata;
  assign user_wstrb_o = reg_wstrb;

  logic unused;
  assign unused = ^cpl_data;

endmodule
