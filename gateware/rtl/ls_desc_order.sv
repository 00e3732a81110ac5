// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The fetches of one descriptor ring that are out, in the order of the ring. Each has a number, which
// is part of its tag, and rows of the queue that are kept for it when it is asked for; so completions
// may come in any order of fetches, and the descriptors still stand in the order of the ring. What
// may be handed out ends where the oldest fetch has no more completions that have ended.
//
// A fetch fails when a completion says so, is broken off, is not the piece that is due, or when
// nothing came for the ring for one to two ticks. Its rows end what may be handed out, for good. It
// stays out until all of it is in or time is up, as do those after it, whose descriptors nobody gets.
// What is out when the channel is flushed is void: it is waited for in the same way, and dropped.
//
// What is known of each lies in small memories with one writer: at the start of a fetch, or with a
// completion, which is why none starts in a cycle in which a beat comes in.
module ls_desc_order #(
  parameter int unsigned Fetches = 4,     // at most so many out: 1, 2, 4, 8 or 16
  parameter int unsigned RowBits = 6,     // log2 of the queue's rows
  parameter int unsigned RowDw   = 4,     // DWs of a row
  parameter int unsigned Most    = 256,   // descriptors of a fetch, a power of two
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches),
  localparam int unsigned CountBits = $clog2(Most) + 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               flush_i,
  input  logic               tick_i,

  input  logic               set_i,        // the next fetch will be this one; it goes with go_i,
  input  logic               wait_i,       // until which it waits
  input  logic [RowBits:0]   row_i,        // its first row
  input  logic [CountBits-1:0] count_i,    // its descriptors
  input  logic               go_i,         // it is asked for; its time begins
  input  logic               sent_i,       // it has left: its time begins anew
  output logic [OutBits-1:0]  next_o,       // its number
  output logic               free_o,       // there is one
  output logic               none_o,       // none is out

  input  logic               see_valid_i,  // a beat that is shown on rx in the next cycle:
  input  logic               see_sop_i,
  input  logic [OutBits-1:0]  see_id_i,
  input  logic [10:0]        see_len_i,    // DWs of the completion
  input  logic [10:0]        see_left_i,   // DWs of the request from there on, as the completion says
  input  logic               see_last_i,
  input  logic               rx_valid_i,
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  logic [OutBits-1:0]  rx_id_i,
  input  logic               rx_bad_i,
  input  logic               rx_broken_i,
  input  logic               rx_last_i,
  output logic               take_o,       // this beat is good so far,
  output logic [RowBits:0]   row_o,        // and belongs here
  input  logic               row_in_i,     // with it the row is full

  output logic [RowBits:0]   upto_o,       // rows before this one may be handed out
  input  logic [RowBits:0]   all_i,        // as all may when none is out
  output logic               fail_o,       // pulse: the first that fails
  output logic               dead_o,       // one has failed: ask for no more until flushed
  output logic               hold_o,       // ask for none now: what is out is void, or tags rest
  output logic               end_o,        // and nothing comes after upto_o
  output logic               got_o,        // pulse: the oldest is in, and good,
  output logic [CountBits-1:0] got_count_o // so many descriptors
);

  localparam int unsigned CntBits = $clog2(Fetches) + 1;
  localparam int unsigned InRow   = $clog2(RowDw);
  localparam int unsigned DwBits  = CountBits + 2;

  if (!(Fetches inside {1, 2, 4, 8, 16})) begin : gen_check
    $error("%m: Fetches must be 1, 2, 4, 8 or 16");
  end

  logic [Fetches-1:0] out_q, done_q, fail_q;      // by number
  logic [OutBits-1:0]  head_q, tail_q;
  logic [CntBits-1:0] used_q;
  (* ram_style = "distributed" *) logic [RowBits:0] row_mem   [Fetches];  // after the last completion that has ended
  (* ram_style = "distributed" *) logic [DwBits-1:0] left_mem [Fetches];  // DWs that are to come after it
  (* ram_style = "distributed" *) logic [CountBits-1:0] count_mem [Fetches];

  function automatic logic [OutBits-1:0] after(input logic [OutBits-1:0] id);
    return (Fetches == 1) ? '0 : id + 1'b1;
  endfunction

  assign next_o = tail_q;
  assign free_o = 32'(used_q) != Fetches;
  assign none_o = used_q == '0;

  // ---- what comes in -------------------------------------------------------------------------
  // A completion ends where a row does, or its request: the standard cuts at multiples of 64 bytes.
  logic             got, misfit_q, bad, last, void_q;
  logic [RowBits:0] row_q, row;
  logic [DwBits-1:0] left;
  // Whether it is the piece that is due is looked at a cycle ahead.
  assign got    = rx_valid_i && out_q[rx_id_i] && !done_q[rx_id_i];
  assign left   = left_mem[see_id_i];
  assign bad    = got && ((rx_sop_i && (rx_bad_i || misfit_q)) || (rx_eop_i && rx_broken_i));
  assign last   = got && rx_eop_i && rx_last_i;
  assign row    = rx_sop_i ? row_mem[rx_id_i] : row_q;
  assign row_o  = row;
  assign take_o = got && !bad && !fail_q[rx_id_i] && !void_q && !flush_i;

  always_ff @(posedge clk_i) begin
    misfit_q <= see_left_i != 11'(left) || see_len_i == '0 || see_len_i > 11'(left) || (!see_last_i && see_len_i[InRow-1:0] != '0);
    if (rx_valid_i) row_q <= row + (RowBits+1)'(row_in_i);
    if (set_i || (take_o && rx_eop_i)) begin
      row_mem[set_i ? tail_q : rx_id_i] <= set_i ? row_i : row + (RowBits+1)'(row_in_i);
    end
    if (set_i || (see_valid_i && see_sop_i && out_q[see_id_i])) begin
      left_mem[set_i ? tail_q : see_id_i] <= set_i ? {count_i, 2'b00} : left - DwBits'(see_len_i);
    end
    if (set_i) count_mem[tail_q] <= count_i;
  end

  // ---- time ------------------------------------------------------------------------------------
  logic age_q, unsent_q, expired;
  assign expired = tick_i && !none_o && !unsent_q && age_q && !see_valid_i && !rx_valid_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      age_q    <= 1'b0;
      unsent_q <= 1'b0;
    end else begin
      unsent_q <= go_i || (unsent_q && !sent_i);
      if (go_i || sent_i || got) age_q <= 1'b0;
      else if (tick_i)           age_q <= 1'b1;
    end
  end

  // ---- in order --------------------------------------------------------------------------------
  logic broke, retire, rest_q, dead_q, end_q;
  assign broke  = bad || expired;
  assign retire = !none_o && done_q[head_q] && (void_q || flush_i || end_q || !fail_q[head_q]);
  assign fail_o = broke && !void_q && !flush_i && !dead_q;
  assign dead_o = dead_q;
  assign hold_o = rest_q || void_q;
  assign end_o  = end_q;
  assign got_o  = retire && !void_q && !flush_i && !end_q;
  assign got_count_o = count_mem[head_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {out_q, done_q, fail_q} <= '0;
      {head_q, tail_q, used_q} <= '0;
      {void_q, rest_q, dead_q, end_q} <= '0;
      upto_o <= '0;
    end else begin
      if (last) done_q[rx_id_i] <= 1'b1;
      if (bad)  fail_q[rx_id_i] <= 1'b1;
      if (expired) begin
        fail_q <= fail_q | ~done_q;
        done_q <= '1;
      end
      if (go_i) begin
        out_q[tail_q]  <= 1'b1;
        done_q[tail_q] <= 1'b0;
        fail_q[tail_q] <= 1'b0;
        tail_q         <= after(tail_q);
      end
      if (retire) begin
        out_q[head_q] <= 1'b0;
        head_q        <= after(head_q);
      end
      used_q <= used_q + CntBits'(go_i) - CntBits'(retire);
      if (none_o && !set_i && !wait_i) {head_q, tail_q} <= '0;    // the first one again: its tag is the last

      void_q <= !none_o && (void_q || flush_i);
      dead_q <= !flush_i && (dead_q || fail_o);
      // After a failure the tags rest for a tick: a late completion must not meet a new request.
      if (broke)                             rest_q <= 1'b1;
      else if (tick_i && none_o && age_q)    rest_q <= 1'b0;

      if (flush_i)                                  {end_q, upto_o} <= '0;
      else if (!end_q && none_o)                    upto_o <= all_i;
      else if (!end_q && !void_q) begin
        upto_o <= row_mem[head_q];
        end_q  <= fail_q[head_q];
      end
    end
  end

endmodule
