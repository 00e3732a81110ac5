# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Tables as they stand in a page of docs/, and the place between two marks where a program writes them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(str(c) for c in r) + " |" for r in rows]) + "\n"


def write(page, text, mark="figures"):
    """Puts `text` between `<!-- mark -->` and `<!-- end of mark -->` of `page`, a path below gateware/."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    head, rest = (ROOT / page).read_text().split(begin)
    (ROOT / page).write_text(head + begin + text + end + rest.split(end)[1])
