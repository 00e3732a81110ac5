# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# From sources to a bitstream, without a project:
#   vivado -mode batch -source build.tcl -tclargs BOARD ?LANES? ?PART?
# What it writes is under gateware/build/boards/BOARD_xLANES. A timing that is not met is an error.
set here [file dirname [file normalize [info script]]]
set gateware [file dirname $here]

if {[llength $argv] < 1 || ![file exists $here/[lindex $argv 0]/board.tcl]} {
  error "BOARD is the name of a folder beside build.tcl"
}
set board [lindex $argv 0]
set role endpoint                        ;# or root, with a drive below
set gt_cell gtp_channel.gtpe2_channel_i
source $here/$board/board.tcl
set lanes [expr {[llength $argv] > 1 ? [lindex $argv 1] : [lindex [dict keys $links] 0]}]
set part [expr {[llength $argv] > 2 ? [lindex $argv 2] : [lindex $parts 0]}]
if {![dict exists $links $lanes]} { error "$board has [dict keys $links] lanes" }
if {$part ni $parts} { error "$board has $parts" }
lassign [dict get $links $lanes] width mhz
set out $gateware/build/boards/${board}_x$lanes
file delete -force $out/ip
file mkdir $out/ip

create_project -in_memory -part $part

# The block
source $here/ip_$family[expr {$role eq "root" ? "_root" : ""}].tcl
create_ip -name $ip -vendor xilinx.com -library ip -module_name $module -dir $out/ip
set_property -dict [ip_properties $lanes $width $mhz] [get_ips $module]
generate_target all [get_ips $module]
synth_ip [get_ips $module]

# The card
set rtl [lsearch -all -inline -not [lsort [glob $gateware/rtl/ls_*.sv]] *_pkg.sv]
read_verilog -sv [concat $gateware/rtl/ls_pkg.sv [lsort [glob $gateware/rtl/ls_*_pkg.sv]] $rtl $here/ls_board_[expr {$role eq "root" ? "nvme_" : ""}]$family.sv [lsort [glob -nocomplain $here/$board/*.sv]]]
read_xdc $here/clocks[expr {$role eq "root" ? "_root" : ""}].xdc
synth_design -top $top -part $part -generic Lanes=$lanes -generic Width=$width

# Where the block's own constraints put its lanes is not always where the board has them.
if {[llength $gt] > 0} {
  reset_property LOC [get_cells -hierarchical -filter "NAME =~ *gt_wrapper_i/$gt_cell"]
  for {set lane 0} {$lane < $lanes} {incr lane} {
    set_property LOC [lindex $gt $lane] [get_cells -hierarchical \
      -filter "NAME =~ *pipe_lane?$lane?.gt_wrapper_i/$gt_cell"]   ;# ? is a bracket
  }
}
read_xdc $here/$board/$board.xdc
if {[file exists $here/$board/${board}_x$lanes.xdc]} { read_xdc $here/$board/${board}_x$lanes.xdc }
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
if {[llength $flash] > 0} { set_property BITSTREAM.CONFIG.SPI_BUSWIDTH 4 [current_design] }

opt_design
place_design
phys_opt_design
route_design
write_checkpoint -force $out/$board.dcp
report_timing_summary -file $out/timing.txt
report_utilization -hierarchical -file $out/utilization.txt
report_drc -file $out/drc.txt

foreach {what check} {setup -setup hold -hold} {
  set slack [get_property SLACK [get_timing_paths -max_paths 1 $check]]
  if {$slack < 0} { error "timing is not met: $what slack $slack ns, see $out/timing.txt" }
}
write_bitstream -force $out/$board.bit
if {[llength $flash] > 0} {
  lassign $flash interface megabytes
  write_cfgmem -force -format bin -interface $interface -size $megabytes \
    -loadbit "up 0x0 $out/$board.bit" -file $out/$board.bin
}
puts "$out/$board.bit"
