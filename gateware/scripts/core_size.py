# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Measures what each layer of the core takes by itself, mapped and routed for ECP5, and writes it into the core's page. The clock is that
between registers. The ports of MAC and link are at pins; the transaction layer has more than a chip, and is routed between registers
(bench/ls_tl_pins.sv), which count neither as its LUTs nor as its FFs."""

import sys

import page
from bench import SEEDS, cells, place_and_route, route_figures, rtl, yosys
from page import ROOT, table

# name, top, what is routed
LAYERS = (("physical (MAC)", "ls_mac", "ls_mac"), ("data link", "ls_link", "ls_link"), ("transaction, and the converter", "ls_tl", "ls_tl_pins"))
HEAD = ["layer", "LUT4 (Yosys)", "LUT4 sites, with carries and memory (nextpnr)", "FF", "DP16KD", "MHz, seeds 1 to 3"]


def mapped(top, routed):
    """Its cells, and beside a netlist for the router."""
    extra = f"bench/{routed}.sv" if routed != top else ""
    yosys(f"read_slang --threads 1 --top {routed} {' '.join(rtl())} {extra}; synth_ecp5 -top {routed} -json build/route.json; "
          f"tee -o build/core_{routed}.stat stat", f"core_{routed}.log")
    return cells((ROOT / f"build/core_{routed}.stat").read_text())


def layer(name, top, harness):
    """The row of a layer."""
    own = all_ = mapped(top, harness)
    routed = route_figures([place_and_route(seed) for seed in SEEDS])
    if harness != top:
        own = mapped(top, top)
    beside = {"TRELLIS_COMB": all_["LUT4"] - own["LUT4"], "TRELLIS_FF": all_["TRELLIS_FF"] - own["TRELLIS_FF"]}
    return [f"{name}, `{top}`", own["LUT4"], routed["TRELLIS_COMB"] - beside["TRELLIS_COMB"], routed["TRELLIS_FF"] - beside["TRELLIS_FF"],
            routed.get("DP16KD", 0), " / ".join(f"{clock}" for clock in routed["seeds"])]


def main():
    (ROOT / "build").mkdir(exist_ok=True)
    page.write("../docs/core.md", table(HEAD, [layer(*one) for one in LAYERS]))


if __name__ == "__main__":
    sys.exit(main())
