// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine's registers: 8 bytes each, written in halves or whole, one page of 256 bytes for
// the engine and one for each channel. What software wrote can be read back from a small memory
// instead of a wide multiplexer; only what changes by itself is wired to the read path.
//
//   page 0    0x00 identity      0x08 parameters     0x10 faults (write ones to clear)
//             0x18 timeout: cycles of one tick, in units of 256
//   page 1+c  0x00 control       0x08 ring base      0x10 record base    0x18 tail
//             0x20 address and 0x28 rest of a descriptor, pushed by the second write
//             0x30 clear counters and cause
//             0x40 state         0x48 span           0x80..0xb8 cycles by use
// Channels: 0 host to card, 1 card to host, 2 card to card (control, counters and state only).
module ls_csr
  import ls_pkg::*;
#(
  parameter int unsigned Width  = 64,
  parameter int unsigned Tags   = 32,
  parameter int unsigned Faults = 12
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               reg_valid_i,
  output logic               reg_ready_o,
  input  logic               reg_write_i,
  input  logic [11:0]        reg_addr_i,
  input  logic [63:0]        reg_wdata_i,
  input  logic [7:0]         reg_wstrb_i,
  output logic [63:0]        reg_rdata_o,
  output logic               reg_error_o,

  input  logic [Faults-1:0]  fault_i,       // pulses
  output logic               tick_o,
  output ch_cfg_t            cfg_o [3],
  input  ch_stat_t           stat_i [3],
  output logic [2:0]         clear_o,
  output logic [2:0]         use_sel_o,
  output logic [1:0]         push_o,
  output logic [127:0]       push_desc_o
);

  localparam logic [63:0] Identity = 64'h0001_0000_5043_534c;  // "LSCP", version 1.0

  logic [3:0]  page;
  logic [4:0]  word;
  logic        wr, lo, hi;
  logic [1:0]  ch;

  assign page = reg_addr_i[11:8];
  assign word = reg_addr_i[7:3];
  assign ch   = 2'(page - 4'd1);
  assign lo   = reg_wstrb_i[0];
  assign hi   = reg_wstrb_i[4];
  assign reg_error_o = page > 4'd3;

  // A read takes a cycle more, so that no path runs from the bus through the multiplexer and back.
  logic phase_q;
  assign reg_ready_o = reg_valid_i && (reg_write_i || phase_q);
  assign wr          = reg_valid_i && reg_write_i && !reg_error_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= 1'b0;
    else         phase_q <= reg_valid_i && !reg_write_i && !phase_q;
  end

  // ---- what software wrote -------------------------------------------------------------------
  logic [31:0] back_lo [32], back_hi [32];
  logic [4:0]  back_at;
  assign back_at = {page[1:0], word[2:0]};
  always_ff @(posedge clk_i) begin
    if (wr && word < 5'd8 && lo) back_lo[back_at] <= reg_wdata_i[31:0];
    if (wr && word < 5'd8 && hi) back_hi[back_at] <= reg_wdata_i[63:32];
  end

  // ---- page 0 --------------------------------------------------------------------------------
  logic [Faults-1:0] fault_q;
  logic [15:0]       tick_len_q;
  logic [23:0]       tick_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_q    <= '0;
      tick_len_q <= 16'd48828;  // 50 ms at 250 MHz
      tick_q     <= '0;
      tick_o     <= 1'b0;
    end else begin
      fault_q <= (fault_q & ~((wr && page == 4'd0 && word == 5'd2 && lo) ? reg_wdata_i[Faults-1:0] : '0))
               | fault_i;
      if (wr && page == 4'd0 && word == 5'd3 && lo) tick_len_q <= reg_wdata_i[15:0];
      tick_o <= tick_q[23:8] >= tick_len_q;
      tick_q <= (tick_o || tick_q[23:8] >= tick_len_q) ? '0 : tick_q + 1'b1;
    end
  end

  // ---- channels ------------------------------------------------------------------------------
  logic [63:0] push_addr_q;
  for (genvar c = 0; c < 3; c++) begin : gen_ch
    logic    mine;
    ch_cfg_t cfg_q;
    assign mine       = wr && (page == 4'(c + 1));
    assign clear_o[c] = mine && word == 5'd6;
    assign cfg_o[c]   = cfg_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        cfg_q <= '0;
      end else if (mine) begin
        if (word == 5'd0 && lo) begin
          {cfg_q.attr, cfg_q.record, cfg_q.ring, cfg_q.stop, cfg_q.enable} <= reg_wdata_i[6:0];
          cfg_q.size_log2  <= reg_wdata_i[11:8];
          cfg_q.vector     <= reg_wdata_i[13:12];
          cfg_q.coal_count <= reg_wdata_i[23:16];
        end
        if (word == 5'd0 && hi) cfg_q.coal_time        <= reg_wdata_i[47:32];
        if (c < 2) begin
          if (word == 5'd1 && lo) cfg_q.ring_base[31:0]  <= reg_wdata_i[31:0];
          if (word == 5'd1 && hi) cfg_q.ring_base[63:32] <= reg_wdata_i[63:32];
          if (word == 5'd2 && lo) cfg_q.rec_base[31:0]   <= reg_wdata_i[31:0];
          if (word == 5'd2 && hi) cfg_q.rec_base[63:32]  <= reg_wdata_i[63:32];
          if (word == 5'd3 && lo) cfg_q.tail             <= reg_wdata_i[15:0];
        end
      end
    end
  end

  // Pushed at the upper half, so two writes of 4 bytes do as well as one of 8.
  logic [31:0] push_low_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) push_o <= '0;
    else         push_o <= (wr && word == 5'd5 && hi) ? {page == 4'd2, page == 4'd1} : '0;
  end
  always_ff @(posedge clk_i) begin
    if (wr && word == 5'd4 && lo) push_addr_q[31:0]  <= reg_wdata_i[31:0];
    if (wr && word == 5'd4 && hi) push_addr_q[63:32] <= reg_wdata_i[63:32];
    if (wr && word == 5'd5 && lo) push_low_q         <= reg_wdata_i[31:0];
    if (wr && word == 5'd5 && hi) push_desc_o[127:96] <= reg_wdata_i[63:32];
  end
  assign push_desc_o[95:0] = {push_low_q, push_addr_q};

  // ---- reading -------------------------------------------------------------------------------
  ch_stat_t    st;
  logic [63:0] rdata_q;
  assign use_sel_o   = word[2:0];
  assign st          = stat_i[(ch == 2'd3) ? 2'd0 : ch];
  assign reg_rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (page == 4'd0) begin
      unique case (word)
        5'd0:    rdata_q <= Identity;
        5'd1:    rdata_q <= {32'd0, 16'(Tags), 16'(Width)};
        5'd2:    rdata_q <= 64'(fault_q);
        5'd3:    rdata_q <= 64'(tick_len_q);
        default: rdata_q <= '0;
      endcase
    end else if (word[4]) begin
      rdata_q <= {32'd0, st.uses};
    end else if (word[3]) begin
      rdata_q <= word[0] ? {32'd0, st.span} : {st.done, st.fetched, 8'd0, st.cause, 3'd0, st.busy};
    end else begin
      rdata_q <= {back_hi[back_at], back_lo[back_at]};
    end
  end

  logic unused;
  assign unused = ^{reg_wstrb_i, reg_addr_i[2:0]};

endmodule
