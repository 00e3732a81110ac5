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
  input  logic [2:0]  sel_i,
  output logic [31:0] count_o,
  output logic [31:0] span_o     // cycles from the first beat to the last, of what moved since clear
);

  // A register in front: what a cycle was spent on is known late in it.
  use_e        use_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) use_q <= UseIdle;
    else         use_q <= use_i;
  end

  logic [31:0] mem [8];
  logic [31:0] now;
  logic [2:0]  at, sweep_q;
  logic        sweeping_q;

  assign at      = sweeping_q ? sweep_q : use_q;
  assign now     = sweeping_q ? '0 : mem[use_q] + 32'd1;
  assign count_o = mem[sel_i];

  always_ff @(posedge clk_i) mem[at] <= now;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweeping_q <= 1'b1;
      sweep_q    <= '0;
    end else if (clear_i) begin
      sweeping_q <= 1'b1;
      sweep_q    <= '0;
    end else if (sweeping_q) begin
      sweep_q    <= sweep_q + 1'b1;
      sweeping_q <= sweep_q != 3'd7;
    end
  end

  logic [31:0] run_q, span_q;
  logic        moved_q, move;
  assign move   = use_q == UseMove;
  assign span_o = span_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
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
