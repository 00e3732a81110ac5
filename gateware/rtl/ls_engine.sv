// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine with the user's side on a clock of its own, or not: ls_core behind clock crossings
// and with its commands as plain ports. TLPs are still those of the inside; a shim comes next.
//
// With TwoClocks = 0, user_clk_i and user_rst_ni must be clk_i and rst_ni.
module ls_engine
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
  parameter bit          Msi        = 1'b0,   // MSI beside MSI-X: see ls_msi
  parameter bit          Mm         = 1'b0,   // card memory in the place of streams: see ls_mm
  parameter int unsigned BurstBytes = 1024,   // longest burst there
  localparam int unsigned Mms       = (H2c > C2h) ? H2c : C2h,
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,
  input  msi_t               msi_i = '0,     // with `Msi`
  output logic [Vectors-1:0] pending_o,      // interrupts

  // TLPs
  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o,
  output logic               rq_valid_o,
  input  logic               rq_ready_i,
  output tlp_hdr_t           rq_hdr_o,
  output logic               cpl_valid_o,
  input  logic               cpl_ready_i,
  output tlp_hdr_t           cpl_hdr_o,
  output logic [63:0]        cpl_data_o,
  input  logic               rx_req_valid_i,
  output logic               rx_req_ready_o,
  input  logic               rx_req_sop_i,
  input  logic               rx_req_eop_i,
  input  tlp_hdr_t           rx_req_hdr_i,
  input  logic [Width-1:0]   rx_req_data_i,
  input  logic               rx_cpl_valid_i,   // always taken
  input  logic               rx_cpl_sop_i,
  input  logic               rx_cpl_eop_i,
  input  tlp_hdr_t           rx_cpl_hdr_i,
  input  logic [Width-1:0]   rx_cpl_data_i,

  // card memory, with `Mm`, on clk_i
  input  mm_in_t [Mms-1:0]   mm_i = '0,
  input  logic [C2h-1:0][Width-1:0] mm_rdata_i = '0,
  output mm_out_t [Mms-1:0]  mm_o,
  output logic [H2c-1:0][Width-1:0] mm_wdata_o,
  output logic [H2c-1:0][Bytes-1:0] mm_wstrb_o,

  // the user's design, all on user_clk_i
  input  logic               user_clk_i,
  input  logic               user_rst_ni,
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
  output logic [H2c-1:0]           h2c_valid_o,
  input  logic [H2c-1:0]           h2c_ready_i,
  output logic [H2c*Width-1:0]     h2c_data_o,
  output logic [H2c*Bytes-1:0]     h2c_keep_o,
  output logic [H2c-1:0]           h2c_last_o,
  output logic [H2c-1:0]           h2c_error_o,
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
  input  logic [C2h-1:0]           c2h_valid_i,
  output logic [C2h-1:0]           c2h_ready_o,
  input  logic [C2h*Width-1:0]     c2h_data_i,
  input  logic [C2h*Bytes-1:0]     c2h_keep_i,
  input  logic [C2h-1:0]           c2h_last_i,
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
  input  logic               p2p_valid_i,
  output logic               p2p_ready_o,
  input  logic [Width-1:0]   p2p_data_i,
  input  logic [Bytes-1:0]   p2p_keep_i,
  input  logic               p2p_last_i,
  output logic               win_valid_o,
  input  logic               win_ready_i,
  output logic [Width-1:0]   win_data_o,
  output logic [Bytes-1:0]   win_keep_o,
  output logic               win_last_o,
  output logic               win_error_o,
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

  localparam int unsigned AxisBits = Width + Bytes + 1;
  // ---- channels: commands, reports, streams ----------------------------------------------------
  logic [H2c-1:0]            h2c_cmd_valid, h2c_cmd_ready, h2c_done_valid, h2c_valid, h2c_ready, h2c_last, h2c_error;
  dma_cmd_t [H2c-1:0]        h2c_cmd;
  dma_done_t [H2c-1:0]       h2c_done;
  logic [H2c-1:0][Width-1:0] h2c_data;
  logic [H2c-1:0][Bytes-1:0] h2c_keep;
  for (genvar i = 0; i < H2c; i++) begin : gen_h2c
    ls_cmd_cross #(.TwoClocks(TwoClocks)) u_cmd (
      .user_clk_i, .user_rst_ni, .cmd_valid_i(h2c_cmd_valid_i[i]), .cmd_ready_o(h2c_cmd_ready_o[i]),
      .cmd_addr_i(h2c_cmd_addr_i[i*64+:64]), .cmd_len_i(h2c_cmd_len_i[i*LenBits+:LenBits]),
      .cmd_eof_i(h2c_cmd_eof_i[i]), .cmd_id_i(h2c_cmd_id_i[i*IdBits+:IdBits]),
      .done_valid_o(h2c_done_valid_o[i]), .done_len_o(h2c_done_len_o[i*LenBits+:LenBits]),
      .done_eof_o(h2c_done_eof_o[i]), .done_cause_o(h2c_done_cause_o[i*4+:4]),
      .done_id_o(h2c_done_id_o[i*IdBits+:IdBits]),
      .clk_i, .rst_ni, .core_cmd_valid_o(h2c_cmd_valid[i]), .core_cmd_ready_i(h2c_cmd_ready[i]),
      .core_cmd_o(h2c_cmd[i]), .core_done_valid_i(h2c_done_valid[i]), .core_done_i(h2c_done[i])
    );
    ls_cross #(.Width(AxisBits + 1), .Cross(TwoClocks)) u_stream (
      .wr_clk_i(clk_i), .wr_rst_ni(rst_ni), .wr_valid_i(h2c_valid[i]), .wr_ready_o(h2c_ready[i]),
      .wr_data_i({h2c_error[i], h2c_last[i], h2c_keep[i], h2c_data[i]}), .rd_clk_i(user_clk_i),
      .rd_rst_ni(user_rst_ni), .rd_valid_o(h2c_valid_o[i]), .rd_ready_i(h2c_ready_i[i]),
      .rd_data_o({h2c_error_o[i], h2c_last_o[i], h2c_keep_o[i*Bytes+:Bytes], h2c_data_o[i*Width+:Width]})
    );
  end

  logic [C2h-1:0]            c2h_cmd_valid, c2h_cmd_ready, c2h_done_valid, c2h_valid, c2h_ready, c2h_last;
  dma_cmd_t [C2h-1:0]        c2h_cmd;
  dma_done_t [C2h-1:0]       c2h_done;
  logic [C2h-1:0][Width-1:0] c2h_data;
  logic [C2h-1:0][Bytes-1:0] c2h_keep;
  for (genvar i = 0; i < C2h; i++) begin : gen_c2h
    ls_cmd_cross #(.TwoClocks(TwoClocks)) u_cmd (
      .user_clk_i, .user_rst_ni, .cmd_valid_i(c2h_cmd_valid_i[i]), .cmd_ready_o(c2h_cmd_ready_o[i]),
      .cmd_addr_i(c2h_cmd_addr_i[i*64+:64]), .cmd_len_i(c2h_cmd_len_i[i*LenBits+:LenBits]),
      .cmd_eof_i(c2h_cmd_eof_i[i]), .cmd_id_i(c2h_cmd_id_i[i*IdBits+:IdBits]),
      .done_valid_o(c2h_done_valid_o[i]), .done_len_o(c2h_done_len_o[i*LenBits+:LenBits]),
      .done_eof_o(c2h_done_eof_o[i]), .done_cause_o(c2h_done_cause_o[i*4+:4]),
      .done_id_o(c2h_done_id_o[i*IdBits+:IdBits]),
      .clk_i, .rst_ni, .core_cmd_valid_o(c2h_cmd_valid[i]), .core_cmd_ready_i(c2h_cmd_ready[i]),
      .core_cmd_o(c2h_cmd[i]), .core_done_valid_i(c2h_done_valid[i]), .core_done_i(c2h_done[i])
    );
    ls_cross #(.Width(AxisBits), .Cross(TwoClocks)) u_stream (
      .wr_clk_i(user_clk_i), .wr_rst_ni(user_rst_ni), .wr_valid_i(c2h_valid_i[i]),
      .wr_ready_o(c2h_ready_o[i]),
      .wr_data_i({c2h_last_i[i], c2h_keep_i[i*Bytes+:Bytes], c2h_data_i[i*Width+:Width]}), .rd_clk_i(clk_i),
      .rd_rst_ni(rst_ni), .rd_valid_o(c2h_valid[i]), .rd_ready_i(c2h_ready[i]),
      .rd_data_o({c2h_last[i], c2h_keep[i], c2h_data[i]})
    );
  end

  // ---- card to card ----------------------------------------------------------------------------
  logic      p2p_cmd_valid, p2p_cmd_ready, p2p_done_valid;
  dma_cmd_t  p2p_cmd;
  dma_done_t p2p_done;
  ls_cmd_cross #(.TwoClocks(TwoClocks)) u_p2p_cmd (
    .user_clk_i, .user_rst_ni, .cmd_valid_i(p2p_cmd_valid_i), .cmd_ready_o(p2p_cmd_ready_o),
    .cmd_addr_i(p2p_cmd_addr_i), .cmd_len_i(p2p_cmd_len_i), .cmd_eof_i(p2p_cmd_eof_i),
    .cmd_id_i(p2p_cmd_id_i), .done_valid_o(p2p_done_valid_o), .done_len_o(p2p_done_len_o),
    .done_eof_o(p2p_done_eof_o), .done_cause_o(p2p_done_cause_o), .done_id_o(p2p_done_id_o),
    .clk_i, .rst_ni, .core_cmd_valid_o(p2p_cmd_valid), .core_cmd_ready_i(p2p_cmd_ready),
    .core_cmd_o(p2p_cmd), .core_done_valid_i(p2p_done_valid), .core_done_i(p2p_done)
  );

  logic             p2p_valid, p2p_ready, p2p_last;
  logic [Width-1:0] p2p_data;
  logic [Bytes-1:0] p2p_keep;
  ls_cross #(.Width(AxisBits), .Cross(TwoClocks)) u_p2p (
    .wr_clk_i(user_clk_i), .wr_rst_ni(user_rst_ni), .wr_valid_i(p2p_valid_i), .wr_ready_o(p2p_ready_o),
    .wr_data_i({p2p_last_i, p2p_keep_i, p2p_data_i}), .rd_clk_i(clk_i), .rd_rst_ni(rst_ni),
    .rd_valid_o(p2p_valid), .rd_ready_i(p2p_ready), .rd_data_o({p2p_last, p2p_keep, p2p_data})
  );

  logic             win_valid, win_ready, win_last, win_error;
  logic [Width-1:0] win_data;
  logic [Bytes-1:0] win_keep;
  ls_cross #(.Width(AxisBits + 1), .Cross(TwoClocks)) u_win (
    .wr_clk_i(clk_i), .wr_rst_ni(rst_ni), .wr_valid_i(win_valid), .wr_ready_o(win_ready),
    .wr_data_i({win_error, win_last, win_keep, win_data}), .rd_clk_i(user_clk_i),
    .rd_rst_ni(user_rst_ni), .rd_valid_o(win_valid_o), .rd_ready_i(win_ready_i),
    .rd_data_o({win_error_o, win_last_o, win_keep_o, win_data_o})
  );

  // ---- registers and interrupts ----
  logic               reg_valid, reg_write, reg_ready, reg_error;
  logic [14:0]        reg_addr;
  logic [63:0]        reg_wdata, reg_rdata;
  logic [7:0]         reg_wstrb;
  logic [Vectors-1:0] irq;
  if (TwoClocks) begin : gen_two
    ls_reg_cross u_reg (
      .clk_i, .rst_ni, .valid_i(reg_valid), .write_i(reg_write), .addr_i(reg_addr),
      .wdata_i(reg_wdata), .wstrb_i(reg_wstrb), .ready_o(reg_ready), .error_o(reg_error),
      .rdata_o(reg_rdata),
      .user_clk_i, .user_rst_ni, .user_valid_o, .user_write_o, .user_addr_o, .user_wdata_o,
      .user_wstrb_o, .user_ready_i, .user_error_i, .user_rdata_i
    );
    for (genvar i = 0; i < Vectors; i++) begin : gen_irq
      ls_pulse_cross u_irq (
        .from_clk_i(user_clk_i), .from_rst_ni(user_rst_ni), .pulse_i(user_irq_i[i]),
        .to_clk_i(clk_i), .to_rst_ni(rst_ni), .pulse_o(irq[i])
      );
    end
  end else begin : gen_one
    assign user_valid_o = reg_valid;
    assign user_write_o = reg_write;
    assign user_addr_o  = reg_addr;
    assign user_wdata_o = reg_wdata;
    assign user_wstrb_o = reg_wstrb;
    assign reg_ready    = user_ready_i;
    assign reg_error    = user_error_i;
    assign reg_rdata    = user_rdata_i;
    assign irq          = user_irq_i;
  end

  ls_core #(
    .Width(Width), .H2c(H2c), .C2h(C2h), .Tags(Tags), .MaxPayload(MaxPayload), .MaxRequest(MaxRequest),
    .BufBytes(BufBytes), .Batch(Batch), .Fetches(Fetches), .WindowBits(WindowBits), .WindowBuf(WindowBuf),
    .Vectors(Vectors), .AnswerTime(AnswerTime), .Msi(Msi), .Mm(Mm), .BurstBytes(BurstBytes)
  ) u_core (
    .clk_i, .rst_ni, .set_i, .msi_i, .pending_o, .mm_i, .mm_rdata_i, .mm_o, .mm_wdata_o, .mm_wstrb_o, .tx_valid_o, .tx_ready_i, .tx_sop_o,
    .tx_eop_o, .tx_hdr_o, .tx_data_o, .rq_valid_o, .rq_ready_i, .rq_hdr_o, .cpl_valid_o,
    .cpl_ready_i, .cpl_hdr_o, .cpl_data_o, .rx_req_valid_i,
    .rx_req_ready_o, .rx_req_sop_i, .rx_req_eop_i, .rx_req_hdr_i, .rx_req_data_i,
    .rx_cpl_valid_i, .rx_cpl_sop_i, .rx_cpl_eop_i, .rx_cpl_hdr_i, .rx_cpl_data_i,
    .h2c_cmd_valid_i(h2c_cmd_valid), .h2c_cmd_ready_o(h2c_cmd_ready), .h2c_cmd_i(h2c_cmd),
    .h2c_done_valid_o(h2c_done_valid), .h2c_done_o(h2c_done),
    .c2h_cmd_valid_i(c2h_cmd_valid), .c2h_cmd_ready_o(c2h_cmd_ready), .c2h_cmd_i(c2h_cmd),
    .c2h_done_valid_o(c2h_done_valid), .c2h_done_o(c2h_done),
    .p2p_cmd_valid_i(p2p_cmd_valid), .p2p_cmd_ready_o(p2p_cmd_ready), .p2p_cmd_i(p2p_cmd),
    .p2p_done_valid_o(p2p_done_valid), .p2p_done_o(p2p_done),
    .c2h_valid_i(c2h_valid), .c2h_ready_o(c2h_ready), .c2h_data_i(c2h_data), .c2h_keep_i(c2h_keep), .c2h_last_i(c2h_last),
    .p2p_valid_i(p2p_valid), .p2p_ready_o(p2p_ready), .p2p_data_i(p2p_data), .p2p_keep_i(p2p_keep), .p2p_last_i(p2p_last),
    .h2c_valid_o(h2c_valid), .h2c_ready_i(h2c_ready), .h2c_data_o(h2c_data), .h2c_keep_o(h2c_keep), .h2c_last_o(h2c_last), .h2c_error_o(h2c_error),
    .win_valid_o(win_valid), .win_ready_i(win_ready), .win_data_o(win_data), .win_keep_o(win_keep), .win_last_o(win_last), .win_error_o(win_error),
    .user_valid_o(reg_valid), .user_write_o(reg_write), .user_addr_o(reg_addr),
    .user_wdata_o(reg_wdata), .user_wstrb_o(reg_wstrb), .user_ready_i(reg_ready),
    .user_error_i(reg_error), .user_rdata_i(reg_rdata), .user_irq_i(irq)
  );

endmodule
