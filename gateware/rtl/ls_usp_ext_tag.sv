// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Extended Tag Field Enable behind the UltraScale+ block. The block tells MPS and MRRS by ports of
// their own, this bit not: it is read from Device Control, over and over, through the block's
// Configuration Management interface. Until it has been read, tags have 5 bits.
module ls_usp_ext_tag #(
  parameter logic [11:0] Capability = 12'h070,  // where the block has its PCI Express Capability
  parameter int unsigned Every      = 256       // cycles between two reads
) (
  input  logic        clk_i,                    // the block's user clock
  input  logic        rst_ni,
  output logic [9:0]  cfg_mgmt_addr,            // a DWORD's address
  output logic        cfg_mgmt_read,            // stands until done
  input  logic [31:0] cfg_mgmt_read_data,
  input  logic        cfg_mgmt_read_write_done,
  output logic        ext_tag_o
);
  localparam int unsigned Bits = $clog2(Every);
  localparam logic [11:0] DeviceControl = Capability + 12'h008;

  if (Every < 2) begin : gen_bad_every
    $error("%m: Every must be at least 2");
  end
  if (Capability[1:0] != '0) begin : gen_bad_capability
    $error("%m: Capability must be a DWORD's address");
  end

  logic [Bits-1:0] wait_q;
  logic            read_q, ext_tag_q;

  assign cfg_mgmt_addr = DeviceControl[11:2];
  assign cfg_mgmt_read = read_q;
  assign ext_tag_o     = ext_tag_q;

  logic unused;
  assign unused = ^{cfg_mgmt_read_data[31:9], cfg_mgmt_read_data[7:0]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wait_q    <= '0;
      read_q    <= 1'b0;
      ext_tag_q <= 1'b0;
    end else if (read_q) begin
      if (cfg_mgmt_read_write_done) begin
        read_q    <= 1'b0;
        ext_tag_q <= cfg_mgmt_read_data[8];
      end
    end else begin
      wait_q <= (wait_q == Bits'(Every - 1)) ? '0 : wait_q + 1'b1;
      read_q <= wait_q == Bits'(Every - 1);
    end
  end
endmodule
