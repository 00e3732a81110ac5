// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The MSI-X table, its pending bits, and the writes that carry the interrupts. Masked vectors
// stay pending and go out when the mask goes.
module ls_msix
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Vectors = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               enable_i,     // MSI-X Enable and not Function Mask
  input  logic [Vectors-1:0] irq_i,

  input  logic               reg_valid_i,  // one access a cycle, 8 bytes wide
  input  logic               reg_write_i,
  input  logic [7:0]         reg_addr_i,   // table at 0x00, pending bits at 0x80
  input  logic [63:0]        reg_wdata_i,
  input  logic [7:0]         reg_wstrb_i,
  output logic [63:0]        reg_rdata_o,

  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o
);

  localparam int unsigned Words = 2 * Vectors;
  localparam int unsigned VBits = $clog2(Vectors);

  if (Vectors < 2 || Vectors > 8 || (Vectors & (Vectors - 1)) != 0) begin : gen_check
    $error("%m: Vectors must be 2, 4 or 8");
  end

  // The table proper is a small memory; what must be seen of all vectors at once stands beside it.
  logic [31:0]        low_mem [Words], high_mem [Words];
  logic [Vectors-1:0] pend_q, mask_q, ready, pick;
  logic [VBits:0]     word;
  logic               wr, busy_q;
  logic [VBits-1:0]   sel;
  logic [63:0]        addr_q;
  logic [31:0]        data_q;

  assign word = reg_addr_i[3+:VBits+1];
  assign wr   = reg_valid_i && reg_write_i && !reg_addr_i[7];

  always_ff @(posedge clk_i) begin
    if (wr && reg_wstrb_i[0]) low_mem[word]  <= reg_wdata_i[31:0];
    if (wr && reg_wstrb_i[4]) high_mem[word] <= reg_wdata_i[63:32];
  end
  assign reg_rdata_o = reg_addr_i[7] ? 64'(pend_q)
                     : word[0] ? {31'd0, mask_q[word[VBits:1]], low_mem[word]}
                     : {high_mem[word], low_mem[word]};

  assign ready = (enable_i ? pend_q & ~mask_q : '0);
  ls_arb #(.N(Vectors)) u_arb (
    .clk_i, .rst_ni, .req_i(ready), .take_i(!busy_q), .gnt_o(pick)
  );
  always_comb begin
    sel = '0;
    for (int unsigned i = 0; i < Vectors; i++) if (pick[i]) sel = VBits'(i);
  end

  // Two reads of the same memory: address, then data.
  logic load_q;
  logic [VBits-1:0] sel_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_q <= '0;
      mask_q <= '1;
      busy_q <= 1'b0;
      load_q <= 1'b0;
    end else begin
      pend_q <= (pend_q & ~(busy_q ? '0 : pick)) | irq_i;
      if (wr && word[0] && reg_wstrb_i[4]) mask_q[word[VBits:1]] <= reg_wdata_i[32];
      load_q <= !busy_q && (pick != '0);
      if (!busy_q && pick != '0)         busy_q <= 1'b1;
      else if (tx_valid_o && tx_ready_i) busy_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      sel_q  <= sel;
      addr_q <= {high_mem[{sel, 1'b0}], low_mem[{sel, 1'b0}]};
    end
    if (load_q) data_q <= low_mem[{sel_q, 1'b1}];
  end

  assign tx_valid_o = busy_q && !load_q;
  always_comb begin
    tx_hdr_o          = '0;
    tx_hdr_o.kind     = TlpMemWr;
    tx_hdr_o.addr     = {addr_q[63:2], 2'b00};
    tx_hdr_o.len_dw   = 11'd1;
    tx_hdr_o.first_be = 4'hf;
  end
  assign tx_data_o = Width'(data_q);

  logic unused;
  assign unused = ^{reg_wstrb_i, addr_q[1:0], reg_addr_i};

endmodule
