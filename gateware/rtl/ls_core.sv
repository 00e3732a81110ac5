// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine: 1 to 8 channels from host to card and as many back, card to card both ways, registers and interrupts, between the
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

  // host to card: channel 0 lowest, and so card to host
  input  logic [H2c-1:0]     h2c_cmd_valid_i,
  output logic [H2c-1:0]     h2c_cmd_ready_o,
  input  dma_cmd_t [H2c-1:0] h2c_cmd_i,
  output logic [H2c-1:0]     h2c_done_valid_o,
  output dma_done_t [H2c-1:0] h2c_done_o,
  output logic [H2c-1:0]     h2c_valid_o,
  input  logic [H2c-1:0]     h2c_ready_i,
  output logic [H2c-1:0][Width-1:0] h2c_data_o,
  output logic [H2c-1:0][Bytes-1:0] h2c_keep_o,
  output logic [H2c-1:0]     h2c_last_o,
  output logic [H2c-1:0]     h2c_error_o,

  // card to host
  input  logic [C2h-1:0]     c2h_cmd_valid_i,
  output logic [C2h-1:0]     c2h_cmd_ready_o,
  input  dma_cmd_t [C2h-1:0] c2h_cmd_i,
  output logic [C2h-1:0]     c2h_done_valid_o,
  output dma_done_t [C2h-1:0] c2h_done_o,
  input  logic [C2h-1:0]     c2h_valid_i,
  output logic [C2h-1:0]     c2h_ready_o,
  input  logic [C2h-1:0][Width-1:0] c2h_data_i,
  input  logic [C2h-1:0][Bytes-1:0] c2h_keep_i,
  input  logic [C2h-1:0]     c2h_last_i,

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

  // card memory, with `Mm`: writes of channel i from host to card, and reads of i from card to host
  input  mm_in_t [Mms-1:0]    mm_i = '0,
  input  logic [C2h-1:0][Width-1:0] mm_rdata_i = '0,
  output mm_out_t [Mms-1:0]   mm_o,
  output logic [H2c-1:0][Width-1:0] mm_wdata_o,
  output logic [H2c-1:0][Bytes-1:0] mm_wstrb_o,

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

  // Rings are numbered: those of host to card, then those of card to host. Every channel of reads has
  // as many tags and as much of the buffer; where it is not a power of two of them, some are not used.
  localparam int unsigned Rings    = H2c + C2h;
  localparam int unsigned RingBits = $clog2(Rings);
  localparam int unsigned ChBits   = $clog2(H2c);
  localparam int unsigned Own      = Tags >> ChBits;
  localparam int unsigned OutBits  = (Fetches == 1) ? 1 : $clog2(Fetches);
  localparam int unsigned VBits    = $clog2(Vectors);
  localparam int unsigned Groups   = $clog2((H2c > C2h) ? H2c : C2h);   // of ls_reg_ram
  localparam int unsigned AtBits   = 5 + ((4 << Groups < Vectors) ? VBits - 2 : Groups);

  if (H2c < 1 || H2c > 8 || C2h < 1 || C2h > 8) begin : gen_check_channels
    $error("%m: H2c and C2h must be 1 to 8");
  end
  if (Tags + (Fetches << RingBits) > 256) begin : gen_check_tags
    $error("%m: Tags leave too few of 256 to fetch descriptors with: Fetches for each channel, rounded up to a power of two");
  end
  if (Tags < 1 << ChBits) begin : gen_check_few
    $error("%m: Tags must be one for each channel at least");
  end
  if (AnswerTime < 1) begin : gen_check_answer
    $error("%m: AnswerTime must be at least 1");
  end
  if (WindowBits < 12 || WindowBits > 40) begin : gen_check_window
    $error("%m: WindowBits must be 12 to 40");
  end

  ch_cfg_t             cfg [Rings+1];     // the last is card to card
  ch_stat_t            stat [Rings+1];
  logic [Rings:0]      clear, stop;
  logic [Rings:0][3:0] use_sel;
  logic [Faults-1:0]   fault;
  logic                tick;
  for (genvar r = 0; r <= Rings; r++) begin : gen_stop
    assign stop[r] = cfg[r].stop;
  end

  // ---- tags: those of fetches change only while nothing is out; changing it under traffic is not
  // allowed to the host either ---------------------------------------------------------------------
  logic             few_q, retag;
  logic [H2c-1:0]   rd_idle;
  logic [Rings-1:0] ask_quiet;
  assign retag = (&rd_idle) && (&ask_quiet) && few_q == set_i.ext_tag;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)    few_q <= 1'b1;
    else if (retag) few_q <= !few_q;
  end

  logic [H2c-1:0]   cpl_valid, cpl_stray;
  logic [7:0]       cpl_tag;
  tlp_hdr_t         cpl_hdr;
  logic [Rings-1:0] desc_valid;
  desc_beat_t       desc;
  logic [Width-1:0] desc_raw, desc_data;
  ls_cpl_route #(.Width(Width), .Own(Own), .H2c(H2c), .Rings(Rings), .Fetches(Fetches)) u_route (
    .clk_i, .rst_ni, .few_i(few_q), .rx_valid_i(rx_cpl_valid_i), .rx_sop_i(rx_cpl_sop_i), .rx_eop_i(rx_cpl_eop_i),
    .rx_hdr_i(rx_cpl_hdr_i), .rx_data_i(rx_cpl_data_i), .data_valid_o(cpl_valid), .data_tag_o(cpl_tag),
    .stray_o(fault[1]), .desc_valid_o(desc_valid), .desc_o(desc), .desc_data_o(desc_raw)
  );
  always_comb begin
    cpl_hdr     = rx_cpl_hdr_i;
    cpl_hdr.tag = cpl_tag;
  end

  // ---- the way out: messages, card to host, card to card -------------------------------------------
  localparam int unsigned Sources = C2h + 2;
  localparam int unsigned P2p     = C2h + 1;
  logic     [Sources-1:0]            tx_valid, tx_ready, tx_sop, tx_eop, may_valid, may_ready, tx_drop;
  tlp_hdr_t [Sources-1:0]            tx_hdr;
  logic     [Sources-1:0][Width-1:0] tx_data;
  ls_tx_mux #(.Width(Width), .N(Sources), .First(1'b0)) u_tx (
    .clk_i, .rst_ni, .valid_i(may_valid), .ready_o(may_ready), .sop_i(tx_sop), .eop_i(tx_eop),
    .hdr_i(tx_hdr), .data_i(tx_data), .valid_o(tx_valid_o), .ready_i(tx_ready_i),
    .sop_o(tx_sop_o), .eop_o(tx_eop_o), .hdr_o(tx_hdr_o), .data_o(tx_data_o)
  );

  // Reads of data, then fetches.
  logic [H2c:0]     rq_valid, rq_ready, rq_may_valid, rq_may_ready, rq_drop;
  tlp_hdr_t [H2c:0] rq_hdr;
  ls_rq_mux #(.N(H2c + 1)) u_rq (
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
  for (genvar i = 0; i <= H2c; i++) begin : gen_hold_rq
    ls_hold u_hold (
      .clk_i, .rst_ni, .hold_i(!set_i.master), .drop_i(rq_drop[i]), .valid_i(rq_valid[i]),
      .ready_o(rq_ready[i]), .eop_i(1'b1), .valid_o(rq_may_valid[i]), .ready_i(rq_may_ready[i])
    );
  end
  logic [Rings:0] msg_who;
  logic [2**RingBits-1:0] ring_stop;
  assign ring_stop = (2**RingBits)'(stop[Rings-1:0]);
  // A message is chosen cycles before it is shown.
  logic msg_drop_q;
  always_ff @(posedge clk_i) msg_drop_q <= (msg_who[Rings-1:0] & stop[Rings-1:0]) != '0;
  assign tx_drop = {stop[Rings:H2c], msg_drop_q};
  assign rq_drop = {ring_stop[rq_hdr[H2c].tag[RingBits-1:0]], stop[H2c-1:0]};

  // ---- small writes and fetches of the engine's own -----------------------------------------------
  logic                          mask_we, mask_set, irq_valid, irq_sent, irq_msi, push_busy;
  logic [AtBits-1:0]             msg_at, fetch_at;
  logic                          msg_re, msg_ok, fetch_re, fetch_ok;
  logic [63:0]                   ram_data;
  logic [VBits-1:0]              mask_at, irq_vector;
  logic [Vectors-1:0]            irq_vec, mask, pending;
  logic [Rings-1:0]              rec_valid, rec_sent, rec_gone, ask_valid, ask_ready, ask_sent, irq;
  logic [Rings-1:0]              push, push_hold, push_low, push_high, push_fail, fetch_fail;
  logic [Rings-1:0][127:0]       rec_data;
  logic [Rings-1:0][15:0]        rec_slot, ask_slot;
  logic [Rings-1:0][8:0]         ask_count;
  logic [Rings-1:0][OutBits-1:0] ask_id;

  // A record of an aborted channel does not wait for one that is held back; the one that is, if it is
  // the channel's own, is dropped on its way. None of them raises an interrupt.
  assign rec_gone = set_i.master ? '0 : rec_valid & stop[Rings-1:0] & ~msg_who[Rings-1:0];
  ls_messages #(.Width(Width), .Vectors(Vectors), .H2c(H2c), .Rings(Rings), .AtBits(AtBits), .Msi(Msi)) u_messages (
    .clk_i, .rst_ni, .rec_valid_i(rec_valid & ~rec_gone), .rec_sent_o(rec_sent), .rec_data_i(rec_data),
    .rec_slot_i(rec_slot), .irq_valid_i(irq_valid), .irq_sent_o(irq_sent),
    .irq_vector_i(irq_vector), .irq_msi_i(irq_msi), .ram_re_o(msg_re), .ram_ok_i(msg_ok), .ram_at_o(msg_at), .ram_data_i(ram_data),
    .who_o(msg_who), .tx_valid_o(tx_valid[0]), .tx_ready_i(tx_ready[0]), .tx_sop_o(tx_sop[0]),
    .tx_eop_o(tx_eop[0]), .tx_hdr_o(tx_hdr[0]), .tx_data_o(tx_data[0])
  );

  ls_fetch #(.Width(Width), .Fetches(Fetches), .H2c(H2c), .Rings(Rings), .AtBits(AtBits)) u_fetch (
    .clk_i, .rst_ni, .few_i(few_q), .ask_valid_i(ask_valid), .ask_ready_o(ask_ready),
    .ask_sent_o(ask_sent), .ask_slot_i(ask_slot), .ask_count_i(ask_count), .ask_id_i(ask_id),
    .push_i(push), .push_busy_o(push_busy), .push_hold_o(push_hold),
    .quiet_i(ask_quiet), .push_low_o(push_low), .push_high_o(push_high),
    .ram_re_o(fetch_re), .ram_ok_i(fetch_ok), .ram_at_o(fetch_at), .ram_data_i(ram_data),
    .rx_valid_i(desc_valid != '0), .rx_data_i(desc_raw), .data_o(desc_data), .rq_valid_o(rq_valid[H2c]), .rq_ready_i(rq_ready[H2c]), .rq_hdr_o(rq_hdr[H2c])
  );

  // ---- channels: what is the same in both directions ---------------------------------------------
  logic [Rings-1:0]      eng_valid, eng_ready, eng_idle, eng_done_valid, eng_done_ready, eng_done_room;
  dma_cmd_t [Rings-1:0]  eng_cmd, fab_cmd;
  dma_done_t [Rings-1:0] eng_done, fab_done;
  logic [Rings-1:0]      fab_valid, fab_ready, fab_done_valid;
  use_e                  eng_use [Rings];
  assign fab_valid                            = {c2h_cmd_valid_i, h2c_cmd_valid_i};
  assign fab_cmd                              = {c2h_cmd_i, h2c_cmd_i};
  assign {c2h_cmd_ready_o, h2c_cmd_ready_o}   = fab_ready;
  assign {c2h_done_valid_o, h2c_done_valid_o} = fab_done_valid;
  assign {c2h_done_o, h2c_done_o}             = fab_done;

  for (genvar r = 0; r < Rings; r++) begin : gen_channel
    ls_channel #(.Width(Width), .Batch(Batch), .Fetches(Fetches), .Mm(Mm), .Queue(r >= H2c)) u_channel (
      .clk_i, .rst_ni, .cfg_i(cfg[r]), .stat_o(stat[r]), .clear_i(clear[r]), .use_sel_i(use_sel[r]),
      .mrrs_i(set_i.mrrs), .tick_i(tick), .few_i(few_q), .push_hold_i(push_hold[r]),
      .push_low_i(push_low[r]), .push_high_i(push_high[r]), .push_fail_o(push_fail[r]),
      .fetch_fail_o(fetch_fail[r]), .irq_o(irq[r]), .fab_valid_i(fab_valid[r]),
      .fab_ready_o(fab_ready[r]), .fab_cmd_i(fab_cmd[r]), .fab_done_valid_o(fab_done_valid[r]),
      .fab_done_o(fab_done[r]), .ask_valid_o(ask_valid[r]), .ask_ready_i(ask_ready[r]),
      .ask_sent_i(ask_sent[r]), .ask_slot_o(ask_slot[r]), .ask_count_o(ask_count[r]),
      .ask_id_o(ask_id[r]), .ask_quiet_o(ask_quiet[r]), .rx_valid_i(desc_valid[r]), .rx_i(desc),
      .rx_data_i(desc_data), .rec_valid_o(rec_valid[r]), .rec_sent_i(rec_sent[r] && may_valid[0]),
      .rec_gone_i(rec_gone[r] || (rec_sent[r] && !may_valid[0])), .rec_data_o(rec_data[r]),
      .rec_slot_o(rec_slot[r]), .eng_valid_o(eng_valid[r]), .eng_ready_i(eng_ready[r]),
      .eng_cmd_o(eng_cmd[r]), .eng_idle_i(eng_idle[r]), .eng_use_i(eng_use[r]),
      .eng_done_valid_i(eng_done_valid[r]), .eng_done_ready_o(eng_done_ready[r]),
      .eng_done_room_o(eng_done_room[r]), .eng_done_i(eng_done[r])
    );
  end
  assign fault[0] = |cpl_stray;
  assign {fault[3], fault[2]} = {|fetch_fail[Rings-1:H2c], |fetch_fail[H2c-1:0]};
  assign {fault[8], fault[7]} = {|push_fail[Rings-1:H2c], |push_fail[H2c-1:0]};
  assign {fault[11:9], fault[6:4]} = '0;

  // ---- movers: each with its own part of the tags and of the buffer, so that none waits for another --
  mm_out_t [H2c-1:0] mm_wr;
  mm_out_t [C2h-1:0] mm_rd;
  assign mm_o = ($bits(mm_o))'(mm_wr) | ($bits(mm_o))'(mm_rd);    // each drives its own part
  for (genvar c = 0; c < H2c; c++) begin : gen_h2c
    tlp_hdr_t hdr;
    ls_h2c #(
      .Width(Width), .Tags(Own), .Few((32 - (1 << RingBits)) >> ChBits), .MaxRequest(MaxRequest),
      .BufBytes(BufBytes >> ChBits), .Mm(Mm), .BurstBytes(BurstBytes)
    ) u_h2c (
      .clk_i, .rst_ni, .mrrs_i(set_i.mrrs), .attr_i(cfg[c].attr), .few_i(few_q), .retag_i(retag),
      .tick_i(tick), .abort_i(stop[c]), .idle_o(eng_idle[c]), .rd_idle_o(rd_idle[c]), .use_o(eng_use[c]),
      .stray_o(cpl_stray[c]), .cmd_valid_i(eng_valid[c]), .cmd_ready_o(eng_ready[c]), .cmd_i(eng_cmd[c]),
      .done_valid_o(eng_done_valid[c]), .done_ready_i(eng_done_ready[c]), .done_o(eng_done[c]),
      .rq_valid_o(rq_valid[c]), .rq_ready_i(rq_ready[c]), .rq_hdr_o(hdr),
      .rx_valid_i(cpl_valid[c]), .rx_sop_i(rx_cpl_sop_i), .rx_eop_i(rx_cpl_eop_i), .rx_hdr_i(cpl_hdr), .rx_data_i(rx_cpl_data_i),
      .m_valid_o(h2c_valid_o[c]), .m_ready_i(h2c_ready_i[c]), .m_data_o(h2c_data_o[c]),
      .m_keep_o(h2c_keep_o[c]), .m_last_o(h2c_last_o[c]), .m_error_o(h2c_error_o[c]),
      .mm_i(mm_i[c]), .mm_o(mm_wr[c]), .mm_wdata_o(mm_wdata_o[c]), .mm_wstrb_o(mm_wstrb_o[c])
    );
    always_comb begin
      rq_hdr[c]     = hdr;
      rq_hdr[c].tag = 8'(hdr.tag << ChBits) | 8'(c);
    end
  end

  for (genvar c = 0; c < C2h; c++) begin : gen_c2h
    ls_c2h #(.Width(Width), .MaxPayload(MaxPayload), .Mm(Mm), .BurstBytes(BurstBytes)) u_c2h (
      .clk_i, .rst_ni, .mps_i(set_i.mps), .attr_i(cfg[H2c+c].attr), .first_i(cfg[H2c+c].first),
      .abort_i(stop[H2c+c]), .keep_i(cfg[H2c+c].keep),
      .idle_o(eng_idle[H2c+c]), .use_o(eng_use[H2c+c]), .cmd_valid_i(eng_valid[H2c+c]),
      .cmd_ready_o(eng_ready[H2c+c]), .cmd_i(eng_cmd[H2c+c]), .drops_i(tx_valid[1+c] && !may_valid[1+c]),
      .done_valid_o(eng_done_valid[H2c+c]), .done_ready_i(eng_done_ready[H2c+c]),
      .done_room_i(eng_done_room[H2c+c]), .done_o(eng_done[H2c+c]),
      .s_valid_i(c2h_valid_i[c]), .s_ready_o(c2h_ready_o[c]), .s_data_i(c2h_data_i[c]), .s_keep_i(c2h_keep_i[c]),
      .s_last_i(c2h_last_i[c]), .mm_i(mm_i[c]), .mm_rdata_i(mm_rdata_i[c]), .mm_o(mm_rd[c]),
      .tx_valid_o(tx_valid[1+c]), .tx_ready_i(tx_ready[1+c]), .tx_sop_o(tx_sop[1+c]), .tx_eop_o(tx_eop[1+c]),
      .tx_hdr_o(tx_hdr[1+c]), .tx_data_o(tx_data[1+c])
    );
  end

  // ---- card to card --------------------------------------------------------------------------
  ls_p2p_send #(.Width(Width), .MaxPayload(MaxPayload), .EofBit(WindowBits - 1)) u_p2p (
    .clk_i, .rst_ni, .mps_i(set_i.mps), .cfg_i(cfg[Rings]), .stat_o(stat[Rings]), .clear_i(clear[Rings]),
    .use_sel_i(use_sel[Rings]), .cmd_valid_i(p2p_cmd_valid_i), .cmd_ready_o(p2p_cmd_ready_o),
    .cmd_i(p2p_cmd_i), .done_valid_o(p2p_done_valid_o), .done_o(p2p_done_o),
    .drops_i(tx_valid[P2p] && !may_valid[P2p]), .s_valid_i(p2p_valid_i), .s_ready_o(p2p_ready_o),
    .s_data_i(p2p_data_i), .s_keep_i(p2p_keep_i), .s_last_i(p2p_last_i),
    .tx_valid_o(tx_valid[P2p]), .tx_ready_i(tx_ready[P2p]), .tx_sop_o(tx_sop[P2p]),
    .tx_eop_o(tx_eop[P2p]), .tx_hdr_o(tx_hdr[P2p]), .tx_data_o(tx_data[P2p])
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
    .rx_sop_i(rx_req_sop_i), .rx_eop_i(rx_req_eop_i), .rx_hdr_i(rx_req_hdr_i), .rx_data_i(rx_req_data_i),
    .m_valid_o(win_valid_o), .m_ready_i(win_ready_i), .m_data_o(win_data_o),
    .m_keep_o(win_keep_o), .m_last_o(win_last_o), .m_error_o(win_error_o)
  );

  ls_bar0 #(
    .Width(Width), .Tags(Tags), .Vectors(Vectors), .H2c(H2c), .C2h(C2h), .AtBits(AtBits), .AnswerTime(AnswerTime)
  ) u_bar0 (
    .clk_i, .rst_ni, .rx_valid_i(rx_req_valid_i && !to_win), .rx_ready_o(pio_ready),
    .rx_sop_i(rx_req_sop_i), .rx_eop_i(rx_req_eop_i), .rx_hdr_i(rx_req_hdr_i), .rx_data_i(rx_req_data_i),
    .cpl_valid_o, .cpl_ready_i, .cpl_hdr_o, .cpl_data_o, .fault_i(fault), .tick_o(tick), .cfg_o(cfg),
    .stat_i(stat), .clear_o(clear), .use_sel_o(use_sel), .push_o(push), .push_busy_i(push_busy),
    .msg_re_i(msg_re), .msg_ok_o(msg_ok), .msg_at_i(msg_at), .fetch_re_i(fetch_re), .fetch_ok_o(fetch_ok),
    .fetch_at_i(fetch_at), .ram_data_o(ram_data),
    .mask_we_o(mask_we), .mask_at_o(mask_at), .mask_set_o(mask_set), .mask_i(mask), .pending_i(pending),
    .user_valid_o, .user_write_o, .user_addr_o, .user_wdata_o, .user_wstrb_o, .user_ready_i,
    .user_error_i, .user_rdata_i
  );

  logic unused;
  assign unused = ^{eng_done_room, msg_who[Rings], mm_i, mm_rdata_i};

  // ---- interrupts ----------------------------------------------------------------------------
  always_comb begin
    irq_vec = user_irq_i;
    for (int unsigned r = 0; r < Rings; r++) if (irq[r]) irq_vec[VBits'(cfg[r].vector)] = 1'b1;
    if (Msi && msi_i.back) irq_vec[VBits'(msi_i.vector)] = 1'b1;
  end
  msi_t msi;
  assign msi       = (Msi && set_i.master) ? msi_i : '0;
  assign pending_o = pending;
  ls_msix #(.Vectors(Vectors), .Msi(Msi)) u_msix (
    .clk_i, .rst_ni, .enable_i(set_i.msix && set_i.master), .msi_i(msi), .irq_i(irq_vec),
    .mask_we_i(mask_we), .mask_at_i(mask_at), .mask_i(mask_set), .mask_o(mask),
    .pending_o(pending), .irq_valid_o(irq_valid), .irq_sent_i(irq_sent),
    .irq_vector_o(irq_vector), .irq_msi_o(irq_msi)
  );

endmodule
