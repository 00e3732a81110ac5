// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Words of the transaction layer: which TLP is of which class, what can be found wrong, and configuration space, a row
// for each of its registers that is not 0. Sources are named in docs/ls_tl.md.
package ls_tl_pkg;

  // As credits_t counts them; the last is of no class.
  typedef enum logic [1:0] {ClassP, ClassNp, ClassCpl, ClassNone} class_e;

  // Of the first byte of a TLP: Fmt and Type.
  function automatic class_e class_of(logic [7:0] first);
    unique casez (first)
      8'b00?_0000?: return ClassNp;       // MRd, MRdLk
      8'b01?_00000: return ClassP;        // MWr
      8'b0?0_00010: return ClassNp;       // IORd, IOWr
      8'b0?0_0010?: return ClassNp;       // CfgRd, CfgWr
      8'b01?_0110?: return ClassNp;       // FetchAdd, Swap
      8'b01?_01110: return ClassNp;       // CAS
      8'b0?1_10???: return ClassP;        // Msg, MsgD
      8'b0?0_0101?: return ClassCpl;      // Cpl, CplD, and of locked reads
      default:      return ClassNone;
    endcase
  endfunction

  // Data credits of a payload: 16 bytes each.
  function automatic logic [8:0] credits_of(logic [10:0] len_dw);
    return 9'((len_dw + 11'd3) >> 2);
  endfunction

  localparam logic [2:0] CplCrs = 3'b010;

  typedef enum logic [1:0] {ToEngine, ToConfig, ToUr, ToNowhere} way_e;

  // What was found wrong, a clock each.
  typedef struct packed {
    logic posted_ur;
    logic ur;               // a non-posted request
    logic ca;               // the engine's completion says so
    logic malformed;
    logic overflow;
    logic unexpected;
    logic poisoned;
  } tl_err_t;

  // And below.
  typedef struct packed {
    logic receiver;
    logic bad_tlp;
    logic bad_dllp;
    logic rollover;
    logic timeout;
    logic protocol;
  } link_err_t;

  // A register: its value after a reset, bits that a write sets, bits that a write of 1 clears; of these, those that a
  // function-level reset leaves, and those that only a reset of the whole device touches.
  typedef struct packed {
    logic [9:0]  dw;
    logic [31:0] value;
    logic [31:0] rw;
    logic [31:0] w1c;
    logic [31:0] flr_keeps;
    logic [31:0] sticky;
  } row_t;

  typedef struct packed {
    logic [15:0] vendor, device;
    logic [31:0] class_rev, subsystem;
    logic [63:0] serial;
    logic [10:0] vectors;   // less one
    logic [31:0] bar0;      // bits that can be written
    logic [63:0] bar2;
  } shape_t;

  // Places in the table of those that others look at.
  localparam int unsigned Rows      = 31;
  localparam int unsigned AtCommand = 1;
  localparam int unsigned AtBar0    = 4;
  localparam int unsigned AtBar2    = 5;
  localparam int unsigned AtBar3    = 6;
  localparam int unsigned AtPmcsr   = 11;
  localparam int unsigned AtMsix    = 12;
  localparam int unsigned AtDevice  = 17;
  localparam int unsigned AtUncor   = 23;
  localparam int unsigned AtSeverity = 25;
  localparam int unsigned AtCor     = 26;

  localparam logic [31:0] Uncor = 32'h0017_d010;    // bits of errors, as AER numbers them
  localparam logic [31:0] Cor   = 32'h0000_31c1;

  function automatic row_t [Rows-1:0] config_space(shape_t s);
    row_t [Rows-1:0] t;
    t = '0;
    // type 0
    t[0].dw  = 10'h000; t[0].value = {s.device, s.vendor};
    t[1].dw  = 10'h001; t[1].value = 32'h0010_0000; t[1].rw = 32'h0000_0546; t[1].w1c = 32'h8800_0000;
    t[2].dw  = 10'h002; t[2].value = s.class_rev;
    t[3].dw  = 10'h003; t[3].rw = 32'h0000_00ff;
    t[4].dw  = 10'h004; t[4].rw = s.bar0;
    t[5].dw  = 10'h006; t[5].value = 32'h0000_000c; t[5].rw = s.bar2[31:0];
    t[6].dw  = 10'h007; t[6].rw = s.bar2[63:32];
    t[7].dw  = 10'h00b; t[7].value = s.subsystem;
    t[8].dw  = 10'h00d; t[8].value = 32'h0000_0040;
    t[9].dw  = 10'h00f; t[9].rw = 32'h0000_00ff;
    // power management: D0, D3hot
    t[10].dw = 10'h010; t[10].value = 32'h0003_5001;
    t[11].dw = 10'h011; t[11].value = 32'h0000_0008; t[11].rw = 32'h0000_0003;
    // MSI-X
    t[12].dw = 10'h014; t[12].value = {5'd0, s.vectors, 16'h6011}; t[12].rw = 32'hc000_0000;
    t[13].dw = 10'h015; t[13].value = 32'h0000_1000;
    t[14].dw = 10'h016; t[14].value = 32'h0000_1300;
    // PCI Express: an endpoint, 512 bytes, tags of 8 bits, function-level reset; x1, 2.5 GT/s
    t[15].dw = 10'h018; t[15].value = 32'h0002_0010;
    t[16].dw = 10'h019; t[16].value = 32'h1000_8022;
    t[17].dw = 10'h01a; t[17].value = 32'h0000_2810; t[17].rw = 32'h0000_79ff; t[17].w1c = 32'h000f_0000; t[17].flr_keeps = 32'h0000_00e0;
    t[18].dw = 10'h01b; t[18].value = 32'h0040_0011;
    t[19].dw = 10'h01c; t[19].value = 32'h1011_0000; t[19].rw = 32'h0000_00c8; t[19].flr_keeps = 32'h0000_00c8;
    t[20].dw = 10'h023; t[20].value = 32'h0000_0002;
    t[21].dw = 10'h024; t[21].value = 32'h0000_0001;
    // advanced error reporting
    t[22].dw = 10'h040; t[22].value = 32'h1401_0001;
    t[23].dw = 10'h041; t[23].w1c = Uncor; t[23].sticky = Uncor;
    t[24].dw = 10'h042; t[24].rw  = Uncor; t[24].sticky = Uncor;
    t[25].dw = 10'h043; t[25].value = 32'h0006_0010; t[25].rw = Uncor; t[25].sticky = Uncor;
    t[26].dw = 10'h044; t[26].w1c = Cor; t[26].sticky = Cor;
    t[27].dw = 10'h045; t[27].value = 32'h0000_2000; t[27].rw = Cor; t[27].sticky = Cor;
    // device serial number
    t[28].dw = 10'h050; t[28].value = 32'h0001_0003;
    t[29].dw = 10'h051; t[29].value = s.serial[31:0];
    t[30].dw = 10'h052; t[30].value = s.serial[63:32];
    return t;
  endfunction

endpackage
