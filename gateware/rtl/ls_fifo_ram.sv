// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A queue of wide rows in block RAM, with the head visible: the output of the RAM is the last row of the
// queue, read ahead of need. For streams that wait in front of a turn; what is small waits in an ls_fifo.
module ls_fifo_ram #(
  parameter int unsigned Width = 128,              // a multiple of 8
  parameter int unsigned Depth = 256,              // rows; a power of two of at least 2
  localparam int unsigned PtrBits = $clog2(Depth)
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

  if (Depth < 2 || (Depth & (Depth - 1)) != 0 || Width % 8 != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 2, Width a multiple of 8");
  end

  logic [PtrBits:0] wr_q, rd_q, used;
  logic             push, pull;
  assign used    = wr_q - rd_q;
  assign ready_o = !used[PtrBits];
  assign push    = valid_i && ready_o;
  assign pull    = used != '0 && (!valid_o || ready_i);

  ls_ram #(.Bytes(Width / 8), .Depth(Depth), .Apart(1'b1)) u_rows (
    .clk_i, .we_i({(Width/8){push}}), .waddr_i(wr_q[PtrBits-1:0]), .wdata_i(data_i), .re_i(pull),
    .raddr_i(rd_q[PtrBits-1:0]), .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      valid_o <= 1'b0;
    end else begin
      if (push) wr_q <= wr_q + 1'b1;
      if (pull) rd_q <= rd_q + 1'b1;
      valid_o <= pull || (valid_o && !ready_i);
    end
  end

endmodule
