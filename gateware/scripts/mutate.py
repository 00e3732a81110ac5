# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do the proofs and a short suite notice when the RTL is wrong? Each mutant (mutants.py) is put into a copy of the tree;
the lint, then the proofs of its module, then simulations look at it, and the first that fails has caught it.

`mutate.py --seed 1 --count 200` draws 200 beside the planted ones; `--planted` takes only those. Results go to
build/mutate/SEED.jsonl, a line each; what is there already is not run again. `--minutes` ends it in time, `--jobs` as many
at once. At the end: the share caught of those that are not shown equivalent, and the survivors."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutants  # noqa: E402
import proofs  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build/mutate"
CLEAN, CLEAN_LOCK = {}, Lock()  # step: whether it passes without a mutant
SECONDS = 400                   # of one step; a mutant that hangs is caught by it
CORE = ["reads_from_host_at_any_address", "ring_reads_random", "ring_writes_random", "interrupts_by_count_and_time",
        "short_frames_end_their_descriptor", "rings_of_every_size_and_phase", "lengths_are_those_that_the_host_allows",
        "pushed_descriptors", "faults_of_completions", "who_sleeps_hears_of_a_failed_fetch", "registers_of_the_user",
        "counters_add_up", "tags_are_those_that_the_host_allows", "everything_at_once",
        "nothing_leaves_while_bus_mastering_is_off", "abort_leaves_a_channel_usable", "attributes_are_settings"]
# A test that is named is run though the bench would skip it, so each block has its own.
BOTH = ["rings_and_window", "ring_reads_random", "ring_writes_random", "an_atomic_request_is_answered_once",
        "completions_go_first", "credits_at_the_minimum", "answers_while_writes_are_refused", "registers_of_the_user",
        "a_function_level_reset_is_as_a_reset"]
OF_7S = BOTH + ["poisoned_writes"]
OF_USP = BOTH + ["what_fits_no_request_ends_none", "what_the_block_breaks_off_is_not_delivered_as_good"]
OF_WIDE = OF_USP + ["tlps_that_share_a_beat_keep_their_bytes"]
SEVEN, USP = "ls_top_7s_Width128_TwoClocks0", "ls_top_usp_Width64_TwoClocks0"
WIDE = "ls_top_usp_Width256_TwoClocks1_Straddle1"
# File: the simulations (a bench, its tests) that are apt to see it. Others: the bare engine, narrow, then wide.
NARROW, BROAD = ("ls_core_Width64_MaxPayload1024", CORE), ("ls_core_Width256_MaxPayload1024", CORE)
BY_FILE = {
    "ls_shim_7s.sv": [(SEVEN, OF_7S)], "ls_unstraddle.sv": [(SEVEN, OF_7S)], "ls_top_7s.sv": [(SEVEN, OF_7S)],
    "ls_shim_usp.sv": [(USP, OF_USP), (WIDE, OF_WIDE)], "ls_top_usp.sv": [(USP, OF_USP)],
    "ls_hdr_insert.sv": [(SEVEN, OF_7S), (USP, OF_USP)], "ls_hdr_strip.sv": [(SEVEN, OF_7S), (USP, OF_USP)],
    "ls_flr.sv": [(SEVEN, OF_7S), (WIDE, OF_WIDE)], "ls_usp_ext_tag.sv": [("ls_usp_ext_tag", [])],
    "ls_desc_ring.sv": [("ls_desc_ring_Width64", []), NARROW, BROAD], "ls_desc_order.sv": [("ls_desc_ring_Width64", []), NARROW, BROAD],
    "ls_straddle_out.sv": [("ls_top_usp_Width512_TwoClocks0_Straddle1", OF_WIDE)], "ls_straddle_in.sv": [("ls_top_usp_Width512_TwoClocks0_Straddle1", OF_WIDE), (WIDE, OF_WIDE)],
    **{f"ls_{n}.sv": [(WIDE, OF_WIDE)] for n in ("async_fifo", "cross", "reg_cross", "pulse_cross", "engine")},
}


def steps(file):
    """(name, command) in the order in which they are tried."""
    yield "lint", ["sh", "-c", "for t in ls_core ls_top_7s ls_top_usp; do verilator --quiet --lint-only -Wno-lint -Wno-style -sv "
                   "--timing rtl/ls_pkg.sv $(ls rtl/ls_*.sv | grep -v ls_pkg) --top $t || exit 1; done"]
    module = file[:-3]
    for spec in proofs.PROOFS:
        if spec["top"] == module:
            yield f"proof {spec['name']}", ["python", "scripts/proofs.py", "--only", spec["name"]]
    if file not in BY_FILE or BY_FILE[file][-1] == BROAD:   # what the bare engine has: built once, and run fast
        yield "soak 64", ["python", "scripts/soak.py", "--width", "64", "--cycles", "300000"]
    for bench, tests in BY_FILE.get(file, [NARROW, BROAD]):
        yield f"sim {bench}", ["python", "scripts/sim.py", "--until-failure", bench, *tests]


