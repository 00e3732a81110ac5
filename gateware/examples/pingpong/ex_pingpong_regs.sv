// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ex_pingpong with its registers at the engine's user port, apart from the engine, so that the same
// design stands behind any top. Register 0: the other card's window; register 8: bit 0 starts a
// round, bit 1 makes this card the echo; register 16: {busy, cycles}.
module ex_pingpong_regs #(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             user_valid_i,    // from the engine's register port
  input  logic             user_write_i,
  input  logic [14:0]      user_addr_i,
  input  logic [63:0]      user_wdata_i,
  output logic             user_ready_o,
  output logic             user_error_o,
  output logic [63:0]      user_rdata_o,
  output logic             busy_o,
  output logic             cmd_valid_o,     // to the card-to-card command port
  input  logic             cmd_ready_i,
  output logic [63:0]      cmd_addr_o,
  output logic [23:0]      cmd_len_o,
  output logic             m_valid_o,       // to the card-to-card stream
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic             m_last_o,
  input  logic             s_valid_i,       // from the window
  output logic             s_ready_o,
  input  logic             s_last_i
);
  logic        start_q, echo_q, busy;
  logic [31:0] cycles;
  logic [63:0] peer_q;

  ex_pingpong #(.Width(Width)) u_pingpong (
    .clk_i, .rst_ni, .start_i(start_q), .echo_i(echo_q), .peer_i(peer_q), .busy_o(busy),
    .cycles_o(cycles), .cmd_valid_o, .cmd_ready_i, .cmd_addr_o, .cmd_len_o, .m_valid_o, .m_ready_i,
    .m_data_o, .m_keep_o, .m_last_o, .s_valid_i, .s_ready_o, .s_last_i
  );

  assign busy_o       = busy;
  assign user_ready_o = user_valid_i;
  assign user_error_o = user_addr_i > 15'd16;
  assign user_rdata_o = user_addr_i[4] ? {31'd0, busy, cycles} : user_addr_i[3] ? {62'd0, echo_q, 1'b0} : peer_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      peer_q  <= '0;
      start_q <= 1'b0;
      echo_q  <= 1'b0;
    end else begin
      start_q <= 1'b0;
      if (user_valid_i && user_write_i) begin
        if (user_addr_i == '0) peer_q <= user_wdata_i;
        else begin
          start_q <= user_wdata_i[0];
          echo_q  <= user_wdata_i[1];
        end
      end
    end
  end
endmodule
