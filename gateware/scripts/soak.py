# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Random traffic through the engine, in Verilated C++ (soak/): ten million cycles at each width, with faults, aborts,
bus-master changes, function-level resets and changing sizes, every byte and every report compared.

At 64 bit, a million short frames into calls of several descriptors, too: none may be lost, and their order is theirs.

`soak.py [--cycles N] [--width W ...] [--frames N] [--seed S]`; the seed is fixed if none is given. What fails is told with its seed
and its cycle; `--trace FILE --width W --seed S --cycles CYCLE` runs it once more and keeps the last 20,000 cycles before that.
`--minutes M` is another long run: the bounded proofs to a greater depth, then the tests of cocotb with seeds of their own
until time is up; each is printed before it starts, and `--minutes M --seed S` repeats one."""

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

ROOT = Path(__file__).resolve().parent.parent
WIDTHS = (64, 128, 256, 512)
SEED = 20261


def program(width, kind="soak"):
    """Its path; built where something is newer."""
    p = subprocess.run(["sh", "bench/build.sh", str(width), kind], cwd=ROOT, capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(f"soak at {width} bit cannot be built\n" + p.stdout[-1000:] + p.stderr[-3000:])
    return ROOT / p.stdout.strip().split("\n")[-1]


def traffic(width, cycles, seed=SEED, plant=None, frames=0):
    """(whether all went well, what it said); with `frames`, that many of the card into calls, and nothing else."""
    more = (["--plant", plant] if plant else []) + (["--frames", str(frames)] if frames else [])
    p = subprocess.run([program(width), "--seed", str(seed), "--cycles", str(cycles), *more], capture_output=True, text=True)
    return p.returncode == 0, (p.stdout + p.stderr).strip()


def again(said, width, seed):
    """How a failure is repeated with a trace."""
    at = [w for w in said.split("\n") if w.startswith("FAIL width")]
    cycle = at[0].split()[6] if at else "CYCLE"
    return f'once more, with a trace: make soak ARGS="--trace soak.fst --width {width} --seed {seed} --cycles {cycle}"'


def trace(width, cycles, seed, file):
    p = subprocess.run([program(width, "trace"), "--seed", str(seed), "--cycles", str(cycles + 1), "--trace", file,
                        "--from", str(max(0, cycles - 20000))])
    print(f"{file}: cycles {max(0, cycles - 20000)} to {cycles}")
    return p.returncode


def others(minutes, seed):
    """The deep proofs, then cocotb's tests with other seeds."""
    import benches
    import proofs
    import sim
    passed = failed = 0
    if seed is None:
        for spec in proofs.PROOFS:
            if spec["soak"]:
                for shown, ok, said in proofs.run(spec, soak=True):
                    print("ok  " if ok else "FAIL", f"proof.{spec['name']}: {shown}", flush=True)
                    passed += ok
                    failed += not ok
                    if not ok:
                        print(said)
    end, one = time.time() + 60 * minutes, seed is not None
    seed = seed if one else random.SystemRandom().randrange(1 << 31)
    while True:
        for bench in benches.BENCHES:
            print(f"seed {seed} {bench['top']} {bench['params']}", flush=True)
            env = dict(bench.get("env", {}), SEED=str(seed), SOAK="1")
            for name, ok, seconds, message in sim.run(**dict(bench, env=env)):
                passed += ok is True
                failed += ok is False
                if ok is False:
                    print(f"FAIL {name} seed {seed}\n{message}", flush=True)
            if time.time() > end:
                break
        if one or time.time() > end:
            return passed, failed
        seed = (seed * 1103515245 + 12345) % (1 << 31)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=10_000_000)
    parser.add_argument("--width", type=int, nargs="+", default=WIDTHS, choices=WIDTHS)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--trace")
    parser.add_argument("--minutes", type=float)
    args = parser.parse_args()
    if args.minutes is not None:
        passed, failed = others(args.minutes, args.seed)
    elif args.trace:
        return trace(args.width[0], args.cycles, SEED if args.seed is None else args.seed, args.trace)
    else:
        passed = failed = 0
        seed = SEED if args.seed is None else args.seed
        for width in args.width:
            t = time.time()
            ok, said = traffic(width, args.cycles, seed)
            print(f"{said}\n{'ok  ' if ok else 'FAIL'} soak.{width} ({time.time() - t:.0f} s)", flush=True)
            passed += ok
            failed += not ok
            if not ok:
                print(again(said, width, seed), flush=True)
        if args.frames and 64 in args.width:
            t = time.time()
            ok, said = traffic(64, args.cycles, seed, frames=args.frames)
            print(f"{said}\n{'ok  ' if ok else 'FAIL'} soak.frames ({time.time() - t:.0f} s)", flush=True)
            passed += ok
            failed += not ok
    print(f"gateware-soak: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
