// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The window of commands: each has a running number, which is its identifier at the drive and its
// place in the submission queue. Numbers are given out in order and come free in order, so that one
// cannot be out twice, and the queue, twice as long as the window, is never overrun. What came back
// is a bit and a status for each, in LUT RAM: the bit changes its sense each time around, so that
// nothing has to be wiped when a number is given out again.
//
// The oldest waits for its end in a register: its number is free then, its data has yet to leave.
module ls_nvme_table
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Cmds     = 32,
  parameter int unsigned Most     = Cmds,          // in flight
  parameter int unsigned CmdTicks = 10000,
  localparam int unsigned CidBits  = $clog2(Cmds)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              tick_i,
  input  logic              clear_i,       // held until cleared_o; nothing is in flight
  output logic              cleared_o,
  input  logic              kill_i,        // what has not come back, will not
  input  logic              dead_i,        // there is no drive: nothing comes back any more

  output logic              room_o,
  output logic [CidBits:0]   next_o,        // the number that the next command gets
  input  logic              put_i,         // with room_o
  input  rec_t              rec_i,

  input  logic              cpl_valid_i,
  input  logic [15:0]       cpl_cid_i,
  input  logic [14:0]       cpl_status_i,
  output logic              bad_cid_o,     // pulses
  output logic              late_o,
  input  logic              slow_i,        // the oldest may take long
  output logic [15:0]       late_cid_o,    // the oldest that has not come back

  output logic              empty_o,       // nothing is in flight, or waits for its end
  output logic              done_o,        // the oldest has come back,
  output rec_t              rec_o,
  output logic [14:0]       status_o,      // with this status,
  output logic              killed_o,      // or not at all,
  output logic              failed_o,      // that is: not with success
  input  logic              take_i         // with done_o
);

  if (Most < 1 || Most > Cmds || Cmds < 2 || Cmds > 256 || (Cmds & (Cmds - 1)) != 0) begin : gen_check
    $error("%m: Cmds must be a power of two, 2 to 256");
  end

  logic [CidBits:0]   head_q, tail_q, count_q, away;
  logic [CidBits-1:0] wipe_q, cpl_at, back_at;
  logic              wiped_q, void_q, fits, known, back_bit, head_back, put, take, some_q;
  logic [15:0]       back_d, at_cpl, at_head;

  (* ram_style = "distributed" *) logic [$bits(rec_t)-1:0] recs [Cmds];
  (* ram_style = "distributed" *) logic [15:0] back [Cmds];      // {sense, status}

  assign put     = put_i && room_o;
  assign take    = (head_back || (kill_i && some_q)) && !done_o;    // not with take_i, which is late
  assign empty_o = !some_q && !done_o;
  assign next_o  = tail_q;
  // The count, and what is asked of it, from registers, which are worked out beside it: it is in every path
  // otherwise, and take is late.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      count_q <= '0;
      some_q  <= 1'b0;
      room_o  <= 1'b1;
    end else begin
      count_q <= count_q + (CidBits+1)'(put) - (CidBits+1)'(take);
      some_q  <= put || (some_q && !(take && count_q == (CidBits+1)'(1)));
      room_o  <= take || (room_o && !(put && count_q == (CidBits+1)'(Most - 1)));
    end
  end

  // ---- what comes back -------------------------------------------------------------------------
  assign cpl_at    = cpl_cid_i[CidBits-1:0];
  assign away      = cpl_cid_i[CidBits:0] - head_q;
  assign at_cpl    = back[cpl_at];
  assign fits      = cpl_cid_i[15:CidBits+1] == '0 && away < count_q;
  assign back_bit  = !cpl_cid_i[CidBits];                  // what stands there when it has come back
  assign known     = fits && !void_q && at_cpl[15] != back_bit;
  assign bad_cid_o = cpl_valid_i && !known;
  assign back_at   = clear_i ? wipe_q : cpl_at;
  assign back_d    = clear_i ? '0 : {back_bit, cpl_status_i};
  always_ff @(posedge clk_i) begin
    if (clear_i || (cpl_valid_i && known)) back[back_at] <= back_d;
    if (put) recs[tail_q[CidBits-1:0]] <= rec_i;
  end

  // ---- the oldest ------------------------------------------------------------------------------
  assign at_head   = back[head_q[CidBits-1:0]];
  // Commands that are entered without a drive leave the senses behind as they are: from then on, until
  // they are wiped, none counts.
  assign head_back = some_q && !void_q && at_head[15] != head_q[CidBits];
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                done_o <= 1'b0;
    else                        done_o <= done_o ? !take_i : take;
    if (take) begin
      rec_o    <= rec_t'(recs[head_q[CidBits-1:0]]);
      status_o <= at_head[14:0];
      killed_o <= !head_back;
      failed_o <= !head_back || at_head[14:0] != '0;
    end
  end

  // ---- wiping, and time ------------------------------------------------------------------------
  logic [$clog2(CmdTicks+2)-1:0] time_q;
  assign cleared_o = wiped_q;
  assign late_cid_o = 16'(head_q);
  assign late_o    = time_q == ($bits(time_q))'(CmdTicks + 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      wipe_q  <= '0;
      wiped_q <= 1'b0;
      void_q  <= 1'b1;
      time_q  <= '0;
    end else begin
      wipe_q  <= clear_i ? wipe_q + 1'b1 : '0;
      wiped_q <= clear_i && (wiped_q || wipe_q == '1);
      if (dead_i)                    void_q <= 1'b1;
      else if (clear_i && wiped_q)   void_q <= 1'b0;
      if (clear_i) begin
        head_q <= '0;
        tail_q <= '0;
      end else begin
        if (put)  tail_q <= tail_q + 1'b1;
        if (take) head_q <= head_q + 1'b1;
      end
      if (!some_q || head_back || take || slow_i) time_q <= '0;
      else if (tick_i && !late_o)       time_q <= time_q + 1'b1;
    end
  end

  logic unused;
  assign unused = ^at_cpl;

endmodule
