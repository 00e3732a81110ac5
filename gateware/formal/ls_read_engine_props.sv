// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Whatever commands come, and however requests are taken and completions return: the requests are
// TLPs by the rules. None crosses 4 KiB, none asks for more than MRRS, byte enables fit, and a
// request that is shown stands still until it is taken.
module ls_read_engine_props
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned MaxRequest = 128
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [2:0]       mrrs_i,
  input logic             abort_i,
  input logic             tick_i,
  input logic             cmd_valid_i,
  input dma_cmd_t         cmd_i,
  input logic             rq_ready_i,
  input logic             rx_valid_i,
  input logic             rx_sop_i,
  input logic             rx_eop_i,
  input tlp_hdr_t         rx_hdr_i,
  input logic [Width-1:0] rx_data_i,
  input logic             m_ready_i,
  input logic             done_ready_i
);
  localparam logic [2:0] MaxCode = 3'($clog2(MaxRequest / 128));
  // MRRS is any value; above MaxRequest it is taken as that.
  logic [2:0]  code;
  logic [12:0] size_max, low_bits;
  assign code     = (mrrs_i > MaxCode) ? MaxCode : mrrs_i;
  assign size_max = 13'd128 << code;
  assign low_bits = size_max - 13'd1;
  logic       idle, stray, cmd_ready, rq_valid, m_valid, m_last, m_error, done_valid;
  use_e       uses;
  tlp_hdr_t   rq_hdr;
  dma_done_t  done;
  logic [Width-1:0]   m_data;
  logic [Width/8-1:0] m_keep;

  ls_read_engine #(.Width(Width), .Tags(2), .MaxRequest(MaxRequest), .BufBytes(2 * MaxRequest < 2 * Width ? 2 * Width : 2 * MaxRequest)) dut (
    .clk_i, .rst_ni, .mrrs_i, .attr_i('0), .few_i(1'b0), .retag_i(1'b0), .tick_i, .abort_i, .idle_o(idle), .use_o(uses),
    .stray_o(stray), .cmd_valid_i, .cmd_ready_o(cmd_ready), .cmd_i, .rq_valid_o(rq_valid),
    .rq_ready_i, .rq_hdr_o(rq_hdr), .rx_valid_i, .rx_sop_i, .rx_eop_i, .rx_hdr_i, .rx_data_i,
    .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data), .m_keep_o(m_keep), .m_last_o(m_last),
    .m_error_o(m_error), .done_valid_o(done_valid), .done_ready_i, .done_o(done)
  );
  ls_stream_check #(.Width(Width)) u_rq (
    .clk_i, .rst_ni, .valid_i(rq_valid), .ready_i(rq_ready_i), .sop_i(1'b1), .last_i(1'b1),
    .hdr_i(rq_hdr), .data_i('0), .keep_i('1)
  );

  // The requests that wait in the queue: each lies within a block of MRRS.
  logic       queue_ok;
  logic [3:0] sound;
  function automatic logic fits(input logic [84:0] request);
    logic [12:0] size;
    logic [63:0] addr;
    logic [7:0]  tag;
    {size, addr, tag} = request;
    return size <= size_max && size > 13'(addr[1:0]) && ({addr[12:2], 2'b00} & low_bits) + size <= size_max && tag < 8'd2;
  endfunction
  if (Width <= 128) begin : gen_one
    assign queue_ok = 1'b1;
    assign sound    = {3'b111, !rq_valid || fits(dut.gen_one.rq_q)};
  end else begin : gen_queue
    logic [2:0] queued;
    assign queued   = dut.gen_queue.u_rq.wr_q - dut.gen_queue.u_rq.rd_q;
    assign queue_ok = queued <= 3'd4 && rq_valid == (queued != '0) && dut.gen_queue.u_rq.full_q == (queued == 3'd4);
    for (genvar i = 0; i < 4; i++) begin : gen_queued
      logic [1:0]  place;
      assign place = 2'(i) - dut.gen_queue.u_rq.rd_q[1:0];
      assign sound[i] = {1'b0, place} >= queued || fits(dut.gen_queue.u_rq.mem[i]);
    end
  end

  logic first_q = 1'b1;
  logic [2:0] mrrs_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mrrs_q  <= mrrs_i;
  end
  // Where a request ends in the buffer: see ls_read_engine.
  localparam int unsigned PosBits = $clog2(2 * MaxRequest < 2 * Width ? 2 * Width : 2 * MaxRequest) + 1;
  logic [PosBits-1:0] end_now;
  assign end_now = dut.alloc_q + PosBits'(dut.n);

  always_comb begin
    if (first_q) assume (!rst_ni);
    else begin
      assume (rst_ni);
      assume (mrrs_i == mrrs_q);           // set before traffic, as software does
    end
    if (cmd_valid_i) assume (cmd_i.bad == (cmd_i.len == '0));
    if (!first_q && rq_valid) begin
      a_read: assert (rq_hdr.kind == TlpMemRd && rq_hdr.tag < 8'd2);
      a_mrrs: assert ({rq_hdr.len_dw, 2'b00} <= size_max);
    end
    if (!first_q) begin
      i_shut: assert (!u_rq.open_q);
      // What carries the proof: a piece ends where an MRRS block ends, at the latest.
      if (dut.cut_valid_q && !dut.cut_q.bad) begin
        i_some:  assert (dut.cut_n_q != '0 && {11'd0, dut.cut_n_q} <= dut.rem_q
                         && (!dut.look || dut.cut_last == ({11'd0, dut.cut_n_q} == dut.rem_q)));
        i_end:     assert (!dut.look || dut.alloc_end == end_now);
        i_next:    assert (!dut.look || abort_i || dut.alloc_next == (dut.eof ? (end_now + PosBits'(Width / 8 - 1)) & ~PosBits'(Width / 8 - 1) : end_now));
        i_block: assert (dut.cut_n_q <= size_max && (dut.cut_q.addr[12:0] & low_bits) + dut.cut_n_q <= size_max);
      end
      i_mrrs:  assert (dut.above_ahead_q == 13'h1f80 << code && (!dut.cut_valid_q || dut.above_q == 13'h1f80 << code));
      i_queue: assert (queue_ok);
      i_asked: assert (&sound);
    end
    c_cut: cover (!first_q && rq_valid && rq_ready_i && rq_hdr.first_be == 4'h8 && rq_hdr.last_be == 4'h1);
  end
endmodule
