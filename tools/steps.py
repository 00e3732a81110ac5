"""A step of the test runner: a lint (one check), or a suite that prints its own counts; and what is read from its lines.
Standard library only."""

import re
from dataclasses import dataclass, field

CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
SUITE_RESULT = re.compile(r"^(?:[\w-]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
CARGO_FAILURE = re.compile(r"^test (.+) \.\.\. FAILED$")
CARGO_PANIC = re.compile(r"^thread '(.+)'(?: \(\d+\))? panicked at (.+):$")
CARGO_PANIC_END = re.compile(r"^(?:note: |stack backtrace:|---- .* stdout ----$|failures:$|test result: )")
# Lines of what a test that failed says that stand at the end, too.
SAID = 12
# How suites say that something was not asked: `boards: skipped: no tkinter`, `test_x (package.Y) ... skipped 'no pyarrow'`.
SKIP = re.compile(r"^(?P<what>.+?)(?:: skipped: | \.\.\. skipped )(?P<why>.+)$")


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
    # The lines that are said again at the end.
    again: str = ""
    # Steps of other lanes that have to end first, by their names.
    after: list = field(default_factory=list)


@dataclass
class Outcome:
    """What a step gave: counts, names of what failed, a line for each skip with its reason, lines to say again."""

    counts: Counts = field(default_factory=Counts)
    failures: list = field(default_factory=list)
    skips: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def add(self, other):
        self.counts.add(other.counts)
        self.failures += other.failures
        self.skips += other.skips
        self.notes += other.notes


def outcome(step, lines, status):
    """What the lines of a step that ended with `status` say."""
    counts, named = step.count(lines, status)
    failures = [f"{step.name}: {name}" for name in named]
    if counts.failed and not named:
        failures.append(step.name)
    notes = [line for line in lines if step.again and line.startswith(step.again)]
    return Outcome(counts, failures, reasons(step.name, lines, counts.skipped), notes)


def reasons(name, lines, skipped):
    """A line for each skip of a suite; those that it counts without a word are said to have no reason."""
    if not skipped:
        return []
    found = [f"skipped: {name}: {match['what']}: {match['why']}" for match in map(SKIP.match, lines) if match]
    silent = skipped - len(found)
    return found + [f"skipped: {name}: {silent} more, of which it does not say why"] * (silent > 0)


def count_lint(_lines, status):
    return Counts(passed=int(status == 0), failed=int(status != 0)), []


def count_setup(_lines, status):
    """A setup is no test; where it does not work, what needs it says that it is skipped."""
    if status != 0:
        print("this does not work here: what needs it is skipped", flush=True)
    return Counts(), []


def count_cargo(lines, status):
    """Ignored tests are the slow ones: a step of their own runs them, so they are not skipped. A failure has what it says with
    it: what else it prints may be long. The names of one binary stand before what they say, and its result behind."""
    counts, failures, names, said = Counts(), [], [], Said()
    for line in lines:
        said.read(line)
        if match := CARGO_RESULT.match(line):
            counts.add(Counts(int(match[1]), int(match[2])))
            failures += map(said.of, names)
            names, said = [], Said()
        elif match := CARGO_FAILURE.match(line):
            names.append(match[1])
    failures += map(said.of, names)
    if status != 0 and counts.failed == 0:
        counts.failed = 1
        failures.append("did not build or did not end")
    return counts, failures


class Said:
    """What each test of a binary that panicked said: the place, and the first lines of its message."""

    def __init__(self):
        self.tests, self.under_way = {}, None

    def read(self, line):
        if match := CARGO_PANIC.match(line):
            self.under_way = self.tests.setdefault(match[1], [])
            self.under_way.append(match[2])
        elif CARGO_PANIC_END.match(line):
            self.under_way = None
        elif line and self.under_way is not None and len(self.under_way) <= SAID:
            self.under_way.append(line)

    def of(self, test):
        """The test with it, in lines."""
        return "\n    ".join([test, *self.tests.get(test, [])])


def count_suite(lines, status):
    """The suite's own last line of counts."""
    matches = [match for match in map(SUITE_RESULT.match, lines) if match]
    counts = Counts(*(int(n or 0) for n in matches[-1].groups())) if matches else Counts()
    if status != 0 and counts.failed == 0:
        counts.failed = 1
        return counts, ["ended with an error"]
    return counts, []
