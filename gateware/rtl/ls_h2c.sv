// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The mover of a channel from host to card, with what stands at the card's side of it: a stream, or (`Mm`)
// card memory.
module ls_h2c
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned Few        = 30,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned BufBytes   = 16384,
  parameter bit          Mm         = 1'b0,
  parameter int unsigned BurstBytes = 1024,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [2:0]         mrrs_i,
  input  logic [2:0]         attr_i,
  input  logic               few_i,
  input  logic               retag_i,
  input  logic               tick_i,
  input  logic               abort_i,
  output logic               idle_o,
  output logic               rd_idle_o,      // no read is out
  output use_e               use_o,
  output logic               stray_o,

  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  dma_cmd_t           cmd_i,
  output logic               done_valid_o,
  input  logic               done_ready_i,
  output dma_done_t          done_o,

  output logic               rq_valid_o,
  input  logic               rq_ready_i,
  output tlp_hdr_t           rq_hdr_o,
  input  logic               rx_valid_i,
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  tlp_hdr_t           rx_hdr_i,
  input  logic [Width-1:0]   rx_data_i,

  output logic               m_valid_o,
  input  logic               m_ready_i,
  output logic [Width-1:0]   m_data_o,
  output logic [Bytes-1:0]   m_keep_o,
  output logic               m_last_o,
  output logic               m_error_o,

  input  mm_in_t             mm_i,           // writes
  output mm_out_t            mm_o,
  output logic [Width-1:0]   mm_wdata_o,
  output logic [Bytes-1:0]   mm_wstrb_o
);

  logic      cmd_valid, cmd_ready, out, out_ready, done_valid, done_ready;
  dma_cmd_t  cmd;
  dma_done_t done;
  ls_read_engine #(
    .Width(Width), .Tags(Tags), .Few(Few), .MaxRequest(MaxRequest), .BufBytes(BufBytes)
  ) u_read (
    .clk_i, .rst_ni, .mrrs_i, .attr_i, .few_i, .retag_i, .tick_i, .abort_i, .idle_o(rd_idle_o), .use_o, .stray_o,
    .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready), .cmd_i(cmd), .rq_valid_o, .rq_ready_i, .rq_hdr_o,
    .rx_valid_i, .rx_sop_i, .rx_eop_i, .rx_hdr_i, .rx_data_i,
    .m_valid_o(out), .m_ready_i(out_ready), .m_data_o, .m_keep_o, .m_last_o, .m_error_o,
    .done_valid_o(done_valid), .done_ready_i(done_ready), .done_o(done)
  );

  logic unused;
  if (Mm) begin : gen_mm
    logic                rep_idle, mem_idle, mem_valid, answer_valid;
    logic [CardBits-1:0] mem_addr;
    logic [LenBits-1:0]  mem_len;
    logic [1:0]          answer;
    ls_mm_report u_report (
      .clk_i, .rst_ni, .abort_i, .idle_o(rep_idle), .cmd_valid_i, .cmd_ready_o, .cmd_i, .eng_valid_o(cmd_valid),
      .eng_ready_i(cmd_ready), .eng_cmd_o(cmd), .mem_valid_o(mem_valid), .mem_addr_o(mem_addr),
      .mem_len_o(mem_len), .answer_valid_i(answer_valid), .answer_i(answer), .done_valid_i(done_valid),
      .done_i(done), .done_valid_o, .done_ready_i, .done_o
    );
    ls_mm_write #(.Width(Width), .BurstBytes(BurstBytes)) u_mem (
      .clk_i, .rst_ni, .abort_i, .idle_o(mem_idle), .mem_valid_i(mem_valid), .mem_addr_i(mem_addr),
      .mem_len_i(mem_len), .answer_valid_o(answer_valid), .answer_o(answer), .s_valid_i(out), .s_ready_o(out_ready),
      .s_data_i(m_data_o), .s_last_i(m_last_o), .aw_valid_o(mm_o.aw_valid), .aw_ready_i(mm_i.aw_ready),
      .aw_addr_o(mm_o.aw_addr), .aw_len_o(mm_o.aw_len), .w_valid_o(mm_o.w_valid), .w_ready_i(mm_i.w_ready),
      .w_data_o(mm_wdata_o), .w_strb_o(mm_wstrb_o), .w_last_o(mm_o.w_last), .b_valid_i(mm_i.b_valid),
      .b_ready_o(mm_o.b_ready), .b_resp_i(mm_i.b_resp)
    );
    assign {mm_o.ar_valid, mm_o.ar_addr, mm_o.ar_len, mm_o.r_ready} = '0;
    assign done_ready = 1'b1;
    assign m_valid_o  = 1'b0;
    assign idle_o     = rd_idle_o && rep_idle && mem_idle && !out;
    assign unused     = ^{m_ready_i, mm_i};
  end else begin : gen_stream
    assign cmd_valid    = cmd_valid_i;
    assign cmd_ready_o  = cmd_ready;
    assign cmd          = cmd_i;
    assign m_valid_o    = out;
    assign out_ready    = m_ready_i;
    assign done_valid_o = done_valid;
    assign done_ready   = done_ready_i;
    assign done_o       = done;
    assign idle_o       = rd_idle_o;
    assign mm_o         = '0;
    assign mm_wdata_o   = '0;
    assign mm_wstrb_o   = '0;
    assign unused       = ^mm_i;
  end

endmodule
