# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Ports of the tops that vendors' tools take for interfaces by their names: every stream of the user's is an AXI4-Stream, card
memory an AXI4 master with all of its signals, and each has its clock. The heads of the modules are elaborated by Verilator, so
that widths and directions are those of the ports. `ports.py [ROOT]` prints what is wrong."""

import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from vivado import Wrong, must      # noqa: F401 (Wrong: for those who call the checks)

ROOT = Path(__file__).resolve().parent.parent
FRAMES = ("tdata", "tkeep", "tlast", "tvalid", "tready")
ENGINE = {"s_axis_c2h": ("C2h", FRAMES), "m_axis_h2c": ("H2c", (*FRAMES, "tuser")), "s_axis_p2p": ("", FRAMES), "m_axis_win": ("", (*FRAMES, "tuser"))}
PACKAGES = ("ls_pkg", "ls_nvme_pkg", "ls_rp_pkg")
HOST = {"s_axis_wr": ("", ("tdata", "tvalid", "tready")), "m_axis_rd": ("", (*FRAMES, "tuser"))}
WIDE = dict(Width=128, H2c=2, C2h=3, AxiIdBits=4)
# top: its parameters, the user's streams with the parameter that says how many of them there are, and whether it has card memory.
TOPS = [("ls_top_7s", {}, ENGINE, True), ("ls_top_7s", WIDE, ENGINE, True), ("ls_top_usp", {}, ENGINE, True), ("ls_top_usp", WIDE, ENGINE, True),
        ("ls_nvme_7s", {}, HOST, False), ("ls_nvme_usp", {}, HOST, False)]
ADDRESS = dict(id="AxiIdBits", addr=32, len=8, size=3, burst=2, lock=1, cache=4, prot=3, qos=4, valid=1, ready=1)
DATA = dict(data="Width", last=1, valid=1, ready=1)
ANSWER = dict(id="AxiIdBits", resp=2)
MASTER = dict(aw=("H2c", ADDRESS), w=("H2c", dict(DATA, strb="Bytes")), b=("H2c", dict(ANSWER, valid=1, ready=1)), ar=("C2h", ADDRESS),
              r=("C2h", dict(DATA, **ANSWER)))


def head(root, top):
    text = (root / "rtl" / f"{top}.sv").read_text()
    return text[:text.index("\n);\n")] + "\n);\n"


def ports(root, top, params):
    """{port: (direction, bits)}; bits of a struct: None."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / f"{top}.sv", Path(folder) / "tree.json"
        file.write_text(head(root, top) + "endmodule\n")
        p = subprocess.run(["verilator", "--quiet", "--json-only", "--json-only-output", str(out), "--json-only-meta-output", "/dev/null", "-Wno-lint",
                            "-Wno-style", "-sv", "--top", top, *(f"-G{k}={v}" for k, v in params.items()),
                            *(str(root / "rtl" / f"{x}.sv") for x in PACKAGES), str(file)], capture_output=True, text=True)
        must(p.returncode == 0, f"{top}: {p.stderr[:2000]}")
        tree = json.loads(out.read_text())
    nodes = list(walk(tree))
    types = {n["addr"]: n for n in nodes if n["type"] == "BASICDTYPE"}

    def bits(var):
        kind = types.get(var["dtypep"])
        if kind is None:
            return None
        high, low = map(int, kind.get("range", "0:0").split(":"))
        return high - low + 1
    return {n["name"]: (n["direction"], bits(n)) for n in nodes if n["type"] == "VAR" and n["varType"] == "PORT"}


def walk(node):
    yield node
    for value in node.values():
        for child in value if isinstance(value, list) else ():
            if isinstance(child, dict):
                yield from walk(child)


def checks(root=ROOT):
    """(name, check to call)"""
    return [(name + (".wide" if params else ""), functools.partial(top, root, name, params, *rest)) for name, params, *rest in TOPS]


