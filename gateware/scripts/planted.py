# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Faults planted in a copy of `boards/`, one at a time, that the checks of boards.py must find."""

import shutil
import tempfile
from pathlib import Path

from boards import ROOT, Wrong, build, elaborates, must, pins, properties, room, sources, ties

# name: (check, its arguments, file, text, what it is turned into)
PLANTED = {
    "a_wrong_pin": (pins, ("kc705", 4), "kc705/kc705.xdc", "PACKAGE_PIN P6}", "PACKAGE_PIN P5}"),
    "two_lanes_swapped": (pins, ("acorn", 4), "acorn/acorn.xdc", "rx_p_i[0]", "rx_p_i[1]"),
    "a_wrong_io_standard": (pins, ("zcu106", 4), "zcu106/zcu106.xdc", "LVCMOS33", "LVCMOS18"),
    "a_lane_on_the_wrong_transceiver": (pins, ("acorn", 4), "acorn/board.tcl", "X0Y6", "X0Y7"),
    "another_part": (pins, ("vcu118", 16), "vcu118/board.tcl", "flga2104-2L", "flga2104-2"),
    "a_lane_without_pins": (pins, ("kc705", 8), "build.tcl", "read_xdc $here/$board/${board}_x$lanes.xdc", ""),
    "sources_that_disagree": (pins, ("ac701", 4), "pins.csv", "ac701,refclk_p_i,F11", "ac701,refclk_p_i,F13"),
    "a_pin_without_source": (sources, (), "pins.csv", "0825da1936796bebcdc6c0eb200acc28dd1da300", ""),
    "a_property_that_is_not_there": (properties, ("ac701", 4), "ip_7s.tcl", "Maximum_Link_Width", "Max_Link_Width"),
    "a_value_that_is_not_there": (properties, ("zcu106", 4), "ip_usp.tcl", "8.0_GT/s", "8_GT/s"),
    "the_msix_table_elsewhere": (properties, ("zcu106", 4), "ip_usp.tcl", "00001000", "00002000"),
    "a_smaller_window": (properties, ("ac701", 4), "ip_7s.tcl", "Megabytes", "Kilobytes"),
    "a_clock_too_slow": (properties, ("kc705", 8), "kc705/board.tcl", "{128 250}", "{128 125}"),
    "a_block_that_straddles_alone": (properties, ("zcu106", 4), "ls_board_usp.sv", "Straddle(1'b1)", "Straddle(1'b0)"),
    "a_block_that_does_not_straddle": (properties, ("vcu118", 16), "ip_usp.tcl", "RQ_STRADDLE true", "RQ_STRADDLE false"),
    "a_reset_that_is_not_shown": (properties, ("vcu118", 16), "ip_usp.tcl", "RESET_CAPABLE true", "RESET_CAPABLE false"),
    "a_reset_that_never_ends": (properties, ("zcu106", 4), "ls_board_usp.sv", ".cfg_flr_done(flr_done)", ".cfg_flr_done('0)"),
    "a_drives_lane_swapped": (pins, ("kc705_nvme", 4), "kc705_nvme/kc705_nvme.xdc", "PACKAGE_PIN D6}", "PACKAGE_PIN B6}"),
    "a_drives_reset_elsewhere": (pins, ("kc705_nvme", 4), "kc705_nvme/kc705_nvme.xdc", "PACKAGE_PIN C25", "PACKAGE_PIN B25"),
    "a_root_port_that_is_none": (properties, ("kc705_nvme", 4), "ip_7s_root.tcl", "Root_Port_of_PCI_Express_Root_Complex", "PCI_Express_Endpoint_device"),
    "a_root_port_with_a_small_payload": (properties, ("kc705_nvme", 4), "ip_7s_root.tcl", '"512_bytes"', '"256_bytes"'),
    "a_port_of_the_host_forgotten": (elaborates, ("kc705_nvme", 4), "ls_board_nvme_7s.sv", ".cfg_mgmt_do(mgmt_do), .cfg_mgmt_rd_wr_done(mgmt_done), .cmd_valid_i", ".cfg_mgmt_do(mgmt_do), .cmd_valid_i"),
    "a_root_ports_tie_off_turned_round": (ties, ("ls_board_nvme_7s",), "ls_board_nvme_7s.sv", ".rx_np_ok(1'b1)", ".rx_np_ok(1'b0)"),
    "a_command_that_is_not_there": (build, ("ac701", 4), "build.tcl", "route_design", "rout_design"),
    "a_brace_too_few": (build, ("ac701", 4), "ip_7s.tcl", "  ]\n}", "  ]\n"),
    "a_port_too_narrow": (elaborates, ("zcu106", 4), "ls_board_usp.sv", "[11:0]         cfg_function_power", "[2:0] cfg_function_power"),
    "a_port_of_another_width": (elaborates, ("ac701", 4), "ip_7s.tcl", "${width}_bit", "64_bit"),
    "a_port_turned_round": (elaborates, ("ac701", 4), "ports.csv", "pcie_7x,tx_buf_av,output", "pcie_7x,tx_buf_av,input"),
    "a_port_forgotten": (elaborates, ("ac701", 4), "ls_board_7s.sv", ".rx_np_ok(1'b1),", ""),
    "a_port_that_is_not_there": (elaborates, ("zcu106", 4), "ls_board_usp.sv", ".cfg_dsn(", ".cfg_dns("),
    "a_port_of_the_engine_forgotten": (elaborates, ("ac701", 4), "ls_board_7s.sv", ".tx_buf_av, ", ""),
    "too_many_reads_in_flight": (room, ("ac701", 4), "ls_board_7s.sv", "Tags  = 7,", "Tags  = 8,"),
    "a_tie_off_turned_round": (ties, ("ls_board_7s",), "ls_board_7s.sv", ".rx_np_ok(1'b1)", ".rx_np_ok(1'b0)"),
    "a_tie_off_the_page_does_not_name": (ties, ("ls_board_usp",), "../docs/ls_shim_usp.md", "`cfg_fc_sel`, ", ""),
}


def planted(name):
    """What the check says of the fault; None if it does not find it. Without the fault it must be content."""
    check, args, path, old, new = PLANTED[name]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in ("boards", "docs"):
            shutil.copytree(ROOT / part, root / part)
        (root / "rtl").symlink_to(ROOT / "rtl")
        file = root / "boards" / path
        text = file.read_text()
        must(old in text, f"{path} has no {old}")
        check(root, *args)
        file.write_text(text.replace(old, new))
        try:
            check(root, *args)
        except Wrong as e:
            return str(e)
    return None
