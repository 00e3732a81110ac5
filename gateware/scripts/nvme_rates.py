# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What ls_nvme_host reaches on a link, beside what the link can carry: runs bench/nvme.cpp. `bench.py nvme` makes
docs/ls_nvme_host.md's tables of it, `test.py nvme` holds the rates to their bounds."""

import subprocess
import sys

import page
from page import ROOT, table

MIB = 1 << 20
LINKS = [(1, 64, 125), (2, 64, 250), (2, 128, 125), (3, 128, 250)]     # generation, bits, MHz; four lanes
LARGE = (256, MIB, 4096)        # Cmds, both buffers, CmdBytes: where many small commands are to be in flight
STEADY, WHOLE = 0.98, 0.95      # bounds, of the limit
FLIGHT_NS = 150


def build(width, config=(), program="nvme"):
    """The path of a program of bench/."""
    return str(ROOT / subprocess.run(["bench/build.sh", str(width), program, *map(str, config)], cwd=ROOT, check=True,
                                     capture_output=True, text=True).stdout.strip())


def measure(exe, link, **options):
    gen, _, mhz = link
    words = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={int(v)}" for k, v in dict(gen=gen, mhz=mhz, flight=FLIGHT_NS, **options).items()]
    p = subprocess.run([exe, *words], capture_output=True, text=True)
    if p.returncode:
        raise RuntimeError(f"{' '.join(words)}: {p.stderr.strip()}")
    return {k: float(v) for k, v in (line.split("\t") for line in p.stdout.splitlines())}


def limit(m, mps, write):
    """Payload that the link carries: each byte of a TLP, and in the direction of what is written the ACKs and
    UpdateFCs for the drive's read requests of 512 bytes, one for three, the fewest there can be; nothing of commands and their answers."""
    if not write:
        return m["wire"] * mps / (mps + 24)
    request = 512 / mps * (mps + 20)
    return m["wire"] * 512 / (request + 16 / 3)


def stream(exe, link, mps, write, mib, drives=1, **options):
    m = measure(exe, link, mps=mps, write=write, bytes=mib * MIB, **options)
    most = drives * limit(m, mps, write)
    return dict(limit=most, steady=m["steady"] / most, whole=m["whole"] / most)


def holds(s):
    """Whether a stream stays within its bounds."""
    return s["steady"] >= STEADY and s["whole"] >= WHOLE


def words():
    """MiB that are told, or 1024; and whether the page is to be written."""
    told = [w for w in sys.argv[1:] if w != "--write"]
    return int((told or [1024])[0]), "--write" in sys.argv


def write_long(to, what, measured):
    """The sentence of a page on the streams over 1 GiB."""
    shares = [s[part] for s in measured for part in ("steady", "whole")]
    page.write(to, f"Over 1 GiB (`make rates ARGS=--write`; `make rates` is part of `make validate`) {what} have {percent(min(shares))[:-2]} to "
                   f"{percent(max(shares))}, steady and whole.\n", "long")


def streams(mib, links=LINKS):
    out = []
    for link in links:
        exe = build(link[1])
        for mps in (128, 256):
            for write in (False, True):
                out.append(dict(link=link, mps=mps, write=write, mib=mib, **stream(exe, link, mps, write, mib)))
                print(out[-1], flush=True)
    return out


def alone_ns(m, mps, latency):
    """A read of 4 KiB on an idle link before a host that takes no time: doorbell, request for the entry, entry, the
    drive's latency, data, its answer."""
    wire = 28 + 24 + 84 + 4096 / mps * (mps + 24) + 40
    return latency + 4 * FLIGHT_NS + wire / m["wire"] * 1e9


