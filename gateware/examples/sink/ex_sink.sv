// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Sink: the card takes what the host sends, and can say what it was: bytes, frames, and a sum of
// all 32-bit words, so that a driver can tell whether everything came.
// Register 0: bytes, 8: frames, 16: sum (upper half) and words in error (lower half).
module ex_sink #(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             reg_valid_i,
  input  logic             reg_write_i,
  input  logic [14:0]      reg_addr_i,
  output logic             reg_ready_o,
  output logic             reg_error_o,
  output logic [63:0]      reg_rdata_o,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  input  logic [Bytes-1:0] s_keep_i,
  input  logic             s_last_i,
  input  logic             s_error_i
);
  logic [63:0] bytes_q;
  logic [31:0] frames_q, sum_q, errors_q, sum;
  logic [7:0]  count;

  always_comb begin
    count = '0;
    sum   = '0;
    for (int unsigned i = 0; i < Bytes; i++) begin
      count = count + 8'(s_keep_i[i]);
      if (s_keep_i[i]) sum = sum + (32'(s_data_i[i*8+:8]) << (8 * (i % 4)));
    end
  end

  assign s_ready_o   = 1'b1;
  assign reg_ready_o = reg_valid_i;
  assign reg_error_o = reg_write_i || reg_addr_i > 15'd16;
  assign reg_rdata_o = (reg_addr_i == '0) ? bytes_q : (reg_addr_i == 15'd8) ? {32'd0, frames_q}
                     : {sum_q, errors_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bytes_q  <= '0;
      frames_q <= '0;
      sum_q    <= '0;
      errors_q <= '0;
    end else if (s_valid_i) begin
      bytes_q  <= bytes_q + 64'(count);
      sum_q    <= sum_q + sum;
      frames_q <= frames_q + 32'(s_last_i);
      errors_q <= errors_q + 32'(s_last_i && s_error_i);
    end
  end
endmodule
