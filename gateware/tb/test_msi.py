# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""MSI beside MSI-X: does every interrupt come, after its record, on the vector that the host has granted?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from bench import bench
from card import HAS_MSI
from driver import Ring
from streams import frame_beats

TOP = os.environ.get("TOP", "ls_core")
CORE, SEVEN = TOP == "ls_core", TOP == "ls_top_7s"
VECTORS = int(os.environ.get("VECTORS", "4"))
BLOCK = HAS_MSI and not CORE          # there is a block that can be slow and refuse


async def users(card, *vectors):
    """The user's design asks for these, one after the other."""
    for v in vectors:
        card.link.rules.user_interrupt(v & card.alias)
        card.dut.user_irq_i.value = 1 << v
        await RisingEdge(card.user_clock)
        card.dut.user_irq_i.value = 0
        for _ in range(20):
            await RisingEdge(card.user_clock)


async def start(dut, granted):
    rc, card, d = await bench(dut)
    hits = await d.msi(granted)
    card.alias = granted - 1
    return rc, card, d, hits


async def pending(d):
    """The pending bits; with up to eight vectors they are shown behind the table too."""
    bits = await d.read(0x1300)
    if VECTORS <= 8:
        assert await d.read(0x1080) == bits
    return bits


async def reads(rc, ring, count, irq=1, size=64):
    addr, mem = rc.alloc_region(0x1000)
    await ring.post([(addr, size, 1, 1, irq, i) for i in range(count)])


@cocotb.test(timeout_time=300, timeout_unit="us")
async def one_vector_is_for_all(dut):
    """Granted 1: all of the engine's vectors come on it."""
    rc, card, d, hits = await start(dut, 1)
    ring = Ring(d, 0, log2=5)
    await ring.open(count=4, time=1000, vector=2)
    await reads(rc, ring, 8)
    await Timer(4, "us")
    assert hits == [2], hits
    await users(card, 1, 3)
    await Timer(2, "us")
    assert hits == [4], hits


@cocotb.test(timeout_time=300, timeout_unit="us")
async def each_vector_has_its_own(dut):
    """Granted as many as there are, or more."""
    rc, card, d, hits = await start(dut, 2 * VECTORS if VECTORS > 4 else VECTORS)
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=1000, vector=2)
    await reads(rc, ring, 1)
    await Timer(3, "us")
    assert hits[2] == 1 and sum(hits) == 1, hits
    want = list(hits)
    for v in random.sample(range(VECTORS), VECTORS):
        await users(card, v)
        want[v] += 1
        await Timer(1, "us")
        assert hits == want, (v, hits)


@cocotb.test(timeout_time=300, timeout_unit="us")
async def fewer_granted_than_there_are_share_by_their_lower_bits(dut):
    rc, card, d, hits = await start(dut, 2)
    ring = Ring(d, 1, log2=5)
    await ring.open(count=1, time=1000, vector=3)
    addr, mem = rc.alloc_region(0x1000)
    card.c2h.put(frame_beats(random.randbytes(100), card.width))
    await ring.post([(addr, 100, 1, 1, 1, 0)])
    assert (await ring.record())["regular"]
    await Timer(2, "us")
    assert hits == [0, 1], hits
    await users(card, *range(VECTORS))
    await Timer(3, "us")
    assert sum(hits) == 1 + VECTORS and hits[0] == VECTORS // 2, hits


@cocotb.test(timeout_time=300, timeout_unit="us")
async def nothing_is_sent_while_neither_is_enabled(dut):
    """It stays pending, and comes by what is enabled next: MSI, or MSI-X."""
    rc, card, d, hits = await start(dut, 4)
    cap = card.function.msi_cap
    cap.msi_enable = False
    await Timer(100, "ns")
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=1000, vector=2)
    await reads(rc, ring, 1)
    await ring.record()
    await users(card, 1)
    await Timer(3, "us")
    assert hits == [0] * 4 and await pending(d) == 6
    if not SEVEN and not CORE:
        assert cap.msi_pending_bits == 6
    cap.msi_enable = True
    await Timer(2, "us")
    assert hits == [0, 1, 1, 0] and await pending(d) == 0, hits
    cap.msi_enable = False
    await Timer(100, "ns")
    await users(card, 3)
    await Timer(1, "us")
    again = await d.interrupts()
    await d.read(0)
    await Timer(2, "us")
    assert hits == [0, 1, 1, 0] and again == [0, 0, 0, 1], (hits, again)


@cocotb.test(timeout_time=300, timeout_unit="us", skip=SEVEN)
async def a_masked_vector_stays_pending(dut):
    """Where the block tells of masks; the others go on."""
    rc, card, d, hits = await start(dut, 4)
    cap = card.function.msi_cap
    cap.msi_mask_bits = 1 << 2
    await Timer(100, "ns")
    await users(card, 2, 1, 2)
    await Timer(2, "us")
    assert hits == [0, 1, 0, 0] and await pending(d) == 4, hits
    if not CORE:
        assert cap.msi_pending_bits == 4
    cap.msi_mask_bits = 0
    await Timer(2, "us")
    assert hits == [0, 1, 1, 0] and await pending(d) == 0, hits


