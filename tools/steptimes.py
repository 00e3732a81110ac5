"""How long steps take: what is said before a step, while it is silent, and after it. Standard library only."""

import json
import os
import signal
import threading
import time
from pathlib import Path

# A step that prints nothing for so long says that it is still there.
SILENCE_S = 30
# What prints nothing for so long hangs: its processes that wait for no others are ended, so that the rest goes on and CI ends.
HANGS_S = 15 * 60


def words(seconds):
    """As in `3 min 05 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


class Clock:
    """Times of steps, now and the last time, which a file under the target folder keeps."""

    def __init__(self, name, total, root):
        target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
        self.path = target / f"step-times-{name}.json"
        self.total = total
        self.begun = time.monotonic()
        self.number = 0
        self.last = self.read()
        self.now = {}

    def read(self):
        """Nothing where there was no last time, or what is there cannot be read."""
        try:
            found = json.loads(self.path.read_text())
            return {name: float(seconds) for name, seconds in found.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def head(self, name):
        """`step 2 of 7, 40 s so far, this one took 1 min 05 s the last time`."""
        self.number += 1
        text = f"step {self.number} of {self.total}"
        if self.number > 1:
            text += f", {words(self.elapsed())} so far"
        if name in self.last:
            text += f", this one took {words(self.last[name])} the last time"
        return text

    def elapsed(self):
        return time.monotonic() - self.begun

    def took(self, name, seconds):
        """Keeps what a step took."""
        self.now[name] = round(seconds, 1)

    def keep(self):
        """For the next time; a folder that cannot be written is no reason to fail."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps({**self.last, **self.now}, indent=1) + "\n")
        except OSError:
            pass


def leaves(of):
    """The processes below that one that have none below themselves: the test, where cargo runs one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:    # the name of a program may hold anything, a bracket too
            state, parent = stat.read_text(errors="replace").rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(stat.parent.name)] = int(parent)
    below, new = set(), {of}
    while new:
        new = {one for one, parent in parents.items() if parent in new}
        below |= new
    return below - {parents[one] for one in below}


class Pulse:
    """Prints a line where a step has been silent for long, and ends what hangs."""

    def __init__(self, name, expected=None, silence=SILENCE_S, hangs=HANGS_S):
        self.name = name
        self.expected = expected
        self.silence = silence
        self.hangs = hangs
        self.process = None
        self.begun = self.heard = self.printed = time.monotonic()
        self.told = ""
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def hear(self, line, shown=True):
        """The step printed something; where it is not shown yet, the step is silent all the same."""
        self.printed = time.monotonic()
        if shown:
            self.heard = self.printed
        if line.strip():
            self.told = line.strip()

    def watch(self):
        while not self.ended.wait(1):
            now = time.monotonic()
            if now - self.heard >= self.silence:
                self.heard = now
                print(self.line(now - self.begun), flush=True)
            if self.process and now - self.printed >= self.hangs:
                self.printed = now
                self.end()

    def end(self):
        """Ends the step's processes that wait for no others."""
        for one in leaves(self.process.pid) or {self.process.pid}:
            try:
                name = Path(f"/proc/{one}/comm").read_text().strip()
                os.kill(one, signal.SIGKILL)
            except OSError:
                continue
            print(f"  ... {self.name}: nothing for {words(self.hangs)}: {name} hangs and is ended; last: {self.told[:200]}", flush=True)

    def line(self, seconds):
        """`  ... tests: 2 min 30 s, of 8 min 02 s the last time; last: Running tests/cards.rs`."""
        of = f", of {words(self.expected)} the last time" if self.expected else ""
        last = f"; last: {self.told[:120]}" if self.told else ""
        return f"  ... {self.name}: {words(seconds)}{of}{last}"
