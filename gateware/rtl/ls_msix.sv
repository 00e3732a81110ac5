// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// MSI-X: which vectors are pending, which are masked, and which goes next. Masked vectors stay
// pending and go out when the mask goes. The table itself is in ls_reg_ram; ls_messages sends. With
// `Msi`, the same for MSI while the host has enabled that: masks are the block's then. While neither
// is enabled nothing goes, and all stays pending.
module ls_msix
  import ls_pkg::*;
#(
  parameter int unsigned Vectors = 4,
  parameter bit          Msi     = 1'b0,
  localparam int unsigned VBits  = $clog2(Vectors)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               enable_i,     // MSI-X Enable and not Function Mask
  input  msi_t               msi_i,        // enabled only while the host lets the card write
  input  logic [Vectors-1:0] irq_i,

  input  logic               mask_we_i,    // a vector's mask is written
  input  logic [VBits-1:0]   mask_at_i,
  input  logic               mask_i,
  output logic [Vectors-1:0] mask_o,
  output logic [Vectors-1:0] pending_o,

  output logic               irq_valid_o,
  input  logic               irq_sent_i,
  output logic [VBits-1:0]   irq_vector_o,
  output logic               irq_msi_o     // by MSI
);

  if (Vectors < 2 || Vectors > 16 || (Vectors & (Vectors - 1)) != 0) begin : gen_check
    $error("%m: Vectors must be 2, 4, 8 or 16");
  end

  logic [Vectors-1:0] pend_q, mask_q, ready, pick;
  logic               busy_q, start;
  logic [VBits-1:0]   sel, sel_q;

  logic enable_q;
  always_ff @(posedge clk_i) enable_q <= enable_i;
  if (Msi) begin : gen_msi
    // The host may grant fewer than there are: then the lower bits of a vector are its number.
    logic [Vectors-1:0] may_q;
    logic               msi_q;
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Vectors; i++) may_q[i] <= msi_i.enable && !msi_i.mask[alias_of(5'(i), msi_i.granted)];
      if (!busy_q) msi_q <= !enable_q;
    end
    assign ready     = pend_q & (enable_q ? ~mask_q : may_q);
    assign irq_msi_o = msi_q;
  end else begin : gen_none
    assign ready     = enable_q ? pend_q & ~mask_q : '0;
    assign irq_msi_o = 1'b0;
  end
  assign start = !busy_q && (ready != '0);
  ls_arb #(.N(Vectors)) u_arb (
    .clk_i, .rst_ni, .req_i(ready), .take_i(!busy_q), .gnt_o(pick)
  );
  always_comb begin
    sel = '0;
    for (int unsigned i = 0; i < Vectors; i++) if (pick[i]) sel |= VBits'(i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pend_q <= '0;
      mask_q <= '1;
      busy_q <= 1'b0;
    end else begin
      pend_q <= (pend_q & ~(busy_q ? '0 : pick)) | irq_i;
      if (mask_we_i) mask_q[mask_at_i] <= mask_i;
      if (start)           busy_q <= 1'b1;
      else if (irq_sent_i) busy_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (!busy_q) sel_q <= sel;

  assign irq_valid_o  = busy_q;
  assign irq_vector_o = sel_q;
  assign mask_o       = mask_q;
  assign pending_o    = pend_q;

  logic unused;
  assign unused = ^msi_i;

endmodule
