#!/usr/bin/env python3
"""Prints anew what README.md and docs/*.md show of programs and files: every block after `<!-- output of: lanescope ... -->`
or `<!-- output of: PACKAGE ... -->`, where PACKAGE is one of examples/ and runs in its folder, and every block after
`<!-- file: PATH -->`."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = re.compile(r"(<!-- output of: (\S+) ([^\n]*) -->\n```\n).*?(```)", re.DOTALL)
FILE = re.compile(r"(<!-- file: (\S+) -->\n```\w*\n).*?(\n```\n)", re.DOTALL)
RUN = ["cargo", "run", "--quiet", "--profile", "quick"]


def anew(match):
    program, words = match[2], shlex.split(match[3])
    package, folder = ("lanescope-cli", ROOT) if program == "lanescope" else (program, ROOT / "examples" / program)
    command = [*RUN, "-p", package, "--bin", program, "--", *words]
    found = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return match[1] + found.stdout + match[4]


def listing(match):
    return match[1] + (ROOT / match[2]).read_text().rstrip() + match[3]


def main():
    for page in PAGES:
        text = page.read_text()
        new = FILE.sub(listing, SHOWN.sub(anew, text))
        if new != text:
            page.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
