// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The rules of AXI4 for a master with one ID, INCR bursts of whole beats, and for the memory's answers to its writes: a
// bit of `bad_o` each. In every bench with card memory, and in the proofs of its parts.
//
// A master may not wait for AWREADY before it gives WVALID (A3.3.1): `Waits` is broken when an address has been shown for
// `Wait` cycles, is not taken, and no data is shown though there is some (`here_i`).
module ls_axi_check
  import ls_pkg::*;
#(
  parameter int unsigned Width = 64,
  parameter int unsigned Out   = 64,        // bursts of writes out, at most
  parameter int unsigned Wait  = 0,         // 0: not looked at
  parameter bit          Stop  = 1'b1,
  localparam int unsigned Bytes = Width / 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  mm_in_t           mm_i,
  input  mm_out_t          mm_o,
  input  logic [Width-1:0] wdata_i,
  input  logic [Bytes-1:0] wstrb_i,
  input  logic             here_i,          // the data of what is shown
  output logic [9:0]       bad_o
);

  typedef enum int unsigned {AwMoves, WMoves, ArMoves, Page, Early, Last, Strobes, Waits, Answer, Reset} rule_e;
  localparam int unsigned Lane = $clog2(Bytes);
  localparam int unsigned At   = $clog2(Out);

  // A beat that is shown stands still until it is taken.
  logic             aw_q, w_q, ar_q;
  mm_out_t          mm_q;
  logic [Width-1:0] wdata_q;
  logic [Bytes-1:0] wstrb_q;
  always_ff @(posedge clk_i) begin
    aw_q    <= rst_ni && mm_o.aw_valid && !mm_i.aw_ready;
    w_q     <= rst_ni && mm_o.w_valid && !mm_i.w_ready;
    ar_q    <= rst_ni && mm_o.ar_valid && !mm_i.ar_ready;
    mm_q    <= mm_o;
    wdata_q <= wdata_i;
    wstrb_q <= wstrb_i;
  end

  // Beats of each burst of writes whose address is shown, and the first lane of its address.
  logic [7:0]      len_q [Out];
  logic [Lane-1:0] lane_q [Out];
  logic [At:0]     in_q, out_q;
  logic [7:0]      beat_q;
  logic            aw, w, none;
  assign aw   = mm_o.aw_valid && !aw_q;        // the first cycle of an address
  assign w    = mm_o.w_valid && mm_i.w_ready;
  assign none = in_q == out_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q   <= '0;
      out_q  <= '0;
      beat_q <= '0;
    end else begin
      if (aw) in_q <= in_q + 1'b1;
      if (w && mm_o.w_last) out_q <= out_q + 1'b1;
      if (w) beat_q <= mm_o.w_last ? '0 : beat_q + 1'b1;
    end
    if (aw) len_q[in_q[At-1:0]]  <= mm_o.aw_len;
    if (aw) lane_q[in_q[At-1:0]] <= mm_o.aw_addr[Lane-1:0];
  end

  // Of bursts that are not answered: addresses that are taken, and data that is taken whole. How long data is held back.
  logic [At:0] addrs_q, datas_q;
  logic [15:0] wait_q;
  logic        answer, reset_q = 1'b0;
  assign answer = mm_i.b_valid && mm_o.b_ready;
  always_ff @(posedge clk_i) begin
    reset_q <= !rst_ni;
    if (!rst_ni) begin
      addrs_q <= '0;
      datas_q <= '0;
      wait_q  <= '0;
    end else begin
      addrs_q <= addrs_q + (At+1)'(mm_o.aw_valid && mm_i.aw_ready) - (At+1)'(answer);
      datas_q <= datas_q + (At+1)'(w && mm_o.w_last) - (At+1)'(answer);
      wait_q  <= (aw_q && mm_o.aw_valid && !none && !mm_o.w_valid && here_i && wait_q != '1) ? wait_q + 1'b1 : '0;
    end
  end

  function automatic logic crosses(input logic [CardBits-1:0] addr, input logic [7:0] len);
    return 32'(addr[11:Lane]) + 32'(len) >= 4096 / Bytes;
  endfunction

  always_comb begin
    bad_o = '0;
    if (rst_ni) begin
      bad_o[AwMoves] = aw_q && !(mm_o.aw_valid && {mm_o.aw_addr, mm_o.aw_len} == {mm_q.aw_addr, mm_q.aw_len});
      bad_o[WMoves]  = w_q && !(mm_o.w_valid && {mm_o.w_last, wstrb_i, wdata_i} == {mm_q.w_last, wstrb_q, wdata_q});
      bad_o[ArMoves] = ar_q && !(mm_o.ar_valid && {mm_o.ar_addr, mm_o.ar_len} == {mm_q.ar_addr, mm_q.ar_len});
      bad_o[Page]    = (mm_o.aw_valid && crosses(mm_o.aw_addr, mm_o.aw_len))
                    || (mm_o.ar_valid && crosses(mm_o.ar_addr, mm_o.ar_len));
      bad_o[Early]   = mm_o.w_valid && none;                      // stricter than AXI4: data after its address is shown
      bad_o[Last]    = mm_o.w_valid && !none && mm_o.w_last != (beat_q == len_q[out_q[At-1:0]]);
      bad_o[Strobes] = mm_o.w_valid && !none && beat_q == '0
                    && (wstrb_i & ~({Bytes{1'b1}} << lane_q[out_q[At-1:0]])) != '0;
      bad_o[Waits]   = Wait != 0 && 32'(wait_q) >= Wait;
      bad_o[Answer]  = mm_i.b_valid && (addrs_q == '0 || datas_q == '0);
    end
    bad_o[Reset] = !rst_ni && reset_q && (mm_o.aw_valid || mm_o.w_valid || mm_o.ar_valid);
  end
  if (Stop) begin : gen_stop
    always_ff @(posedge clk_i) a_rules: assert (bad_o == '0) else $error("rules of AXI4 broken, a bit each: %b", bad_o);
  end

  logic unused;
  assign unused = ^{mm_i, mm_q};

endmodule
