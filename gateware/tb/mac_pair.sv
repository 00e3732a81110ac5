// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Two MACs back to back, a root's (0) and an endpoint's (1), each with the least of a PHY and a clock of its own; what
// one sends is received with its clock. `flip_i` changes a symbol's byte, `hit_i` marks a pair as hit, `swap_i`
// exchanges the two wires, `cut_i` takes the line away; all by the receiver's number.
module mac_pair
  import ls_phy_pkg::*;
#(
  parameter int unsigned MsCycles = 1000,
  parameter int unsigned Ts1Count = 1024,
  parameter int unsigned SkpSymbols = 1180
) (
  input  logic              clk0_i,
  input  logic              clk1_i,
  input  logic              rst_ni,
  input  logic [1:0][7:0]   flip_i,
  input  logic [1:0]        hit_i,
  input  logic [1:0]        swap_i,
  input  logic [1:0]        cut_i,
  input  logic [1:0]        odd_i,            // what arrives is moved by a symbol
  output logic [1:0][15:0]  sent_o,
  output logic [1:0][1:0]   sent_k_o,
  output logic [1:0]        quiet_o,
  input  logic [1:0]        retrain_i,
  output logic [1:0]        up_o,
  output logic [1:0]        l0_o,
  output logic [1:0][4:0]   state_o,
  output logic [1:0]        error_o,
  input  logic [1:0]        tx_valid_i,
  output logic [1:0]        tx_ready_o,
  input  logic [1:0][15:0]  tx_word_i,
  input  logic [1:0]        tx_last_i,
  input  logic [1:0]        tx_dllp_i,
  input  logic [1:0]        tx_null_i,
  output logic [1:0]        rx_start_o,
  output logic [1:0]        rx_dllp_o,
  output logic [1:0]        rx_valid_o,
  output logic [1:0][15:0]  rx_word_o,
  output logic [1:0]        rx_end_o,
  output logic [1:0]        rx_bad_o,
  output logic [1:0]        rx_edb_o
);

  logic [1:0] clk;
  assign clk = {clk1_i, clk0_i};

  // A data symbol whose code is complemented, of those that TS1 and TS2 and their bytes are made of; others become what they are not.
  function automatic logic [7:0] swapped(logic [7:0] b);
    unique case (b)
      8'h4a: return 8'hb5;
      8'h45: return 8'hba;
      8'hb5: return 8'h4a;
      8'hba: return 8'h45;
      default: return ~b;
    endcase
  endfunction

  for (genvar n = 0; n < 2; n++) begin : gen_port
    logic        detect, detect_q, polarity, status, dead;
    logic [1:0]  power, power_q;
    logic [15:0] data;
    logic [1:0]  k;
    logic        far;
    logic [8:0]  last_q;
    // In the clock of the far end.
    assign far  = clk[1-n];
    assign dead = quiet_o[1-n] || cut_i[n];
    logic [1:0][8:0] line;
    always_ff @(posedge far) last_q <= {sent_k_o[1-n][1], sent_o[1-n][15:8]};
    assign line = odd_i[n] ? {sent_k_o[1-n][0], sent_o[1-n][7:0], last_q}
                           : {sent_k_o[1-n][1], sent_o[1-n][15:8], sent_k_o[1-n][0], sent_o[1-n][7:0]};
    always_comb begin
      k = {line[1][8], line[0][8]};
      for (int unsigned i = 0; i < 2; i++)
        data[i*8+:8] = !line[i][8] && (swap_i[n] != polarity) ? swapped(line[i][7:0]) : line[i][7:0];
      data[7:0] = data[7:0] ^ flip_i[n];
    end

    // Of its own clock.
    assign status = detect && !detect_q || power != power_q;
    always_ff @(posedge clk[n]) begin
      detect_q <= detect;
      power_q  <= power;
    end

    logic compliance, rate;
    ls_mac #(.Down(n == 0), .Link(8'd5), .MsCycles(MsCycles), .Ts1Count(Ts1Count), .SkpSymbols(SkpSymbols)) u_mac (
      .clk_i(clk[n]), .rst_ni, .rx_clk_i(far), .rx_rst_ni(rst_ni),
      .tx_data_o(sent_o[n]), .tx_data_k_o(sent_k_o[n]), .tx_elec_idle_o(quiet_o[n]), .tx_compliance_o(compliance), .tx_detect_rx_o(detect),
      .rx_polarity_o(polarity), .power_down_o(power), .rate_o(rate),
      .rx_data_i(data), .rx_data_k_i(k), .rx_valid_i(!dead), .rx_elec_idle_i(dead), .rx_status_i(status && detect ? 3'd3 : hit_i[n] ? 3'd4 : 3'd0),
      .phy_status_i(status),
      .tx_valid_i(tx_valid_i[n]), .tx_ready_o(tx_ready_o[n]), .tx_word_i(tx_word_i[n]), .tx_last_i(tx_last_i[n]), .tx_dllp_i(tx_dllp_i[n]),
      .tx_null_i(tx_null_i[n]), .rx_start_o(rx_start_o[n]), .rx_dllp_o(rx_dllp_o[n]), .rx_valid_o(rx_valid_o[n]), .rx_word_o(rx_word_o[n]),
      .rx_end_o(rx_end_o[n]), .rx_bad_o(rx_bad_o[n]), .rx_edb_o(rx_edb_o[n]),
      .retrain_i(retrain_i[n]), .link_up_o(up_o[n]), .l0_o(l0_o[n]), .state_o(state_o[n]), .error_o(error_o[n])
    );
  end

endmodule
