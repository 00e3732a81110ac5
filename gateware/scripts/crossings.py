# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Whether constraints/crossings.tcl has every clock crossing of the RTL: in each module with registers on two clocks, what a
register of one takes from registers of the other, through wires too, is a crossing; ASYNC_REG stands where one arrives and nowhere
else; a module with two clocks and no such registers hands both on. And what the Tcl does, run with the vendor's commands recorded."""

import re
import shutil
import tempfile
from pathlib import Path

from vivado import Wrong, must      # noqa: F401 (Wrong: for those who call the checks)

ROOT = Path(__file__).resolve().parent.parent
NAME = r"[A-Za-z_]\w*"


def code(path):
    return re.sub(r"//[^\n]*|/\*.*?\*/|\(\*(?!\)).*?\*\)", "", path.read_text(), flags=re.S)


def table(root):
    """Rows of the Tcl's table."""
    text = (root / "constraints/crossings.tcl").read_text()
    words = re.search(r"set ls_crossings \{(.*?)\n\}", text, re.S)[1].split()
    return [tuple(words[i:i + 6]) for i in range(0, len(words), 6)]


def blocks(text):
    """(clock, statement or block of each always_ff)"""
    for at in re.finditer(rf"always_ff @\(posedge ({NAME})\)", text):
        rest, depth, end = text[at.end():], 0, 0
        for word in re.finditer(r"\b(begin|case|end|endcase)\b|;", rest):
            depth += {"begin": 1, "case": 1, "end": -1, "endcase": -1}.get(word[0], 0)
            end = word.end()
            if depth == 0:
                if word[0] == "end" or word[0] == ";" and not re.match(r"\s*(end\s+)?else\b", rest[end:]):
                    break
        yield at[1], rest[:end]


def registers(text):
    """{register: (its clocks, names that it takes something from)}"""
    out = {}
    for clock, block in blocks(text):
        read = set(re.findall(NAME, re.sub(r"'[bdh][\w?]+", "", block)))
        for name in re.findall(rf"({NAME})(?:\[[^\n]*?\])* *<=(?! *{NAME}\))", block):
            clocks, names = out.setdefault(name, (set(), set()))
            clocks.add(clock)
            of = re.findall(rf"\b{name}(?:\[[^\n]*?\])* *<= *([^;]*);", block)
            conditions = re.findall(r"\bif *\((.*?)\)(?=\s*(?:begin|\w))", block, re.S)
            names |= {n for part in of + conditions for n in re.findall(NAME, part)} & read
    return out


def wires(text):
    """{wire: names that it is made of}"""
    out = {}
    for left, right in re.findall(r"\bassign +(\{[^}]*\}|[\w\[\]:.-]+) *=([^;]*);", text):
        for name in re.findall(NAME, left):
            out.setdefault(name, set()).update(re.findall(NAME, right))
    return out


def crossings(text):
    """{(register that launches, register that captures)} of a module's text."""
    regs, made = registers(text), wires(text)

    def sources(names):
        seen, todo = set(), set(names)
        while todo:
            name = todo.pop()
            seen.add(name)
            if name not in regs:
                todo |= made.get(name, set()) - seen
        return {n for n in seen if n in regs}
    return {(a, b) for b, (clocks, names) in regs.items() for a in sources(names) if not regs[a][0] & clocks}


def module(root, path):
    """Every crossing of one file is in the table, and no more are."""
    text, name = code(path), path.stem
    levels = [r for r in table(root) if r[0] == name and r[5] == "level"]
    rows = [r for r in table(root) if r[0] == name and r[5] != "level"]
    found = crossings(text)
    listed = {(r[1], r[3].split(".")[-1]) for r in rows}
    held = {r[1] for r in rows if r[5] == "held"}
    regs = registers(text)
    for a, b in found:
        must((a, b) in listed or a in held, f"{name}: {a} is taken by {b} of another clock, and crossings.tcl does not have it")
    for a, b in listed:
        must(a in regs and (b == "*" or (a, b) in found), f"crossings.tcl: {name} has no crossing from {a} to {b}")
    for _, a, source, b, dest, _ in rows:
        must(re.search(rf"\b{source}\b", text) and re.search(rf"\b{dest}\b", text), f"crossings.tcl: {name} has no port {source} or {dest}")
        must(regs[a][0] == {source}, f"{name}: {a} is of {regs[a][0]}, not of {source}")
        must(b == "*" or regs[b.split('.')[-1]][0] == {dest}, f"{name}: {b} is not of {dest}")
    for _, port, _, b, dest, _ in levels:
        must(re.search(rf"\binput +logic +{port}\b", text) and b in regs and regs[b] == ({dest}, {port}), f"{name}: {b} of {dest} takes {port} and nothing else")
    marked = set()
    for line in re.findall(r"ASYNC_REG[^;]*;", path.read_text()):
        marked |= set(re.findall(rf"\b({NAME}_q)\b", line))
    arrives = {b.split(".")[-1] for _, _, _, b, _, kind in rows + levels if kind != "held"}
    must(arrives <= marked, f"{name}: no ASYNC_REG at {arrives - marked}")
    return len(found) + len(levels)


