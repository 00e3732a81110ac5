# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What can be held of `boards/` without Vivado: pins against the sources in pins.csv, properties
against properties.csv and the shims' pages, the tops against the blocks' ports in ports.csv
(elaborated by Verilator with a stub of the block as it was set), tie-offs against the shims' pages,
and build.tcl run to its end with Vivado's commands recorded. A check raises Wrong, with what is wrong."""

import csv
import fnmatch
import functools
import re
import subprocess
import tempfile
from pathlib import Path

from vivado import Run, Wrong, links, must     # noqa: F401 (Wrong: for those who call the checks)

ROOT = Path(__file__).resolve().parent.parent
USERS = {512: dict(RqUser=137, RcUser=161, CqUser=183, CcUser=81)}      # PG213, of tuser by width
NARROW = dict(RqUser=62, RcUser=75, CqUser=88, CcUser=33)
PAGES = {"ls_board_7s": ("pcie_7x", "docs/ls_shim_7s.md"), "ls_board_nvme_7s": ("pcie_7x", "boards/kc705_nvme/README.md"),
         "ls_board_usp": ("pcie4_uscale_plus", "docs/ls_shim_usp.md")}


def rows(root, name):
    with open(root / "boards" / name, newline="") as f:
        return list(csv.DictReader(f))


def boards(root=ROOT):
    return sorted(p.parent.name for p in (root / "boards").glob("*/board.tcl"))


# ---- the checks --------------------------------------------------------------------------------
def sources(root):
    """Every fact names its source: a document, or a file of a public repository at a commit."""
    for name in ("pins.csv", "properties.csv", "blocks.csv", "room.csv"):
        for i, r in enumerate(rows(root, name), 2):
            file = re.fullmatch(r"[\w.-]+/[\w.-]+", r["repository"]) and r["path"] and re.fullmatch(r"[0-9a-f]{40}", r["commit"])
            must(file or not r["repository"] and r.get("document"), f"{name}:{i}: no source")
    known = {r["block"] for r in rows(root, "blocks.csv")}
    for i, r in enumerate(rows(root, "ports.csv"), 2):
        must(r["block"] in known, f"ports.csv:{i}: {r['block']} is not in blocks.csv")


def pins(root, board, lanes):
    """Every pin of the constraints is that of every source, and every port of the top has one."""
    run = Run(root, board, lanes)
    known, standards = {}, {}
    for r in rows(root, "pins.csv"):
        if r["board"] == board:
            known.setdefault(r["signal"], set()).add(r["pin"])
            standards.setdefault(r["signal"], set()).add(r["iostandard"])
    parts = {p.replace("-", "", 1) if p.startswith("xc7") else p for p in known.pop("part")}
    declared = {str(p) for p in run.tcl.splitlist(run.var("parts"))}
    must(declared == parts, f"parts {declared}, of the sources {parts}")
    gt = [str(x) for x in run.tcl.splitlist(run.var("gt"))]
    for signal in [s for s in known if s.startswith("gt[")]:
        must(known.pop(signal) == {gt[int(signal[3:-1])]}, f"{signal}: not as the sources have it: {gt}")
    for signal, of in known.items():
        must(len(of) == 1, f"the sources do not agree on {signal}: {of}")
    used = {}
    for args in run.of("set_property"):
        if args[0] != "-dict" or "PACKAGE_PIN" not in args[1]:
            continue
        what, signal = run.dict(args[1]), args[2]
        must(signal in known, f"{signal}: no source")
        must(signal not in used, f"{signal}: set twice")
        must(known[signal] == {what["PACKAGE_PIN"]}, f"{signal}: {what['PACKAGE_PIN']}, of the sources {known[signal]}")
        standard = what.get("IOSTANDARD", "")
        must(standard in standards[signal] and (standard or standards[signal] == {""}),
             f"{signal}: IOSTANDARD {standard}, of the sources {standards[signal]}")
        used[signal] = what["PACKAGE_PIN"]
    must(len(set(used.values())) == len(used), "a pin is used twice")
    want = {"refclk_p_i", "refclk_n_i", "led_o[0]", "led_o[1]"}
    want |= {"perst_no", "off_o", "reset_i", "shut_i", "led_o[2]"} if run.var("role") == "root" else {"perst_ni"}
    want |= {f"{s}[{i}]" for s in ("rx_p_i", "rx_n_i", "tx_p_o", "tx_n_o") for i in range(lanes)}
    want |= {"clkreq_no"} if run.var("top") == "ls_board_acorn" else set()
    must(set(used) == want, f"ports without a pin, or pins without a port: {set(used) ^ want}")


