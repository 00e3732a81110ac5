# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""All tests: lint, simulation, proofs, elaboration by Yosys. Prints everything that fails; the
last line is the count. `test.py [sim|proofs|lint|edges|yosys|nvme|faults|boards|ports|crossings|pages|soak|mutants ...]` runs a part."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = []        # (name, True, False or None, message)


def note(name, ok, message="", seconds=0.0):
    RESULTS.append((name, ok, message))
    if ok is None:
        print(f"{name}: skipped: {message}", flush=True)
    else:
        print(f"{'ok  ' if ok else 'FAIL'} {name} ({seconds:.1f} s)", flush=True)


def sources():
    """The RTL, packages first, from here on: Yosys in WebAssembly has a folder of its own where the system has its temporary one."""
    return sorted((str(p.relative_to(ROOT)) for p in (ROOT / "rtl").rglob("ls_*.sv")), key=lambda name: (not name.endswith("_pkg.sv"), name))


def lint():
    t = time.time()
    said = []
    with subprocess.Popen(["scripts/lint.sh"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        for line in p.stdout:
            print(line, end="", flush=True)
            said.append(line)
    wrong = "".join(line for line in said if not line.startswith("lint: ok"))
    note("lint", p.returncode == 0, wrong, time.time() - t)


def edges():
    """Parameters at the edges of their ranges: legal ones elaborate and no cast loses bits; illegal ones stop with the instance's name."""
    import edges
    t = time.time()
    for case, ok, said in edges.run():
        note(f"edges.{case}", ok, said, time.time() - t)
        t = time.time()


def simulate(bench):
    """A bench in a process of its own: (its results or None, what went wrong, seconds)."""
    import sim
    t = time.time()
    try:
        return sim.run(**bench), "", time.time() - t
    except BaseException:       # the runner leaves by SystemExit too
        return None, traceback.format_exc(), time.time() - t


def simulations():
    sys.path.insert(0, str(ROOT / "scripts"))
    import benches
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for bench, (cases, wrong, seconds) in zip(benches.BENCHES, pool.map(simulate, benches.BENCHES)):
            if cases is None:
                note(f"{bench['top']} {bench['params']}", False, wrong, seconds)
            for name, ok, took, message in cases or ():
                if ok is not None:      # a module's tests for other tops are left out by themselves
                    note(name, ok, message, took)
            if cases and all(ok is None for _, ok, *_ in cases):
                note(bench.get("name") or f"{bench['top']} {bench['params']}", None, lacks(bench["module"]))


def lacks(module):
    """Why none of a module's tests ran."""
    return {"test_nvme_qemu": "`qemu-system-x86_64` is not installed (`make test-deps` installs it)"}.get(module, f"{module} leaves all its tests out")


def at_once(work, all_):
    """What `work` gives for each, in their order, as many at a time as there are cores; and its seconds."""
    def one(of):
        t = time.time()
        return of, work(of), time.time() - t
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from pool.map(one, all_)


def proofs():
    sys.path.insert(0, str(ROOT / "scripts"))
    from proofs import PROOFS, run
    for spec, results, seconds in at_once(lambda spec: list(run(spec)), PROOFS):
        for shown, ok, said in results:
            note(f"proof.{spec['name']}: {shown}", ok, said, seconds)


def read(top, width, root=ROOT):
    """A top, read by Yosys' slang front end and checked. Files by their names from the root: the WebAssembly Yosys has a
    temporary folder of its own, and finds nothing by a name that begins with that of the system."""
    rtl = [os.path.relpath(path, ROOT) for path in sources()]
    return subprocess.run(
        ["yosys", "-q", "-p", f"read_slang --threads 1 --top {top} -G Width={width} " + " ".join(rtl)
         + f"; hierarchy -check -top {top}; proc; check -assert"], cwd=root, capture_output=True, text=True)


def yosys():
    """Every width of the core, and every top, read by Yosys; and one of them in a copy below the system's temporary folder."""
    import benches
    for (top, width), p, seconds in at_once(lambda which: read(*which), benches.TOPS):
        note(f"yosys.{top}.{width}", p.returncode == 0, p.stdout[-2000:] + p.stderr[-2000:], seconds)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "rtl", Path(folder) / "rtl")
        p = read("ls_nvme_7s", 64, folder)
        note("yosys.in_the_temporary_folder", p.returncode == 0, p.stdout[-2000:] + p.stderr[-2000:])


# What the soak must notice, planted in what the engine says: the name, a word of its complaint.
SOAK_PLANTS = (("read_byte", "host to card: a wrong byte"), ("write_byte", "card to host: a wrong byte"),
               ("sent_byte", "card to card: a wrong byte"), ("window_byte", "window: a wrong byte"), ("record", "record"),
               ("interrupt", "was never sent"), ("report", "report of"), ("answer", "an answer for tag"), ("hang", "no end"))


def soak():
    """A short run of the random traffic, and that each kind of its checks can fail."""
    from soak import traffic
    t = time.time()
    ok, said = traffic(64, 100_000)
    note("soak.64", ok, said, time.time() - t)
    for plant, complaint in SOAK_PLANTS:
        t = time.time()
        ok, said = traffic(64, 100_000, plant=plant)
        note(f"soak.notices_{plant}", not ok and complaint in said and "never met" not in said, said, time.time() - t)
    for plant in (None, "write_byte"):
        t = time.time()
        ok, said = traffic(64, 100_000, plant=plant, frames=10_000)
        right = not ok and "card to host: a wrong byte" in said if plant else ok
        note(f"soak.frames_notices_{plant}" if plant else "soak.frames", right, said, time.time() - t)


def nvme():
    """Streams of the NVMe host over 16 MiB, each buffer 256 times around (`make rates`: 1 GiB), and of two drives as one, on two links and below one switch, stay above their bounds, with the right bytes; and a record
    whose memory refuses a write ends by itself."""
    import nvme_rates as one
    import record_rates
    import stripe_rates as two
    link, drives, chunk, command = two.TWO[0]
    ways = {"nvme": lambda mps, write, mib=16: one.stream(one.build(link[1]), link, mps, write, mib),
            "nvme_stripe": lambda mps, write, mib=16: two.stream(link, drives, chunk, command, mps, write, mib),
            "nvme_share": lambda mps, write, mib=16: two.stream(link, drives, chunk, command, mps, write, mib, shared=True)}

    def run(name, mps, write, **less):
        t, called = time.time(), f"{name}.{'write' if write else 'read'}.{mps}"
        try:
            found = ways[name](mps, write, **less)
            return called, one.holds(found), str(found), time.time() - t
        except (RuntimeError, subprocess.CalledProcessError) as error:      # a wrong byte, say, or it does not build
            return called, False, str(error), time.time() - t
    for name in ways:           # each is built once, before two run at a time
        run(name, 256, False, mib=1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(name, mps, write) for name, mps in (("nvme", 128), ("nvme", 256), ("nvme_stripe", 256), ("nvme_share", 256)) for write in (False, True)]
        for found in pool.map(lambda r: run(*r), runs):
            note(*found)
    t = time.time()
    bad = record_rates.refused()
    note("nvme_record.a_refused_write_ends_it", not bad, str(bad), time.time() - t)


FAULT_SEEDS = (1, 2, 3, 4)      # of the faults of the NVMe host


def faults():
    """Random faults of the NVMe host, and that the quickest of the checks can fail: all of it is `make soak-nvme`."""
    import nvme_faults
    t = time.time()
    try:
        exe = nvme_faults.build(64)
    except RuntimeError as error:
        return note("faults.64", False, str(error), time.time() - t)
    note("faults.64", True, "", time.time() - t)
    # Several seeds: what one meets late, another may meet at once. Together they take what 400 faults of one seed take.
    for seed, (ok, said), seconds in at_once(lambda seed: nvme_faults.faults(exe, seed, 100), FAULT_SEEDS):
        note(f"faults.64.seed_{seed}", ok, said, seconds)
    for name, complaint in nvme_faults.PLANTS[:4]:
        t = time.time()
        ok, said = nvme_faults.faults(exe, 1, 300, name)
        note(f"faults.notices_{name}", not ok and complaint in nvme_faults.last(said), said, time.time() - t)


def planted_mutants():
    """Each planted mutant can still be planted: the text that it replaces is there once."""
    from mutants import PLANTED
    from nvme_faults import MUTANTS
    for name, file, old, *_ in (*PLANTED, *MUTANTS):
        found = (ROOT / "rtl" / file).read_text().count(old)
        note(f"mutants.{name}", found == 1, f"{file} has {found} times: {old}")


def crossings():
    """Every clock crossing of the RTL has its constraint, the Tcl of the constraints runs, and the checks find what is planted."""
    import crossings as of
    for name, check in [("every_one_is_constrained", of.whole), ("constraints_run", of.runs)] + [
            (f"finds_{p[0]}", functools.partial(of.planted, p[0])) for p in of.PLANTED]:
        t = time.time()
        try:
            said = check()
            note(f"crossings.{name}", said is not None or not name.startswith("finds_"), "the check is content", time.time() - t)
        except ImportError:
            note(f"crossings.{name}", None, "Python has no tkinter: Debian's python3-tk")
        except of.Wrong as e:
            note(f"crossings.{name}", False, str(e), time.time() - t)


def pages():
    """Figures in the pages are those that a program has written."""
    import tempfile
    import pages as of
    t = time.time()
    for name, check in [("figures", of.whole)] + [(f"finds_{p[0]}", functools.partial(of.planted, p[0])) for p in of.PLANTED]:
        try:
            with tempfile.TemporaryDirectory() as folder:
                said = check(folder) if name.startswith("finds_") else check()
            note(f"pages.{name}", said is not None or not name.startswith("finds_"), "the check is content", time.time() - t)
        except of.Wrong as e:
            note(f"pages.{name}", False, str(e), time.time() - t)


def ports():
    """The tops' streams and card memory are interfaces to vendors' tools, and what is not is found."""
    import ports as of
    for name, check in of.checks() + [(f"finds_{p[0]}", functools.partial(of.planted, p[0])) for p in of.PLANTED]:
        t = time.time()
        try:
            with tempfile.TemporaryDirectory() as folder:
                said = check(folder) if name.startswith("finds_") else check()
            note(f"ports.{name}", bool(said), "the check is content", time.time() - t)
        except of.Wrong as e:
            note(f"ports.{name}", False, str(e), time.time() - t)


def boards():
    """The tops, constraints and scripts of boards/, as far as they can be held without Vivado."""
    try:
        import tkinter      # noqa: F401 (for its Tcl)
    except ImportError:
        note("boards", None, "Python has no tkinter: Debian's python3-tk")
        return
    import boards
    import planted
    for name, check in boards.checks():
        t = time.time()
        try:
            check()
            note(f"boards.{name}", True, "", time.time() - t)
        except boards.Wrong as e:
            note(f"boards.{name}", False, str(e), time.time() - t)
    for name in planted.PLANTED:
        t = time.time()
        try:
            said = planted.planted(name)
            note(f"boards.finds_{name}", said is not None, "the check is content", time.time() - t)
        except boards.Wrong as e:
            note(f"boards.finds_{name}", False, f"without the fault: {e}", time.time() - t)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "scripts"))
    parts = dict(lint=lint, mutants=planted_mutants, soak=soak, edges=edges, ports=ports, boards=boards, crossings=crossings, pages=pages, proofs=proofs, yosys=yosys, nvme=nvme, faults=faults, sim=simulations)
    for name in sys.argv[1:] or parts:
        parts[name]()
    bad = [r for r in RESULTS if r[1] is False]
    for name, _, message in bad:
        print(f"---- {name}\n{message}")
    skipped = sum(r[1] is None for r in RESULTS)
    sys.stdout.flush()
    print(f"gateware: {len(RESULTS) - len(bad) - skipped} passed, {len(bad)} failed, {skipped} skipped")
    sys.exit(1 if bad else 0)
