// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A log of the steps of the bring-up, for a user who asks why it takes so long or where it goes in circles: of each step whether
// it was begun since the host last looked for its drive, and when it last was, in ticks from then on. A tick is a
// millisecond; the count stops at its end.
module ls_nvme_trail
  import ls_nvme_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   tick_i,
  input  step_e  step_i,      // as it is
  input  step_e  of_i,        // what is asked of, and a cycle later
  output trail_t trail_o
);

  logic [31:0] begun_q;
  logic [15:0] time_q;
  step_e       last_q;
  logic        now;
  assign now = step_i != last_q;
  (* ram_style = "distributed" *) logic [15:0] times [32];
  always_ff @(posedge clk_i) begin
    last_q <= step_i;
    if (!rst_ni) begin
      begun_q <= '0;
      last_q  <= StepIdle;
    end else if (now) begin
      begun_q         <= (step_i == StepFind) ? '0 : begun_q;
      begun_q[step_i] <= 1'b1;
    end
    if (now && step_i == StepFind)   time_q <= '0;
    else if (tick_i && time_q != '1) time_q <= time_q + 1'b1;
    if (now) times[step_i] <= (step_i == StepFind) ? '0 : time_q;
    trail_o <= '{begun: begun_q[of_i], ticks: times[of_i]};
  end

endmodule
