#!/usr/bin/env python3
"""Whether the layers of the Linux driver are in order: `layers.py [FOLDER]`, which is `driver` of this repository else.

A folder is a layer. Its files include, call and name what is of their own layer or of a lower one; no files call each other in a
circle; and what others may call begins with the name of its file. Callbacks, which go up, are called by a pointer, and have no
name here. Prints each edge that is not so, and exits with 1 where there is one. Standard library only.
"""

import re
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# From the lowest; those of one row do not know each other.
ROWS = [["core"], ["engine"], ["ring", "peer"], ["user"], ["card"]]
RANK = {layer: rank for rank, row in enumerate(ROWS) for layer in row}
# What a comment, or a string, is: taken out, with its lines kept.
SILENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
FUNCTION = re.compile(r"^(?!static|typedef|extern|#|struct \w+ \{)[a-z_][\w \t*]*?\b(ls_\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
OBJECT = re.compile(r"^(?!static|typedef|extern|#)(?:const )?(?:struct )?\w+ \**(?:const )?(ls_\w+)(?:\[\w*\])* =", re.MULTILINE)
MADE = re.compile(r"^DEFINE_\w+\((ls_\w+)", re.MULTILINE)
INLINE = re.compile(r"^static inline [\w \t*]*?\b(ls_\w+)\(", re.MULTILINE)
DECLARED = re.compile(r"^(?!static|#|struct \w+;)[a-z_][\w \t*]*?\b(ls_\w+)(?:\(|\[\];|;)", re.MULTILINE)
MACRO = re.compile(r"^#define (LS_\w+|to_ls_\w+)", re.MULTILINE)
NAME = re.compile(r"\b(?:to_)?(?:ls|LS)_\w+")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "driver"
    faults, counts = look(folder)
    print("\n".join([*faults, f"layers: {counts}, {len(faults)} faults"]))
    return 1 if faults else 0


def look(folder):
    """The faults of a driver, and what was looked at, in words."""
    sources = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.glob("*/*.[ch]")) if path.parent.name in RANK}
    code = {name: SILENT.sub(lambda found: "\n" * found[0].count("\n"), text) for name, text in sources.items()}
    owners, faults = owned(code)
    faults += [f"{path.name}: in no layer" for path in sorted(folder.glob("*.[ch]"))]
    faults += [f"{layer}: has no ls_{layer}.h" for layer in RANK if f"{layer}/ls_{layer}.h" not in sources]
    declared = {found[1]: name for name, text in code.items() if name.endswith(".h") for found in DECLARED.finditer(text)}
    faults += [f"{name}: {one} is in no file of its layer" for one, name in declared.items() if layer_of(owners.get(one, "")) != layer_of(name)]
    for name, text in sources.items():
        for found in INCLUDE.finditer(text):
            if layer_of(found[1]) in RANK and not may(name, found[1]):
                faults.append(f"{place(name, text, found)}: includes {found[1]}")
    calls, edges = defaultdict(set), 0
    for name, text in code.items():
        for found in NAME.finditer(text):
            owner = owners.get(found[0])
            if owner is None or owner == name:
                continue
            edges += 1
            if not may(name, owner):
                faults.append(f"{place(name, text, found)}: {found[0]} is of {owner}")
            if name.endswith(".c") and owner.endswith(".c"):
                calls[name].add(owner)
    try:
        TopologicalSorter(calls).prepare()
    except CycleError as error:
        faults.append("a circle: " + " calls ".join(reversed(error.args[1])))
    return faults, f"{len(sources)} files, {len(owners)} names, {edges} uses of those of another file"


def owned(code):
    """Which file has each name that others may use; and names that are not their file's."""
    owners, faults = {}, []
    for name, text in code.items():
        stem = Path(name).stem
        if name.endswith(".h"):
            owners |= {found[1]: name for pattern in (INLINE, MACRO) for found in pattern.finditer(text)}
            continue
        for found in (match for pattern in (FUNCTION, OBJECT, MADE) for match in pattern.finditer(text)):
            owners[found[1]] = name
            if found[1] != stem and not found[1].startswith(stem + "_"):
                faults.append(f"{place(name, text, found)}: {found[1]} does not begin with the name of its file")
    return owners, faults


def may(name, other):
    """Whether a file may know another."""
    return layer_of(name) == layer_of(other) or RANK[layer_of(name)] > RANK[layer_of(other)]


def layer_of(name):
    return name.split("/")[0]


def place(name, text, found):
    return f"{name}:{text.count(chr(10), 0, found.start()) + 1}"


if __name__ == "__main__":
    sys.exit(main())
