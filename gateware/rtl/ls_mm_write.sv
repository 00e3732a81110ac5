// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Host to card with card memory: the frames of a mover become AXI4 write bursts, one frame a command.
// The stream's bytes begin in lane 0, those of the memory anywhere: they are shifted, and bytes outside
// of the command are not strobed. A frame that ends before its command (an abort) is filled up without strobes.
//
// A burst's data follows its address without waiting until that is taken: a memory may take either first (AXI4 A3.3.1).
// The memory's answers are counted by bursts.
module ls_mm_write
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned BurstBytes = 1024,
  parameter int unsigned Commands   = 16,    // under way
  parameter int unsigned Bursts     = 16,    // whose answer is out
  localparam int unsigned Bytes     = Width / 8,
  localparam int unsigned LaneBits  = $clog2(Bytes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                abort_i,
  output logic                idle_o,

  input  logic                mem_valid_i,   // commands; there is room
  input  logic [CardBits-1:0] mem_addr_i,
  input  logic [LenBits-1:0]  mem_len_i,
  output logic                answer_valid_o,
  output logic [1:0]          answer_o,

  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  logic [Width-1:0]    s_data_i,
  input  logic                s_last_i,

  output logic                aw_valid_o,
  input  logic                aw_ready_i,
  output logic [CardBits-1:0] aw_addr_o,
  output logic [7:0]          aw_len_o,
  output logic                w_valid_o,
  input  logic                w_ready_i,
  output logic [Width-1:0]    w_data_o,
  output logic [Bytes-1:0]    w_strb_o,
  output logic                w_last_o,
  input  logic                b_valid_i,
  output logic                b_ready_o,
  input  logic [1:0]          b_resp_i
);

  // ---- addresses -------------------------------------------------------------------------------
  logic                cmd_valid, cmd_ready, cmd_room, cut_valid, cut_ready, cut_last, flag_ready, burst_ready;
  logic [CardBits-1:0] cmd_addr;
  logic [LenBits-1:0]  cmd_len;
  logic [$clog2(Commands):0] cmd_used, info_used;
  logic [$clog2(Bursts):0]   flag_used, burst_used;
  ls_fifo #(.Width(CardBits + LenBits), .Depth(Commands)) u_cmds (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(mem_valid_i), .ready_o(cmd_room), .data_i({mem_addr_i, mem_len_i}),
    .valid_o(cmd_valid), .ready_i(cmd_ready), .data_o({cmd_addr, cmd_len}), .used_o(cmd_used)
  );
  // One that is shown is ended, aborted or not.
  ls_mm_cut #(.Width(Width), .BurstBytes(BurstBytes)) u_cut (
    .clk_i, .rst_ni, .clear_i(abort_i && !aw_valid_o), .valid_i(cmd_valid && !abort_i), .ready_o(cmd_ready), .addr_i(cmd_addr),
    .len_i(cmd_len), .valid_o(cut_valid), .ready_i(cut_ready), .addr_o(aw_addr_o), .beats_o(aw_len_o), .last_o(cut_last)
  );
  logic shown_q, fresh;                      // an address is shown; for the first cycle
  assign aw_valid_o = cut_valid && (shown_q || (flag_ready && burst_ready && !abort_i));
  assign cut_ready  = aw_valid_o && aw_ready_i;
  assign fresh      = aw_valid_o && !shown_q;
  always_ff @(posedge clk_i) shown_q <= rst_ni && aw_valid_o && !aw_ready_i;

  // ---- data: of each command its first lane and last lane, of each burst its beats --------------------
  logic                info_valid, info_ready, info_room, burst_valid, burst_pop, burst_last, final_beat;
  logic [LaneBits-1:0] first_lane, last_lane;
  logic [7:0]          burst_beats, at_q;
  logic                begun_q, ended_q, carry_q, step, w_room, take;
  logic [Width-1:0]    rest_q, data;
  logic [2*Width-1:0]  wide;
  logic [Bytes-1:0]    strobe;
  logic                cut_start_q, wipe;
  logic [LaneBits-1:0] end_lane_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || cmd_ready) cut_start_q <= 1'b1;
    else if (cut_ready)       cut_start_q <= 1'b0;
  end
  ls_fifo #(.Width(2 * LaneBits), .Depth(Commands)) u_infos (
    .clk_i, .rst_ni, .clear_i(wipe), .valid_i(fresh && cut_start_q), .ready_o(info_room),
    .data_i({aw_addr_o[LaneBits-1:0], end_lane_q}), .valid_o(info_valid), .ready_i(info_ready),
    .data_o({first_lane, last_lane}), .used_o(info_used)
  );
  always_ff @(posedge clk_i) if (cmd_ready) end_lane_q <= cmd_addr[LaneBits-1:0] + cmd_len[LaneBits-1:0] - 1'b1;
  ls_fifo #(.Width(9), .Depth(Bursts)) u_bursts (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fresh), .ready_o(burst_ready), .data_i({cut_last, aw_len_o}),
    .valid_o(burst_valid), .ready_i(burst_pop), .data_o({burst_last, burst_beats}), .used_o(burst_used)
  );

  // After an abort only whole bursts are left; of which commands they were does not count.
  assign wipe       = abort_i && !burst_valid && !cut_valid;
  assign step       = burst_valid && (info_valid || abort_i) && w_room && (s_valid_i || ended_q || abort_i);
  assign take       = step && !ended_q && !abort_i;
  assign s_ready_o  = abort_i || (burst_valid && info_valid && w_room && !ended_q);
  assign final_beat = burst_last && at_q == burst_beats;
  assign burst_pop  = step && at_q == burst_beats;
  assign info_ready = step && final_beat;
  assign wide       = (2*Width)'(ended_q ? '0 : s_data_i) << {first_lane, 3'd0};
  assign data       = wide[Width-1:0] | (begun_q ? rest_q : '0);
  always_comb begin
    strobe = '1;
    if (!begun_q)   strobe &= {Bytes{1'b1}} << first_lane;
    if (final_beat) strobe &= ~(({Bytes{1'b1}} << last_lane) << 1);
    if (abort_i || (ended_q && !carry_q)) strobe = '0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni || wipe) begin
      at_q    <= '0;
      begun_q <= 1'b0;
      ended_q <= 1'b0;
      carry_q <= 1'b0;
    end else if (step) begin
      at_q    <= (at_q == burst_beats) ? '0 : at_q + 1'b1;
      begun_q <= !final_beat;
      ended_q <= !final_beat && (ended_q || (take && s_last_i));
      carry_q <= take;
    end
  end
  always_ff @(posedge clk_i) if (step) rest_q <= wide[Width+:Width];

  ls_skid #(.Width(Width + Bytes + 1)) u_w (
    .clk_i, .rst_ni, .valid_i(step), .ready_o(w_room), .data_i({at_q == burst_beats, strobe, data}),
    .valid_o(w_valid_o), .ready_i(w_ready_i), .data_o({w_last_o, w_strb_o, w_data_o})
  );

  // ---- answers ---------------------------------------------------------------------------------
  logic       flag_valid, flag_last;
  logic [1:0] worst_q, worst;
  ls_fifo #(.Width(1), .Depth(Bursts)) u_flags (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fresh), .ready_o(flag_ready), .data_i(cut_last),
    .valid_o(flag_valid), .ready_i(b_valid_i), .data_o(flag_last), .used_o(flag_used)
  );
  assign b_ready_o      = 1'b1;
  assign worst          = (b_resp_i > worst_q) ? b_resp_i : worst_q;
  assign answer_valid_o = b_valid_i && flag_valid && flag_last && !abort_i;
  assign answer_o       = worst;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i || answer_valid_o) worst_q <= '0;
    else if (b_valid_i)                       worst_q <= worst;
  end
  assign idle_o = !cmd_valid && !cut_valid && !burst_valid && !flag_valid && !w_valid_o;

  logic unused;
  assign unused = ^{cmd_used, info_used, flag_used, burst_used, cmd_room, info_room};

endmodule
