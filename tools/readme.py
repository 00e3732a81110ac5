#!/usr/bin/env python3
"""Prints anew what README.md and docs/*.md show of the program: every block after `<!-- output of: lanescope ... -->`."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = re.compile(r"(<!-- output of: lanescope ([^\n]*) -->\n```\n).*?(```)", re.DOTALL)
PROGRAM = ["cargo", "run", "--quiet", "--profile", "quick", "-p", "lanescope-cli", "--bin", "lanescope", "--"]


def anew(match):
    command = PROGRAM + shlex.split(match[2])
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return match[1] + found.stdout + match[3]


def main():
    for page in PAGES:
        text = page.read_text()
        if SHOWN.search(text):
            page.write_text(SHOWN.sub(anew, text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
