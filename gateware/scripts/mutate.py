# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do the proofs and a short suite notice when the RTL is wrong? Each mutant (mutants.py) is put into a copy of the tree;
the lint, random traffic, the proofs of its module, then simulations look at it, and the first that fails has caught it.

`mutate.py --seed 1 --count 200` draws 200 beside the planted ones; `--planted` takes only those. Results go to
build/mutate/SEED_RTL.jsonl, a line each (kept.py); what is there already is neither drawn nor run again. `--minutes` ends it in time, `--jobs` as many
at once. At the end: the share caught of those that are not shown equivalent, and the survivors."""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import Queue
from threading import Lock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutants  # noqa: E402
from kept import OUT, Kept  # noqa: E402
import proofs  # noqa: E402
import schemata  # noqa: E402
import soak  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CLEAN, CLEAN_LOCK = {}, Lock()  # step: whether it passes without a mutant
SECONDS = 200                   # of CPU, of each program of a step; a simulation that hangs is caught by it
RATES = ["a_lone_command_is_a_tlp_in_no_more_cycles_than_is_said", "short_transfers_follow_each_other_without_a_gap"]
CORE = ["reads_from_host_at_any_address", "ring_reads_random", "ring_writes_random", "interrupts_by_count_and_time",
        "short_frames_end_their_descriptor", "rings_of_every_size_and_phase", "lengths_are_those_that_the_host_allows",
        "pushed_descriptors", "faults_of_completions", "who_sleeps_hears_of_a_failed_fetch", "registers_of_the_user",
        "counters_add_up", "tags_are_those_that_the_host_allows", "everything_at_once",
        "nothing_leaves_while_bus_mastering_is_off", "abort_leaves_a_channel_usable", "attributes_are_settings", "faults_of_descriptors",
        "what_claims_more_than_its_request_hides_no_gap", "what_brings_more_than_it_says_is_not_written",
        "ring_and_port_take_turns", "an_abort_of_nothing_gives_no_frame",
        "cycles_that_wait_for_descriptors_are_counted_as_such", "stray_completions_are_dropped", *RATES]
# What is named below is asked of each block, which `make test` leaves out at some widths (benches.py).
os.environ["DEEP"] = "1"
# A test that is named is run though the bench would skip it, so each block has its own.
BOTH = ["rings_and_window", "ring_reads_random", "ring_writes_random", "an_atomic_request_is_answered_once",
        "completions_go_first", "credits_at_the_minimum", "answers_while_writes_are_refused", "registers_of_the_user",
        "a_function_level_reset_is_as_a_reset"]
OF_7S = BOTH + ["poisoned_writes", "a_bar_of_64_bit_has_its_lower_number"]
OF_USP = BOTH + ["what_fits_no_request_ends_none", "what_the_block_breaks_off_is_not_delivered_as_good"]
OF_WIDE = OF_USP + ["tlps_that_share_a_beat_keep_their_bytes"]
SEVEN, USP = "ls_top_7s_Width128_TwoClocks0", "ls_top_usp_Width64_TwoClocks0"
WIDE = "ls_top_usp_Width256_TwoClocks1_Straddle1"
# File: the simulations (a bench, its tests) that are apt to see it. Others: the bare engine, narrow, then wide.
NARROW, BROAD = ("ls_core_Width64_MaxPayload1024", CORE), ("ls_core_Width256_MaxPayload1024", CORE)
LINK = ("link_parts", "link_pair_ReplayBytes1024", "link_pair_ReplayBytes4096", "core_pair")
BY_FILE = {
    "ls_shim_7s.sv": [(SEVEN, OF_7S)], "ls_unstraddle.sv": [(SEVEN, OF_7S)], "ls_top_7s.sv": [(SEVEN, OF_7S), ("ls_top_7s_Width64_Msi1", [])],
    **{f"ls_{n}.sv": [(SEVEN, OF_7S)] for n in ("7s_tx", "7s_rx")},
    **{f"ls_{n}.sv": [(USP, OF_USP), (WIDE, OF_WIDE), ("ls_top_usp_Width512_TwoClocks0_Straddle1", OF_WIDE)] for n in ("shim_usp", "usp_tx", "usp_rx")},
    "ls_top_usp.sv": [(USP, OF_USP)],
    "ls_hdr_insert.sv": [(SEVEN, OF_7S), (USP, OF_USP)], "ls_hdr_strip.sv": [(SEVEN, OF_7S), (USP, OF_USP)],
    "ls_flr.sv": [(SEVEN, OF_7S), (WIDE, OF_WIDE)], "ls_usp_ext_tag.sv": [("ls_usp_ext_tag", [])],
    "ls_desc_ring.sv": [("ls_desc_ring_Width64", []), NARROW, BROAD, ("mm_Width64", [])], "ls_desc_order.sv": [("ls_desc_ring_Width64", []), NARROW, BROAD],
    "ls_straddle_out.sv": [("ls_top_usp_Width512_TwoClocks0_Straddle1", OF_WIDE)], "ls_straddle_in.sv": [("ls_top_usp_Width512_TwoClocks0_Straddle1", OF_WIDE), (WIDE, OF_WIDE)],
    **{f"ls_{n}_engine.sv": [NARROW, BROAD, ("ls_core_Width512_MaxPayload1024", RATES)] for n in ("read", "write")},
    **{f"ls_{n}.sv": [NARROW, BROAD, ("ls_core_Width64_Msi1", []), ("ls_top_usp_Width64_Msi1", [])] for n in ("core", "msix", "csr")},
    "ls_reg_ram.sv": [NARROW, ("channels_Width64_H2c8_C2h8", [])],      # whose memory is of the other kind
    "ls_msi.sv": [("ls_top_7s_Width64_Msi1", []), ("ls_top_usp_Width64_Msi1", []), ("ls_top_usp_Width512_Msi1_MaxPayload1024_FlrRest4000_Straddle1", [])],
    "ls_axi_fifo.sv": [("axi_fifo_Width64", [])],
    **{f"ls_mm_{n}.sv": [("mm_Width64", [])] for n in ("cut", "ports", "read", "report", "write")},
    **{f"link/ls_{n}.sv": [(bench, []) for bench in LINK] for n in ("dllp_rx", "link", "link_fc", "link_tx", "replay", "tlp_rx")},
    **{f"phy/ls_{n}.sv": [(bench, []) for bench in ("phy_parts", "mac_pair_MsCycles100_", "mac_pair_MsCycles1000", "core_pair")] for n in ("elastic", "ltssm", "mac", "os_rx", "phy_tx", "scramble", "unframe")},
    **{f"tl/ls_tl{n}.sv": [("tl_end", []), ("ep_pair", [])] for n in ("", "_buffer", "_cfg", "_order", "_pkg", "_route", "_rx", "_tx", "_unpack")},
    **{f"ls_{n}.sv": [(WIDE, OF_WIDE)] for n in ("async_fifo", "cross", "cmd_cross", "reg_cross", "pulse_cross", "engine")},
}


# Parts that are proved together, under another name.
PROVED_BY = {"ls_straddle_in": "ls_straddle", "ls_straddle_out": "ls_straddle"}
PROVED_TOO = {"ls_axi_fifo": "ls_axi_order"}     # by a second property file
SHORT = re.compile("ls_shim|ls_straddle")        # proofs to a depth that take no longer than the others
CHANNELS = "channels_Width64_H2c2_C2h2"
OF_SEVERAL = {f"ls_{n}.sv" for n in ("core", "channel", "arb", "rq_mux", "cpl_route", "fetch", "uses", "bar0", "csr", "messages", "msix", "tx_mux", "desc_order")}


def below(module, seen):
    """A module and all that it is made of."""
    if module not in seen:
        seen.add(module)
        text = next((ROOT / "rtl").rglob(f"{module}.sv")).read_text()
        for part in set(re.findall(r"^\s*(ls_\w+) (?:#\(|u_)", text, re.M)):
            below(part, seen)
    return seen


def steps(file):
    """(name, command, whether it is cheap) in the order in which they are tried: the cheap ones with all mutants first."""
    module, core, by_lint = Path(file).stem, below("ls_core", set()), ["ls_core"]
    if module not in core:
        by_lint = [t for t in ("ls_top_7s", "ls_top_usp", "ls_usp_ext_tag", "ls_mac", "ls_link", "ls_tl") if module in below(t, set())]
    for top in by_lint:
        yield f"lint {top}", ["sh", "-c", "verilator --quiet --lint-only -Wno-lint -Wno-style -Wwarn-SELRANGE -sv --timing $(find rtl -name 'ls_*_pkg.sv' | sort) "
                              f"rtl/ls_pkg.sv $(find rtl -name 'ls_*.sv' | grep -v _pkg) --top {top}"], True
    soaked = (module in core or module == "ls_flr") and not module.startswith("ls_mm_")      # that has streams
    if soaked:          # random traffic: quick to build and to run
        for width in (64, 256):
            yield f"soak {width}", ["python", "scripts/soak.py", "--width", str(width), "--cycles", "500000", "--frames", "0"], True
    proved = [spec for spec in proofs.PROOFS if spec["top"] in (PROVED_BY.get(module, module), PROVED_TOO.get(module))]
    for spec in proved:
        if spec["mode"] == "prove" or SHORT.match(spec["name"]):
            yield f"proof {spec['name']}", ["python", "scripts/proofs.py", "--only", spec["name"]], True
    sims = BY_FILE.get(file, [NARROW, BROAD]) + ([(CHANNELS, [])] if file in OF_SEVERAL else [])
    for bench, tests in sims:
        yield f"sim {bench}", ["python", "scripts/sim.py", "--until-failure", bench, *tests], False
    if soaked:          # seldom sees what the other two widths did not
        for width in (128, 512):
            yield f"soak {width}", ["python", "scripts/soak.py", "--width", str(width), "--cycles", "1000000", "--frames", "0"], False
    for spec in proved:         # to a depth: what takes longest
        if spec["mode"] != "prove" and not SHORT.match(spec["name"]):
            yield f"proof {spec['name']}", ["python", "scripts/proofs.py", "--only", spec["name"]], False


def copy(place):
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    for part in ("rtl", "tb", "formal", "scripts", "models", "examples", "boards", "docs", "bench", "soak"):
        shutil.copytree(ROOT / part, place / part)
    (place / ".venv").symlink_to((ROOT / ".venv").resolve())
    for beside in ("python", "examples"):       # of the project, which the benches of the core read
        if not (place.parent / beside).exists():
            (place.parent / beside).symlink_to((ROOT / ".." / beside).resolve())
    return place


def limits():
    """Seconds of CPU, and not of the clock: what else the machine does is no fault of the mutant."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def attempt(command, place, seconds=20 * SECONDS, keep=False):
    """(whether it failed, what it said). A simulation that takes too long has failed; a step that fails without saying
    which test, which property or which assertion did has said nothing of the mutant."""
    if not keep:
        shutil.rmtree(place / "build/sim", ignore_errors=True)
    p = subprocess.Popen(["nice", "scripts/env.sh", *command], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", process_group=0, preexec_fn=limits, env=dict(os.environ, OBJECTS=str(ROOT / "build/objects")))
    try:
        said, _ = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        raise RuntimeError(f"{command} has not ended in {seconds} s") from None
    # An assertion ends a simulation before it can list its tests: then it is the log that says so.
    for log in place.glob("build/sim/*/*.log"):
        said += "\n" + "\n".join(l[l.find("Assertion"):] for l in log.read_text(errors="replace").split("\n") if "Assertion failed" in l)
    which = [l for l in said.split("\n") if l.startswith(("FAIL", "Assertion failed"))]
    if "scripts/proofs.py" in command and "DONE (ERROR" in said:        # it was not read, or a solver was ended
        return False, ""
    if p.returncode and not which and "scripts/sim.py" in command and ("SIGXCPU" in said or "SIGKILL" in said):
        which = [f"no end in {SECONDS} s of CPU"]
    if p.returncode and not which and "verilator" not in command[-1]:
        raise RuntimeError(said[-2000:])
    return p.returncode != 0, which[0][:300] if which else said[-300:] if p.returncode else ""


def judge(mutant, place, passed, cheap):
    """A line of results; `open` if only the cheap steps were tried and all passed."""
    fresh(place)
    mutants.apply(mutant, place)
    t, out, passed = time.time(), dict(mutant._asdict()), list(passed)
    for name, command, quick in steps(mutant.file):
        if name in passed or (cheap and not quick):
            continue
        failed, said = attempt(command, place)
        if failed:
            # A step that fails without a mutant too has noticed nothing: it is looked at once.
            with CLEAN_LOCK:
                if name not in CLEAN:
                    fresh(place)
                    CLEAN[name] = not attempt(command, place)[0]
            if not CLEAN[name]:
                raise RuntimeError(f"{name} fails without a mutant")
            caught = "stillborn" if name.startswith("lint") else "caught"
            return dict(out, result=caught, by=name, said=said, passed=passed, seconds=round(time.time() - t))
        passed.append(name)
    out.update(passed=passed, seconds=round(time.time() - t))
    if cheap:
        return dict(out, result="open", by="", quick=True)      # all that is quick was tried
    if key(mutant) in mutants.EQUIVALENT:
        return dict(out, result="equivalent", by=mutants.EQUIVALENT[key(mutant)])
    return dict(out, result="survived", by="")


def key(mutant):
    return mutants.key(mutant.file, mutant.nth, mutant.new)


def together(name, command, todo, place):
    """(mutant, whether it is caught, what was said) of those that a build of all of them can show (schemata.py)."""
    avoid, step = set(), name.split()[0]
    while True:
        texts, numbers = schemata.schemata([m for m in todo if m not in avoid])
        left = [m for m in todo if m not in avoid]
        if not numbers:
            return
        fresh(place)
        for file, text in texts.items():
            (place / "rtl" / file).write_text(text)
        if step == "soak":
            build = ["sh", "bench/build.sh", command[3], "soak"]
        else:
            build = command
        p = subprocess.run(["nice", "scripts/env.sh", *build], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", env=dict(os.environ, OBJECTS=str(ROOT / "build/objects")))
        log = p.stdout + "".join(f.read_text(errors="replace") for f in place.glob("build/sim/*/build.log"))
        wrong = {(f, int(n)) for f, n in re.findall(r"%Error[^\n]*?(ls_\w+\.sv):(\d+)", log)}
        if not p.returncode:
            break
        refused = {m for m in numbers if any(f == Path(m.file).name and abs(n - m.nth) <= 12 for f, n in wrong)}
        if not refused:
            raise RuntimeError(f"{name}: a build of many mutants fails\n{log[-3000:]}")
        near = {m for m in refused if any(f == Path(m.file).name and n == m.nth for f, n in wrong)}
        avoid |= near or refused
    for m, number in sorted(numbers.items(), key=lambda x: x[1]):
        if step == "soak":
            run = ["sh", "-c", f"build/bench/soak{command[3]}/Vtop +mutant={number} --seed {soak.SEED} --cycles {command[5]} || "
                               "{ rc=$?; echo FAIL, exit $rc; exit 1; }"]
        else:
            run = [*command[:3], "--built", f"+mutant={number}", *command[3:]]
        try:
            yield m, *attempt(run, place, keep=True)
        except RuntimeError as e:
            print(f"no result for {m.name}: {str(e)[-300:]}", flush=True)
    yield from together(name, command, [m for m in left if m not in numbers], place)


def fresh(place):
    shutil.rmtree(place / "rtl")
    shutil.copytree(ROOT / "rtl", place / "rtl")


def report(results):
    count = {k: [r for r in results if r["result"] == k] for k in ("caught", "survived", "equivalent", "stillborn", "open")}
    for r in results:
        if r["result"] == "survived":
            print(f"survived {r['name']} {r['what']} {r['file']}:{r['nth']}\n  - {r['old'].strip()}\n  + {r['new'].strip()}")
    told = len(count["caught"]) + len(count["survived"])
    print(f"mutants: {len(count['caught'])} of {told} caught ({100 * len(count['caught']) / max(1, told):.1f} %), "
          f"{len(count['equivalent'])} shown equivalent, {len(count['stillborn'])} no RTL at all, "
          f"{len(count['open'])} not looked at to the end")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--minutes", type=float, default=180)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="survivors are looked at once more")
    args = parser.parse_args()
    kept = Kept("planted" if args.planted else args.seed)
    results = kept.results
    every = ([] if args.planted else kept.draw(args.seed, args.count)) + mutants.planted()      # each of those is built by itself
    every.sort(key=lambda m: key(m) in mutants.EQUIVALENT)
    end, places = time.time() + 60 * args.minutes, Queue()
    for i in range(args.jobs):
        places.put(copy(OUT / f"job{i}_{os.getpid()}"))

    def one(m, cheap):
        before = results.get(Kept.of(m), {"result": "open", "passed": []})
        again = args.again and before["result"] == "survived" and not cheap
        if time.time() > end or not (again or before["result"] == "open" and not (cheap and before.get("quick"))):
            return
        place = places.get()
        try:
            r = judge(m, place, [] if again else before["passed"], cheap)
        except RuntimeError as e:           # no result: it is run again next time
            print(f"no result for {m.name}: {str(e)[-300:]}", flush=True)
            return
        finally:
            places.put(place)
        kept.add(r)
        print(f"{r['result']} {r['name']} {r['file']} {r['what']} by {r['by']} ({r['seconds']} s) {r.get('said', '')[:150]}", flush=True)

    def many(name, command):
        """A step with all that are open and want it."""
        open_now = {}
        for m in every:
            r = results.get(Kept.of(m), dict(m._asdict(), result="open", passed=[]))
            if r["result"] == "open" and m.nth and name not in r["passed"] and name in [s[0] for s in steps(m.file)]:
                open_now[m] = r
        place = places.get()
        try:
            for m, failed, said in together(name, command, list(open_now), place):
                r = open_now[m]
                r = dict(r, by=name, said=said, result="caught") if failed else dict(r, by="", passed=r["passed"] + [name])
                kept.add(r)
                print(f"{r['result']} {m.name} {m.file} {m.what} by {r['by']} {said[:150]}", flush=True)
                if time.time() > end:
                    break
        except RuntimeError as e:           # then each is built by itself
            print(str(e)[-2000:], flush=True)
        finally:
            places.put(place)

    for cheap in (True, False):
        for name, command in {s[0]: s[1] for m in every for s in steps(m.file) if s[2] == cheap and s[0].startswith(("soak", "sim"))}.items():
            if time.time() < end:
                many(name, command)
        with ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(partial(one, cheap=cheap), every))
    while not places.empty():
        shutil.rmtree(places.get())
    now = [results[Kept.of(m)] for m in every if Kept.of(m) in results]
    for r in now:       # what is held for equivalent may have become so since
        if r["result"] == "survived" and mutants.key(r["file"], r["nth"], r["new"]) in mutants.EQUIVALENT:
            r.update(result="equivalent")
    report(now)
    sys.exit(len(now) != len(every) or any(r["result"] in ("survived", "open") for r in now))


if __name__ == "__main__":
    main()
