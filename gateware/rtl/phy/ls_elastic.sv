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

  if (Depth < 8 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 8");
  end

  localparam pair_t Skps = {Skp, Skp};
  // What each side counts is late: the writer sees up to three pairs too many, the reader as many too few.
  localparam logic [PtrBits:0] Low  = (PtrBits+1)'(Depth / 4);
  localparam logic [PtrBits:0] High = (PtrBits+1)'(Depth * 3 / 4);

  function automatic logic [PtrBits:0] from_gray(logic [PtrBits:0] gray);
    from_gray = gray;
    for (int unsigned i = 1; i <= PtrBits; i++) from_gray = from_gray ^ (gray >> i);
  endfunction

  logic [18:0] mem [Depth];               // bad, pair
  logic [PtrBits:0] wr_q, wr_gray_q, rd_q, rd_gray_q, wr_next, rd_next, wr_held, rd_held;
  logic             on_q;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] wr_sync_q, wr_seen_q;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits:0] rd_sync_q, rd_seen_q;
  (* ASYNC_REG = "TRUE" *) logic             on_sync_q, on_seen_q;

  assign wr_held = wr_q - from_gray(rd_seen_q);
  assign wr_next = wr_q + 1'b1;

  logic wr;
  assign wr = wr_valid_i && !(wr_held > High && wr_pair_i == Skps && !wr_bad_i) && !wr_held[PtrBits];

  always_ff @(posedge wr_clk_i) if (wr) mem[wr_q[PtrBits-1:0]] <= {wr_bad_i, wr_pair_i};

  always_ff @(posedge wr_clk_i) begin
    if (!wr_rst_ni) begin
      wr_q      <= '0;
      wr_gray_q <= '0;
      rd_sync_q <= '0;
      rd_seen_q <= '0;
      on_q      <= 1'b0;
    end else begin
      on_q <= wr_valid_i;
      if (wr) begin
        wr_q      <= wr_next;
        wr_gray_q <= wr_next ^ (wr_next >> 1);
      end
      rd_sync_q <= rd_gray_q;
      rd_seen_q <= rd_sync_q;
    end
  end

  logic        run_q, again_q, rd, again;
  logic [18:0] head;
  assign rd_held = from_gray(wr_seen_q) - rd_q;
  assign rd_next = rd_q + 1'b1;
  assign head    = mem[rd_q[PtrBits-1:0]];
  assign rd      = rd_held != '0 && (run_q || !on_seen_q);
  // Once for each ordered set: the second time it is read for good.
  assign again   = run_q && on_seen_q && rd_held < Low && head == {1'b0, Skps} && !again_q;

  always_ff @(posedge rd_clk_i) begin
    if (!rd_rst_ni) begin
      rd_q      <= '0;
      rd_gray_q <= '0;
      wr_sync_q <= '0;
      wr_seen_q <= '0;
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
      run_q     <= on_seen_q && (run_q ? rd_held != '0 : rd_held > Low);
      valid_o   <= run_q && on_seen_q && rd_held != '0;
      added_o   <= again && rd_held != '0;
      empty_o   <= run_q && on_seen_q && rd_held == '0;
      if (rd) again_q <= again;
      if (rd && !again) begin
        rd_q      <= rd_next;
        rd_gray_q <= rd_next ^ (rd_next >> 1);
      end
      wr_sync_q <= wr_gray_q;
      wr_seen_q <= wr_sync_q;
    end
  end

  always_ff @(posedge rd_clk_i) {bad_o, pair_o} <= head;

endmodule
