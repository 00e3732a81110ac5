#!/usr/bin/env python3
"""Do the steps of the tests run side by side, tell what they cost, and say of each skip why? The last line has the counts."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import test as plans
from lanes import Lanes
from steps import Counts, Step, count_cargo, count_setup, count_suite, outcome
from steptimes import Clock

ROOT = Path(__file__).resolve().parent.parent


def said(*lanes, **more):
    """The outcome of these lanes, and what they print."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as text:
        clock = Clock("none", sum(map(len, lanes)), Path(folder))
        found = Lanes(clock, Path(folder), **more).run(lanes)
    return found, text.getvalue()


def shell(name, script, **more):
    return Step(name, ["sh", "-c", script], count_suite, **more)


def deps(*stubs, **env):
    """What tools/test-deps.sh says, as `make test` calls it, on a machine that has these programs (name, script) alone."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bash", "dirname", "awk", "sort", "tail", "mktemp", "rm", "sh"):
            Path(folder, name).symlink_to(subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=True).stdout.strip())
        for name, script in stubs:
            Path(folder, name).write_text(f"#!/bin/sh\n{script}\n")
            Path(folder, name).chmod(0o755)
        env = {"PATH": folder, "CARGO_TARGET_DIR": f"{folder}/target", **env}
        return subprocess.run(["bash", ROOT / "tools/test-deps.sh", "unasked"], env=env, capture_output=True, text=True, check=False).stdout


class Steps(unittest.TestCase):
    def test_does_the_closing_line_have_the_time_of_all_processors(self):
        spin = f"({sys.executable} -c 'import time\nwhile time.process_time() < 1.2: pass'); echo '1 passed, 0 failed'"
        _, text = said([shell("a", spin)])
        self.assertRegex(text, r"--- a: 1 passed, 0 failed, in \d+ s, [1-9]\d* s of CPU\n")

    def test_do_lanes_run_side_by_side(self):
        """Each waits for the other's file: one after the other, the first would give up."""
        wait = "touch {}; for i in $(seq 100); do [ -e {} ] && echo '1 passed, 0 failed' && exit; sleep 0.1; done; exit 1"
        found, text = said([shell("a", wait.format("a", "b"))], [shell("b", wait.format("b", "a"))])
        self.assertEqual(str(found.counts), "2 passed, 0 failed", text)

    def test_does_a_step_wait_for_another_lanes(self):
        made = "sleep 0.3; touch made; echo '1 passed, 0 failed'"
        found, text = said([shell("a", "[ -e made ] && echo '1 passed, 0 failed'", after=["b"])], [shell("b", made)])
        self.assertEqual(str(found.counts), "2 passed, 0 failed", text)

    def test_are_the_lines_of_the_second_lane_kept_together(self):
        many = "for i in 1 2 3 4 5; do echo {0}$i; sleep 0.05; done; echo '1 passed, 0 failed'"
        _, text = said([shell("a", many.format("a"))], [shell("b", many.format("b"))])
        self.assertIn("b1\nb2\nb3\nb4\nb5\n1 passed, 0 failed\n--- b: 1 passed, 0 failed, in ", text)

    def test_does_a_failure_of_any_lane_count(self):
        found, _ = said([shell("a", "echo '1 passed, 0 failed'")], [shell("b", "exit 3")])
        self.assertEqual((found.counts.failed, found.failures), (1, ["b: ended with an error"]))

    def test_does_a_failure_of_cargo_say_why(self):
        """A guest prints a thousand lines before the one that says what failed in it."""
        lines = ["test a::works ... ok", "test a::fails ... FAILED", "", "failures:", "", "---- a::fails stdout ----", *["line"] * 1000]
        lines += ["thread 'a::fails' (42) panicked at tests/a.rs:3:5:", "failed:", "", "not ok a_read_ends", "note: run with RUST_BACKTRACE", "", "failures:", "    a::fails"]
        lines += ["test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"]
        counts, failures = count_cargo(lines, 101)
        self.assertEqual(str(counts), "1 passed, 1 failed")
        told = "a::fails\n    tests/a.rs:3:5\n    failed:\n    not ok a_read_ends"
        self.assertEqual(failures, [told])
        other = [line.replace("tests/a.rs:3:5", "tests/b.rs:9:5") for line in lines]
        self.assertEqual(count_cargo(lines + other, 101)[1], [told, told.replace("tests/a.rs:3:5", "tests/b.rs:9:5")])

    def test_is_what_hangs_ended_and_does_the_rest_go_on(self):
        """The hanging process alone: what started it tells the counts."""
        hangs = "echo 'test first ... ok'; sh -c 'sleep 60' || echo '1 passed, 1 failed'; exit 1"
        found, text = said([shell("a", hangs), shell("b", "echo '1 passed, 0 failed'")], hangs=2)
        self.assertEqual(str(found.counts), "2 passed, 1 failed", text)
        self.assertIn("a: nothing for 2 s: sleep hangs and is ended; last: test first ... ok", text)

    def test_has_every_skip_a_reason(self):
        lines = ["6.1: skipped: nothing in headers/6.1", "test_x (p.Q.test_x) ... skipped 'no pyarrow'", "2 passed, 0 failed, 3 skipped"]
        found = outcome(shell("driver", ""), lines, 0)
        self.assertEqual(found.skips, ["skipped: driver: 6.1: nothing in headers/6.1", "skipped: driver: test_x (p.Q.test_x): 'no pyarrow'",
                                       "skipped: driver: 1 more, of which it does not say why"])

    def test_has_a_step_without_its_tool_a_reason(self):
        found, _ = said([shell("a", "", needs=["no-such-tool"])], [shell("b", "", setup=["false"])])
        self.assertEqual(found.skips, ["skipped: a: no-such-tool is not installed", "skipped: b: false does not work here"])

    def test_are_skips_and_what_to_type_among_the_last_lines(self):
        step = Step("packages", ["echo", "test-deps: to have all tests run, type: make test-deps"], count_setup, again="test-deps: to have ")
        found, _ = said([step], [shell("a", "", needs=["no-such-tool"])])
        with contextlib.redirect_stdout(io.StringIO()) as text:
            plans.tell([found], ["skipped: here: why"], Clock("none", 2, ROOT / "none"))
        last = text.getvalue().strip().splitlines()
        self.assertEqual(last[-1], str(Counts(-1, 0, 2)))
        for line in ("skipped: a: no-such-tool is not installed", "skipped: here: why", "test-deps: to have all tests run, type: make test-deps"):
            self.assertIn(line, last[-8:])

    def test_is_every_part_of_the_gateware_in_a_step(self):
        text = (ROOT / "gateware/scripts/test.py").read_text()
        parts = re.findall(r"(\w+)=\w+", re.search(r"parts = dict\((.*?)\)", text)[1])
        self.assertEqual(sorted(parts), sorted(" ".join(plans.GATEWARE.values()).split()))

    def test_is_a_user_without_root_told_the_line_to_type(self):
        """And nothing is asked of apt-get."""
        told = deps(("id", "echo 1000"), ("python3", "exit 1"), ("apt-get", "echo apt-get $@"), ("sudo", "echo sudo $@"))
        self.assertRegex(told, r"(?m)^test-deps: to have all tests run, type: make test-deps .* pciutils tshark chromium")
        self.assertNotRegex(told, r"(?m)^(sudo|apt-get) ")

    def test_does_root_get_what_is_missing_unless_told_not_to(self):
        stubs = ("id", "echo 0"), ("python3", "exit 0"), ("apt-get", 'echo "$@" >&2'), ("apt-cache", "exit 0")
        self.assertRegex(deps(*stubs), r"test-deps: installs from Debian: pciutils tshark")
        told = deps(*stubs, LANESCOPE_APT="no")
        self.assertRegex(told, r"type: make test-deps .*LANESCOPE_APT=no")
        self.assertNotIn("installs", told)

    def test_is_a_machine_without_apt_told_the_names(self):
        self.assertRegex(deps(("python3", "exit 0")), r"to have all tests run, install \(names are Debian's\): pciutils")


if __name__ == "__main__":
    os.chdir(ROOT)
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Steps))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
