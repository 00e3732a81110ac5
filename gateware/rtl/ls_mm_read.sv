// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Card to host with card memory: AXI4 read bursts become the frames that a mover takes, one frame a
// command. The memory's bytes begin anywhere in a beat, those of the stream in lane 0.
//
// After an abort what was asked for is still taken and dropped, and an open frame is ended.
module ls_mm_read
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned BurstBytes = 1024,
  parameter int unsigned Commands   = 16,
  parameter int unsigned Bursts     = 16,
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

  output logic                ar_valid_o,
  input  logic                ar_ready_i,
  output logic [CardBits-1:0] ar_addr_o,
  output logic [7:0]          ar_len_o,
  input  logic                r_valid_i,
  output logic                r_ready_o,
  input  logic [Width-1:0]    r_data_i,
  input  logic [1:0]          r_resp_i,
  input  logic                r_last_i,

  output logic                m_valid_o,
  input  logic                m_ready_i,
  output logic [Width-1:0]    m_data_o,
  output logic [Bytes-1:0]    m_keep_o,
  output logic                m_last_o
);

  // ---- addresses -------------------------------------------------------------------------------
  logic                cmd_valid, cmd_ready, cmd_room, cut_valid, cut_ready, cut_last, flag_ready;
  logic [CardBits-1:0] cmd_addr;
  logic [LenBits-1:0]  cmd_len;
  logic [$clog2(Commands):0] cmd_used, info_used;
  logic [$clog2(Bursts):0]   flag_used;
  ls_fifo #(.Width(CardBits + LenBits), .Depth(Commands)) u_cmds (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(mem_valid_i), .ready_o(cmd_room), .data_i({mem_addr_i, mem_len_i}),
    .valid_o(cmd_valid), .ready_i(cmd_ready), .data_o({cmd_addr, cmd_len}), .used_o(cmd_used)
  );
  ls_mm_cut #(.Width(Width), .BurstBytes(BurstBytes)) u_cut (
    .clk_i, .rst_ni, .clear_i(abort_i && !ar_valid_o), .valid_i(cmd_valid && !abort_i), .ready_o(cmd_ready), .addr_i(cmd_addr),
    .len_i(cmd_len), .valid_o(cut_valid), .ready_i(cut_ready), .addr_o(ar_addr_o), .beats_o(ar_len_o), .last_o(cut_last)
  );
  logic shown_q;
  assign ar_valid_o = cut_valid && (shown_q || (flag_ready && !abort_i));
  assign cut_ready  = ar_valid_o && ar_ready_i;
  always_ff @(posedge clk_i) shown_q <= rst_ni && ar_valid_o && !ar_ready_i;

  // ---- data ------------------------------------------------------------------------------------
  logic                info_valid, info_ready, info_room, flag_valid, flag_last;
  logic [LaneBits-1:0] lane, count;          // first lane in memory; bytes of the last beat out, 0 for all
  logic                spill;                // one beat more comes out than the shift leaves room for
  ls_fifo #(.Width(2 * LaneBits), .Depth(Commands)) u_infos (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(mem_valid_i), .ready_o(info_room),
    .data_i({mem_addr_i[LaneBits-1:0], mem_len_i[LaneBits-1:0]}), .valid_o(info_valid), .ready_i(info_ready),
    .data_o({lane, count}), .used_o(info_used)
  );
  ls_fifo #(.Width(1), .Depth(Bursts)) u_flags (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(cut_ready), .ready_o(flag_ready), .data_i(cut_last),
    .valid_o(flag_valid), .ready_i(r_valid_i && r_ready_o && r_last_i), .data_o(flag_last), .used_o(flag_used)
  );

  logic               begun_q, flush_q, ends, out, take, give, room, open_q, m_end;
  logic [Width-1:0]   rest_q, data;
  logic [2*Width-1:0] wide;
  logic [LaneBits-1:0] left;
  assign ends  = r_last_i && flag_last;
  // The last beat in memory holds bytes that the beat before it has no room for if the last lane in
  // use lies at or after the first one.
  assign left  = lane + count - 1'b1;        // last lane in use
  assign spill = begun_q && lane != '0 && left >= lane;
  assign wide  = {r_data_i, Width'(0)} >> {lane, 3'd0};       // lower half: what belongs to the beat before
  assign out   = flush_q || begun_q || lane == '0 || ends;
  assign take  = r_valid_i && r_ready_o;
  assign r_ready_o = abort_i || (info_valid && !flush_q && (room || !out));
  assign give  = !abort_i && (flush_q ? room : (take && out));
  assign m_end = flush_q || (ends && !spill);
  assign info_ready = give && m_end;
  assign data  = flush_q ? rest_q : (lane == '0 || !begun_q) ? wide[2*Width-1:Width] : (rest_q | wide[Width-1:0]);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      begun_q <= 1'b0;
      flush_q <= 1'b0;
    end else begin
      if (take) begun_q <= !ends;
      if (take) flush_q <= ends && spill;
      else if (give) flush_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (take) rest_q <= wide[2*Width-1:Width];
  always_ff @(posedge clk_i) begin
    if (!rst_ni)              open_q <= 1'b0;
    else if (give)            open_q <= !m_end;
    else if (abort_i && room) open_q <= 1'b0;
  end

  logic [Bytes-1:0] keep;
  assign keep = (m_end && count != '0) ? ~({Bytes{1'b1}} << count) : '1;
  ls_skid #(.Width(Width + Bytes + 1)) u_m (
    .clk_i, .rst_ni, .valid_i(give || (abort_i && open_q)), .ready_o(room), .data_i({m_end || abort_i, keep, data}),
    .valid_o(m_valid_o), .ready_i(m_ready_i), .data_o({m_last_o, m_keep_o, m_data_o})
  );

  // ---- answers ---------------------------------------------------------------------------------
  logic [1:0] worst_q, worst;
  assign worst          = (r_resp_i > worst_q) ? r_resp_i : worst_q;
  assign answer_valid_o = take && ends && !abort_i;
  assign answer_o       = worst;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i || answer_valid_o) worst_q <= '0;
    else if (take)                            worst_q <= worst;
  end
  assign idle_o = !cmd_valid && !cut_valid && !flag_valid && !open_q;

  logic unused;
  assign unused = ^{cmd_used, info_used, flag_used, cmd_room, info_room, flag_valid};

endmodule
