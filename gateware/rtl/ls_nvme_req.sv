// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Requests of ours to the drive: configuration, its registers, its doorbells. Non-posted ones go one
// at a time. The tag changes with each that is given up, so that a completion of it that comes late meets
// nobody, until 2**TagBits have been given up. A doorbell waits for no answer.
module ls_nvme_req
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter logic [63:0] BarBase  = 64'h0,
  parameter int unsigned Width    = 64,
  parameter int unsigned ReqTicks = 50,        // completion timeout
  parameter int unsigned TagBits  = 5          // no more: a root port need not have extended tags
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             tick_i,
  input  logic             link_i,

  input  logic             seq_valid_i,
  input  logic             seq_cfg_i,
  input  logic             seq_write_i,
  input  logic [15:0]      seq_bdf_i,        // bus, device and function of a configuration request
  input  logic [31:0]      seq_addr_i,
  input  logic [31:0]      seq_data_i,
  output logic             seq_done_o,
  output why_e             seq_why_o,
  output logic [31:0]      seq_data_o,

  input  logic             bell_valid_i,     // a doorbell: offset in BAR0 and value
  output logic             bell_ready_o,
  input  logic [31:0]      bell_addr_i,
  input  logic [31:0]      bell_data_i,

  output logic             rq_valid_o,
  input  logic             rq_ready_i,
  output logic             rq_cfg_o,         // a configuration request: its address is {bus, device, function, register}
  output tlp_hdr_t         rq_hdr_o,
  output logic [31:0]      rq_data_o,

  input  logic             rx_cpl_valid_i,
  input  logic             rx_cpl_sop_i,
  input  logic             rx_cpl_eop_i,
  input  tlp_hdr_t         rx_cpl_hdr_i,
  input  logic [Width-1:0] rx_cpl_data_i,
  output logic             stray_o           // pulse: a completion that nobody waits for
);

  typedef enum logic [2:0] {StIdle, StSend, StBell, StWait, StRetry, StDone} state_e;
  state_e      state_q;
  logic [TagBits-1:0] tag_q;
  logic [31:0] addr_q, data_q, got_q;
  logic        cfg_q, write_q;
  why_e        why_q;
  logic [11:0] time_q;                // ticks; of a configuration request that is repeated, all together
  logic        mine, posted;

  assign posted = write_q && !cfg_q;
  assign mine   = state_q == StWait && rx_cpl_valid_i && rx_cpl_sop_i && rx_cpl_hdr_i.tag == 8'(tag_q);
  assign stray_o = rx_cpl_valid_i && rx_cpl_sop_i && !mine;
  assign seq_done_o = state_q == StDone;
  assign seq_why_o  = why_q;
  assign seq_data_o = got_q;
  assign bell_ready_o = state_q == StIdle;      // it is copied

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      tag_q   <= '0;
    end else begin
      if (tick_i) time_q <= time_q + 1'b1;
      unique case (state_q)
        // Doorbells first: they are short, and commands wait for them.
        StIdle: begin
          time_q <= '0;
          why_q  <= WhyNone;
          if (bell_valid_i) begin
            state_q <= StBell;
            addr_q  <= bell_addr_i;
            data_q  <= bell_data_i;
            cfg_q   <= 1'b0;
            write_q <= 1'b1;
          end else if (seq_valid_i) begin
            state_q <= link_i ? StSend : StDone;
            why_q   <= link_i ? WhyNone : WhyAbsent;
            addr_q  <= seq_addr_i;
            data_q  <= seq_data_i;
            cfg_q   <= seq_cfg_i;
            write_q <= seq_write_i;
          end
        end
        StBell: if (rq_ready_i) state_q <= StIdle;
        StSend: if (rq_ready_i) state_q <= posted ? StDone : StWait;
        StWait: begin
          if (mine) begin
            got_q <= rx_cpl_data_i[31:0];
            unique case (rx_cpl_hdr_i.status)
              CplSc:   why_q <= rx_cpl_hdr_i.ep ? WhyPoison : WhyNone;
              CplCa:   why_q <= WhyCa;
              3'b010:  why_q <= WhyCrs;
              default: why_q <= WhyUr;
            endcase
            state_q <= (rx_cpl_hdr_i.status == 3'b010 && time_q < 12'd2000 && cfg_q) ? StRetry : StDone;
          end else if (!link_i) begin
            why_q   <= WhyAbsent;
            state_q <= StDone;
            tag_q   <= tag_q + 1'b1;
          end else if (time_q[11:0] > 12'(ReqTicks) && why_q != WhyCrs) begin
            why_q   <= WhyTimeout;
            state_q <= StDone;
            tag_q   <= tag_q + 1'b1;
          end else if (time_q == '1) begin
            why_q   <= WhyTimeout;
            state_q <= StDone;
            tag_q   <= tag_q + 1'b1;
          end
        end
        StRetry: if (tick_i) state_q <= StSend;
        StDone:  state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  // A request, once shown, stays.
  assign rq_valid_o = state_q == StSend || state_q == StBell;
  assign rq_cfg_o   = cfg_q;
  assign rq_data_o  = data_q;
  always_comb begin
    rq_hdr_o          = '0;
    rq_hdr_o.kind     = write_q ? TlpMemWr : TlpMemRd;
    rq_hdr_o.addr     = cfg_q ? {36'd0, seq_bdf_i, addr_q[11:0]} : {BarBase[63:32], BarBase[31:0] + addr_q};
    rq_hdr_o.len_dw   = 11'd1;
    rq_hdr_o.first_be = 4'hf;
    rq_hdr_o.tag      = posted ? 8'd0 : 8'(tag_q);
  end

  logic unused;
  assign unused = ^{rx_cpl_eop_i, rx_cpl_hdr_i, rx_cpl_data_i};

endmodule
