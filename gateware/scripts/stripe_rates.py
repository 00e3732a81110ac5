# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What ls_nvme_stripe reaches with several drives, each on its own link or all below one switch, beside what the links or the
one link can carry: runs bench/nvme_stripe.cpp. `bench.py stripe` makes docs/ls_nvme_stripe.md's tables of it, `bench.py
share` those of docs/ls_nvme_share.md."""

import sys

import nvme_rates as one
import page
from page import table

# Link of each drive, drives, bytes of a chunk, bytes of a user command.
TWO = [(link, 2, 4096, 131072) for link in one.LINKS]
MORE = [(one.LINKS[3], 2, 65536, 131072), (one.LINKS[3], 2, 4096, 16384), (one.LINKS[0], 4, 4096, 131072)]

# With one link for all.
SHARED = TWO + [(one.LINKS[3], 4, 4096, 131072), (one.LINKS[3], 8, 4096, 131072)]


def stream(link, drives, chunk, command, mps, write, mib, shared=False):
    exe = one.build(link[1], (drives, chunk, *["shared"] * shared), "nvme_stripe")
    return one.stream(exe, link, mps, write, mib, 1 if shared else drives, command=command)


def streams(mib, rows=tuple(TWO + MORE), shared=False):
    out = []
    for link, drives, chunk, command in rows:
        for mps in (128, 256) if (link, drives, chunk, command) in TWO else (256,):
            for write in (False, True):
                out.append(dict(link=link, drives=drives, chunk=chunk, command=command, mps=mps, write=write, mib=mib,
                                **stream(link, drives, chunk, command, mps, write, mib, shared)))
                print(out[-1], flush=True)
    return out


def text(m):
    """The tables, as they stand in the page."""
    kib = lambda n: f"{n // 1024} KiB"
    out = [table(["drives, each on a link of", "chunk", "user commands", "MPS", "MiB", "limit of the links, MB/s", "steady (bound 98 %)", "whole run (bound 95 %)"],
                 [[f"{s['drives']}, {one.name(s['link'])}, {'write' if s['write'] else 'read'}", kib(s["chunk"]), kib(s["command"]), f"{s['mps']}",
                   f"{s['mib']}", f"{s['limit'] / 1e6:.1f}", one.percent(s["steady"]), one.percent(s["whole"])] for s in m["streams"]])]
    if m.get("sizes"):
        out.append(table(["Yosys, xc7", "LUT", "as memory", "FF", "BRAM36", "of these the hosts' data buffers"],
                         [[f"{s['drives']} drives, {s['width']} bit each", f"{s['lut'] + s['lutram']}", f"{s['lutram']}", f"{s['ff']}",
                           f"{s['bram36'] + s['bram18'] / 2:g}", f"{s['drives'] * 2 * one.BUFFER // one.BRAM_BYTES}"] for s in m["sizes"]]))
    return "\n".join(out)


def write(m):
    page.write("docs/ls_nvme_stripe.md", text(m))


def shared(mib, sizes):
    """The tables of drives below one switch, into their page."""
    measured = streams(mib, SHARED, shared=True)
    said = [table(["drives below one switch, on a link of", "MPS", "MiB", "limit of the link, MB/s", "steady (bound 98 %)", "whole run (bound 95 %)"],
                  [[f"{s['drives']}, {one.name(s['link'])}, {'write' if s['write'] else 'read'}", f"{s['mps']}", f"{s['mib']}",
                    f"{s['limit'] / 1e6:.1f}", one.percent(s["steady"]), one.percent(s["whole"])] for s in measured]),
            table(["`ls_nvme_share` (Yosys, xc7)", "LUT", "FF"],
                  [[f"{s['drives']} hosts, {s['width']} bit", f"{s['lut'] + s['lutram']}", f"{s['ff']}"] for s in sizes])]
    page.write("docs/ls_nvme_share.md", "\n".join(said))
    return measured


if __name__ == "__main__":
    # For `make validate`: two drives at Gen3 over 1 GiB, or over as many MiB as are told; all else over 64 MiB, below one switch too.
    mib, write_it = one.words()
    measured = streams(mib, TWO[3:])
    if write_it:
        one.write_long("docs/ls_nvme_stripe.md", "two drives at Gen3", measured)
    measured += streams(64, TWO[:3] + MORE) + streams(64, SHARED, shared=True)
    bad = [s for s in measured if not one.holds(s)]
    print(f"nvme stripe rates: {len(measured) - len(bad)} passed, {len(bad)} failed")
    sys.exit(bool(bad))
