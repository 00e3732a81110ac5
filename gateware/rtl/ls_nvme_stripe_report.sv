// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// One report for a user command, when all of its drives have reported, in the order of the user commands. Of
// several errors it tells the one that came first; of those that came at once, that of the lowest drive.
// Reports of a drive wait here, so that none holds up the data behind it while another drive is slower.
module ls_nvme_stripe_report
  import ls_nvme_pkg::*;
  import ls_nvme_stripe_pkg::*;
#(
  parameter int unsigned Drives  = 2,
  parameter int unsigned Pending = 64,         // user commands that are not reported
  parameter int unsigned Early   = 16          // reports of a drive that wait for others
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    expect_valid_i,
  output logic                    expect_ready_o,
  input  expect_t                 expect_i,

  input  logic [Drives-1:0]       s_valid_i,
  output logic [Drives-1:0]       s_ready_o,
  input  user_done_t [Drives-1:0] s_done_i,

  output logic                    done_valid_o,
  input  logic                    done_ready_i,
  output stripe_done_t            done_o
);

  typedef struct packed {
    why_e        why;
    logic [14:0] status;
  } end_t;

  logic              head_valid, head_take, room;
  expect_t           head;
  logic [Drives-1:0] in_valid, in_take, got_q, got;
  end_t [Drives-1:0] in;
  end_t              first_q, first;
  logic [2:0]        drive_q, drive;
  logic [$clog2(Pending):0] pending;

  ls_fifo #(.Width($bits(expect_t)), .Depth(Pending)) u_pending (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(expect_valid_i), .ready_o(expect_ready_o), .data_i(expect_i),
    .valid_o(head_valid), .ready_i(head_take), .data_o(head), .used_o(pending)
  );
  for (genvar i = 0; i < Drives; i++) begin : gen_drive
    logic [$clog2(Early):0] early;
    ls_fifo #(.Width($bits(end_t)), .Depth(Early)) u_early (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(s_valid_i[i]), .ready_o(s_ready_o[i]),
      .data_i({s_done_i[i].why, s_done_i[i].status}), .valid_o(in_valid[i]), .ready_i(in_take[i]), .data_o(in[i]), .used_o(early)
    );
    logic unused_of_drive;
    assign unused_of_drive = ^early;
  end

  assign in_take   = head_valid ? in_valid & head.drives[Drives-1:0] & ~got_q : '0;
  assign got       = got_q | in_take;
  assign room      = !done_valid_o || done_ready_i;
  assign head_take = head_valid && room && got == head.drives[Drives-1:0];
  always_comb begin
    {first, drive} = {first_q, drive_q};
    for (int unsigned i = Drives; i > 0; i--) begin
      if (first_q.why == WhyNone && in_take[i-1] && in[i-1].why != WhyNone) {first, drive} = {in[i-1], 3'(i - 1)};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || head_take) begin
      got_q   <= '0;
      first_q <= '{why: WhyNone, status: '0};
      drive_q <= '0;
    end else begin
      got_q   <= got;
      first_q <= first;
      drive_q <= drive;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)   done_valid_o <= 1'b0;
    else if (room) done_valid_o <= head_take;
    if (room) begin
      done_o <= head.own ? '{why: head.why, status: (head.why == WhyStatus) ? OutOfRange : '0, tag: head.tag, own: 1'b1, drive: '0}
                         : '{why: first.why, status: first.status, tag: head.tag, own: 1'b0, drive: drive};
    end
  end

  logic unused;
  assign unused = ^{head.drives, s_done_i, pending};

endmodule
