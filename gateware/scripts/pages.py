# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Figures of the pages: sizes stand only where a program writes them, between `<!-- mark -->` and `<!-- end of mark -->`, or in
docs/performance.md, which is written as a whole; a clock or a share with decimals in the text is one that such a place has."""

import re
from pathlib import Path

from page import ROOT
from vivado import Wrong, must      # noqa: F401 (Wrong: for those who call the check)

WRITTEN = r"<!-- ([\w ]+) -->\n(.*?)<!-- end of \1 -->"
SIZE = r"\d[\d,.]* (?:LUTs?|FFs?|BRAM36|BRAM18|URAM288)\b"
FIGURE = r"\d+\.\d\d (?:MHz|%)|\d+\.\d\d(?= to \d+\.\d\d %)"


def pages(root):
    return [*sorted((root / "docs").glob("*.md")), root / "README.md"]


def whole(root=ROOT):
    texts = {p: p.read_text() for p in pages(root)}
    made = "".join(t for p, t in texts.items() if p.name == "performance.md")
    made += "".join(m[1] for t in texts.values() for m in re.findall(WRITTEN, t, re.S))
    for path, text in texts.items():
        if path.name == "performance.md":
            continue
        rest = re.sub(WRITTEN, lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
        for number, line in enumerate(rest.split("\n"), 1):
            for said in re.findall(SIZE, line):
                must(False, f"{path.relative_to(root)}:{number}: {said}: sizes are written by bench.py, between two marks")
            for said in re.findall(FIGURE, line):
                must(re.search(rf"(?<!\d){re.escape(said)}", made), f"{path.relative_to(root)}:{number}: {said}: no table has it")


# What must be found: the page, the text, its replacement.
PLANTED = (("a_size_in_the_text", "docs/ls_rp.md", "## Latency\n", "## Latency\nIt has 1958 LUT.\n"),
           ("a_clock_that_no_table_has", "README.md", "127.81 MHz", "127.18 MHz"),
           ("a_share_that_no_table_has", "docs/ls_rp.md", "## Latency\n", "## Latency\nIt has 98.53 % of the link.\n"))


def planted(name, folder):
    """What the check says of that fault in a copy below `folder`; None if nothing."""
    _, file, old, new = next(p for p in PLANTED if p[0] == name)
    for path in pages(ROOT):
        to = Path(folder) / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(path.read_text())
    text = (Path(folder) / file).read_text()
    must(old in text, f"{name}: {file} does not have: {old}")
    (Path(folder) / file).write_text(text.replace(old, new))
    try:
        whole(Path(folder))
    except Wrong as error:
        return str(error)
    return None
