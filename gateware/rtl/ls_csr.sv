// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine's registers: 8 bytes each, written in halves or whole, one page of 256 bytes for
// the engine and one for each channel, and the MSI-X table. What software wrote stands in
// ls_reg_ram, outside; only what changes by itself is wired to the read path.
//
//   page 0    0x00 identity      0x08 parameters     0x10 faults (write ones to clear)
//             0x18 timeout: cycles of one tick, in units of 256
//   others    0x00 control       0x08 ring base      0x10 record base    0x18 tail
//             0x20 address and 0x28 rest of a descriptor, pushed by the second write
//             0x30 clear counters and cause
//             0x40 state         0x48 span           0x80..0xb8 cycles by use
// Page 1 is host to card, 2 card to host, 3 card to card (control, counters and state only); those of
// further channels lie 4 pages (0x400) after one another. The MSI-X table is page 16, which leaves
// room for 16 vectors; the pending bits are page 19, and the table's upper half where that is free.
module ls_csr
  import ls_pkg::*;
#(
  parameter int unsigned Width  = 64,
  parameter int unsigned Tags   = 32,
  parameter int unsigned Vectors = 4,
  parameter int unsigned H2c    = 1,       // channels; card to card is one more
  parameter int unsigned C2h    = 1,
  parameter int unsigned AtBits = 5,
  localparam int unsigned Rings = H2c + C2h,
  localparam int unsigned VBits = $clog2(Vectors)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               reg_valid_i,
  output logic               reg_ready_o,
  input  logic               reg_write_i,
  input  logic [12:0]        reg_addr_i,    // [12:8] the page
  input  logic [63:0]        reg_wdata_i,
  input  logic [7:0]         reg_wstrb_i,
  output logic [63:0]        reg_rdata_o,
  output logic               reg_error_o,

  input  logic [Faults-1:0]  fault_i,       // pulses
  output logic               tick_o,
  output ch_cfg_t            cfg_o [Rings+1],
  input  ch_stat_t           stat_i [Rings+1],
  output logic [Rings:0]     clear_o,
  output logic [Rings:0][3:0] use_sel_o,     // the counter to be read; 8 for none
  output logic [Rings-1:0]   push_o,        // pulse: a descriptor is complete in the memory
  input  logic               push_busy_i,

  output logic               ram_we_lo_o,
  output logic               ram_we_hi_o,
  output logic               ram_clear_o,   // after reset: both halves become zero
  output logic [AtBits-1:0]  ram_at_o,      // where it is written, or read
  output logic               ram_re_o,      // read it,
  input  logic [63:0]        ram_data_i,    // in the next cycle
  output logic               mask_we_o,
  output logic [VBits-1:0]   mask_at_o,
  input  logic [Vectors-1:0] mask_i,
  input  logic [Vectors-1:0] pending_i
);

  localparam logic [63:0] Identity = 64'h0001_0000_5043_534c;  // "LSCP", version 1.0

  logic [4:0]  page;
  logic [4:0]  word;
  logic        wr, lo, hi, msix, entry, bits, held, held_q, push;
  logic        mine;
  logic [Rings:0] here;      // the page of this ring; last, card to card

  assign page = reg_addr_i[12:8];
  assign word = reg_addr_i[7:3];
  assign lo   = reg_wstrb_i[0];
  assign hi   = reg_wstrb_i[4];
  assign msix  = page == 5'd16 || page == 5'd19;
  assign entry = page == 5'd16 && 32'(word) < 2 * Vectors;        // of the MSI-X table
  assign bits  = page == 5'd19 || (page == 5'd16 && word[4] && Vectors <= 8);   // the pending ones
  for (genvar r = 0; r < Rings; r++) begin : gen_here
    localparam logic [4:0] Page = ring_page(r, H2c);
    assign here[r] = page == Page;
  end
  assign here[Rings] = page == 5'd3;
  assign reg_error_o = !msix && page != '0 && here == '0;

  // A read takes a cycle more, so that no path runs from the bus through the multiplexer and back.
  logic phase_q;
  assign reg_ready_o = reg_valid_i && (reg_write_i ? !held : phase_q);
  assign held        = ram_clear_o || (held_q && !entry && word[4:1] == 4'd2);
  assign wr          = reg_valid_i && reg_write_i && !reg_error_o && !held;
  assign mine        = wr && !msix;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) phase_q <= 1'b0;
    else         phase_q <= reg_valid_i && !reg_write_i && !phase_q && !ram_clear_o;
  end

  // ---- what software wrote -------------------------------------------------------------------
  assign ram_we_lo_o = wr && lo && (entry || (here != '0 && word < 5'd8));
  assign ram_we_hi_o = wr && hi && (entry || (here != '0 && word < 5'd8));
  // Memory does not know of a reset: its places are cleared one after the other.
  logic [AtBits:0] clear_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)          clear_q <= {1'b1, AtBits'(0)};
    else if (ram_clear_o) clear_q <= clear_q + 1'b1;
  end
  assign ram_clear_o = clear_q[AtBits];
  assign ram_at_o    = ram_clear_o ? clear_q[AtBits-1:0] : AtBits'(entry ? table_place(word) : {page, word[2:0]});
  assign mask_we_o   = wr && entry && hi && word[0];
  assign mask_at_o   = word[1+:VBits];

  // ---- page 0 --------------------------------------------------------------------------------
  logic [Faults-1:0] fault_q;
  logic [15:0]       tick_len_q;
  logic [23:0]       tick_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q    <= '0;
      tick_len_q <= 16'd48828;  // 50 ms at 250 MHz
      tick_q     <= '0;
      tick_o     <= 1'b0;
    end else begin
      fault_q <= (fault_q & ~((mine && page == 5'd0 && word == 5'd2 && lo) ? reg_wdata_i[Faults-1:0] : '0))
               | fault_i;
      if (mine && page == 5'd0 && word == 5'd3 && lo) tick_len_q <= reg_wdata_i[15:0];
      tick_o <= tick_q[23:8] >= tick_len_q;
      tick_q <= (tick_o || tick_q[23:8] >= tick_len_q) ? '0 : tick_q + 1'b1;
    end
  end

  // ---- channels ------------------------------------------------------------------------------
  for (genvar c = 0; c <= Rings; c++) begin : gen_ch
    ch_cfg_t cfg_q;
    always_ff @(posedge clk_i) clear_o[c] <= rst_ni && mine && here[c] && word == 5'd6;
    assign cfg_o[c]   = cfg_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        cfg_q <= '0;
      end else if (mine && here[c]) begin
        if (word == 5'd0 && lo) begin
          {cfg_q.attr, cfg_q.record, cfg_q.ring, cfg_q.stop, cfg_q.enable} <= reg_wdata_i[6:0];
          cfg_q.size_log2  <= reg_wdata_i[11:8];
          cfg_q.vector     <= reg_wdata_i[15:12];
          cfg_q.coal_count <= reg_wdata_i[23:16];
          {cfg_q.tell, cfg_q.keep, cfg_q.first} <= reg_wdata_i[26:24];
        end
        if (word == 5'd0 && hi) cfg_q.coal_time        <= reg_wdata_i[47:32];
        if (c < Rings && word == 5'd3 && lo) cfg_q.tail    <= reg_wdata_i[15:0];
      end
    end
  end

  // Pushed at the upper half, so two writes of 4 bytes do as well as one of 8.
  assign push = mine && word == 5'd5 && hi;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) push_o <= '0;
    else         push_o <= push ? here[Rings-1:0] : '0;
    held_q <= rst_ni && (push || push_o != '0 || push_busy_i);
  end

  // ---- reading -------------------------------------------------------------------------------
  // What is not asked for is zero after a register, which costs nothing there, and one OR of all
  // is the answer: a multiplexer of as many would be several times as large.
  ch_stat_t    st;
  logic [63:0] ram, state_q, own_q;
  logic        at_ram, at_state, low_q, high_q;
  always_comb begin
    st = '0;
    for (int unsigned c = 0; c <= Rings; c++) if (here[c]) st |= stat_i[c];
  end
  assign at_ram   = entry || (here != '0 && word < 5'd8);
  assign at_state = word[4:3] == 2'd1;

  // Asked for whatever is read: it costs no time, and the address is known early.
  assign ram_re_o = reg_valid_i && !reg_write_i && !phase_q;
  assign ram      = {high_q ? ram_data_i[63:32] : 32'd0, low_q ? ram_data_i[31:0] : 32'd0};

  always_ff @(posedge clk_i) begin
    low_q   <= at_ram;
    high_q  <= at_ram && !(entry && word[0]);
    state_q <= word[0] ? {32'd0, st.span} : {st.done, st.fetched, 8'd0, st.cause, 3'd0, st.busy};
    if (!at_state)         state_q       <= '0;
  end

  always_ff @(posedge clk_i) begin
    own_q <= '0;
    if (bits) begin
      own_q <= 64'(pending_i);
    end else if (entry) begin
      own_q[32] <= word[0] && mask_i[mask_at_o];
    end else if (page == 5'd0) begin
      unique case (word)
        5'd0:    own_q <= Identity;
        5'd1:    own_q <= {32'd0, 2'b11, 3'(C2h - 1), 3'(H2c - 1), 8'(Tags), 16'(Width)};
        5'd2:    own_q <= 64'(fault_q);
        5'd3:    own_q <= 64'(tick_len_q);
        default: own_q <= '0;
      endcase
    end
  end

  logic [31:0] uses;
  always_comb begin
    uses = '0;
    for (int unsigned c = 0; c <= Rings; c++) uses |= stat_i[c].uses;
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c <= Rings; c++) begin
      use_sel_o[c] <= {1'b0, word[2:0]};
      if (!word[4] || !here[c]) use_sel_o[c] <= 4'd8;
    end
  end
  assign reg_rdata_o = ram | state_q | own_q | 64'(uses);

  logic unused;
  assign unused = ^{reg_wstrb_i, reg_addr_i[2:0], reg_wdata_i, st};

endmodule