@cocotb.test(timeout_time=300, timeout_unit="us", skip=not BLOCK)
async def one_that_the_block_does_not_send_is_sent_later(dut):
    """MSI goes off while the block has one: it is pending again, and comes when MSI is on."""
    rc, card, d, hits = await start(dut, 4)
    cap = card.function.msi_cap
    card.msi.most = 200
    for n in range(1, 6):
        asked, refused = card.msi.asked, card.msi.refused
        while card.msi.refused == refused:
            await users(card, 1)
            while card.msi.asked == asked:
                await RisingEdge(card.clock)
            cap.msi_enable = False
            await Timer(2, "us")
            if card.msi.refused == refused:          # it had gone by then
                cap.msi_enable = True
                asked = card.msi.asked
                await Timer(2, "us")
        had = hits[1]
        assert await pending(d) == 2
        cap.msi_enable = True
        await Timer(2, "us")
        assert hits[1] == had + 1 and await pending(d) == 0, (n, hits)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def no_interrupt_before_its_record(dut):
    """The link has credits for a write now and then: whatever waits in the block, the message waits behind it. The
    rules of the link look at each interrupt."""
    rc, card, d, hits = await start(dut, 4)
    ring = Ring(d, 1, log2=5)
    await ring.open(count=1, time=1000, vector=1)
    addr, mem = rc.alloc_region(0x10000)
    if SEVEN:                           # what is out of the engine stands before the block for a while
        card.block.tx_pause, card.msi.most = 0.9, 2
    card.link.starve(posted_only=True)
    cocotb.start_soon(card.link.trickle(400))
    lengths = [random.choice([1, 64, 300, 777]) for _ in range(24)]
    for n in lengths:
        card.c2h.put(frame_beats(random.randbytes(n), card.width))
    await ring.post([(addr + 0x800 * i, n, 1, 1, 1, i) for i, n in enumerate(lengths)])
    done = 0
    while done < len(lengths):
        done += (await ring.record())["count"]
    await Timer(10, "us")
    assert hits[1] and not card.link.rules.owed(), (hits, card.link.rules.owed())


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def none_is_lost_whatever_the_host_and_the_block_do(dut):
    """MSI on and off, masks, a block that is slow and refuses, bus mastering off, in the midst of traffic."""
    rc, card, d, hits = await start(dut, 4)
    cap = card.function.msi_cap
    if BLOCK and not SEVEN:
        card.msi.fails = 0.3
    rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
    for i, r in enumerate(rings):
        await r.open(count=2, time=100, vector=1 + i)
    addr, mem = rc.alloc_region(0x20000)
    for round in range(24):
        for _ in range(4):
            card.c2h.put(frame_beats(random.randbytes(200), card.width))
        await rings[0].post([(addr + 0x100 * i, 200, 1, 1, random.randint(0, 1), i) for i in range(4)])
        await rings[1].post([(addr + 0x10000 + 0x100 * i, 200, 1, 1, random.randint(0, 1), i) for i in range(4)])
        await users(card, random.randrange(4))
        what = random.randrange(4)
        if what == 0:
            cap.msi_enable = not cap.msi_enable
        elif what == 1 and not SEVEN:
            cap.msi_mask_bits = random.randrange(16)
        elif what == 2 and CORE:
            card.function.bus_master_enable = False
            await Timer(random.randrange(1, 2000), "ns")
            card.function.bus_master_enable = True
        await Timer(random.randrange(300, 3000), "ns")
        for r in rings:
            got = 0
            while got < 4:
                got += (await r.record())["count"]
    cap.msi_mask_bits = 0
    cap.msi_enable = True
    await Timer(10, "us")
    assert not card.link.rules.owed() and await pending(d) == 0, (hits, card.link.rules.owed())
    if BLOCK and not SEVEN:
        assert card.msi.refused > 0


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=not BLOCK)
async def a_function_level_reset_leaves_none_behind(dut):
    """An interrupt that the block has in hand, or that waits for writes, is not sent by the engine after it."""
    rc, card, d, hits = await start(dut, 4)
    card.msi.most = 200
    for v in range(4):
        await users(card, v)
    card.function.msi_cap.msi_enable = False
    await card.reset_function()
    await Timer(200, "ns")
    await d.start()
    had = list(hits)
    assert await pending(d) == 0
    hits = await d.msi(4)
    await Timer(3, "us")
    assert sum(hits) == 0, (had, hits)
    await users(card, 2)
    await Timer(3, "us")
    assert hits == [0, 0, 1, 0], hits
