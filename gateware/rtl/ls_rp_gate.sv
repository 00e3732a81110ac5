// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What both root ports do to the streams of the inside: while the port is not up, what its user sends is taken
// and dropped, whole TLPs, so that nothing of an old link goes out on a new one; and of what comes in,
// messages are dropped, and another request that is none to memory goes to an address where nothing is.
// What is shown to the block stays until it is taken, whatever becomes of the link: a block may have taken
// the header of a completion already, whose first beat of data waits.
module ls_rp_gate
  import ls_pkg::*;
#(
  parameter logic [7:0] SecBus = 8'd1          // directly below: its requests are of type 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       up_i,

  input  logic       rq_valid_i,
  output logic       rq_ready_o,
  input  logic       rq_cfg_i,
  input  tlp_hdr_t   rq_hdr_i,
  output logic       rq_valid_o,
  input  logic       rq_ready_i,
  output logic [1:0] rq_cfg_o,                 // {a configuration request, of type 1}

  input  logic       cpl_valid_i,
  output logic       cpl_ready_o,
  input  logic       cpl_sop_i,
  output logic       cpl_valid_o,
  input  logic       cpl_ready_i,

  input  logic       rx_valid_i,
  output logic       rx_ready_o,
  input  logic       rx_sop_i,
  input  logic       rx_mem_i,
  input  tlp_hdr_t   rx_hdr_i,
  output logic       rx_valid_o,
  input  logic       rx_ready_i,
  output tlp_hdr_t   rx_hdr_o
);

  // Requests are of one beat.
  logic rq_go, rq_shown_q;
  assign rq_go      = up_i || rq_shown_q;
  assign rq_valid_o = rq_valid_i && rq_go;
  assign rq_ready_o = rq_ready_i || !rq_go;
  assign rq_cfg_o   = {rq_cfg_i, rq_cfg_i && rq_hdr_i.addr[27:20] != SecBus};

  logic cpl_go, cpl_go_q, cpl_shown_q, drop, drop_q;
  assign cpl_go      = (cpl_sop_i && !cpl_shown_q) ? up_i : cpl_go_q;
  assign cpl_valid_o = cpl_valid_i && cpl_go;
  assign cpl_ready_o = cpl_ready_i || !cpl_go;

  assign drop       = rx_sop_i ? !rx_mem_i && rx_hdr_i.kind == TlpMemWr : drop_q;
  assign rx_valid_o = rx_valid_i && !drop;
  assign rx_ready_o = rx_ready_i || drop;
  always_comb begin
    rx_hdr_o = rx_hdr_i;
    if (rx_sop_i && !rx_mem_i) rx_hdr_o.addr = 64'hffff_ffff_ffff_f000;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_shown_q  <= 1'b0;
      cpl_shown_q <= 1'b0;
      cpl_go_q    <= 1'b0;
      drop_q      <= 1'b0;
    end else begin
      rq_shown_q  <= rq_valid_o && !rq_ready_i;
      cpl_shown_q <= cpl_valid_o && !cpl_ready_i;
      if (cpl_valid_i) cpl_go_q <= cpl_go;
      if (rx_valid_i && rx_ready_o)   drop_q   <= drop;
    end
  end

  logic unused;
  assign unused = ^rq_hdr_i;

endmodule
