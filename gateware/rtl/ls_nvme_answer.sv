// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Completions for what the drive reads from our memory: submission queue entries, write data, PRP
// lists. A request is answered in pieces that end where an address is a multiple of MPS, which is one
// of the Read Completion Boundary too. Requests are answered in their order, a beat each cycle with no
// gap between completions. What is read from nowhere, or while the memory is closed, is an Unsupported
// Request.
module ls_nvme_answer
  import ls_pkg::*;
  import ls_nvme_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned Cmds       = 32,
  parameter int unsigned WrBytes    = 65536,
  parameter int unsigned RdBytes    = 65536,
  parameter int unsigned Reads      = 32,       // requests that wait, and non-posted credits to give
  parameter int unsigned RegionBits = 16,
  parameter logic [63:0] MemBase    = 64'h0,
  localparam int unsigned BeatDw    = Width / 32,
  localparam int unsigned LaneBits  = $clog2(BeatDw),
  localparam int unsigned PosBits   = RegionBits - 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 open_i,
  input  logic [2:0]           mps_i,

  input  logic                 rx_valid_i,     // a MemRd
  output logic                 rx_ready_o,
  input  tlp_hdr_t             rx_hdr_i,
  output logic                 stray_o,        // pulse: one was refused
  output logic                 quiet_o,        // none waits whose answer has data still in the memory

  output logic                 re_o,           // both memories; the data comes a cycle later and holds
  output logic [PosBits-1:0]   pos_o,          // DW of lane 0
  input  logic [Width-1:0]     sq_data_i,
  input  logic [Width-1:0]     wr_data_i,

  output logic                 cpl_valid_o,
  input  logic                 cpl_ready_i,
  output logic                 cpl_sop_o,
  output logic                 cpl_eop_o,
  output tlp_hdr_t             cpl_hdr_o,
  output logic [Width-1:0]     cpl_data_o
);

  // ---- requests that wait ----------------------------------------------------------------------
  typedef struct packed {
    logic               ok;
    logic [2:0]         region;
    logic [PosBits-1:0] pos;
    logic [10:0]        len;
    logic [12:0]        bytes;
    logic [1:0]         lead;
    logic [1:0]         trail;
    logic [7:0]         tag;
    logic [15:0]        id;
    logic [2:0]         attr;
    logic [2:0]         tc;
  } req_t;
  req_t in, head, req_q;

  function automatic logic [1:0] first_set(input logic [3:0] be);
    return be[0] ? 2'd0 : be[1] ? 2'd1 : be[2] ? 2'd2 : be[3] ? 2'd3 : 2'd0;
  endfunction
  logic [3:0]  tail_be;
  logic [1:0]  lead, trail;
  logic        in_sq;
  logic [31:0] offset, most;
  assign tail_be = (rx_hdr_i.len_dw == 11'd1) ? rx_hdr_i.first_be : rx_hdr_i.last_be;
  assign lead    = first_set(rx_hdr_i.first_be);
  assign trail   = first_set({tail_be[0], tail_be[1], tail_be[2], tail_be[3]});
  assign offset  = 32'(rx_hdr_i.addr[RegionBits-1:0]);
  always_comb begin
    unique case (rx_hdr_i.addr[RegionBits+:3])
      RegWr:     most = 32'(WrBytes);
      RegWrList: most = 32'(WrBytes / 8);
      RegRdList: most = 32'(RdBytes / 8);
      default:   most = '0;
    endcase
    in_sq     = rx_hdr_i.addr[RegionBits+:3] == RegSq
                && 32'(rx_hdr_i.addr[RegionBits-2:0]) < (rx_hdr_i.addr[RegionBits-1] ? 32'(Admin * 64) : 32'd1 << sq_bits(Cmds));
    in.ok     = open_i && rx_hdr_i.addr[63:RegionBits+3] == MemBase[63:RegionBits+3] && (in_sq || offset < most);
    in.region = rx_hdr_i.addr[RegionBits+:3];
    in.pos    = rx_hdr_i.addr[RegionBits-1:2];
    in.len    = rx_hdr_i.len_dw;
    in.bytes  = (rx_hdr_i.len_dw == 11'd1 && rx_hdr_i.first_be == '0) ? 13'd1
              : {rx_hdr_i.len_dw, 2'b00} - 13'(lead) - 13'(trail);
    in.lead   = lead;
    in.trail  = trail;
    in.tag    = rx_hdr_i.tag;
    in.id     = rx_hdr_i.requester_id;
    in.attr   = rx_hdr_i.attr;
    in.tc     = rx_hdr_i.tc;
  end
  assign stray_o = rx_valid_i && rx_ready_o && !in.ok;

  // A request keeps the right to its data while the memory is being closed: buffers are not given to others before.
  logic [$clog2(Reads+4):0] waiting_q;
  logic                     one_in, one_out;
  assign one_in  = rx_valid_i && rx_ready_o && in.ok;
  assign quiet_o = waiting_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) waiting_q <= '0;
    else         waiting_q <= waiting_q + ($bits(waiting_q))'(one_in) - ($bits(waiting_q))'(one_out);
  end

  logic head_valid, head_ready;
  logic [$clog2(Reads):0] unused_used;
  ls_fifo #(.Width($bits(req_t)), .Depth(Reads)) u_wait (
    .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(rx_valid_i), .ready_o(rx_ready_o), .data_i(in),
    .valid_o(head_valid), .ready_i(head_ready), .data_o(head), .used_o(unused_used)
  );

  // ---- the first piece of the next request, in two cycles ahead of its turn ----------------------
  logic        room_valid_q, first_valid_q, first_ready, take;
  req_t        room_req_q, first_req_q;
  logic [10:0] mps_dw, room_q, first_q, first_rest_q;
  assign mps_dw      = 11'd32 << mps_i;
  assign first_ready = !first_valid_q || take;
  assign head_ready  = !room_valid_q || first_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      room_valid_q  <= 1'b0;
      first_valid_q <= 1'b0;
    end else begin
      if (head_ready)  room_valid_q  <= head_valid;
      if (first_ready) first_valid_q <= room_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (head_ready) begin
      room_req_q <= head;
      room_q     <= mps_dw - (11'(head.pos[9:0]) & (mps_dw - 11'd1));
    end
    if (first_ready) begin
      first_req_q  <= room_req_q;
      first_q      <= (room_req_q.ok && room_q < room_req_q.len) ? room_q : room_req_q.len;
      first_rest_q <= (room_req_q.ok && room_q < room_req_q.len) ? room_req_q.len - room_q : '0;
    end
  end

  // ---- pieces and beats ------------------------------------------------------------------------
  // What is left of a piece, whether this beat ends it, and what of the request comes after it. A beat is shorter than any MPS.
  logic        valid_q, mid_q, eop_q, adv, last;
  logic [10:0] piece_q, rest_q;
  assign adv  = !cpl_valid_o || cpl_ready_i;
  assign last = eop_q && rest_q == '0;
  assign take = adv && (!valid_q || last) && first_valid_q;
  assign one_out = adv && valid_q && last && req_q.ok;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      mid_q   <= 1'b0;
    end else if (adv) begin
      valid_q <= (valid_q && !last) || first_valid_q;
      mid_q   <= valid_q && !eop_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      req_q   <= first_req_q;
      piece_q <= first_q;
      rest_q  <= first_rest_q;
      eop_q   <= first_q <= 11'(BeatDw) || !first_req_q.ok;
    end else if (adv && valid_q) begin
      req_q.pos <= req_q.pos + PosBits'(eop_q ? piece_q : 11'(BeatDw));
      piece_q   <= piece_q - 11'(BeatDw);
      eop_q     <= piece_q <= 11'(2 * BeatDw);
      if (eop_q) begin
        req_q.bytes <= {rest_q, 2'b00} - 13'(req_q.trail);
        req_q.lead  <= '0;
        piece_q     <= (rest_q > mps_dw) ? mps_dw : rest_q;
        rest_q      <= (rest_q > mps_dw) ? rest_q - mps_dw : '0;
        eop_q       <= rest_q <= 11'(BeatDw);
      end
    end
  end

  assign re_o  = adv;
  assign pos_o = req_q.pos;

  // ---- memory ----------------------------------------------------------------------------------
  logic               mem_valid_q, mem_sop_q, mem_eop_q;
  tlp_hdr_t           mem_hdr_q;
  logic [2:0]         region_q;
  logic [PosBits-1:0] pos_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)  mem_valid_q <= 1'b0;
    else if (adv) mem_valid_q <= valid_q;
    if (adv) begin
      mem_sop_q <= !mid_q;
      mem_eop_q <= eop_q;
      region_q  <= req_q.region;
      pos_q     <= req_q.pos;
      if (!mid_q) begin
        mem_hdr_q              <= '0;
        mem_hdr_q.kind         <= req_q.ok ? TlpCplD : TlpCpl;
        mem_hdr_q.addr[6:0]    <= {req_q.pos[4:0], req_q.lead};
        mem_hdr_q.len_dw       <= req_q.ok ? piece_q : '0;
        mem_hdr_q.tag          <= req_q.tag;
        mem_hdr_q.requester_id <= req_q.id;
        mem_hdr_q.attr         <= req_q.attr;
        mem_hdr_q.tc           <= req_q.tc;
        mem_hdr_q.status       <= req_q.ok ? CplSc : CplUr;
        mem_hdr_q.byte_count   <= req_q.bytes;
      end
    end
  end

  // A PRP list: entry i of the list of page p is the page p+i+1 of the ring.
  logic [Width-1:0]    list, chosen, turned;
  logic [LaneBits-1:0] lane;
  assign lane = pos_q[LaneBits-1:0];
  for (genvar i = 0; i < BeatDw; i++) begin : gen_list
    logic [PosBits-LaneBits-1:0] row;
    logic [PosBits-1:0]          at;
    logic [RegionBits-13:0]      page, mask;
    logic                        rd;
    assign rd   = region_q == RegRdList;
    assign row  = pos_q[PosBits-1:LaneBits] + (PosBits-LaneBits)'(32'(i) < 32'(lane));
    assign at   = {row, LaneBits'(i)};
    assign mask = rd ? (RegionBits-12)'(RdBytes / 4096 - 1) : (RegionBits-12)'(WrBytes / 4096 - 1);
    assign page = ((RegionBits-12)'(at >> 7) + (RegionBits-12)'(at[6:1]) + 1'b1) & mask;
    assign list[i*32+:32] = (i % 2 == 1) ? MemBase[63:32]
                          : {MemBase[31:RegionBits+3], rd ? RegRd : RegWr, page, 12'd0};
  end
  // The memories are late, and far: what comes from them goes to registers, and is chosen and turned after.
  logic                row_valid_q, row_sop_q, row_eop_q;
  tlp_hdr_t            row_hdr_q;
  logic [Width-1:0]    sq_q, wr_q, list_q;
  logic [2:0]          row_region_q;
  logic [LaneBits-1:0] row_lane_q;
  assign chosen = (row_region_q == RegSq) ? sq_q : (row_region_q == RegWr) ? wr_q : list_q;
  ls_rotate #(.Lanes(BeatDw), .LaneSize(32)) u_turn (.data_i(chosen), .shift_i(row_lane_q), .data_o(turned));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_valid_q <= 1'b0;
      cpl_valid_o <= 1'b0;
    end else if (adv) begin
      row_valid_q <= mem_valid_q;
      cpl_valid_o <= row_valid_q;
    end
    if (adv) begin
      row_sop_q  <= mem_sop_q;
      row_eop_q  <= mem_eop_q;
      row_hdr_q  <= mem_hdr_q;
      sq_q       <= sq_data_i;
      wr_q       <= wr_data_i;
      list_q     <= list;
      row_region_q <= region_q;
      row_lane_q <= lane;
      cpl_sop_o  <= row_sop_q;
      cpl_eop_o  <= row_eop_q;
      cpl_hdr_o  <= row_hdr_q;
      cpl_data_o <= turned;
    end
  end

  logic unused;
  assign unused = ^{rx_hdr_i, gen_list[0].at, req_q.len};

endmodule
