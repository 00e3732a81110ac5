// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Which tags are out, in the order in which their data must leave. Because data leaves in order,
// tags are handed out in order too: a tag comes free exactly when everything before it has left,
// and "no tag twice" needs no search. A tag whose request timed out stays out of use for two more
// ticks, so that a completion that is merely late cannot be taken for that of its successor.
module ls_read_tags
  import ls_pkg::*;
#(
  parameter int unsigned Tags = 32,
  localparam int unsigned TagBits = (Tags == 1) ? 1 : $clog2(Tags)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               tick_i,        // completions must come within one to two ticks

  output logic               free_o,        // the next tag may be taken
  output logic [TagBits-1:0] next_o,
  input  logic               take_i,
  input  logic               take_done_i,   // taken by something that needs no completion

  input  logic [TagBits-1:0] look_i,        // is this tag waiting for a completion?
  output logic               waits_o,
  input  logic               alive_i,       // this tag heard something
  input  logic [TagBits-1:0] alive_tag_i,
  input  logic               done_i,        // its last completion is in
  input  logic               fail_i,        // something was wrong with this one
  input  logic [TagBits-1:0] done_tag_i,
  input  cause_e             fail_cause_i,

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

  logic [TagBits-1:0] next_q, head_q;
  logic [TagBits:0]   used_q;
  logic [Tags-1:0]    wait_q, age_q, late_q, late_age_q;
  logic [Tags-1:0]    fail_q, expire_q;
  cause_e             cause_mem [Tags];

  function automatic logic [TagBits-1:0] after(input logic [TagBits-1:0] t);
    return (32'(t) == Tags - 1) ? '0 : t + 1'b1;
  endfunction

  assign full_o       = 32'(used_q) == Tags;
  assign empty_o      = used_q == '0;
  assign free_o       = !full_o && !late_q[next_q];
  assign next_o       = next_q;
  assign head_o       = head_q;
  assign head_done_o  = !empty_o && !wait_q[head_q];
  assign head_cause_o = expire_q[head_q] ? CauseTimeout
                      : fail_q[head_q]   ? cause_mem[head_q] : CauseNone;

  always_ff @(posedge clk_i) if (fail_i) cause_mem[done_tag_i] <= fail_cause_i;

  assign waits_o      = wait_q[look_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
      head_q <= '0;
      used_q <= '0;
    end else begin
      if (take_i)    next_q <= after(next_q);
      if (release_i) head_q <= after(head_q);
      used_q <= used_q + (TagBits+1)'(take_i) - (TagBits+1)'(release_i);
    end
  end

  for (genvar t = 0; t < Tags; t++) begin : gen_tag
    logic taken, ended, failed, expired;
    assign taken   = take_i && (32'(next_q) == t);
    assign ended   = done_i && (32'(done_tag_i) == t);
    assign failed  = fail_i && (32'(done_tag_i) == t);
    assign expired = tick_i && wait_q[t] && age_q[t];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        wait_q[t]     <= 1'b0;
        age_q[t]      <= 1'b0;
        late_q[t]     <= 1'b0;
        late_age_q[t] <= 1'b0;
        fail_q[t]     <= 1'b0;
        expire_q[t]   <= 1'b0;
      end else begin
        if (taken)                           wait_q[t] <= !take_done_i;
        else if (ended || expired)           wait_q[t] <= 1'b0;

        if (taken || (alive_i && (32'(alive_tag_i) == t))) age_q[t] <= 1'b0;
        else if (tick_i)                                   age_q[t] <= 1'b1;

        if (expired && !ended)            late_q[t] <= 1'b1;
        else if (tick_i && late_age_q[t]) late_q[t] <= 1'b0;
        if (!late_q[t])                   late_age_q[t] <= 1'b0;
        else if (tick_i)                  late_age_q[t] <= 1'b1;

        if (taken)                  fail_q[t] <= 1'b0;
        else if (failed)            fail_q[t] <= 1'b1;
        if (taken)                  expire_q[t] <= 1'b0;
        else if (expired && !ended) expire_q[t] <= 1'b1;
      end
    end
  end

endmodule
