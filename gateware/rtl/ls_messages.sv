// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The small writes that the engine makes on its own account: completion records of all channels
// and MSI-X interrupts. They are rare, so they share one way: one is sent at a time, and its
// address is read from the register memory (so is an interrupt's data). An MSI takes the same way as a
// mark for ls_msi, which knows what to do with it.
module ls_messages
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Vectors = 4,
  parameter int unsigned H2c     = 1,          // the first rings; the others are card to host
  parameter int unsigned Rings   = 2,
  parameter int unsigned AtBits  = 5,
  parameter bit          Msi     = 1'b0,
  localparam int unsigned RingBits = $clog2(Rings),
  localparam int unsigned VBits  = $clog2(Vectors)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic [Rings-1:0]   rec_valid_i,   // a record, its place in the ring of records
  output logic [Rings-1:0]   rec_sent_o,    // pulse
  input  logic [Rings-1:0][127:0] rec_data_i,
  input  logic [Rings-1:0][15:0] rec_slot_i,
  input  logic               irq_valid_i,   // an interrupt
  output logic               irq_sent_o,
  input  logic [VBits-1:0]   irq_vector_i,
  input  logic               irq_msi_i,     // it is one for the block to send

  output logic               ram_re_o,      // reads of the register memory: see ls_reg_ram
  input  logic               ram_ok_i,
  output logic [AtBits-1:0]  ram_at_o,
  input  logic [63:0]        ram_data_i,

  output logic [Rings:0]     who_o,         // what is sent, one-hot: a record of a ring; last, an interrupt
  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o
);

  logic [Rings:0] pick, who_q;
  logic [RingBits-1:0] ring;
  logic        is_irq, is_msi;
  logic        idle, last, out, beat_q, loaded_q;
  logic        second_q, asked_q, got_q, data_q;    // of reads: the second is next, none is left; what is here
  logic [63:2] addr_q;
  logic [31:0] value_q;                             // of an interrupt
  logic [15:0] slot;

  ls_arb #(.N(Rings + 1)) u_turn (
    .clk_i, .rst_ni, .req_i({irq_valid_i, rec_valid_i}), .take_i(idle), .gnt_o(pick)
  );
  // Chosen, then its address is read, and an interrupt's data, then it is sent.
  assign idle = who_q == '0;
  assign last = !is_irq || second_q;
  assign out  = tx_valid_o && tx_ready_i && tx_eop_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      who_q    <= '0;
      second_q <= 1'b0;
      asked_q  <= 1'b0;
      got_q    <= 1'b0;
      loaded_q <= 1'b0;
    end else begin
      if (idle || out) who_q <= out ? '0 : pick;
      if (ram_ok_i)    second_q <= !last;
      asked_q  <= !out && (asked_q || (ram_ok_i && last));
      got_q    <= ram_ok_i;
      loaded_q <= !out && (loaded_q || is_msi || (got_q && asked_q));
    end
  end

  logic [AtBits-4:0] page;
  assign is_irq   = who_q[Rings];
  assign is_msi   = Msi && is_irq && irq_msi_i;
  assign ram_re_o = !idle && !asked_q && !is_msi;
  assign ram_at_o = is_irq ? AtBits'(table_place(5'({irq_vector_i, second_q}))) : {page, 3'd2};
  always_comb begin
    page = '0;
    slot = '0;
    ring = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (who_q[r]) begin
        page |= (AtBits-3)'(ring_page(r, H2c));
        slot |= rec_slot_i[r];
        ring |= RingBits'(r);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    data_q <= second_q;
    if (got_q && !data_q) addr_q  <= ram_data_i[63:2] | {44'd0, slot, 2'd0};
    if (got_q)            value_q <= ram_data_i[31:0];
  end

  always_comb begin
    tx_hdr_o          = '0;
    tx_hdr_o.kind     = TlpMemWr;
    tx_hdr_o.addr     = {addr_q, 2'b00};
    tx_hdr_o.len_dw   = is_irq ? 11'd1 : 11'd4;
    tx_hdr_o.first_be = 4'hf;
    tx_hdr_o.last_be  = is_irq ? 4'h0 : 4'hf;
    if (is_msi) begin
      tx_hdr_o.addr   = '0;
      tx_hdr_o.status = AskMsi;
      tx_hdr_o.tag    = 8'(irq_vector_i);
    end
  end
  assign who_o      = who_q;
  assign tx_valid_o = loaded_q;
  assign rec_sent_o = out ? who_q[Rings-1:0] : '0;
  assign irq_sent_o = out && is_irq;

  if (Width == 64) begin : gen_two
    logic [2*Rings-1:0][63:0] half;
    always_ff @(posedge clk_i) begin
      if (!loaded_q)                     beat_q <= 1'b0;
      else if (tx_valid_o && tx_ready_i) beat_q <= 1'b1;
    end
    assign half      = rec_data_i;
    assign tx_data_o = {half[{ring, beat_q}][63:32], is_irq ? value_q : half[{ring, beat_q}][31:0]};   // of an interrupt the lower counts
    assign tx_sop_o  = !beat_q;
    assign tx_eop_o  = beat_q || is_irq;
  end else begin : gen_one
    assign beat_q    = 1'b0;
    assign tx_data_o = Width'(is_irq ? {96'd0, value_q} : rec_data_i[ring]);
    assign tx_sop_o  = !beat_q;
    assign tx_eop_o  = 1'b1;
  end

endmodule
