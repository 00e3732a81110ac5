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
  logic [LaneBits-1:0] lane_q;
  logic                odd_q;
  logic [Width-1:0]    even_data, odd_data, sel;

  assign row  = pos_i[RowBits+LaneBits-1:LaneBits];
  assign next = row + 1'b1;

  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_even (
    .clk_i, .we_i({Bytes{we_i && !wrow_i[0]}}), .waddr_i(wrow_i[RowBits-1:1]), .wdata_i,
    .re_i(adv_i), .raddr_i(next[RowBits-1:1]), .rdata_o(even_data)
  );
  ls_ram #(.Bytes(Bytes), .Depth(Rows / 2)) u_odd (
    .clk_i, .we_i({Bytes{we_i && wrow_i[0]}}), .waddr_i(wrow_i[RowBits-1:1]), .wdata_i,
    .re_i(adv_i), .raddr_i(row[RowBits-1:1]), .rdata_o(odd_data)
  );

  always_ff @(posedge clk_i) begin
    if (adv_i) begin
      lane_q <= pos_i[LaneBits-1:0];
      odd_q  <= row[0];
    end
  end

  logic [Bytes-1:0] below;
  assign below = ~({Bytes{1'b1}} << lane_q);

  // Lanes below the start come from the next row.
  for (genvar i = 0; i < Bytes; i++) begin : gen_sel
    logic use_odd;
    assign use_odd = odd_q ^ below[i];
    assign sel[i*8+:8] = use_odd ? odd_data[i*8+:8] : even_data[i*8+:8];
  end

  logic unused;
  assign unused = next[0];

  ls_rotate #(.Lanes(Bytes)) u_rotate (.data_i(sel), .shift_i(lane_q), .data_o);

endmodule
