# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Lanes 4 to 7 of the KC705.

set_property -dict {PACKAGE_PIN V6} [get_ports {rx_p_i[4]}]
set_property -dict {PACKAGE_PIN W4} [get_ports {rx_p_i[5]}]
set_property -dict {PACKAGE_PIN Y6} [get_ports {rx_p_i[6]}]
set_property -dict {PACKAGE_PIN AA4} [get_ports {rx_p_i[7]}]
set_property -dict {PACKAGE_PIN V5} [get_ports {rx_n_i[4]}]
set_property -dict {PACKAGE_PIN W3} [get_ports {rx_n_i[5]}]
set_property -dict {PACKAGE_PIN Y5} [get_ports {rx_n_i[6]}]
set_property -dict {PACKAGE_PIN AA3} [get_ports {rx_n_i[7]}]
set_property -dict {PACKAGE_PIN T2} [get_ports {tx_p_o[4]}]
set_property -dict {PACKAGE_PIN U4} [get_ports {tx_p_o[5]}]
set_property -dict {PACKAGE_PIN V2} [get_ports {tx_p_o[6]}]
set_property -dict {PACKAGE_PIN Y2} [get_ports {tx_p_o[7]}]
set_property -dict {PACKAGE_PIN T1} [get_ports {tx_n_o[4]}]
set_property -dict {PACKAGE_PIN U3} [get_ports {tx_n_o[5]}]
set_property -dict {PACKAGE_PIN V1} [get_ports {tx_n_o[6]}]
set_property -dict {PACKAGE_PIN Y1} [get_ports {tx_n_o[7]}]
