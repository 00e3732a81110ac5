// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The mover of a channel from card to host, with what stands at the card's side of it: a stream, or (`Mm`)
// card memory.
module ls_c2h
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned MaxPayload = 512,
  parameter bit          Mm         = 1'b0,
  parameter int unsigned BurstBytes = 1024,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [2:0]         mps_i,
  input  logic [2:0]         attr_i,
  input  logic               first_i,
  input  logic               abort_i,
  input  logic               keep_i,
  output logic               idle_o,
  output use_e               use_o,

  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  dma_cmd_t           cmd_i,
  input  logic               drops_i,        // what is taken on tx is dropped
  output logic               done_valid_o,
  input  logic               done_ready_i,
  input  logic               done_room_i,
  output dma_done_t          done_o,

  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  logic [Width-1:0]   s_data_i,
  input  logic [Bytes-1:0]   s_keep_i,
  input  logic               s_last_i,

  input  mm_in_t             mm_i,           // reads
  input  logic [Width-1:0]   mm_rdata_i,
  output mm_out_t            mm_o,

  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o
);

  logic             eng_idle, cmd_valid, cmd_ready, in, in_ready, in_last, done_valid, done_room, gone;
  dma_cmd_t         cmd;
  dma_done_t        raw, done;
  logic [Width-1:0] in_data;
  logic [Bytes-1:0] in_keep;
  ls_write_engine #(.Width(Width), .MaxPayload(MaxPayload)) u_write (
    .clk_i, .rst_ni, .mps_i, .attr_i, .first_i(first_i && !Mm), .abort_i, .keep_i(keep_i && !Mm), .idle_o(eng_idle), .use_o, .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready), .cmd_i(cmd), .s_valid_i(in), .s_ready_o(in_ready), .s_data_i(in_data),
    .s_keep_i(in_keep), .s_last_i(in_last), .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
    .done_valid_o(done_valid), .done_o(raw), .done_room_i(done_room)
  );
  ls_gone u_gone (
    .clk_i, .rst_ni, .drops_i, .taken_i(tx_ready_i), .told_i(done_valid), .gone_o(gone)
  );
  assign done = told(raw, gone);

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
    ls_mm_read #(.Width(Width), .BurstBytes(BurstBytes)) u_mem (
      .clk_i, .rst_ni, .abort_i, .idle_o(mem_idle), .mem_valid_i(mem_valid), .mem_addr_i(mem_addr),
      .mem_len_i(mem_len), .answer_valid_o(answer_valid), .answer_o(answer), .ar_valid_o(mm_o.ar_valid),
      .ar_ready_i(mm_i.ar_ready), .ar_addr_o(mm_o.ar_addr), .ar_len_o(mm_o.ar_len), .r_valid_i(mm_i.r_valid),
      .r_ready_o(mm_o.r_ready), .r_data_i(mm_rdata_i), .r_resp_i(mm_i.r_resp), .r_last_i(mm_i.r_last),
      .m_valid_o(in), .m_ready_i(in_ready), .m_data_o(in_data), .m_keep_o(in_keep), .m_last_o(in_last)
    );
    assign {mm_o.aw_valid, mm_o.aw_addr, mm_o.aw_len, mm_o.w_valid, mm_o.w_last, mm_o.b_ready} = '0;
    assign done_room = 1'b1;
    assign s_ready_o = 1'b0;
    assign idle_o    = eng_idle && rep_idle && mem_idle && !in;
    assign unused    = ^{s_valid_i, s_data_i, s_keep_i, s_last_i, done_room_i, mm_i};
  end else begin : gen_stream
    assign cmd_valid    = cmd_valid_i;
    assign cmd_ready_o  = cmd_ready;
    assign cmd          = cmd_i;
    assign in           = s_valid_i;
    assign s_ready_o    = in_ready;
    assign in_data      = s_data_i;
    assign in_keep      = s_keep_i;
    assign in_last      = s_last_i;
    assign done_valid_o = done_valid;
    assign done_room    = done_room_i;
    assign done_o       = done;
    assign idle_o       = eng_idle;
    assign mm_o         = '0;
    assign unused       = ^{mm_i, mm_rdata_i, done_ready_i};
  end

endmodule