def block_ns(m, link, mps):
    """What the host's block adds to that: it shows a TLP a beat a cycle after its last byte, and sends one after its last
    beat. The entry's beats, and what the last data's take longer than its answer is on the wire."""
    _, bits, mhz = link
    beats = lambda n: -(-n * 8 // bits) * 1000 / mhz
    return beats(4) + beats(64) + max(0, beats(mps) - 40 / m["wire"] * 1e9) + beats(16)


def randoms(links=(LINKS[0], LINKS[3]), mps=256):
    """4 KiB reads; the limit is the drive's, whose latency lets so many through, or the link's, answers counted."""
    out = []
    for link in links:
        exe = build(link[1], LARGE)
        for latency in (1000, 80000):
            for depth in (1, 16, 256):
                m = measure(exe, link, mps=mps, bytes=4096 * (2000 if depth == 1 else 16000), command=4096, random=1,
                            depth=depth, latency=latency)
                alone = alone_ns(m, mps, latency)
                drive, behind = (depth / time * 1e9 for time in (alone, alone + block_ns(m, link, mps)))
                wire = m["wire"] / (4096 / mps * (mps + 24) + 40)
                out.append(dict(link=link, latency=latency, depth=depth, rate=m["steady"] / 4096, limit=min(drive, wire),
                                behind=min(behind, wire), who="link" if wire < drive else "drive"))
                print(out[-1], flush=True)
    return out


def little(link=LINKS[3], mps=256):
    """Commands of 4 KiB that must be in flight for 98 % of what many reach, and what Little's law says from the time
    of a command alone."""
    exe, out = build(link[1], LARGE), []
    run = lambda depth, latency: measure(exe, link, mps=mps, bytes=24 * MIB, command=4096, depth=depth, latency=latency)
    for latency in (10000, 50000, 100000):
        alone = measure(exe, link, mps=mps, bytes=4096 * 200, command=4096, depth=1, latency=latency)
        most = run(256, latency)["steady"]
        law = 0.98 * most / 4096 * alone["report_ns"] * 1e-9
        low, high = 1, 256          # too few, enough
        while high - low > 1:
            mid = (low + high) // 2
            low, high = (low, mid) if run(mid, latency)["steady"] >= 0.98 * most else (mid, high)
        out.append(dict(latency=latency, law=law, needed=high))
        print(out[-1], flush=True)
    return out


def stalls(link=LINKS[3], mps=256, rate=1e9, pause=2e6):
    """The longest time that write data waits, before a drive that takes none for `pause` ns each 8 MiB: the pause, less
    what the buffer holds at the rate of the input."""
    out = []
    for config in ((), LARGE):
        m = measure(build(link[1], config), link, mps=mps, write=1, bytes=20 * MIB, input=rate, cache=8 * MIB, pause=pause)
        size = config[1] if config else BUFFER
        out.append(dict(buffer=size, law=max(0.0, pause - size / rate * 1e9), stall=m["stall_ns"]))
        print(out[-1], flush=True)
    return out


BUFFER = 65536                  # the default of WrBytes and of RdBytes
BRAM_BYTES = 4096               # of data, without parity bits, in a RAMB36


def percent(x):
    return f"{100 * x:.2f} %"


def name(link):
    return f"Gen{link[0]} x4, {link[1]} bit, {link[2]} MHz"


def text(m):
    """The tables of what was measured, as they stand in the docs."""
    out = [table(["user commands of 128 KiB", "MPS", "MiB", "limit of the link, MB/s", "steady (bound 98 %)", "whole run (bound 95 %)"],
                 [[f"{name(s['link'])}, {'write' if s['write'] else 'read'}", f"{s['mps']}", f"{s['mib']}", f"{s['limit'] / 1e6:.1f}",
                   percent(s["steady"]), percent(s["whole"])] for s in m["streams"]])]
    out.append(table(["random reads of 4 KiB, Cmds 256, buffers of 1 MiB", "drive's latency", "depth", "limit, 1/s", "whose",
                      "reached (bound 97 %)", "of that through the host's block"],
                     [[name(r["link"]), f"{r['latency'] / 1000:g} us", f"{r['depth']}", f"{r['limit']:.0f}", r["who"],
                       percent(r["rate"] / r["limit"]), percent(r["rate"] / r["behind"])] for r in m["randoms"]]))
    if m.get("little"):
        out.append(table(["reads of 4 KiB in flight for 98 %", "Little's law", "needed"],
                         [[f"{v['latency'] / 1000:g} us", f"{v['law']:.1f}", f"{v['needed']}"] for v in m["little"]]))
    if m.get("stalls"):
        out.append(table(["longest stall of the input, 1 GB/s, drive that stops for 2 ms", "pause less buffer", "measured"],
                         [[f"{v['buffer'] // 1024} KiB", f"{v['law'] / 1000:.0f} us", f"{v['stall'] / 1000:.0f} us"] for v in m["stalls"]]))
    out.append(table(["Yosys", "width", "Cmds", "LUT", "as memory", "FF", "BRAM36", "of these the data buffers"],
                     [[s["family"], f"{s['width']} bit", f"{s['cmds']}", f"{s['lut'] + s['lutram']}", f"{s['lutram']}", f"{s['ff']}",
                       f"{s['bram36'] + s['bram18'] / 2:g}", f"{2 * BUFFER // BRAM_BYTES}"] for s in m["sizes"]]))
    clock = lambda mhz: "not routed" if mhz is None else f"{mhz} MHz"
    out.append(table(["nextpnr-ecp5, 64 bit, 32 commands, seed"] + [f"{n + 1}" for n in range(len(m["route"]["seeds"]))],
                     [["clock (bound 125 MHz)"] + [clock(mhz) for mhz in m["route"]["seeds"]]]))
    return "\n".join(out)


def write(m):
    page.write("docs/ls_nvme_host.md", text(m))


if __name__ == "__main__":
    # For `make validate`: all links over 1 GiB, or over as many MiB as are told.
    mib, write_it = words()
    measured = streams(mib)
    if write_it:
        write_long("docs/ls_nvme_host.md", "the same streams", measured)
    bad = [s for s in measured if not holds(s)]
    print(f"nvme rates: {len(measured) - len(bad)} passed, {len(bad)} failed")
    sys.exit(bool(bad))
