// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Record and play: the user of ls_nvme_host who fills a region of the drive from a stream, or empties it
// into one, without a processor that gives commands. Recording goes around the region until it is told to
// stop, so that the region always holds the newest data; playing reads it once, a part of it, or without
// end. It stands before the host's command port and has it alone. It is not a file system: where a record
// is and where it begins the user keeps, from `place_o`.
//
// Record. The stream passes through here to a buffer (`b`), of any size and kind, and from there to the host;
// a write is given when all of its blocks have been taken from the stream, so no command waits for data
// that may never come. When told to stop it takes two beats more at most, fills the block that has begun with
// zeros (what is in the buffer cannot be taken back, and the next record begins with a block), gives the
// rest, waits for all reports, and flushes the drive if it has a volatile write cache. There is no flush
// before: the host holds all later commands until a flush is done.
//
// A write covers at most `chunk` blocks, none goes beyond the region's end, and it carries its length as
// its tag, so that a report says how far the record has come. A drive may do commands in any order, so none
// is given over a block whose last write is not reported yet: a region that is smaller than what may be in
// flight costs rate. A command that fails is told (`fail_o`) and
// counted, and its blocks were taken from the stream: the region has a hole there, and what comes after it
// is in its place. That ends it as a stop does, or with `skip` it goes on. A drive that the host has given
// up ends it always.
module ls_nvme_record
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned WrBytes = 65536,     // as of the host
  parameter int unsigned GigLog2 = 30         // bytes of a piece of the figures
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // control
  input  logic             start_i,       // pulse, while not busy: as ask_i says
  input  record_ask_t      ask_i,
  input  logic             stop_i,        // while busy
  output logic             busy_o,
  output logic             ended_o,       // pulse
  output record_end_e      end_o,
  output record_place_t    place_o,
  output logic             fail_valid_o,  // pulse: a command has failed
  output record_fail_t     fail_o,
  output logic             fig_valid_o,   // pulse; fig_o stays until the next
  output record_fig_t      fig_o,

  // the host
  input  logic             run_i,
  input  logic             dead_i,
  input  drive_t           drive_i,
  input  logic [63:0]      size_i,
  output logic             cmd_valid_o,
  input  logic             cmd_ready_i,
  output user_cmd_t        cmd_o,
  input  logic             done_valid_i,
  output logic             done_ready_o,
  input  user_done_t       done_i,

  // streams: record, through the buffer; play, looked at only
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             b_valid_o,
  input  logic             b_ready_i,
  output logic [Width-1:0] b_data_o,
  input  logic             b_bad_i,       // the buffer has stopped for ever: it stays high until the reset
  input  logic             m_valid_i,
  input  logic             m_ready_i,
  input  logic             m_last_i,
  input  logic             m_error_i
);

  localparam int unsigned Bytes    = Width / 8;
  localparam int unsigned PerUnit  = $clog2(512 / Bytes);    // beats of 512 bytes
  localparam int unsigned BeatBits = PerUnit + 3;            // of the largest block

  typedef enum logic [2:0] {StIdle, StWait, StCheck, StRun, StPad, StDrain, StFlush, StEnd} state_e;
  state_e              state_q;
  record_ask_t         ask_q;
  logic [1:0]          block_q;               // block size 512 << this
  record_place_t       place_q;
  record_end_e         end_q;
  logic                stop_q, play, begins, active;

  assign play   = ask_q.play;
  assign begins = state_q == StIdle && start_i && !b_bad_i;
  assign busy_o = state_q != StIdle;
  assign active = state_q == StRun || (play && state_q == StDrain);

  // ---- is it possible --------------------------------------------------------------------------
  logic [63:0] beyond_q;
  logic        chunk_ok, region_ok;
  assign chunk_ok  = ask_q.chunk != '0 && (play || 32'(ask_q.chunk) << (32'd9 + 32'(block_q)) <= 32'(WrBytes));
  assign region_ok = ask_q.offset < ask_q.blocks && beyond_q <= size_i && beyond_q[63:LbaBits] == '0;
  always_ff @(posedge clk_i) beyond_q <= 64'(ask_q.first) + 64'(ask_q.blocks);

  // ---- the stream, a block at a time -----------------------------------------------------------
  logic [BeatBits-1:0] beat_q, beat_last;     // beats of this block that are here
  logic                taking, beat, block, padding, last_block;
  logic [LbaBits-1:0]  left_q;                // blocks to take, or of play to ask for; where there is a count
  assign beat_last  = BeatBits'((32'd1 << (PerUnit + 32'(block_q))) - 32'd1);
  assign taking     = state_q == StRun && !play;
  assign padding    = state_q == StPad && beat_q != '0;
  assign b_valid_o  = (taking && s_valid_i) || padding;
  assign b_data_o   = taking ? s_data_i : '0;
  assign s_ready_o  = taking && b_ready_i;
  assign beat       = b_valid_o && b_ready_i;
  assign block      = beat && beat_q == beat_last;
  assign last_block = block && ask_q.count != '0 && left_q == LbaBits'(1);

  // ---- commands --------------------------------------------------------------------------------
  // A command in three steps: no further than the region's end, no more blocks than there are, given.
  typedef enum logic [1:0] {GiveSize, GiveWant, GiveShow} give_e;
  give_e               give_q;
  logic [LbaBits-1:0]  off_q, to_end;         // where in the region the next one begins
  logic [31:0]         avail_q, out_q;        // blocks taken and not given; given and not reported
  logic [15:0]         n_q;
  logic [15:0]         cmds_q, frames_q;      // without their reports; of play: without their last beat
  logic                give, here, alone_q, last_give, flush, flushed_q;
  assign to_end = ask_q.blocks - off_q;
  assign here   = play ? state_q == StRun && !stop_q
                       : alone_q && !b_bad_i && (avail_q >= 32'(n_q) || (state_q == StDrain && avail_q != '0));
  assign flush  = state_q == StFlush;
  assign give   = cmd_valid_o && cmd_ready_i;
  assign cmd_valid_o = give_q == GiveShow;
  assign last_give   = give && play && ask_q.count != '0 && left_q == LbaBits'(n_q);
  always_comb begin
    cmd_o     = '0;
    cmd_o.op  = flush ? OpFlush : play ? OpRead : OpWrite;
    cmd_o.lba = 64'(ask_q.first + off_q);
    cmd_o.nlb = 32'(n_q) - 32'd1;
    cmd_o.tag = n_q;
    if (flush) {cmd_o.lba, cmd_o.nlb} = '0;
  end

  // ---- reports: in order, so each says how far it has come ---------------------------------------
  logic                done_q, bad, land_end;
  user_done_t          rep_q;
  logic [LbaBits-1:0]  land;
  assign done_ready_o = 1'b1;
  assign bad      = done_q && rep_q.why != WhyNone;
  assign land     = place_q.at + LbaBits'(rep_q.tag);
  assign land_end = land == ask_q.blocks;
  assign place_o  = place_q;
  always_ff @(posedge clk_i) begin
    done_q <= rst_ni && done_valid_i;
    rep_q  <= done_i;
    fail_valid_o <= rst_ni && bad;
    fail_o <= '{why: rep_q.why, status: rep_q.status, flush: rep_q.tag == '0, lba: ask_q.first + place_q.at, blocks: rep_q.tag};
  end

  // ---- figures ---------------------------------------------------------------------------------
  logic        frame, wanted, moved;
  logic [39:0] level_q;                       // beats taken, pads too, and not reported
  assign frame  = m_valid_i && m_ready_i && m_last_i && play && frames_q != '0;
  assign wanted = play ? active && m_ready_i && frames_q != '0 : taking && s_valid_i;
  assign moved  = play ? wanted && m_valid_i && !m_error_i : taking && beat;
  ls_nvme_figures #(.Bytes(Bytes), .GigLog2(GigLog2)) u_figures (
    .clk_i, .clear_i(begins || !rst_ni), .active_i(active), .wanted_i(wanted), .moved_i(moved), .end_i(state_q == StEnd),
    .level_i(40'(level_q << $clog2(Bytes))), .valid_o(fig_valid_o), .fig_o
  );

  // ---- from the start to the end ---------------------------------------------------------------
  logic over, through, broken;
  // What is shown, to the buffer or to the host, stays until it is taken.
  assign over    = (stop_q || last_block) && (play ? give_q != GiveShow : !b_valid_o || b_ready_i);
  assign through = give_q != GiveShow && avail_q == '0 && cmds_q == '0 && frames_q == '0;
  // What the buffer has lost cannot be written, and the host waits for it in the commands that are out: it ends as it stands.
  assign broken  = b_bad_i && (state_q == StWait || (!play && state_q inside {StRun, StPad, StDrain}));
  assign end_o   = end_q;

  always_ff @(posedge clk_i) begin
    ended_o <= rst_ni && state_q == StEnd;           // with the last of the figures
    if (!rst_ni) begin
      state_q <= StIdle;
    end else if (broken) begin
      state_q <= StEnd;
    end else begin
      unique case (state_q)
        StIdle:  if (start_i) state_q <= StWait;
        StWait:  if (dead_i || stop_i) state_q <= StEnd;
                 else if (run_i)       state_q <= StCheck;
        StCheck: state_q <= (chunk_ok && region_ok) ? StRun : StEnd;
        StRun:   if (over) state_q <= play ? StDrain : StPad;
        StPad:   if (beat_q == '0) state_q <= StDrain;
        StDrain: if (through) state_q <= (drive_i.vwc && !play && place_q.blocks != '0) ? StFlush : StEnd;
        StFlush: if (flushed_q && cmds_q == '0) state_q <= StEnd;
        default: state_q <= StIdle;
      endcase
    end
  end

  // Why it ends: the first cause, and in this order if at once.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || begins) begin
      stop_q <= 1'b0;
      end_q  <= EndStop;
    end else if (broken) begin
      end_q  <= EndBuffer;
    end else if (state_q == StCheck) begin
      stop_q <= stop_i;
      end_q  <= !chunk_ok ? EndChunk : !region_ok ? EndRegion : EndStop;
    end else if (!stop_q && state_q inside {StWait, StRun}) begin
      stop_q <= dead_i || stop_i || (bad && !ask_q.skip) || last_block || last_give;
      end_q  <= dead_i ? EndDead : stop_i ? EndStop : (bad && !ask_q.skip) ? EndError : (last_block || last_give) ? EndCount : end_q;
    end
  end

  // What is under way.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || begins) begin
      give_q    <= GiveSize;
      flushed_q <= 1'b0;
      beat_q    <= '0;
      avail_q   <= '0;
      out_q     <= '0;
      level_q   <= '0;
      cmds_q    <= '0;
      frames_q  <= '0;
      place_q   <= '0;
      if (begins) place_q.at <= ask_i.offset;
    end else begin
      unique case (give_q)
        GiveSize: if (state_q inside {StRun, StDrain} || (flush && !flushed_q)) give_q <= flush ? GiveShow : GiveWant;
        GiveWant: if (here) give_q <= GiveShow;
                  else if (flush) give_q <= GiveSize;
        default:  if (cmd_ready_i) give_q <= GiveSize;
      endcase
      if (give && flush) flushed_q <= 1'b1;
      if (beat) beat_q <= block ? '0 : beat_q + 1'b1;
      avail_q  <= avail_q + 32'(block) - ((give && !play) ? 32'(n_q) : 32'd0);
      out_q    <= out_q + (give ? 32'(n_q) : 32'd0) - (done_q ? 32'(rep_q.tag) : 32'd0);
      level_q  <= level_q + 40'(beat) - ((done_q && !play) ? 40'(rep_q.tag) << (PerUnit + 32'(block_q)) : 40'd0);
      cmds_q   <= cmds_q + 16'(give) - 16'(done_q);
      frames_q <= frames_q + 16'(give && play) - 16'(frame);
      if (padding && b_ready_i) place_q.pad <= place_q.pad + 13'(Bytes);
      if (done_q) begin
        place_q.at     <= land_end ? '0 : land;
        place_q.wraps  <= place_q.wraps + 32'(land_end);
        place_q.blocks <= place_q.blocks + LbaBits'(rep_q.tag);
      end
      if (bad) begin
        place_q.errors <= place_q.errors + 32'd1;
        place_q.lost   <= place_q.lost + LbaBits'(rep_q.tag);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      ask_q  <= ask_i;
      off_q  <= ask_i.offset;
      left_q <= ask_i.count;
    end else begin
      if (give && !flush) off_q <= (to_end == LbaBits'(n_q)) ? '0 : off_q + LbaBits'(n_q);
      if (play) left_q <= left_q - (give ? LbaBits'(n_q) : '0);
      else      left_q <= left_q - LbaBits'(block);
    end
    // Of the cycle before, in which no command was given: what is out has only become less.
    alone_q <= give_q == GiveWant && LbaBits'(out_q) + LbaBits'(n_q) <= ask_q.blocks;
    if (state_q == StWait) block_q <= drive_i.block_log2;
    if (give_q == GiveSize) n_q <= flush ? '0 : (LbaBits'(ask_q.chunk) < to_end) ? ask_q.chunk : to_end[15:0];
    if (give_q == GiveWant) begin
      if (play && ask_q.count != '0 && left_q < LbaBits'(n_q)) n_q <= left_q[15:0];
      if (state_q == StDrain && avail_q != '0 && avail_q < 32'(n_q)) n_q <= avail_q[15:0];
    end
  end

  logic unused;
  assign unused = ^{drive_i, rep_q};

endmodule
