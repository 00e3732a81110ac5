// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A row buffer that is written a row at a time and read through a window as wide as a row, which may
// begin at any byte: this is why a transfer to an odd address runs at the aligned rate. Rows leave the
// memory in order and ahead of need: one stands at its output, and the two that the window looks at
// are in registers, because memory is slow before logic.
//
// The window moves with the stream: within a TLP by a row a beat; the first beat of a TLP begins at most
// three bytes before the first byte that was not shown yet, or before the row after it. Nobody cares
// what stands in those bytes, so the two registers move by one row a beat at most.
//
// One cycle from a beat at `valid_i` to `data_o`. It goes on when `ok_o` and `adv_i`.
module ls_window_rd #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 64,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Rows)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                flush_i,    // forget what is here; nothing is written with it
  input  logic                we_i,
  input  logic [RowBits:0]    wrow_i,     // the next row to be written
  input  logic [Width-1:0]    wdata_i,
  output logic [RowBits:0]    rd_row_o,   // rows before this one have left the memory
  input  logic                valid_i,    // a beat, of which all rows were written two cycles ago or earlier
  input  logic [LaneBits+1:0] pos_i,      // byte position of lane 0 of its window, modulo four rows
  input  logic                adv_i,      // data_o may change
  output logic                ok_o,       // its rows are here
  output logic [Width-1:0]    data_o      // not registered: one register is the caller's
);

  // ---- rows on their way: memory, its output, next, here -----------------------------------------
  logic [RowBits:0] rd_q;
  logic [1:0]       here_at_q, apart;     // the row in here_q; how far the window's first is from it
  logic             out_q, next_q, none_q, more, re, step, go, fill;
  logic [Width-1:0] out_data, next_row_q, here_row_q;

  assign more  = rd_q != wrow_i;
  assign fill  = out_q && (!next_q || go);
  assign re    = more && (!out_q || fill);
  assign rd_row_o = rd_q;

  ls_ram #(.Bytes(Bytes), .Depth(Rows), .Block(1'b1)) u_rows (
    .clk_i, .we_i({Bytes{we_i}}), .waddr_i(wrow_i[RowBits-1:0]), .wdata_i,
    .re_i(re), .raddr_i(rd_q[RowBits-1:0]), .rdata_o(out_data)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      rd_q      <= rst_ni ? wrow_i : '0;
      here_at_q <= 2'((rst_ni ? wrow_i[1:0] : 2'd0) - 2'd1);   // before the first
      out_q     <= 1'b0;
      next_q    <= 1'b0;
      none_q    <= 1'b1;
    end else begin
      if (re) rd_q <= rd_q + 1'b1;
      if (go) here_at_q <= here_at_q + 1'b1;
      out_q  <= re || (out_q && !fill);
      next_q <= fill || (next_q && !go);
      none_q <= !more;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fill) next_row_q <= out_data;
    if (go)   here_row_q <= next_row_q;
  end

  // ---- where the window is -----------------------------------------------------------------------
  // Its first row is the one in here_q, after one step at most. Or it is the one in next_q: then it
  // is all of it. Or it is the row before here_q: then that one's bytes were shown long ago.
  logic                ahead, behind;
  logic [LaneBits-1:0] lane, lane_q;
  logic [Width-1:0]    near, turned;
  assign lane   = pos_i[LaneBits-1:0];
  assign apart  = pos_i[LaneBits+:2] - here_at_q;
  assign ahead  = apart == 2'd2;
  assign behind = apart == 2'd3;
  assign step   = apart[0] ^ apart[1];
  // Here is what the two registers can hold after a step; or all that there is, and then what is not in
  // them is not needed. Whether there is a step is not asked: that would be known late.
  assign ok_o   = (next_q && out_q) || (none_q && (next_q || !out_q));
  assign go     = valid_i && adv_i && ok_o && step;

  always_ff @(posedge clk_i) if (adv_i) lane_q <= lane;

  // Two choices of four, a LUT of six inputs each, whose selects are decided a cycle ahead and
  // for every lane by itself: a select that lanes share is slow, and made into two steps of two.
  // The first is the row, where bytes below the start of the window come from the next one, and
  // a rotation by one.
  for (genvar i = 0; i < Bytes; i++) begin : gen_near
    localparam int unsigned Above = (i + 1) % Bytes;
    logic [LaneBits-1:0] from;
    logic                far_q;
    assign from = lane[0] ? LaneBits'(Above) : LaneBits'(i);
    always_ff @(posedge clk_i) if (adv_i) far_q <= ahead || (!behind && from < lane);
    assign near[i*8+:8] = far_q ? (lane_q[0] ? next_row_q[Above*8+:8] : next_row_q[i*8+:8])
                                : (lane_q[0] ? here_row_q[Above*8+:8] : here_row_q[i*8+:8]);
  end

  // The second is a rotation by 0, 2, 4 or 6, told as the place that a byte comes from, in a Gray
  // code: no two lanes then choose by the same bit between the same two places.
  for (genvar i = 0; i < Bytes; i++) begin : gen_turn
    logic [1:0]      place, at_q;
    logic [3:0][7:0] at;
    assign place = lane[2:1] + 2'(i / 2);
    always_ff @(posedge clk_i) if (adv_i) at_q <= {place[1], ^place};
    for (genvar k = 0; k < 4; k++) begin : gen_place
      assign at[k] = near[((i + 2 * ((k + 4 - (i / 2) % 4) % 4)) % Bytes)*8+:8];
    end
    assign turned[i*8+:8] = at_q[1] ? (at_q[0] ? at[2] : at[3]) : (at_q[0] ? at[1] : at[0]);
  end

  // What is left are multiples of 8, at more than 64 bit.
  ls_rotate #(.Lanes(Bytes)) u_rotate (
    .data_i(turned), .shift_i((lane_q >> 3) << 3), .data_o
  );

endmodule
