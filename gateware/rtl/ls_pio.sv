// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a processor does to a BAR becomes accesses of 8 bytes with strobes: single reads and
// writes of any bytes up to 8, and posted bursts of any length, as write combining makes them.
// Every read gets its completion, whatever happens behind it.
module ls_pio
  import ls_pkg::*;
#(
  parameter int unsigned Width    = 64,
  parameter int unsigned AddrBits = 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                rx_valid_i,
  output logic                rx_ready_o,
  input  logic                rx_sop_i,
  input  logic                rx_eop_i,
  input  tlp_hdr_t            rx_hdr_i,
  input  logic [Width-1:0]    rx_data_i,

  output logic                reg_valid_o,   // held until reg_ready_i
  output logic                reg_write_o,
  output logic [AddrBits-1:0] reg_addr_o,    // multiple of 8
  output logic [63:0]         reg_wdata_o,
  output logic [7:0]          reg_wstrb_o,   // for reads: the bytes asked for
  input  logic                reg_ready_i,
  input  logic                reg_error_i,
  input  logic [63:0]         reg_rdata_i,
  input  logic                clear_i,       // registers are being cleared: no access, and wdata is zero

  output logic                tx_valid_o,
  input  logic                tx_ready_i,
  output tlp_hdr_t            tx_hdr_o,
  output logic [Width-1:0]    tx_data_o,

  output logic                fault_answer_o,  // pulses: nothing answered
  output logic                fault_request_o, // a request this BAR does not take
  output logic                fault_poison_o
);

  localparam int unsigned BeatDw  = Width / 32;
  localparam int unsigned DwBits = $clog2(BeatDw);
  localparam int unsigned BeatBits = DwBits + 1;

  typedef enum logic [1:0] {StIdle, StAccess, StNext, StReply} state_e;
  state_e              state_q;
  tlp_hdr_t            hdr_q;
  logic [Width-1:0]    data_q;
  logic [BeatBits-1:0] beat_q;        // DWs left in this beat,
  logic [DwBits-1:0]   at_q, at_high; // and the next of them
  logic [10:0]         left_q;        // DWs left in the TLP
  logic [AddrBits-1:0] addr_q;
  logic                first_q, second_q, skip_q;
  logic [2:0]          status_q;
  logic [63:0]         rd_q;

  // ---- one access ----------------------------------------------------------------------------
  logic       is_write, pair, pair_q, set_q, done, sent;
  logic [3:0] be_now, be_next;
  logic [7:0] strb, strb_q;
  logic [1:0] step;

  // How far it reaches takes a cycle of its own: registers are decoded from what follows.
  assign is_write = hdr_q.kind == TlpMemWr;
  assign pair     = !addr_q[2] && (left_q >= 11'd2) && (beat_q >= BeatBits'(2) || !is_write);
  assign be_now   = first_q ? hdr_q.first_be : (left_q == 11'd1) ? hdr_q.last_be : 4'hf;
  assign be_next  = (left_q == 11'd2) ? hdr_q.last_be : 4'hf;
  assign strb     = pair ? {be_next, be_now} : addr_q[2] ? {be_now, 4'h0} : {4'h0, be_now};
  assign step     = pair_q ? 2'd2 : 2'd1;
  always_ff @(posedge clk_i) begin
    set_q  <= rst_ni && (state_q == StAccess) && !done;
    pair_q <= pair;
    strb_q <= strb;
  end

  // What comes back passes a register, answer and data alike.
  logic busy, ans_q, err_q;
  assign busy        = set_q && !ans_q && !clear_i;
  assign reg_valid_o = busy && !skip_q;
  always_ff @(posedge clk_i) begin
    ans_q <= rst_ni && busy && (skip_q || reg_ready_i);
    err_q <= reg_error_i && !skip_q;
  end
  assign reg_write_o = is_write;
  assign reg_addr_o  = {addr_q[AddrBits-1:3], 3'b000};
  assign at_high     = at_q + DwBits'(pair_q);
  assign reg_wdata_o = clear_i ? '0 : {data_q[at_high*32+:32], data_q[at_q*32+:32]};
  assign reg_wstrb_o = strb_q;
  assign done        = ans_q;
  assign sent        = tx_valid_o && tx_ready_i;

  // ---- what a request is ---------------------------------------------------------------------
  logic take, bad_bar, too_long;
  assign rx_ready_o = (state_q == StIdle) || (state_q == StNext);
  assign take       = rx_valid_i && rx_ready_o;
  assign bad_bar    = rx_hdr_i.bar != 3'd0;
  assign too_long   = rx_hdr_i.len_dw > 11'd2;

  assign fault_request_o = take && rx_sop_i && (bad_bar || (rx_hdr_i.kind == TlpMemRd && too_long));
  assign fault_poison_o  = take && rx_hdr_i.ep && (rx_sop_i ? !bad_bar : state_q == StNext && rx_eop_i);
  assign fault_answer_o  = done && err_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle, StNext:
          if (take) begin
            if (rx_sop_i && rx_hdr_i.kind == TlpMemRd && (bad_bar || too_long)) state_q <= StReply;
            else                                                                state_q <= StAccess;
          end
        StAccess:
          if (done) begin
            if (left_q <= 11'(step))                         state_q <= is_write ? StIdle : StReply;
            else if (is_write && beat_q <= BeatBits'(step))  state_q <= StNext;
          end
        StReply:
          if (sent) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  // Loaded while they wait, whether something comes or not: only the state knows. An idle port's
  // next beat is the first of a TLP.
  always_ff @(posedge clk_i) begin
    if (rx_ready_o) begin
      data_q <= rx_data_i;
      at_q   <= '0;
      beat_q <= BeatBits'(BeatDw);
    end else if (done) begin
      at_q   <= at_q + DwBits'(step);
      beat_q <= beat_q - BeatBits'(step);
    end
    if (state_q == StIdle) begin
      hdr_q    <= rx_hdr_i;
      left_q   <= rx_hdr_i.len_dw;
      addr_q   <= {rx_hdr_i.addr[AddrBits-1:2], 2'b00};
      first_q  <= 1'b1;
      second_q <= 1'b0;
      status_q <= bad_bar ? CplUr : (rx_hdr_i.kind == TlpMemRd && too_long) ? CplCa : CplSc;
      // Nothing to do for a write to nowhere, a poisoned one, or a read of no bytes; nor, below, for
      // the last beat of a write that the block broke off.
      skip_q   <= bad_bar || rx_hdr_i.ep || (rx_hdr_i.len_dw == 11'd1 && rx_hdr_i.first_be == '0);
    end else if (done) begin
      left_q   <= left_q - 11'(step);
      addr_q   <= addr_q + AddrBits'({step, 2'b00});
      first_q  <= 1'b0;
      second_q <= 1'b1;
      if (err_q) status_q <= CplCa;
    end
    if (state_q == StNext && rx_hdr_i.ep && rx_eop_i) skip_q <= 1'b1;
    if (reg_valid_o) begin      // the last time this is done is when the answer comes
      if (pair_q)        rd_q        <= reg_rdata_i;
      else if (second_q) rd_q[63:32] <= addr_q[2] ? reg_rdata_i[63:32] : reg_rdata_i[31:0];
      else               rd_q[31:0]  <= addr_q[2] ? reg_rdata_i[63:32] : reg_rdata_i[31:0];
    end
    if (state_q == StIdle) rd_q <= '0;   // never with an access; last, so that it is a plain reset
  end

  // ---- the completion ------------------------------------------------------------------------
  logic [1:0]  lead, trail;
  logic [3:0]  tail_be;

  function automatic logic [1:0] first_set(input logic [3:0] be);
    return be[0] ? 2'd0 : be[1] ? 2'd1 : be[2] ? 2'd2 : be[3] ? 2'd3 : 2'd0;
  endfunction

  assign lead    = first_set(hdr_q.first_be);
  assign tail_be = (hdr_q.len_dw == 11'd1) ? hdr_q.first_be : hdr_q.last_be;
  assign trail   = first_set({tail_be[0], tail_be[1], tail_be[2], tail_be[3]});

  always_comb begin
    tx_hdr_o              = '0;
    tx_hdr_o.kind         = (status_q == CplSc) ? TlpCplD : TlpCpl;
    tx_hdr_o.addr[6:0]    = {hdr_q.addr[6:2], lead};
    tx_hdr_o.len_dw       = (status_q == CplSc) ? hdr_q.len_dw : '0;
    tx_hdr_o.tag          = hdr_q.tag;
    tx_hdr_o.requester_id = hdr_q.requester_id;
    tx_hdr_o.attr         = hdr_q.attr;
    tx_hdr_o.tc           = hdr_q.tc;
    tx_hdr_o.status       = status_q;
    tx_hdr_o.byte_count   = {hdr_q.len_dw, 2'b00} - 13'(lead) - 13'(trail);
    if (hdr_q.len_dw == 11'd1 && hdr_q.first_be == '0) tx_hdr_o.byte_count = 13'd1;
  end
  assign tx_valid_o = state_q == StReply;
  assign tx_data_o  = Width'(rd_q);

  logic unused;
  assign unused = ^{hdr_q, rx_eop_i};

endmodule
