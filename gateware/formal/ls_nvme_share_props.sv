// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// No two hosts ever use the same tag; a completion goes to the host that has used its tag, with the tag that this host gave,
// and to nobody else, whatever hosts give up and whenever answers come; a request that is shown stays. What comes
// from a drive goes to its host, a TLP as a whole, and what comes from nobody to host 0, with an address where nothing is and not
// poisoned. Requests in turn, and completions whole, are proved of ls_tx_mux.
// A host says in the data of its requests who it is and what their tag is, which the module does not know.
module ls_nvme_share_props
  import ls_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       rq_valid_i,
  input logic [2:0]       rq_cfg_i,
  input tlp_hdr_t [2:0]   rq_hdr_i,
  input logic [2:0][31:0] rq_data_i,
  input logic [2:0]       req_ready_i,
  input logic             rq_ready_i,
  input logic             req_valid_i,
  input logic             req_sop_i,
  input logic             req_eop_i,
  input tlp_hdr_t         req_hdr_i,
  input logic             cpl_valid_i,
  input logic             cpl_sop_i,
  input logic             cpl_eop_i,
  input tlp_hdr_t         cpl_hdr_i,
  input logic [63:0]      data_i,
  input logic [4:0]       any_i
);
  logic [2:0]  rq_ready, unused_ready, req_valid, got_valid;
  logic        stray, req_sop, req_eop, got_sop, got_eop, rq_valid, rq_cfg, cpl_valid, cpl_sop, cpl_eop, req_ready;
  tlp_hdr_t    req_hdr, got_hdr, rq_hdr, cpl_hdr;
  logic [63:0] req_data, got_data, cpl_data;
  logic [31:0] rq_data;
  ls_nvme_share #(.Drives(3), .Width(64)) dut (
    .clk_i, .rst_ni, .stray_o(stray), .s_rq_valid_i(rq_valid_i), .s_rq_ready_o(rq_ready), .s_rq_cfg_i(rq_cfg_i), .s_rq_hdr_i(rq_hdr_i),
    .s_rq_data_i(rq_data_i), .s_cpl_valid_i('0), .s_cpl_ready_o(unused_ready), .s_cpl_sop_i('0), .s_cpl_eop_i('0), .s_cpl_hdr_i('0),
    .s_cpl_data_i('0), .s_rx_req_valid_o(req_valid), .s_rx_req_ready_i(req_ready_i), .s_rx_req_sop_o(req_sop), .s_rx_req_eop_o(req_eop),
    .s_rx_req_hdr_o(req_hdr), .s_rx_req_data_o(req_data), .s_rx_cpl_valid_o(got_valid), .s_rx_cpl_sop_o(got_sop),
    .s_rx_cpl_eop_o(got_eop), .s_rx_cpl_hdr_o(got_hdr), .s_rx_cpl_data_o(got_data), .rq_valid_o(rq_valid), .rq_ready_i,
    .rq_cfg_o(rq_cfg), .rq_hdr_o(rq_hdr), .rq_data_o(rq_data), .cpl_valid_o(cpl_valid), .cpl_ready_i(1'b1), .cpl_sop_o(cpl_sop),
    .cpl_eop_o(cpl_eop), .cpl_hdr_o(cpl_hdr), .cpl_data_o(cpl_data), .rx_req_valid_i(req_valid_i), .rx_req_ready_o(req_ready),
    .rx_req_sop_i(req_sop_i), .rx_req_eop_i(req_eop_i), .rx_req_hdr_i(req_hdr_i), .rx_req_data_i(data_i), .rx_cpl_valid_i(cpl_valid_i),
    .rx_cpl_sop_i(cpl_sop_i), .rx_cpl_eop_i(cpl_eop_i), .rx_cpl_hdr_i(cpl_hdr_i), .rx_cpl_data_i(data_i)
  );

  // What is known of one tag, which never changes: the host that has used it, and its own one.
  logic        first_q = 1'b1, waits, used_q, shown_q, shown_cfg_q, told_q, begun_q, asked_q;
  logic [4:0]  one_q;
  logic [1:0]  host, host_q, to_q;
  logic [7:0]  own_q;
  tlp_hdr_t    shown_hdr_q;
  logic [31:0] shown_data_q;
  logic [2:0]  got_q;
  assign host  = rq_data[1:0];
  assign waits = rq_valid && rq_ready_i && (rq_cfg || rq_hdr.kind == TlpMemRd);
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    one_q   <= first_q ? any_i : one_q;
    {shown_q, shown_cfg_q, shown_hdr_q, shown_data_q} <= {rst_ni && rq_valid && !rq_ready_i, rq_cfg, rq_hdr, rq_data};
    if (!rst_ni) used_q <= 1'b0;
    else if (waits && rq_hdr.tag == 8'(one_q)) {used_q, host_q, own_q} <= {1'b1, host, rq_data[9:2]};
    if (cpl_valid_i) got_q <= got_valid;
    if (req_valid_i && req_sop_i) {to_q, told_q} <= {dut.at, dut.known};
    {begun_q, asked_q} <= !rst_ni ? 2'b00 : {begun_q || (cpl_valid_i && cpl_sop_i), asked_q || (req_valid_i && req_sop_i)};
  end

  logic known;
  assign known = req_hdr_i.requester_id inside {16'h0300, 16'h0400, 16'h0500};
  for (genvar i = 0; i < 3; i++) begin : gen_in
    logic shown_in_q;
    tlp_hdr_t hdr_q;
    logic [32:0] data_q;
    always_ff @(posedge clk_i) {shown_in_q, hdr_q, data_q} <= {rst_ni && rq_valid_i[i] && !rq_ready[i], rq_hdr_i[i], rq_cfg_i[i], rq_data_i[i]};
    always_comb begin
      assume (!shown_in_q || (rq_valid_i[i] && hdr_q == rq_hdr_i[i] && data_q == {rq_cfg_i[i], rq_data_i[i]}));
      assume (rq_data_i[i][1:0] == 2'(i) && rq_data_i[i][9:2] == rq_hdr_i[i].tag);
      assume (rq_hdr_i[i].kind inside {TlpMemRd, TlpMemWr});
      assume (rq_hdr_i[i].tag < 8'd8);            // TagBits of three hosts
    end
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else assume (rst_ni);
    if (!first_q) begin
      // What is claimed.
      if (waits && rq_hdr.tag == 8'(one_q)) a_free: assert (!used_q || host_q == host);
      if (waits) a_small: assert (rq_hdr.tag < 8'd32);
      if (rq_valid && !rq_cfg && rq_hdr.kind == TlpMemWr) a_posted: assert (rq_hdr.tag == rq_data[9:2]);
      if (shown_q) a_stays: assert (rq_valid && {rq_cfg, rq_hdr, rq_data} == {shown_cfg_q, shown_hdr_q, shown_data_q});
      if (cpl_valid_i && cpl_sop_i && cpl_hdr_i.tag == 8'(one_q)) begin
        if (used_q) a_whose: assert (got_valid == 3'b001 << host_q && got_hdr.tag == own_q);
        a_one: assert ($onehot0(got_valid));
      end
      if (cpl_valid_i && cpl_sop_i && cpl_hdr_i.tag >= 8'd32) a_large: assert (got_valid == '0);
      if (cpl_valid_i && !cpl_sop_i && begun_q) a_rest: assert (got_valid == got_q);
      if (req_valid_i && req_sop_i && known) a_drive: assert (req_valid == 3'b001 << (req_hdr_i.requester_id[10:8] - 3'd3) && req_hdr == req_hdr_i);
      if (req_valid_i && req_sop_i && !known) a_nobody: assert (req_valid == 3'b001 && req_hdr.addr == 64'hffff_ffff_ffff_f000);
      if (req_valid_i && !req_sop_i && asked_q) a_whole: assert (req_valid == 3'b001 << to_q && req_hdr.ep == (told_q && req_hdr_i.ep));
      if (req_valid_i && req_sop_i && !known) a_clean: assert (!req_hdr.ep);
      if (req_sop_i || asked_q) a_ready: assert (req_ready == |(req_ready_i & (3'b001 << dut.at)) && (req_valid == '0) == !req_valid_i);

      // What carries the proof.
      if (begun_q) i_last: assert (dut.whose_q == got_q);
      if (asked_q) i_to: assert (dut.at_q == to_q && dut.known_q == told_q && to_q < 2'd3);
      i_way:    assert (dut.u_rq.at_q < 2'd3 && dut.u_rq.lock_q == 3'(3'b001 << dut.u_rq.at_q));
      if (rq_valid) i_out: assert (dut.out.at == dut.out.data[1:0] && dut.out.at < 2'd3 && dut.out_hdr.tag == dut.out.data[9:2]
                                   && dut.out_hdr.kind inside {TlpMemRd, TlpMemWr} && dut.out_hdr.tag < 8'd8);
      i_host:   assert (!used_q || {host_q, own_q} == {one_q[4:3], 5'd0, one_q[2:0]});
    end
    c_given_up: cover (!first_q && waits && used_q && host == host_q && rq_hdr.tag != 8'(one_q));
    c_answer:   cover (!first_q && cpl_valid_i && cpl_sop_i && got_valid == 3'b100 && used_q && cpl_hdr_i.tag == 8'(one_q));
    c_nobody:   cover (!first_q && stray);
  end
endmodule
