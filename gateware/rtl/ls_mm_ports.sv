// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Card memory's AXI4 as plain ports: writes of the channels from host to card, channel 0 lowest, and reads
// of those from card to host. All that a channel asks for has one ID, 0, and is Normal Non-cacheable Bufferable
// (AXI4 A4.4): interconnects may cut and merge its bursts. Unprivileged secure data access (A4.7).
module ls_mm_ports
  import ls_pkg::*;
#(
  parameter int unsigned Width     = 64,
  parameter int unsigned H2c       = 1,
  parameter int unsigned C2h       = 1,
  parameter int unsigned AxiIdBits = 1,
  localparam int unsigned Bytes    = Width / 8,
  localparam int unsigned Mms      = (H2c > C2h) ? H2c : C2h
) (
  input  mm_out_t [Mms-1:0]           mm_out_i,
  input  logic [H2c-1:0][Width-1:0]   mm_wdata_i,
  input  logic [H2c-1:0][Bytes-1:0]   mm_wstrb_i,
  output mm_in_t [Mms-1:0]            mm_in_o,
  output logic [C2h-1:0][Width-1:0]   mm_rdata_o,

  output logic [H2c*AxiIdBits-1:0] m_axi_awid,
  output logic [H2c*CardBits-1:0] m_axi_awaddr,
  output logic [H2c*8-1:0] m_axi_awlen,
  output logic [H2c*3-1:0] m_axi_awsize,
  output logic [H2c*2-1:0] m_axi_awburst,
  output logic [H2c-1:0] m_axi_awlock,
  output logic [H2c*4-1:0] m_axi_awcache,
  output logic [H2c*3-1:0] m_axi_awprot,
  output logic [H2c*4-1:0] m_axi_awqos,
  output logic [H2c-1:0] m_axi_awvalid,
  input  logic [H2c-1:0] m_axi_awready,
  output logic [H2c*Width-1:0] m_axi_wdata,
  output logic [H2c*Bytes-1:0] m_axi_wstrb,
  output logic [H2c-1:0] m_axi_wlast,
  output logic [H2c-1:0] m_axi_wvalid,
  input  logic [H2c-1:0] m_axi_wready,
  input  logic [H2c*AxiIdBits-1:0] m_axi_bid,
  input  logic [H2c*2-1:0] m_axi_bresp,
  input  logic [H2c-1:0] m_axi_bvalid,
  output logic [H2c-1:0] m_axi_bready,
  output logic [C2h*AxiIdBits-1:0] m_axi_arid,
  output logic [C2h*CardBits-1:0] m_axi_araddr,
  output logic [C2h*8-1:0] m_axi_arlen,
  output logic [C2h*3-1:0] m_axi_arsize,
  output logic [C2h*2-1:0] m_axi_arburst,
  output logic [C2h-1:0] m_axi_arlock,
  output logic [C2h*4-1:0] m_axi_arcache,
  output logic [C2h*3-1:0] m_axi_arprot,
  output logic [C2h*4-1:0] m_axi_arqos,
  output logic [C2h-1:0] m_axi_arvalid,
  input  logic [C2h-1:0] m_axi_arready,
  input  logic [C2h*AxiIdBits-1:0] m_axi_rid,
  input  logic [C2h*Width-1:0] m_axi_rdata,
  input  logic [C2h*2-1:0] m_axi_rresp,
  input  logic [C2h-1:0] m_axi_rlast,
  input  logic [C2h-1:0] m_axi_rvalid,
  output logic [C2h-1:0] m_axi_rready
);

  if (AxiIdBits < 1) begin : gen_id
    $error("%m: AxiIdBits must be at least 1");
  end

  assign m_axi_wdata = mm_wdata_i;
  assign m_axi_wstrb = mm_wstrb_i;
  assign mm_rdata_o  = m_axi_rdata;
  assign m_axi_awid    = '0;
  assign m_axi_awlock  = '0;
  assign m_axi_awcache = {H2c{4'b0011}};
  assign m_axi_awprot  = '0;
  assign m_axi_awqos   = '0;
  assign m_axi_arid    = '0;
  assign m_axi_arlock  = '0;
  assign m_axi_arcache = {C2h{4'b0011}};
  assign m_axi_arprot  = '0;
  assign m_axi_arqos   = '0;
  mm_in_t [H2c-1:0] wr;
  mm_in_t [C2h-1:0] rd;
  assign mm_in_o = ($bits(mm_in_o))'(wr) | ($bits(mm_in_o))'(rd);
  for (genvar c = 0; c < H2c; c++) begin : gen_write
    assign m_axi_awaddr[c*CardBits+:CardBits] = mm_out_i[c].aw_addr;
    assign m_axi_awlen[c*8+:8]   = mm_out_i[c].aw_len;
    assign m_axi_awsize[c*3+:3]  = 3'($clog2(Bytes));
    assign m_axi_awburst[c*2+:2] = 2'b01;
    assign m_axi_awvalid[c]      = mm_out_i[c].aw_valid;
    assign m_axi_wlast[c]        = mm_out_i[c].w_last;
    assign m_axi_wvalid[c]       = mm_out_i[c].w_valid;
    assign m_axi_bready[c]       = mm_out_i[c].b_ready;
    always_comb begin
      wr[c]          = '0;
      wr[c].aw_ready = m_axi_awready[c];
      wr[c].w_ready  = m_axi_wready[c];
      wr[c].b_valid  = m_axi_bvalid[c];
      wr[c].b_resp   = m_axi_bresp[c*2+:2];
    end
  end
  for (genvar c = 0; c < C2h; c++) begin : gen_read
    assign m_axi_araddr[c*CardBits+:CardBits] = mm_out_i[c].ar_addr;
    assign m_axi_arlen[c*8+:8]   = mm_out_i[c].ar_len;
    assign m_axi_arsize[c*3+:3]  = 3'($clog2(Bytes));
    assign m_axi_arburst[c*2+:2] = 2'b01;
    assign m_axi_arvalid[c]      = mm_out_i[c].ar_valid;
    assign m_axi_rready[c]       = mm_out_i[c].r_ready;
    always_comb begin
      rd[c]          = '0;
      rd[c].ar_ready = m_axi_arready[c];
      rd[c].r_valid  = m_axi_rvalid[c];
      rd[c].r_last   = m_axi_rlast[c];
      rd[c].r_resp   = m_axi_rresp[c*2+:2];
    end
  end

  logic unused;
  assign unused = ^{mm_out_i, m_axi_bid, m_axi_rid};

endmodule
