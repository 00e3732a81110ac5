// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The pure parts of the MAC side by side, for their benches: each takes pairs of its own and knows nothing of the others.
module phy_parts
  import ls_phy_pkg::*;
(
  input  logic        clk_i,
  input  logic        rd_clk_i,           // of the elastic buffer's reading side
  input  logic        rst_ni,
  input  logic        off_i,
  input  logic        valid_i,
  input  pair_t       pair_i,
  input  logic        bad_i,
  output logic        key_valid_o,
  output pair_t       key_pair_o,
  output logic        ts_valid_o,
  output logic        inverted_o,
  output ts_t         ts_o,
  output logic        skp_o,
  output logic        eios_o,
  output logic        start_o,
  output logic        dllp_o,
  output logic        word_valid_o,
  output logic [15:0] word_o,
  output logic        end_o,
  output logic        end_bad_o,
  output logic        edb_o,
  output logic        idle_o,
  output logic        error_o,
  output logic        el_valid_o,
  output logic        el_bad_o,
  output pair_t       el_pair_o,
  output logic        added_o,
  output logic        empty_o
);

  ls_scramble u_scramble (.clk_i, .rst_ni, .off_i, .valid_i, .pair_i, .valid_o(key_valid_o), .pair_o(key_pair_o));
  ls_os_rx u_sets (.clk_i, .rst_ni, .valid_i, .pair_i, .ts_valid_o, .inverted_o, .ts_o, .skp_o, .eios_o);
  ls_unframe u_unframe (
    .clk_i, .rst_ni, .on_i(1'b1), .valid_i, .bad_i, .pair_i, .start_o, .dllp_o, .valid_o(word_valid_o), .data_o(word_o), .end_o,
    .bad_o(end_bad_o), .edb_o, .idle_o, .error_o
  );
  ls_elastic u_elastic (
    .wr_clk_i(clk_i), .wr_rst_ni(rst_ni), .wr_valid_i(valid_i), .wr_bad_i(bad_i), .wr_pair_i(pair_i), .rd_clk_i, .rd_rst_ni(rst_ni),
    .valid_o(el_valid_o), .bad_o(el_bad_o), .pair_o(el_pair_o), .added_o, .empty_o
  );

endmodule
