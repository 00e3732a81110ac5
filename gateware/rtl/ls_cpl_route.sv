// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Completions find their way by tag: the lowest bits of a tag are the host-to-card channel that reads,
// or the ring that fetches. Fetches have the last tags of those that the host allows.
module ls_cpl_route
  import ls_pkg::*;
#(
  parameter int unsigned Width   = 64,
  parameter int unsigned Own     = 32,      // tags of a host-to-card channel
  parameter int unsigned H2c     = 1,
  parameter int unsigned Rings   = 2,
  parameter int unsigned Fetches = 4,       // of a ring
  localparam int unsigned OutBits = (Fetches == 1) ? 1 : $clog2(Fetches)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               few_i,         // tags of 5 bits; one fetch of each ring
  input  logic               rx_valid_i,
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  tlp_hdr_t           rx_hdr_i,
  input  logic [Width-1:0]   rx_data_i,

  output logic [H2c-1:0]     data_valid_o,  // in the same cycle: a beat for this channel
  output logic [7:0]         data_tag_o,    // its own number of the tag
  output logic               stray_o,       // pulse: a tag that nobody has

  output logic [Rings-1:0]   desc_valid_o,  // a cycle later: a beat for this ring
  output desc_beat_t         desc_o,
  output logic [Width-1:0]   desc_data_o
);

  localparam int unsigned ChBits    = $clog2(H2c);
  localparam int unsigned RingBits  = $clog2(Rings);
  localparam int unsigned FetchTags = 256 - (Fetches << RingBits);   // from there on
  localparam int unsigned FewTags   = 32 - (1 << RingBits);          // or from there, where there are 32

  logic [H2c-1:0]   data_to, data_to_q;
  logic [Rings-1:0] desc_to, desc_to_q;
  logic [7:0]       tag;
  logic             fetch;
  assign tag        = rx_hdr_i.tag;
  assign data_tag_o = tag >> ChBits;
  assign fetch      = few_i ? 32'(tag[7:RingBits]) == FewTags >> RingBits : 32'(tag) >= FetchTags;
  for (genvar c = 0; c < H2c; c++) begin : gen_data
    assign data_to[c] = rx_sop_i ? !fetch && 32'(data_tag_o) < Own && 32'(tag & 8'((1 << ChBits) - 1)) == c
                                 : data_to_q[c];
  end
  for (genvar r = 0; r < Rings; r++) begin : gen_desc
    assign desc_to[r] = rx_sop_i ? fetch && 32'(tag[RingBits-1:0]) == r : desc_to_q[r];
  end
  assign data_valid_o = rx_valid_i ? data_to : '0;
  assign stray_o      = rx_valid_i && rx_sop_i && data_to == '0 && desc_to == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      data_to_q <= '0;
      desc_to_q <= '0;
    end else if (rx_valid_i) begin
      data_to_q <= data_to;
      desc_to_q <= desc_to;
    end
  end

  // Descriptors are in no hurry: theirs pass a register, and what matters of the header is known
  // after it.
  always_ff @(posedge clk_i) begin
    desc_valid_o   <= (rst_ni && rx_valid_i) ? desc_to : '0;
    desc_o.sop     <= rx_sop_i;
    desc_o.eop     <= rx_eop_i;
    desc_o.broken  <= rx_eop_i && rx_hdr_i.ep;
    desc_data_o    <= rx_data_i;
    if (rx_valid_i && rx_sop_i) begin
      desc_o.id    <= (few_i || Fetches == 1) ? '0 : 4'(OutBits'(~tag[RingBits+:OutBits]));
      desc_o.len   <= rx_hdr_i.len_dw;
      desc_o.left  <= rx_hdr_i.byte_count[12:2];
      desc_o.bad   <= rx_hdr_i.kind != TlpCplD || rx_hdr_i.status != CplSc || rx_hdr_i.ep
                   || rx_hdr_i.byte_count[1:0] != '0;
      desc_o.last  <= rx_hdr_i.byte_count <= {rx_hdr_i.len_dw, 2'b00}
                   || rx_hdr_i.kind != TlpCplD || rx_hdr_i.status != CplSc;
    end
  end

  logic unused;
  assign unused = ^rx_hdr_i;

endmodule
