#!/usr/bin/env python3
"""Runs tests and lints of the project, prints all that fails, and ends with one line of counts.

`test.py` runs every test and every lint; `test.py check` the inner loop: format, lints and the quick tests.

A step may be a lint (one check, passed or failed as a whole) or a suite that prints its own counts. A step whose
tool is not installed, or whose setup does not work, is skipped, says so, and is counted as skipped. How long each step
took is kept in target/, and said before the step the next time. Standard library only.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from quick import BUILD, CARGO, FUZZ
from steptimes import Clock, Pulse, words

ROOT = Path(__file__).resolve().parent.parent
MAKE = ["make", "--no-print-directory", "-C", "gateware"]
CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
SUITE_RESULT = re.compile(r"^(?:[\w-]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
CARGO_FAILURE = re.compile(r"^test (.+) \.\.\. FAILED$")

# What `check` leaves to `test`: suites that simulate for long, and those that start other programs (browsers, guests).
SLOW_SUITES = {
    "agreement", "contention", "described", "findings", "fit", "guest", "planted", "relief", "report", "sensitivity", "wireshark",
}


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


@dataclass
class Step:
    name: str
    command: list
    count: object
    needs: list = field(default_factory=list)
    setup: list = field(default_factory=list)


def count_lint(_lines, status):
    return Counts(passed=int(status == 0), failed=int(status != 0)), []


def count_setup(_lines, status):
    """A setup is no test; where it does not work, what needs it says that it is skipped."""
    if status != 0:
        print("this does not work here: what needs it is skipped", flush=True)
    return Counts(), []


def count_cargo(lines, status):
    """Ignored tests are the slow ones: the release step runs them, so they are not skipped."""
    counts, failures = Counts(), []
    for line in lines:
        if match := CARGO_RESULT.match(line):
            counts.add(Counts(int(match[1]), int(match[2])))
        elif match := CARGO_FAILURE.match(line):
            failures.append(match[1])
    if status != 0 and counts.failed == 0:
        counts.failed = 1
        failures.append("did not build or did not end")
    return counts, failures


def count_suite(lines, status):
    """The suite's own last line of counts."""
    matches = [match for match in map(SUITE_RESULT.match, lines) if match]
    counts = Counts(*(int(n or 0) for n in matches[-1].groups())) if matches else Counts()
    if status != 0 and counts.failed == 0:
        counts.failed = 1
        return counts, ["ended with an error"]
    return counts, []


def lints():
    cargo = ["cargo"]
    yield Step("format", cargo + ["fmt", "--all", "--check"], count_lint, ["cargo", "rustfmt"])
    clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]
    yield Step("clippy", cargo + clippy, count_lint, ["cargo", "cargo-clippy"])
    yield Step("tools: same", ["python3", "tools/same_test.py"], count_suite)
    yield Step("tools: cycles", ["python3", "tools/cycles_test.py"], count_suite)
    yield Step("tools: words", ["python3", "tools/words_test.py"], count_suite)
    rooms = "advise ask bench card cli cosim dma lab limit pcie probe remote sim storage system testing trace view".split()
    yield Step("import cycles", ["python3", "tools/cycles.py", *(f"crates/{name}" for name in rooms)], count_lint)


def every_step():
    """What `make test` runs."""
    if (ROOT / "gateware" / "Makefile").exists():
        # Verilator, so that cards with gateware are built and tested, too. Without it their tests are skipped.
        yield Step("gateware tools", MAKE + ["setup"], count_setup, ["make"])
    yield from lints()
    yield Step("tests", ["cargo", "test", *CARGO, "--no-fail-fast"], count_cargo, ["cargo"])
    yield Step("driver", ["tools/driver.sh", "check"], count_suite, ["make", "perl"])
    # A build of its own: errors planted in what is tested, which no other build has.
    planted = ["-p", "lanescope-limit", "--features", "planted", "--test", "planted"]
    yield Step("clippy, planted errors", ["cargo", "clippy", *planted, "--", "-D", "warnings"], count_lint, ["cargo", "cargo-clippy"])
    yield Step("planted errors", ["cargo", "test", "--profile", "quick", *planted], count_cargo, ["cargo"])
    slow = ["test", *CARGO, *ignored_suites("lab"), "--no-fail-fast", "--", "--ignored"]
    yield Step("slow tests, optimised", ["cargo"] + slow, count_cargo, ["cargo"])
    python = ["python3", "tools/python.py"]
    yield Step("python", python + ["test"], count_suite, ["cargo"], python + ["setup"])
    yield Step("python: dask", python + ["dask"], count_suite, ["cargo"], python + ["setup"])
    yield Step("python: notebooks", python + ["notebooks"], count_suite, ["cargo"], python + ["setup"])
    yield Step("fuzz, 30 s", [str(FUZZ), "30"], count_suite, ["cargo"], BUILD)
    if (ROOT / "gateware" / "Makefile").exists():
        yield Step("gateware", MAKE + ["test"], count_suite, ["make"], MAKE + ["setup"])


