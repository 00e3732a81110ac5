// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Configuration space: the table of ls_tl_pkg as registers. What is not in the table reads 0 and takes no write. A bit
// that neither a write nor an event changes is a constant.
module ls_tl_cfg
  import ls_tl_pkg::*;
#(
  parameter shape_t Shape = '0
) (
  input  logic        clk_i,
  input  logic        rst_ni,             // of the whole device
  input  logic        link_i,             // low: all but what is sticky is as after a reset
  input  logic        valid_i,
  input  logic        write_i,
  input  logic [9:0]  dw_i,
  input  logic [3:0]  be_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o,             // a clock later
  input  tl_err_t     error_i,
  input  link_err_t   link_error_i,
  output logic        flr_o,              // a clock: a function-level reset was asked for
  output logic [31:0] command_o,
  output logic [31:0] bar0_o,
  output logic [63:0] bar2_o,
  output logic [31:0] pmcsr_o,
  output logic [31:0] msix_o,
  output logic [31:0] device_o
);

  localparam row_t [Rows-1:0] Table = config_space(Shape);

  logic [Rows-1:0][31:0] now, event_set, read;
  logic [31:0]           be, data;
  assign be = {{8{be_i[3]}}, {8{be_i[2]}}, {8{be_i[1]}}, {8{be_i[0]}}};

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    localparam row_t Row = Table[r];
    localparam logic [31:0] Live = Row.rw | Row.w1c;
    logic        hit;
    logic [31:0] q, after, kept;
    assign hit   = dw_i == Row.dw;
    assign after = (valid_i && write_i && hit ? (q & ~(be & Row.rw) & ~(be & data_i & Row.w1c)) | (be & data_i & Row.rw) : q) | (event_set[r] & Row.w1c);
    assign kept  = Row.sticky | (link_i ? Row.flr_keeps : '0);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) q <= Row.value;
      else         q <= !link_i || flr_o ? (after & kept) | (Row.value & ~kept) : after;
    end
    assign now[r]  = (q & Live) | (Row.value & ~Live);
    assign read[r] = hit ? now[r] : '0;
  end
  always_comb begin
    data = '0;
    for (int unsigned r = 0; r < Rows; r++) data |= read[r];
  end
  always_ff @(posedge clk_i) data_o <= data;

  // Initiate Function Level Reset reads 0.
  always_ff @(posedge clk_i) flr_o <= rst_ni && link_i && valid_i && write_i && dw_i == Table[AtDevice].dw && be_i[1] && data_i[15];

  // ---- events ----------------------------------------------------------------------------------------
  logic [31:0] uncor, cor, advisory, severity;
  assign severity = now[AtSeverity];
  always_comb begin
    uncor     = '0;
    uncor[4]  = link_error_i.protocol;
    uncor[12] = error_i.poisoned;
    uncor[17] = error_i.overflow;
    uncor[18] = error_i.malformed;
    uncor[20] = error_i.posted_ur;
    advisory     = '0;                    // not fatal: what sent the request sees it, or waits in vain
    advisory[15] = error_i.ca;
    advisory[16] = error_i.unexpected;
    advisory[20] = error_i.ur;
    cor     = '0;
    cor[0]  = link_error_i.receiver;
    cor[6]  = link_error_i.bad_tlp;
    cor[7]  = link_error_i.bad_dllp;
    cor[8]  = link_error_i.rollover;
    cor[12] = link_error_i.timeout;
    cor[13] = (advisory & ~severity) != '0;
  end
  always_comb begin
    event_set            = '0;
    event_set[AtUncor]   = uncor | advisory;
    event_set[AtCor]     = cor;
    event_set[AtCommand] = {error_i.poisoned, 3'd0, error_i.ca, 27'd0};
    event_set[AtDevice]  = {12'd0, error_i.ur || error_i.posted_ur, ((uncor | advisory) & severity) != '0, (uncor & ~severity) != '0, cor != '0, 16'd0};
  end

  assign command_o = now[AtCommand];
  assign bar0_o    = now[AtBar0];
  assign bar2_o    = {now[AtBar3], now[AtBar2]};
  assign pmcsr_o   = now[AtPmcsr];
  assign msix_o    = now[AtMsix];
  assign device_o  = now[AtDevice];

endmodule
