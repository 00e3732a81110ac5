#!/usr/bin/env python3
"""`lanescope bench disk` beside fio, in turn on the same file: rates, latencies, and CPU time for each block.

`bench_disk.py [PATH...]` reads each PATH, or a file of 1 GiB that it makes in `out/`, and as root a loop device of that file as
well. For each block and depth both run ROUNDS times, one after the other, and fio a second time: a line has the median of the
ratios of rate, of the medians and the 99 % of latencies, and of the CPU time for a block. The line under it has the same of fio
over itself, which is what changes from run to run. Where that alone is more than a bound allows, the bound is not judged. It
ends with 1 if a bound is broken. Standard library only; fio comes from the distribution.

The loop device is read from one core, and the kernel's unbound work queues, which do its work, are kept on that core meanwhile.
With two cores a block is passed from one to the other and back; in a virtual machine such a wake-up costs more than the block.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "quick" / "lanescope"
ROUNDS = 5
SECONDS, WARM_UP = 2, 1
BLOCKS = {"4KiB": 4096, "128KiB": 131072}
DEPTHS = [1, 4, 16, 64]
LEAST_RATE = 0.97
MOST_CPU = 1.0
# Depths whose latencies are compared, and by how much the median and the 99 % may differ.
COMPARED = [1, 16]
NEAR = {"p50": 0.05, "p99": 0.15}
# By how much fio over itself may differ for a bound to be judged.
STEADY = {"iops": 0.03, "cpu": 0.03, **NEAR}
WORK_QUEUES = Path("/sys/devices/virtual/workqueue/cpumask")


def ours(path, block, depth):
    words = ["bench", "disk", path, "--block", block, "--depth", str(depth), "--pattern", "random", "--json"]
    words += ["--time", f"{SECONDS}s", "--warm-up", f"{WARM_UP}s"]
    answer = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True)
    run = json.loads(answer.stdout)["runs"][0]
    latency = run["latency"]
    return {
        "iops": run["iops"],
        "p50": latency["p50_ns"],
        "p99": latency["p99_ns"],
        "cpu": run["drives"][0]["cpu_ns_per_block"],
    }


def fio(path, block, depth):
    words = ["--name=read", f"--filename={path}", "--rw=randread", f"--bs={BLOCKS[block]}", f"--iodepth={depth}"]
    words += ["--ioengine=io_uring", "--registerfiles=1", "--fixedbufs=1", "--direct=1", "--time_based", "--norandommap"]
    words += ["--randrepeat=0", f"--runtime={SECONDS}", f"--ramp_time={WARM_UP}", "--output-format=json", "--thread=1"]
    # From before the submission to the end, as ours: fio prints by default what is after the submission.
    words += ["--lat_percentiles=1", "--clat_percentiles=0"]
    answer = subprocess.run(["fio", *words], capture_output=True, text=True, check=True)
    job = json.loads(answer.stdout)["jobs"][0]
    read = job["read"]
    latency = read["lat_ns"]["percentile"]
    spent = (job["usr_cpu"] + job["sys_cpu"]) / 100 * read["runtime"] * 1e6
    return {"iops": read["iops"], "p50": latency["50.000000"], "p99": latency["99.000000"], "cpu": spent / read["total_ios"]}


def again(path, block, depth):
    return fio(path, block, depth)


@contextlib.contextmanager
def one_core():
    """This process, its children and the kernel's unbound work queues on one core."""
    cores, mask = os.sched_getaffinity(0), WORK_QUEUES.read_text()
    try:
        os.sched_setaffinity(0, {min(cores)})
        WORK_QUEUES.write_text(f"{1 << min(cores):x}")
        yield
    finally:
        WORK_QUEUES.write_text(mask)
        os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def loop_device(path):
    """The name of a loop device of `path` that is only read, or nothing and why."""
    answer = subprocess.run(["losetup", "--read-only", "--find", "--show", path], capture_output=True, text=True)
    if answer.returncode:
        yield None, answer.stderr.strip()
        return
    name = answer.stdout.strip()
    try:
        yield name, None
    finally:
        subprocess.run(["losetup", "--detach", name], check=True)


def wrongs(depth, ratio, storage):
    """The bounds that `ratio` breaks, and those that cannot be judged because fio over itself, `storage`, differs as much."""
    bounds = {"iops": (ratio["iops"] < LEAST_RATE, f"rate below {LEAST_RATE}"), "cpu": (ratio["cpu"] > MOST_CPU, f"CPU above {MOST_CPU}")}
    if depth in COMPARED:
        bounds |= {key: (abs(ratio[key] - 1) > most, f"{key} by more than {most:.0%}") for key, most in NEAR.items()}
    varies = [key for key in bounds if abs(storage[key] - 1) > STEADY[key]]
    return [words for key, (broken, words) in bounds.items() if broken and key not in varies], varies


def compare(path):
    """Prints the rows of `path`. Returns how many bounds were broken."""
    broken = 0
    print(f"random reads of {path}, medians of {ROUNDS} rounds in turn, lanescope over fio")
    print(f"{'block':>8} {'depth':>5} {'IOPS':>9} {'fio':>9} {'ratio':>6} {'median':>7} {'99 %':>6} {'CPU':>6}  us a block")
    for block in BLOCKS:
        for depth in DEPTHS:
            rounds = []
            for turn in range(ROUNDS):
                order = [ours, fio, again]
                order = order[turn % 3 :] + order[: turn % 3]
                rounds.append({run: run(path, block, depth) for run in order})
            ratio, storage = (
                {key: statistics.median(one[run][key] / one[fio][key] for one in rounds) for key in rounds[0][fio]}
                for run in (ours, again)
            )
            middle = {
                run: {key: statistics.median(one[run][key] for one in rounds) for key in ("iops", "cpu")} for run in (ours, fio, again)
            }
            wrong, varies = wrongs(depth, ratio, storage)
            broken += len(wrong)
            told = [f"not judged: {', '.join(varies)}"] if varies else []
            for name, run, ratios, found in [(f"{block:>8} {depth:>5}", ours, ratio, wrong), (f"{'fio':>14}", again, storage, told)]:
                rates = f"{name} {middle[run]['iops']:>9.0f} {middle[fio]['iops']:>9.0f} {ratios['iops']:>6.2f}"
                times = f"{ratios['p50']:>7.2f} {ratios['p99']:>6.2f} {ratios['cpu']:>6.2f}"
                cpu = f"{middle[run]['cpu'] / 1e3:.2f}, {middle[fio]['cpu'] / 1e3:.2f}"
                print(f"{rates} {times}  {cpu}  {', '.join(found)}", flush=True)
    return broken


def main():
    if shutil.which("fio") is None:
        print("skipped: fio is not there (apt-get install fio)")
        return 0
    subprocess.run(["cargo", "build", "--quiet", "--profile", "quick", "-p", "lanescope-cli"], cwd=ROOT, check=True)
    if len(sys.argv) > 1:
        broken = sum(compare(path) for path in sys.argv[1:])
    else:
        made = ROOT / "out" / "bench-disk.img"
        if not made.exists():
            made.parent.mkdir(exist_ok=True)
            with open(made, "wb") as file:
                for _ in range(1024):
                    file.write(os.urandom(1 << 20))
            os.sync()
        broken = compare(str(made))
        with loop_device(made) as (name, why):
            if name is None:
                print(f"no loop device: {why}")
            else:
                made.read_bytes()
                print("on one core:")
                with one_core():
                    broken += compare(name)
    print(f"bench-disk: {broken} bounds broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
