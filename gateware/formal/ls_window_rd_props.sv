// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What comes out of the window is what went in, at the place asked for: any one byte of the stream is
// followed, from the row it was written with to the lane of each beat that shows it, through stalls and
// flushes. And the window never waits for longer than a row takes to leave the memory. Beats are those
// of ls_write_engine: each begins at most three bytes before the first byte that was not shown yet.
module ls_window_rd_props #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 4,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Rows),
  localparam int unsigned PosBits  = RowBits + 1 + LaneBits
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                flush_i,
  input logic                we_i,
  input logic [Width-1:0]    wdata_i,
  input logic                valid_i,
  input logic                adv_i,
  input logic [1:0]          before_i,   // a beat begins so many bytes before the first that was not shown,
  input logic [LaneBits:0]   count_i,    // so many of its bytes count,
  input logic                end_i,      // and what comes after it begins with a row
  input logic                mark_i,     // follow a byte of this row
  input logic [LaneBits-1:0] me          // the one in this lane
);
  logic [RowBits:0]   wrow_q, shown_q, rd_row, here;
  logic [PosBits-1:0] next_q, pos, upto;       // next_q: the first byte that was not shown
  logic               ok, go;
  logic [Width-1:0]   data;

  ls_window_rd #(.Width(Width), .Rows(Rows)) dut (
    .clk_i, .rst_ni, .flush_i, .we_i, .wrow_i(wrow_q), .wdata_i, .rd_row_o(rd_row), .valid_i,
    .pos_i(pos[LaneBits+1:0]), .adv_i, .ok_o(ok), .data_o(data)
  );

  assign pos  = next_q - PosBits'(before_i);
  assign upto = pos + PosBits'(count_i);
  assign go   = valid_i && adv_i && ok;
  // The row in the last register: before the one in the next, at the memory's output, and in the memory.
  assign here = rd_row - (RowBits+1)'(dut.out_q) - (RowBits+1)'(dut.next_q) - 1'b1;

  // ---- the byte that is followed: row and value; the lane of the last beat in which it must be -------
  logic                first_q = 1'b1, live_q, due_q;
  logic [RowBits:0]    row_q, src_q;
  logic [LaneBits-1:0] lane_q, at_q, from_q;   // from_q: its lane in its row
  logic [7:0]          byte_q, is_q;
  logic [PosBits-1:0]  off;
  logic [1:0]          wait_q;                 // cycles without ok
  logic                seen, cares;
  assign off   = {row_q, lane_q} - pos;
  assign cares = PosBits'(off) >= PosBits'(before_i) && PosBits'(off) < PosBits'(count_i);
  assign seen  = go && live_q && cares;

  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    shown_q <= rst_ni ? wrow_q : '0;
    wait_q  <= (!rst_ni || flush_i || ok) ? '0 : wait_q + 2'd1;
    if (!rst_ni) begin
      wrow_q <= '0;
      next_q <= '0;
      live_q <= 1'b0;
      due_q  <= 1'b0;
    end else begin
      if (we_i) wrow_q <= wrow_q + 1'b1;
      if (flush_i)            next_q <= {wrow_q, LaneBits'(0)};
      else if (go)            next_q <= (end_i && upto[LaneBits-1:0] != '0) ? {upto[PosBits-1:LaneBits] + 1'b1, LaneBits'(0)} : upto;
      if (flush_i)                                live_q <= 1'b0;
      else if (we_i && mark_i && !live_q)         live_q <= 1'b1;
      else if (dut.go && here == row_q)           live_q <= 1'b0;
      if (flush_i)    due_q <= 1'b0;
      else if (adv_i) due_q <= seen;
    end
    if (we_i && mark_i && !live_q) begin
      row_q  <= wrow_q;
      lane_q <= me;
      byte_q <= wdata_i[me*8+:8];
    end
    if (adv_i) begin
      at_q   <= LaneBits'(off);
      is_q   <= byte_q;
      src_q  <= row_q;
      from_q <= lane_q;
    end
  end

  function automatic logic [7:0] lane_of(input logic [Width-1:0] row, input logic [LaneBits-1:0] at);
    return row[at*8+:8];
  endfunction

  // From the row in here_q: the byte, the rows written, those written two cycles ago or earlier, the last of
  // the beat, the stream. From the memory's first row: the byte, the rows written.
  logic [RowBits:0]   mine, filled, there, last, stored, ahead;
  logic [PosBits-1:0] far;
  assign mine   = row_q - here;
  assign filled = wrow_q - here;
  assign there  = shown_q - here;
  assign last   = (RowBits+1)'((upto - 1'b1) >> LaneBits) - here;
  assign far    = next_q - {here, LaneBits'(0)};
  assign stored = row_q - rd_row;
  assign ahead  = wrow_q - rd_row;

  // How the window is turned, by lane: see there.
  logic [Bytes-1:0] next_row, turned;
  for (genvar i = 0; i < Bytes; i++) begin : gen_lane
    logic [1:0] place;
    assign place       = dut.lane_q[2:1] + 2'(i / 2);
    assign next_row[i] = dut.gen_near[i].far_q;
    assign turned[i]   = dut.gen_turn[i].at_q == {place[1], ^place};
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (!(we_i && (flush_i || ahead == (RowBits+1)'(Rows))));
      assume (!(flush_i && valid_i));
      if (valid_i) begin
        assume (count_i > (LaneBits+1)'(before_i) && 32'(count_i) <= Bytes);
        // All rows of it were written two cycles ago, or earlier.
        assume (last < there);
      end
    end
    if (!first_q) begin
      a_data:  assert (!due_q || lane_of(data, at_q) == is_q);
      a_goes:  assert (wait_q <= 2'd1);
      // What carries the proof: where the stream is, and the byte in each place that it can be in.
      i_rows:  assert (32'(ahead) <= Rows && dut.here_at_q == here[1:0]);
      i_shown: assert ((wrow_q == shown_q || wrow_q == shown_q + 1'b1) && there <= filled);
      i_far:   assert (32'(far) <= 2 * Bytes);
      i_none:  assert (dut.none_q ? ahead <= (RowBits+1)'(1) : dut.out_q);
      i_wait:  assert (wait_q == '0 || dut.next_q);
      if (live_q) begin
        i_mine:  assert (mine < filled);
        i_mem:   assert (stored >= ahead || lane_of(dut.u_rows.gen_large.mem[row_q[RowBits-1:0]], lane_q) == byte_q);
        i_out:   assert (!(dut.out_q && row_q == rd_row - 1'b1) || lane_of(dut.out_data, lane_q) == byte_q);
        i_next:  assert (!(dut.next_q && row_q == here + 1'b1) || lane_of(dut.next_row_q, lane_q) == byte_q);
        i_here:  assert (row_q != here || lane_of(dut.here_row_q, lane_q) == byte_q);
      end
      if (due_q) begin
        i_due:   assert (src_q == here || (src_q == here + 1'b1 && dut.next_q));
        i_turn:  assert (turned == '1 && dut.lane_q == LaneBits'(from_q - at_q));
        i_row:   assert (next_row[LaneBits'(from_q - LaneBits'(dut.lane_q[0]))] == (src_q != here));
      end
    end
    c_turned: cover (!first_q && due_q && at_q == LaneBits'(1) && lane_q == LaneBits'(Bytes - 1));
    c_ahead:  cover (!first_q && go && dut.ahead && seen);
    c_behind: cover (!first_q && go && dut.behind && seen);
  end
endmodule