def whole(root=ROOT):
    """All files; that the table names no module that is not there."""
    files = sorted([*(root / "rtl").rglob("ls_*.sv"), *(root / "boards").glob("*.sv"), *(root / "examples").glob("*/*.sv")])
    count = {p.stem: module(root, p) for p in files}
    for name in {r[0] for r in table(root)}:
        must(count.get(name, 0) > 0, f"crossings.tcl: {name} has no crossing")
    for p in files:         # on a board it is for buttons, which no clock times
        must(p.parent.name == "boards" or "ASYNC_REG" not in p.read_text() or p.stem in {r[0] for r in table(root)}, f"{p.name}: ASYNC_REG, and not in crossings.tcl")
    page = (root / "docs/clocks.md").read_text()
    for name in {r[0] for r in table(root)}:
        must(f"`{name}`" in page, f"docs/clocks.md says nothing of {name}")


FAKE = """
set calls {}
proc get_clocks args {return [list [lindex $args end]]}
proc get_pins pin {return $pin}
proc get_property {what of} {return [expr {[string match */user_clk_i $of] || [string match */rd_clk_i $of] ? 4.0 : 8.0}]}
proc get_cells args {
  set filter [lindex $args end]
  if {[regexp {ORIG_REF_NAME == (\\S+)} $filter -> module]} {return [list top/u_$module "top/gen\\[0\\].u_$module"]}
  if {[regexp {PARENT == (\\S+) && NAME =~ \\*(\\S+)} $filter -> parent name]} {
    set name $parent$name
    return [expr {[string match $::missing $name] ? {} : [list $name]}]}
  error "get_cells $args"
}
foreach command {set_max_delay set_bus_skew set_false_path} {proc $command args "lappend ::calls \\[linsert \\$args 0 $command\\]"}
proc puts args {}
"""


def tcl(root=ROOT, missing="nothing"):
    """What the Tcl sets, as lists of words, for two instances of each module: clocks of 8 ns, those that read and the user's of 4 ns."""
    import tkinter
    interpreter = tkinter.Tcl()
    interpreter.eval(FAKE + f"set missing {{{missing}}}")
    try:
        interpreter.eval((root / "constraints/crossings.tcl").read_text())
    except tkinter.TclError as error:
        raise Wrong(str(error)) from None
    return [interpreter.tk.splitlist(call) for call in interpreter.tk.splitlist(interpreter.eval("set calls"))]


def runs(root=ROOT):
    calls = tcl(root)
    rows = table(root)
    must(len(calls) == 2 * (len(rows) + sum(r[5] == "gray" for r in rows)), f"{len(calls)} constraints")
    must(all("-datapath_only" in c for c in calls if c[0] == "set_max_delay"), "a delay with the clocks' skew in it")
    must({float(c[-1]) for c in calls if c[0] != "set_false_path"} <= {4.0, 8.0}, "a delay that is no period")
    must(sum(c[0] == "set_false_path" for c in calls) == 2 * sum(r[5] == "level" for r in rows), "a crossing without a bound")
    for call in calls:
        if call[0] == "set_bus_skew":
            must(float(call[-1]) == 4.0, f"the skew is not that of the quicker clock: {call}")
    try:
        tcl(root, missing="*wr_sync_q*")
    except Wrong as error:
        must("was the hierarchy flattened" in str(error), str(error))
    else:
        raise Wrong("registers that are not found are passed over")


# What must be found in a copy: the file, the text, its replacement.
PLANTED = (
    ("a_crossing_without_a_row", "constraints/crossings.tcl", "  ls_pulse_cross  seen_q     to_clk_i    back_q        from_clk_i  bit\n", ""),
    ("a_row_with_the_clocks_turned_round", "constraints/crossings.tcl", "wr_gray_q  wr_clk_i    wr_sync_q     rd_clk_i ", "wr_gray_q  rd_clk_i    wr_sync_q     wr_clk_i "),
    ("a_register_that_takes_another_clocks", "rtl/ls_reg_cross.sv", "ask_sync_q <= {ask_sync_q[0], ask_q};", "ask_sync_q <= {ask_sync_q[0], ask_q ^ pend_q};"),
    ("a_new_module_with_two_clocks", "rtl/ls_cross.sv", "    assign rd_data_o  = wr_data_i;",
     "    logic a_q, b_q;\n    always_ff @(posedge wr_clk_i) a_q <= wr_valid_i;\n    always_ff @(posedge rd_clk_i) b_q <= a_q;\n    assign rd_data_o  = wr_data_i;"),
    ("a_level_that_a_register_makes", "rtl/ls_level_sync.sv", "sync_q <= level_i;", "sync_q <= level_i ^ seen_q;"),
    ("a_synchronizer_without_a_row", "rtl/phy/ls_mac.sv", "  logic idle_seen;", "  (* ASYNC_REG = \"TRUE\" *) logic idle_seen;"),
    ("a_row_of_a_register_that_is_gone", "rtl/ls_pulse_cross.sv", "turn_q", "toggle_q"),
)


def planted(name):
    """What the checks say with that fault in a copy; None if nothing."""
    _, file, old, new = next(p for p in PLANTED if p[0] == name)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("rtl", "boards", "examples", "constraints", "docs"):
            shutil.copytree(ROOT / part, Path(folder) / part)
        text = (Path(folder) / file).read_text()
        must(old in text, f"{name}: {file} does not have: {old}")
        (Path(folder) / file).write_text(text.replace(old, new))
        try:
            whole(Path(folder))
        except Wrong as error:
            return str(error)
    return None
