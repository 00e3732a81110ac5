# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# A bitstream into the FPGA through JTAG, until the power goes:
#   vivado -mode batch -source program.tcl -tclargs FILE.bit DEVICE
# DEVICE is the start of the device's name on the cable, such as xc7k325t.
lassign $argv bitstream device
open_hw_manager
connect_hw_server
open_hw_target
set found [get_hw_devices -quiet $device*]
if {[llength $found] != 1} { error "not one device $device* on the cable: [get_hw_devices -quiet]" }
current_hw_device $found
set_property PROGRAM.FILE [file normalize $bitstream] $found
program_hw_devices $found
