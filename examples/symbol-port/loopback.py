#!/usr/bin/env python3
"""A PHY that sends back what it is sent: `loopback.py listen|connect ADDRESS [LANES [SYMBOLS]]` (docs/symbol-port.md)."""

import sys

from lanescope_symbols import port


def main() -> int:
    if len(sys.argv) not in (3, 4, 5) or sys.argv[1] not in ("listen", "connect"):
        print(__doc__, file=sys.stderr)
        return 2
    lanes, symbols = (list(map(int, sys.argv[3:])) + [1, 2][len(sys.argv) - 3 :])[:2]
    try:
        opened = (port.listen if sys.argv[1] == "listen" else port.connect)(sys.argv[2], port.PHY, lanes, symbols)
        print(f"{port.loopback(opened)} clocks")
    except (OSError, port.PortError) as error:
        print(f"loopback.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
