// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Single-cycle pulses to another clock. Pulses closer than a few cycles of the slower clock may
// merge into one: for interrupts that means the same.
module ls_pulse_cross (
  input  logic from_clk_i,
  input  logic from_rst_ni,
  input  logic pulse_i,
  input  logic to_clk_i,
  input  logic to_rst_ni,
  output logic pulse_o
);

  logic turn_q, seen_q, pend_q;
  (* ASYNC_REG = "TRUE" *) logic [1:0] sync_q, back_q;

  // A pulse that comes while one is on its way waits for it.
  always_ff @(posedge from_clk_i) begin
    if (!from_rst_ni) begin
      turn_q <= 1'b0;
      pend_q <= 1'b0;
      back_q <= '0;
    end else begin
      back_q <= {back_q[0], seen_q};
      if ((pulse_i || pend_q) && turn_q == back_q[1]) begin
        turn_q <= !turn_q;
        pend_q <= 1'b0;
      end else if (pulse_i) begin
        pend_q <= 1'b1;
      end
    end
  end

  assign pulse_o = sync_q[1] != seen_q;
  always_ff @(posedge to_clk_i) begin
    if (!to_rst_ni) begin
      sync_q <= '0;
      seen_q <= 1'b0;
    end else begin
      sync_q <= {sync_q[0], turn_q};
      seen_q <= sync_q[1];
    end
  end

endmodule