LINK = {"pcie_7x": ("Maximum_Link_Width", "Interface_Width", "User_Clk_Freq", "Link_Speed", 0.8),
        "pcie4_uscale_plus": ("PL_LINK_CAP_MAX_LINK_WIDTH", "axisten_if_width", "axisten_freq",
                              "PL_LINK_CAP_MAX_LINK_SPEED", 1.0)}    # bits of a symbol that are data


def link(run):
    """Lanes, bits and MHz that the block is set to, and what a lane brings in Mbit/s."""
    ip, names = run.ip(), LINK[run.var("ip")]
    lanes, width, mhz, speed = (ip["CONFIG." + n] for n in names[:4])
    return int(lanes[1:]), int(width[:-4]), float(mhz), 1000 * float(speed[:-5]) * names[4]


def properties(root, board, lanes):
    """Every property has a name and a value that the vendor's block has, and they are what the engine needs."""
    run = Run(root, board, lanes)
    known = {r["property"]: r["values"] for r in rows(root, "properties.csv") if r["block"] == run.var("ip")}
    ip = run.ip()
    for name, value in ip.items():
        must(name.startswith("CONFIG."), f"{name}: not CONFIG.*")
        must(name[7:] in known, f"{name}: no such property of {run.var('ip')}")
        must(re.fullmatch(known[name[7:]], value), f"{name}: {value} is not {known[name[7:]]}")
    of_lanes, width, mhz, rate = link(run)
    must(of_lanes == lanes, f"{of_lanes} lanes in place of {lanes}")
    must(width * mhz == lanes * rate, f"{width} bit at {mhz} MHz do not carry what {lanes} lanes do, or more")
    if run.var("role") == "root":
        return root_port(root, ip)
    family = run.var("family")
    page = (root / f"docs/ls_shim_{family}.md").read_text()
    said = re.search(r"table in BAR 0 at `0x(\w+)`, pending bits at `0x(\w+)`, (\d+) vectors; BAR 0 (\d+) KiB", page)
    bits = re.search(r"int unsigned WindowBits = (\d+)", (root / f"rtl/ls_top_{family}.sv").read_text())
    must(said and bits, "the page or the top does not say what the block must be set to")
    table, pending, vectors, kib = said.groups()
    flat = {n[7:].lower(): v for n, v in ip.items()}
    seven = family == "7s"
    names = (("msix_table_offset", "msix_pba_offset", "msix_table_size", "msix_table_bir", "msix_pba_bir", "msix_enabled") if seven else
             ("pf0_msix_cap_table_offset", "pf0_msix_cap_pba_offset", "pf0_msix_cap_table_size",
              "pf0_msix_cap_table_bir", "pf0_msix_cap_pba_bir", "pf0_msix_enabled"))
    is_ = [flat[n] for n in names]
    want = [int(table, 16), int(pending, 16), int(vectors) - (not seven)]     # PG213: the size less one
    must([int(x, 16) for x in is_[:3]] == want and is_[3:] == ["BAR_0", "BAR_0", "true"], f"MSI-X: {dict(zip(names, is_))}")
    for bar, size in ((0, int(kib) << 10), (2, 1 << int(bits[1]))):
        b = {k: flat[("bar" if seven else "pf0_bar") + f"{bar}_{k}"] for k in ("scale", "size", "64bit", "prefetchable")}
        must(int(b["size"]) << {"Kilobytes": 10, "Megabytes": 20}[b["scale"]] == size, f"BAR {bar}: {b}")
        must(b["64bit"] == b["prefetchable"] == "false", f"BAR {bar}: {b}")
    must(flat["extended_tag_field"] == "true", "no extended tags")
    if not seven:
        straddling(root, ip, width)
        function_level_reset(root, ip)


