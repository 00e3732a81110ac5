// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs that may begin in the upper half of a beat come out one after the other, each from lane 0,
// every half beat in its place, and stand still until they are taken. Any one half is followed, in
// every TLP.
module ls_unstraddle_props (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic [127:0] data_i,
  input logic         high_i,        // the block's choice: begin high where it may
  input logic         ready_i,
  input logic [9:0]   me,            // this half, any but always the same,
  input logic [63:0]  is             // is this
);
  logic         ready, valid, sof, sof_high, eof, eof_high;
  logic [127:0] data;
  logic [7:0]   side_i, side;

  ls_unstraddle dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .sof_i(sof), .sof_high_i(sof_high),
    .eof_i(eof), .eof_high_i(eof_high), .side_i, .valid_o(valid), .ready_i, .data_o(data), .side_o(side)
  );

  // Halves of a TLP, by its first DW.
  function automatic logic [9:0] halves(input logic [31:0] dw0);
    logic [11:0] dws;
    dws = (dw0[29] ? 12'd4 : 12'd3) + (dw0[30] ? 12'(dw0[8:0]) : 12'd0);
    return 10'((dws + 12'd1) >> 1);
  endfunction

  // ---- what comes in -------------------------------------------------------------------------
  logic         first_q = 1'b1, held_q, high_q;
  logic [9:0]   in_q, in_len_q;      // halves of the open TLP that are in; its length; 0 if none
  logic [9:0]   me_q, new_len, left;
  logic [63:0]  is_q;
  logic [127:0] data_q;
  logic         open, starts_low, starts_high, may_high;
  assign open        = in_q != '0;
  assign left        = in_len_q - in_q;
  assign may_high    = high_i && (!open || left == 10'd1);
  assign starts_high = may_high;
  assign starts_low  = !open && !may_high;
  assign new_len     = halves(starts_high ? data_i[95:64] : data_i[31:0]);
  assign sof         = starts_low || starts_high;
  assign sof_high    = starts_high;
  assign eof         = open ? left <= 10'd2 : (starts_low && new_len <= 10'd2);
  assign eof_high    = open ? left == 10'd2 : new_len == 10'd2;
  assign side_i      = 8'(new_len);

  // ---- what goes out -------------------------------------------------------------------------
  logic [9:0] out_q, out_len_q, o_len;
  assign o_len = (out_q == '0) ? halves(data[31:0]) : out_len_q;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    {me_q, is_q, data_q, high_q} <= {me, is, data_i, high_i};
    held_q <= rst_ni && valid_i && !ready;
    if (!rst_ni) begin
      in_q  <= '0;
      out_q <= '0;
    end else begin
      if (valid_i && ready) begin
        if (sof) in_len_q <= new_len;
        if (starts_high)     in_q <= 10'd1;
        else if (starts_low) in_q <= eof ? '0 : 10'd2;
        else                 in_q <= eof ? '0 : in_q + 10'd2;
      end
      if (valid && ready_i) begin
        out_q     <= (out_q + 10'd2 >= o_len) ? '0 : out_q + 10'd2;
        out_len_q <= o_len;
      end
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume ({me, is} == {me_q, is_q});
      if (held_q) assume (valid_i && {data_i, high_i} == {data_q, high_q});
    end
    if (valid_i) begin                 // the half that is followed, wherever it comes in
      if (open && me == in_q && !(starts_high && left == '0))  assume (data_i[63:0] == is);
      if (open && me == in_q + 10'd1 && left > 10'd1)          assume (data_i[127:64] == is);
      if (starts_low && me == '0)                              assume (data_i[63:0] == is);
      if (starts_low && me == 10'd1)                           assume (data_i[127:64] == is);
      if (starts_high && me == '0)                             assume (data_i[127:64] == is);
    end
    if (!first_q) begin
      if (valid) begin
        a_low:  assert (!(me == out_q && me < o_len) || data[63:0] == is);
        a_high: assert (!(me == out_q + 10'd1 && me < o_len) || data[127:64] == is);
      end
      // What carries the proof.
      i_one:  assert (!(dut.half_q && dut.tail_q));
      i_even: assert (!out_q[0] && in_q[0] == dut.half_q);
      if (open) i_open: assert (in_q < in_len_q && in_len_q >= 10'd2);
      if (out_q != '0) i_out: assert (out_q < out_len_q);
      if (dut.half_q) begin
        i_half: assert (open && out_q == in_q - 10'd1 && (out_q == '0 ? halves(dut.hold_q[31:0]) == in_len_q : out_len_q == in_len_q));
        i_hold: assert (me != out_q || dut.hold_q == is);
      end else if (dut.tail_q) begin
        i_tail: assert (!open && out_q != '0 && out_q + 10'd1 == out_len_q && (me != out_q || dut.hold_q == is));
      end else i_same: assert (out_q == in_q && (!open || out_len_q == in_len_q));
    end
    c_straddle: cover (!first_q && valid && dut.half_q && sof_high && ready_i && o_len == 10'd4);
    c_tail:     cover (!first_q && dut.tail_q && ready_i);
  end
endmodule
