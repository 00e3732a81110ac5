// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Polls the I/O completion queue where the drive writes it: the next entry is new when its Phase Tag
// is the expected one, which turns each time around. The head doorbell is rung when a quarter of the
// queue was consumed, or nothing is in flight any more: there is room for twice what can be in flight.
module ls_nvme_cq
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Depth = 64,
  localparam int unsigned AtBits = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              run_i,
  input  logic              empty_i,     // nothing is in flight
  input  logic              stall_i,     // what is read in this cycle is not for here
  output logic              re_o,
  output logic [AtBits-1:0] at_o,        // entry; its DWs 2 and 3 come a cycle later
  input  logic [31:0]       dw3_i,
  output logic              cpl_valid_o,
  output logic [15:0]       cpl_cid_o,
  output logic [14:0]       cpl_status_o,
  output logic              bell_valid_o,
  input  logic              bell_ready_i,
  output logic [AtBits-1:0] bell_o
);

  logic [AtBits-1:0] head_q, rung_q, since;
  logic              phase_q, read_q, here_q, news, bell_q;
  logic [31:0]       dw3_q;

  assign re_o = run_i;
  assign at_o = head_q;
  // The memory's output is late: it is looked at a cycle after it came.
  assign news         = here_q && run_i && dw3_q[16] == phase_q;
  assign cpl_cid_o    = dw3_q[15:0];
  assign cpl_status_o = dw3_q[31:17];
  assign cpl_valid_o  = news && !clear_i;
  always_ff @(posedge clk_i) dw3_q <= dw3_i;

  assign since        = head_q - rung_q;
  assign bell_valid_o = run_i && bell_q;
  assign bell_o       = head_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      head_q  <= '0;
      phase_q <= 1'b1;
      read_q  <= 1'b0;
      here_q  <= 1'b0;
      rung_q  <= '0;
      bell_q  <= 1'b0;
    end else begin
      bell_q <= !(bell_valid_o && bell_ready_i) && (since >= AtBits'(Depth / 4) || (empty_i && since != '0));
      read_q <= re_o && !news && !stall_i;        // what was read up to news is the old entry again
      here_q <= read_q && !news;
      if (news) begin
        head_q  <= head_q + 1'b1;
        phase_q <= phase_q ^ (head_q == '1);
      end
      if (bell_valid_o && bell_ready_i) rung_q <= head_q;
    end
  end

endmodule
