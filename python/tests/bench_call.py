"""The time of a question from Python: that of crates/ask/examples/call.rs. Prints the median of many calls."""

import statistics
import time

import lanescope as ls

CALLS = 2000


def main() -> None:
    rig = ls.load("rosta-rb8v7")
    times = []
    for _ in range(CALLS):
        since = time.perf_counter()
        rig.limit("host-write-many", devices=8)
        times.append(time.perf_counter() - since)
    print(f"{1e6 * statistics.median(times):.1f} us a call from Python")


if __name__ == "__main__":
    main()
