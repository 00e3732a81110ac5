# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is every fault reported with its cause, and does the rest go on?"""

import os
import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from bench import bench
from driver import Ring
from streams import frame_beats


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def faults_of_completions(dut):
    """UR, CA, poison, loss: each reported with its cause, the rest goes on."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=10)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = random.randbytes(0x8000)

    def damage(kind):
        state = dict(left=1)

        def f(t):
            if kind == "loss" and t.tag == state.get("tag"):
                return None
            if t.tag >= 128 or not state["left"] or t.status != CplStatus.SC:
                return t
            state["left"], state["tag"] = 0, t.tag
            if kind == "poison":
                t = Tlp(t)
                t.ep = True
                return t
            if kind in ("loss", "gap"):
                return None
            c = Tlp(t)
            c.fmt_type = TlpType.CPL
            c.length, c.data, c.status = 0, bytearray(), kind
            return c
        return f
    for n, (kind, cause) in enumerate([(CplStatus.UR, 2), (CplStatus.CA, 3), ("poison", 4), ("loss", 1), ("gap", 9)]):
        card.link.damage = damage(kind)
        await ring.post([(addr, 512, 1, 1, 0, 0), (addr + 512, 1024, 1, 1, 0, 1)])
        first = await ring.record()
        assert first["cause"] == cause and not first["regular"], (kind, first)
        second = await ring.record()
        assert second["regular"] and second["ident"] == 1, second
        got, error = await card.h2c.frame()
        assert error and len(got) == 512
        got, error = await card.h2c.frame()
        assert got == src[512:1536] and not error
        assert (await d.read(0x140) >> 12) & 0 == 0
        assert await d.read(0x140) >> 4 & 15 == cause
        await d.write(0x130, 0)
        assert await d.read(0x140) >> 4 & 15 == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def memory_that_is_not_there(dut):
    """The host's own answer to a read of nothing is UR."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    mem[0:64] = src = random.randbytes(64)
    card.command("h2c", 0x70_0000_0000, 1000)
    done = await card.done("h2c")
    assert done["cause"] == 2, done
    assert (await card.h2c.frame())[1] == 1
    card.command("h2c", addr, 64)
    assert await card.h2c.frame() == (src, 0)
    assert (await card.done("h2c"))["cause"] == 0


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=os.environ.get("TOP") == "ls_top_usp")
async def poisoned_writes(dut):
    """To a register: dropped and counted. To the window: the frame ends in error. (The UltraScale+
    block does not tell its user that a write is poisoned.)"""
    rc, card, d = await bench(dut)
    await d.write(0x8000, 0x1111)

    async def poisoned(addr, data):
        t = Tlp()
        t.fmt_type, t.requester_id, t.ep = TlpType.MEM_WRITE, PcieId(0, 0, 0), True
        t.set_addr_be_data(addr, data)
        await card.link.inject(t)
    await poisoned(d.dev.bar_addr[0] + 0x8000, b"\xff" * 8)
    await Timer(200, "ns")
    assert await d.read(0x8000) == 0x1111
    assert await d.read(0x10) == 1 << 6
    await d.write(0x10, 1 << 6)
    await poisoned(d.win, b"a" * 100)
    await rc.mem_write(d.win + 0x80000, b"b" * 10)
    assert await card.win.frame() == (b"a" * 100 + b"b" * 10, 1)
    await rc.mem_write(d.win + 0x80000, b"c" * 10)
    assert await card.win.frame() == (b"c" * 10, 0)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def faults_of_descriptors(dut):
    """Length zero, length beyond the bound, and a ring that cannot be read."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    for ch in (0, 1):
        ring = Ring(d, ch, log2=5)
        await ring.open(count=1, time=10)
        if ch:
            card.c2h.put(frame_beats(src[:64], card.width))
        await ring.post([(addr, 0, 1, 1, 0, 0), (addr, 1 << 24, 1, 1, 0, 1), (addr, 64, 1, 1, 0, 2)])
        for i in range(2):
            rec = await ring.record()
            assert rec["cause"] == 5 and rec["ident"] == i and rec["length"] == 0, rec
        rec = await ring.record()
        assert rec["regular"] and rec["ident"] == 2
        if not ch:
            got, error = await card.h2c.frame()
            assert got == src[:64] and not error
    ring = Ring(d, 0, log2=5)
    card.link.damage = lambda t: None if t.tag == 254 else t
    await d.write(0x100, 0, 4)
    await d.write(0x130, 0)
    await ring.open()
    await ring.post([(addr, 64, 1, 1, 0, 0)])
    for _ in range(2000):
        if await d.read(0x140) >> 4 & 15:
            break
    assert await d.read(0x140) >> 4 & 15 == 7 and await d.read(0x10) & 4
    card.link.damage = None
    await ring.abort()
    await Timer(10, "us")
    ring = Ring(d, 0, log2=5)
    await ring.open()
    await ring.post([(addr, 64, 1, 1, 0, 3)])
    assert (await ring.record())["ident"] == 3


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def stray_completions_are_dropped(dut):
    """A completion for a tag that waits for nothing is counted and harms nothing."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    mem[0:64] = src = random.randbytes(64)
    for tag, fault in (*((t, 0) for t in range(248, 256)), (3, 1), (200, 2)):     # of fetches: none is out, and they say nothing
        t = Tlp()
        t.fmt_type, t.tag, t.length, t.byte_count = TlpType.CPL_DATA, tag, 4, 16
        t.requester_id, t.data = card.function.pcie_id, bytearray(16)
        await card.link.inject(t)
        await Timer(200, "ns")
        # The UltraScale+ block says itself that it knows no such request, and its shim drops it.
        assert await d.read(0x10) == (0 if os.environ.get("TOP") == "ls_top_usp" else fault)
        await d.write(0x10, fault)
    card.command("h2c", addr, 64)
    assert await card.h2c.frame() == (src, 0)


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=os.environ.get("TOP") == "ls_top_usp")
async def what_claims_more_than_its_request_hides_no_gap(dut):
    """A completion says that 256 bytes are to come of a request of 128 and brings 192, and then one brings the last 64:
    the first 64 have never come, so the frame is in error. (The UltraScale+ block drops the first one itself.)"""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    addr, mem = rc.alloc_region(0x1000)
    mem[0:128] = src = random.randbytes(128)

    def damage(t):
        wild, last = Tlp(t), Tlp(t)
        wild.byte_count, wild.length, wild.data = 256, 48, bytearray(192)
        last.byte_count, last.length, last.data, last.lower_address = 64, 16, bytearray(src[64:]), t.lower_address + 64 & 127

        async def then():
            await Timer(300, "ns")
            await card.link.inject(last)
        cocotb.start_soon(then())
        return wild
    card.link.damage = damage
    card.command("h2c", addr, 128)
    assert (await card.done("h2c"))["cause"] == 9
    assert (await card.h2c.frame())[1] == 1
    assert await d.read(0x10) & 1
    card.link.damage = None
    await Timer(20, "us")                            # tags rest
    card.command("h2c", addr, 128)
    assert await card.h2c.frame() == (src, 0)


