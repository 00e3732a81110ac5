// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The rules of every stream, written once: bound into every test bench, and the properties that
// the proofs prove. What a TLP stream and an AXI4-Stream have in common is checked for both; the
// rest by kind.
module ls_stream_check
  import ls_pkg::*;
#(
  parameter int unsigned Width  = 64,
  parameter bit          IsTlp  = 1'b1,   // 1: TLP beats, 0: AXI4-Stream
  parameter bit          Posted = 1'b0,   // TLP: no reads on this stream
  parameter bit          Assume = 1'b0,   // proofs: what the other side is trusted with
  localparam int unsigned Bytes = Width / 8
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_i,
  input logic             sop_i,       // TLP only
  input logic             last_i,      // eop or tlast
  input tlp_hdr_t         hdr_i,       // TLP only
  input logic [Width-1:0] data_i,
  input logic [Bytes-1:0] keep_i       // AXI4-Stream only
);

  localparam int unsigned BeatDw = Width / 32;

  logic             past_q, valid_q, ready_q, sop_q, last_q, open_q;
  tlp_hdr_t         hdr_q;
  logic [Width-1:0] data_q;
  logic [Bytes-1:0] keep_q;
  logic [10:0]      left_q;   // beats of the open TLP that are still to come

  logic        move, has_data;
  logic [10:0] beats;
  assign move     = valid_i && ready_i;
  assign has_data = hdr_i.kind == TlpMemWr || hdr_i.kind == TlpCplD;
  assign beats    = has_data ? 11'((32'(hdr_i.len_dw) + BeatDw - 1) / BeatDw) : 11'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      past_q <= 1'b0;
      open_q <= 1'b0;
      left_q <= '0;
    end else begin
      past_q <= 1'b1;
      if (move) begin
        open_q <= !last_i;
        left_q <= (sop_i ? beats : left_q) - 11'd1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    ready_q <= ready_i;
    sop_q   <= sop_i;
    last_q  <= last_i;
    hdr_q   <= hdr_i;
    data_q  <= data_i;
    keep_q  <= keep_i;
  end

  // The last byte a request touches, counted from its 4 KiB page.
  logic [13:0] page_end;
  logic        check, held, request;
  assign page_end = {2'b0, hdr_i.addr[11:0]} + {1'b0, hdr_i.len_dw, 2'b00};
  assign check    = rst_ni;
  assign held     = past_q && valid_q && !ready_q;
  assign request  = hdr_i.kind == TlpMemRd || hdr_i.kind == TlpMemWr;

  logic ok_held, ok_keep, ok_frame, ok_kind, ok_request, ok_enables, ok_completion;
  assign ok_held  = !held || (valid_i && last_i == last_q && data_i == data_q
                    && (IsTlp ? (sop_i == sop_q && (!sop_i || hdr_i == hdr_q)) : keep_i == keep_q));
  assign ok_keep  = IsTlp || !valid_i || (keep_i != '0 && (keep_i & (keep_i + 1'b1)) == '0
                    && (last_i || keep_i == '1));
  assign ok_frame = !IsTlp || !valid_i || (sop_i == !open_q
                    && last_i == ((sop_i ? beats : left_q) == 11'd1));
  assign ok_kind  = !IsTlp || !valid_i || !sop_i || !Posted || hdr_i.kind != TlpMemRd;
  assign ok_request = !IsTlp || !valid_i || !sop_i || !request
                    || (hdr_i.len_dw >= 11'd1 && hdr_i.len_dw <= 11'd1024 && hdr_i.addr[1:0] == 2'b00
                        && page_end <= 14'd4096);
  assign ok_enables = !IsTlp || !valid_i || !sop_i || !request
                    || (hdr_i.len_dw == 11'd1 ? hdr_i.last_be == 4'h0
                                              : (hdr_i.first_be != 4'h0 && hdr_i.last_be != 4'h0));
  assign ok_completion = !IsTlp || !valid_i || !sop_i || hdr_i.kind != TlpCplD
                    || (hdr_i.byte_count != '0 && hdr_i.len_dw != '0 && hdr_i.len_dw <= 11'd1024
                        && hdr_i.status == CplSc);

  if (Assume) begin : gen_assume
    always_ff @(posedge clk_i) begin
      if (check) assume (ok_held && ok_keep && ok_frame && ok_kind && ok_request && ok_enables && ok_completion);
    end
  end else begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (check) begin
        a_held:       assert (ok_held);        // valid, once up, stays with its content
        a_keep:       assert (ok_keep);        // packed from lane 0, full before the last beat
        a_frame:      assert (ok_frame);       // begins once, ends where its length says
        a_kind:       assert (ok_kind);
        a_request:    assert (ok_request);     // 1 to 1024 DW, within 4 KiB
        a_enables:    assert (ok_enables);
        a_completion: assert (ok_completion);
      end
    end
  end

endmodule
