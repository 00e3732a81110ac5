#!/usr/bin/env python3
"""Runs tests and lints of the project, prints all that fails, and ends with one line of counts.

`test.py` runs every test and every lint; `test.py check` the inner loop: format, lints and the quick tests.

A step may be a lint (one check, passed or failed as a whole) or a suite that prints its own counts. A step whose
tool is not installed, or whose setup does not work, is skipped and counted as skipped. Every skip stands with its reason
in the last lines. How long each step took is kept in target/, and said before the step the next time. Standard library only.
"""

import os
import resource
import sys
import tempfile
from pathlib import Path

from lanes import Lanes
from quick import BUILD, CARGO, FUZZ
from steps import Counts, Step, count_cargo, count_lint, count_setup, count_suite
from steptimes import Clock, words

ROOT = Path(__file__).resolve().parent.parent
MAKE = ["make", "--no-print-directory", "-C", "gateware"]

# What `check` leaves to `test`: suites that simulate for long, and those that start other programs (browsers, guests).
SLOW_SUITES = {
    "agreement", "contention", "cut_texts", "described", "explain_causes", "explain_judged", "findings", "fit", "guest", "planted",
    "relief", "report", "sensitivity", "wireshark",
}
# The parts of the gateware's tests (gateware/scripts/test.py), in steps.
GATEWARE = {
    "gateware: lint": "lint mutants edges ports boards crossings pages yosys",
    "gateware: proofs": "proofs",
    "gateware: streams and faults": "soak nvme faults",
    "gateware: simulations": "sim",
}


def lints(profile):
    """Clippy checks in the profile whose tests follow: what runs while cargo builds (macros, build scripts, and what these
    compile of the engine) is then made once for both."""
    cargo = ["cargo"]
    yield Step("format", cargo + ["fmt", "--all", "--check"], count_lint, ["cargo", "rustfmt"])
    clippy = ["clippy", "--workspace", *profile, "--all-targets", "--", "-D", "warnings"]
    yield Step("clippy", cargo + clippy, count_lint, ["cargo", "cargo-clippy"])
    for name in ("same", "cycles", "words", "steps", "layers"):
        yield Step(f"tools: {name}", ["python3", f"tools/{name}_test.py"], count_suite)
    rooms = "advise ask bench card cli cosim dma lab limit pcie phy probe queues remote sim storage system testing trace view".split()
    yield Step("import cycles", ["python3", "tools/cycles.py", *(f"crates/{name}" for name in rooms)], count_lint)


KERNELS, TOOLS, PYTHON = "kernels", "gateware tools", "python packages"


def every_step():
    """What `make test` runs: cargo's steps; what comes from the network, while they compile; and the gateware in what they leave
    idle."""
    # Nothing is built twice: what incremental builds keep would cost time and serve nobody.
    os.environ.setdefault("CARGO_INCREMENTAL", "0")
    unasked = ["tools/test-deps.sh", "unasked"]
    # Verilator before cargo, so that cards with gateware are built and tested, too. Without it their tests are skipped. After the
    # packages, because a Python may lack what makes virtual environments.
    setups = [Step("packages", [*unasked, "packages"], count_setup, again="test-deps: to have ")]
    setups += [Step(TOOLS, MAKE + ["setup"], count_setup, ["make"])] * has_gateware()
    # The kernels of the guests and their headers; where the Python packages come too early, their own steps call this again.
    kernels = Step(KERNELS, [*unasked, "kernels"], count_setup, again="test-deps: to have ", after=["packages"])
    python = Step(PYTHON, ["python3", "tools/python.py", "setup"], count_setup)
    return [[setups + list(software()), [kernels], [python]] + [list(gateware())] * has_gateware()]


