// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What becomes of a request: one in a BAR goes on to the engine; one to configuration space is answered from there;
// what nothing takes is answered with UR, or dropped where there is no answer to it.
module ls_tl_route
  import ls_pkg::*;
  import ls_tl_pkg::*;
#(
  parameter int unsigned Bar0Bits = 16,
  parameter int unsigned Bar2Bits = 20
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        config_i,           // configuration requests are answered; else with CRS
  input  logic        memory_i,           // BARs are decoded
  input  logic [31:0] bar0_i,
  input  logic [63:0] bar2_i,
  output logic [15:0] id_o,
  // a request
  input  logic        look_i,
  input  logic [7:0]  kind_i,
  input  tlp_hdr_t    hdr_i,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic        sop_i,
  input  logic        eop_i,
  input  logic [63:0] data_i,
  // the engine
  output logic        req_valid_o,
  input  logic        req_ready_i,
  output logic        req_sop_o,
  output logic        req_eop_o,
  output tlp_hdr_t    req_hdr_o,
  output logic [63:0] req_data_o,
  // configuration space
  output logic        cfg_valid_o,
  output logic        cfg_write_o,
  output logic [9:0]  cfg_dw_o,
  output logic [3:0]  cfg_be_o,
  output logic [31:0] cfg_data_o,
  input  logic [31:0] cfg_data_i,         // a clock behind cfg_dw_o
  // completions of this module
  output logic        cpl_valid_o,
  input  logic        cpl_ready_i,
  output tlp_hdr_t    cpl_hdr_o,
  output logic [31:0] cpl_data_o,
  // what was found wrong
  output logic        ur_o,
  output logic        posted_ur_o,
  output logic        poisoned_o
);

  // ---- which way -------------------------------------------------------------------------------------
  way_e       way, way_q;
  logic [2:0] bar_q;
  logic       memory, config0, message, posted, write, in0, in2, read_q;
  assign write   = kind_i[6];
  assign memory  = kind_i[4:0] == '0;
  assign config0 = kind_i[4:0] == 5'b00100;
  assign message = kind_i[4:3] == 2'b10;
  assign posted  = class_of(kind_i) == ClassP;
  assign in0     = memory_i && memory && hdr_i.addr[63:Bar0Bits] == {32'd0, bar0_i[31:Bar0Bits]};
  assign in2     = memory_i && memory && hdr_i.addr[63:Bar2Bits] == bar2_i[63:Bar2Bits];
  always_comb begin
    if (in0 || in2) way = ToEngine;
    else if (config0 && hdr_i.addr[18:16] == '0 && !(write && hdr_i.ep)) way = ToConfig;
    else if (posted) way = ToNowhere;
    else way = ToUr;
  end

  always_ff @(posedge clk_i) begin
    if (look_i) begin
      way_q  <= way;
      bar_q  <= in0 ? 3'd0 : 3'd2;
      read_q <= memory && !write;
    end
    ur_o        <= rst_ni && look_i && way == ToUr;
    posted_ur_o <= rst_ni && look_i && way == ToNowhere && !message;
    poisoned_o  <= rst_ni && look_i && write && hdr_i.ep;
  end

  logic unused;
  assign unused = &{bar0_i, bar2_i};

  // ---- the engine ------------------------------------------------------------------------------------
  assign req_valid_o = valid_i && way_q == ToEngine;
  assign req_sop_o   = sop_i;
  assign req_eop_o   = eop_i;
  assign req_data_o  = data_i;
  always_comb begin
    req_hdr_o     = hdr_i;
    req_hdr_o.bar = bar_q;
  end

  // ---- answers of this module ------------------------------------------------------------------------
  typedef enum logic [1:0] {Idle, Ask, Answer} state_e;
  state_e state_q;
  logic   crs_q, answers;
  assign answers     = way_q inside {ToConfig, ToUr};
  // The last beat is given back when the answer is taken, for it holds the header.
  assign ready_o     = way_q == ToEngine ? req_ready_i : way_q == ToNowhere || !eop_i || (state_q == Answer && cpl_ready_i);
  assign cfg_valid_o = state_q == Ask && way_q == ToConfig && config_i;
  assign cfg_write_o = write;
  assign cfg_dw_o    = hdr_i.addr[11:2];
  assign cfg_be_o    = hdr_i.first_be;
  assign cfg_data_o  = data_i[31:0];
  assign cpl_valid_o = state_q == Answer;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      id_o    <= '0;
    end else begin
      unique case (state_q)
        Idle:    if (valid_i && answers && eop_i) state_q <= Ask;
        Ask:     state_q <= Answer;
        default: if (cpl_ready_i) state_q <= Idle;
      endcase
      if (cfg_valid_o && write) id_o <= {hdr_i.addr[31:19], 3'd0};
    end
    if (state_q == Ask) begin
      crs_q      <= !config_i;
      cpl_data_o <= cfg_data_i;           // of the register that the header has named since before
    end
  end

  // Bytes that a read asked for, as its completion counts them.
  function automatic logic [1:0] lowest(logic [3:0] be);
    return be[0] ? 2'd0 : be[1] ? 2'd1 : be[2] ? 2'd2 : be[3] ? 2'd3 : 2'd0;
  endfunction
  function automatic logic [1:0] highest(logic [3:1] be);
    return be[3] ? 2'd3 : be[2] ? 2'd2 : be[1] ? 2'd1 : 2'd0;
  endfunction
  logic [1:0]  low, high;
  logic [12:0] count_q;
  assign low  = lowest(hdr_i.first_be);
  assign high = highest(hdr_i.len_dw == 11'd1 ? hdr_i.first_be[3:1] : hdr_i.last_be[3:1]);
  always_ff @(posedge clk_i) count_q <= {hdr_i.len_dw, 2'b00} - 13'(low) - 13'(2'd3 - high);

  logic ok, brings;
  assign ok     = way_q == ToConfig && !crs_q;
  assign brings = ok && !write;
  always_comb begin
    cpl_hdr_o              = '0;
    cpl_hdr_o.kind         = brings ? TlpCplD : TlpCpl;
    cpl_hdr_o.len_dw       = 11'(brings);
    cpl_hdr_o.status       = ok ? CplSc : way_q == ToConfig ? CplCrs : CplUr;
    cpl_hdr_o.byte_count   = read_q ? count_q : 13'd4;
    cpl_hdr_o.addr[6:0]    = read_q ? {hdr_i.addr[6:2], low} : '0;
    cpl_hdr_o.requester_id = hdr_i.requester_id;
    cpl_hdr_o.tag          = hdr_i.tag;
    cpl_hdr_o.attr         = hdr_i.attr;
    cpl_hdr_o.tc           = hdr_i.tc;
  end

endmodule
