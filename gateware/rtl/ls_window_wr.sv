// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The mirror of ls_window_rd: written through a window that may begin at any byte, read a row at
// a time. It puts payload where it belongs in the outgoing stream on arrival, in whatever order
// and pieces it comes, so nothing has to be shifted when it leaves.
//
// The write takes effect two cycles after `valid_i`; reading is one cycle.
module ls_window_wr #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 64,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Rows)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        valid_i,
  input  logic [RowBits+LaneBits-1:0] pos_i,    // byte position of lane 0 of `data_i`
  input  logic [Bytes-1:0]            mask_i,   // bytes to write
  input  logic [Width-1:0]            data_i,
  input  logic                        re_i,
  input  logic [RowBits-1:0]          rrow_i,
  output logic [Width-1:0]            data_o
);

  // Rotating left by n is rotating right by Lanes-n.
  logic [LaneBits-1:0] shift;
  logic [RowBits-1:0]  row, next;
  logic [Bytes*9-1:0]  packed_in, packed_out;
  logic [Bytes-1:0]    below, mask, be_even_d, be_odd_d, be_even_q, be_odd_q;
  logic [Width-1:0]    data_d, data_q;
  logic [RowBits-2:0]  even_q, odd_q;

  assign shift = LaneBits'(0) - pos_i[LaneBits-1:0];
  assign row   = pos_i[RowBits+LaneBits-1:LaneBits];
  assign next  = row + 1'b1;
  assign below = ~({Bytes{1'b1}} << pos_i[LaneBits-1:0]);

  for (genvar i = 0; i < Bytes; i++) begin : gen_lane
    logic odd;
    assign packed_in[i*9+:9] = {mask_i[i], data_i[i*8+:8]};
    assign data_d[i*8+:8]    = packed_out[i*9+:8];
    assign mask[i]           = packed_out[i*9+8] && valid_i;
    assign odd               = row[0] ^ below[i];
    assign be_even_d[i]      = mask[i] && !odd;
    assign be_odd_d[i]       = mask[i] && odd;
  end

  ls_rotate #(.Lanes(Bytes), .LaneSize(9)) u_rotate (
    .data_i(packed_in), .shift_i(shift), .data_o(packed_out)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      be_even_q <= '0;
      be_odd_q  <= '0;
    end else begin
      be_even_q <= be_even_d;
      be_odd_q  <= be_odd_d;
    end
  end

  always_ff @(posedge clk_i) begin
    data_q <= data_d;
    even_q <= next[RowBits-1:1];
    odd_q  <= row[RowBits-1:1];
  end

  logic             rodd_q;
  logic [Width-1:0] even_data, odd_data;

  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_even (
    .clk_i, .we_i(be_even_q), .waddr_i(even_q), .wdata_i(data_q),
    .re_i(re_i && !rrow_i[0]), .raddr_i(rrow_i[RowBits-1:1]), .rdata_o(even_data)
  );
  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_odd (
    .clk_i, .we_i(be_odd_q), .waddr_i(odd_q), .wdata_i(data_q),
    .re_i(re_i && rrow_i[0]), .raddr_i(rrow_i[RowBits-1:1]), .rdata_o(odd_data)
  );

  logic unused;
  assign unused = next[0];

  always_ff @(posedge clk_i) if (re_i) rodd_q <= rrow_i[0];
  assign data_o = rodd_q ? odd_data : even_data;

endmodule