@cocotb.test(timeout_time=4, timeout_unit="ms", skip=bool(os.environ.get("TOP")))
async def what_brings_more_than_it_says_is_not_written(dut):
    """The completion of a request of 64 bytes says so and brings 256, in front of a request whose data is here already:
    none of it is written there. (Put behind the link, which refuses to carry it.)"""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    addr, mem = rc.alloc_region(0x1000)
    mem[0:1024] = src = random.randbytes(1024)
    kept = []

    def damage(t):
        if t.tag >= 128 or kept:
            return t
        kept.append(Tlp(t))
        return None                                  # held back until the next request has its data
    card.link.damage = damage
    card.command("h2c", addr, 64)
    card.command("h2c", addr + 64, 256)
    await Timer(1, "us")
    wild, = kept
    wild.length, wild.data = 64, bytearray(random.randbytes(256))
    card.rx_cpl.put(card._beats(wild, 0))
    first = await card.done("h2c")
    assert first["cause"] == 1, first                # it ended no request: that one's time is up
    assert (await card.h2c.frame())[1] == 1
    assert await card.h2c.frame() == (src[64:320], 0)
    assert await d.read(0x10) & 1
    card.link.damage = None
    await Timer(20, "us")                            # tags rest
    card.command("h2c", addr, 64)
    assert await card.h2c.frame() == (src[:64], 0)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def who_sleeps_hears_of_a_failed_fetch(dut):
    """Descriptors that cannot be read: what came before them is done, then a record says so and an
    interrupt follows, in both directions, whether they are refused, poisoned or lost."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    hits = await d.interrupts()
    addr, mem = rc.alloc_region(0x10000)
    mem[0:64] = src = random.randbytes(64)
    for ch in (0, 1):
        for kind in ("refused", "poison", "loss"):
            def damage(t):
                if t.tag != 254 + ch:
                    return t
                if kind == "loss":
                    return None
                t = Tlp(t)
                if kind == "poison":
                    t.ep = True
                else:
                    t.fmt_type, t.length, t.data, t.status = TlpType.CPL, 0, bytearray(), CplStatus.UR
                return t
            ring = Ring(d, ch, log2=5)
            await ring.open(count=4, time=200, vector=1 + ch)
            if ch:
                card.c2h.put(frame_beats(src, card.width))
            await ring.post([(addr, 64, 1, 1, 0, 7)])
            first = await ring.record()
            assert first["regular"] and first["ident"] == 7, first
            if not ch:
                assert await card.h2c.frame() == (src, 0)
            before = hits[1 + ch]
            card.link.damage = damage
            await ring.post([(addr, 64, 1, 1, 0, 8)])
            said = await ring.record()
            assert said["cause"] == 7 and not said["regular"] and said["length"] == 0, (kind, said)
            await Timer(2, "us")
            assert hits[1 + ch] == before + 1, (kind, hits)
            assert await d.read(0x140 + 0x100 * ch) >> 4 & 15 == 7
            card.link.damage = None
            await ring.abort()
            await d.write(0x130 + 0x100 * ch, 0)
            await d.write(0x10, 0xc)
            await Timer(12, "us")
    assert not card.h2c.frames and not card.h2c.open


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def one_of_several_fetches_fails(dut):
    """The second of those that are out: the descriptors of the first are done, none of the later ones is,
    whatever order they come in; and a ring that is set up next gets its own."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x4000] = src = random.randbytes(0x4000)
    batch = 16 if card.width == 64 else 32
    card.link.shuffle, card.link.delay_ns = True, 1000
    for ch in (0, 1):
        for kind in ("refused", "poison", "loss", "gap"):
            def damage(t):
                if t.tag != 252 + ch:
                    return t
                if kind in ("loss", "gap") and (kind == "loss" or t.byte_count > 64):
                    return None
                t = Tlp(t)
                if kind == "poison":
                    t.ep = True
                elif kind == "refused":
                    t.fmt_type, t.length, t.data, t.status = TlpType.CPL, 0, bytearray(), CplStatus.UR
                return t
            rc.split_on_all_rcb = True
            ring = Ring(d, ch, log2=8)
            await ring.open(count=1, time=10)
            card.link.damage = damage
            if ch:
                card.c2h.put([b for i in range(batch) for b in frame_beats(src[64 * i:64 * i + 64], card.width)])
            before = len(card.seen)
            await ring.post([(addr + 64 * i + 0x8000 * ch, 64, 1, 1, 0, i) for i in range(3 * batch)])
            said = await ring.record()
            while said["regular"]:                   # those before it may stand in the same record
                said = await ring.record()
            assert said["cause"] == 7 and said["total"] == batch + 1, f"{kind} {said}"
            asked = {t.tag for t in card.seen[before:] if t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64)}
            assert {254 + ch, 252 + ch, 250 + ch} <= asked, asked
            for i in range(batch):
                if ch:
                    assert mem[0x8000 + 64 * i:0x8040 + 64 * i] == src[64 * i:64 * i + 64]
                else:
                    assert await card.h2c.frame() == (src[64 * i:64 * i + 64], 0)
            card.link.damage = None
            await ring.abort()
            ring = Ring(d, ch, log2=5)
            await ring.open(count=1, time=10)
            if ch:
                card.c2h.put(frame_beats(src[:64], card.width))
            await ring.post([(addr + 0x8000 * ch, 64, 1, 1, 0, 77)])
            said = await ring.record()
            assert said["regular"] and said["ident"] == 77, f"{kind} {said}"
            assert ch or await card.h2c.frame() == (src[:64], 0)
            await ring.abort()
            await d.write(ring.base + 0x30, 0)
            await d.write(0x10, 0xc)
    assert not card.h2c.frames and not card.h2c.open


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def a_failed_fetch_keeps_its_tag_until_all_of_it_is_in(dut):
    """The first piece is poisoned, the rest comes late: until then the channel is busy, and a restart
    asks for nothing."""
    rc, card, d = await bench(dut, mps=0)
    await d.write(0x18, 8, 4)                        # a tick of 2048 cycles, 8 us
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x1000] = src = random.randbytes(0x1000)
    for ch in (0, 1):
        tag, pieces, late = 254 + ch, [], []

        def damage(t):
            if t.tag != tag or late is None:
                return t
            pieces.append(t)
            if len(pieces) == 1:
                t = Tlp(t)
                t.ep = True
                return t
            card.link.delay_ns = 4000
            return t
        ring = Ring(d, ch, log2=5)
        await ring.open(count=1, time=10)
        card.link.damage = damage
        await ring.post([(addr + 64 * i, 64, 1, 1, 0, i) for i in range(16)])
        said = await ring.record()
        assert said["cause"] == 7, said
        assert len(pieces) > 1, "the completion was not split"
        late = None
        card.link.delay_ns = 0
        await d.write(ring.base, 0, 4)
        assert await d.read(ring.base + 0x40) & 1, "not busy, with the rest still out"
        asked = sum(t.tag == tag and t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64) for t in card.seen)
        ring = Ring(d, ch, log2=5)
        await ring.open(count=1, time=10)
        if ch:
            card.c2h.put(frame_beats(src[256:320], card.width))
        await ring.post([(addr + 256, 64, 1, 1, 0, 99)])
        await Timer(1, "us")
        again = sum(t.tag == tag and t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64) for t in card.seen)
        assert again == asked, "the tag was used again while it was out"
        said = await ring.record()
        assert said["ident"] == 99 and said["regular"], said
        if not ch:
            assert await card.h2c.frame() == (src[256:320], 0)
        card.link.damage = None
        await ring.abort()
        await d.write(ring.base + 0x30, 0)
        await d.write(0x10, 0xc)
