# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is known of the mutants of one RTL, on disk: its file names the RTL by its hash, and holds the mutants that were
drawn. A run that goes on draws none anew, even if the way of drawing has changed, and takes no result of other RTL."""

import hashlib
import json

from mutants import ROOT, Mutant, drawn

OUT = ROOT / "build/mutate"


def of_rtl(root=ROOT):
    """Eight hex digits that say which RTL this is."""
    sum_ = hashlib.sha256()
    for path in sorted((root / "rtl").rglob("ls_*.sv")):
        sum_.update(path.name.encode() + b"\0" + path.read_bytes())
    return sum_.hexdigest()[:8]


class Kept:
    """Results, of each mutant the last; `add` writes one down at once."""

    def __init__(self, name, out=OUT, rtl=None):
        out.mkdir(parents=True, exist_ok=True)
        self.file = out / f"{name}_{rtl or of_rtl()}.jsonl"
        lines = [json.loads(l) for l in self.file.read_text().split("\n") if l] if self.file.exists() else []
        self.mutants = [Mutant(*r["drawn"]) for r in lines if "drawn" in r]
        self.results = {self.of(r): r for r in lines if "drawn" not in r}

    @staticmethod
    def of(r):
        return (r["name"], r["file"], r["new"]) if isinstance(r, dict) else (r.name, r.file, r.new)

    def draw(self, seed, count):
        """The first `count` of this seed: those that were drawn before, and new ones only beyond."""
        new = drawn(seed, count)[len(self.mutants):] if count > len(self.mutants) else []
        with self.file.open("a") as f:
            f.writelines(json.dumps({"drawn": list(m)}) + "\n" for m in new)
        self.mutants += new
        return self.mutants[:count]

    def add(self, r):
        self.results[self.of(r)] = r
        with self.file.open("a") as f:
            f.write(json.dumps(r) + "\n")
