// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Small queue with the head visible without a read cycle (distributed RAM). Everything that waits
// in front of a decision, rather than in front of a wire, waits in one of these.
module ls_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  input  logic                     valid_i,
  output logic                     ready_o,
  input  logic [Width-1:0]         data_i,
  output logic                     valid_o,
  input  logic                     ready_i,
  output logic [Width-1:0]         data_o,
  output logic [$clog2(Depth):0]   used_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 2");
  end

  (* ram_style = "distributed" *) logic [Width-1:0] mem [Depth];
  logic [PtrBits:0] wr_q, rd_q;

  // Empty and full are registers: both ends are often at the start of a long path.
  logic valid_q, full_q, push, pop, last, first;
  logic [PtrBits:0] wr_next, rd_next;
  assign wr_next = wr_q + 1'b1;
  assign rd_next = rd_q + 1'b1;
  assign last    = rd_next == wr_q;                                        // one is left
  assign first   = wr_next == (rd_q ^ (PtrBits+1)'(Depth));                // there is room for one
  assign used_o  = wr_q - rd_q;
  assign ready_o = !full_q;
  assign valid_o = valid_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;
  assign data_o  = mem[rd_q[PtrBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (push) mem[wr_q[PtrBits-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      wr_q    <= '0;
      rd_q    <= '0;
      valid_q <= 1'b0;
      full_q  <= 1'b0;
    end else begin
      if (push) wr_q <= wr_next;
      if (pop)  rd_q <= rd_next;
      valid_q <= push || (pop ? !last : valid_q);
      full_q  <= !pop && (push ? first : full_q);
    end
  end

endmodule
