// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// How the link of a root port has trained, beside what its two ends can: a slot that is not clean, or a lane
// that is broken, gives a link that works and is slow, and nobody else would tell.
//
// Each time that the port has been configured, and before its user may make requests, it reads the port's
// Link Capabilities, walks the capabilities of function 0 directly below and reads its Link Capabilities;
// a device that answers with CRS is asked again. What it cannot find out within `LookCycles` stays unknown,
// and the port goes up. Then it reads Link Status, now and again. When told to retrain, it sets Retrain Link
// and reads until Link Training is 0; the link stays up meanwhile, and TLPs wait in the block. That recovers
// speed. Lanes come back where both ends can widen a link; else they take a reset of the link.
module ls_rp_link
  import ls_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter logic [11:0] Express    = 12'h060,      // where the block has its PCI Express Capability
  parameter logic [7:0]  SecBus     = 8'd1,
  parameter int unsigned LookCycles = 250000000,    // a second, as long as CRS may last after a reset
  parameter int unsigned DoneCycles = 4096          // an access that takes longer has failed
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        go_i,            // the port is configured and its link up
  output logic        done_o,          // its user may go on
  input  logic        retrain_i,       // pulse
  output rp_link_t    link_o,

  output logic        busy_o,          // the Configuration Management interface is ours
  output logic [9:0]  mgmt_addr_o,
  output logic        mgmt_read_o,
  output logic        mgmt_write_o,
  output logic [31:0] mgmt_data_o,
  output logic [3:0]  mgmt_be_o,
  input  logic [31:0] mgmt_data_i,
  input  logic        mgmt_done_i,

  output logic        rq_valid_o,      // configuration reads, of type 0
  input  logic        rq_ready_i,
  output tlp_hdr_t    rq_hdr_o,
  input  logic        got_valid_i,     // their completions
  input  tlp_hdr_t    got_hdr_i,
  input  logic [31:0] got_data_i
);

  // The last one: its user begins with others.
  localparam logic [7:0]  Tag  = 8'd31;
  localparam int unsigned Poll = LookCycles / 4;
  localparam int unsigned PauseBits = (LookCycles < 4096) ? 2 : $clog2(LookCycles / 1024);   // before a request with CRS is made again
  localparam int unsigned Bits = $clog2(LookCycles + 1);
  localparam int unsigned DoneBits = $clog2(DoneCycles + 1);

  if (LookCycles < 16) begin : gen_check
    $error("%m: LookCycles must be at least 16");
  end

  typedef enum logic [2:0] {StOff, StOwn, StAsk, StAnswer, StPause, StStatus, StIdle, StRetrain} state_e;
  state_e              state_q;
  logic                dead_q;         // the block does not answer any more
  logic [Bits-1:0]     count_q;        // since the look began, or since the last one
  logic [DoneBits-1:0] done_q;
  logic [7:0]          at_q, control_q;
  logic [1:0]          what_q;         // is read: the pointer, a capability, Link Capabilities
  logic [5:0]          hops_q, next;
  logic                want_q, done_oq, late, mine, access, stuck, found;
  rp_link_t            link_q;

  assign access = state_q inside {StOwn, StStatus, StRetrain};
  assign late   = 32'(count_q) == LookCycles;
  assign stuck  = access && 32'(done_q) == DoneCycles;
  assign found  = what_q == 2'd1 && got_data_i[7:0] == 8'h10;
  assign next   = (what_q == 2'd0) ? got_data_i[7:2] : got_data_i[15:10];
  assign mine   = state_q == StAnswer && got_valid_i && got_hdr_i.tag == Tag;
  assign done_o = done_oq && go_i;
  assign busy_o = access;

  assign mgmt_addr_o  = (state_q == StOwn) ? 10'((Express + 12'hc) >> 2) : 10'((Express + 12'h10) >> 2);
  assign mgmt_read_o  = state_q inside {StOwn, StStatus};
  assign mgmt_write_o = state_q == StRetrain;
  assign mgmt_data_o  = {24'd0, control_q | 8'h20};          // Link Control as it was read, and Retrain Link
  assign mgmt_be_o    = {3'd0, state_q == StRetrain};
  assign rq_valid_o   = state_q == StAsk;
  always_comb begin
    rq_hdr_o          = '0;
    rq_hdr_o.kind     = TlpMemRd;
    rq_hdr_o.addr     = {36'd0, SecBus, 8'd0, 4'd0, at_q};
    rq_hdr_o.len_dw   = 11'd1;
    rq_hdr_o.first_be = 4'hf;
    rq_hdr_o.tag      = Tag;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StOff;
      count_q <= '0;
      done_q  <= '0;
      want_q  <= 1'b0;
      dead_q  <= 1'b0;
      done_oq <= 1'b0;
    end else begin
      done_q <= (access && !mgmt_done_i) ? done_q + 1'b1 : '0;
      if (!late) count_q <= count_q + 1'b1;
      if (retrain_i) want_q <= 1'b1;
      unique case (state_q)
        StOff: begin
          count_q <= '0;
          done_oq <= 1'b0;
          want_q  <= 1'b0;
          dead_q  <= 1'b0;
          if (go_i) state_q <= StOwn;
        end
        StOwn: if (mgmt_done_i) state_q <= StAsk;
        StAsk: if (rq_ready_i) state_q <= StAnswer;
        StAnswer: begin
          if (mine) begin
            if (got_hdr_i.status == 3'b010)                      state_q <= StPause;      // CRS
            else if (got_hdr_i.status != CplSc || got_hdr_i.ep)  state_q <= StStatus;
            else if (what_q == 2'd2)                             state_q <= StStatus;
            else if (found)                                      state_q <= StAsk;
            else state_q <= (hops_q == '1 || next == '0) ? StStatus : StAsk;
          end
          if (late) state_q <= StStatus;
        end
        StPause: if (count_q[PauseBits-1:0] == '0 || late) state_q <= late ? StStatus : StAsk;
        StStatus: if (mgmt_done_i) begin
          state_q <= StIdle;
          if (!mgmt_data_i[27] || late) begin
            count_q <= '0;
            done_oq <= 1'b1;
          end
        end
        StIdle: begin
          // Until it has trained it is read again at once.
          if (dead_q)                    want_q  <= 1'b0;
          else if (!done_oq || (link_q.training && !late)) state_q <= StStatus;
          else if (want_q)               state_q <= StRetrain;
          else if (32'(count_q) == Poll) state_q <= StStatus;
        end
        StRetrain: if (mgmt_done_i) begin
          state_q <= StIdle;
          count_q <= '0;
          want_q  <= 1'b0;
        end
        default: state_q <= StOff;
      endcase
      // An access that has begun goes on until it is done, whatever becomes of the link.
      if (!go_i && (!access || mgmt_done_i || stuck)) state_q <= StOff;
      else if (stuck) begin
        state_q <= StIdle;
        dead_q  <= 1'b1;
        done_oq <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StOff: begin
        link_q <= '0;
        at_q   <= 8'h34;
        what_q <= 2'd0;
        hops_q <= '0;
      end
      StOwn: if (mgmt_done_i) {link_q.own_width, link_q.own_speed} <= mgmt_data_i[9:0];
      StAnswer: if (mine && got_hdr_i.status == CplSc && !got_hdr_i.ep) begin
        hops_q <= hops_q + 1'b1;
        if (what_q == 2'd2) {link_q.their_width, link_q.their_speed} <= got_data_i[9:0];
        if (found) begin
          what_q <= 2'd2;
          at_q   <= at_q + 8'hc;
        end else if (what_q != 2'd2) begin
          what_q <= 2'd1;
          at_q   <= {next, 2'b00};
        end
      end
      StStatus: if (mgmt_done_i) begin
        {link_q.width, link_q.speed} <= mgmt_data_i[25:16];
        link_q.training              <= mgmt_data_i[27];
        control_q                    <= mgmt_data_i[7:0];
      end
      StRetrain: if (mgmt_done_i) link_q.training <= 1'b1;
      default: ;
    endcase
    if (dead_q) {link_q.width, link_q.speed, link_q.training} <= '0;      // nobody knows
  end

  // What both can is known where both have said it.
  function automatic logic less(input logic [5:0] is, input logic [5:0] one, input logic [5:0] other);
    return is != '0 && one != '0 && other != '0 && is < ((one < other) ? one : other);
  endfunction
  always_comb begin
    link_o       = link_q;
    link_o.below = done_o && !link_q.training && (less({2'd0, link_q.speed}, {2'd0, link_q.own_speed}, {2'd0, link_q.their_speed})
                                                  || less(link_q.width, link_q.own_width, link_q.their_width));
  end

  logic unused;
  assign unused = ^{got_hdr_i, got_data_i, mgmt_data_i};

endmodule
