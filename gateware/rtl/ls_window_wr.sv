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
  input  logic [1:0]                  from_i,   // bytes to write: from this lane of `data_i` on,
  input  logic [LaneBits:0]           upto_i,   // and below this one
  input  logic [Width-1:0]            data_i,
  input  logic                        re_i,
  input  logic [RowBits-1:0]          rrow_i,
  output logic [Width-1:0]            data_o
);

  // Rotating left by n is rotating right by Lanes-n.
  logic [LaneBits-1:0] shift, lane;
  logic [RowBits-1:0]  row, next;
  logic [LaneBits:0]   first, last;     // where they go: from the start of the row on; past the end of them
  logic [Bytes-1:0]    above, below, be_even_d, be_odd_d, be_even_q, be_odd_q;
  logic [Width-1:0]    data_d, data_q;
  logic [RowBits-2:0]  even_q, odd_q;

  assign lane  = pos_i[LaneBits-1:0];
  assign shift = LaneBits'(0) - lane;
  assign row   = pos_i[RowBits+LaneBits-1:LaneBits];
  assign next  = row + 1'b1;
  assign first = (LaneBits+1)'(lane) + (LaneBits+1)'(from_i);
  assign last  = (LaneBits+1)'(lane) + upto_i;
  assign above = {Bytes{1'b1}} << first[LaneBits-1:0];
  assign below = ~({Bytes{1'b1}} << last[LaneBits-1:0]);

  for (genvar i = 0; i < Bytes; i++) begin : gen_lane
    logic in_row, in_next;
    assign in_row       = valid_i && !first[LaneBits] && above[i] && (last[LaneBits] || below[i]);
    assign in_next      = valid_i && last[LaneBits] && below[i] && (!first[LaneBits] || above[i]);
    assign be_even_d[i] = row[0] ? in_next : in_row;
    assign be_odd_d[i]  = row[0] ? in_row : in_next;
  end

  ls_rotate #(.Lanes(Bytes)) u_rotate (
    .data_i, .shift_i(shift), .data_o(data_d)
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
