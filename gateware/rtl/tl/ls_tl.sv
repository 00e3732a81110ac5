// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The transaction layer of an endpoint, between the TLPs of ls_link and the streams of ls_core. Wires between the
// modules beside it, and what configuration space says to others.
module ls_tl
  import ls_pkg::*;
  import ls_link_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter logic [15:0] VendorId = 16'h1234,
  parameter logic [15:0] DeviceId = 16'h0001,
  parameter logic [31:0] Subsystem = 32'h0001_1234,       // ID, vendor
  parameter logic [31:0] ClassRev = 32'h0580_0000,
  parameter logic [63:0] Serial = '0,
  parameter int unsigned Vectors = 4,
  parameter int unsigned Bar0Bits = 16,
  parameter int unsigned Bar2Bits = 20,
  parameter int unsigned PostedHdr = 32,
  parameter int unsigned PostedData = 192,
  parameter int unsigned NonPostedHdr = 32,
  parameter int unsigned NonPostedData = 32,
  parameter int unsigned PostedBytes = 4096,
  parameter int unsigned NonPostedBytes = 2048,
  parameter int unsigned CplBytes = 2048
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        ready_i,            // configuration requests are answered
  // the link
  input  logic [1:0]  state_i,
  output logic [1:0]  mps_o,
  output logic        tlp_valid_o,
  input  logic        tlp_ready_i,
  output logic [15:0] tlp_word_o,
  output logic        tlp_last_o,
  input  logic        tlp_valid_i,
  input  logic [15:0] tlp_word_i,
  input  logic        tlp_end_i,
  input  logic        tlp_good_i,
  output credits_t    grant_o,
  input  credits_t    limit_i,
  input  logic [2:0]  free_hdr_i,
  input  logic [2:0]  free_data_i,
  input  link_err_t   link_error_i,
  // what is above
  output logic        rst_no,
  output settings_t   set_o,
  output logic [15:0] id_o,
  output logic        flr_o,
  output tl_err_t     error_o,
  input  logic        tx_valid_i,
  output logic        tx_ready_o,
  input  logic        tx_sop_i,
  input  logic        tx_eop_i,
  input  tlp_hdr_t    tx_hdr_i,
  input  logic [63:0] tx_data_i,
  input  logic        rq_valid_i,
  output logic        rq_ready_o,
  input  tlp_hdr_t    rq_hdr_i,
  input  logic        cpl_valid_i,
  output logic        cpl_ready_o,
  input  tlp_hdr_t    cpl_hdr_i,
  input  logic [63:0] cpl_data_i,
  output logic        rx_req_valid_o,
  input  logic        rx_req_ready_i,
  output logic        rx_req_sop_o,
  output logic        rx_req_eop_o,
  output tlp_hdr_t    rx_req_hdr_o,
  output logic [63:0] rx_req_data_o,
  output logic        rx_cpl_valid_o,     // always taken
  output logic        rx_cpl_sop_o,
  output logic        rx_cpl_eop_o,
  output tlp_hdr_t    rx_cpl_hdr_o,
  output logic [63:0] rx_cpl_data_o
);

  // Of a TLP beside its payload: four header DWs and a digest.
  if (PostedHdr < 1 || PostedHdr > 127 || PostedData < 32 || PostedHdr * 20 + PostedData * 16 > PostedBytes) begin : gen_check_posted
    $error("%m: PostedBytes must hold PostedHdr (1 to 127) and PostedData (32 or more)");
  end
  if (!(NonPostedHdr inside {2, 4, 8, 16, 32, 64}) || NonPostedData < 1 || NonPostedHdr * 20 + NonPostedData * 16 > NonPostedBytes) begin : gen_check_non_posted
    $error("%m: NonPostedHdr must be 2, 4, 8, 16, 32 or 64, NonPostedBytes must hold it and NonPostedData (1 or more)");
  end
  if (Vectors < 1 || Vectors > 2048) begin : gen_check_vectors
    $error("%m: Vectors must be 1 to 2048");
  end
  if (Bar0Bits < 12 || Bar0Bits > 30 || Bar2Bits < 12 || Bar2Bits > 40) begin : gen_check_bars
    $error("%m: Bar0Bits must be 12 to 30, Bar2Bits 12 to 40");
  end

  localparam shape_t Shape = '{
    vendor: VendorId, device: DeviceId, class_rev: ClassRev, subsystem: Subsystem, serial: Serial, vectors: 11'(Vectors - 1),
    bar0: 32'hffff_ffff << Bar0Bits, bar2: 64'hffff_ffff_ffff_ffff << Bar2Bits
  };

  logic link, up, run_n;
  assign link  = state_i != DlInactive;
  assign up    = state_i == DlActive;
  assign run_n = rst_ni && link;
  always_ff @(posedge clk_i) rst_no <= run_n;

  // ---- in --------------------------------------------------------------------------------------------
  logic [2:0]       in_valid, in_keep, in_forget, out_valid, out_ready;
  logic [15:0]      in_word;
  logic [2:0][15:0] out_word;
  logic [1:0]       gone, pick, at;
  logic             req_gone, malformed, overflow;
  logic [8:0]       gone_data;
  ls_tl_rx #(.PostedHdr(PostedHdr), .PostedData(PostedData), .NonPostedHdr(NonPostedHdr), .NonPostedData(NonPostedData)) u_rx (
    .clk_i, .rst_ni(run_n), .mps_i(mps_o), .valid_i(tlp_valid_i), .word_i(tlp_word_i), .end_i(tlp_end_i), .good_i(tlp_good_i), .valid_o(in_valid),
    .word_o(in_word), .keep_o(in_keep), .forget_o(in_forget), .gone_i(gone), .gone_data_i(gone_data), .grant_o,
    .malformed_o(malformed), .overflow_o(overflow)
  );
  for (genvar c = 0; c < 3; c++) begin : gen_buffer
    ls_tl_buffer #(.Bytes(c == 0 ? PostedBytes : c == 1 ? NonPostedBytes : CplBytes)) u_buffer (
      .clk_i, .rst_ni(run_n), .valid_i(in_valid[c]), .word_i(in_word), .keep_i(in_keep[c]), .forget_i(in_forget[c]),
      .valid_o(out_valid[c]), .ready_i(out_ready[c]), .word_o(out_word[c])
    );
  end

  // ---- requests --------------------------------------------------------------------------------------
  logic        req_idle, req_ready, look, beat, beat_ready, beat_sop, beat_eop, answered;
  logic [7:0]  kind;
  tlp_hdr_t    req_hdr;
  logic [63:0] req_data;
  ls_tl_order #(.NonPosted(NonPostedHdr)) u_order (
    .clk_i, .rst_ni(run_n), .came_i(in_keep[1:0]), .valid_i(out_valid[1:0]), .idle_i(req_idle), .gone_i(gone), .answered_i(answered), .pick_o(pick), .at_o(at)
  );
  assign gone           = at & {2{req_gone}};
  assign out_ready[1:0] = pick & {2{req_ready}};
  ls_tl_unpack u_request (
    .clk_i, .rst_ni(run_n), .valid_i((pick & out_valid[1:0]) != '0), .ready_o(req_ready), .word_i(pick[1] ? out_word[1] : out_word[0]),
    .idle_o(req_idle), .gone_o(req_gone), .gone_data_o(gone_data), .kind_o(kind), .hdr_o(req_hdr), .look_o(look), .valid_o(beat),
    .ready_i(beat_ready), .sop_o(beat_sop), .eop_o(beat_eop), .data_o(req_data)
  );

  logic        cfg_valid, cfg_write, own_valid, own_ready, memory;
  logic [9:0]  cfg_dw;
  logic [3:0]  cfg_be;
  logic [31:0] cfg_wdata, cfg_rdata, own_data, command, bar0, pmcsr, msix, device;
  logic [63:0] bar2;
  tlp_hdr_t    own_hdr;
  tl_err_t     error;
  ls_tl_route #(.Bar0Bits(Bar0Bits), .Bar2Bits(Bar2Bits)) u_route (
    .clk_i, .rst_ni(run_n), .config_i(ready_i), .memory_i(memory), .bar0_i(bar0), .bar2_i(bar2), .id_o, .look_i(look), .kind_i(kind),
    .hdr_i(req_hdr), .valid_i(beat), .ready_o(beat_ready), .sop_i(beat_sop), .eop_i(beat_eop), .data_i(req_data), .req_valid_o(rx_req_valid_o),
    .req_ready_i(rx_req_ready_i), .req_sop_o(rx_req_sop_o), .req_eop_o(rx_req_eop_o), .req_hdr_o(rx_req_hdr_o), .req_data_o(rx_req_data_o),
    .cfg_valid_o(cfg_valid), .cfg_write_o(cfg_write), .cfg_dw_o(cfg_dw), .cfg_be_o(cfg_be), .cfg_data_o(cfg_wdata), .cfg_data_i(cfg_rdata),
    .cpl_valid_o(own_valid), .cpl_ready_i(own_ready), .cpl_hdr_o(own_hdr), .cpl_data_o(own_data), .ur_o(error.ur), .posted_ur_o(error.posted_ur),
    .poisoned_o(error.poisoned)
  );

  // ---- configuration space ---------------------------------------------------------------------------
  ls_tl_cfg #(.Shape(Shape)) u_cfg (
    .clk_i, .rst_ni, .link_i(link), .valid_i(cfg_valid), .write_i(cfg_write), .dw_i(cfg_dw), .be_i(cfg_be), .data_i(cfg_wdata), .data_o(cfg_rdata),
    .error_i(error), .link_error_i, .flr_o, .command_o(command), .bar0_o(bar0), .bar2_o(bar2), .pmcsr_o(pmcsr), .msix_o(msix), .device_o(device)
  );
  logic unused;
  assign unused = &{command, pmcsr, msix, device, tx_sop_i, tx_eop_i};
  assign memory = command[1] && pmcsr[1:0] == '0;
  assign mps_o  = device[7] || device[6] ? 2'd2 : {1'b0, device[5]};
  assign set_o  = '{
    mps: device[7:5], mrrs: device[14:12], ext_tag: device[8], master: command[2] && pmcsr[1:0] == '0, msix: msix[31] && !msix[30]
  };

  // ---- completions -----------------------------------------------------------------------------------
  logic       cpl_beat, cpl_mine_q, cpl_look, cpl_idle, cpl_gone;
  logic [8:0] cpl_credits;
  logic [7:0] cpl_kind;
  ls_tl_unpack #(.Completions(1'b1)) u_completion (
    .clk_i, .rst_ni(run_n), .valid_i(out_valid[2]), .ready_o(out_ready[2]), .word_i(out_word[2]), .idle_o(cpl_idle), .gone_o(cpl_gone),
    .gone_data_o(cpl_credits), .kind_o(cpl_kind), .hdr_o(rx_cpl_hdr_o), .look_o(cpl_look), .valid_o(cpl_beat), .ready_i(1'b1),
    .sop_o(rx_cpl_sop_o), .eop_o(rx_cpl_eop_o), .data_o(rx_cpl_data_o)
  );
  logic unused_cpl;
  assign unused_cpl     = &{cpl_credits, cpl_kind, cpl_idle, cpl_gone};
  assign rx_cpl_valid_o = cpl_beat && cpl_mine_q;
  always_ff @(posedge clk_i) begin
    if (cpl_look) cpl_mine_q <= rx_cpl_hdr_o.requester_id == id_o;
    error.unexpected <= run_n && cpl_look && rx_cpl_hdr_o.requester_id != id_o;
  end
  assign error.malformed = malformed;
  assign error.overflow  = overflow;
  assign error_o         = error;

  // ---- out -------------------------------------------------------------------------------------------
  ls_tl_tx u_tx (
    .clk_i, .rst_ni, .up_i(up), .id_i(id_o), .limit_i, .free_hdr_i, .free_data_i, .own_valid_i(own_valid), .own_ready_o(own_ready),
    .own_hdr_i(own_hdr), .own_data_i(own_data), .cpl_valid_i, .cpl_ready_o, .cpl_hdr_i, .cpl_data_i, .tx_valid_i, .tx_ready_o, .tx_hdr_i, .tx_data_i,
    .rq_valid_i, .rq_ready_o, .rq_hdr_i, .valid_o(tlp_valid_o), .ready_i(tlp_ready_i), .word_o(tlp_word_o), .last_o(tlp_last_o), .ca_o(error.ca)
  );
  assign answered = (own_valid && own_ready) || (cpl_valid_i && cpl_ready_o);

endmodule
