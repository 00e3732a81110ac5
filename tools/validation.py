#!/usr/bin/env python3
"""Writes the tables of `lanescope validate --gateware` into docs/validation.md, between its two marks. Standard library only."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "validation.md"
MARKED = re.compile(r"(<!-- gateware -->\n).*?(<!-- end of gateware -->)", re.DOTALL)
PROGRAM = ["cargo", "run", "--quiet", "--profile", "quick", "-p", "lanescope-cli", "--bin", "lanescope", "--"]
BROKEN = 1


def main():
    command = PROGRAM + ["validate", "--gateware"]
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode not in (0, BROKEN):
        print("the tables of the gateware stay as they were")
        return found.returncode
    print(found.stdout)
    PAGE.write_text(MARKED.sub(lambda marks: marks[1] + found.stdout + marks[2], PAGE.read_text()))
    return found.returncode


if __name__ == "__main__":
    sys.exit(main())
