// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the descriptor rings share: the requests that fetch batches, with their address from
// the register memory, and the way in for descriptors, whether they come in completions or were
// pushed through registers. A pushed one is read back from the register memory.
module ls_fetch
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Fetches = 4,      // of each ring
  parameter int unsigned H2c     = 1,      // the first rings; the others are card to host
  parameter int unsigned Rings   = 2,
  parameter int unsigned AtBits  = 5,
  localparam int unsigned RingBits = $clog2(Rings),
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              few_i,         // tags of 5 bits

  input  logic [Rings-1:0]  ask_valid_i,   // a ring wants this many, from this place; may be withdrawn
  output logic [Rings-1:0]  ask_ready_o,
  output logic [Rings-1:0]  ask_sent_o,    // pulse: the request has gone
  input  logic [Rings-1:0][15:0] ask_slot_i,
  input  logic [Rings-1:0][8:0] ask_count_i,
  input  logic [Rings-1:0][OutBits-1:0] ask_id_i, // which of the ring's requests

  input  logic [Rings-1:0]  push_i,        // pulse: a descriptor is in the register memory
  output logic              push_busy_o,   // and must stay there
  output logic [Rings-1:0]  push_hold_o,   // this ring must start no fetch
  input  logic [Rings-1:0]  quiet_i,       // no fetch of this ring is under way
  output logic [Rings-1:0]  push_low_o,    // its lower half is on data_o
  output logic [Rings-1:0]  push_high_o,   // the rest, or (from 128 bit on) all of it

  output logic              ram_re_o,      // reads of the register memory: see ls_reg_ram
  input  logic              ram_ok_i,
  output logic [AtBits-1:0] ram_at_o,
  input  logic [63:0]       ram_data_i,

  input  logic              rx_valid_i,    // a beat for any ring
  input  logic [Width-1:0]  rx_data_i,
  output logic [Width-1:0]  data_o,

  output logic              rq_valid_o,
  input  logic              rq_ready_i,
  output tlp_hdr_t          rq_hdr_o
);

  // ---- pushed descriptors: in two cycles in which no other comes in ------------------------------
  logic [Rings-1:0] push_q, may_q, step;
  logic             high_q, use_push, go, load, wanted;
  logic             read_q, pushed_q;     // what was read is here; it is of a pushed one
  // Until it can go it does not have the memory: the fetch that it waits for may need that.
  // A cycle after the ring is quiet, which starts nothing from then on.
  assign use_push    = (push_q & may_q) != '0;
  assign go          = use_push && read_q && pushed_q && !rx_valid_i;
  assign step        = go ? push_q : '0;
  assign push_low_o  = high_q ? '0 : step;
  assign push_high_o = high_q ? step : '0;
  assign push_busy_o = push_q != '0;
  assign push_hold_o = push_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      push_q <= '0;
      high_q <= 1'b0;
      read_q <= 1'b0;
    end else begin
      push_q <= (push_q & ~push_high_o) | push_i;
      if (go) high_q <= !high_q;
      read_q <= ram_ok_i && !go && !load;
    end
    may_q    <= push_q & quiet_i;
    pushed_q <= use_push;
  end

  if (Width == 64) begin : gen_half
    assign data_o = rx_valid_i ? rx_data_i : ram_data_i;
  end else begin : gen_whole
    logic [63:0] low_q;
    always_ff @(posedge clk_i) if (go && !high_q) low_q <= ram_data_i;
    assign data_o = rx_valid_i ? rx_data_i : Width'({ram_data_i, low_q});
  end

  // ---- requests --------------------------------------------------------------------------------
  // Chosen, then the address is read, then it is shown.
  logic [Rings-1:0] gnt, pick_q;
  logic        valid_q, idle;
  logic [63:2] addr_q;
  logic [8:0]  count_q;
  logic [RingBits-1:0] pick, which_q;
  logic [OutBits-1:0] id_q;

  ls_arb #(.N(Rings)) u_turn (
    .clk_i, .rst_ni, .req_i(ask_valid_i), .take_i(idle), .gnt_o(gnt)
  );
  assign idle        = pick_q == '0 && !valid_q;
  assign wanted      = (pick_q & ask_valid_i) != '0;
  assign load        = wanted && read_q && !pushed_q;
  assign ask_ready_o = load ? pick_q : '0;

  // The one that is at the memory: its number, and its page there.
  logic [Rings-1:0]  at;
  logic [AtBits-4:0] page;
  assign ram_re_o = use_push || wanted;
  assign at       = use_push ? push_q : pick_q;
  assign ram_at_o = {page, use_push ? {2'b10, high_q} : 3'd1};
  always_comb begin
    page = '0;
    pick = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (at[r])     page |= (AtBits-3)'(ring_page(r, H2c));
      if (pick_q[r]) pick |= RingBits'(r);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pick_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      if (idle)                 pick_q <= gnt;
      else if (load || !wanted) pick_q <= '0;
      if (load)            valid_q <= 1'b1;
      else if (rq_ready_i) valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      addr_q  <= ram_data_i[63:2] | {44'd0, ask_slot_i[pick], 2'd0};
      count_q <= ask_count_i[pick];
      which_q <= pick;
      id_q    <= ask_id_i[pick];
    end
  end

  assign rq_valid_o = valid_q;
  assign ask_sent_o = (valid_q && rq_ready_i) ? Rings'(1) << which_q : '0;
  always_comb begin
    rq_hdr_o          = '0;
    rq_hdr_o.kind     = TlpMemRd;
    rq_hdr_o.addr     = {addr_q, 2'b00};
    rq_hdr_o.len_dw   = {count_q, 2'b00};
    rq_hdr_o.first_be = 4'hf;
    rq_hdr_o.last_be  = 4'hf;
    // From the last tag downwards: the ring is the lowest bits.
    rq_hdr_o.tag      = {few_i ? {3'd0, {5-RingBits{1'b1}}} : {{8-RingBits-OutBits{1'b1}}, ~id_q}, which_q};
  end

endmodule
