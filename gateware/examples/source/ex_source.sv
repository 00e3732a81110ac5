// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Source: the card makes data and writes it to the host, without the host telling it when. The
// simplest design that fills a link: a counter on the stream, and descriptors from a ring.
// Register 0 of the user's port: frame length in bytes, 0 stops; register 8: frames sent.
module ex_source #(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             reg_valid_i,
  input  logic             reg_write_i,
  input  logic [14:0]      reg_addr_i,
  input  logic [63:0]      reg_wdata_i,
  output logic             reg_ready_o,
  output logic             reg_error_o,
  output logic [63:0]      reg_rdata_o,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic             m_last_o
);
  logic [31:0] length_q, left_q, frames_q, word_q;
  logic        busy_q;

  assign m_valid_o = busy_q;
  assign m_last_o  = left_q <= 32'(Bytes);
  assign m_keep_o  = m_last_o ? ~({Bytes{1'b1}} << left_q) : '1;
  for (genvar i = 0; i < Width / 32; i++) begin : gen_word
    assign m_data_o[i*32+:32] = word_q + 32'(i);
  end

  assign reg_ready_o = reg_valid_i;
  assign reg_error_o = reg_addr_i > 15'd8;
  assign reg_rdata_o = reg_addr_i[3] ? {32'd0, frames_q} : {32'd0, length_q};

  logic unused;
  assign unused = ^reg_wdata_i[63:32];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      length_q <= '0;
      left_q   <= '0;
      frames_q <= '0;
      word_q   <= '0;
      busy_q   <= 1'b0;
    end else begin
      if (reg_valid_i && reg_write_i && reg_addr_i == '0) length_q <= reg_wdata_i[31:0];
      if (!busy_q) begin
        busy_q <= length_q != '0;
        left_q <= length_q;
      end else if (m_ready_i) begin
        word_q <= word_q + 32'(Width / 32);
        left_q <= left_q - 32'(Bytes);
        if (m_last_o) begin
          frames_q <= frames_q + 1'b1;
          left_q   <= length_q;
          busy_q   <= length_q != '0;
        end
      end
    end
  end
endmodule