def root_port(root, ip):
    """What the NVMe host needs of a block of which the page of ls_rp_7s says how it is set."""
    value = lambda name: ip.get("CONFIG." + name)
    must(value("Device_Port_Type") == "Root_Port_of_PCI_Express_Root_Complex", f"a port of the type {value('Device_Port_Type')}")
    must(value("Class_Code_Base") + value("Class_Code_Sub") + value("Class_Code_Interface") == "060400", "not the class code of a PCI-to-PCI bridge")
    must(value("cfg_mgmt_if") == "true", "no Configuration Management interface: ls_rp_cfg writes through it")
    host = re.search(r"int unsigned MaxPayload\s+= (\d+)", (root / "rtl/ls_nvme_7s.sv").read_text())[1]
    must(int(value("Max_Payload_Size").split("_")[0]) >= int(host), f"MPS {value('Max_Payload_Size')}, the host sets {host}")
    must("CONFIG.Bar0_Enabled" not in ip and value("MSIx_Enabled") == value("MSI_Enabled") == "false", "BARs or interrupts of a root port that has no software")


def function_level_reset(root, ip):
    """The block shows the capability if both of its wires go to the engine, else a reset would never end."""
    text = (root / "boards/ls_board_usp.sv").read_text()
    wired = all(len(at := re.findall(rf"\.{port}\((\w+)\)", text)) == 2 and at[0] == at[1]
                for port in ("cfg_flr_in_process", "cfg_flr_done"))
    shown = ip.get("CONFIG.PF0_DEV_CAP_FUNCTION_LEVEL_RESET_CAPABLE")
    must(shown == ("true" if wired else "false"), f"function-level reset: capability {shown}, wired: {wired}")


