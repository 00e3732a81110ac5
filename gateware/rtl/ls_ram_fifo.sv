// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A queue for a stream, in block RAM: as deep as a device has room for, a beat in and a beat out every
// cycle. The head is in the memory's output register, so the first beat of an empty queue shows two
// cycles after it was taken. For a queue of a few entries, whose head must be seen at once, see ls_fifo.
module ls_ram_fifo #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 1024,      // beats of the memory; the output register holds one more
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

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_check
    $error("%m: Depth must be a power of two of at least 2");
  end

  logic [PtrBits:0] wr_q, rd_q, used;
  logic             push, load;
  assign used    = wr_q - rd_q;
  assign ready_o = !used[PtrBits];
  assign push    = valid_i && ready_o;
  assign load    = used != '0 && (!valid_o || ready_i);

  ls_ram #(.Bytes(Width / 8), .Depth(Depth)) u_ram (
    .clk_i, .we_i({(Width/8){push}}), .waddr_i(wr_q[PtrBits-1:0]), .wdata_i(data_i), .re_i(load),
    .raddr_i(rd_q[PtrBits-1:0]), .rdata_o(data_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      valid_o <= 1'b0;
    end else begin
      if (push) wr_q <= wr_q + 1'b1;
      if (load) rd_q <= rd_q + 1'b1;
      valid_o <= load || (valid_o && !ready_i);
    end
  end

endmodule