def copy(place):
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    for part in ("rtl", "tb", "formal", "scripts", "models", "examples", "boards", "docs", "bench", "soak"):
        shutil.copytree(ROOT / part, place / part)
    (place / ".venv").symlink_to((ROOT / ".venv").resolve())
    return place


def attempt(command, place, seconds=SECONDS):
    """(whether it failed, what it said). A step that takes too long has failed; one that fails without saying which
    test, which property or which assertion did has said nothing of the mutant."""
    shutil.rmtree(place / "build/sim", ignore_errors=True)
    p = subprocess.Popen(["nice", "scripts/env.sh", *command], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", start_new_session=True)
    try:
        said, _ = p.communicate(timeout=seconds)
        failed = p.returncode != 0
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return True, f"no end in {seconds} s"
    # An assertion ends a simulation before it can list its tests: then it is the log that says so.
    for log in place.glob("build/sim/*/*.log"):
        said += "\n" + "\n".join(l[l.find("Assertion"):] for l in log.read_text(errors="replace").split("\n") if "Assertion failed" in l)
    which = [l for l in said.split("\n") if l.startswith(("FAIL", "Assertion failed"))]
    if failed and not which and "verilator" not in command[-1]:
        raise RuntimeError(said[-2000:])
    return failed, which[0][:300] if which else said[-300:] if failed else ""


def judge(mutant, place):
    """A line of results."""
    shutil.rmtree(place / "rtl")
    shutil.copytree(ROOT / "rtl", place / "rtl")
    mutants.apply(mutant, place)
    t, out = time.time(), dict(mutant._asdict())
    for name, command in steps(mutant.file):
        failed, said = attempt(command, place)
        if failed:
            # A step that fails without a mutant too has noticed nothing: it is looked at once.
            with CLEAN_LOCK:
                if name not in CLEAN:
                    shutil.rmtree(place / "rtl")
                    shutil.copytree(ROOT / "rtl", place / "rtl")
                    CLEAN[name] = not attempt(command, place)[0]
            if not CLEAN[name]:
                raise RuntimeError(f"{name} fails without a mutant")
            caught = "stillborn" if name == "lint" else "caught"
            return dict(out, result=caught, by=name, said=said, seconds=round(time.time() - t))
    key = (mutant.file, mutant.new.strip())
    if key in mutants.EQUIVALENT:
        return dict(out, result="equivalent", by=mutants.EQUIVALENT[key], seconds=round(time.time() - t))
    return dict(out, result="survived", by="", seconds=round(time.time() - t))


def report(results):
    count = {k: [r for r in results if r["result"] == k] for k in ("caught", "survived", "equivalent", "stillborn")}
    for r in results:
        if r["result"] == "survived":
            print(f"survived {r['name']} {r['what']} {r['file']}:{r['nth']}\n  - {r['old'].strip()}\n  + {r['new'].strip()}")
    told = len(count["caught"]) + len(count["survived"])
    print(f"mutants: {len(count['caught'])} of {told} caught ({100 * len(count['caught']) / max(1, told):.1f} %), "
          f"{len(count['equivalent'])} shown equivalent, {len(count['stillborn'])} no RTL at all")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--minutes", type=float, default=180)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / ("planted.jsonl" if args.planted else f"{args.seed}.jsonl")
    results = [json.loads(l) for l in file.read_text().split("\n") if l] if file.exists() else []
    known = {(r["name"], r["file"], r["new"]) for r in results}
    todo = mutants.planted() + ([] if args.planted else mutants.drawn(args.seed, args.count))
    todo = [m for m in todo if (m.name, m.file, m.new) not in known]
    end, places = time.time() + 60 * args.minutes, Queue()
    for i in range(args.jobs):
        places.put(copy(OUT / f"job{i}_{os.getpid()}"))

    def one(m):
        if time.time() > end:
            return
        place = places.get()
        try:
            r = judge(m, place)
        except RuntimeError as e:           # no result: it is run again next time
            print(f"no result for {m.name}: {e}", flush=True)
            return
        finally:
            places.put(place)
        results.append(r)
        with file.open("a") as f:
            f.write(json.dumps(r) + "\n")
        print(f"{r['result']} {r['name']} {r['file']} {r['what']} by {r['by']} ({r['seconds']} s) {r.get('said', '')[:150]}", flush=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, todo))
    while not places.empty():
        shutil.rmtree(places.get())
    report(results)
    sys.exit(any(r["result"] == "survived" for r in results))


if __name__ == "__main__":
    main()