def straddling(root, ip, width):
    """The block straddles where the shim does, as the shim's page has it."""
    does = int(re.search(r"\.Straddle\(1'b([01])\)", (root / "boards/ls_board_usp.sv").read_text())[1])
    table = (root / "docs/ls_shim_usp.md").read_text().split("| property |")[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        cells = [c.strip() for c in line.strip("|").split("|")]
        names = re.findall(r"`(AXISTEN\w+)`", cells[0])
        must(names, line)
        if ("512" in names[0]) != (width == 512) or width < 256:
            continue
        is_, want = [ip.get("CONFIG." + n) for n in names], cells[1 + does]
        must(None not in is_, f"{names}: not set")
        fits = ("true" in is_ if want.startswith("either true") else True if want.startswith("either")
                else set(is_) == {"true" if want.startswith("true") else "false"})
        must(fits, f"{names}: {is_}; the page: {want}")


def room(root, board, lanes):
    """The block never has to hold more completions than it can: an endpoint gives infinite credits for them.
    On 7 series they wait with requests in one stream, so all that are asked for must fit. On UltraScale+ nothing
    else is on RC, and it must carry what the link brings: 64-byte completions, the smallest that go on and on."""
    run = Run(root, board, lanes)
    lanes, width, mhz, rate = link(run)
    if run.var("role") == "root":       # one register read is out at a time
        return
    if run.var("family") == "usp":
        rc = 16 * -(-(12 + 64) // 16)           # descriptor and payload; a beginning at each 16 bytes
        carried, brought = width / 8 * mhz * 64 / rc, lanes * rate / 8 * 128 / 130 * 64 / (4 + 12 + 64 + 4)
        must(carried >= brought, f"RC carries {carried:.0f} MB/s of {brought:.0f}")
        return
    of, = [r for r in rows(root, "room.csv") if r["block"] == run.var("ip")]
    engine = (root / "rtl/ls_top_7s.sv").read_text()
    value = lambda text, name: int(re.search(rf"int unsigned {name}\s+= (\d+)", text)[1])
    board = (root / "boards/ls_board_7s.sv").read_text()
    tags, fetches = value(board, "Tags"), 2 * value(board, "Fetches")            # of two channels
    request, fetch = value(engine, "MaxRequest"), 16 * value(board, "Batch")
    asked = tags * request + fetches * fetch    # all are cut where a block of their size ends
    must(asked // 64 <= int(of["headers"]), f"{asked // 64} completions of 64 bytes, room for {of['headers']}")
    must(asked <= int(of["bytes"]), f"{asked} bytes, room for {of['bytes']}")


def build(root, board, lanes):
    """build.tcl runs to its end: every command is one of Vivado's, every file is there, in this order."""
    run = Run(root, board, lanes)
    names = [n for n, _ in run.calls]
    order = ["create_project", "create_ip", "generate_target", "synth_ip", "read_verilog", "synth_design",
             "opt_design", "place_design", "route_design", "report_timing_summary", "write_bitstream"]
    at = [names.index(n) for n in order]
    must(at == sorted(at), f"order: {names}")
    files = [str(f) for f in run.tcl.splitlist(run.of("read_verilog")[0][1])]
    must(all(Path(f).exists() for f in files), f"missing: {files}")
    must(files[0].endswith("ls_pkg.sv") and len(set(files)) == len(files), "ls_pkg.sv first, nothing twice")
    if run.var("gt"):
        reset = names.index("reset_property")
        pins_at = [i for i, (n, a) in enumerate(run.calls) if n == "set_property" and "PACKAGE_PIN" in a[1]]
        must(reset < min(pins_at), "pins of lanes before the block's own placement is taken away")
        placed = [a for a in run.of("set_property") if a[0] == "LOC"]
        must(len(placed) == lanes, f"{len(placed)} lanes placed")
        for lane, (_, site, cell) in enumerate(placed):
            must(f"pipe_lane?{lane}?." in cell, f"lane {lane}: {cell}")
    Run(root, board, script="program.tcl", args=f"{board}.bit {run.var('part')[:8]}")


def stub(block, module, root, lanes, width, driven=False):
    """The block with its ports and nothing in it; `driven` for a simulation that plays the block."""
    scope = dict(Lanes=lanes, Width=width, **USERS.get(width, NARROW))
    ports = [f"  {r['direction']} logic {('[%d:0] ' % (n - 1)) if n > 1 or not r['width'].isdigit() else ''}{r['port']}"
             for r in rows(root, "ports.csv") if r["block"] == block
             for n in [eval(r["width"].replace("/", "//"), {}, scope)]]
    must(ports, f"no ports of {block}")
    body = ""
    if driven:
        copies = [p.split()[-1] for p in ports if p.split()[0] == "output" and p.endswith("_tready") and "[3:0]" in p]
        body = "".join(f"  logic {p}_one /*verilator public_flat_rw*/;\n  assign {p} = {{4{{{p}_one}}}};\n" for p in copies)
        ports = [p if p.split()[-1] in copies else p + " /*verilator public_flat_rw*/" for p in ports]
    parameter = " #(parameter logic [1:0] REFCLK_HROW_CK_SEL = 2'b00)" if block.startswith("IBUFDS_GTE4") else ""
    return ("/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off UNDRIVEN */\n/* verilator lint_off UNUSEDPARAM */\n"
            f"module {module}{parameter} (\n" + ",\n".join(ports) + f"\n);\n{body}endmodule\n")


def elaborates(root, board, lanes):
    """Verilator -Wall reads what synthesis would: a port that is missing, too wide or turned round is an error."""
    run = Run(root, board, lanes)
    files = [str(f) for f in run.tcl.splitlist(run.of("read_verilog")[0][1])]
    design = list(run.of("synth_design")[0])
    generics = [f"-G{design[i + 1]}" for i, a in enumerate(design) if a == "-generic"]
    top = design[design.index("-top") + 1]
    of_lanes, width, _, _ = link(run)
    with tempfile.TemporaryDirectory() as folder:
        for block, module in ((run.var("ip"), run.var("module")), ("IBUFDS_GTE2", "IBUFDS_GTE2"), ("IBUFDS_GTE4", "IBUFDS_GTE4")):
            path = Path(folder) / f"{module}.sv"
            path.write_text(stub(block, module, root, of_lanes, width))
            files.append(str(path))
        p = subprocess.run(["verilator", "--quiet", "--lint-only", "-Wall", "-sv", "--top", top]
                           + (["-Wno-UNUSEDPARAM"] if run.var("role") == "root" else []) + generics + files,
                           capture_output=True, text=True)
    must(p.returncode == 0, p.stderr[:4000])


def simulated(block, primitive, lanes, width):
    """Files with the block and the clock's buffer as a bench has them: (where they are) for `sim.run`."""
    folder = ROOT / "build" / "stubs" / f"{block}_{lanes}_{width}"
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, module in ((block, f"{block}_0"), (primitive, primitive)):
        files.append(folder / f"{module}.sv")
        files[-1].write_text(stub(name, module, ROOT, lanes, width, driven=True))
    return files


CONSTANTS = {"'0": "0", "1'b0": "0", "1'b1": "1"}


def ties(root, top):
    """What the shim's page says of each port of the block is what the top does, and it says it of every input."""
    block, page = PAGES[top]
    ports = {r["port"]: r["direction"] for r in rows(root, "ports.csv") if r["block"] == block}
    text = (root / "boards" / f"{top}.sv").read_text()
    body = re.search(rf"{block}_0 u_block \((.*?)\n  \);", text, re.S)
    must(body, f"no instance of {block}")
    wired = dict(re.findall(r"\.(\w+)\(([^()]*)\)", body[1]))
    must(set(wired) == set(ports), f"ports that differ: {set(wired) ^ set(ports)}")
    said = {}
    table = (root / page).read_text().split("| port of the block |")[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        cells = [c.strip() for c in line.strip("|").split("|")]
        value = cells[1].strip("`")
        for pattern in re.findall(r"`([^`]+)`", cells[0]):
            pattern = re.sub(r"\[\d+\]$", "", pattern)
            direction = "output" if value == "open" else "input" if value in ("0", "1") or "'" in value else "*"
            hit = [p for p in ports if fnmatch.fnmatch(p, pattern) and direction in ("*", ports[p])]
            must(hit or value.endswith("where the block has it"), f"{page}: {pattern}: no such {direction} of {block}")
            for p in hit:
                must(said.get(p, value) == value, f"{page}: {p}: {said.get(p)} and {value}")
                said[p] = value
    for port, direction in ports.items():
        is_ = CONSTANTS.get(wired[port], wired[port])
        if direction == "input" and (is_ in "01" or "'" in is_):
            must(port in said, f"{page}: nothing of {port}, wired to {is_}")
        if port in said and (said[port] in ("0", "1") or "'" in said[port]):
            must(is_ == said[port], f"{port}: {is_} in {top}, {said[port]} in {page}")
        if said.get(port) == "open":
            must(is_ == "", f"{port}: {is_} in {top}, open in {page}")


def checks(root=ROOT):
    """(name, check to call)"""
    out = [("sources", functools.partial(sources, root))]
    out += [(f"ties.{top}", functools.partial(ties, root, top)) for top in PAGES]
    for board in boards(root):
        for lanes in links(root, board):
            out += [(f"{check.__name__}.{board}.x{lanes}", functools.partial(check, root, board, lanes))
                    for check in (pins, properties, room, build, elaborates)]
    return out
