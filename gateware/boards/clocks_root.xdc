# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# The same for every board with a drive: the drive's reference clock, and what no clock times.
create_clock -name refclk -period 10.000 [get_ports refclk_p_i]
set_false_path -from [get_ports {reset_i shut_i}]
set_false_path -to [get_ports {perst_no off_o led_o[*]}]
