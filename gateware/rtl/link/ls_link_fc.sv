// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The state of the data link layer, from inactive through the two halves of flow control's beginning to active, and
// the credits of virtual channel 0: those that the other end gives, and the DLLPs that tell it of ours.
module ls_link_fc
  import ls_link_pkg::*;
#(
  parameter int unsigned RefreshCycles = 3750     // 30 us: what is finite is told again
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       link_up_i,
  output dl_e        state_o,
  // what came
  input  logic       dllp_valid_i,
  input  dllp_t      dllp_i,
  input  logic       tlp_i,               // a TLP that counts
  // credits, as sums since the link came up; those that were 0 at its beginning are without bound
  input  credits_t   grant_i,             // given by this end
  output credits_t   limit_o,             // given by the other end
  output logic [2:0] free_hdr_o,          // of the other end: without bound
  output logic [2:0] free_data_o,
  // what is to be sent
  output logic       init_o,              // at once
  output logic       update_o,            // one waits
  output logic [8:0] update_age_o,        // clocks since it waits
  output dllp_t      dllp_o,
  input  logic       sent_i
);

  localparam int unsigned RefreshBits = $clog2(RefreshCycles + 1);

  if (RefreshCycles < 64) begin : gen_check
    $error("%m: RefreshCycles must be 64 or more");
  end

  function automatic logic [1:0] after(logic [1:0] of_class);
    return of_class == 2'd2 ? 2'd0 : of_class + 1'b1;
  endfunction

  dl_e        state_q;
  logic [2:0] got_q;                      // classes of which the other end has told
  logic       heard_q, told_q;            // the other end is as far; it knows that we are
  logic [1:0] at_q;                       // the class that is next
  logic [2:0] want_q, again_q, ours_free_q;       // to be told; again for the time that has passed; not at all
  credits_t   told_fc_q;
  logic [RefreshBits-1:0] refresh_q;
  logic       first;

  assign state_o = state_q;

  // ---- what came --------------------------------------------------------------------------------------
  logic       fc;
  logic [1:0] kind, of_class;
  fc_t        came;
  assign kind     = dllp_i[7:6];
  assign of_class = dllp_i[5:4];
  assign fc       = dllp_valid_i && kind != AckNak && of_class != 2'd3 && dllp_i[3:0] == '0;
  assign came     = '{hdr: {dllp_i[13:8], dllp_i[23:22]}, data: {dllp_i[19:16], dllp_i[31:24]}};
  logic unused;                           // the scales of credits: none was agreed on
  assign unused   = &{dllp_i[21:20], dllp_i[15:14]};
  assign first    = state_q == DlInit1 && kind != UpdateFc;

  always_ff @(posedge clk_i) begin
    if (fc && (first || (kind == UpdateFc && state_q inside {DlInit2, DlActive}))) limit_o[of_class] <= came;
    if (fc && first) begin
      free_hdr_o[of_class]  <= came.hdr == '0;
      free_data_o[of_class] <= came.data == '0;
    end
  end

  // ---- the state --------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !link_up_i) begin
      state_q <= DlInactive;
      got_q   <= '0;
      heard_q <= 1'b0;
      told_q  <= 1'b0;
    end else begin
      unique case (state_q)
        DlInactive: state_q <= DlInit1;
        DlInit1:    if (&got_q) state_q <= DlInit2;
        DlInit2:    if (heard_q && told_q) state_q <= DlActive;
        default:    ;
      endcase
      if (fc && first) got_q[of_class] <= 1'b1;
      heard_q <= state_q == DlInit2 && (heard_q || tlp_i || (fc && kind != InitFc1));
      told_q  <= state_q == DlInit2 && (told_q || (sent_i && at_q == 2'd2));
    end
  end

  // ---- what is to be sent -----------------------------------------------------------------------------
  always_ff @(posedge clk_i)
    for (int unsigned i = 0; i < 3; i++) want_q[i] <= !ours_free_q[i] && (again_q[i] || grant_i[i] != told_fc_q[i]);
  assign init_o   = state_q inside {DlInit1, DlInit2};
  assign update_o = state_q == DlActive && want_q[at_q];
  assign dllp_o   = dllp_fc(state_q == DlInit1 ? InitFc1 : state_q == DlInit2 ? InitFc2 : UpdateFc, at_q, grant_i[at_q]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !link_up_i) begin
      at_q         <= '0;
      again_q      <= '0;
      refresh_q    <= '0;
      update_age_o <= '0;
    end else begin
      if (state_q == DlInit1 && &got_q) at_q <= '0;       // all three of the second half
      else if (sent_i || (state_q == DlActive && !want_q[at_q])) at_q <= after(at_q);
      if (state_q == DlActive) refresh_q <= refresh_q == RefreshBits'(RefreshCycles - 1) ? '0 : refresh_q + 1'b1;
      if (sent_i) again_q[at_q] <= 1'b0;
      if (refresh_q == RefreshBits'(RefreshCycles - 1)) again_q <= '1;
      if (state_q != DlActive || (want_q & ~(3'(sent_i) << at_q)) == '0) update_age_o <= '0;
      else if (!(&update_age_o)) update_age_o <= update_age_o + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sent_i) told_fc_q[at_q] <= grant_i[at_q];
    if (sent_i && init_o) ours_free_q[at_q] <= grant_i[at_q] == '0;
  end

endmodule
