// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Where the cycles of a channel went: one class per cycle, so the counters add up to the time.
// They live in a small memory, because only one of them moves in any cycle.
module ls_uses
  import ls_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  use_e        use_i,
  input  logic [3:0]  sel_i,     // a class; 8 reads as zero, so that counts of channels can be ORed
  output logic [31:0] count_o,
  output logic [31:0] span_o     // cycles from the first beat to the last, of what moved since clear
);

  // A register in front: what a cycle was spent on is known late in it.
  use_e use_q, now_q;
  always_ff @(posedge clk_i) begin
    use_q <= rst_ni ? use_i : UseIdle;
    now_q <= rst_ni ? use_q : UseIdle;
  end

  // The count of the class that is on, as the memory had it, and the few cycles since; so the sum
  // needs no way around the memory and, when counters are cleared, none around the sum.
  logic [31:0] mem [16];
  logic [31:0] base_q, sum;
  logic [2:0]  few_q;
  logic [3:0]  at, sweep_q;
  logic        sweeping_q, change, wrap;

  assign change  = use_q != now_q;
  assign wrap    = few_q == 3'd7;
  assign sum     = base_q + 32'(few_q);
  assign at      = sweeping_q ? sweep_q : {1'b0, now_q};
  assign count_o = mem[sel_i];

  always_ff @(posedge clk_i) mem[at] <= sum;
  always_ff @(posedge clk_i) begin
    if (sweeping_q)          base_q <= '0;
    else if (change || wrap) base_q <= mem[{1'b0, use_q}];
  end
  always_ff @(posedge clk_i) begin
    if (sweeping_q)  few_q <= '0;
    else if (change) few_q <= 3'd1;
    else if (wrap)   few_q <= 3'd2;       // what was read lacks the cycle that is being written
    else             few_q <= few_q + 3'd1;
  end

  // All eight are cleared one after the other; base and few are zero from the second cycle on, so the
  // first is spent on a place that nobody reads. Reset begins with the zero behind the eight.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      sweeping_q <= 1'b1;
      sweep_q    <= rst_ni ? 4'd15 : 4'd8;
    end else if (sweeping_q) begin
      sweep_q    <= sweep_q + 1'b1;
      sweeping_q <= sweep_q != 4'd7;
    end
  end

  logic [31:0] run_q, span_q;
  logic        moved_q, move;
  assign move   = use_q == UseMove;
  assign span_o = span_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q   <= '0;
      span_q  <= '0;
      moved_q <= 1'b0;
    end else if (clear_i) begin
      run_q   <= '0;
      span_q  <= '0;
      moved_q <= 1'b0;
    end else begin
      if (move) moved_q <= 1'b1;
      if (move || moved_q) run_q <= run_q + 32'd1;
      if (move) span_q <= run_q + 32'd1;
    end
  end


endmodule
