#!/usr/bin/env python3
"""`lanescope bench disk` beside fio, in turn on the same file: rates, latencies, and CPU time for each block.

`bench_disk.py [PATH]` reads PATH, or a file of 1 GiB that it makes in `out/`. For each block and depth both run ROUNDS times,
one after the other; a line has the median of the ratios of rate, of the medians and the 99 % of latencies, and of the CPU time
for a block. It ends with 1 if a stated bound is broken. Standard library only; fio comes from the distribution.
"""

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
SECONDS, WARM_UP = 3, 1
BLOCKS = {"4KiB": 4096, "128KiB": 131072}
DEPTHS = [1, 4, 16, 64]
LEAST_RATE = 0.97
MOST_CPU = 1.0
# Depths whose latencies are compared, and by how much the median and the 99 % may differ.
COMPARED = [1, 16]
NEAR = {"p50": 0.05, "p99": 0.15}


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


def main():
    if shutil.which("fio") is None:
        print("skipped: fio is not there (apt-get install fio)")
        return 0
    subprocess.run(["cargo", "build", "--quiet", "--profile", "quick", "-p", "lanescope-cli"], cwd=ROOT, check=True)
    path = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "out" / "bench-disk.img")
    if len(sys.argv) < 2 and not Path(path).exists():
        Path(path).parent.mkdir(exist_ok=True)
        with open(path, "wb") as file:
            for _ in range(1024):
                file.write(os.urandom(1 << 20))
        os.sync()
    broken = 0
    print(f"random reads of {path}, medians of {ROUNDS} rounds in turn, lanescope over fio")
    print(f"{'block':>8} {'depth':>5} {'IOPS':>9} {'fio':>9} {'ratio':>6} {'median':>7} {'99 %':>6} {'CPU':>6}  us a block")
    for block in BLOCKS:
        for depth in DEPTHS:
            pairs = []
            for turn in range(ROUNDS):
                both = [ours, fio] if turn % 2 == 0 else [fio, ours]
                found = {run: run(path, block, depth) for run in both}
                pairs.append((found[ours], found[fio]))
            ratio = {key: statistics.median(one[key] / other[key] for one, other in pairs) for key in pairs[0][0]}
            own, other = (statistics.median(pair[side]["iops"] for pair in pairs) for side in (0, 1))
            cpu, cpu_fio = (statistics.median(pair[side]["cpu"] for pair in pairs) / 1e3 for side in (0, 1))
            wrong = [f"rate below {LEAST_RATE}"] if ratio["iops"] < LEAST_RATE else []
            wrong += [f"CPU above {MOST_CPU}"] if ratio["cpu"] > MOST_CPU else []
            if depth in COMPARED:
                wrong += [f"{key} by more than {most:.0%}" for key, most in NEAR.items() if abs(ratio[key] - 1) > most]
            broken += len(wrong)
            line = f"{block:>8} {depth:>5} {own:>9.0f} {other:>9.0f} {ratio['iops']:>6.2f} {ratio['p50']:>7.2f}"
            print(line + f" {ratio['p99']:>6.2f} {ratio['cpu']:>6.2f}  {cpu:.2f}, {cpu_fio:.2f}  {', '.join(wrong)}", flush=True)
    print(f"bench-disk: {broken} bounds broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
