// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Between a master and the model of a memory: which of a write's address and data the memory takes first. All are
// legal (AXI4 A3.3.1), so a master that waits with one for the other stands still with one of them.
module axi_order (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [1:0] order_i,       // 0: as they come; 1: data after its address; 2: the address after all of its data; 3: both at once
  input  logic       aw_valid_i,    // the master's
  output logic       aw_ready_o,
  input  logic       w_valid_i,
  input  logic       w_last_i,
  output logic       w_ready_o,
  output logic       aw_valid_o,    // the memory's
  input  logic       aw_ready_i,
  output logic       w_valid_o,
  input  logic       w_ready_i
);

  // Addresses taken less data taken, in bursts; the data of one is taken in part.
  logic signed [7:0] ahead_q;
  logic              part_q, aw, w, first, pass_aw, pass_w;
  assign first = !part_q && ahead_q == '0;
  always_comb begin
    pass_aw = 1'b1;
    pass_w  = 1'b1;
    case (order_i)
      2'd1:    pass_w  = ahead_q > 0;
      2'd2:    {pass_aw, pass_w} = {ahead_q < 0, ahead_q >= 0};
      2'd3:    {pass_aw, pass_w} = {first && w_valid_i && w_ready_i, (first && aw_valid_i && aw_ready_i) || part_q || ahead_q > 0};
      default: ;
    endcase
  end
  assign aw_valid_o = aw_valid_i && pass_aw;
  assign aw_ready_o = aw_ready_i && pass_aw;
  assign w_valid_o  = w_valid_i && pass_w;
  assign w_ready_o  = w_ready_i && pass_w;
  assign aw         = aw_valid_o && aw_ready_i;
  assign w          = w_valid_o && w_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_q <= '0;
      part_q  <= 1'b0;
    end else begin
      ahead_q <= ahead_q + 8'(aw) - 8'(w && w_last_i);
      if (w) part_q <= !w_last_i;
    end
  end

endmodule