def top(root, name, params, streams, memory):
    """How many ports were held."""
    found = ports(root, name, params)
    scope = dict({"Width": 64, "H2c": 1, "C2h": 1, "AxiIdBits": 1, "": 1}, **({"Width": 128} if name == "ls_nvme_usp" else {}), **params)
    scope["Bytes"] = scope["Width"] // 8
    held = {}

    def port(called, direction, bits):
        must(called in found, f"{name}: no {called}")
        must(found[called] == (direction, bits), f"{name} {params}: {called} is {found[called]}, not {(direction, bits)}")
        held[called] = True
    for stream, (many, parts) in streams.items():
        for part in parts:
            out = stream.startswith("m_") != (part == "tready")
            port(f"{stream}_{part}", "OUTPUT" if out else "INPUT", scope[many] * {"tdata": scope["Width"], "tkeep": scope["Bytes"]}.get(part, 1))
    for channel, (many, signals) in MASTER.items() if memory else ():
        for signal, bits in signals.items():
            out = (channel in ("b", "r")) == (signal == "ready")
            port(f"m_axi_{channel}{signal}", "OUTPUT" if out else "INPUT", scope[many] * scope.get(bits, bits))
    # What else there is: no interface in part, none by other names, and each with its clock.
    for p in found:
        must(not p.startswith("m_axi_") or p in held, f"{name}: {p}: not a signal of AXI4 that is known")
        stem = p[:-7] if p.endswith(("_data_i", "_data_o")) else ""
        must(not all(f"{stem}_{x}_i" in found or f"{stem}_{x}_o" in found for x in ("valid", "ready")),
             f"{name}: {p}: a stream that is not named as AXI4-Stream")
    all_ = {p.rpartition("_")[0] for p in found if p.startswith(("s_axis_", "m_axis_"))}
    for stream in all_:
        must({f"{stream}_{x}" for x in ("tdata", "tvalid", "tready")} <= set(found), f"{name}: {stream}: not a whole stream")
    all_ |= {"m_axi"} if memory else set()
    clocks = re.findall(r'"ASSOCIATED_BUSIF ([\w:]+), ASSOCIATED_RESET ([\w:]+)" \*\)\n  input  logic +(\w+)', head(root, name))
    said = [x for busifs, _, _ in clocks for x in busifs.split(":")]
    must(sorted(said) == sorted(all_), f"{name}: interfaces with a clock: {sorted(said)}, of {sorted(all_)}")
    must(all(r in found for _, resets, _ in clocks for r in resets.split(":")), f"{name}: resets of the clocks: {clocks}")
    return len(held)


# What must be found: the file, the text, its replacement.
PLANTED = (("a_stream_without_ready", "ls_top_7s.sv", "  output logic [C2h-1:0]           s_axis_c2h_tready,\n", ""),
           ("a_stream_without_valid", "ls_nvme_usp.sv", "  input  logic             s_axis_wr_tvalid,\n", ""),
           ("a_stream_without_data", "ls_top_usp.sv", "  input  logic [Width-1:0]   s_axis_p2p_tdata,\n", ""),
           ("a_stream_by_another_name", "ls_nvme_7s.sv", "  input  logic             shut_ask_i,\n",
            "  input  logic x_valid_i,\n  output logic x_ready_o,\n  input  logic [7:0] x_data_i,\n  input  logic             shut_ask_i,\n"),
           ("a_stream_of_one_channel", "ls_top_usp.sv", "[H2c*Width-1:0]     m_axis_h2c_tdata", "[Width-1:0]     m_axis_h2c_tdata"),
           ("a_stream_turned_round", "ls_nvme_7s.sv", "output logic             m_axis_rd_tuser", "input  logic             m_axis_rd_tuser"),
           ("a_stream_without_clock", "ls_top_7s.sv", ":m_axis_win,", ","),
           ("a_master_without_cache", "ls_top_7s.sv", "  output logic [H2c*4-1:0] m_axi_awcache,\n", ""),
           ("a_master_without_id", "ls_top_usp.sv", "  input  logic [C2h*AxiIdBits-1:0] m_axi_rid,\n", ""),
           ("a_master_with_a_narrow_id", "ls_top_usp.sv", "[H2c*AxiIdBits-1:0] m_axi_bid", "[H2c-1:0] m_axi_bid"),
           ("a_master_with_more", "ls_top_7s.sv", "  output logic [H2c-1:0] m_axi_awlock,\n",
            "  output logic [H2c-1:0] m_axi_awlock,\n  output logic [H2c-1:0] m_axi_awuser,\n"))


def planted(name, folder):
    """What the check says of that fault in a copy below `folder`; None if nothing."""
    _, file, old, new = next(p for p in PLANTED if p[0] == name)
    root = Path(folder)
    (root / "rtl").mkdir()
    for path in [*(ROOT / "rtl").glob("*_pkg.sv"), *(ROOT / "rtl" / f"{t[0]}.sv" for t in TOPS)]:
        (root / "rtl" / path.name).write_text(path.read_text())
    text = (root / "rtl" / file).read_text()
    must(text.count(old) == 1, f"{name}: {file} has {text.count(old)} times: {old}")
    (root / "rtl" / file).write_text(text.replace(old, new))
    wrong = complaints(root)
    return wrong[0] if wrong else None


def complaints(root=ROOT):
    """What is wrong, a line for each top."""
    out = []
    for name, check in checks(root):
        try:
            check()
        except Wrong as error:
            out.append(str(error))
    return out


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]) if sys.argv[1:] else ROOT)
    print("\n".join(wrong) or "ports: ok")
    sys.exit(bool(wrong))
