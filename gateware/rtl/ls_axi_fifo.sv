// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A deep queue of a stream in external memory, behind an AXI4 port: for what a board's DDR can hold and block RAM cannot.
// The host's own buffers stay block RAM, because a drive reads and writes them and waits for the answer; this one stands in
// the stream before the host, where only its rate counts. The stream has whole beats and no marks.
//
// Beats gather in a queue in block RAM and go to memory as INCR bursts that end at multiples of `BurstBytes`, so none crosses
// 4 KiB or the region's end. When no beat has come for `FlushCycles`, what is there goes as a shorter burst: nothing stays
// behind. A burst's data follows its address without waiting until that is taken: a memory may take either first (AXI4
// A3.3.1). A burst is read when its answer (B) has come, because AXI4 orders no read after a write, and its place is written
// again when it has been read. A read is asked for when a queue in block RAM has room for all of it, so R never waits.
//
// What the memory refuses stops the queue: no beat is taken any more, what comes out is right and ends before the first
// beat that is not known to be right, and `wr_bad_o` or `rd_bad_o` say why until the reset. A reset in the midst of a burst
// must reset the memory's side too. One clock; the memory's own is crossed at the interconnect.
module ls_axi_fifo
  import ls_pkg::*;
#(
  parameter int unsigned         Width       = 64,
  parameter int unsigned         SizeLog2    = 20,               // bytes of memory: 2**SizeLog2
  parameter logic [CardBits-1:0] Base        = '0,               // of its first, a multiple of its size
  parameter int unsigned         BurstBytes  = 1024,             // at most 4096, and 256 beats
  parameter int unsigned         InBytes     = 4 * BurstBytes,   // block RAM before the memory and behind it
  parameter int unsigned         OutBytes    = 8 * BurstBytes,
  parameter int unsigned         Bursts      = 16,               // of writes, whose answer is out
  parameter int unsigned         FlushCycles = 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // streams
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  logic [Width-1:0]    s_data_i,
  output logic                m_valid_o,
  input  logic                m_ready_i,
  output logic [Width-1:0]    m_data_o,

  // the memory; every lane is strobed
  input  mm_in_t              mm_i,
  input  logic [Width-1:0]    mm_rdata_i,
  output mm_out_t             mm_o,
  output logic [Width-1:0]    mm_wdata_o,

  // what is known
  input  logic                high_clear_i,
  output logic [SizeLog2:0]   level_o,          // bytes that are here
  output logic [SizeLog2:0]   high_o,           // the most that were, since high_clear_i
  output logic [1:0]          wr_bad_o,         // the first response that was not OKAY; 0: none
  output logic [1:0]          rd_bad_o
);

  localparam int unsigned Bytes     = Width / 8;
  localparam int unsigned Lane      = $clog2(Bytes);
  localparam int unsigned PtrBits   = SizeLog2 - Lane;           // of a beat's place in memory
  localparam int unsigned Beats     = BurstBytes / Bytes;
  localparam int unsigned BeatBits  = $clog2(Beats);
  localparam int unsigned InBits    = $clog2(InBytes / Bytes) + 1;
  localparam int unsigned OutBits   = $clog2(OutBytes / Bytes) + 1;
  localparam int unsigned QuietBits = $clog2(FlushCycles + 1);
  localparam logic [PtrBits:0] Fits = (PtrBits+1)'((64'd1 << PtrBits) - 64'(Beats));

  if (Width < 16 || (Width & (Width - 1)) != 0) begin : gen_width
    $error("%m: Width must be a power of two of at least 16");
  end
  if (BurstBytes > 4096 || Beats < 2 || Beats > 256 || (BurstBytes & (BurstBytes - 1)) != 0) begin : gen_burst
    $error("%m: BurstBytes must be a power of two, at most 4096, of 2 to 256 beats");
  end
  if (InBytes < 2 * BurstBytes || (InBytes & (InBytes - 1)) != 0 || OutBytes < 2 * BurstBytes
      || (OutBytes & (OutBytes - 1)) != 0) begin : gen_queues
    $error("%m: InBytes and OutBytes must be powers of two of at least two bursts");
  end
  if (SizeLog2 > CardBits || (64'd1 << SizeLog2) < 64'(InBytes) + 64'(OutBytes) + 64'(4 * Bytes)) begin : gen_size
    $error("%m: 2**SizeLog2 must be at least the bytes of both queues and four beats, at most 4 GiB");
  end
  if ((64'(Base) & ((64'd1 << SizeLog2) - 64'd1)) != 64'd0) begin : gen_base
    $error("%m: Base must be a multiple of 2**SizeLog2");
  end
  if (FlushCycles < 1) begin : gen_flush
    $error("%m: FlushCycles must be at least 1");
  end

  logic bad;
  assign bad = (wr_bad_o | rd_bad_o) != '0;

  // ---- into memory: beats that are here and in no burst yet, bursts, their data ------------------
  logic               in_ready, in_valid, push, aw_q, aw, shown_q, fresh, quiet, all_here, w_pop;
  logic [InBits-1:0]  have_q;
  logic [BeatBits:0]  aw_end, aw_n_q;          // beats to the burst's end; of the one that is shown
  logic [PtrBits-1:0] wr_q;                    // where the next one begins
  logic [PtrBits:0]   used_q;                  // beats of memory that are written, or shown to be, and not read back
  logic [QuietBits-1:0] quiet_q;
  logic               len_room, len_valid, flag_room, flag_valid;
  logic [BeatBits:0]  len, flag_len;
  logic [7:0]         at_q;
  logic [$clog2(Bursts):0] len_used, flag_used;
  assign s_ready_o = in_ready && !bad;
  assign push      = s_valid_i && s_ready_o;
  ls_fifo_ram #(.Width(Width), .Depth(InBytes / Bytes)) u_in (
    .clk_i, .rst_ni, .valid_i(s_valid_i && !bad), .ready_o(in_ready), .data_i(s_data_i), .valid_o(in_valid), .ready_i(w_pop),
    .data_o(mm_wdata_o)
  );
  assign aw_end   = (BeatBits+1)'(Beats) - (BeatBits+1)'(wr_q[BeatBits-1:0]);
  assign all_here = have_q >= InBits'(aw_end);
  assign quiet    = quiet_q == QuietBits'(FlushCycles) && have_q != '0;
  assign aw       = aw_q && mm_i.aw_ready;
  assign fresh    = aw_q && !shown_q;            // an address is shown, for the first cycle
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q    <= 1'b0;
      shown_q <= 1'b0;
      have_q  <= '0;
      wr_q    <= '0;
      used_q  <= '0;
      quiet_q <= '0;
    end else begin
      if (aw_q) aw_q <= !mm_i.aw_ready;
      else      aw_q <= (all_here || quiet) && used_q <= Fits && len_room && flag_room && !bad;
      shown_q <= aw_q && !mm_i.aw_ready;
      have_q <= have_q + InBits'(push) - (fresh ? InBits'(aw_n_q) : '0);
      used_q <= used_q + (fresh ? (PtrBits+1)'(aw_n_q) : '0) - (PtrBits+1)'(mm_i.r_valid);
      if (aw) wr_q <= wr_q + PtrBits'(aw_n_q);
      if (push)                                      quiet_q <= '0;
      else if (quiet_q != QuietBits'(FlushCycles))   quiet_q <= quiet_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (!aw_q) aw_n_q <= all_here ? aw_end : (BeatBits+1)'(have_q);

  ls_fifo #(.Width(BeatBits + 1), .Depth(Bursts)) u_lens (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fresh), .ready_o(len_room), .data_i(aw_n_q), .valid_o(len_valid),
    .ready_i(w_pop && mm_o.w_last), .data_o(len), .used_o(len_used)
  );
  assign w_pop = mm_o.w_valid && mm_i.w_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)    at_q <= '0;
    else if (w_pop) at_q <= mm_o.w_last ? '0 : at_q + 8'd1;
  end

  // ---- answers: what may be read -----------------------------------------------------------------
  logic               ar_q, ar, b_good;
  logic [PtrBits:0]   avail_q;                 // beats whose answer has come, not asked for
  ls_fifo #(.Width(BeatBits + 1), .Depth(Bursts)) u_flags (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fresh), .ready_o(flag_room), .data_i(aw_n_q), .valid_o(flag_valid),
    .ready_i(mm_i.b_valid), .data_o(flag_len), .used_o(flag_used)
  );
  assign b_good = mm_i.b_valid && flag_valid && mm_i.b_resp == '0 && wr_bad_o == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                                wr_bad_o <= '0;
    else if (mm_i.b_valid && wr_bad_o == '0)    wr_bad_o <= mm_i.b_resp;
  end

  // ---- out of memory -------------------------------------------------------------------------------
  logic [BeatBits:0]  ar_end, ar_n_q;
  logic [PtrBits-1:0] ask_q;                   // where the next burst to be read begins
  logic [OutBits-1:0] room_q;                  // of the queue out, beats that are asked for taken off
  logic               out_ready, pop, r_good;
  assign ar_end = (BeatBits+1)'(Beats) - (BeatBits+1)'(ask_q[BeatBits-1:0]);
  assign ar     = ar_q && mm_i.ar_ready;
  assign pop    = m_valid_o && m_ready_i;
  assign r_good = mm_i.r_valid && mm_i.r_resp == '0 && rd_bad_o == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_q     <= 1'b0;
      avail_q  <= '0;
      ask_q    <= '0;
      room_q   <= OutBits'(OutBytes / Bytes);
      rd_bad_o <= '0;
    end else begin
      if (ar_q) ar_q <= !mm_i.ar_ready;
      else      ar_q <= avail_q != '0 && room_q >= OutBits'(Beats) && rd_bad_o == '0;
      avail_q <= avail_q + (b_good ? (PtrBits+1)'(flag_len) : '0) - (ar ? (PtrBits+1)'(ar_n_q) : '0);
      room_q  <= room_q + OutBits'(pop) - (ar ? OutBits'(ar_n_q) : '0);
      if (ar) ask_q <= ask_q + PtrBits'(ar_n_q);
      if (mm_i.r_valid && rd_bad_o == '0) rd_bad_o <= mm_i.r_resp;
    end
  end
  always_ff @(posedge clk_i) if (!ar_q) ar_n_q <= (avail_q < (PtrBits+1)'(ar_end)) ? (BeatBits+1)'(avail_q) : ar_end;
  ls_fifo_ram #(.Width(Width), .Depth(OutBytes / Bytes)) u_out (
    .clk_i, .rst_ni, .valid_i(r_good), .ready_o(out_ready), .data_i(mm_rdata_i), .valid_o(m_valid_o), .ready_i(m_ready_i),
    .data_o(m_data_o)
  );

  // ---- the port ------------------------------------------------------------------------------------
  always_comb begin
    mm_o          = '0;
    mm_o.aw_valid = aw_q;
    mm_o.aw_addr  = Base | (CardBits'(wr_q) << Lane);
    mm_o.aw_len   = 8'(aw_n_q - 1'b1);
    mm_o.w_valid  = len_valid && in_valid;
    mm_o.w_last   = at_q == 8'(len - 1'b1);
    mm_o.b_ready  = 1'b1;
    mm_o.ar_valid = ar_q;
    mm_o.ar_addr  = Base | (CardBits'(ask_q) << Lane);
    mm_o.ar_len   = 8'(ar_n_q - 1'b1);
    mm_o.r_ready  = 1'b1;
  end

  // ---- how much is here ----------------------------------------------------------------------------
  logic [PtrBits:0] level_q, high_q;
  assign level_o = (SizeLog2+1)'(level_q) << Lane;
  assign high_o  = (SizeLog2+1)'(high_q) << Lane;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      level_q <= '0;
      high_q  <= '0;
    end else begin
      level_q <= level_q + (PtrBits+1)'(push) - (PtrBits+1)'(pop);
      if (high_clear_i || level_q > high_q) high_q <= level_q;
    end
  end

  logic unused;
  assign unused = ^{mm_i.r_last, len_used, flag_used, out_ready};

endmodule
