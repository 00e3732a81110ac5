// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// One root port for several NVMe hosts, whose drives are below one switch: see docs/ls_nvme_share.md. Each host has
// its `Share` and `Place`. This merges what they send, TLP by TLP in turn, and gives each what its drive sends.
//
// Of the five bits of a tag the highest say which host a request is of, the others are that host's own, so that an answer
// finds its way however late it comes. A drive is known by its bus. What comes from another Requester goes to host 0
// at an address where nothing is, and is not poisoned: a write is dropped there, a read is an Unsupported Request.
module ls_nvme_share
  import ls_pkg::*;
#(
  parameter int unsigned Drives  = 2,
  parameter int unsigned Width   = 64,
  parameter logic [15:0] Bdf     = 16'h0100           // directly below the root port, as the hosts have it
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          stray_o,      // pulse: a completion for none of the hosts, a request of nobody

  // the hosts, by their own names
  input  logic [Drives-1:0]             s_rq_valid_i,
  output logic [Drives-1:0]             s_rq_ready_o,
  input  logic [Drives-1:0]             s_rq_cfg_i,
  input  tlp_hdr_t [Drives-1:0]         s_rq_hdr_i,
  input  logic [Drives-1:0][31:0]       s_rq_data_i,
  input  logic [Drives-1:0]             s_cpl_valid_i,
  output logic [Drives-1:0]             s_cpl_ready_o,
  input  logic [Drives-1:0]             s_cpl_sop_i,
  input  logic [Drives-1:0]             s_cpl_eop_i,
  input  tlp_hdr_t [Drives-1:0]         s_cpl_hdr_i,
  input  logic [Drives-1:0][Width-1:0]  s_cpl_data_i,
  output logic [Drives-1:0]             s_rx_req_valid_o,
  input  logic [Drives-1:0]             s_rx_req_ready_i,
  output logic                          s_rx_req_sop_o,     // from here on the same for all
  output logic                          s_rx_req_eop_o,
  output tlp_hdr_t                      s_rx_req_hdr_o,
  output logic [Width-1:0]              s_rx_req_data_o,
  output logic [Drives-1:0]             s_rx_cpl_valid_o,
  output logic                          s_rx_cpl_sop_o,
  output logic                          s_rx_cpl_eop_o,
  output tlp_hdr_t                      s_rx_cpl_hdr_o,
  output logic [Width-1:0]              s_rx_cpl_data_o,

  // the root port
  output logic                          rq_valid_o,
  input  logic                          rq_ready_i,
  output logic                          rq_cfg_o,
  output tlp_hdr_t                      rq_hdr_o,
  output logic [31:0]                   rq_data_o,
  output logic                          cpl_valid_o,
  input  logic                          cpl_ready_i,
  output logic                          cpl_sop_o,
  output logic                          cpl_eop_o,
  output tlp_hdr_t                      cpl_hdr_o,
  output logic [Width-1:0]              cpl_data_o,
  input  logic                          rx_req_valid_i,
  output logic                          rx_req_ready_o,
  input  logic                          rx_req_sop_i,
  input  logic                          rx_req_eop_i,
  input  tlp_hdr_t                      rx_req_hdr_i,
  input  logic [Width-1:0]              rx_req_data_i,
  input  logic                          rx_cpl_valid_i,
  input  logic                          rx_cpl_sop_i,
  input  logic                          rx_cpl_eop_i,
  input  tlp_hdr_t                      rx_cpl_hdr_i,
  input  logic [Width-1:0]              rx_cpl_data_i
);

  localparam int unsigned AtBits  = $clog2(Drives);
  localparam int unsigned TagBits = 5 - AtBits;
  localparam logic [7:0]  First  = Bdf[15:8] + 8'd2;      // bus of the first drive

  if (Drives < 2 || Drives > 8) begin : gen_check
    $error("%m: Drives must be 2 to 8");
  end

  // ---- requests of the hosts -----------------------------------------------------------------------
  typedef struct packed {
    logic [AtBits-1:0] at;
    logic              cfg;
    logic [31:0]       data;
  } rq_t;
  rq_t [Drives-1:0] rq;
  rq_t              out;
  logic             unused_sop, unused_eop;
  tlp_hdr_t         out_hdr;
  for (genvar i = 0; i < Drives; i++) begin : gen_rq
    assign rq[i] = '{at: AtBits'(i), cfg: s_rq_cfg_i[i], data: s_rq_data_i[i]};
  end
  ls_tx_mux #(.Width($bits(rq_t)), .N(Drives), .First(1'b0), .Fair(1'b1)) u_rq (
    .clk_i, .rst_ni, .valid_i(s_rq_valid_i), .ready_o(s_rq_ready_o), .sop_i('1), .eop_i('1), .hdr_i(s_rq_hdr_i), .data_i(rq),
    .valid_o(rq_valid_o), .ready_i(rq_ready_i), .sop_o(unused_sop), .eop_o(unused_eop), .hdr_o(out_hdr), .data_o(out)
  );

  assign rq_cfg_o  = out.cfg;
  assign rq_data_o = out.data;
  always_comb begin
    rq_hdr_o = out_hdr;
    if (out.cfg || out_hdr.kind == TlpMemRd) rq_hdr_o.tag = 8'({out.at, out_hdr.tag[TagBits-1:0]});
  end

  // ---- their completions -----------------------------------------------------------------------------
  logic [Drives-1:0] whose, whose_q;
  assign whose            = !rx_cpl_sop_i ? whose_q : rx_cpl_hdr_i.tag[7:5] != '0 ? '0 : Drives'(1) << rx_cpl_hdr_i.tag[4:TagBits];
  assign s_rx_cpl_valid_o = rx_cpl_valid_i ? whose : '0;
  assign s_rx_cpl_sop_o   = rx_cpl_sop_i;
  assign s_rx_cpl_eop_o   = rx_cpl_eop_i;
  assign s_rx_cpl_data_o  = rx_cpl_data_i;
  always_comb begin
    s_rx_cpl_hdr_o     = rx_cpl_hdr_i;
    s_rx_cpl_hdr_o.tag = 8'(rx_cpl_hdr_i.tag[TagBits-1:0]);
  end
  always_ff @(posedge clk_i) if (rx_cpl_valid_i) whose_q <= whose;

  // ---- what the drives read and write ------------------------------------------------------------------
  logic              known, known_sop, known_q;
  logic [7:0]        bus;
  logic [AtBits-1:0] at, at_sop, at_q;
  assign bus              = rx_req_hdr_i.requester_id[15:8] - First;
  assign known_sop        = bus < 8'(Drives) && rx_req_hdr_i.requester_id[7:0] == '0;
  assign at_sop           = known_sop ? AtBits'(bus) : '0;
  assign known            = rx_req_sop_i ? known_sop : known_q;
  assign at               = rx_req_sop_i ? at_sop : at_q;
  assign s_rx_req_valid_o = Drives'(rx_req_valid_i) << at;
  assign rx_req_ready_o   = s_rx_req_ready_i[at];
  assign s_rx_req_sop_o   = rx_req_sop_i;
  assign s_rx_req_eop_o   = rx_req_eop_i;
  assign s_rx_req_data_o  = rx_req_data_i;
  always_comb begin
    s_rx_req_hdr_o = rx_req_hdr_i;
    if (!known) begin
      s_rx_req_hdr_o.addr = 64'hffff_ffff_ffff_f000;
      s_rx_req_hdr_o.ep   = 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (rx_req_valid_i) {known_q, at_q} <= {known, at};

  // ---- completions for what they read --------------------------------------------------------------------
  ls_tx_mux #(.Width(Width), .N(Drives), .First(1'b0), .Fair(1'b1)) u_cpl (
    .clk_i, .rst_ni, .valid_i(s_cpl_valid_i), .ready_o(s_cpl_ready_o), .sop_i(s_cpl_sop_i), .eop_i(s_cpl_eop_i),
    .hdr_i(s_cpl_hdr_i), .data_i(s_cpl_data_i), .valid_o(cpl_valid_o), .ready_i(cpl_ready_i), .sop_o(cpl_sop_o), .eop_o(cpl_eop_o),
    .hdr_o(cpl_hdr_o), .data_o(cpl_data_o)
  );

  // A request of nobody that is a read is told by host 0 too.
  always_ff @(posedge clk_i) begin
    stray_o <= rst_ni && ((rx_cpl_valid_i && rx_cpl_sop_i && whose == '0)
                          || (rx_req_valid_i && rx_req_ready_o && rx_req_sop_i && !known_sop));
  end

endmodule
