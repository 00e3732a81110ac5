// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The doorbell never passes the tail, and the tail never an entry of which a byte is missing: before a
// command counts, its eight words were written to its own place, in order, and between two commands
// nothing is written anywhere else but the range of a Dataset Management command, where no
// entry is out.
module ls_nvme_issue_props
  import ls_pkg::*;
  import ls_nvme_pkg::*;
(
  input logic clk_i,
  input logic rst_ni,
  input logic run_i,
  input logic dead_i,
  input logic cmd_valid_i,
  input cmd_t cmd_i,
  input logic [15:0] cid_i,
  input logic hold_i,
  input logic away_i,          // the oldest retires
  input logic bell_ready_i
);
  logic        cmd_ready, put, we, bell_valid, room;
  logic [2:0]  tail_q, bell;
  logic [9:0]  addr;
  logic [63:0] data;
  ls_nvme_issue #(.Cmds(4), .Hold(4)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .run_i, .dead_i, .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .room_i(room),
    .cid_i, .put_o(put), .hold_i, .we_o(we), .addr_o(addr), .data_o(data), .bell_valid_o(bell_valid),
    .bell_ready_i(bell_ready_i && bell_valid), .bell_o(bell)
  );

  logic       first_q = 1'b1, held_q;
  logic [2:0] head_q, rung_q, count;
  logic [3:0] words_q;         // of the next entry, or of its range, that stand in the queue
  logic       ranged_q, range; // the range stands; what is written is the range
  cmd_t       cmd_q;
  logic [15:0] cid_q;
  assign count = tail_q - head_q;
  assign range = cmd_i.rec.op == OpTrim && !ranged_q;
  assign room  = count < 3'd4;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    cmd_q   <= cmd_i;
    cid_q   <= cid_i;
    held_q  <= rst_ni && cmd_valid_i && !cmd_ready;
    if (!rst_ni) begin
      tail_q  <= '0;
      head_q  <= '0;
      rung_q  <= '0;
      words_q  <= '0;
      ranged_q <= 1'b0;
    end else begin
      if (put) tail_q <= tail_q + 3'd1;
      if (away_i && head_q != rung_q) head_q <= head_q + 3'd1;    // only what the drive knows of comes back
      if (bell_valid && bell_ready_i) rung_q <= bell;
      if (!hold_i || !cmd_valid_i) begin
        if (put || !(we && run_i) || (range && words_q[0])) words_q <= '0;
        else words_q <= words_q + 4'd1;
        ranged_q <= we && run_i && !put && (ranged_q || (range && words_q[0]));
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (!dead_i);
      if (held_q && cmd_valid_i) assume (cmd_i == cmd_q && cid_i == cid_q);       // it may be taken back
    end
    if (!first_q) begin
      a_place: assert (!we || addr == (range ? {1'b0, !tail_q[2], tail_q[1:0], 2'd0, words_q[0], 3'd0} : {1'b0, tail_q, words_q[2:0], 3'd0}));
      a_range: assert (!we || !range || data == (words_q[0] ? cmd_i.lba : {32'(cmd_i.nlb) + 32'd1, 32'd0}));
      a_whole: assert (!put || (we && words_q == 4'd7));
      a_bell:  assert (!bell_valid || bell == tail_q);
      a_known: assert (3'(tail_q - rung_q) <= count);                      // from the oldest to the tail, nothing beyond
      a_full:  assert (count <= 3'd4);
      a_cid:   assert (!we || range || words_q != '0 || data[31:16] == cid_i);
      i_words: assert (words_q <= 4'd7 && dut.word_q == words_q[2:0] && dut.rung_q == rung_q && dut.tail_q == tail_q
                       && dut.ranged_q == ranged_q && (!range || !cmd_valid_i || words_q <= 4'd1) && (held_q || (words_q == '0 && !ranged_q)));
    end
    c_two: cover (!first_q && bell_valid && 3'(bell - rung_q) == 3'd2);     // two commands, one ring
  end
endmodule
