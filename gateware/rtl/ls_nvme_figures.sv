// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The figures of record and play: for each 2**GigLog2 bytes of the user's stream how many cycles they
// took, how many of these the user waited for us, how many without a break, and how much was in the
// buffer at most. It counts what it is told each cycle and decides nothing.
//
// A piece begins after the last beat of the one before it, the first with the first cycle in which a
// beat was wanted: so the pieces' cycles add up, and a wait between two pieces belongs to the later one.
// The last, which may be shorter, ends with the last cycle of `active_i`.
// The counters stop at their ends together, with `cycles`: none of the others can pass it.
module ls_nvme_figures
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Bytes   = 8,         // of a beat
  parameter int unsigned GigLog2 = 30
) (
  input  logic        clk_i,
  input  logic        clear_i,      // before a start, and in reset
  input  logic        active_i,     // time counts
  input  logic        wanted_i,     // a beat is wanted; what comes before the first such cycle is not counted
  input  logic        moved_i,      // it goes
  input  logic        end_i,        // a piece that has begun is all there will be; after the last beat
  input  logic [39:0] level_i,      // bytes in the buffer
  output logic        valid_o,      // pulse; fig_o stays until the next
  output record_fig_t fig_o
);

  localparam int unsigned BeatBits = GigLog2 - $clog2(Bytes);

  if (GigLog2 <= $clog2(Bytes) || GigLog2 > 38) begin : gen_check
    $error("%m: GigLog2 must be more than a beat and at most 38");
  end

  record_fig_t         now, sum_q;            // of the piece so far, this cycle included or not
  logic [BeatBits-1:0] beats_q;
  logic [47:0]         run_q, run;            // of the wait that goes on
  logic                begun_q, count, stall, full, some, ends;

  assign count = active_i && (begun_q || wanted_i) && sum_q.cycles != '1;
  assign stall = wanted_i && !moved_i;
  assign run   = run_q + 48'd1;
  assign full  = moved_i && beats_q == '1;
  assign some  = beats_q != '0;
  assign ends  = full || (end_i && some);

  always_comb begin
    now = sum_q;
    if (moved_i) now.bytes = sum_q.bytes + 40'(Bytes);
    if (count) begin
      now.cycles = sum_q.cycles + 48'd1;
      if (stall) begin
        now.stalled = sum_q.stalled + 48'd1;
        if (run > sum_q.longest) now.longest = run;
      end
    end
    if (level_i > sum_q.high) now.high = level_i;
  end

  always_ff @(posedge clk_i) begin
    valid_o <= ends && !clear_i;
    if (ends) fig_o <= end_i ? sum_q : now;
    run_q   <= (stall && count) ? run : '0;
    beats_q <= beats_q + BeatBits'(moved_i);
    sum_q   <= now;
    begun_q <= begun_q || wanted_i;
    if (ends) begin
      sum_q        <= '0;
      sum_q.number <= sum_q.number + 32'd1;
    end
    if (clear_i) begin
      sum_q   <= '0;
      run_q   <= '0;
      beats_q <= '0;
      begun_q <= 1'b0;
    end
  end

endmodule
