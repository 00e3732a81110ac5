"""Lanes: lists of steps that run side by side, each lane's own one after the other. Standard library only.

The first lane has the machine, and its lines are passed on at once. The others run with a lower priority (`nice`), in what
the first leaves idle: tests of the first that wait for a guest or a clock do not wait longer. Their lines are kept, and
printed together when the step has ended.
"""

import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from steps import Counts, Outcome, outcome
from steptimes import HANGS_S, Pulse, words

NICE = 10


class Lanes:
    """Runs steps in `root`; one lane prints at a time. What prints nothing for `hangs` seconds is ended."""

    def __init__(self, clock, root, hangs=HANGS_S):
        self.clock = clock
        self.root = root
        self.hangs = hangs
        self.printing = threading.Lock()
        self.ended = {}

    def run(self, lanes):
        """The outcome of all steps of these lanes."""
        total = Outcome()
        self.ended = {step.name: threading.Event() for lane in lanes for step in lane}
        with ThreadPoolExecutor(max_workers=len(lanes)) as pool:
            for found in pool.map(lambda lane: self.lane(lane[1], first=lane[0] == 0), enumerate(lanes)):
                total.add(found)
        return total

    def lane(self, steps, first):
        total = Outcome()
        try:
            for step in steps:
                total.add(self.step(step, first))
        finally:
            for step in steps:      # nobody waits for what comes no more
                self.ended[step.name].set()
        return total

    def step(self, step, first):
        for before in step.after:
            self.ended[before].wait()
        said = Said(sys.stdout if first else None, self.printing)
        with self.printing:     # the clock counts steps
            head = self.clock.head(step.name)
        said.line(f"\n=== {head}: {step.name}\n    {' '.join(map(str, step.command))}")
        why = self.hinders(step, said)
        if why:
            said.line(f"skipped: {why}")
            found = Outcome(Counts(skipped=1), [], [f"skipped: {step.name}: {why}"])
        else:
            found = self.listen(step, said, first)
        said.end()
        self.ended[step.name].set()
        return found

    def hinders(self, step, said):
        """Why the step cannot run here; None where it can."""
        missing = [tool for tool in step.needs if shutil.which(tool) is None]
        if missing:
            return f"{', '.join(missing)} is not installed"
        if not step.setup:
            return None
        made = subprocess.run(step.setup, cwd=self.root, capture_output=True, text=True, errors="replace", check=False)
        said.line((made.stdout + made.stderr).rstrip("\n"))
        return f"{' '.join(map(str, step.setup))} does not work here" if made.returncode else None

    def listen(self, step, said, first):
        before = self.clock.elapsed()
        lines, status, cpu = self.call(step, said, first)
        found = outcome(step, lines, status)
        seconds = self.clock.elapsed() - before
        if not found.counts.failed:
            self.clock.took(step.name, seconds)
        said.line(f"--- {step.name}: {found.counts}, in {words(seconds)}, {words(cpu)} of CPU")
        return found

    def call(self, step, said, first):
        """The lines that the step prints, its status, and its CPU time with that of all that it waited for."""
        lines = []
        command = step.command if first else ["nice", "-n", str(NICE), *step.command]
        with Pulse(step.name, self.clock.last.get(step.name), hangs=self.hangs) as pulse:
            process = subprocess.Popen(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            pulse.process = process
            for line in process.stdout:
                said.line(line.rstrip("\n"))
                pulse.hear(line, shown=first)
                lines.append(line.rstrip("\n"))
            process.stdout.close()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return lines, process.returncode, used.ru_utime + used.ru_stime


class Said:
    """Lines of a step: passed on to `stream`, or, where that is None, kept until its end."""

    def __init__(self, stream, printing):
        self.stream = stream
        self.printing = printing
        self.kept = []

    def line(self, text):
        if not text:
            return
        if self.stream is None:
            self.kept.append(text)
        else:
            self.write(text)

    def end(self):
        if self.kept:
            self.write("\n".join(self.kept))

    def write(self, text):
        with self.printing:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
