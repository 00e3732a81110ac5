// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// At 128 bit the 7-series block may begin a TLP in the upper half of the beat in which another
// ends. Here every TLP begins in lane 0 again: such a beat is given out as the end of the first,
// and the second is moved down by half a beat until it ends.
module ls_unstraddle (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         valid_i,
  output logic         ready_o,
  input  logic [127:0] data_i,
  input  logic         sof_i,
  input  logic         sof_high_i,   // it begins at DW 2
  input  logic         eof_i,        // a TLP ends in this beat,
  input  logic         eof_high_i,   // in DW 2 or 3
  input  logic [7:0]   side_i,
  output logic         valid_o,
  input  logic         ready_i,
  output logic [127:0] data_o,
  output logic [7:0]   side_o
);

  logic        half_q, tail_q;    // moved down; the last half waits to be given out
  logic [63:0] hold_q;
  logic [7:0]  side_q;
  logic        high, begins;

  assign begins = sof_i && sof_high_i;
  // While moved down, a beat completes the half that waits. A TLP that begins high and ends in the
  // same beat cannot be: three header DWs do not fit.
  assign high    = half_q && !tail_q;
  assign data_o  = tail_q ? {64'd0, hold_q} : half_q ? {data_i[63:0], hold_q} : data_i;
  assign side_o  = half_q || tail_q ? side_q : side_i;
  // A beat in which a TLP only begins, high, gives nothing out.
  logic quiet;
  assign quiet   = begins && !half_q && !eof_i;
  assign valid_o = tail_q || (valid_i && !quiet);
  assign ready_o = !tail_q && (quiet || ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      half_q <= 1'b0;
      tail_q <= 1'b0;
    end else if (tail_q) begin
      if (ready_i) tail_q <= 1'b0;
    end else if (valid_i && ready_o) begin
      if (begins) begin
        half_q <= 1'b1;
      end else if (high && eof_i) begin
        half_q <= 1'b0;
        tail_q <= eof_high_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      hold_q <= data_i[127:64];
      if (sof_i) side_q <= side_i;
    end
  end
endmodule