def software():
    yield from lints(["--profile", "quick"])
    yield Step("build", ["cargo", "test", *CARGO, "--no-run"], count_lint, ["cargo"])
    yield Step("tests", ["cargo", "test", *CARGO, "--no-fail-fast"], count_cargo, ["cargo"], after=[KERNELS])
    yield Step("driver", ["tools/driver.sh", "check"], count_suite, ["make", "perl"])
    # A build of its own: errors planted in what is tested, which no other build has.
    planted = ["--profile", "quick", "-p", "lanescope-limit", "--features", "planted", "--test", "planted"]
    yield Step("clippy, planted errors", ["cargo", "clippy", *planted, "--", "-D", "warnings"], count_lint, ["cargo", "cargo-clippy"])
    yield Step("planted errors", ["cargo", "test", *planted], count_cargo, ["cargo"])
    slow = ["test", *CARGO, *ignored_suites("lab"), "--no-fail-fast", "--", "--ignored"]
    yield Step("slow tests, optimised", ["cargo"] + slow, count_cargo, ["cargo"])
    python = ["python3", "tools/python.py"]
    yield Step("python", python + ["test"], count_suite, ["cargo"], python + ["setup"], after=[PYTHON])
    yield Step("python: dask", python + ["dask"], count_suite, ["cargo"], python + ["setup"])
    yield Step("python: symbols", python + ["symbols"], count_suite, after=[PYTHON])
    yield Step("python: notebooks", python + ["notebooks"], count_suite, ["cargo"], python + ["setup"])
    yield Step("fuzz, 30 s", [str(FUZZ), "30"], count_suite, ["cargo"], BUILD)


def gateware():
    for name, parts in GATEWARE.items():
        yield Step(name, MAKE + ["test", f"PARTS={parts}"], count_suite, ["make"], MAKE + ["setup"], after=[TOOLS])


def has_gateware():
    return (ROOT / "gateware" / "Makefile").exists()


def quick_steps():
    """What `make check` runs."""
    return [[list(lints([])) + [quick_tests()]]]


def quick_tests():
    chosen = [word for suite in quick_suites() for word in ("--test", suite)]
    quick = ["test", "--workspace", "--no-fail-fast", "--lib", "--bins"] + chosen
    return Step("quick tests", ["cargo"] + quick, count_cargo, ["cargo"])


def quick_suites():
    """Names of the test files under crates/ that are not slow."""
    names = {path.stem for path in ROOT.glob("crates/*/tests/*.rs")}
    return sorted(names - SLOW_SUITES)


def ignored_suites(room):
    """The words that choose a crate's test files with ignored tests: the others need not be built again."""
    files = sorted((ROOT / "crates" / room / "tests").glob("*.rs"))
    return [word for path in files if "#[ignore" in path.read_text() for word in ("--test", path.stem)]


def skips_of_tests(folder):
    """Tests that lack a tool or a folder write a line each into the file that LANESCOPE_SKIPS names."""
    path = Path(folder) / "skips"
    return sorted(set(path.read_text().splitlines())) if path.exists() else []


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "test"
    if name not in PLANS or len(sys.argv) > 2:
        print(f"usage: test.py [{'|'.join(PLANS)}]", file=sys.stderr)
        return 2
    stages = PLANS[name]()
    clock = Clock(name, sum(len(lane) for stage in stages for lane in stage), ROOT)
    runner = Lanes(clock, ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LANESCOPE_SKIPS"] = str(Path(folder) / "skips")
        results = [runner.run(stage) for stage in stages]
        skips = skips_of_tests(folder)
    clock.keep()
    return tell(results, skips, clock)


def tell(results, skips, clock):
    """The last lines: what failed, what was skipped and why, what to type to have it; and the counts."""
    total = results[0]
    for result in results[1:]:
        total.add(result)
    # A test that skipped itself returned, and was counted as passed.
    total.counts.add(Counts(passed=-len(skips), skipped=len(skips)))
    if total.failures:
        print("\nfailed:\n" + "\n".join(f"  {failure}" for failure in total.failures))
    for lines in (total.skips + skips, total.notes):
        if lines:
            print("\n" + "\n".join(lines))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = words(used.ru_utime + used.ru_stime)
    print(f"\nall {clock.total} steps in {words(clock.elapsed())}, {cpu} of CPU\n{total.counts}", flush=True)
    return 1 if total.counts.failed else 0


PLANS = {"test": every_step, "check": quick_steps}

if __name__ == "__main__":
    sys.exit(main())
