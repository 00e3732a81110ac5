# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""How long the stream waits when a record's drive has filled its write cache, beside what arithmetic says: runs
bench/record.cpp. `bench.py record` makes docs/ls_nvme_record.md's tables of it; as a program it holds a short run to
the arithmetic."""

import sys

import page
from nvme_rates import MIB, build, measure
from page import table

LINK = (3, 256, 125)
HOST = 65536                    # bytes of the host's own buffer of write data
QUEUES = 12288                  # of ls_axi_fifo's queues in block RAM
MEM = dict(mem=1e10, mem_latency=200, refi=7800, rfc=350)      # bytes/s, reads and writes together; ns
MEM_RATES = (1e10, 5e9, 4e9)    # and memories that are slower than twice the stream
REFUSED = 3000                  # a write of a burst that the memory refuses
PIECE = 16384                   # of a command: so much buffer comes free at once
RATE, FAST, SLOW = 2.5e9, 3.2e9, 1e8
CACHE = 32 * MIB
REGION = 256 * MIB
CASES = ((20, 56 * MIB), (30, 56 * MIB), (30, 40 * MIB))       # memory: 2**this bytes; the slow phase
CLOSE = 0.05                    # how far a time may be from the arithmetic, of it, beside what one command takes


def law(buffer, slow_bytes):
    """Seconds: from when the drive is slow to the first stall; all stalls together; the longest. The buffer fills with what
    the stream brings more than the drive takes, and then the stream has the drive's rate: it is later by each byte's
    difference, from the byte at which the buffer was full on. A stall ends when a command's room comes free, and what it
    lets in comes at the stream's rate."""
    fill = buffer / (RATE - SLOW)
    late = slow_bytes * (1 / SLOW - 1 / RATE) - buffer / RATE
    if late <= 0:
        return dict(first=None, late=0.0, longest=0.0)
    return dict(first=fill, late=late, longest=PIECE * (1 / SLOW - 1 / RATE))


def run(exe, log2, slow_bytes, cache=CACHE, region=REGION):
    """All that the buffer can take beside what the drive took until the slow phase ended, and a little more."""
    buffer = (1 << log2) + QUEUES + HOST
    total = cache + slow_bytes + buffer + 16 * MIB
    m = measure(exe, LINK, mps=256, bytes=total, cache=cache, slow_bytes=slow_bytes, region=region,
                rate=RATE, fast=FAST, slow=SLOW, chunk=PIECE // 512, **MEM)
    return dict(memory=1 << log2, buffer=buffer, slow_bytes=slow_bytes, law=law(buffer, slow_bytes), pieces=m["pieces"], high=m["high"],
                first=None if m["first_stall_ns"] < 0 else m["first_stall_ns"] * 1e-9, late=m["stalled_ns"] * 1e-9,
                longest=m["longest_ns"] * 1e-9)


def program(log2):
    return build(LINK[1], (log2,), "record")


def cases():
    out = []
    for log2, slow_bytes in CASES:
        out.append(run(program(log2), log2, slow_bytes))
        print(out[-1], flush=True)
    return out


def memories(total=32 * MIB):
    """The stream's rate with a drive that is never slow, by the rate of the memory."""
    out = []
    for rate in MEM_RATES:
        m = measure(program(20), LINK, mps=256, bytes=total, cache=2 * total, region=REGION, rate=RATE, fast=FAST, slow=SLOW,
                    chunk=PIECE // 512, **dict(MEM, mem=rate))
        # Each byte is written and read, in the time that refreshing leaves.
        out.append(dict(rate=rate, law=min(RATE, rate / 2 * (1 - MEM["rfc"] / MEM["refi"])), got=m["rate"]))
    return out


def refused(total=8 * MIB):
    """Whether a record whose memory refuses a write ends by itself, with its code: the program fails if not."""
    try:
        measure(program(20), LINK, mps=256, bytes=total, cache=2 * total, region=REGION, rate=RATE, fast=FAST, slow=SLOW,
                chunk=PIECE // 512, refuse=REFUSED, **MEM)
    except RuntimeError as e:
        return [str(e)]
    return []


def wrong(c):
    """What of it is not as the arithmetic says: each time within a share of it, and what two commands take more or less."""
    said = c["law"]
    slack = 2 * PIECE / SLOW
    close = lambda got, want: abs(got - want) <= CLOSE * want + slack
    bad = [name for name in ("late", "longest") if not close(c[name], said[name])]
    if (c["first"] is None) != (said["first"] is None) or (said["first"] and not close(c["first"], said["first"])):
        bad.append("first")
    if c["high"] > c["buffer"] + LINK[1] // 8 or (said["late"] and c["high"] < c["buffer"] - PIECE):
        bad.append("high")
    return bad


def size(n):
    return f"{n // (1 << 30)} GiB" if n >= 1 << 30 else f"{n // MIB} MiB"


def text(m):
    pair = lambda f: lambda c, key: f"{f(c['law'][key])} / {f(c[key])}"
    ms = pair(lambda t: "never" if t is None else "none" if t == 0 else f"{t * 1000:.2f} ms")
    us = pair(lambda t: "none" if t == 0 else f"{t * 1e6:.1f} us")
    out = [table(["memory", "the drive is slow for", "first stall after: arithmetic / measured", "longest stall", "all stalls together",
                  "high-water mark"],
                 [[size(c["memory"]), size(c["slow_bytes"]), ms(c, "first"), us(c, "longest"), ms(c, "late"),
                   f"{c['high'] / MIB:.2f} MiB"] for c in m["cases"]])]
    out.append(table(["rate of the memory", "rate of the stream: arithmetic / measured"],
                     [[f"{c['rate'] / 1e9:g} GB/s", f"{c['law'] / 1e9:.2f} / {c['got'] / 1e9:.2f} GB/s"] for c in m["memories"]]))
    if m.get("sizes"):
        out.append(table(["Yosys", "width", "LUT", "as memory", "FF", "BRAM36"],
                         [[s["family"], f"{s['width']} bit", f"{s['lut'] + s['lutram']}", f"{s['lutram']}", f"{s['ff']}",
                           f"{s['bram36'] + s['bram18'] / 2:g}"] for s in m["sizes"]]))
    return "\n".join(out)


def write(m):
    page.write("docs/ls_nvme_record.md", text(m))


if __name__ == "__main__":
    found = run(program(20), 20, 2 * MIB, cache=8 * MIB, region=4 * MIB)
    slower = memories(8 * MIB)
    bad = wrong(found) + [f"memory of {c['rate']:g}" for c in slower if abs(c["got"] - c["law"]) > CLOSE * c["law"]] + refused()
    print(found, slower)
    print(f"record rates: {4 + len(slower) + 1 - len(bad)} passed, {len(bad)} failed {' '.join(bad)}")
    sys.exit(bool(bad))
