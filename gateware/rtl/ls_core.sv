// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine: two host channels, card to card both ways, registers and interrupts, between the
// internal TLP interface on one side and streams on the other. It knows no vendor; a shim does.
//
// The TLP interface has five streams: `tx` posted writes with their data, `rq` read requests, which
// have none, `cpl` our completions, a beat each, `rx_req` requests for our BARs, `rx_cpl`
// completions for us. `cpl` is apart so that a register read can be answered while a write is held
// back; who joins it with others must let it go first.
module ls_core
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Tags       = 32,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned MaxRequest = 512,
  parameter int unsigned BufBytes   = 16384,  // completions of host to card
  parameter int unsigned Batch      = (Width == 64) ? 16 : 32,  // descriptors fetched at once
  parameter int unsigned Fetches    = (Width <= 128) ? 4 : Width / 32,  // of them out, a channel
  parameter int unsigned WindowBits = 20,     // size of the card-to-card BAR, 2**WindowBits bytes
  parameter int unsigned WindowBuf  = 4096,   // bytes buffered behind it
  parameter int unsigned Vectors    = 4,
  parameter int unsigned AnswerTime = 1024,   // cycles a register access may take
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,

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

  // host to card
  input  logic               h2c_cmd_valid_i,
  output logic               h2c_cmd_ready_o,
  input  dma_cmd_t           h2c_cmd_i,
  output logic               h2c_done_valid_o,
  output dma_done_t          h2c_done_o,
  output logic               h2c_valid_o,
  input  logic               h2c_ready_i,
  output logic [Width-1:0]   h2c_data_o,
  output logic [Bytes-1:0]   h2c_keep_o,
  output logic               h2c_last_o,
  output logic               h2c_error_o,

  // card to host
  input  logic               c2h_cmd_valid_i,
  output logic               c2h_cmd_ready_o,
  input  dma_cmd_t           c2h_cmd_i,
  output logic               c2h_done_valid_o,
  output dma_done_t          c2h_done_o,
  input  logic               c2h_valid_i,
  output logic               c2h_ready_o,
  input  logic [Width-1:0]   c2h_data_i,
  input  logic [Bytes-1:0]   c2h_keep_i,
  input  logic               c2h_last_i,

  // card to card: sending
  input  logic               p2p_cmd_valid_i,
  output logic               p2p_cmd_ready_o,
  input  dma_cmd_t           p2p_cmd_i,
  output logic               p2p_done_valid_o,
  output dma_done_t          p2p_done_o,
  input  logic               p2p_valid_i,
  output logic               p2p_ready_o,
  input  logic [Width-1:0]   p2p_data_i,
  input  logic [Bytes-1:0]   p2p_keep_i,
  input  logic               p2p_last_i,

  // card to card: receiving
  output logic               win_valid_o,
  input  logic               win_ready_i,
  output logic [Width-1:0]   win_data_o,
  output logic [Bytes-1:0]   win_keep_o,
  output logic               win_last_o,
  output logic               win_error_o,

  // registers and interrupts of the user's design
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

  localparam int unsigned Faults = 12;

  if (Tags + 2 * Fetches > 256) begin : gen_check_tags
    $error("%m: Tags above 256 - 2 * Fetches leave too few to fetch descriptors with");
  end
  if (WindowBits < 12 || WindowBits > 40) begin : gen_check_window
    $error("%m: WindowBits must be 12 to 40");
  end

  ch_cfg_t            cfg [3];
  ch_stat_t           stat [3];
  logic [2:0]         clear;
  logic [2:0][3:0]    use_sel;
  logic [1:0]         push, push_hold, push_low, push_high;
  logic               push_busy;
  logic [Faults-1:0]  fault;
  logic               tick;

  // ---- tags ----------------------------------------------------------------------------------
  // The two fetchers have the last ones of those that the host allows, in turns; one each where it
  // allows 32. That changes only while nothing is out; changing it under traffic is not allowed to the
  // host either.
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches);
  localparam int unsigned FetchTags = 256 - 2 * Fetches;   // from there on
  logic       few_q, retag, rd_idle;
  logic [1:0] ask_quiet;
  assign retag = rd_idle && (&ask_quiet) && few_q == set_i.ext_tag;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)    few_q <= 1'b1;
    else if (retag) few_q <= !few_q;
  end

  // ---- completions find their way by tag ---------------------------------------------------
  logic [1:0] cpl_dst, cpl_dst_q;   // 0 data, 1 descriptors of host to card, 2 of card to host, 3 none
  always_comb begin
    cpl_dst = cpl_dst_q;
    if (rx_cpl_sop_i) begin
      if (few_q ? rx_cpl_hdr_i.tag[7:1] == 7'd15 : 32'(rx_cpl_hdr_i.tag) >= FetchTags)
                                             cpl_dst = rx_cpl_hdr_i.tag[0] ? 2'd2 : 2'd1;
      else if (32'(rx_cpl_hdr_i.tag) < Tags) cpl_dst = 2'd0;
      else                                   cpl_dst = 2'd3;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)             cpl_dst_q <= '0;
    else if (rx_cpl_valid_i) cpl_dst_q <= cpl_dst;
  end
  assign fault[1] = rx_cpl_valid_i && rx_cpl_sop_i && cpl_dst == 2'd3;

  // Descriptors are in no hurry: theirs pass a register, and what matters of the header is known
  // behind it.
  logic [1:0]       desc_valid_q;
  logic             desc_sop_q, desc_eop_q, desc_broken_q, desc_bad_q, desc_last_q;
  logic [10:0]      desc_len_q, desc_left_q;
  logic [OutBits-1:0] desc_id_q;
  logic [Width-1:0] desc_data_q;
  always_ff @(posedge clk_i) begin
    desc_valid_q <= (rst_ni && rx_cpl_valid_i) ? {cpl_dst == 2'd2, cpl_dst == 2'd1} : '0;
    desc_sop_q   <= rx_cpl_sop_i;
    desc_eop_q   <= rx_cpl_eop_i;
    desc_broken_q <= rx_cpl_eop_i && rx_cpl_hdr_i.ep;
    desc_data_q  <= rx_cpl_data_i;
    if (rx_cpl_valid_i && rx_cpl_sop_i) begin
      desc_id_q   <= (few_q || Fetches == 1) ? '0 : ~rx_cpl_hdr_i.tag[1+:OutBits];
      desc_len_q  <= rx_cpl_hdr_i.len_dw;
      desc_left_q <= rx_cpl_hdr_i.byte_count[12:2];
      desc_bad_q  <= rx_cpl_hdr_i.kind != TlpCplD || rx_cpl_hdr_i.status != CplSc || rx_cpl_hdr_i.ep
                  || rx_cpl_hdr_i.byte_count[1:0] != '0;
      desc_last_q <= rx_cpl_hdr_i.byte_count <= {rx_cpl_hdr_i.len_dw, 2'b00}
                  || rx_cpl_hdr_i.kind != TlpCplD || rx_cpl_hdr_i.status != CplSc;
    end
  end

  // ---- the way out ---------------------------------------------------------------------------
  // Messages, card to host, card to card.
  localparam int unsigned Sources = 3;
  logic     [Sources-1:0]            tx_valid, tx_ready, tx_sop, tx_eop, may_valid, may_ready, tx_drop;
  tlp_hdr_t [Sources-1:0]            tx_hdr;
  logic     [Sources-1:0][Width-1:0] tx_data;

  ls_tx_mux #(.Width(Width), .N(Sources), .First(1'b0)) u_tx (
    .clk_i, .rst_ni, .valid_i(may_valid), .ready_o(may_ready), .sop_i(tx_sop), .eop_i(tx_eop),
    .hdr_i(tx_hdr), .data_i(tx_data), .valid_o(tx_valid_o), .ready_i(tx_ready_i),
    .sop_o(tx_sop_o), .eop_o(tx_eop_o), .hdr_o(tx_hdr_o), .data_o(tx_data_o)
  );

  logic [1:0]     rq_valid, rq_ready, rq_may_valid, rq_may_ready, rq_drop;
  tlp_hdr_t [1:0] rq_hdr;
  logic [1:0]     irq;
  ls_rq_mux #(.N(2)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_may_valid), .ready_o(rq_may_ready), .hdr_i(rq_hdr),
    .valid_o(rq_valid_o), .ready_i(rq_ready_i), .hdr_o(rq_hdr_o)
  );

  // While bus mastering is off no request leaves, and what an aborted channel wants to send is dropped.
  for (genvar i = 0; i < Sources; i++) begin : gen_hold_tx
    ls_hold u_hold (
      .clk_i, .rst_ni, .hold_i(!set_i.master), .drop_i(tx_drop[i]), .valid_i(tx_valid[i]),
      .ready_o(tx_ready[i]), .eop_i(tx_eop[i]), .valid_o(may_valid[i]), .ready_i(may_ready[i])
    );
  end
  for (genvar i = 0; i < 2; i++) begin : gen_hold_rq
    ls_hold u_hold (
      .clk_i, .rst_ni, .hold_i(!set_i.master), .drop_i(rq_drop[i]), .valid_i(rq_valid[i]),
      .ready_o(rq_ready[i]), .eop_i(1'b1), .valid_o(rq_may_valid[i]), .ready_i(rq_may_ready[i])
    );
  end
  logic [2:0] msg_who;
  assign tx_drop = {cfg[2].stop, cfg[1].stop, (msg_who[1:0] & {cfg[1].stop, cfg[0].stop}) != '0};
  assign rq_drop = {rq_hdr[1].tag[0] ? cfg[1].stop : cfg[0].stop, cfg[0].stop};

  // ---- what software wrote, and who reads it ---------------------------------------------------
  localparam int unsigned VBits = $clog2(Vectors);
  logic               ram_we_lo, ram_we_hi, ram_clear, mask_we, irq_valid, irq_sent;
  logic [5:0]         ram_at, msg_at, fetch_at;
  logic [63:0]        ram_data, msg_data, fetch_data, reg_wdata;
  logic [VBits-1:0]   mask_at, irq_vector;
  logic [Vectors-1:0] irq_vec, mask, pending;
  logic [1:0]         rec_valid, rec_sent, rec_gone, ask_valid, ask_ready, ask_sent;
  logic [1:0][127:0]  rec_data;
  logic [1:0][15:0]   rec_slot, ask_slot;
  logic [1:0][8:0]    ask_count;
  logic [1:0][OutBits-1:0] ask_id;
  logic [Width-1:0]   desc_data;

  ls_reg_ram u_ram (
    .clk_i, .we_lo_i(ram_we_lo || ram_clear), .we_hi_i(ram_we_hi || ram_clear), .at_i(ram_at),
    .wdata_i(ram_clear ? '0 : reg_wdata),
    .rdata_o(ram_data), .msg_at_i(msg_at), .msg_data_o(msg_data), .fetch_at_i(fetch_at),
    .fetch_data_o(fetch_data)
  );

  // A record of an aborted channel does not wait for one that is held back; the one that is, if it is
  // the channel's own, is dropped on its way. None of them raises an interrupt.
  assign rec_gone[0] = rec_valid[0] && cfg[0].stop && !set_i.master && !msg_who[0];
  assign rec_gone[1] = rec_valid[1] && cfg[1].stop && !set_i.master && !msg_who[1];
  ls_messages #(.Width(Width), .Vectors(Vectors)) u_messages (
    .clk_i, .rst_ni, .rec_valid_i(rec_valid & ~rec_gone), .rec_sent_o(rec_sent), .rec_data_i(rec_data),
    .rec_slot_i(rec_slot), .irq_valid_i(irq_valid), .irq_sent_o(irq_sent),
    .irq_vector_i(irq_vector), .ram_at_o(msg_at), .ram_data_i(msg_data),
    .who_o(msg_who), .tx_valid_o(tx_valid[0]), .tx_ready_i(tx_ready[0]), .tx_sop_o(tx_sop[0]),
    .tx_eop_o(tx_eop[0]), .tx_hdr_o(tx_hdr[0]), .tx_data_o(tx_data[0])
  );

  ls_fetch #(.Width(Width), .Fetches(Fetches)) u_fetch (
    .clk_i, .rst_ni, .few_i(few_q), .ask_valid_i(ask_valid), .ask_ready_o(ask_ready),
    .ask_sent_o(ask_sent), .ask_slot_i(ask_slot),
    .ask_count_i(ask_count), .ask_id_i(ask_id), .push_i(push), .push_busy_o(push_busy), .push_hold_o(push_hold),
    .quiet_i(ask_quiet), .push_low_o(push_low), .push_high_o(push_high),
    .ram_at_o(fetch_at), .ram_data_i(fetch_data),
    .rx_valid_i(desc_valid_q != '0), .rx_data_i(desc_data_q),
    .data_o(desc_data), .rq_valid_o(rq_valid[1]), .rq_ready_i(rq_ready[1]), .rq_hdr_o(rq_hdr[1])
  );

  // ---- host to card --------------------------------------------------------------------------
  logic      rd_valid, rd_ready, rd_done_valid, rd_done_ready, rd_unused;
  dma_cmd_t  rd_cmd;
  use_e      rd_use;
  dma_done_t rd_done;

  ls_channel #(.Width(Width), .Batch(Batch), .Fetches(Fetches)) u_h2c (
    .clk_i, .rst_ni, .cfg_i(cfg[0]), .stat_o(stat[0]), .clear_i(clear[0]), .use_sel_i(use_sel[0]),
    .mrrs_i(set_i.mrrs), .tick_i(tick), .few_i(few_q), .push_hold_i(push_hold[0]),
    .push_low_i(push_low[0]), .push_high_i(push_high[0]), .push_fail_o(fault[7]),
    .fetch_fail_o(fault[2]), .irq_o(irq[0]),
    .fab_valid_i(h2c_cmd_valid_i), .fab_ready_o(h2c_cmd_ready_o), .fab_cmd_i(h2c_cmd_i),
    .fab_done_valid_o(h2c_done_valid_o), .fab_done_o(h2c_done_o),
    .ask_valid_o(ask_valid[0]), .ask_ready_i(ask_ready[0]), .ask_sent_i(ask_sent[0]), .ask_slot_o(ask_slot[0]),
    .ask_count_o(ask_count[0]), .ask_id_o(ask_id[0]), .ask_quiet_o(ask_quiet[0]),
    .rx_valid_i(desc_valid_q[0]), .rx_sop_i(desc_sop_q), .rx_eop_i(desc_eop_q),
    .rx_id_i(desc_id_q), .rx_len_i(desc_len_q), .rx_left_i(desc_left_q), .rx_bad_i(desc_bad_q), .rx_broken_i(desc_broken_q), .rx_last_i(desc_last_q), .rx_data_i(desc_data),
    .rec_valid_o(rec_valid[0]), .rec_sent_i(rec_sent[0] && may_valid[0]),
    .rec_gone_i(rec_gone[0] || (rec_sent[0] && !may_valid[0])), .rec_data_o(rec_data[0]),
    .rec_slot_o(rec_slot[0]),
    .eng_valid_o(rd_valid), .eng_ready_i(rd_ready), .eng_cmd_o(rd_cmd), .eng_idle_i(rd_idle),
    .eng_use_i(rd_use), .eng_done_valid_i(rd_done_valid), .eng_done_ready_o(rd_done_ready),
    .eng_done_room_o(rd_unused), .eng_done_i(rd_done)
  );

  ls_read_engine #(
    .Width(Width), .Tags(Tags), .MaxRequest(MaxRequest), .BufBytes(BufBytes)
  ) u_read (
    .clk_i, .rst_ni, .mrrs_i(set_i.mrrs), .attr_i(cfg[0].attr), .few_i(few_q), .retag_i(retag), .tick_i(tick), .abort_i(cfg[0].stop),
    .idle_o(rd_idle), .use_o(rd_use), .stray_o(fault[0]),
    .cmd_valid_i(rd_valid), .cmd_ready_o(rd_ready), .cmd_i(rd_cmd),
    .rq_valid_o(rq_valid[0]), .rq_ready_i(rq_ready[0]), .rq_hdr_o(rq_hdr[0]),
    .rx_valid_i(rx_cpl_valid_i && cpl_dst == 2'd0), .rx_sop_i(rx_cpl_sop_i),
    .rx_eop_i(rx_cpl_eop_i), .rx_hdr_i(rx_cpl_hdr_i), .rx_data_i(rx_cpl_data_i),
    .m_valid_o(h2c_valid_o), .m_ready_i(h2c_ready_i), .m_data_o(h2c_data_o),
    .m_keep_o(h2c_keep_o), .m_last_o(h2c_last_o), .m_error_o(h2c_error_o),
    .done_valid_o(rd_done_valid), .done_ready_i(rd_done_ready), .done_o(rd_done)
  );

  // ---- card to host --------------------------------------------------------------------------
  logic      wr_valid, wr_ready, wr_idle, wr_done_valid, wr_done_room, wr_unused;
  dma_cmd_t  wr_cmd;
  use_e      wr_use;
  dma_done_t wr_done, wr_told, pp_told;

  ls_channel #(.Width(Width), .Batch(Batch), .Fetches(Fetches)) u_c2h (
    .clk_i, .rst_ni, .cfg_i(cfg[1]), .stat_o(stat[1]), .clear_i(clear[1]), .use_sel_i(use_sel[1]),
    .mrrs_i(set_i.mrrs), .tick_i(tick), .few_i(few_q), .push_hold_i(push_hold[1]),
    .push_low_i(push_low[1]), .push_high_i(push_high[1]), .push_fail_o(fault[8]),
    .fetch_fail_o(fault[3]), .irq_o(irq[1]),
    .fab_valid_i(c2h_cmd_valid_i), .fab_ready_o(c2h_cmd_ready_o), .fab_cmd_i(c2h_cmd_i),
    .fab_done_valid_o(c2h_done_valid_o), .fab_done_o(c2h_done_o),
    .ask_valid_o(ask_valid[1]), .ask_ready_i(ask_ready[1]), .ask_sent_i(ask_sent[1]), .ask_slot_o(ask_slot[1]),
    .ask_count_o(ask_count[1]), .ask_id_o(ask_id[1]), .ask_quiet_o(ask_quiet[1]),
    .rx_valid_i(desc_valid_q[1]), .rx_sop_i(desc_sop_q), .rx_eop_i(desc_eop_q),
    .rx_id_i(desc_id_q), .rx_len_i(desc_len_q), .rx_left_i(desc_left_q), .rx_bad_i(desc_bad_q), .rx_broken_i(desc_broken_q), .rx_last_i(desc_last_q), .rx_data_i(desc_data),
    .rec_valid_o(rec_valid[1]), .rec_sent_i(rec_sent[1] && may_valid[0]),
    .rec_gone_i(rec_gone[1] || (rec_sent[1] && !may_valid[0])), .rec_data_o(rec_data[1]),
    .rec_slot_o(rec_slot[1]),
    .eng_valid_o(wr_valid), .eng_ready_i(wr_ready), .eng_cmd_o(wr_cmd), .eng_idle_i(wr_idle),
    .eng_use_i(wr_use), .eng_done_valid_i(wr_done_valid), .eng_done_ready_o(wr_unused),
    .eng_done_room_o(wr_done_room), .eng_done_i(wr_told)
  );

  // A command whose last TLP was dropped with bus mastering off is not done.
  function automatic dma_done_t told(input dma_done_t done, input logic gone);
    told = done;
    if (gone && done.cause == CauseNone) begin
      told.cause   = CauseAbort;
      told.regular = 1'b0;
    end
  endfunction
  assign wr_told = told(wr_done, tx_valid[1] && !may_valid[1]);

  ls_write_engine #(.Width(Width), .MaxPayload(MaxPayload)) u_write (
    .clk_i, .rst_ni, .mps_i(set_i.mps), .attr_i(cfg[1].attr), .abort_i(cfg[1].stop),
    .idle_o(wr_idle), .use_o(wr_use),
    .cmd_valid_i(wr_valid), .cmd_ready_o(wr_ready), .cmd_i(wr_cmd),
    .s_valid_i(c2h_valid_i), .s_ready_o(c2h_ready_o), .s_data_i(c2h_data_i),
    .s_keep_i(c2h_keep_i), .s_last_i(c2h_last_i),
    .tx_valid_o(tx_valid[1]), .tx_ready_i(tx_ready[1]), .tx_sop_o(tx_sop[1]),
    .tx_eop_o(tx_eop[1]), .tx_hdr_o(tx_hdr[1]), .tx_data_o(tx_data[1]),
    .done_valid_o(wr_done_valid), .done_o(wr_done), .done_room_i(wr_done_room)
  );

  // ---- card to card --------------------------------------------------------------------------
  logic     pp_idle;
  use_e     pp_use;
  dma_cmd_t pp_cmd;
  cause_e   pp_cause_q;
  logic [31:0] pp_done_q;

  always_comb begin
    pp_cmd        = p2p_cmd_i;
    pp_cmd.fabric = 1'b1;
    pp_cmd.bad    = p2p_cmd_i.len == '0;
  end

  ls_write_engine #(
    .Width(Width), .MaxPayload(MaxPayload), .EofBit(WindowBits - 1)
  ) u_p2p (
    .clk_i, .rst_ni, .mps_i(set_i.mps), .attr_i(cfg[2].attr), .abort_i(cfg[2].stop),
    .idle_o(pp_idle), .use_o(pp_use),
    .cmd_valid_i(p2p_cmd_valid_i), .cmd_ready_o(p2p_cmd_ready_o), .cmd_i(pp_cmd),
    .s_valid_i(p2p_valid_i), .s_ready_o(p2p_ready_o), .s_data_i(p2p_data_i),
    .s_keep_i(p2p_keep_i), .s_last_i(p2p_last_i),
    .tx_valid_o(tx_valid[2]), .tx_ready_i(tx_ready[2]), .tx_sop_o(tx_sop[2]),
    .tx_eop_o(tx_eop[2]), .tx_hdr_o(tx_hdr[2]), .tx_data_o(tx_data[2]),
    .done_valid_o(p2p_done_valid_o), .done_o(pp_told), .done_room_i(1'b1)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pp_cause_q <= CauseNone;
      pp_done_q  <= '0;
    end else begin
      if (clear[2])                                            pp_cause_q <= CauseNone;
      else if (p2p_done_valid_o && pp_cause_q == CauseNone)    pp_cause_q <= p2p_done_o.cause;
      if (p2p_done_valid_o) pp_done_q <= pp_done_q + 1'b1;
    end
  end
  assign p2p_done_o      = told(pp_told, tx_valid[2] && !may_valid[2]);
  assign stat[2].busy    = !pp_idle;
  assign stat[2].cause   = pp_cause_q;
  assign stat[2].fetched = '0;
  assign stat[2].done    = pp_done_q;
  ls_uses u_pp_uses (
    .clk_i, .rst_ni, .clear_i(clear[2]), .use_i(pp_use), .sel_i(use_sel[2]),
    .count_o(stat[2].uses), .span_o(stat[2].span)
  );

  // ---- requests for our BARs -----------------------------------------------------------------
  logic to_win, to_win_q, pio_ready, win_ready;
  assign to_win = rx_req_sop_i ? (rx_req_hdr_i.bar == 3'd2 && rx_req_hdr_i.kind == TlpMemWr) : to_win_q;
  assign rx_req_ready_o = to_win ? win_ready : pio_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                               to_win_q <= 1'b0;
    else if (rx_req_valid_i && rx_req_ready_o) to_win_q <= to_win;
  end

  ls_p2p_window #(.Width(Width), .BufBytes(WindowBuf), .EofBit(WindowBits - 1)) u_window (
    .clk_i, .rst_ni, .rx_valid_i(rx_req_valid_i && to_win), .rx_ready_o(win_ready),
    .rx_sop_i(rx_req_sop_i), .rx_eop_i(rx_req_eop_i), .rx_hdr_i(rx_req_hdr_i),
    .rx_data_i(rx_req_data_i),
    .m_valid_o(win_valid_o), .m_ready_i(win_ready_i), .m_data_o(win_data_o),
    .m_keep_o(win_keep_o), .m_last_o(win_last_o), .m_error_o(win_error_o)
  );

  logic        reg_valid, reg_write, reg_ready, reg_error;
  logic [15:0] reg_addr;
  logic [63:0] reg_rdata;
  logic [7:0]  reg_wstrb;
  logic [Width-1:0] cpl_data;

  ls_pio #(.Width(Width), .AddrBits(16)) u_pio (
    .clk_i, .rst_ni, .rx_valid_i(rx_req_valid_i && !to_win), .rx_ready_o(pio_ready),
    .rx_sop_i(rx_req_sop_i), .rx_eop_i(rx_req_eop_i), .rx_hdr_i(rx_req_hdr_i),
    .rx_data_i(rx_req_data_i),
    .reg_valid_o(reg_valid), .reg_write_o(reg_write), .reg_addr_o(reg_addr),
    .reg_wdata_o(reg_wdata), .reg_wstrb_o(reg_wstrb), .reg_ready_i(reg_ready),
    .reg_error_i(reg_error), .reg_rdata_i(reg_rdata),
    .tx_valid_o(cpl_valid_o), .tx_ready_i(cpl_ready_i), .tx_hdr_o(cpl_hdr_o),
    .tx_data_o(cpl_data),
    .fault_answer_o(fault[4]), .fault_request_o(fault[5]), .fault_poison_o(fault[6])
  );
  assign cpl_data_o  = cpl_data[63:0];

  // ---- registers -----------------------------------------------------------------------------
  logic        at_csr, at_user, csr_ready, csr_error, user_ready, user_error;
  logic [63:0] csr_rdata;

  assign at_csr  = reg_addr[15:13] == 3'h0;
  assign at_user = reg_addr[15];
  assign reg_ready = at_csr ? csr_ready : at_user ? user_ready : 1'b1;
  assign reg_error = at_csr ? csr_error : at_user ? user_error : 1'b1;
  assign reg_rdata = at_user ? user_rdata_i : csr_rdata;

  ls_csr #(.Width(Width), .Tags(Tags), .Faults(Faults), .Vectors(Vectors)) u_csr (
    .clk_i, .rst_ni, .reg_valid_i(reg_valid && at_csr), .reg_ready_o(csr_ready),
    .reg_write_i(reg_write), .reg_addr_i(reg_addr[12:0]), .reg_wdata_i(reg_wdata),
    .reg_wstrb_i(reg_wstrb), .reg_rdata_o(csr_rdata), .reg_error_o(csr_error),
    .fault_i(fault), .tick_o(tick), .cfg_o(cfg), .stat_i(stat), .clear_o(clear),
    .use_sel_o(use_sel), .push_o(push), .push_busy_i(push_busy), .ram_we_lo_o(ram_we_lo),
    .ram_we_hi_o(ram_we_hi), .ram_clear_o(ram_clear), .ram_at_o(ram_at), .ram_data_i(ram_data), .mask_we_o(mask_we),
    .mask_at_o(mask_at), .mask_i(mask), .pending_i(pending)
  );
  assign fault[11:9] = '0;

  ls_reg_guard #(.Cycles(AnswerTime)) u_guard (
    .clk_i, .rst_ni, .valid_i(reg_valid && at_user), .ready_o(user_ready), .error_o(user_error),
    .valid_o(user_valid_o), .ready_i(user_ready_i), .error_i(user_error_i)
  );
  assign user_write_o = reg_write;
  assign user_addr_o  = reg_addr[14:0];
  assign user_wdata_o = reg_wdata;
  assign user_wstrb_o = reg_wstrb;

  logic unused;
  assign unused = ^{rd_unused, wr_unused, cpl_data, msg_who[2]};

  // ---- interrupts ----------------------------------------------------------------------------
  always_comb begin
    irq_vec = user_irq_i;
    if (irq[0]) irq_vec[cfg[0].vector] = 1'b1;
    if (irq[1]) irq_vec[cfg[1].vector] = 1'b1;
  end
  ls_msix #(.Vectors(Vectors)) u_msix (
    .clk_i, .rst_ni, .enable_i(set_i.msix && set_i.master), .irq_i(irq_vec),
    .mask_we_i(mask_we), .mask_at_i(mask_at), .mask_i(reg_wdata[32]), .mask_o(mask),
    .pending_o(pending), .irq_valid_o(irq_valid), .irq_sent_i(irq_sent),
    .irq_vector_o(irq_vector)
  );

endmodule
