// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Commands of a channel whose data side is card memory, between the channel and its mover: how many are
// under way, and their reports, which wait for what the card's memory answered. Each is a frame of its own.
module ls_mm_report
  import ls_pkg::*;
#(
  parameter int unsigned Depth = 16      // commands under way
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      abort_i,
  output logic      idle_o,              // no command is under way

  input  logic      cmd_valid_i,         // from the channel
  output logic      cmd_ready_o,
  input  dma_cmd_t  cmd_i,
  output logic      eng_valid_o,         // to the mover,
  input  logic      eng_ready_i,
  output dma_cmd_t  eng_cmd_o,
  output logic      mem_valid_o,         // and, if it moves something, to the side of the memory: room for each
  output logic [CardBits-1:0] mem_addr_o,
  output logic [LenBits-1:0]  mem_len_o,

  input  logic      answer_valid_i,      // of the memory, one for each that moves something; in order
  input  logic [1:0] answer_i,           // AXI4's BRESP or RRESP, the worst
  input  logic      done_valid_i,        // from the mover; room for each
  input  dma_done_t done_i,
  output logic      done_valid_o,        // to the channel
  input  logic      done_ready_i,
  output dma_done_t done_o
);

  localparam int unsigned CountBits = $clog2(Depth) + 1;
  logic [CountBits-1:0] count_q;
  logic                 take, give, moves;

  assign moves       = !cmd_i.bad && cmd_i.len != '0;
  assign eng_valid_o = cmd_valid_i && !count_q[CountBits-1];
  assign cmd_ready_o = eng_ready_i && !count_q[CountBits-1];
  assign take        = cmd_valid_i && cmd_ready_o;
  assign mem_valid_o = take && moves;
  assign mem_addr_o  = {cmd_i.card_high, cmd_i.id};
  assign mem_len_o   = cmd_i.len;
  always_comb begin
    eng_cmd_o     = cmd_i;
    eng_cmd_o.sof = 1'b1;
    eng_cmd_o.eof = 1'b1;
  end

  logic       kind_valid, kind, answer_valid, done_valid, room_kind, room_answer, room_done;
  logic [1:0] answer;
  dma_done_t  done;
  logic [CountBits-1:0] used_kind, used_answer, used_done;
  ls_fifo #(.Width(1), .Depth(Depth)) u_kinds (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(take), .ready_o(room_kind), .data_i(moves),
    .valid_o(kind_valid), .ready_i(give), .data_o(kind), .used_o(used_kind)
  );
  ls_fifo #(.Width(2), .Depth(Depth)) u_answers (
    .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(answer_valid_i), .ready_o(room_answer), .data_i(answer_i),
    .valid_o(answer_valid), .ready_i(give && kind), .data_o(answer), .used_o(used_answer)
  );
  ls_fifo #(.Width($bits(dma_done_t)), .Depth(Depth)) u_reports (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(done_valid_i), .ready_o(room_done), .data_i(done_i),
    .valid_o(done_valid), .ready_i(give), .data_o(done), .used_o(used_done)
  );

  // While the channel is aborted no answer is waited for; the side of the memory comes to its end by itself.
  assign done_valid_o = done_valid && kind_valid && (!kind || answer_valid || abort_i);
  assign give         = done_valid_o && done_ready_i;
  always_comb begin
    done_o = done;
    if (kind && abort_i && done.cause == CauseNone && !answer_valid) begin
      done_o.cause   = CauseAbort;
      done_o.regular = 1'b0;
    end else if (kind && answer_valid && answer[1] && done.cause == CauseNone) begin
      done_o.cause   = answer[0] ? CauseCardNowhere : CauseCardError;
      done_o.regular = 1'b0;
    end
  end
  assign idle_o = count_q == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_q + CountBits'(take) - CountBits'(give);
  end

  logic unused;
  assign unused = ^{room_kind, room_answer, room_done, used_kind, used_answer, used_done};

endmodule
