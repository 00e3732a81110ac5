# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is asked of one vendor's block alone."""

import os
import random

import cocotb
from cocotb.triggers import Timer

from bench import bench
from driver import Ring
from streams import frame_beats

SEVEN = os.environ.get("TOP") == "ls_top_7s"


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def rings_and_window(dut):
    """Descriptor rings in both directions at once, while the host writes the window."""
    rc, card, d = await bench(dut)
    rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
    for r in rings:
        await r.open(count=4, time=500)
    addr, mem = rc.alloc_region(0x20000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    back = [random.randbytes(random.choice([3, 64, 900, 1500])) for _ in range(16)]
    for f in back:
        card.c2h.put(frame_beats(f, card.width))
    await rings[1].post([(addr + 0x10000 + 0x800 * i + i, len(f), 1, 1, 0, i) for i, f in enumerate(back)])
    take = [(random.randrange(0x7000), random.choice([1, 64, 777, 2000])) for _ in range(16)]
    await rings[0].post([(addr + a, n, 1, 1, 0, i) for i, (a, n) in enumerate(take)])
    poured = random.randbytes(3000)
    await rc.mem_write(d.win + 5, poured[:2000])
    await rc.mem_write(d.win + 0x80000 + 2005, poured[2000:2100])
    for a, n in take:
        got, error = await card.h2c.frame()
        assert got == src[a:a + n] and not error
    for r in rings:
        done = 0
        while done < 16:
            rec = await r.record()
            assert rec["regular"], rec
            done += rec["count"]
    for i, f in enumerate(back):
        at = 0x10000 + 0x800 * i + i
        assert mem[at:at + len(f)] == f
    got, error = await card.win.frame()
    assert got == poured[:2100] and not error
    if SEVEN and card.width == 128:
        assert card.block.straddled > 10, card.block.straddled


@cocotb.test(timeout_time=1500, timeout_unit="us", skip=not SEVEN or os.environ.get("TWO_CLOCKS") == "1")
async def reaches_the_ceiling_of_the_block(dut):
    """A write of MPS is header and payload in whole beats, back to back."""
    rc, card, d = await bench(dut, mps=1)
    addr, mem = rc.alloc_region(0x10000)
    card.block.tx_room = 1000
    total = 0x4000
    card.c2h.put(frame_beats(random.randbytes(total), card.width))
    await Timer(300, "ns")
    b = card.block
    b.beats, b.payload, b.window = 0, 0, [None, 0]
    card.command("c2h", addr, total)
    await card.done("c2h")
    await Timer(200, "ns")
    dws = card.width // 32
    per_tlp = -(-(3 + 64) // dws)                # header of 3 DWs and 256 bytes
    ceiling = 256 / (per_tlp * card.width // 8)
    got = b.payload / ((b.window[1] - b.window[0] + 1) * card.width // 8)
    print(f"ceiling {ceiling:.4f} reached {got:.4f}", flush=True)
    assert b.payload == total and got >= 0.99 * ceiling, (got, ceiling)
