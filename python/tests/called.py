"""How long an import and a call take. The wheel's test runs it in a clean environment, with nothing else installed."""

import subprocess
import sys
import time

import lanescope as ls

MOST_IMPORT_MS = 50
IMPORT = "import time; t = time.perf_counter(); import lanescope; print(1e3 * (time.perf_counter() - t))"
CALLS = 300


def main() -> int:
    imported = min(float(subprocess.check_output([sys.executable, "-c", IMPORT])) for _ in range(5))
    system = ls.load("rosta-rb8v7")
    times = []
    for _ in range(CALLS):
        since = time.perf_counter()
        system.limit("host-write-many", devices=8)
        times.append(time.perf_counter() - since)
    call = 1e6 * sorted(times)[CALLS // 2]
    print(f"imported in {imported:.1f} ms of {MOST_IMPORT_MS} ms; limit of eight flows in {call:.0f} us")
    return int(imported > MOST_IMPORT_MS)


if __name__ == "__main__":
    sys.exit(main())
