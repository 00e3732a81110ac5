// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// An engine with several channels each way, for a bench that takes each by itself: what a channel has
// is an element of an array here. The engine is ls_core, or ls_engine with its plain ports.
module channels
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned H2c   = 2,
  parameter int unsigned C2h   = 2,
  parameter int unsigned Tags  = 32,
  parameter int unsigned BufBytes = 16384,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned Vectors = 16,
  parameter bit          Plain = 1'b0,      // ls_engine,
  parameter bit          TwoClocks = 1'b0,  // and with queues between the clocks, which are one here
  localparam int unsigned Bytes = Width / 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  settings_t set_i,
  output logic tx_valid_o,
  input  logic tx_ready_i,
  output logic tx_sop_o,
  output logic tx_eop_o,
  output tlp_hdr_t tx_hdr_o,
  output logic [Width-1:0] tx_data_o,
  output logic rq_valid_o,
  input  logic rq_ready_i,
  output tlp_hdr_t rq_hdr_o,
  output logic cpl_valid_o,
  input  logic cpl_ready_i,
  output tlp_hdr_t cpl_hdr_o,
  output logic [63:0] cpl_data_o,
  input  logic rx_req_valid_i,
  output logic rx_req_ready_o,
  input  logic rx_req_sop_i,
  input  logic rx_req_eop_i,
  input  tlp_hdr_t rx_req_hdr_i,
  input  logic [Width-1:0] rx_req_data_i,
  input  logic rx_cpl_valid_i,
  input  logic rx_cpl_sop_i,
  input  logic rx_cpl_eop_i,
  input  tlp_hdr_t rx_cpl_hdr_i,
  input  logic [Width-1:0] rx_cpl_data_i,
  input  logic h2c_cmd_valid_i [H2c],
  output logic h2c_cmd_ready_o [H2c],
  input  dma_cmd_t h2c_cmd_i [H2c],
  output logic h2c_done_valid_o [H2c],
  output dma_done_t h2c_done_o [H2c],
  output logic h2c_valid_o [H2c],
  input  logic h2c_ready_i [H2c],
  output logic [Width-1:0] h2c_data_o [H2c],
  output logic [Bytes-1:0] h2c_keep_o [H2c],
  output logic h2c_last_o [H2c],
  output logic h2c_error_o [H2c],
  input  logic c2h_cmd_valid_i [C2h],
  output logic c2h_cmd_ready_o [C2h],
  input  dma_cmd_t c2h_cmd_i [C2h],
  output logic c2h_done_valid_o [C2h],
  output dma_done_t c2h_done_o [C2h],
  input  logic c2h_valid_i [C2h],
  output logic c2h_ready_o [C2h],
  input  logic [Width-1:0] c2h_data_i [C2h],
  input  logic [Bytes-1:0] c2h_keep_i [C2h],
  input  logic c2h_last_i [C2h],
  input  logic p2p_cmd_valid_i,
  output logic p2p_cmd_ready_o,
  input  dma_cmd_t p2p_cmd_i,
  output logic p2p_done_valid_o,
  output dma_done_t p2p_done_o,
  input  logic p2p_valid_i,
  output logic p2p_ready_o,
  input  logic [Width-1:0] p2p_data_i,
  input  logic [Bytes-1:0] p2p_keep_i,
  input  logic p2p_last_i,
  output logic win_valid_o,
  input  logic win_ready_i,
  output logic [Width-1:0] win_data_o,
  output logic [Bytes-1:0] win_keep_o,
  output logic win_last_o,
  output logic win_error_o,
  output logic user_valid_o,
  output logic user_write_o,
  output logic [14:0] user_addr_o,
  output logic [63:0] user_wdata_o,
  output logic [7:0] user_wstrb_o,
  input  logic user_ready_i,
  input  logic user_error_i,
  input  logic [63:0] user_rdata_i,
  input  logic [Vectors-1:0] user_irq_i
);

  logic [H2c-1:0]            h2c_cmd_valid, h2c_cmd_ready, h2c_done_valid, h2c_valid, h2c_ready, h2c_last, h2c_error;
  dma_cmd_t [H2c-1:0]        h2c_cmd;
  dma_done_t [H2c-1:0]       h2c_done;
  logic [H2c-1:0][Width-1:0] h2c_data;
  logic [H2c-1:0][Bytes-1:0] h2c_keep;
  logic [C2h-1:0]            c2h_cmd_valid, c2h_cmd_ready, c2h_done_valid, c2h_valid, c2h_ready, c2h_last;
  dma_cmd_t [C2h-1:0]        c2h_cmd;
  dma_done_t [C2h-1:0]       c2h_done;
  logic [C2h-1:0][Width-1:0] c2h_data;
  logic [C2h-1:0][Bytes-1:0] c2h_keep;

  for (genvar i = 0; i < H2c; i++) begin : gen_h2c
    assign h2c_cmd_valid[i]    = h2c_cmd_valid_i[i];
    assign h2c_cmd[i]          = h2c_cmd_i[i];
    assign h2c_cmd_ready_o[i]  = h2c_cmd_ready[i];
    assign h2c_done_valid_o[i] = h2c_done_valid[i];
    assign h2c_done_o[i]       = h2c_done[i];
    assign h2c_valid_o[i]      = h2c_valid[i];
    assign h2c_ready[i]        = h2c_ready_i[i];
    assign h2c_data_o[i]       = h2c_data[i];
    assign h2c_keep_o[i]       = h2c_keep[i];
    assign h2c_last_o[i]       = h2c_last[i];
    assign h2c_error_o[i]      = h2c_error[i];
  end
  for (genvar i = 0; i < C2h; i++) begin : gen_c2h
    assign c2h_cmd_valid[i]    = c2h_cmd_valid_i[i];
    assign c2h_cmd[i]          = c2h_cmd_i[i];
    assign c2h_cmd_ready_o[i]  = c2h_cmd_ready[i];
    assign c2h_done_valid_o[i] = c2h_done_valid[i];
    assign c2h_done_o[i]       = c2h_done[i];
    assign c2h_valid[i]        = c2h_valid_i[i];
    assign c2h_ready_o[i]      = c2h_ready[i];
    assign c2h_data[i]         = c2h_data_i[i];
    assign c2h_keep[i]         = c2h_keep_i[i];
    assign c2h_last[i]         = c2h_last_i[i];
  end

  if (!Plain) begin : gen_core
    ls_core #(
      .Width(Width), .H2c(H2c), .C2h(C2h), .Tags(Tags), .BufBytes(BufBytes), .MaxRequest(MaxRequest), .Vectors(Vectors)
    ) u_card (
      .clk_i, .rst_ni, .set_i, .pending_o(), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(), .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
      .rq_valid_o, .rq_ready_i, .rq_hdr_o, .cpl_valid_o, .cpl_ready_i, .cpl_hdr_o, .cpl_data_o,
      .rx_req_valid_i, .rx_req_ready_o, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
      .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
      .h2c_cmd_valid_i(h2c_cmd_valid), .h2c_cmd_ready_o(h2c_cmd_ready), .h2c_cmd_i(h2c_cmd),
      .h2c_done_valid_o(h2c_done_valid), .h2c_done_o(h2c_done), .h2c_valid_o(h2c_valid),
      .h2c_ready_i(h2c_ready), .h2c_data_o(h2c_data), .h2c_keep_o(h2c_keep), .h2c_last_o(h2c_last),
      .h2c_error_o(h2c_error), .c2h_cmd_valid_i(c2h_cmd_valid), .c2h_cmd_ready_o(c2h_cmd_ready),
      .c2h_cmd_i(c2h_cmd), .c2h_done_valid_o(c2h_done_valid), .c2h_done_o(c2h_done),
      .c2h_valid_i(c2h_valid), .c2h_ready_o(c2h_ready), .c2h_data_i(c2h_data), .c2h_keep_i(c2h_keep),
      .c2h_last_i(c2h_last), .p2p_cmd_valid_i, .p2p_cmd_ready_o, .p2p_cmd_i, .p2p_done_valid_o,
      .p2p_done_o, .p2p_valid_i, .p2p_ready_o, .p2p_data_i, .p2p_keep_i, .p2p_last_i, .win_valid_o,
      .win_ready_i, .win_data_o, .win_keep_o, .win_last_o, .win_error_o, .user_valid_o, .user_write_o,
      .user_addr_o, .user_wdata_o, .user_wstrb_o, .user_ready_i, .user_error_i, .user_rdata_i, .user_irq_i
    );
  end else begin : gen_plain
    logic [H2c-1:0][63:0]        h2c_addr;
    logic [H2c-1:0][LenBits-1:0] h2c_len, h2c_done_len;
    logic [H2c-1:0][IdBits-1:0]  h2c_id, h2c_done_id;
    logic [H2c-1:0]              h2c_eof, h2c_done_eof;
    logic [H2c-1:0][3:0]         h2c_cause;
    for (genvar i = 0; i < H2c; i++) begin : gen_h2c_fields
      assign h2c_addr[i] = h2c_cmd[i].addr;
      assign h2c_len[i]  = h2c_cmd[i].len;
      assign h2c_id[i]   = h2c_cmd[i].id;
      assign h2c_eof[i]  = h2c_cmd[i].eof;
      assign h2c_done[i] = '{len: h2c_done_len[i], sof: 1'b0, eof: h2c_done_eof[i], irq: 1'b0, regular: 1'b0,
                            fabric: 1'b1, cause: cause_e'(h2c_cause[i]), id: h2c_done_id[i]};
    end
    logic [C2h-1:0][63:0]        c2h_addr;
    logic [C2h-1:0][LenBits-1:0] c2h_len, c2h_done_len;
    logic [C2h-1:0][IdBits-1:0]  c2h_id, c2h_done_id;
    logic [C2h-1:0]              c2h_eof, c2h_done_eof;
    logic [C2h-1:0][3:0]         c2h_cause;
    for (genvar i = 0; i < C2h; i++) begin : gen_c2h_fields
      assign c2h_addr[i] = c2h_cmd[i].addr;
      assign c2h_len[i]  = c2h_cmd[i].len;
      assign c2h_id[i]   = c2h_cmd[i].id;
      assign c2h_eof[i]  = c2h_cmd[i].eof;
      assign c2h_done[i] = '{len: c2h_done_len[i], sof: 1'b0, eof: c2h_done_eof[i], irq: 1'b0, regular: 1'b0,
                            fabric: 1'b1, cause: cause_e'(c2h_cause[i]), id: c2h_done_id[i]};
    end
    logic [LenBits-1:0] p2p_done_len;
    logic [IdBits-1:0]  p2p_done_id;
    logic               p2p_done_eof;
    logic [3:0]         p2p_cause;
    assign p2p_done_o = '{len: p2p_done_len, sof: 1'b0, eof: p2p_done_eof, irq: 1'b0, regular: 1'b0,
                          fabric: 1'b1, cause: cause_e'(p2p_cause), id: p2p_done_id};
    ls_engine #(
      .TwoClocks(TwoClocks), .Width(Width), .H2c(H2c), .C2h(C2h), .Tags(Tags), .BufBytes(BufBytes), .MaxRequest(MaxRequest), .Vectors(Vectors)
    ) u_card (
      .user_clk_i(clk_i), .user_rst_ni(rst_ni),
      .msi_i('0), .pending_o(), .mm_i('0), .mm_rdata_i('0), .mm_o(), .mm_wdata_o(), .mm_wstrb_o(),
      .h2c_cmd_valid_i(h2c_cmd_valid), .h2c_cmd_ready_o(h2c_cmd_ready), .h2c_cmd_addr_i(h2c_addr), .h2c_cmd_len_i(h2c_len),
      .h2c_cmd_eof_i(h2c_eof), .h2c_cmd_id_i(h2c_id), .h2c_done_valid_o(h2c_done_valid), .h2c_done_len_o(h2c_done_len),
      .h2c_done_eof_o(h2c_done_eof), .h2c_done_cause_o(h2c_cause), .h2c_done_id_o(h2c_done_id),
      .c2h_cmd_valid_i(c2h_cmd_valid), .c2h_cmd_ready_o(c2h_cmd_ready), .c2h_cmd_addr_i(c2h_addr), .c2h_cmd_len_i(c2h_len),
      .c2h_cmd_eof_i(c2h_eof), .c2h_cmd_id_i(c2h_id), .c2h_done_valid_o(c2h_done_valid), .c2h_done_len_o(c2h_done_len),
      .c2h_done_eof_o(c2h_done_eof), .c2h_done_cause_o(c2h_cause), .c2h_done_id_o(c2h_done_id),
      .p2p_cmd_addr_i(p2p_cmd_i.addr), .p2p_cmd_len_i(p2p_cmd_i.len), .p2p_cmd_eof_i(p2p_cmd_i.eof),
      .p2p_cmd_id_i(p2p_cmd_i.id), .p2p_done_len_o(p2p_done_len), .p2p_done_eof_o(p2p_done_eof),
      .p2p_done_cause_o(p2p_cause), .p2p_done_id_o(p2p_done_id),
      .h2c_valid_o(h2c_valid), .h2c_ready_i(h2c_ready), .h2c_data_o(h2c_data), .h2c_keep_o(h2c_keep),
      .h2c_last_o(h2c_last), .h2c_error_o(h2c_error), .c2h_valid_i(c2h_valid), .c2h_ready_o(c2h_ready),
      .c2h_data_i(c2h_data), .c2h_keep_i(c2h_keep), .c2h_last_i(c2h_last),
      .*
    );
  end

endmodule
