// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// MSI, between the engine and a shim: an interrupt comes as a mark among the writes (`AskMsi`). The
// block sends an MSI on a way of its own, so the mark is kept here until nothing can overtake the
// writes before it; then the block is asked. What comes behind the mark goes on meanwhile.
//
// One that the block does not send (disabled or masked by now, or failed) goes back to the engine,
// where it is pending again: none is lost. If MSI is disabled while the block has one in hand, that
// one goes back, too, whether it was sent or not.
module ls_msi
  import ls_pkg::*;
#(
  parameter int unsigned Idle = 65536    // cycles; see below
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        master_i,          // Bus Master Enable, and D0
  input  logic        enable_i,          // as the block tells it
  input  logic [2:0]  granted_i,
  input  logic [31:0] mask_i,

  input  logic        tx_valid_i,        // writes of the engine; their data passes beside
  output logic        tx_ready_o,
  input  logic        tx_sop_i,
  input  tlp_hdr_t    tx_hdr_i,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  input  logic [1:0]  passed_i,          // so many writes of these no interrupt can overtake any more, from now on

  output logic        ask_o,             // the block is asked, until it answers
  output logic        begin_o,           // in the first cycle of that
  output logic [4:0]  number_o,          // the vector, of those granted
  input  logic        sent_i,            // its answer, a pulse
  input  logic        fail_i,
  output msi_t        msi_o
);

  localparam int unsigned IdleBits = $clog2(Idle + 1);

  // ---- writes that something can still overtake ------------------------------------------------
  logic       mark, full, enters, have_q;
  logic [9:0] out_q, out, before_q;
  assign mark       = tx_valid_i && tx_sop_i && tx_hdr_i.status == AskMsi;
  assign full       = tx_sop_i && &out_q;
  assign tx_valid_o = tx_valid_i && !mark && !full;
  assign tx_ready_o = mark ? !have_q : tx_ready_i && !full;
  assign enters     = tx_valid_o && tx_ready_i && tx_sop_i;
  assign out        = (10'(passed_i) > out_q) ? '0 : out_q - 10'(passed_i);

  // A block may drop what it has when bus mastering is switched off, and not say that it is gone. So
  // after that the count begins anew when nothing has come or gone for as long as `Idle`.
  logic                doubt_q, old;
  logic [IdleBits-1:0] idle_q;
  assign old = 32'(idle_q) == Idle;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_q   <= '0;
      doubt_q <= 1'b0;
      idle_q  <= '0;
    end else begin
      out_q   <= (doubt_q && old) ? 10'(enters) : out + 10'(enters);
      doubt_q <= !master_i || (doubt_q && !old);
      idle_q  <= (tx_valid_o || passed_i != '0 || !master_i) ? '0 : old ? idle_q : idle_q + 1'b1;
    end
  end

  // ---- the one that waits, or that the block has ---------------------------------------------------
  logic       ask_q, off_q, may, give_up;
  logic [3:0] vector_q;
  logic [4:0] number, number_q;
  assign number  = alias_of({1'b0, vector_q}, granted_i);
  assign may     = enable_i && !mask_i[number];
  assign give_up = have_q && !ask_q && !may;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      have_q <= 1'b0;
      ask_q  <= 1'b0;
    end else begin
      if (mark && !have_q) have_q <= 1'b1;
      else if (give_up || (ask_q && (sent_i || fail_i))) have_q <= 1'b0;
      if (ask_q) ask_q <= !(sent_i || fail_i);
      else       ask_q <= have_q && may && master_i && before_q == '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!have_q) vector_q <= tx_hdr_i.tag[3:0];
    if (!ask_q)  number_q <= number;
    begin_o <= rst_ni && !ask_q && have_q && may && master_i && before_q == '0;
    off_q   <= ask_q && (off_q || !enable_i);
    if (!have_q || (doubt_q && old)) before_q <= (doubt_q && old) ? '0 : out;
    else before_q <= (10'(passed_i) > before_q) ? '0 : before_q - 10'(passed_i);
  end
  assign ask_o    = ask_q;
  assign number_o = number_q;
  assign msi_o    = '{
    enable:  enable_i,
    granted: granted_i,
    mask:    mask_i,
    back:    give_up || (ask_q && (fail_i || (sent_i && (off_q || !enable_i)))),
    vector:  vector_q
  };

  logic unused;
  assign unused = ^tx_hdr_i;

endmodule
