#!/usr/bin/env python3
"""Prints doc comments drawn at random over the items of all crates: `words.py [--seed N] [--count N] [CRATES_DIR]`.

For reading: does each one read without stopping? The same seed gives the same ones. A doc comment is a run of lines with `///`
or `//!` in a file below `CRATE/src`; each item has one, so that every item is as likely as any other. Standard library only.
"""

import argparse
import random
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"\s*(//[/!])(?!/) ?(.*)")
ATTRIBUTE = re.compile(r"\s*(#!?\[|$)")


def main():
    asked = arguments()
    found = [comment for path in sorted(asked.crates.glob("*/src/**/*.rs")) for comment in comments(path)]
    if len(found) < asked.count:
        print(f"{asked.crates} has {len(found)} doc comments, and {asked.count} are asked for", file=sys.stderr)
        return 2
    for path, line, item, text in random.Random(asked.seed).sample(found, asked.count):
        print(f"{path.relative_to(asked.crates)}:{line}  {item}")
        print("\n".join(f"    {row}" for row in text) + "\n")
    print(f"{asked.count} of {len(found)} doc comments, seed {asked.seed}")
    return 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crates", type=Path, nargs="?", default=Path(__file__).parent.parent / "crates")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="1 where left out")
    parser.add_argument("--count", type=int, default=50, metavar="N", help="50 where left out")
    return parser.parse_args()


def comments(path):
    """The doc comments of a file: (path, first line, the item, lines of text)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        first = COMMENT.match(lines[at])
        if not first:
            at += 1
            continue
        mark, end = first[1], at
        text = []
        while end < len(lines) and (line := COMMENT.match(lines[end])) and line[1] == mark:
            text.append(line[2])
            end += 1
        yield path, at + 1, "the module" if mark == "//!" else item_after(lines, end), text
        at = end


def item_after(lines, at):
    """The first line of code from `at` on."""
    while at < len(lines) and ATTRIBUTE.match(lines[at]):
        at += 1
    return lines[at].strip().rstrip("{").strip() if at < len(lines) else ""


if __name__ == "__main__":
    sys.exit(main())
