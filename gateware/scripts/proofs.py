# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is proved, and how: by induction (`prove`, for all time) or up to a depth (`bmc`); and that
what the proofs speak of can happen (`cover`). `proofs.py NAME...` runs some; --soak the deep ones: `soak`
is their depth, or "prove" where induction takes minutes."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def proof(top, mode="prove", depth=2, cover=12, soak=0, multiclock=False, flat=False, **params):
    name = "_".join([top] + [f"{k}{v}" for k, v in params.items()])
    return dict(name=name, top=top, mode=mode, depth=depth, cover=cover, soak=soak,
                multiclock=multiclock, flat=flat, params=params)


PROOFS = [
    proof("ls_fifo", depth=12, cover=24),
    proof("ls_skid", depth=12, cover=24),
    proof("ls_arb", depth=12, cover=24),
    proof("ls_read_tags", depth=12, cover=24),
    proof("ls_tx_mux", depth=3),
    proof("ls_tx_mux", depth=3, First=0),
    proof("ls_tx_mux", depth=3, First=0, Fair=1),
    proof("ls_read_output", depth=10),
    proof("ls_pio"),
    proof("ls_p2p_window", cover=14),
    proof("ls_read_engine", cover=8, MaxRequest=512),
    proof("ls_read_engine", cover=8, Width=512, MaxRequest=4096),
    proof("ls_messages", cover=14),
    proof("ls_messages", cover=14, Width=128),
    proof("ls_messages", cover=14, H2c=2, Rings=5, AtBits=7),
    proof("ls_window_rd", cover=14, flat=True),
    proof("ls_msix"),
    proof("ls_msix", Msi=1),
    proof("ls_msi"),
    proof("ls_rq_mux"),
    proof("ls_read_fill", cover=14, flat=True),
    proof("ls_desc_order", cover=20, flat=True),
    proof("ls_desc_order", cover=20, flat=True, Fetches=16),
    proof("ls_flr", cover=12),
    proof("ls_hold", cover=12),
    proof("ls_fetch"),
    proof("ls_fetch", H2c=2, Rings=5, AtBits=7),
    proof("ls_cpl_route", cover=6),
    proof("ls_cpl_route", cover=6, H2c=1, Rings=2, Fetches=16, Own=224),
    proof("ls_cpl_route", cover=6, H2c=8, Rings=16, Fetches=8, Own=16),
    proof("ls_csr", cover=40),
    proof("ls_records", depth=3, cover=24, flat=True),
    proof("ls_records", depth=3, cover=24, flat=True, Queue=0),
    proof("ls_desc_ring", depth=3, cover=12, flat=True),
    proof("ls_write_engine", depth=1, cover=10, flat=True, MaxPayload=256),
    proof("ls_shim_7s", mode="bmc", depth=5, cover=8, soak=9, Width=64),
    proof("ls_shim_7s", mode="bmc", depth=5, cover=8, soak=9, Width=128),
    proof("ls_shim_usp", mode="bmc", depth=5, cover=8, soak=9, Width=64),
    proof("ls_shim_usp", mode="bmc", depth=4, cover=8, soak=9, Width=256),
    proof("ls_rp_gate", cover=8),
    proof("ls_rp_lost", cover=8),
    proof("ls_mm_write", mode="bmc", depth=10, cover=12, soak=14, flat=True),
    proof("ls_mm_read", mode="bmc", depth=10, cover=14, soak=14, flat=True),
    proof("ls_straddle", mode="bmc", depth=5, cover=8, soak=9),
    proof("ls_async_fifo", depth=3, cover=24, multiclock=True),
    proof("ls_unstraddle"),
    proof("ls_hdr_insert", Width=64),
    proof("ls_hdr_insert", Width=128),
    proof("ls_hdr_strip", Width=64),
    proof("ls_hdr_strip", Width=64, Late=1),
    proof("ls_hdr_strip", Width=128),
    proof("ls_nvme_cq", depth=5, cover=60, flat=True),
    proof("ls_nvme_issue", cover=24),
    proof("ls_nvme_split", cover=24),
    proof("ls_nvme_record", depth=1, cover=14),
    proof("ls_nvme_retire", depth=2, cover=10),
    proof("ls_nvme_retry", depth=2, cover=30, flat=True),
    proof("ls_nvme_serve", depth=1, cover=10),
    proof("ls_nvme_share", depth=1, cover=14),
    proof("ls_nvme_table", depth=4, cover=30, flat=True),
    proof("ls_fifo_ram", cover=24, flat=True),
    proof("ls_axi_order", mode="bmc", depth=14, cover=14, soak=18, flat=True),
    proof("ls_axi_fifo", mode="bmc", depth=10, cover=14, soak="prove", flat=True),
    proof("ls_nvme_stripe_walk", depth=1, cover=24),
    proof("ls_tl_tx", depth=5, cover=24),
]

SCRIPT = """[tasks]
prove
cover

[options]
prove: mode {mode}
prove: depth {depth}
cover: mode cover
cover: depth {cover}
multiclock {multiclock}

[engines]
smtbmc z3

[script]
read_slang --threads 1 --top {top}_props {params} {names}
prep -top {top}_props
{flat}

[files]
{files}
"""


def files():
    rtl = sorted((ROOT / "rtl").rglob("ls_*.sv"), key=lambda p: (not p.name.endswith("_pkg.sv"), p.name))
    return rtl + [ROOT / "tb/ls_stream_check.sv", ROOT / "tb/ls_axi_check.sv"]


def run(spec, soak=False):
    """(what was shown, whether it held, what sby said) for the proof and for its covers."""
    sources = files() + [ROOT / f"formal/{spec['top']}_props.sv"]
    out = ROOT / "build/formal" / spec["name"]
    out.parent.mkdir(parents=True, exist_ok=True)
    script = out.parent / f"{spec['name']}.sby"
    induct = soak and spec["soak"] == "prove"
    mode, depth = ("prove", 1) if induct else (spec["mode"], spec["soak"] if soak else spec["depth"])
    script.write_text(SCRIPT.format(
        mode=mode, depth=depth, cover=spec["cover"], top=spec["top"],
        multiclock="on" if spec["multiclock"] else "off",
        flat="memory_map" if spec["flat"] else "",     # memories as registers: quicker for small ones
        params=" ".join(f"-G {k}={v}" for k, v in spec["params"].items()),
        names=" ".join(p.name for p in sources), files="\n".join(str(p) for p in sources)))
    tasks = ["prove"] if soak or not spec["cover"] else ["prove", "cover"]
    p = subprocess.run(["sby", "-f", "--prefix", str(out), str(script), *tasks], cwd=ROOT / "formal",
                       capture_output=True, text=True)
    for task in tasks:
        shown = task if task == "cover" else "for all time" if mode == "prove" else f"{depth} cycles"
        yield shown, (out.parent / f"{spec['name']}_{task}" / "PASS").exists(), p.stdout[-3000:] + p.stderr[-1000:]


if __name__ == "__main__":
    soak = "--soak" in sys.argv
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    only = "--only" in sys.argv         # these names and not all that contain them
    bad = 0
    for spec in PROOFS:
        if (names and not any(n == spec["name"] if only else n in spec["name"] for n in names)) or (soak and not spec["soak"]):
            continue
        t = time.time()
        for shown, ok, said in run(spec, soak):
            print("ok  " if ok else "FAIL", spec["name"], shown, f"({time.time() - t:.1f} s)", flush=True)
            if not ok:
                bad += 1
                print(said)
    sys.exit(bad != 0)
