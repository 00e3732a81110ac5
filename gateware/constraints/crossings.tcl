# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Timing of every clock crossing of the engine (TwoClocks = 1), for Vivado: see docs/clocks.md. To be run after synthesis, with
# both clocks defined, or added to the project as a constraint file that is used in implementation only:
#   source crossings.tcl
# It goes through the instances of the modules below, wherever they are, and touches nothing else. Do not set the two clocks
# apart by set_clock_groups or set_false_path: these go before set_max_delay, and would leave the crossings without a bound.
#
# module, registers that launch, their clock's port, registers that capture, their clock's port, kind:
#   bit   one bit, or bits of which each counts alone: no longer on the way than the quicker clock's period
#   gray  a pointer of which one bit changes at a time: the bits arrive within a period of the quicker clock of each other, too
#   held  data that stands still when it is looked at, two registers after its bit: it has a period of the clock that looks;
#         it is captured by any register of that clock
#   level a port that no clock times: no bound
set ls_crossings {
  ls_async_ring   wr_gray_q  wr_clk_i    wr_sync_q     rd_clk_i    gray
  ls_async_ring   rd_gray_q  rd_clk_i    rd_sync_q     wr_clk_i    gray
  ls_async_ring   mem        wr_clk_i    *             rd_clk_i    held
  ls_elastic      on_q       wr_clk_i    on_sync_q     rd_clk_i    bit
  ls_reg_cross    ask_q      clk_i       ask_sync_q    user_clk_i  bit
  ls_reg_cross    answer_q   user_clk_i  answer_sync_q clk_i       bit
  ls_reg_cross    req_q      clk_i       *             user_clk_i  held
  ls_reg_cross    rsp_q      user_clk_i  *             clk_i       held
  ls_pulse_cross  turn_q     from_clk_i  sync_q        to_clk_i    bit
  ls_pulse_cross  seen_q     to_clk_i    back_q        from_clk_i  bit
  ls_flr          reset_q    clk_i       gen_two.user_q user_clk_i bit
  ls_level_sync   level_i    -           sync_q        clk_i       level
}

# The period of the quickest clock at a port of an instance, in ns.
proc ls_period {instance port} {
  set least {}
  foreach clock [get_clocks -quiet -of_objects [get_pins $instance/$port]] {
    set period [get_property PERIOD $clock]
    if {$least eq {} || $period < $least} {set least $period}
  }
  if {$least eq {}} {error "$instance/$port: no clock is defined here; define both clocks first"}
  return $least
}

# The registers of that name in an instance, or the LUT RAM.
proc ls_registers {instance name} {
  if {$name eq "mem"} {
    return [get_cells -quiet -hierarchical -filter "PARENT == $instance && NAME =~ */mem_reg* && (PRIMITIVE_SUBGROUP == LUTRAM || PRIMITIVE_SUBGROUP == dram)"]
  }
  return [get_cells -quiet -hierarchical -filter "PARENT == $instance && NAME =~ */${name}_reg* && IS_SEQUENTIAL"]
}

set ls_count 0
foreach {module from source to dest kind} $ls_crossings {
  foreach instance [get_cells -quiet -hierarchical -filter "ORIG_REF_NAME == $module || REF_NAME == $module"] {
    if {$kind eq "level"} {
      set_false_path -to [ls_registers $instance $to]
      incr ls_count
      continue
    }
    set launch [ls_registers $instance $from]
    set capture [expr {$to eq "*" ? {} : [ls_registers $instance $to]}]
    if {$module eq "ls_flr" && [llength $capture] == 0} continue ;# one clock
    if {[llength $launch] == 0 || ($to ne "*" && [llength $capture] == 0)} {
      error "$instance: no registers $from or $to of $module: was the hierarchy flattened?"
    }
    set of_source [ls_period $instance $source]
    set of_dest [ls_period $instance $dest]
    set least [expr {min($of_source, $of_dest)}]
    switch $kind {
      gray {
        set_max_delay -datapath_only -from $launch -to $capture $least
        set_bus_skew -from $launch -to $capture $least
      }
      bit {set_max_delay -datapath_only -from $launch -to $capture $least}
      held {
        set_max_delay -datapath_only -from $launch -to [get_clocks -of_objects [get_pins $instance/$dest]] $of_dest
      }
    }
    incr ls_count
  }
}
puts "crossings: $ls_count constrained"
