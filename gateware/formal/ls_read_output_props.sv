// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What ls_read_output gives out is an AXI4-Stream by the rules, whatever rows become ready, ends
// are announced and flushes come; and after a flush no frame stays open.
module ls_read_output_props (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        flush_i,
  input logic [1:0]  grow_i,       // rows that become ready in this cycle: none or one
  input logic        end_i,        // and the frame ends in it
  input logic [2:0]  lane_i,
  input logic        error_i,
  input logic        ready_i,
  input logic [63:0] data_i
);
  localparam int unsigned RowBits = 3;
  logic [RowBits:0] ready_row_q, free_row;
  logic [2:0]       lane;
  logic             end_ready, end_room, re, valid, last, error, grow, room;
  logic [2:0]       row;
  logic [63:0]      data, row_q;
  logic [7:0]       keep;

  // Rows are announced while there is room, as the engine does.
  assign room = (ready_row_q - free_row) < (RowBits+1)'(7);
  assign grow = grow_i[0] && room && (!end_i || end_ready) && !flush_i;
  ls_read_output #(.RowBits(RowBits), .Width(64), .EndDepth(8)) dut (
    .clk_i, .rst_ni, .flush_i, .flush_row_i(ready_row_q), .ready_row_i(ready_row_q),
    .end_valid_i(grow && end_i), .end_ready_o(end_ready), .end_room_o(end_room),
    .end_row_i(ready_row_q), .end_lane_i(lane_i), .end_error_i(error_i), .free_row_o(free_row),
    .re_o(re), .row_o(row), .data_i(row_q), .m_valid_o(valid), .m_ready_i(ready_i),
    .m_data_o(data), .m_keep_o(keep), .m_last_o(last), .m_error_o(error)
  );
  ls_stream_check #(.Width(64), .IsTlp(1'b0)) u_out (
    .clk_i, .rst_ni, .valid_i(valid), .ready_i, .sop_i(1'b0), .last_i(last), .hdr_i('0),
    .data_i(data), .keep_i(keep)
  );
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (!rst_ni)   ready_row_q <= '0;
    else if (grow) ready_row_q <= ready_row_q + 1'b1;
    if (re)        row_q <= data_i;       // the buffer: its output holds until it is read again
  end
  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    if (!first_q) begin
      a_room: assert ((ready_row_q - free_row) <= (RowBits+1)'(7));
      // A frame that is open in front of a flush is closed by what comes next.
      a_error: assert (!error || last);
    end
    c_close: cover (!first_q && dut.close_q && valid && ready_i);
  end
endmodule
