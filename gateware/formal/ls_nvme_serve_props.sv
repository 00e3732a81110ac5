// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A Format is asked for when a user gave it, with its key and no field that is not for a user, as it was given, and once;
// each user command that is not for the drive's I/O queue is completed once, with its own number, a Format not before it ended
// and with the status that it ended with, what is refused with an error; nothing else is given or taken before that, nor
// after a Format that succeeded until the drive is brought up again. A kill ends what is out, and it is completed by no one here.
// A command stands for a cycle before it is taken: the splitter shows it so.
module ls_nvme_serve_props
  import ls_nvme_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        run_i,
  input logic        dead_i,
  input logic        kill_i,
  input logic        cmd_valid_i,
  input cmd_t        cmd_i,
  input logic        cmd_ready_i,
  input logic        room_i,
  input logic [2:0]  next_i,
  input logic        cpl_ready_i,
  input logic        end_i,
  input logic [14:0] status_i
);
  logic        cmd_ready, cmd_valid, put, busy, slow, cpl_valid, ask, first_q = 1'b1;
  rec_t        rec;
  logic [15:0] cpl_cid, cdw10;
  logic [14:0] cpl_status;
  ls_nvme_serve #(.Cmds(4)) dut (
    .clk_i, .rst_ni, .run_i, .dead_i, .kill_i, .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .cmd_valid_o(cmd_valid), .cmd_ready_i,
    .room_i, .next_i, .put_o(put), .rec_o(rec), .busy_o(busy), .slow_o(slow), .cpl_valid_o(cpl_valid), .cpl_ready_i,
    .cpl_cid_o(cpl_cid), .cpl_status_o(cpl_status), .ask_o(ask), .cdw10_o(cdw10), .end_i, .status_i
  );

  // What a user gave that is not for the I/O queue, and what became of it.
  logic        due_q, format_q, ended_q, rest_q;        // to be completed; it is a Format, that ended; a Format has succeeded
  logic [2:0]  number_q;
  logic [15:0] fields_q;
  logic [14:0] ended_with_q;
  cmd_t        stood_q;
  logic        may, own;
  assign own = cmd_i.rec.op inside {OpFormat, OpRefused, op_e'(3'd7)};
  assign may = cmd_i.rec.op == OpFormat && cmd_i.lba == FormatKey && (cmd_i.nlb & ~FormatBits) == '0;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    stood_q <= cmd_i;
    if (!rst_ni || kill_i) begin
      {due_q, format_q, ended_q, rest_q} <= '0;
    end else begin
      if (put && !dead_i) begin
        {due_q, format_q, ended_q} <= {1'b1, may, 1'b0};
        number_q <= next_i;
        fields_q <= cmd_i.nlb;
      end
      if (ask && end_i) begin
        ended_q      <= 1'b1;
        ended_with_q <= status_i;
      end
      if (cpl_valid && cpl_ready_i) begin
        due_q  <= 1'b0;
        rest_q <= cpl_status == '0;
      end
      if (rest_q && !run_i) rest_q <= 1'b0;
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    assume (!cmd_valid_i || stood_q == cmd_i);
    assume (!(run_i && dead_i) && (ask || !end_i));
    if (!first_q) begin
      // What is claimed.
      a_goes:   assert (cmd_valid == (cmd_valid_i && !own && !due_q && !rest_q));
      a_taken:  assert (!cmd_valid_i || cmd_ready == (own ? put : cmd_ready_i && !due_q && !rest_q));
      a_put:    assert (put == (cmd_valid_i && own && room_i && (run_i || dead_i) && !due_q && !rest_q));
      if (put) a_rec: assert (rec == (may ? cmd_i.rec : {OpRefused, cmd_i.rec[$bits(rec_t)-4:0]}));
      a_ask:    assert (ask == (due_q && format_q && !ended_q) && slow == ask);
      if (ask) a_fields: assert (cdw10 == fields_q && (fields_q & ~FormatBits) == '0);
      a_cpl:    assert (cpl_valid == (due_q && (!format_q || ended_q)));
      if (cpl_valid) a_own: assert (cpl_cid == 16'(number_q) && cpl_status == (format_q ? ended_with_q : '1));
      a_busy:   assert (busy == (due_q || rest_q) && !(due_q && rest_q));

      // What the register of the fields holds, and that it is one of a Format.
      if (due_q) i_number: assert (dut.number_q == number_q);
      if (due_q && format_q) i_fields: assert ((fields_q & ~FormatBits) == '0 && cdw10 == fields_q);
      if (due_q && format_q && ended_q) i_status: assert (cpl_status == ended_with_q);
      if (due_q && !format_q) i_refused: assert (cpl_status == '1);
      i_state:  assert ({dut.state_q == 2'd1, dut.state_q == 2'd2, dut.state_q == 2'd3}
                        == {due_q && format_q && !ended_q, due_q && (!format_q || ended_q), rest_q});
      i_key:    assert (dut.key_q == (stood_q.lba == FormatKey));
    end
    c_format:  cover (!first_q && rest_q && !run_i);
    c_refused: cover (!first_q && put && cmd_i.rec.op == OpFormat && rec.op == OpRefused);
    c_again:   cover (!first_q && cpl_valid && cpl_ready_i && format_q && cpl_status != '0);
  end
endmodule
