// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the drive writes into our memory: read data, Identify data, the log page, completion queue entries, from any
// DW and with any byte enables, a beat each cycle, always taken. A write to nowhere is dropped and told; so
// is a poisoned one, whose command must then not be believed.
module ls_nvme_take
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned RdBytes    = 65536,
  parameter int unsigned CqBits     = 10,       // of an address in the I/O completion queue
  parameter int unsigned RegionBits = 16,
  parameter logic [63:0] MemBase    = 64'h0,
  localparam int unsigned Bytes     = Width / 8,
  localparam int unsigned BeatDw    = Width / 32,
  localparam int unsigned LaneBits  = $clog2(BeatDw),
  localparam int unsigned PosBits   = RegionBits - 2
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,         // wipe the completion queues: of an old one the phase would count
  output logic               cleared_o,

  input  logic               rx_valid_i,      // a beat of a MemWr
  input  logic               rx_sop_i,
  input  logic               rx_eop_i,
  input  tlp_hdr_t           rx_hdr_i,
  input  logic [Width-1:0]   rx_data_i,

  output logic [Bytes-1:0]   cq_we_o,
  output logic [Bytes-1:0]   rd_we_o,
  output logic [PosBits-1:0] pos_o,           // DW of lane 0 in its region
  output logic [Width-1:0]   data_o,
  output logic               poison_o,        // pulses
  output logic               stray_o
);

  localparam int unsigned WipeBits = CqBits + 1 - $clog2(Bytes);

  logic               valid_q, sop_q, eop_q, ep_q, to_cq_q, to_rd_q, to_cq, to_rd, in_map, cq, rd;
  logic [3:0]         first_q, last_be_q;
  logic [10:0]        left_q;                 // DWs from lane 0 on
  logic [PosBits-1:0] pos_q;
  logic [Width-1:0]   data_q;
  logic [Bytes-1:0]   be;
  logic [2:0]         region;
  logic [WipeBits-1:0] wipe_q;
  logic               wiped_q;

  assign in_map = rx_hdr_i.addr[63:RegionBits+3] == MemBase[63:RegionBits+3];
  assign region = rx_hdr_i.addr[RegionBits+:3];
  assign cq     = in_map && region == RegCq
                  && 32'(rx_hdr_i.addr[RegionBits-2:0]) < (rx_hdr_i.addr[RegionBits-1] ? 32'(LogAt + LogBytes) : 32'd1 << CqBits);
  assign rd     = in_map && region == RegRd && 32'(rx_hdr_i.addr[RegionBits-1:0]) < 32'(RdBytes);
  assign to_cq  = rx_sop_i ? cq : to_cq_q;
  assign to_rd  = rx_sop_i ? rd : to_rd_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= rx_valid_i;
    if (rx_valid_i) begin
      sop_q   <= rx_sop_i;
      eop_q   <= rx_eop_i;
      data_q  <= rx_data_i;
      to_cq_q <= to_cq;
      to_rd_q <= to_rd;
      ep_q    <= rx_hdr_i.ep || (!rx_sop_i && ep_q);
      if (rx_sop_i) begin
        first_q   <= rx_hdr_i.first_be;
        last_be_q <= (rx_hdr_i.len_dw == 11'd1) ? rx_hdr_i.first_be : rx_hdr_i.last_be;
        left_q    <= rx_hdr_i.len_dw;
        pos_q     <= rx_hdr_i.addr[RegionBits-1:2];
      end else begin
        left_q    <= left_q - 11'(BeatDw);
        pos_q     <= pos_q + PosBits'(BeatDw);
      end
    end
  end

  for (genvar i = 0; i < BeatDw; i++) begin : gen_be
    always_comb begin
      if (11'(i) >= left_q)              be[i*4+:4] = 4'h0;
      else if (11'(i) == left_q - 11'd1) be[i*4+:4] = last_be_q & ((i == 0 && sop_q) ? first_q : 4'hf);
      else                               be[i*4+:4] = (i == 0 && sop_q) ? first_q : 4'hf;
    end
  end

  // From registers: the memories are far, and each of their banks has enables of its own.
  always_ff @(posedge clk_i) begin
    cq_we_o <= clear_i ? '1 : (valid_q && to_cq_q && !ep_q) ? be : '0;
    rd_we_o <= (valid_q && to_rd_q && !ep_q) ? be : '0;
    pos_o   <= clear_i ? {wipe_q[WipeBits-1], (PosBits-1)'({wipe_q[WipeBits-2:0], LaneBits'(0)})} : pos_q;
    data_o  <= clear_i ? '0 : data_q;
  end
  assign poison_o = valid_q && eop_q && ep_q;
  assign stray_o  = valid_q && eop_q && !to_cq_q && !to_rd_q;

  assign cleared_o = wiped_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !clear_i) begin
      wipe_q  <= '0;
      wiped_q <= 1'b0;
    end else begin
      wipe_q  <= wipe_q + 1'b1;
      if (wipe_q == '1) wiped_q <= 1'b1;
    end
  end

  logic unused;
  assign unused = ^rx_hdr_i;

endmodule
