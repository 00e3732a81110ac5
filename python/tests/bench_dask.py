"""A sweep on two workers of Dask against the command on two threads: points a second, and whether the bytes are the same."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed import Client, LocalCluster

import lanescope as ls

# Of each, two described points are run.
POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
SYSTEM, EXPERIMENT, VOLUME = "gen4-workstation", "dma-read", "15 MiB"


def main() -> None:
    over = {"host.read_latency": [f"{300 + n / 10} ns" for n in range(POINTS // 4)], "requests": [8, 16]}
    words = [word for name, values in over.items() for word in ("--over", f"{name}={','.join(map(str, values))}")]
    volume = f"experiments.{EXPERIMENT}.volume={VOLUME}"
    with tempfile.TemporaryDirectory() as kept, LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        folder = Path(kept)
        command = [os.environ["LANESCOPE"], "sweep", SYSTEM, EXPERIMENT, *words, "--set", volume, "--threads", "2"]
        with Client(cluster) as client:
            system = ls.load(SYSTEM).set(f"experiments.{EXPERIMENT}.volume", VOLUME)
            small = {"requests": [8, 16]}
            system.sweep(EXPERIMENT, over=small, client=client, progress=False)     # the workers have started
            since = time.monotonic()
            system.sweep(EXPERIMENT, over=over, out=folder / "far.csv", client=client, progress=False)
            far = time.monotonic() - since
        since = time.monotonic()
        subprocess.run([*command, "--out", str(folder / "near.csv")], check=True, capture_output=True)
        near = time.monotonic() - since
        same = (folder / "far.csv").read_bytes() == (folder / "near.csv").read_bytes()
        print(f"{POINTS} points of {2e3 * near / POINTS:.1f} ms: {POINTS / far:.1f} a second on two workers, {POINTS / near:.1f} on two "
              f"threads: {near / far:.3f} of it; the bytes are {'the same' if same else 'NOT the same'}")
        sys.exit(not same)


if __name__ == "__main__":
    main()
