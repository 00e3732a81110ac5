// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Ping-pong: how long does a write from this card to another take? On start it sends a frame of
// one beat to the other card's window and counts cycles until a frame comes back; with `echo_i`
// it sends back whatever comes. The timer is in hardware, so no software is in the figure.
module ex_pingpong #(
  parameter int unsigned Width = 64,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  logic             echo_i,
  input  logic [63:0]      peer_i,        // bus address of the other card's window
  output logic             busy_o,
  output logic [31:0]      cycles_o,      // there and back, of the last round
  output logic             cmd_valid_o,   // to the card-to-card command port
  input  logic             cmd_ready_i,
  output logic [63:0]      cmd_addr_o,
  output logic [23:0]      cmd_len_o,
  output logic             m_valid_o,     // to the card-to-card stream
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,
  output logic [Bytes-1:0] m_keep_o,
  output logic             m_last_o,
  input  logic             s_valid_i,     // from the window
  output logic             s_ready_o,
  input  logic             s_last_i
);
  logic        cmd_q, data_q, busy_q, send, back;
  logic [31:0] count_q, cycles_q;

  assign back = s_valid_i && s_last_i && s_ready_o;
  assign send = (start_i && !busy_q) || (echo_i && back);
  // One answer at a time: the next frame waits until the last answer has left.
  assign s_ready_o   = !cmd_q && !data_q;
  assign cmd_valid_o = cmd_q;
  assign cmd_addr_o  = peer_i;
  assign cmd_len_o   = 24'(Bytes);
  assign m_valid_o   = data_q;
  assign m_data_o    = '0;
  assign m_keep_o    = '1;
  assign m_last_o    = 1'b1;
  assign busy_o      = busy_q;
  assign cycles_o    = cycles_q;


  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cmd_q    <= 1'b0;
      data_q   <= 1'b0;
      busy_q   <= 1'b0;
      count_q  <= '0;
      cycles_q <= '0;
    end else begin
      if (send)                            cmd_q  <= 1'b1;
      else if (cmd_valid_o && cmd_ready_i) cmd_q  <= 1'b0;
      if (send)                            data_q <= 1'b1;
      else if (m_valid_o && m_ready_i)     data_q <= 1'b0;
      if (start_i && !busy_q) begin
        busy_q  <= 1'b1;
        count_q <= '0;
      end else if (busy_q) begin
        count_q <= count_q + 1'b1;
        if (back && !echo_i) begin
          busy_q   <= 1'b0;
          cycles_q <= count_q;
        end
      end
    end
  end
endmodule