def quick_steps():
    """What `make check` runs."""
    yield from lints()
    chosen = [word for suite in quick_suites() for word in ("--test", suite)]
    quick = ["test", "--workspace", "--no-fail-fast", "--lib", "--bins"] + chosen
    yield Step("quick tests", ["cargo"] + quick, count_cargo, ["cargo"])


def quick_suites():
    """Names of the test files under crates/ that are not slow."""
    names = {path.stem for path in ROOT.glob("crates/*/tests/*.rs")}
    return sorted(names - SLOW_SUITES)


def ignored_suites(room):
    """The words that choose a crate's test files with ignored tests: the others need not be built again."""
    files = sorted((ROOT / "crates" / room / "tests").glob("*.rs"))
    return [word for path in files if "#[ignore" in path.read_text() for word in ("--test", path.stem)]


def run(step, clock):
    missing = [tool for tool in step.needs if shutil.which(tool) is None]
    print(f"\n=== {clock.head(step.name)}: {step.name}\n    {' '.join(step.command)}", flush=True)
    if missing:
        print(f"skipped: {', '.join(missing)} is not installed", flush=True)
        return Counts(skipped=1), []
    if step.setup and subprocess.run(step.setup, cwd=ROOT, check=False).returncode != 0:
        print(f"skipped: {' '.join(step.setup)} does not work here", flush=True)
        return Counts(skipped=1), []
    before = clock.elapsed()
    lines, status = listen(step, clock.last.get(step.name))
    counts, failures = step.count(lines, status)
    seconds = clock.elapsed() - before
    if not counts.failed:
        clock.took(step.name, seconds)
    print(f"--- {step.name}: {counts}, in {words(seconds)}", flush=True)
    return counts, failures


def listen(step, expected):
    """What the step prints, passed on, and its status."""
    lines = []
    with Pulse(step.name, expected) as pulse, subprocess.Popen(
        step.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            pulse.hear(line)
            lines.append(line.rstrip("\n"))
    return lines, process.returncode


def skips_of_tests(folder):
    """Tests that lack a tool or a folder write a line each into the file that LANESCOPE_SKIPS names."""
    path = Path(folder) / "skips"
    lines = sorted(set(path.read_text().splitlines())) if path.exists() else []
    if lines:
        print("\n" + "\n".join(lines))
    return len(lines)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "test"
    if name not in PLANS or len(sys.argv) > 2:
        print(f"usage: test.py [{'|'.join(PLANS)}]", file=sys.stderr)
        return 2
    steps = list(PLANS[name]())
    clock = Clock(name, len(steps), ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LANESCOPE_SKIPS"] = str(Path(folder) / "skips")
        total, failures = run_all(steps, clock)
        skipped = skips_of_tests(folder)
    clock.keep()
    # A test that skipped itself returned, and was counted as passed.
    total.add(Counts(passed=-skipped, skipped=skipped))
    if failures:
        print("\nfailed:")
        print("\n".join(f"  {failure}" for failure in failures))
    print(f"\nall {clock.total} steps in {words(clock.elapsed())}\n{total}", flush=True)
    return 1 if total.failed else 0


def run_all(steps, clock):
    total, failures = Counts(), []
    for step in steps:
        counts, named = run(step, clock)
        total.add(counts)
        failures += [f"{step.name}: {name}" for name in named]
        if counts.failed and not named:
            failures.append(step.name)
    return total, failures


PLANS = {"test": every_step, "check": quick_steps}

if __name__ == "__main__":
    sys.exit(main())
