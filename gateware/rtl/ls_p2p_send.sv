// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Card to card, sending: commands of the design in the FPGA and a stream become writes to any bus
// address. No ring and no records; software sees state and counters.
module ls_p2p_send
  import ls_pkg::*;
#(
  parameter int unsigned Width      = 64,
  parameter int unsigned MaxPayload = 512,
  parameter int unsigned EofBit     = 19,     // address bit set on the last TLP of a frame
  localparam int unsigned Bytes     = Width / 8
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [2:0]         mps_i,
  input  ch_cfg_t            cfg_i,
  output ch_stat_t           stat_o,
  input  logic               clear_i,
  input  logic [3:0]         use_sel_i,

  input  logic               cmd_valid_i,
  output logic               cmd_ready_o,
  input  dma_cmd_t           cmd_i,
  output logic               done_valid_o,
  output dma_done_t          done_o,
  input  logic               drops_i,          // what is taken on tx is dropped
  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  logic [Width-1:0]   s_data_i,
  input  logic [Bytes-1:0]   s_keep_i,
  input  logic               s_last_i,

  output logic               tx_valid_o,
  input  logic               tx_ready_i,
  output logic               tx_sop_o,
  output logic               tx_eop_o,
  output tlp_hdr_t           tx_hdr_o,
  output logic [Width-1:0]   tx_data_o
);

  logic        idle;
  use_e        use_now;
  dma_cmd_t    cmd;
  dma_done_t   done;
  cause_e      cause_q;
  logic [31:0] done_q;

  always_comb begin
    cmd        = cmd_i;
    cmd.fabric = 1'b1;
    cmd.bad    = cmd_i.len == '0;
  end

  ls_write_engine #(.Width(Width), .MaxPayload(MaxPayload), .EofBit(EofBit)) u_write (
    .clk_i, .rst_ni, .mps_i, .attr_i(cfg_i.attr), .first_i(1'b0), .abort_i(cfg_i.stop), .keep_i(1'b0), .idle_o(idle), .use_o(use_now),
    .cmd_valid_i, .cmd_ready_o, .cmd_i(cmd), .s_valid_i, .s_ready_o, .s_data_i, .s_keep_i, .s_last_i,
    .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_hdr_o, .tx_data_o,
    .done_valid_o, .done_o(done), .done_room_i(1'b1)
  );
  logic gone;
  ls_gone u_gone (
    .clk_i, .rst_ni, .drops_i, .taken_i(tx_ready_i), .told_i(done_valid_o), .gone_o(gone)
  );
  assign done_o = told(done, gone);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cause_q <= CauseNone;
      done_q  <= '0;
    end else begin
      if (clear_i)                                      cause_q <= CauseNone;
      else if (done_valid_o && cause_q == CauseNone)    cause_q <= done_o.cause;
      if (done_valid_o) done_q <= done_q + 1'b1;
    end
  end
  assign stat_o.busy    = !idle;
  assign stat_o.cause   = cause_q;
  assign stat_o.fetched = '0;
  assign stat_o.done    = done_q;
  ls_uses u_uses (
    .clk_i, .rst_ni, .clear_i, .use_i(use_now), .sel_i(use_sel_i), .count_o(stat_o.uses), .span_o(stat_o.span)
  );

  logic unused;
  assign unused = ^cfg_i;

endmodule
