#!/usr/bin/env python3
"""Prints anew what README.md shows of the program: every block behind `<!-- output of: lanescope ... -->`."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
SHOWN = re.compile(r"(<!-- output of: lanescope ([^\n]*) -->\n```\n).*?(```)", re.DOTALL)
PROGRAM = ["cargo", "run", "--quiet", "--profile", "quick", "-p", "lanescope-cli", "--bin", "lanescope", "--"]


def anew(match):
    command = PROGRAM + shlex.split(match[2])
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return match[1] + found.stdout + match[3]


def main():
    README.write_text(SHOWN.sub(anew, README.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
