// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A function-level reset, between the engine and a shim. The engine's TLPs that have begun are ended,
// none begins; what arrives for the function is dropped. Then the engine is reset, both of its
// clocks, while the shim and the block go on. It stays so for `Rest` cycles, in which completions of
// what it had asked for come in and are dropped, too; then the block is told.
//
// The standard gives a function 100 ms and has software wait as long, so a rest of half of that
// delays nobody, and is longer than most hosts take to answer or to give up.
module ls_flr #(
  parameter bit          TwoClocks = 1'b0,
  parameter int unsigned Rest      = 12_500_000    // cycles: 50 ms at 250 MHz
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic user_clk_i,
  input  logic user_rst_ni,
  input  logic flr_i,             // pulse or level: the function is to be reset
  output logic flr_done_o,        // pulse: it has been
  output logic core_rst_no,       // resets of the engine: of the block's clock,
  output logic core_user_rst_no,  // and of the user's

  // out: tx, rq, cpl
  input  logic [2:0] out_valid_i,
  output logic [2:0] out_ready_o,
  input  logic [2:0] out_eop_i,
  output logic [2:0] out_valid_o,
  input  logic [2:0] out_ready_i,

  // in: rx_req, rx_cpl
  input  logic [1:0] in_valid_i,
  output logic [1:0] in_ready_o,
  input  logic [1:0] in_eop_i,
  output logic [1:0] in_valid_o,
  input  logic [1:0] in_ready_i
);

  localparam int unsigned Bits = $clog2(Rest + 1);

  if (Rest < 64) begin : gen_check
    $error("%m: Rest must be at least 64 cycles: the reset has to reach a slower clock");
  end

  typedef enum logic [1:0] {StRun, StStop, StRest} state_e;
  state_e          state_q;
  logic [Bits-1:0] left_q;
  logic            reset_q, seen_q, start;
  logic [2:0]      stop_q, mid_q;
  logic [1:0]      gate_q, in_mid_q;

  // ---- out: no TLP begins, one that is shown or has begun is ended --------------------------------
  for (genvar i = 0; i < 3; i++) begin : gen_out
    logic move, between;
    assign out_valid_o[i] = out_valid_i[i] && !stop_q[i];
    assign out_ready_o[i] = out_ready_i[i] && !stop_q[i];
    assign move    = out_valid_o[i] && out_ready_i[i];
    assign between = move ? out_eop_i[i] : !mid_q[i] && (stop_q[i] || !out_valid_i[i]);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        stop_q[i] <= 1'b0;
        mid_q[i]  <= 1'b0;
      end else begin
        if (move)    mid_q[i]  <= !out_eop_i[i];
        if (between) stop_q[i] <= state_q != StRun;
      end
    end
  end

  // ---- in: from the reset on taken and dropped, the rest of one that was half given out as well -----
  for (genvar i = 0; i < 2; i++) begin : gen_in
    logic move;
    assign in_valid_o[i] = in_valid_i[i] && !gate_q[i];
    assign in_ready_o[i] = in_ready_i[i] || gate_q[i];
    assign move = in_valid_i[i] && in_ready_o[i];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        gate_q[i]   <= 1'b0;
        in_mid_q[i] <= 1'b0;
      end else begin
        if (move) in_mid_q[i] <= !in_eop_i[i];
        if (start || reset_q)                                             gate_q[i] <= 1'b1;
        else if (move ? in_eop_i[i] : !in_mid_q[i] && !in_valid_i[i])     gate_q[i] <= 1'b0;
      end
    end
  end

  // ---- the order of things -----------------------------------------------------------------------
  assign start = state_q == StStop && &stop_q;
  always_ff @(posedge clk_i) begin
    seen_q     <= flr_i;
    flr_done_o <= 1'b0;
    if (!rst_ni) begin
      state_q <= StRun;
      reset_q <= 1'b0;
      seen_q  <= 1'b0;
    end else begin
      unique case (state_q)
        StRun: if (flr_i && !seen_q) state_q <= StStop;
        StStop: begin
          left_q <= Bits'(Rest);
          if (start) begin
            state_q <= StRest;
            reset_q <= 1'b1;
          end
        end
        default: begin
          left_q <= left_q - 1'b1;
          if (left_q == '0) begin
            state_q    <= StRun;
            reset_q    <= 1'b0;
            flr_done_o <= 1'b1;
          end
        end
      endcase
    end
  end

  assign core_rst_no = rst_ni && !reset_q;

  if (TwoClocks) begin : gen_two
    (* ASYNC_REG = "TRUE" *) logic [1:0] user_q;
    always_ff @(posedge user_clk_i) user_q <= {user_q[0], reset_q};
    assign core_user_rst_no = user_rst_ni && !user_q[1];
  end else begin : gen_one
    assign core_user_rst_no = core_rst_no;
    logic unused;
    assign unused = user_clk_i ^ user_rst_ni;
  end

endmodule
