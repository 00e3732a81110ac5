// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The elastic buffer: pairs of the clock that was recovered from the line, read with our own. Where it holds too
// much, a pair of two SKPs is not written; where it holds too little, such a pair is read once more. The three SKPs
// of an ordered set hold one such pair wherever it begins. Between two ordered sets, 1538 symbols and a packet
// apart at most, clocks that differ by 600 ppm move by two symbols.
//
// `wr_valid_i` low (the line is idle, or the PHY has lost it) empties it: what comes next is read when some has gathered.
module ls_elastic
  import ls_phy_pkg::*;
#(
  parameter int unsigned Depth = 16,      // pairs; a power of two of at least 8
  localparam int unsigned PtrBits = $clog2(Depth)
) (
  input  logic  wr_clk_i,
  input  logic  wr_rst_ni,
  input  logic  wr_valid_i,
  input  logic  wr_bad_i,                 // a symbol of this pair was none, or of wrong disparity
  input  pair_t wr_pair_i,
  input  logic  rd_clk_i,
  input  logic  rd_rst_ni,
  output logic  valid_o,
  output logic  bad_o,
  output pair_t pair_o,
  output logic  added_o,                  // this pair was read before
  output logic  empty_o                   // ran empty while the line was valid: symbols were lost or doubled
);

  localparam pair_t Skps = {Skp, Skp};
  // What each side counts is late: the writer sees up to three pairs too many, the reader as many too few.
  localparam logic [PtrBits:0] Low  = (PtrBits+1)'(Depth / 4);
  localparam logic [PtrBits:0] High = (PtrBits+1)'(Depth * 3 / 4);

  logic [PtrBits:0] wr_held, rd_held;
  logic [18:0]      head;                   // bad, pair
  logic             wr, rd, again, full, empty, on_q, run_q, again_q;
  (* ASYNC_REG = "TRUE" *) logic on_sync_q, on_seen_q;

  assign wr = wr_valid_i && !(wr_held > High && wr_pair_i == Skps && !wr_bad_i) && !full;
  assign rd = !empty && (run_q || !on_seen_q);
  // Once for each ordered set: the second time it is read for good.
  assign again = run_q && on_seen_q && rd_held < Low && head == {1'b0, Skps} && !again_q;

  ls_async_ring #(.Width(19), .Depth(Depth)) u_ring (
    .wr_clk_i, .wr_rst_ni, .wr_i(wr), .wr_data_i({wr_bad_i, wr_pair_i}), .wr_full_o(full), .wr_held_o(wr_held),
    .rd_clk_i, .rd_rst_ni, .rd_i(rd && !again), .rd_data_o(head), .rd_empty_o(empty), .rd_held_o(rd_held)
  );

  always_ff @(posedge wr_clk_i) on_q <= wr_rst_ni && wr_valid_i;

  always_ff @(posedge rd_clk_i) begin
    if (!rd_rst_ni) begin
      on_sync_q <= 1'b0;
      on_seen_q <= 1'b0;
      run_q     <= 1'b0;
      again_q   <= 1'b0;
      valid_o   <= 1'b0;
      added_o   <= 1'b0;
      empty_o   <= 1'b0;
    end else begin
      on_sync_q <= on_q;
      on_seen_q <= on_sync_q;
      run_q     <= on_seen_q && (run_q ? !empty : rd_held > Low);
      valid_o   <= run_q && on_seen_q && !empty;
      added_o   <= again && !empty;
      empty_o   <= run_q && on_seen_q && empty;
      if (rd) again_q <= again;
    end
  end

  always_ff @(posedge rd_clk_i) {bad_o, pair_o} <= head;

endmodule
