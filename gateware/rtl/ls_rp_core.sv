// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the root ports have in common, whatever the block's streams look like: its own configuration
// (ls_rp_cfg), how its link has trained (ls_rp_link), and what does not pass while it is not up or never
// does (ls_rp_gate). It stands between the user and the modules that make TLPs of the block's streams.
module ls_rp_core
  import ls_pkg::*;
  import ls_rp_pkg::*;
#(
  parameter logic [11:0] Express     = 12'h060,
  parameter logic [7:0]  PriBus      = 8'd0,
  parameter logic [7:0]  SecBus      = 8'd1,
  parameter logic [7:0]  SubBus      = 8'd1,
  parameter logic [63:0] WindowBase  = 64'he000_0000,
  parameter logic [63:0] WindowBytes = 64'h0100_0000,
  parameter int unsigned MaxPayload  = 512,
  parameter int unsigned WaitCycles  = 25000000,
  parameter int unsigned LookCycles  = 250000000
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        link_i,
  output logic        up_o,
  output logic        failed_o,
  output rp_step_e    step_o,
  input  logic        retrain_i,
  output rp_link_t    link_o,

  output logic [9:0]  mgmt_addr_o,
  output logic        mgmt_read_o,
  output logic        mgmt_write_o,
  output logic [31:0] mgmt_data_o,
  output logic [3:0]  mgmt_be_o,
  input  logic [31:0] mgmt_data_i,
  input  logic        mgmt_done_i,

  // from the user, to the block
  input  logic        rq_valid_i,
  output logic        rq_ready_o,
  input  logic        rq_cfg_i,
  input  tlp_hdr_t    rq_hdr_i,
  input  logic [31:0] rq_data_i,
  output logic        rq_valid_o,
  input  logic        rq_ready_i,
  output logic [1:0]  rq_cfg_o,        // {a configuration request, of type 1}
  output tlp_hdr_t    rq_hdr_o,
  output logic [31:0] rq_data_o,
  input  logic        cpl_valid_i,
  output logic        cpl_ready_o,
  input  logic        cpl_sop_i,
  output logic        cpl_valid_o,
  input  logic        cpl_ready_i,

  // from the block, to the user
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic        rx_sop_i,
  input  logic        rx_mem_i,
  input  tlp_hdr_t    rx_hdr_i,
  output logic        rx_valid_o,
  input  logic        rx_ready_i,
  output tlp_hdr_t    rx_hdr_o,
  input  logic        got_valid_i,     // completions
  input  logic        got_sop_i,
  input  tlp_hdr_t    got_hdr_i,
  input  logic [31:0] got_data_i,
  output logic        got_valid_o
);

  // ---- configuration -----------------------------------------------------------------------------
  typedef struct packed {
    logic [9:0]  addr;
    logic        read;
    logic        write;
    logic [31:0] data;
    logic [3:0]  be;
  } mgmt_t;
  mgmt_t    cfg, look;
  logic     ready, busy;
  rp_step_e step;
  ls_rp_cfg #(
    .Express(Express), .PriBus(PriBus), .SecBus(SecBus), .SubBus(SubBus), .WindowBase(WindowBase), .WindowBytes(WindowBytes),
    .MaxPayload(MaxPayload), .WaitCycles(WaitCycles)
  ) u_cfg (
    .clk_i, .rst_ni, .link_i, .busy_i(busy), .up_o(ready), .failed_o, .step_o(step), .mgmt_addr_o(cfg.addr), .mgmt_read_o(cfg.read),
    .mgmt_write_o(cfg.write), .mgmt_data_o(cfg.data), .mgmt_be_o(cfg.be), .mgmt_data_i, .mgmt_done_i(mgmt_done_i && !busy)
  );

  logic     ask_valid, ask;
  tlp_hdr_t ask_hdr;
  ls_rp_link #(.Express(Express), .SecBus(SecBus), .LookCycles(LookCycles)) u_link (
    .clk_i, .rst_ni, .go_i(ready), .done_o(up_o), .retrain_i, .link_o, .busy_o(busy), .mgmt_addr_o(look.addr), .mgmt_read_o(look.read),
    .mgmt_write_o(look.write), .mgmt_data_o(look.data), .mgmt_be_o(look.be), .mgmt_data_i, .mgmt_done_i, .rq_valid_o(ask_valid),
    .rq_ready_i(rq_ready_i && ask), .rq_hdr_o(ask_hdr), .got_valid_i, .got_hdr_i, .got_data_i
  );
  assign {mgmt_addr_o, mgmt_read_o, mgmt_write_o, mgmt_data_o, mgmt_be_o} = busy ? look : cfg;
  assign step_o = (step == RpUp && !up_o) ? RpLook : step;

  // ---- TLPs ------------------------------------------------------------------------------------
  logic       user_valid;
  logic [1:0] user_cfg;
  ls_rp_gate #(.SecBus(SecBus)) u_gate (
    .clk_i, .rst_ni, .up_i(up_o), .rq_valid_i, .rq_ready_o, .rq_cfg_i, .rq_hdr_i, .rq_valid_o(user_valid), .rq_ready_i,
    .rq_cfg_o(user_cfg), .cpl_valid_i, .cpl_ready_o, .cpl_sop_i, .cpl_valid_o, .cpl_ready_i, .rx_valid_i, .rx_ready_o, .rx_sop_i,
    .rx_mem_i, .rx_hdr_i, .rx_valid_o, .rx_ready_i, .rx_hdr_o
  );
  // Before the port is up nothing new of its user's comes out of the gate, and afterwards nobody else asks.
  assign ask        = ask_valid && !user_valid;
  assign rq_valid_o = user_valid || ask_valid;
  assign rq_cfg_o   = ask ? 2'b10 : user_cfg;
  assign rq_hdr_o   = ask ? ask_hdr : rq_hdr_i;
  assign rq_data_o  = rq_data_i;

  // Nor does it get an answer before.
  logic got_q, got;
  assign got         = got_sop_i ? up_o : got_q;
  assign got_valid_o = got_valid_i && got;
  always_ff @(posedge clk_i) if (got_valid_i) got_q <= got;

endmodule
