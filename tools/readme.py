#!/usr/bin/env python3
"""Prints anew what README.md and docs/*.md show of programs and files: every block after `<!-- output of: lanescope ... -->`
or `<!-- output of: PACKAGE ... -->`, where PACKAGE is one of examples/ and runs in its folder, every block after
`<!-- file: PATH -->`, and the pictures of every paragraph after `<!-- pictures of: lanescope ... -->`, into docs/pictures.

A command of pictures has no `--svg`: the program gets it, with a folder (`inspect`: a file). `mine.yaml` is the first block of
YAML of the page."""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = re.compile(r"(<!-- output of: (\S+) ([^\n]*) -->\n```\n).*?(```)", re.DOTALL)
FILE = re.compile(r"(<!-- file: (\S+) -->\n```\w*\n).*?(\n```\n)", re.DOTALL)
PICTURES = re.compile(r"<!-- pictures of: lanescope ([^\n]*) -->\n(.*?)(?:\n\n|\Z)", re.DOTALL)
PICTURE = re.compile(r"pictures/([\w.-]+\.svg)")
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
FOLDER = ROOT / "docs" / "pictures"
RUN = ["cargo", "run", "--quiet", "--profile", "quick"]


def anew(match):
    program, words = match[2], shlex.split(match[3])
    package, folder = ("lanescope-cli", ROOT) if program == "lanescope" else (program, ROOT / "examples" / program)
    command = [*RUN, "-p", package, "--bin", program, "--", *words]
    found = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return match[1] + found.stdout + match[4]


def listing(match):
    return match[1] + (ROOT / match[2]).read_text().rstrip() + match[3]


def drawn(command, names, page):
    """The pictures of these names that a command draws, by name."""
    words = shlex.split(command)
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        if mine := YAML.search(page):
            (place / "mine.yaml").write_text(mine[1])
        words = [str(ROOT / word) if (ROOT / word).is_file() else word for word in words]
        to = place / (names[0] if words[0] == "inspect" else "pictures")
        program = [*RUN, "--manifest-path", str(ROOT / "Cargo.toml"), "-p", "lanescope-cli", "--bin", "lanescope", "--"]
        found = subprocess.run([*program, *words, "--svg", str(to)], cwd=place, stdout=subprocess.DEVNULL, check=False)
        if found.returncode not in (0, 1):
            sys.exit(f"lanescope {command}: exit code {found.returncode}")
        files = {file.name: file.read_text() for file in ([to] if to.is_file() else sorted(to.glob("*.svg")))}
    if missing := [name for name in names if name not in files]:
        sys.exit(f"lanescope {command} draws no {', '.join(missing)}, but {', '.join(files)}")
    return {name: files[name] for name in names}


def draw():
    """Every picture of the pages; what no page shows is removed."""
    all_of = {}
    for page in PAGES:
        text = page.read_text()
        for command, paragraph in PICTURES.findall(text):
            for name, picture in drawn(command, PICTURE.findall(paragraph), text).items():
                if all_of.setdefault(name, picture) != picture:
                    sys.exit(f"{page.name}: {name} is another picture elsewhere")
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.svg"):
        if file.name not in all_of:
            file.unlink()
    for name, picture in all_of.items():
        (FOLDER / name).write_text(picture)


def main():
    draw()
    for page in PAGES:
        text = page.read_text()
        new = FILE.sub(listing, SHOWN.sub(anew, text))
        if new != text:
            page.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
