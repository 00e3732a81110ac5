// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A block that drops a write of a device and only says beside its streams that it did: nobody who waits for
// the data can know which write that was. So a poisoned write to an address where nothing is goes to the
// user in its place, between two TLPs: whoever is told of poison can believe no data that came meanwhile.
//
// It is told in order as far as the block does: ahead of all that the block gives out after its word.
module ls_rp_lost
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             lost_i,          // pulse: a write was dropped; several at once are one

  input  logic             rx_valid_i,
  output logic             rx_ready_o,
  input  logic             rx_sop_i,
  input  logic             rx_eop_i,
  input  logic             rx_mem_i,
  input  tlp_hdr_t         rx_hdr_i,
  input  logic [Width-1:0] rx_data_i,
  output logic             rx_valid_o,
  input  logic             rx_ready_i,
  output logic             rx_sop_o,
  output logic             rx_eop_o,
  output logic             rx_mem_o,
  output tlp_hdr_t         rx_hdr_o,
  output logic [Width-1:0] rx_data_o
);

  logic want_q, mine_q, inside_q;        // to be told; being told; in the middle of a TLP
  logic free;                            // nothing is shown in the next cycle that would have to stay

  assign free       = rx_valid_i ? rx_ready_i && rx_eop_i : !inside_q;
  assign rx_valid_o = mine_q || rx_valid_i;
  assign rx_ready_o = !mine_q && rx_ready_i;
  assign rx_sop_o   = mine_q || rx_sop_i;
  assign rx_eop_o   = mine_q || rx_eop_i;
  assign rx_mem_o   = mine_q || rx_mem_i;
  assign rx_data_o  = mine_q ? '0 : rx_data_i;
  always_comb begin
    rx_hdr_o = rx_hdr_i;
    if (mine_q) begin
      rx_hdr_o          = '0;
      rx_hdr_o.kind     = TlpMemWr;
      rx_hdr_o.addr     = 64'hffff_ffff_ffff_f000;
      rx_hdr_o.len_dw   = 11'd1;
      rx_hdr_o.first_be = 4'hf;
      rx_hdr_o.ep       = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      want_q   <= 1'b0;
      mine_q   <= 1'b0;
      inside_q <= 1'b0;
    end else begin
      want_q <= lost_i || (want_q && !(mine_q && rx_ready_i));
      if (mine_q) mine_q <= !rx_ready_i;
      else        mine_q <= want_q && free;
      if (rx_valid_i && rx_ready_o) inside_q <= !rx_eop_i;
    end
  end

endmodule
