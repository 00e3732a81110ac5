// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A tag as ls_core gives it to a channel's read, and as ls_fetch gives it to a ring's fetch, leads the
// completion's beats, all of them, to that channel or ring and to no other; another tag leads to nobody
// and is told.
module ls_cpl_route_props
  import ls_pkg::*;
#(
  parameter int unsigned H2c     = 3,
  parameter int unsigned Rings   = 5,
  parameter int unsigned Fetches = 4,
  parameter int unsigned Own     = 12,
  localparam int unsigned Few    = (32 - (1 << $clog2(Rings))) >> $clog2(H2c)
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        few_i,
  input logic        valid_i,
  input logic        sop_i,
  input logic        eop_i,
  input tlp_hdr_t    hdr_i,
  input logic [63:0] data_i,
  input logic [7:0]  of_i,        // channel or ring,
  input logic [7:0]  number_i,    // and its request: any
  input logic        fetch_i
);
  localparam int unsigned ChBits = $clog2(H2c), RingBits = $clog2(Rings);
  logic [H2c-1:0]   to;
  logic [7:0]       tag;
  logic             stray;
  logic [Rings-1:0] desc;
  desc_beat_t       beat;
  logic [63:0]      data;
  ls_cpl_route #(.Width(64), .Own(Own), .H2c(H2c), .Rings(Rings), .Fetches(Fetches)) dut (
    .clk_i, .rst_ni, .few_i, .rx_valid_i(valid_i), .rx_sop_i(sop_i), .rx_eop_i(eop_i), .rx_hdr_i(hdr_i),
    .rx_data_i(data_i), .data_valid_o(to), .data_tag_o(tag), .stray_o(stray), .desc_valid_o(desc),
    .desc_o(beat), .desc_data_o(data)
  );

  // What was asked for: in the numbers of whoever asked, and its tag.
  logic       real_read, real_fetch;
  logic [7:0] read_tag, fetch_tag;
  assign real_read  = 32'(of_i) < H2c && 32'(number_i) < ((few_i && Few < Own) ? Few : Own);
  assign real_fetch = 32'(of_i) < Rings && 32'(number_i) < (few_i ? 1 : Fetches);
  assign read_tag   = 8'(number_i << ChBits) | of_i;
  assign fetch_tag  = 8'((few_i ? 32 - (1 << RingBits) : 256 - ((32'(number_i) + 1) << RingBits)) + 32'(of_i));

  logic             first_q = 1'b1, open_q, was_q;
  logic [H2c-1:0]   to_q;
  logic [Rings-1:0] desc_q;
  logic             fetch_q;
  logic [7:0]       of_q, number_q;
  logic [63:0]      data_q;
  always_ff @(posedge clk_i) begin
    first_q  <= 1'b0;
    was_q    <= rst_ni && valid_i;
    data_q   <= data_i;
    fetch_q  <= rst_ni && valid_i && sop_i && fetch_i && real_fetch && hdr_i.tag == fetch_tag;
    of_q     <= of_i;
    number_q <= number_i;
    desc_q   <= dut.desc_to;
    if (!rst_ni)      open_q <= 1'b0;
    else if (valid_i) open_q <= !eop_i;
    if (valid_i) to_q <= to;
  end

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      if (valid_i) assume (sop_i == !open_q);
    end
    if (!first_q) begin
      a_one:   assert ((to & (to - 1'b1)) == '0 && (desc & (desc - 1'b1)) == '0);
      if (valid_i && sop_i) begin
        a_read:  assert (!(!fetch_i && real_read && hdr_i.tag == read_tag) || (to == H2c'(1) << of_i && tag == number_i && !stray));
        a_none:  assert (stray == (to == '0 && dut.desc_to == '0));
        a_fetch: assert (!(fetch_i && real_fetch && hdr_i.tag == fetch_tag) || (to == '0 && !stray));
      end
      if (valid_i && !sop_i && open_q) a_same: assert (to == to_q && !stray);
      a_quiet: assert (valid_i || (to == '0 && !stray));
      if (was_q) begin
        a_desc: assert (desc == desc_q && data == data_q);
        if (fetch_q) a_ring: assert (desc == Rings'(1) << of_q && 8'(beat.id) == number_q);
      end else a_still: assert (desc == '0);
      i_to:   assert (!open_q || (dut.data_to_q == to_q && (to_q & (to_q - 1'b1)) == '0));
      i_desc: assert ((dut.desc_to_q & (dut.desc_to_q - 1'b1)) == '0 && (dut.data_to_q & (dut.data_to_q - 1'b1)) == '0);
    end
    c_fetch: cover (!first_q && fetch_q && few_i && desc[Rings-1]);
    c_read:  cover (!first_q && valid_i && sop_i && to[H2c-1] && !eop_i);
  end
endmodule
