// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Crossbar: what comes from the host goes back to the host or on to another card, and what comes
// from another card goes on to the host or back. Two inputs, two outputs, switched between frames.
// Bit 0 of the setting sends the host's frames to the other card, bit 1 the card's frames to the
// host; both outputs may want the same input's turn, and then take it in turns.
module ex_crossbar #(
  parameter int unsigned Width = 64,
  localparam int unsigned Beat = Width + Width / 8 + 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [1:0]      cross_i,           // input i goes to output 1-i
  input  logic [1:0]      s_valid_i,         // 0: from the host, 1: from the other card
  output logic [1:0]      s_ready_o,
  input  logic [Beat-1:0] s_beat_i [2],      // {last, keep, data}
  output logic [1:0]      m_valid_o,         // 0: to the host, 1: to the other card
  input  logic [1:0]      m_ready_i,
  output logic [Beat-1:0] m_beat_o [2]
);
  // Where an input's frame goes stands still from its first beat to its last.
  logic [1:0] open_q, dst, dst_q;
  logic [1:0] want [2], gnt [2], lock_q [2], sel [2], move;

  for (genvar i = 0; i < 2; i++) begin : gen_in
    assign dst[i]       = open_q[i] ? dst_q[i] : (cross_i[i] ^ (i == 1));
    assign s_ready_o[i] = sel[dst[i]][i] && m_ready_i[dst[i]];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        open_q[i] <= 1'b0;
        dst_q[i]  <= 1'b0;
      end else if (s_valid_i[i]) begin
        dst_q[i]  <= dst[i];
        open_q[i] <= !(s_ready_o[i] && s_beat_i[i][Beat-1]);
      end
    end
  end

  for (genvar o = 0; o < 2; o++) begin : gen_out
    assign want[o]      = {s_valid_i[1] && dst[1] == 1'(o), s_valid_i[0] && dst[0] == 1'(o)};
    assign sel[o]       = (lock_q[o] != '0) ? lock_q[o] : gnt[o];
    assign m_valid_o[o] = (sel[o] & want[o]) != '0;
    assign m_beat_o[o]  = sel[o][1] ? s_beat_i[1] : s_beat_i[0];
    assign move[o]      = m_valid_o[o] && m_ready_i[o];
    ls_arb #(.N(2)) u_turn (
      .clk_i, .rst_ni, .req_i(want[o]), .take_i(lock_q[o] == '0), .gnt_o(gnt[o])
    );
    // A frame that was shown keeps its output until it has gone.
    always_ff @(posedge clk_i) begin
      if (!rst_ni)             lock_q[o] <= '0;
      else if (m_valid_o[o])   lock_q[o] <= (move[o] && m_beat_o[o][Beat-1]) ? '0 : sel[o];
    end
  end
endmodule
