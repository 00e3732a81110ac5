// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever commands and streams come, and whenever abort is set: what leaves is a stream of posted
// writes by the rules. A TLP has as many beats as its header says, never crosses 4 KiB nor exceeds
// MPS, its byte enables fit, and it stands still until it is taken. Where frames begin in marked
// commands only, none begins in another.
module ls_write_engine_props
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned MaxPayload = 128,
  localparam int unsigned Bytes = Width / 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       mps_i,
  input logic             first_i,
  input logic             abort_i,
  input logic             keep_i,
  input logic             cmd_valid_i,
  input dma_cmd_t         cmd_i,
  input logic             s_valid_i,
  input logic [Width-1:0] s_data_i,
  input logic [Bytes-1:0] s_keep_i,
  input logic             s_last_i,
  input logic             ready_i,
  input logic             room_i
);
  localparam logic [2:0] MaxCode = 3'($clog2(MaxPayload / 128));
  // MPS is any value; above MaxPayload it is taken as that.
  logic [2:0]  code;
  logic [12:0] size_max, low_bits;
  assign code     = (mps_i > MaxCode) ? MaxCode : mps_i;
  assign size_max = 13'd128 << code;
  assign low_bits = size_max - 13'd1;
  logic             idle, cmd_ready, s_ready, valid, sop, eop, done_valid;
  use_e             uses;
  tlp_hdr_t         hdr;
  logic [Width-1:0] data;
  dma_done_t        done;

  ls_write_engine #(.Width(Width), .MaxPayload(MaxPayload)) dut (
    .clk_i, .rst_ni, .mps_i, .attr_i('0), .first_i, .abort_i, .keep_i, .idle_o(idle), .use_o(uses), .cmd_valid_i,
    .cmd_ready_o(cmd_ready), .cmd_i, .s_valid_i, .s_ready_o(s_ready), .s_data_i, .s_keep_i, .s_last_i,
    .tx_valid_o(valid), .tx_ready_i(ready_i), .tx_sop_o(sop), .tx_eop_o(eop), .tx_hdr_o(hdr),
    .tx_data_o(data), .done_valid_o(done_valid), .done_o(done), .done_room_i(room_i)
  );
  ls_stream_check #(.Width(Width), .IsTlp(1'b0), .Assume(1'b1)) u_in (
    .clk_i, .rst_ni, .valid_i(s_valid_i), .ready_i(s_ready), .sop_i(1'b0), .last_i(s_last_i),
    .hdr_i('0), .data_i(s_data_i), .keep_i(s_keep_i)
  );
  ls_stream_check #(.Width(Width), .Posted(1'b1)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(sop), .last_i(eop), .hdr_i(hdr),
    .data_i(data), .keep_i('1)
  );

  function automatic logic good(input tlp_hdr_t h);
    return h.kind == TlpMemWr && h.addr[1:0] == 2'b00 && h.len_dw != '0
        && (h.addr[12:0] & low_bits) + {h.len_dw, 2'b00} <= size_max
        && (h.len_dw == 11'd1 ? h.last_be == '0 : (h.first_be != '0 && h.last_be != '0));
  endfunction

  // Beats of the TLP under way that come after the output, after each place of the queue at the
  // output, and after the register before it.
  typedef struct packed {
    logic             token;
    logic             sop;
    logic             eop;
    logic             done;
    logic [Width-1:0] data;
  } beat_t;
  function automatic logic [10:0] beats(input tlp_hdr_t h);
    return 11'((32'(h.len_dw) + Width / 32 - 1) / (Width / 32));
  endfunction

  logic        p_data;
  logic [2:0]  queued;
  logic [10:0] left_o [5], left_r;
  logic [3:0]  sound, sops, dones;
  assign p_data = dut.p_valid_q && !dut.p_token_q;
  assign queued = dut.u_out.wr_q - dut.u_out.rd_q;
  assign left_o[0] = u_out.open_q ? u_out.left_q : '0;
  for (genvar i = 0; i < 4; i++) begin : gen_queued
    beat_t      b;
    tlp_hdr_t   h;
    logic       here;
    logic [1:0] place;
    assign place = 2'(dut.u_out.rd_q[1:0] + 2'(i));
    assign b     = dut.u_out.mem[place];
    if (Width < 512) begin : gen_beside
      assign h = dut.gen_beside.hdr_q;
    end else begin : gen_with
      dma_done_t rep;
      assign {h, rep} = dut.gen_queued.u_heads.mem[place];
    end
    assign here     = 3'(i) < queued;
    assign sops[i]  = here && b.sop;
    assign dones[i] = here && b.done;
    assign left_o[i+1] = (here && !b.token) ? (b.sop ? beats(h) : left_o[i]) - 11'd1 : left_o[i];
    assign sound[i] = !here || (b.token ? left_o[i] == '0
                                : (b.sop == (left_o[i] == '0) && b.eop == (left_o[i+1] == '0) && (!b.sop || good(h))));
  end
  always_comb begin
    left_r = left_o[4];
    if (dut.r_valid_q && !dut.r_token_q) left_r = (dut.r_sop_q ? beats(dut.r_hdr_q) : left_o[4]) - 11'd1;
  end

  // What stands beside the queue belongs to the one beat in it that needs it.
  logic beside_ok;
  if (Width < 512) begin : gen_one
    assign beside_ok = (sops & (sops - 4'd1)) == '0 && (dones & (dones - 4'd1)) == '0
                    && dut.gen_beside.hdr_busy_q == (sops != '0) && dut.gen_beside.rep_busy_q == (dones != '0);
  end else begin : gen_all
    assign beside_ok = dut.gen_queued.u_heads.wr_q == dut.u_out.wr_q && dut.gen_queued.u_heads.rd_q == dut.u_out.rd_q;
  end

  // A number says whether its command is marked, or the design's own.
  function automatic logic fair(input dma_done_t d);
    return d.cause != CauseNone || !first_i || !d.sof || d.id[0];
  endfunction
  logic reps_ok;
  assign reps_ok = (!dut.cut_valid_q || dut.cut_q.id[0] == (dut.cut_q.sof || dut.cut_q.fabric))
                && (!dut.p_valid_q || fair(dut.p_rep_q)) && (!dut.r_valid_q || fair(dut.r_rep_q));
  logic rep_ok;
  if (Width < 512) assign rep_ok = !dut.gen_beside.rep_busy_q || fair(dut.gen_beside.rep_q);
  else             assign rep_ok = 1'b1;

  logic beat_ok, end_beat_ok;
  if (Width < 512) begin : gen_ahead
    assign beat_ok     = dut.gen_ahead.beat_q == (dut.cut_n_q + 13'(dut.cut_q.addr[1:0]) <= 13'(Bytes));
    assign end_beat_ok = dut.gen_ahead.end_beat_q == (13'(dut.left_here) + 13'(dut.cut_q.addr[1:0]) < 13'(Bytes));
  end else begin : gen_now
    assign beat_ok     = 1'b1;
    assign end_beat_ok = 1'b1;
  end

  logic first_q = 1'b1;
  logic [2:0] mps_q;
  logic       mode_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mps_q   <= mps_i;
    mode_q  <= first_i;
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (mps_i == mps_q);             // set before traffic, as software does
      assume (first_i == mode_q);
    end
    if (cmd_valid_i) assume (cmd_i.bad == (cmd_i.len == '0) && cmd_i.id[0] == (cmd_i.sof || cmd_i.fabric));
    if (!first_q && valid && sop) begin
      a_write: assert (hdr.kind == TlpMemWr);
      a_mps:   assert ({hdr.len_dw, 2'b00} <= size_max);
    end
    if (!first_q && done_valid && Width < 512) begin
      a_fair: assert (fair(done));
    end
    // What carries the proof. A command is cut within blocks of MPS; of the TLP under way each stage
    // knows how many beats the stages behind it still bring.
    if (!first_q) begin
      if (dut.cut_valid_q && !dut.cut_q.bad) begin
        i_some:  assert (dut.cut_n_q != '0 && (!dut.look || dut.cut_last == ({11'd0, dut.cut_n_q} == dut.rem_q)));
        i_block: assert (dut.cut_n_q <= size_max && (dut.cut_q.addr[12:0] & low_bits) + dut.cut_n_q <= size_max && {11'd0, dut.cut_n_q} <= dut.rem_q);
      end
      if (p_data) begin
        i_size:  assert (dut.p_size_q <= size_max && dut.p_size_q > 13'(dut.p_addr_q[1:0]) && ({dut.p_addr_q[12:2], 2'b00} & low_bits) + dut.p_size_q <= size_max);
        i_left:  assert (dut.p_left_q != '0 && dut.p_left_q <= dut.p_size_q
                         && dut.p_sop_q == (dut.p_left_q == dut.p_size_q));
        i_p_sop: assert (dut.p_sop_q == (left_r == '0));
        i_p:     assert (dut.p_sop_q || 13'(left_r) == (dut.p_left_q + 13'(Bytes - 1)) / Bytes);
      end else i_p_none: assert (left_r == '0);
      if (dut.r_valid_q) begin
        i_r_sop: assert (dut.r_token_q || dut.r_sop_q == (left_o[4] == '0));
        i_r_eop: assert (dut.r_token_q ? left_o[4] == '0 : dut.r_eop_q == (left_r == '0));
        i_r_hdr: assert (dut.r_token_q || !dut.r_sop_q || good(dut.r_hdr_q));
      end
      // The same as the checker's, but of this cycle and not of the last.
      i_now:    assert (u_out.ok_held && u_out.ok_frame && u_out.ok_kind && u_out.ok_request && u_out.ok_enables);
      i_look:   assert (Width >= 512 || !dut.look || dut.cut_valid_q);
      i_ends:   assert (!dut.look || !dut.cut_valid_q || !dut.ends || 13'(dut.left_here) < dut.cut_n_q || dut.cut_q.bad);
      i_last:   assert (!dut.p_valid_q || dut.p_last == (dut.p_token_q || dut.p_left_q <= 13'(Bytes)));
      i_beat:   assert (!dut.look || dut.cut_q.bad || beat_ok);
      i_e_beat: assert (!dut.look || end_beat_ok);
      i_mps:    assert (dut.above_ahead_q == 13'h1f80 << code && (!dut.cut_valid_q || dut.above_q == 13'h1f80 << code));
      i_queue:  assert (queued <= 3'd4 && dut.o_valid == (queued != '0) && dut.u_out.full_q == (queued == 3'd4));
      i_queued: assert (&sound);
      i_beside: assert (beside_ok);
      i_fair:   assert (reps_ok && rep_ok);
      i_rest:   assert ((!dut.frame_start_q || dut.stale_q) && (!dut.cut_valid_q || !dut.start_q || dut.rest_q));
      i_o_left: assert (!u_out.open_q || u_out.left_q != '0);
    end
    c_two:   cover (!first_q && valid && ready_i && eop && !sop && u_out.left_q == 11'd1);
    c_skip:  cover (!first_q && done_valid && done.cause == CauseNone && done.len == '0);
    c_short: cover (!first_q && done_valid && done.eof && done.len == 24'd3 && !done.regular);
  end
endmodule
