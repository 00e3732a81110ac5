// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Register accesses to another clock, one at a time. An access that is given up on this side (its
// guard ran out) is still finished on the other; its answer is then dropped, so that it cannot be
// taken for that of the next.
module ls_reg_cross (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic        write_i,
  input  logic [14:0] addr_i,
  input  logic [63:0] wdata_i,
  input  logic [7:0]  wstrb_i,
  output logic        ready_o,
  output logic        error_o,
  output logic [63:0] rdata_o,

  input  logic        user_clk_i,
  input  logic        user_rst_ni,
  output logic        user_valid_o,
  output logic        user_write_o,
  output logic [14:0] user_addr_o,
  output logic [63:0] user_wdata_o,
  output logic [7:0]  user_wstrb_o,
  input  logic        user_ready_i,
  input  logic        user_error_i,
  input  logic [63:0] user_rdata_i
);

  // Each side turns its own bit over to say "new"; what it says with it stands still meanwhile.
  logic ask_q, answer_q, given_up_q, busy;
  logic [87:0] req_q;
  logic [64:0] rsp_q;
  (* ASYNC_REG = "TRUE" *) logic [1:0] answer_sync_q, ask_sync_q;

  assign busy    = ask_q != answer_sync_q[1];
  assign ready_o = valid_i && pend_q && !busy && !given_up_q;
  assign {error_o, rdata_o} = rsp_q;

  logic pend_q;    // an access is out, or its answer has just come
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ask_q         <= 1'b0;
      pend_q        <= 1'b0;
      given_up_q    <= 1'b0;
      answer_sync_q <= '0;
    end else begin
      answer_sync_q <= {answer_sync_q[0], answer_q};
      if (!pend_q) begin
        if (valid_i) begin
          pend_q <= 1'b1;
          ask_q  <= !ask_q;
        end
      end else begin
        if (!valid_i) given_up_q <= 1'b1;
        if (!busy) begin
          pend_q     <= 1'b0;
          given_up_q <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) if (!pend_q && valid_i) req_q <= {write_i, wstrb_i, addr_i, wdata_i};

  logic work_q;
  assign {user_write_o, user_wstrb_o, user_addr_o, user_wdata_o} = req_q;
  assign user_valid_o = work_q;
  always_ff @(posedge user_clk_i) begin
    if (!user_rst_ni) begin
      ask_sync_q <= '0;
      work_q     <= 1'b0;
      answer_q   <= 1'b0;
    end else begin
      ask_sync_q <= {ask_sync_q[0], ask_q};
      if (!work_q) begin
        work_q <= ask_sync_q[1] != answer_q;
      end else if (user_ready_i) begin
        work_q   <= 1'b0;
        answer_q <= !answer_q;
      end
    end
  end
  always_ff @(posedge user_clk_i) if (work_q && user_ready_i) rsp_q <= {user_error_i, user_rdata_i};

endmodule
