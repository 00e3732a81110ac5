// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Which request leaves its buffer next. A non-posted request waits for the posted ones that came before it, and until
// the one before it is answered: so what waits for room for a completion is never before a posted request.
module ls_tl_order #(
  parameter int unsigned NonPosted = 32   // that wait at most; a power of two
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [1:0] came_i,              // one is in its buffer: posted, non-posted
  input  logic [1:0] valid_i,             // a word of it can be read
  input  logic       idle_i,              // one may begin
  input  logic [1:0] gone_i,              // its last word has left
  input  logic       answered_i,
  output logic [1:0] pick_o,
  output logic [1:0] at_o                 // which is on its way, from its second word on
);

  logic [7:0] came_q, gone_q, stamp, ahead;       // posted
  logic       there, may_q, busy_q, room, unused;
  logic [1:0] pick_q;
  logic [$clog2(NonPosted):0] used;
  assign unused = &{room, used, ahead[6:0]};

  ls_fifo #(.Width(8), .Depth(NonPosted)) u_stamps (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(came_i[1]), .ready_o(room), .data_i(came_q), .valid_o(there), .ready_i(gone_i[1]), .data_o(stamp),
    .used_o(used)
  );
  assign ahead  = gone_q - stamp;
  assign pick_o = !idle_i ? pick_q : may_q ? 2'b10 : {1'b0, valid_i[0]};
  assign at_o   = pick_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      came_q <= '0;
      gone_q <= '0;
      busy_q <= 1'b0;
      pick_q <= '0;
      may_q  <= 1'b0;
    end else begin
      came_q <= came_q + 8'(came_i[0]);
      gone_q <= gone_q + 8'(gone_i[0]);
      busy_q <= (busy_q && !answered_i) || (idle_i && pick_o[1]);
      pick_q <= pick_o;
      // Looked at while none is on its way, for the stamp is its own only then; it stays so until it begins.
      may_q  <= !pick_o[1] && !pick_q[1] && valid_i[1] && there && !busy_q && !ahead[7];
    end
  end

endmodule
