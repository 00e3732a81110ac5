// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A row buffer that is written a row at a time and read through a window that may begin at any
// byte. Two banks, even and odd rows, are read together, so a window across two rows costs no
// extra cycle: this is why a transfer to an odd address runs at the aligned rate.
//
// Two cycles from `re_i` to `data_o`; `adv_i` moves both stages, so the caller keeps its side
// information in step by moving it with the same signal.
module ls_window_rd #(
  parameter int unsigned Width = 64,
  parameter int unsigned Rows  = 64,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned LaneBits = $clog2(Bytes),
  localparam int unsigned RowBits  = $clog2(Rows)
) (
  input  logic                        clk_i,
  input  logic                        we_i,
  input  logic [RowBits-1:0]          wrow_i,
  input  logic [Width-1:0]            wdata_i,
  input  logic                        adv_i,
  input  logic [RowBits+LaneBits-1:0] pos_i,   // byte position of lane 0 of the window
  output logic [Width-1:0]            data_o   // not registered: one register is the caller's
);

  logic [RowBits-1:0]  row, next;
  logic [LaneBits-1:0] lane, lane_q;
  logic [Width-1:0]    even_data, odd_data, near, turned;

  assign row  = pos_i[RowBits+LaneBits-1:LaneBits];
  assign lane = pos_i[LaneBits-1:0];
  assign next = row + 1'b1;

  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_even (
    .clk_i, .we_i({Bytes{we_i && !wrow_i[0]}}), .waddr_i(wrow_i[RowBits-1:1]), .wdata_i,
    .re_i(adv_i), .raddr_i(next[RowBits-1:1]), .rdata_o(even_data)
  );
  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_odd (
    .clk_i, .we_i({Bytes{we_i && wrow_i[0]}}), .waddr_i(wrow_i[RowBits-1:1]), .wdata_i,
    .re_i(adv_i), .raddr_i(row[RowBits-1:1]), .rdata_o(odd_data)
  );

  always_ff @(posedge clk_i) if (adv_i) lane_q <= lane;

  // Two choices of four, a LUT of six inputs each, whose selects are decided a cycle ahead and
  // for every lane by itself: a select that lanes share is slow, and made into two steps of two.
  // The first is the bank, where bytes below the start of the window come from the next row, and
  // a rotation by one.
  for (genvar i = 0; i < Bytes; i++) begin : gen_near
    localparam int unsigned Above = (i + 1) % Bytes;
    logic [LaneBits-1:0] from;
    logic                odd_q;
    assign from = lane[0] ? LaneBits'(Above) : LaneBits'(i);
    always_ff @(posedge clk_i) if (adv_i) odd_q <= row[0] ^ (from < lane);
    assign near[i*8+:8] = odd_q ? (lane_q[0] ? odd_data[Above*8+:8]  : odd_data[i*8+:8])
                                : (lane_q[0] ? even_data[Above*8+:8] : even_data[i*8+:8]);
  end

  // The second is a rotation by 0, 2, 4 or 6, told as the place that a byte comes from, in a Gray
  // code: no two lanes then choose by the same bit between the same two places.
  for (genvar i = 0; i < Bytes; i++) begin : gen_turn
    logic [1:0]      place, at_q;
    logic [3:0][7:0] at;
    assign place = lane[2:1] + 2'(i / 2);
    always_ff @(posedge clk_i) if (adv_i) at_q <= {place[1], ^place};
    for (genvar k = 0; k < 4; k++) begin : gen_place
      assign at[k] = near[((i + 2 * ((k + 4 - (i / 2) % 4) % 4)) % Bytes)*8+:8];
    end
    assign turned[i*8+:8] = at_q[1] ? (at_q[0] ? at[2] : at[3]) : (at_q[0] ? at[1] : at[0]);
  end

  // What is left are multiples of 8, at more than 64 bit.
  ls_rotate #(.Lanes(Bytes)) u_rotate (
    .data_i(turned), .shift_i((lane_q >> 3) << 3), .data_o
  );

  logic unused;
  assign unused = next[0];

endmodule
