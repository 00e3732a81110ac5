// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs on their way in, in block RAM: the words of one are written as they come, and only when its end says that it
// counts they can be read. The output of the RAM is the word that is next.
module ls_tl_buffer #(
  parameter int unsigned Bytes = 4096     // a power of two of at least 1024
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic [15:0] word_i,
  input  logic        keep_i,             // behind the last word
  input  logic        forget_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [15:0] word_o
);

  localparam int unsigned Words   = Bytes / 2;
  localparam int unsigned PtrBits = $clog2(Words);

  if (Bytes < 1024 || (Bytes & (Bytes - 1)) != 0) begin : gen_check
    $error("%m: Bytes must be a power of two of at least 1024");
  end

  logic [PtrBits:0] wr_q, kept_q, rd_q, used;
  logic             push, pull;
  assign used   = wr_q - rd_q;
  assign push   = valid_i && !used[PtrBits];         // what is longer than any TLP is forgotten at its end
  assign pull   = kept_q != rd_q && (!valid_o || ready_i);

  ls_ram #(.Bytes(2), .Depth(Words), .Apart(1'b1)) u_words (
    .clk_i, .we_i({2{push}}), .waddr_i(wr_q[PtrBits-1:0]), .wdata_i(word_i), .re_i(pull), .raddr_i(rd_q[PtrBits-1:0]), .rdata_o(word_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      kept_q  <= '0;
      rd_q    <= '0;
      valid_o <= 1'b0;
    end else begin
      if (forget_i) wr_q <= kept_q;
      else if (push) wr_q <= wr_q + 1'b1;
      if (keep_i) kept_q <= wr_q;
      if (pull) rd_q <= rd_q + 1'b1;
      valid_o <= pull || (valid_o && !ready_i);
    end
  end

endmodule
