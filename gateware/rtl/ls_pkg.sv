// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// One vocabulary for every module: the TLP header that travels beside the data beats, the command
// a DMA engine takes, the report it gives back, and the causes of failure that software can read.
//
// Rules of a TLP stream (checked by ls_stream_check):
//   * a beat moves when valid and ready; valid, once up, stays with the same content until then
//   * `sop` marks the first beat, `hdr` counts on that beat only; `eop` marks the last, on which
//     `hdr.ep` counts too: a block may find only then that it cannot read what it received
//   * payload DW 0 is always in lane 0 of the first beat, so a TLP of n DW takes ceil(n*32/Width)
//     beats and its header none; a TLP without payload takes one beat
package ls_pkg;

  typedef enum logic [1:0] {
    TlpMemRd = 2'd0,
    TlpMemWr = 2'd1,
    TlpCpl   = 2'd2,
    TlpCplD  = 2'd3
  } tlp_kind_e;

  // Completion Status field values of the standard.
  localparam logic [2:0] CplSc = 3'b000;
  localparam logic [2:0] CplUr = 3'b001;
  localparam logic [2:0] CplCa = 3'b100;
  // A value the standard does not use: a vendor's block says that this does not fit its request.
  localparam logic [2:0] CplMisfit = 3'b110;

  typedef struct packed {
    tlp_kind_e   kind;
    logic [63:0] addr;          // requests: byte address of DW 0; completions: Lower Address in [6:0]
    logic [10:0] len_dw;        // payload or requested length, 1 to 1024; 0 for a Cpl
    logic [3:0]  first_be;
    logic [3:0]  last_be;
    logic [7:0]  tag;
    logic [15:0] requester_id;  // completions only; for requests the shim fills in its own
    logic [2:0]  attr;          // {ID-based ordering, relaxed ordering, no snoop}
    logic [2:0]  tc;
    logic        ep;            // poisoned
    logic [2:0]  status;        // completions: Completion Status
    logic [12:0] byte_count;    // completions: Byte Count, 1 to 4096 (not wrapped)
    logic [2:0]  bar;           // received requests: the BAR that was hit
  } tlp_hdr_t;

  typedef enum logic [3:0] {
    CauseNone       = 4'd0,
    CauseTimeout    = 4'd1,  // no completion in time
    CauseUr         = 4'd2,  // Unsupported Request
    CauseCa         = 4'd3,  // Completer Abort
    CausePoison     = 4'd4,  // poisoned data, or data that the block broke off
    CauseLength     = 4'd5,  // descriptor length zero or above the bound
    CauseAbort      = 4'd6,  // ended by software
    CauseFetch      = 4'd7,  // the descriptors themselves could not be read
    CauseNoAnswer   = 4'd8,  // a BAR access that nothing answered
    CauseUnexpected = 4'd9,  // a completion nobody waits for
    CauseCardError  = 4'd10, // the card's memory answered SLVERR
    CauseCardNowhere = 4'd11 // or DECERR
  } cause_e;

  // What the host has set, as the block tells it.
  typedef struct packed {
    logic [2:0] mps;       // encoded as in Device Control
    logic [2:0] mrrs;
    logic       ext_tag;   // Extended Tag Field Enable: without it, tags have 5 bits
    logic       master;    // Bus Master Enable, and the power state is D0: requests may be issued
    logic       msix;      // MSI-X Enable, and no Function Mask
  } settings_t;

  // MSI, as the block tells it, and which interrupt it could not send.
  typedef struct packed {
    logic        enable;
    logic [2:0]  granted;  // Multiple Message Enable: log2 of the vectors that the host has granted
    logic [31:0] mask;     // of those
    logic        back;     // pulse: an interrupt was not sent, and is pending again
    logic [3:0]  vector;   // which, as the engine counts them
  } msi_t;

  // Completion Status of a write on tx that is none, but asks the block for an MSI: its tag is the
  // engine's vector. So it keeps its place behind all that was written before.
  localparam logic [2:0] AskMsi = 3'b011;

  localparam int unsigned LenBits = 24;
  localparam int unsigned IdBits  = 24;
  localparam int unsigned Faults  = 12;   // bits of the fault register
  localparam int unsigned CardBits = 32;  // of an address of card memory

  typedef struct packed {
    logic [7:0]         card_high; // of an address of card memory, whose rest is `id`
    logic [63:0]        addr;
    logic [LenBits-1:0] len;
    logic               sof;
    logic               eof;
    logic               irq;
    logic               bad;     // refused: report it, move nothing
    logic               fetch;   // with bad: not its length, the descriptors could not be read
    logic               fabric;  // came from the command port, not from the host
    logic [IdBits-1:0]  id;
  } dma_cmd_t;

  typedef struct packed {
    logic [LenBits-1:0] len;      // bytes moved
    logic               sof;
    logic               eof;
    logic               irq;
    logic               regular;  // ended exactly as its command said
    logic               fabric;
    cause_e             cause;
    logic [IdBits-1:0]  id;
  } dma_done_t;

  // AXI4 to card memory without its data: writes of a channel from host to card, reads of one from
  // card to host. Bursts are INCR, of whole beats; one ID.
  typedef struct packed {
    logic                aw_valid;
    logic [CardBits-1:0] aw_addr;
    logic [7:0]          aw_len;
    logic                w_valid;
    logic                w_last;
    logic                b_ready;
    logic                ar_valid;
    logic [CardBits-1:0] ar_addr;
    logic [7:0]          ar_len;
    logic                r_ready;
  } mm_out_t;
  typedef struct packed {
    logic       aw_ready;
    logic       w_ready;
    logic       b_valid;
    logic [1:0] b_resp;
    logic       ar_ready;
    logic       r_valid;
    logic       r_last;
    logic [1:0] r_resp;
  } mm_in_t;

  // What every cycle of a channel was spent on; one class each, so that they add up to time.
  typedef enum logic [2:0] {
    UseIdle    = 3'd0,
    UseMove    = 3'd1,
    UseCredits = 3'd2,
    UseTags    = 3'd3,
    UseStream  = 3'd4,
    UseDesc    = 3'd5,
    UseHost    = 3'd6,
    UsePipe    = 3'd7
  } use_e;

  // A channel's settings, as the register file holds them; base addresses are in ls_reg_ram.
  typedef struct packed {
    logic        enable;
    logic        stop;
    logic        ring;       // fetch descriptors from the ring
    logic        record;     // write completion records
    logic        first;      // card to host: a frame begins in descriptors marked as the first of one
    logic        keep;       // card to host: a stop drops nothing of the stream
    logic        tell;       // the end of a stop is a record
    logic [2:0]  attr;
    logic [3:0]  size_log2;  // ring entries; 0 for 16
    logic [3:0]  vector;
    logic [7:0]  coal_count;
    logic [15:0] coal_time;  // cycles
    logic [15:0] tail;
  } ch_cfg_t;

  typedef struct packed {
    logic        busy;
    cause_e      cause;      // first failure since it was cleared
    logic [15:0] fetched;    // descriptors taken from the ring, modulo its size
    logic [31:0] done;       // descriptors completed
    logic [31:0] span;       // cycles, first beat to last beat
    logic [31:0] uses;       // the cycle counter selected by the register file
  } ch_stat_t;

  // What comes beside a beat of descriptors: its completion, which of the ring's requests it answers.
  typedef struct packed {
    logic        sop;
    logic        eop;
    logic        broken;     // with the last beat: nothing of it can be used
    logic [3:0]  id;         // from here on with all beats
    logic [10:0] len;        // of the completion, DWs
    logic [10:0] left;       // of its request from there on, DWs
    logic        bad;        // it brings no data that can be used
    logic        last;       // it is the last of its request
  } desc_beat_t;

  // The report of a command of which a TLP was dropped while bus mastering is off: it is not done.
  function automatic dma_done_t told(input dma_done_t done, input logic gone);
    told = done;
    if (gone && done.cause == CauseNone) begin
      told.cause   = CauseAbort;
      told.regular = 1'b0;
    end
  endfunction

  // The number of a vector where the host has granted 2**granted of them.
  function automatic logic [4:0] alias_of(input logic [4:0] vector, input logic [2:0] granted);
    return vector & ~(5'h1f << granted);
  endfunction

  // Fetches of descriptors out, a channel, where nobody says how many: no more than 64 tags for all.
  function automatic int unsigned fetches(input int unsigned width, input int unsigned rings);
    int unsigned one, share;
    one   = (width <= 128) ? 4 : width / 32;
    share = 64 >> $clog2(rings);
    return (one < share) ? one : share;
  endfunction

  // A DW of payload as TLPs have it on the wire, and back.
  function automatic logic [31:0] big_endian(input logic [31:0] dw);
    return {dw[7:0], dw[15:8], dw[23:16], dw[31:24]};
  endfunction

  // Places of ls_reg_ram: {group, page, word}; see there.
  function automatic logic [4:0] ring_page(input int unsigned ring, input int unsigned h2c);
    return 5'((ring < h2c) ? 4 * ring + 1 : 4 * (ring - h2c) + 2);
  endfunction
  function automatic logic [7:0] table_place(input logic [4:0] word);   // of the MSI-X table
    return {1'b0, word[4:3], 2'd0, word[2:0]};
  endfunction

endpackage
