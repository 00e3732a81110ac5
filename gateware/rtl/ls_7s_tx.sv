// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs on their way to the transmit stream of the 7-series block, 64 or 128 bit: writes, reads and
// completions take turns, headers go in front of the payload, whose bytes are big-endian within each
// DW. Endpoints and root ports send through it; a root port may mark a request on `tx` as one to
// configuration space, whose address is that of ECAM: {bus, device, function, register}.
module ls_7s_tx
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Reserve = 4,      // transmit buffers of the block kept for completions
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned Dws   = Width / 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [15:0]       id_i,            // bus, device, function of the requester and completer

  output logic [Width-1:0]  s_axis_tx_tdata_o,
  output logic [Bytes-1:0]  s_axis_tx_tkeep_o,
  output logic              s_axis_tx_tlast_o,
  output logic              s_axis_tx_tvalid_o,
  input  logic              s_axis_tx_tready_i,
  input  logic [5:0]        tx_buf_av_i,     // free transmit buffers of the block, a TLP each

  input  logic              tx_valid_i,
  output logic              tx_ready_o,
  input  logic              tx_sop_i,
  input  logic              tx_eop_i,
  input  logic [1:0]        tx_cfg_i,        // {a configuration request, of type 1}
  input  tlp_hdr_t          tx_hdr_i,
  input  logic [Width-1:0]  tx_data_i,
  input  logic              np_valid_i,      // reads
  output logic              np_ready_o,
  input  tlp_hdr_t          np_hdr_i,
  input  logic              cpl_valid_i,
  output logic              cpl_ready_o,
  input  logic              cpl_sop_i,
  input  logic              cpl_eop_i,
  input  tlp_hdr_t          cpl_hdr_i,
  input  logic [Width-1:0]  cpl_data_i
);

  localparam int unsigned CntBits = $clog2(Dws) + 1;

  // What lacks credits waits in the block's transmit buffers. Writes and reads leave some of them
  // free, so that completions can always enter: then the receive side never waits for credits of
  // another kind, as the standard demands, and two cards that write to each other cannot lock.
  logic             o_valid, o_ready, o_sop, o_eop, w_ready, n_ready, first, room, may_write;
  tlp_hdr_t         h;
  logic [Width-1:0] o_data;
  // Of a completion, what its second and third header DW say of it stands where a request has its
  // tag, byte enables and address: so it is chosen together with them, and nothing is chosen twice.
  tlp_hdr_t np_hdr, tx_hdr, cpl_hdr;
  function automatic tlp_hdr_t request(input tlp_hdr_t hdr);
    request              = hdr;
    request.addr[1:0]    = '0;
    request.requester_id = '0;
    request.status       = '0;
    request.byte_count   = '0;
    request.bar          = '0;
  endfunction
  // And of a request, whether it goes to configuration space, where the BAR of one received stands.
  assign np_hdr = request(np_hdr_i);
  always_comb begin
    tx_hdr       = request(tx_hdr_i);
    tx_hdr.bar   = {1'b0, tx_cfg_i};
    cpl_hdr      = request(cpl_hdr_i);
    cpl_hdr.addr = {32'd0, cpl_hdr_i.requester_id, cpl_hdr_i.tag, 1'b0, cpl_hdr_i.addr[6:0]};
    {cpl_hdr.tag, cpl_hdr.last_be, cpl_hdr.first_be} = {cpl_hdr_i.status, 1'b0, cpl_hdr_i.byte_count[11:0]};
  end

  ls_tx_mux #(.Width(Width), .N(3)) u_mux (
    .clk_i, .rst_ni,
    .valid_i({np_valid_i && room, tx_valid_i && may_write, cpl_valid_i}),
    .ready_o({n_ready, w_ready, cpl_ready_o}),
    .sop_i({1'b1, tx_sop_i, cpl_sop_i}), .eop_i({1'b1, tx_eop_i, cpl_eop_i}),
    .hdr_i({np_hdr, tx_hdr, cpl_hdr}),
    .data_i({tx_data_i, tx_data_i, cpl_data_i}),     // a read has none
    .valid_o(o_valid), .ready_i(o_ready), .sop_o(o_sop), .eop_o(o_eop), .hdr_o(h), .data_o(o_data)
  );
  assign room       = 32'(tx_buf_av_i) > Reserve;
  assign may_write  = room || !tx_sop_i;
  assign tx_ready_o = w_ready && may_write;
  assign np_ready_o = n_ready && room;

  logic         is_cpl, has_data, four;
  logic [4:0]   kind;
  logic [31:0]  dw0, dw2;
  logic [127:0] head;
  assign is_cpl   = h.kind == TlpCpl || h.kind == TlpCplD;
  assign has_data = h.kind == TlpMemWr || h.kind == TlpCplD;
  assign four     = h.addr[63:32] != '0;
  assign kind     = is_cpl ? 5'b01010 : {2'b00, h.bar[1], 1'b0, h.bar[0]};
  assign dw2      = h.bar[1] ? {h.addr[27:12], 4'd0, h.addr[11:0]} : h.addr[31:0];   // ECAM's fields and those of the TLP
  assign dw0 = {1'b0, has_data, four, kind,
                1'b0, h.tc, 1'b0, h.attr[2], 2'b00, 1'b0, h.ep, h.attr[1:0], 2'b00, h.len_dw[9:0]};
  assign head = {dw2, h.addr[63:32], id_i, h.tag, h.last_be, h.first_be, dw0};

  logic [Width-1:0]   swapped;
  logic [CntBits-1:0] count;
  ls_hdr_insert #(.Width(Width)) u_insert (
    .clk_i, .rst_ni, .valid_i(o_valid), .ready_o(o_ready), .sop_i(o_sop), .eop_i(o_eop),
    .head_i(head), .four_i(four), .len_dw_i(has_data ? h.len_dw : '0), .data_i(swapped),
    .valid_o(s_axis_tx_tvalid_o), .ready_i(s_axis_tx_tready_i), .first_o(first),
    .last_o(s_axis_tx_tlast_o), .count_o(count), .data_o(s_axis_tx_tdata_o)
  );
  for (genvar i = 0; i < Dws; i++) begin : gen_dw
    assign swapped[i*32+:32]         = big_endian(o_data[i*32+:32]);
    assign s_axis_tx_tkeep_o[i*4+:4] = {4{CntBits'(i) < count}};
  end

  logic unused;
  assign unused = ^{h, first};

endmodule
