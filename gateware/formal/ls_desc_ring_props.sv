// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a ring asks for, at any size from 2 to 65,536 entries and in every phase: only what was posted,
// never beyond the ring's end or across a block of its batch, and never a descriptor twice. The host
// moves the tail forward only, by no more than there is room for, and sets the rest while disabled.
module ls_desc_ring_props
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Batch = 32
) (
  input logic             clk_i,
  input logic             rst_ni,
  input ch_cfg_t          cfg_i,
  input logic [2:0]       mrrs_i,
  input logic             tick_i,
  input logic             few_i,
  input logic             push_hold_i,
  input logic             ready_i,
  input logic             sent_i,
  input logic             rx_valid_i,
  input logic             rx_sop_i,
  input logic             rx_eop_i,
  input logic [1:0]       rx_id_i,
  input logic [10:0]      rx_len_i,
  input logic [10:0]      rx_left_i,
  input logic             rx_bad_i,
  input logic             rx_broken_i,
  input logic             rx_last_i,
  input logic [Width-1:0] data_i,
  input logic             cmd_ready_i
);
  logic [15:0] fetched, slot;
  logic [8:0]  count;
  logic        empty, quiet, fail, push_fail, ask, cmd_valid;
  logic [1:0]  id;
  dma_cmd_t    cmd;
  ls_desc_ring #(.Width(Width), .Batch(Batch), .Fetches(4)) dut (
    .clk_i, .rst_ni, .cfg_i, .mrrs_i, .tick_i, .few_i, .fetched_o(fetched), .empty_o(empty), .quiet_o(quiet), .fail_o(fail),
    .push_hold_i, .push_low_i(1'b0), .push_high_i(1'b0), .push_fail_o(push_fail), .ask_valid_o(ask),
    .ask_ready_i(ready_i && ask), .ask_sent_i(sent_i), .ask_slot_o(slot), .ask_count_o(count), .ask_id_o(id), .rx_valid_i, .rx_sop_i,
    .rx_eop_i, .rx_id_i, .rx_len_i, .rx_left_i, .rx_bad_i, .rx_broken_i, .rx_last_i, .data_i, .cmd_valid_o(cmd_valid), .cmd_ready_i, .cmd_o(cmd)
  );

  logic        first_q = 1'b1, off, off_q, off2_q, ask_q, still_q;
  logic [15:0] mask, avail, avail_old, slot_q, block;
  logic [8:0]  count_q, edge_now;
  logic [2:0]  mrrs_q;
  ch_cfg_t     cfg_q;
  assign off       = !cfg_i.enable || cfg_i.stop;
  assign mask      = (cfg_i.size_log2 == '0) ? 16'hffff : 16'((17'd1 << cfg_i.size_log2) - 17'd1);
  assign avail     = (cfg_i.tail - slot) & mask;
  assign avail_old = (cfg_q.tail - slot) & mask;
  assign block     = ((16'(Batch) < (16'd8 << mrrs_i)) ? 16'(Batch) : (16'd8 << mrrs_i)) - 16'd1;
  assign edge_now  = {1'b0, ~slot[7:0] & mask[7:0] & block[7:0]} + 9'd1;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    cfg_q   <= cfg_i;
    mrrs_q  <= mrrs_i;
    ask_q   <= rst_ni && ask && !ready_i;
    still_q <= rst_ni && quiet && push_hold_i;
    slot_q  <= slot;
    count_q <= count;
    off_q   <= !rst_ni || off;
    off2_q  <= off_q;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      if (!off_q) begin
        assume (cfg_i.size_log2 == cfg_q.size_log2 && cfg_i.ring == cfg_q.ring);
        assume (off || avail >= avail_old);            // the tail does not pass what is not asked for
        assume (mrrs_i == mrrs_q);
      end else begin
        assume (off || off2_q);                         // off for two cycles at least,
        assume (off || (cfg_i.size_log2 == cfg_q.size_log2 && cfg_i.ring == cfg_q.ring && mrrs_i == mrrs_q));
      end
      assume (mrrs_i <= 3'd5);
      assume ((cfg_i.tail & ~mask) == '0);
    end
    if (!first_q) begin
      if (ask) begin
      a_quiet:  assert (!still_q || quiet);       // it stays so while one is to be pushed
        a_posted: assert (count != '0 && {7'd0, count} <= avail);
        a_end:    assert ({1'b0, slot} + {8'd0, count} <= {1'b0, mask} + 17'd1);
        a_block:  assert ((slot & block) + {7'd0, count} <= block + 16'd1);
        a_mrrs:   assert ({7'd0, count} <= (16'd8 << mrrs_i));
        a_held:   assert (!ask_q || off_q || (slot == slot_q && count == count_q));
      end
      a_empty:  assert (!empty || (quiet && !ask && !cmd_valid));    // and so a channel at rest is not busy
      a_stands: assert (!(ask_q && !ask) || off);       // withdrawn only when the channel is switched off
      a_inside: assert (off || off_q || ((slot | fetched) & ~mask) == '0);
      i_zero:   assert (!off_q || (slot | fetched) == '0);
      i_mask:   assert (off || off_q || off2_q || (dut.mask_q == mask && dut.block_q == block[7:0]));
      i_edge:   assert (!(dut.settled_q && !off) || (dut.avail_q <= avail && 9'(dut.edge_q) == edge_now));
      i_busy:   assert (!(dut.asking_q && !off) || (dut.n_q != '0 && 16'(dut.n_q) <= avail && 9'(dut.n_q) <= edge_now));
    end
    c_wrap: cover (!first_q && ask && slot == 16'd0 && cfg_i.size_log2 == 4'd3 && cfg_i.tail == 16'd5);
  end
endmodule
