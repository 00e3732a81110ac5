"""``python3 -m lanescope sweep ... --dask tcp://...``: what the command `lanescope sweep --dask` calls."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import Any

NOT_THERE = 69
PARTIAL = 130


def _sweep(given: argparse.Namespace) -> int:
    try:
        import distributed
    except ImportError:
        print("Dask is not installed for this Python: pip install 'lanescope[dask]'", file=sys.stderr)
        return NOT_THERE
    import lanescope as ls

    client_of: Any = distributed.Client
    system = ls.load(given.system)
    for text in given.set:
        path, _, value = text.partition("=")
        system = system.set(path, value)
    if given.unit is not None:
        system = system.told_in(given.unit)
    with tempfile.TemporaryDirectory() as folder, client_of(given.dask, timeout=given.timeout) as client:
        out = given.out or os.path.join(folder, "sweep.csv")
        answer = system.sweep(
            given.experiment,
            over=given.over,
            sample=given.sample,
            seed=given.seed,
            by=given.by,
            out=out,
            resume=given.resume,
            client=client,
        )
        if not answer.complete:
            where = "" if given.out is None else f": go on with --resume and the same --out {given.out}"
            print(f"interrupted{where}", file=sys.stderr)
            return PARTIAL
        if given.out is None:
            with open(out, encoding="utf-8") as file:
                sys.stdout.write(file.read())
    return 0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python3 -m lanescope", description=__doc__)
    commands = parser.add_subparsers(required=True)
    sweep = commands.add_parser("sweep")
    sweep.set_defaults(run=_sweep)
    sweep.add_argument("system")
    sweep.add_argument("experiment", nargs="?")
    sweep.add_argument("--dask", required=True, metavar="ADDRESS")
    sweep.add_argument("--over", action="append", required=True)
    sweep.add_argument("--set", action="append", default=[])
    sweep.add_argument("--sample", type=int)
    sweep.add_argument("--seed", type=int, default=0)
    sweep.add_argument("--by", default="sim")
    sweep.add_argument("--out")
    sweep.add_argument("--resume", action="store_true")
    sweep.add_argument("--unit")
    sweep.add_argument("--timeout", type=float, default=10.0)
    given = parser.parse_args(words)
    try:
        return int(given.run(given))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
