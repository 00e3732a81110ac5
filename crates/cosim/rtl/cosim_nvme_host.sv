// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What is Verilated of the NVMe host: one instance, for one drive, with the fields of its TLPs as ports,
// so that nobody outside has to know how they are packed. It sees two streams of received TLPs at one
// port, since its block shows them one after another.
module cosim_nvme_host
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width      = 128,
  parameter int unsigned Cmds       = 32,
  parameter int unsigned WrBytes    = 65536,
  parameter int unsigned RdBytes    = 65536,
  parameter int unsigned CmdBytes   = 16384,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned MemBase    = 32'h1000_0000,
  parameter int unsigned BarBase    = 32'he000_0000,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // what arrives: a beat of a request, or of a completion
  input  logic             rx_req_valid_i,
  input  logic             rx_cpl_valid_i,
  output logic             rx_ready_o,
  input  logic             rx_sop_i,
  input  logic             rx_eop_i,
  input  logic             rx_write_i,
  input  logic [63:0]      rx_addr_i,
  input  logic [10:0]      rx_len_i,       // DW
  input  logic [7:0]       rx_tag_i,
  input  logic [15:0]      rx_id_i,
  input  logic [2:0]       rx_status_i,
  input  logic [12:0]      rx_count_i,     // of a completion: Byte Count
  input  logic [Width-1:0] rx_data_i,

  // requests of the host, and its completions
  output logic             rq_valid_o,
  input  logic             rq_ready_i,
  output logic             rq_cfg_o,
  output logic             rq_write_o,
  output logic [63:0]      rq_addr_o,
  output logic [7:0]       rq_tag_o,
  output logic [31:0]      rq_data_o,
  output logic             cpl_valid_o,
  input  logic             cpl_ready_i,
  output logic             cpl_sop_o,
  output logic             cpl_eop_o,
  output logic [10:0]      cpl_len_o,
  output logic [6:0]       cpl_lower_o,
  output logic [7:0]       cpl_tag_o,
  output logic [15:0]      cpl_id_o,
  output logic [2:0]       cpl_status_o,
  output logic [12:0]      cpl_count_o,
  output logic [Width-1:0] cpl_data_o,

  // user
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  logic             cmd_write_i,
  input  logic [63:0]      cmd_lba_i,
  input  logic [31:0]      cmd_blocks_i,   // less one
  input  logic [15:0]      cmd_tag_i,
  output logic             done_valid_o,
  output logic [3:0]       done_why_o,
  output logic [14:0]      done_status_o,
  output logic [15:0]      done_tag_o,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic             m_last_o,
  output logic             m_error_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic [Width-1:0] m_data_o,

  // what is known
  output logic             run_o,
  output logic             dead_o,
  output logic             stray_o,
  output logic [4:0]       step_o,
  output logic [3:0]       why_o,
  output logic [63:0]      size_o
);
  tlp_hdr_t   rx_hdr, rq_hdr, cpl_hdr;
  user_cmd_t  cmd;
  user_done_t done;
  step_e      step;
  why_e       why;
  logic       rx_req_ready;

  always_comb begin
    rx_hdr              = '0;
    rx_hdr.addr         = rx_addr_i;
    rx_hdr.len_dw       = rx_len_i;
    rx_hdr.tag          = rx_tag_i;
    rx_hdr.requester_id = rx_id_i;
    rx_hdr.status       = rx_status_i;
    rx_hdr.byte_count   = rx_count_i;
    if (rx_cpl_valid_i) begin
      rx_hdr.kind = (rx_len_i == '0) ? TlpCpl : TlpCplD;
    end else begin
      rx_hdr.kind     = rx_write_i ? TlpMemWr : TlpMemRd;
      rx_hdr.first_be = 4'hf;
      rx_hdr.last_be  = (rx_len_i > 11'd1) ? 4'hf : 4'h0;
    end
    cmd     = '0;
    cmd.op  = cmd_write_i ? OpWrite : OpRead;
    cmd.lba = cmd_lba_i;
    cmd.nlb = cmd_blocks_i;
    cmd.tag = cmd_tag_i;
  end

  /* verilator lint_off PINCONNECTEMPTY */
  ls_nvme_host #(
    .Width(Width), .Cmds(Cmds), .WrBytes(WrBytes), .RdBytes(RdBytes), .CmdBytes(CmdBytes), .MaxPayload(MaxPayload),
    .MemBase(64'(MemBase)), .BarBase(64'(BarBase))
  ) u_host (
    .clk_i, .rst_ni, .link_i(1'b1), .restart_i(1'b0), .cmd_valid_i, .cmd_ready_o, .cmd_i(cmd), .done_valid_o,
    .done_ready_i(1'b1), .done_o(done), .s_valid_i, .s_ready_o, .s_data_i, .m_valid_o, .m_ready_i, .m_data_o,
    .m_keep_o, .m_last_o, .m_error_o, .run_o, .dead_o, .step_o(step), .why_o(why), .detail_o(), .drive_o(), .size_o,
    .health_ask_i(1'b0), .health_end_o(), .health_why_o(), .health_status_o(), .health_o(), .log_valid_o(), .log_data_o(),
    .lost_o(),
    .stray_o, .rq_valid_o, .rq_ready_i, .rq_cfg_o, .rq_hdr_o(rq_hdr), .rq_data_o, .cpl_valid_o, .cpl_ready_i,
    .cpl_sop_o, .cpl_eop_o, .cpl_hdr_o(cpl_hdr), .cpl_data_o, .rx_req_valid_i, .rx_req_ready_o(rx_req_ready),
    .rx_req_sop_i(rx_sop_i), .rx_req_eop_i(rx_eop_i), .rx_req_hdr_i(rx_hdr), .rx_req_data_i(rx_data_i),
    .rx_cpl_valid_i, .rx_cpl_sop_i(rx_sop_i), .rx_cpl_eop_i(rx_eop_i), .rx_cpl_hdr_i(rx_hdr), .rx_cpl_data_i(rx_data_i)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign rx_ready_o    = rx_cpl_valid_i || rx_req_ready;
  assign rq_write_o    = rq_hdr.kind == TlpMemWr;
  assign rq_addr_o     = rq_hdr.addr;
  assign rq_tag_o      = rq_hdr.tag;
  assign cpl_len_o     = cpl_hdr.len_dw;
  assign cpl_lower_o   = cpl_hdr.addr[6:0];
  assign cpl_tag_o     = cpl_hdr.tag;
  assign cpl_id_o      = cpl_hdr.requester_id;
  assign cpl_status_o  = cpl_hdr.status;
  assign cpl_count_o   = cpl_hdr.byte_count;
  assign done_why_o    = done.why;
  assign done_status_o = done.status;
  assign done_tag_o    = done.tag;
  assign step_o        = step;
  assign why_o         = why;

  logic unused;
  assign unused = ^{rq_hdr, cpl_hdr};
endmodule
