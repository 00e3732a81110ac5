# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do two engines behind a switch write to each other, with the host's traffic between?"""

import os
import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core import Switch

from bench import SEED, host, settle
from card import Card
from driver import Ring
from streams import frame_beats

KIND = os.environ.get("KIND")


class One:
    """One of the two cards: its element of every port; clock and reset are shared."""

    def __init__(self, dut, index):
        self._dut, self._index = dut, index

    def __getattr__(self, name):
        if name in ("clk_i", "rst_ni"):
            return getattr(self._dut, name)
        if KIND != "core" and not name.startswith(("set_", "tx_", "rq_", "cpl_", "rx_")):
            raise AttributeError(name)         # an example has no streams on the outside
        return getattr(self._dut, name)[self._index]


async def bench(dut, mps=1):
    random.seed(SEED)
    rc, switch = host(), Switch()
    rc.make_port().connect(switch)
    cards = [Card(One(dut, i)) for i in range(2)]
    for c in cards:
        switch.make_port().connect(c.device)
    drivers = await settle(rc, *cards, mps=mps)
    return rc, cards, drivers


@cocotb.test(timeout_time=2, timeout_unit="ms", skip=KIND != "core")
async def frames_cross_both_ways(dut):
    rc, cards, drivers = await bench(dut)
    addr, mem = rc.alloc_region(0x8000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    half = 0x80000
    for rate in (0.0, 0.3):
        for c in cards:
            c.pauses(rate)
        frames = [[random.randbytes(random.choice([1, 7, 64, 255, 256, 257, 3000])) for _ in range(12)]
                  for _ in cards]
        for me, c in enumerate(cards):
            for f in frames[me]:
                c.p2p.put(frame_beats(f, c.width))
                c.command("p2p", drivers[1 - me].win + random.randrange(0, half - 4096), len(f))
        for c in cards:                      # and the host reads and writes meanwhile
            c.command("h2c", addr + 1, 0x4000)
        for me, c in enumerate(cards):
            for f in frames[1 - me]:
                got, error = await c.win.frame()
                assert got == f and not error, (me, len(f))
            for f in frames[me]:
                done = await c.done("p2p")
                assert done["regular"] and done["len"] == len(f), done
            assert (await c.h2c.frame())[0] == src[1:0x4001]


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=KIND != "core")
async def a_window_that_is_full_loses_nothing(dut):
    rc, cards, drivers = await bench(dut)
    a, b = cards
    b.win.pause.stuck = True
    data = random.randbytes(0x3000)
    a.p2p.put(frame_beats(data, a.width))
    a.command("p2p", drivers[1].win, len(data))
    await Timer(30, "us")
    assert not a.dones["p2p"] or b.win.total < len(data)
    b.win.pause.stuck = False
    assert await b.win.frame() == (data, 0)


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=KIND != "core")
async def writes_to_any_address(dut):
    """Without the end-of-frame mark the address is used as it is: here, host memory."""
    rc, cards, drivers = await bench(dut)
    addr, mem = rc.alloc_region(0x200000)
    data = random.randbytes(1000)
    for at in (0, 0x80003, 0x1ffff0 - 1000):
        cards[0].p2p.put(frame_beats(data, cards[0].width))
        cards[0].command("p2p", addr + at, 1000, eof=0)
        await cards[0].done("p2p")
        await Timer(2, "us")
        assert mem[at:at + 1000] == data


@cocotb.test(timeout_time=2, timeout_unit="ms", skip=KIND != "crossbar")
async def crossbar_joins_host_and_card(dut):
    """Host, card a, card b, host; and straight back; in both directions at once."""
    rc, cards, drivers = await bench(dut)
    addr, mem = rc.alloc_region(0x20000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    for me, d in enumerate(drivers):
        await d.write(0x8000, drivers[1 - me].win)
    for cross in (3, 0):
        rings = []
        for me, d in enumerate(drivers):
            await d.write(0x8008, cross)
            out, back = Ring(d, 0, log2=5), Ring(d, 1, log2=5)
            for r in (out, back):
                await r.open(count=1, time=50)
            rings.append((out, back))
        for me, (out, back) in enumerate(rings):
            await back.post([(addr + 0x8000 + 0x8000 * me, 0x2000, 1, 1, 0, 1)])
            await out.post([(addr + 0x2000 * me, 0x1fff, 1, 1, 0, 2)])
        for me, (out, back) in enumerate(rings):
            rec = await back.record()
            assert rec["length"] == 0x1fff and rec["eof"], rec
            frm = 0x2000 * (1 - me if cross else me)
            at = 0x8000 + 0x8000 * me
            assert mem[at:at + 0x1fff] == src[frm:frm + 0x1fff], (cross, me)
            await out.record()
        for pair in rings:
            for r in pair:
                await r.abort()


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=KIND != "pingpong")
async def pingpong_times_a_round(dut):
    """The timer grows by what the way is made longer."""
    rc, (a, b), (da, db) = await bench(dut)
    await da.write(0x8000, db.win)
    await db.write(0x8000, da.win)
    await db.write(0x8008, 2)
    figures = []
    for extra in (0, 400):
        b.device.upstream_port.link_delay_steps += int(extra * 1000)
        await da.write(0x8008, 1)
        while (now := await da.read(0x8010)) >> 32:
            pass
        figures.append(now & 0xffffffff)
    print("ping-pong cycles there and back", figures, flush=True)
    assert figures[0] > 0 and 95 <= figures[1] - figures[0] <= 105, figures
