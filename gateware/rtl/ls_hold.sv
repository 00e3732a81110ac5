// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// While bus mastering is off, a function must issue no request. This stops a source between two of
// its TLPs, never inside one, and lets it go on when the host allows it again: nothing is lost. A
// channel that is to be aborted meanwhile must come to its end all the same, so what it still wants
// to send is then taken and dropped.
module ls_hold (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic hold_i,       // start no TLP
  input  logic drop_i,       // and forget those that wait
  input  logic valid_i,
  output logic ready_o,
  input  logic eop_i,
  output logic valid_o,
  input  logic ready_i
);

  logic stop_q, mid_q, drop_q, move, between;

  assign valid_o = valid_i && !stop_q;
  // One that is dropped is dropped whole; whether it is, is not what was decided for the one before it.
  assign ready_o = stop_q ? drop_q && (mid_q || drop_i) : ready_i;
  assign move    = valid_i && ready_o;
  assign between = move ? eop_i : !mid_q && (stop_q || !valid_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stop_q <= 1'b1;
      mid_q  <= 1'b0;
      drop_q <= 1'b0;
    end else begin
      if (move)    mid_q  <= !eop_i;
      if (between) stop_q <= hold_i;
      if (between) drop_q <= hold_i && drop_i;
    end
  end

endmodule
