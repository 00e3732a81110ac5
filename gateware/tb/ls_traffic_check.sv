// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the engine may ask of the host, at its internal interface, against what the host has set at
// that time: lengths, pages, byte enables, tags; what a host may answer; and that an interrupt follows
// its record, is enabled, and none is lost. A bit of `bad_o` each. Bound into ls_core in every bench by
// ls_core_binds; tb/test_rules.py feeds it a violation of each.
//
// A setting that is changed counts from the next time on at which nothing is out for 64 cycles, if it
// is smaller, because the standard lets a host change it at no other time.
module ls_traffic_check
  import ls_pkg::*;
#(
  parameter int unsigned Tags    = 32,      // of all channels from host to card
  parameter int unsigned H2c     = 1,
  parameter int unsigned Rings   = 2,       // channels in all
  parameter int unsigned Fetches = 1,       // of descriptors, for each channel
  parameter int unsigned Vectors = 4,
  parameter int unsigned Patience = 256,    // free cycles until an interrupt that is due counts as lost
  parameter bit          Stop     = 1'b1,   // end the simulation; 0 where a test plants violations
  localparam int unsigned ChBits = $clog2(H2c),
  localparam int unsigned RingBits = $clog2(Rings),
  localparam int unsigned Rules  = 13
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  settings_t          set_i,
  input  msi_t               msi_i,
  input  logic               tick_i,
  input  logic               tx_valid_i, tx_ready_i, tx_sop_i,
  input  tlp_hdr_t           tx_hdr_i,
  input  logic               rq_valid_i, rq_ready_i,
  input  tlp_hdr_t           rq_hdr_i,
  input  logic               cpl_valid_i,
  input  tlp_hdr_t           cpl_hdr_i,
  input  logic               rx_cpl_valid_i, rx_cpl_sop_i,
  input  tlp_hdr_t           rx_cpl_hdr_i,
  input  logic [Vectors-1:0] irq_i,         // pulses: an interrupt is due
  input  logic [Vectors-1:0] mask_i,
  input  logic               irq_valid_i,   // one is on its way
  input  logic [$clog2(Vectors)-1:0] irq_vector_i,
  input  logic [Rings-1:0]   ch_irq_i,      // pulses of the channels,
  input  logic [Rings-1:0]   rec_sent_i,    // and of their records
  output logic [Rules-1:0]   bad_o
);

  typedef enum int unsigned {
    TooLong, AsksTooMuch, Page, Enables, TagRange, TagReused, Boundary, Answer, Lost, Unasked, TooEarly, NotRequested, NotEnabled
  } rule_e;

  logic       write, read;
  assign write = tx_valid_i && tx_ready_i && tx_sop_i;
  assign read  = rq_valid_i && rq_ready_i;

  // ---- what the host allows ------------------------------------------------------------------
  logic [255:0]    out_q;
  logic [255:0][1:0] age_q;
  logic [2:0]      mps_q, mrrs_q;
  logic [6:0]      quiet_q;
  logic            few_q, waits;
  always_comb begin                     // what is two ticks old is not waited for any more
    waits = 1'b0;
    for (int unsigned i = 0; i < 256; i++) waits |= out_q[i] && !age_q[i][1];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      quiet_q <= 7'd64;
      mps_q   <= '0;
      mrrs_q  <= '0;
      few_q   <= 1'b0;
    end else begin
      quiet_q <= (tx_valid_i || rq_valid_i || waits) ? '0 : quiet_q[6] ? quiet_q : quiet_q + 7'd1;
      if (quiet_q[6] || set_i.mps > mps_q)   mps_q  <= set_i.mps;
      if (quiet_q[6] || set_i.mrrs > mrrs_q) mrrs_q <= set_i.mrrs;
      if (quiet_q[6] || set_i.ext_tag)       few_q  <= !set_i.ext_tag;
    end
  end

  function automatic logic crosses(input tlp_hdr_t h);
    return 14'(h.addr[11:0]) + {1'b0, h.len_dw, 2'b00} > 14'd4096 || h.addr[1:0] != '0;
  endfunction
  // Bytes that are not wanted stand before the first and after the last; none between.
  function automatic logic holes(input tlp_hdr_t h);
    logic [3:0] b;
    b = h.first_be;
    if (h.len_dw == 11'd1) return h.last_be != '0 || (b inside {4'b0101, 4'b1001, 4'b1010, 4'b1011, 4'b1101});
    return !(b inside {4'b1111, 4'b1110, 4'b1100, 4'b1000})
        || !(h.last_be inside {4'b1111, 4'b0111, 4'b0011, 4'b0001});
  endfunction
  function automatic logic more(input tlp_hdr_t h, input logic [2:0] code);
    return {2'b0, h.len_dw} > (13'd32 << code);
  endfunction

  // ---- tags ----------------------------------------------------------------------------------
  logic [12:0] brings;
  logic        last, fits;
  assign brings = {rx_cpl_hdr_i.len_dw, 2'b00} - 13'(rx_cpl_hdr_i.addr[1:0]);
  assign fits   = rx_cpl_hdr_i.kind == TlpCplD && rx_cpl_hdr_i.status == CplSc;
  assign last   = !fits || rx_cpl_hdr_i.byte_count <= brings;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_q <= '0;
    else begin
      if (rx_cpl_valid_i && rx_cpl_sop_i && last) out_q[rx_cpl_hdr_i.tag] <= 1'b0;
      if (read) out_q[rq_hdr_i.tag] <= 1'b1;
    end
    for (int unsigned i = 0; i < 256; i++) if (tick_i && !age_q[i][1]) age_q[i] <= age_q[i] + 2'd1;
    if (read) age_q[rq_hdr_i.tag] <= '0;
  end
  // The lowest bits of a tag are its channel; each has as many, those of 5 bits too.
  function automatic logic reads(input logic [7:0] tag);       // one that reads data
    int unsigned each;
    each = Tags >> ChBits;
    if (few_q && each > (32 - (1 << RingBits)) >> ChBits) each = (32 - (1 << RingBits)) >> ChBits;
    return 32'(tag) >> ChBits < each && 32'(tag) % (1 << ChBits) < H2c;
  endfunction
  function automatic logic fetches(input logic [7:0] tag);     // one that fetches descriptors
    return few_q ? tag < 8'd32 && 32'(tag) >= 32 - (1 << RingBits) : 32'(tag) >= 256 - (Fetches << RingBits);
  endfunction

  // ---- interrupts ------------------------------------------------------------------------------
  logic [Vectors-1:0]       due_q, irq_q, begins;
  logic                     sends_q, lost_q;
  logic [Rings-1:0]         sent_q;
  logic [Vectors-1:0][15:0] free_q;
  logic [Vectors-1:0]       shut;           // cannot be sent now
  logic [1:0]               off_q;          // none can, a cycle ago and before: it is chosen a cycle ahead, of settings of the cycle before
  always_comb begin
    begins = '0;
    if (irq_valid_i && !sends_q) begins[irq_vector_i] = 1'b1;
    for (int unsigned v = 0; v < Vectors; v++) begin
      shut[v] = set_i.msix ? mask_i[v] : !msi_i.enable || msi_i.mask[alias_of(5'(v), msi_i.granted)];
    end
  end
  always_ff @(posedge clk_i) begin
    sends_q <= irq_valid_i;
    irq_q   <= irq_i;
    sent_q  <= rec_sent_i;
    lost_q  <= 1'b0;
    off_q   <= {off_q[0], !set_i.master || (!set_i.msix && !msi_i.enable)};
    // One that comes as its vector is chosen is one more; it is seen a cycle before its write is.
    due_q   <= (due_q & ~begins) | irq_q;
    for (int unsigned v = 0; v < Vectors; v++) begin
      if (!due_q[v] || begins[v] || shut[v] || !set_i.master || irq_valid_i) free_q[v] <= '0;
      else if (!tx_valid_i) free_q[v] <= free_q[v] + 16'd1;
      if (32'(free_q[v]) == Patience) lost_q <= 1'b1;
    end
    if (!rst_ni) begin
      sends_q <= 1'b0;
      irq_q   <= '0;
      due_q   <= '0;
      free_q  <= '0;
      sent_q  <= '0;
      lost_q  <= 1'b0;
    end
  end

  always_comb begin
    bad_o = '0;
    if (rst_ni) begin
      bad_o[TooLong]     = write && more(tx_hdr_i, mps_q > set_i.mps ? mps_q : set_i.mps);
      bad_o[AsksTooMuch] = read && more(rq_hdr_i, mrrs_q > set_i.mrrs ? mrrs_q : set_i.mrrs);
      bad_o[Page]        = (write && crosses(tx_hdr_i)) || (read && crosses(rq_hdr_i));
      bad_o[Enables]     = (write && holes(tx_hdr_i)) || (read && holes(rq_hdr_i));
      bad_o[TagRange]    = read && !reads(rq_hdr_i.tag) && !fetches(rq_hdr_i.tag);
      bad_o[TagReused]   = read && out_q[rq_hdr_i.tag] && !age_q[rq_hdr_i.tag][1];
      // A completion that is not the last of its request ends at a multiple of 64 bytes.
      bad_o[Boundary]    = rx_cpl_valid_i && rx_cpl_sop_i && !last
                        && 6'(rx_cpl_hdr_i.addr[5:0] + 6'(brings)) != '0;
      // Ours bring all that was asked for.
      bad_o[Answer]      = cpl_valid_i && cpl_hdr_i.kind == TlpCplD
                        && (cpl_hdr_i.byte_count > {cpl_hdr_i.len_dw, 2'b00} - 13'(cpl_hdr_i.addr[1:0])
                            || cpl_hdr_i.byte_count == '0 || cpl_hdr_i.len_dw > 11'd2);
      bad_o[Lost]        = lost_q;
      bad_o[Unasked]     = (begins & ~due_q) != '0;
      bad_o[NotEnabled]  = begins != '0 && off_q[1];
      bad_o[TooEarly]    = (ch_irq_i & ~sent_q) != '0;
      bad_o[NotRequested] = write && tx_hdr_i.kind != TlpMemWr || read && rq_hdr_i.kind != TlpMemRd;
    end
  end

  if (Stop) begin : gen_stop
    always_ff @(posedge clk_i) begin
      a_rules: assert (bad_o == '0) else $error("rules broken, a bit each: %b", bad_o);
    end
  end

  logic unused;
  assign unused = ^{cpl_hdr_i, rx_cpl_hdr_i, tx_hdr_i, rq_hdr_i, set_i, msi_i, age_q};

endmodule
