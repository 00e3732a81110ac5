# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Long runs: the bounded proofs to a greater depth, then the same tests with other seeds until time
is up. The seed of every run is printed before it starts; `soak.py --seed N` repeats one,
`--minutes M` says how long the random runs take (default 30)."""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import benches  # noqa: E402
import proofs  # noqa: E402
import sim  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--seed", type=int)
args = parser.parse_args()

passed = failed = 0
if args.seed is None:       # the bounded proofs, deeper
    for spec in proofs.PROOFS:
        if spec["soak"]:
            for shown, ok, said in proofs.run(spec, soak=True):
                print("ok  " if ok else "FAIL", f"proof.{spec['name']}: {shown}", flush=True)
                passed += ok
                failed += not ok
                if not ok:
                    print(said)
end = time.time() + 60 * args.minutes
seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 31)
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
    if args.seed is not None or time.time() > end:
        break
    seed = (seed * 1103515245 + 12345) % (1 << 31)
print(f"gateware-soak: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
