// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Which tags are out, in the order in which their data must leave. Because data leaves in order,
// tags are handed out in order too: a tag comes free exactly when everything before it has left,
// and "no tag twice" needs no search. For the same reason the head is always the oldest request,
// and only the head has to be looked at for a timeout. A tag whose request timed out, or ended with
// a completion that did not fit, stays out of use for two more ticks, so that a completion that is
// merely late cannot be taken for that of its successor.
//
// Where the host has not enabled extended tags, only the first `Few` are used.
//
// What is known of a tag lives in small memories with one writer each, not in registers: a taken
// tag gets a generation that differs from the one that ended last, and waits until they agree.
module ls_read_tags
  import ls_pkg::*;
#(
  parameter int unsigned Tags = 32,
  parameter int unsigned Few  = 30,
  localparam int unsigned TagBits = (Tags == 1) ? 1 : $clog2(Tags)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               few_i,         // use the first `Few` only; changes with retag_i
  input  logic               retag_i,       // none is out: begin with the first again
  input  logic               tick_i,        // completions must come within one to two ticks
  input  logic               waits_i,       // a request has not gone yet: no time is up

  output logic               free_o,        // the next tag may be taken
  output logic [TagBits-1:0] next_o,
  input  logic               take_i,
  input  logic               take_done_i,   // taken by something that needs no completion

  input  logic [TagBits-1:0] look_i,        // is this tag waiting for a completion?
  output logic               waits_o,
  output logic               gen_o,         // and its generation
  input  logic               busy_i,        // a completion is being taken in: no timeout just now
  input  logic               done_i,        // its last completion is in
  input  logic               fail_i,        // something was wrong with this one
  input  logic [TagBits-1:0] done_tag_i,
  input  cause_e             fail_cause_i,

  output logic               clear_o,       // the head's generation ends without a completion,
  output logic               clear_gen_o,   // or a tag is cleared after reset

  output logic               head_done_o,
  output logic [TagBits-1:0] head_o,
  output cause_e             head_cause_o,
  input  logic               release_i,
  output logic               empty_o,
  output logic               full_o
);

  if (Tags < 1 || Tags > 256) begin : gen_check
    $error("%m: Tags must be 1 to 256");
  end

  logic [TagBits-1:0] next_q, head_q, at;
  logic [TagBits:0]   used_q;
  logic               init_q, waits, end_now, old_q, expire, expired_q, misfit;
  logic [1:0]         tick_q, rest_q, grace_q, age;   // age: modulo 4, so at worst two ticks late

  (* ram_style = "distributed" *) logic       gen_mem  [Tags];   // of the request that has the tag, or had it last
  (* ram_style = "distributed" *) logic       done_mem [Tags];   // the generation that ended last
  (* ram_style = "distributed" *) logic [1:0] born_mem [Tags];   // when it was taken, in ticks
  (* ram_style = "distributed" *) logic       late_mem [Tags];   // the last request of this tag may have more to come
  (* ram_style = "distributed" *) logic [4:0] fail_mem [Tags];   // generation and first cause of failure

  localparam int unsigned Least = (Few < Tags) ? Few : Tags;
  logic few;
  assign few = few_i && !init_q;       // all are cleared after reset
  function automatic logic [TagBits-1:0] after(input logic [TagBits-1:0] t, input logic less);
    return (32'(t) == (less ? Least : Tags) - 1) ? '0 : t + 1'b1;
  endfunction

  assign full_o      = 32'(used_q) == (few ? Least : Tags);
  assign empty_o     = used_q == '0;
  assign free_o      = !init_q && !full_o && !(rest_q != '0 && late_mem[next_q]);
  assign next_o      = next_q;
  assign head_o      = head_q;
  assign waits_o     = !init_q && (gen_mem[look_i] ^ done_mem[look_i]);
  assign gen_o       = gen_mem[look_i];
  assign waits       = gen_mem[head_q] ^ done_mem[head_q];
  assign head_done_o = !empty_o && !waits;

  // ---- timeout -------------------------------------------------------------------------------
  assign age    = tick_q - born_mem[head_q];
  // Whoever stood before a link that took nothing for a tick has its time from then on.
  // In two steps. A head that waited, and to which nothing happened, is the head and waits.
  logic calm;
  assign calm   = !busy_i && !done_i && !fail_i && !expire;
  assign expire = old_q && !busy_i && !done_i && !fail_i;

  always_ff @(posedge clk_i) begin
    old_q <= rst_ni && !empty_o && waits && age[1] && calm && !waits_i && grace_q == '0;
    if (!rst_ni) begin
      tick_q    <= '0;
      rest_q    <= '0;
      grace_q   <= '0;
      expired_q <= 1'b0;
    end else begin
      tick_q <= tick_q + 2'(tick_i);
      if (tick_i && waits_i)             grace_q <= 2'd2;
      else if (tick_i && grace_q != '0)  grace_q <= grace_q - 1'b1;
      if (expire || (release_i && misfit)) rest_q <= 2'd2;
      else if (tick_i && rest_q != '0)   rest_q <= rest_q - 1'b1;
      if (release_i)                     expired_q <= 1'b0;
      else if (expire)                   expired_q <= 1'b1;
    end
  end

  // ---- the memories ----------------------------------------------------------------------------
  logic       gen_at;
  logic [4:0] fail_at;
  cause_e     cause_at, head_fail;
  assign at       = (done_i || fail_i) ? done_tag_i : head_q;
  assign gen_at   = gen_mem[at];
  assign fail_at  = fail_mem[at];
  assign cause_at = fail_i ? fail_cause_i : (fail_at[4] == gen_at) ? cause_e'(fail_at[3:0]) : CauseNone;
  assign end_now  = init_q || done_i || expire;

  always_ff @(posedge clk_i) begin
    if (init_q || (take_i && !take_done_i)) gen_mem[next_q] <= !init_q && !done_mem[next_q];
    if (take_i)                             born_mem[next_q] <= tick_q;
    if (end_now)                            done_mem[at] <= !init_q && gen_at;
    if (end_now || fail_i)                  fail_mem[at] <= init_q ? '0 : {gen_at, cause_at};
    if (init_q || release_i)                late_mem[head_q] <= !init_q && (expired_q || misfit);
  end
  assign clear_o      = init_q || expire;
  assign clear_gen_o  = !init_q && gen_at;
  assign head_fail    = cause_e'(fail_mem[head_q][3:0]);
  assign head_cause_o = expired_q ? CauseTimeout
                      : (fail_mem[head_q][4] == gen_mem[head_q]) ? head_fail : CauseNone;

  assign misfit       = !expired_q && fail_mem[head_q][4] == gen_mem[head_q] && head_fail == CauseUnexpected;

  // After reset both pointers go once around and clear the memories.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      init_q <= 1'b1;
      next_q <= '0;
      head_q <= '0;
      used_q <= '0;
    end else begin
      if (32'(next_q) == Tags - 1) init_q <= 1'b0;
      if (init_q || take_i)        next_q <= after(next_q, few);
      if (init_q || release_i)     head_q <= after(head_q, few);
      if (!init_q && retag_i) begin
        next_q <= '0;
        head_q <= '0;
      end
      used_q <= used_q + (TagBits+1)'(take_i) - (TagBits+1)'(release_i);
    end
  end

  logic unused;
  assign unused = age[0];

endmodule
