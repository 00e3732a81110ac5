// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two registers on a stream, so that neither valid nor ready crosses it in the same cycle: where
// a path would otherwise run through several modules, this ends it without costing a beat.
module ls_skid #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic             full_q, spare_q;
  logic [Width-1:0] data_q, hold_q;

  assign ready_o = !spare_q;
  assign valid_o = full_q;
  assign data_o  = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q  <= 1'b0;
      spare_q <= 1'b0;
    end else if (!full_q || ready_i) begin
      full_q  <= spare_q || valid_i;
      spare_q <= 1'b0;
    end else if (valid_i && ready_o) begin
      spare_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!full_q || ready_i) data_q <= spare_q ? hold_q : data_i;
    if (valid_i && ready_o) hold_q <= data_i;
  end

endmodule
