# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Measures what each layer of the core takes by itself, mapped and routed for ECP5 with its ports at pins, and writes it into the
core's page. The clock is that between registers."""

import sys

import page
from bench import SEEDS, cells, place_and_route, route_figures, rtl, yosys
from page import ROOT, table

LAYERS = (("physical (MAC)", "ls_mac"), ("data link", "ls_link"))
HEAD = ["layer", "LUT4 (Yosys)", "LUT4 sites, with carries and memory (nextpnr)", "FF", "DP16KD", "MHz, seeds 1 to 3"]


def layer(name, top):
    """The row of a layer."""
    yosys(f"read_slang --threads 1 --top {top} {' '.join(rtl())}; synth_ecp5 -top {top} -json build/route.json; "
          f"tee -o build/core_{top}.stat stat", f"core_{top}.log")
    mapped = cells((ROOT / f"build/core_{top}.stat").read_text())
    routed = route_figures([place_and_route(seed) for seed in SEEDS])
    return [f"{name}, `{top}`", mapped["LUT4"], routed["TRELLIS_COMB"], routed["TRELLIS_FF"], routed.get("DP16KD", 0),
            " / ".join(f"{clock}" for clock in routed["seeds"])]


def main():
    (ROOT / "build").mkdir(exist_ok=True)
    page.write("../docs/core.md", table(HEAD, [layer(*one) for one in LAYERS]))


if __name__ == "__main__":
    sys.exit(main())
