# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does it hold at the limits: credits, buffer space, everything at once?"""

import os
import random

import cocotb
from cocotb.triggers import Event, Timer, with_timeout
from cocotbext.pcie.core.tlp import TlpType

from bench import SEED, bench, memory, settings
from driver import Ring
from streams import frame_beats


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def credits_at_the_minimum(dut):
    """One posted and one non-posted TLP at a time on the link: slow, and nothing is lost."""
    rc, card, d = await bench(dut)
    card.link.starve()
    cocotb.start_soon(card.link.trickle())
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x1000] = src = random.randbytes(0x1000)
    back = random.randbytes(0x1000)
    card.c2h.put(frame_beats(back, card.width))
    await d.write(0x230, 0)
    card.command("h2c", addr, 0x1000)
    card.command("c2h", addr + 0x8001, 0x1000)
    assert await card.h2c.frame() == (src, 0)
    await card.done("c2h")
    await Timer(4, "us")
    assert mem[0x8001:0x9001] == back
    stalls = await d.read(0x280 + 8 * 2)
    assert stalls > 10, stalls                       # counted as waiting for credits


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def reads_wait_for_buffer_space(dut):
    """With the stream stuck, no more is asked for than fits: the bytes asked for stop at the buffer."""
    rc, card, d = await bench(dut, mrrs=2)
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x20000] = src = random.randbytes(0x20000)
    card.h2c.pause.stuck = True
    card.command("h2c", addr, 0x20000)
    await Timer(60, "us")
    asked = sum(t.length * 4 for t in card.seen if t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64))
    # Beyond the buffer: the output register, and the queue to the user's clock.
    beyond = (1 + 16 * card.two_clocks) * card.width // 8
    assert 0x3800 <= asked <= 0x4000 + beyond, asked
    card.h2c.pause.stuck = False
    assert await card.h2c.frame() == (src, 0)


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def everything_at_once(dut):
    """Both rings, the command ports, the window and registers together, all held back at random,
    settings drawn at random: MPS 128 to 1024, MRRS 128 to 4096, RCB, order, credits."""
    rounds = 6 if os.environ.get("SOAK") else 2
    rc, card, d = await bench(dut)
    addr, mem = memory(rc, 0x80000, high=random.random() < 0.5)
    mem[0:0x40000] = src = random.randbytes(0x40000)
    for _ in range(rounds):
        settings(rc, card, mps=random.randrange(4), mrrs=random.randrange(6))
        rc.split_on_all_rcb = random.random() < 0.5
        rc.read_completion_boundary = random.random() < 0.5
        card.link.shuffle = random.random() < 0.7
        card.pauses(random.choice([0, 0.1, 0.5]))
        card.room = random.choice([1, 2, 8])
        rings = [Ring(d, 0, log2=6), Ring(d, 1, log2=6)]
        for r in rings:
            await r.open(count=random.choice([1, 5, 30]), time=random.choice([20, 300]))
        reads = [(random.randrange(0x3f000), random.choice([1, 2, 63, 64, 65, 500, 4000])) for _ in range(30)]
        writes, at = [], 0x40000
        for _ in range(30):
            n = random.choice([1, 2, 63, 64, 65, 500, 2000])
            at += random.randrange(70)
            writes.append((at, random.randbytes(n)))
            at += n
        for _, data in writes:
            card.c2h.put(frame_beats(data, card.width))
        await rings[0].post([(addr + a, n, 1, 1, 0, i) for i, (a, n) in enumerate(reads)])
        await rings[1].post([(addr + a, len(b), 1, 1, 0, i) for i, (a, b) in enumerate(writes)])
        poured = random.randbytes(random.choice([1, 100, 3000]))

        async def pour():
            await rc.mem_write(d.win + 3, poured[:-1])
            await rc.mem_write(d.win + 0x80000, poured[-1:])
        pouring = cocotb.start_soon(pour())
        for i, (a, n) in enumerate(reads):
            got, error = await card.h2c.frame()
            assert got == src[a:a + n] and not error, (SEED, i)
            if i % 8 == 0:
                await d.bar.write(0x8000 + i, bytes([i]))
                assert await d.bar.read(0x8000 + i, 1) == bytes([i])
        for r in rings:
            done = 0
            while done < 30:
                rec = await r.record()
                assert rec["regular"], (SEED, rec)
                done += rec["count"]
        await pouring
        assert await card.win.frame() == (poured, 0)
        for a, b in writes:
            assert mem[a:a + len(b)] == b, SEED
        for r in rings:
            await r.abort()
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def answers_while_writes_are_refused(dut):
    """The link has no credits for posted requests. The receive side goes on: what others write into
    the window arrives, register reads behind it or not, so two such cards cannot lock each other.
    Registers are answered at once, except where the block itself sends in order."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    card.link.starve(posted_only=True)
    data = random.randbytes(0x8000)
    card.c2h.put(frame_beats(data, card.width))
    card.command("c2h", addr, len(data))
    await Timer(5, "us")
    reads = [cocotb.start_soon(d.read(0)) for _ in range(4)]
    await Timer(1, "us")
    poured = random.randbytes(1000)
    await rc.mem_write(d.win, poured[:-1])
    await rc.mem_write(d.win + 0x80000 + 999, poured[-1:])
    assert await with_timeout(card.win.frame(), 20, "us") == (poured, 0)
    assert card.in_order or all(r.done() for r in reads)
    cocotb.start_soon(card.link.trickle(50))
    for r in reads:
        assert await r & 0xffffffff == 0x5043534c
    assert (await card.done("c2h"))["len"] == len(data)
    await Timer(1, "us")
    assert mem[0:len(data)] == data


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def tags_are_those_that_the_host_allows(dut):
    """Without extended tags no tag of more than 5 bits goes out, and everything works; switched on while
    nothing is out, all of them are used."""
    rc, card, d = await bench(dut, mps=0, mrrs=0, ext_tag=False)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    card.link.delay_ns = 1000
    for few in (True, False, True):
        card.function.pcie_cap.extended_tag_field_enable = not few
        await Timer(300, "ns")
        before = len(card.seen)
        rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
        for r in rings:
            await r.open(count=4, time=200)
        card.c2h.put(frame_beats(src[:3000], card.width))
        await rings[1].post([(addr + 0x8000, 3000, 1, 1, 0, 5)])
        await rings[0].post([(addr + 0x1000 * i + i, 0x1000 - 16, 1, 1, 0, i) for i in range(6)])
        for i in range(6):
            assert await card.h2c.frame() == (src[0x1000 * i + i:0x1000 * (i + 1) + i - 16], 0), (few, i)
        for r, n in zip(rings, (6, 1)):
            done = 0
            while done < n:
                rec = await r.record()
                assert rec["regular"], rec
                done += rec["count"]
        assert mem[0x8000:0x8000 + 3000] == src[:3000]
        tags = {t.tag for t in card.seen[before:] if t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64)}
        assert max(tags) == (31 if few else 255), tags
        for r in rings:
            await r.abort()


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def nothing_leaves_while_bus_mastering_is_off(dut):
    """Held back, not lost: it goes on when the host allows it; an abort meanwhile comes to its end, and the
    channel works afterwards. So in a power state other than D0."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 8, 4)                        # a tick of 2048 cycles, 8 us
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x4000] = src = random.randbytes(0x4000)

    def allow(on, by_power):
        if by_power:
            card.power_state = 0 if on else 3
        else:
            card.function.bus_master_enable = on
    ways = (False, True) if hasattr(card, "power_state") else (False,)
    for by_power in ways:
        for aborted in (False, True):
            rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
            for r in rings:
                await r.open(count=1, time=10)
            back = random.randbytes(0x2000)
            gone = Event()
            card.c2h.put(frame_beats(back, card.width), gone)
            await rings[0].post([(addr + 0x400 * i, 0x400, 1, 1, 0, i) for i in range(8)])
            await rings[1].post([(addr + 0x8000 + 0x400 * i, 0x400, 1, i == 7, 0, i) for i in range(8)])
            await Timer(random.randint(100, 1500), "ns")
            allow(False, by_power)
            await Timer(400, "ns")                   # what was under way in the block is out
            before = len(card.seen)
            if aborted:
                for r in rings:
                    await r.abort()
            else:
                await Timer(40, "us")                # several timeouts long
            sent = [t for t in card.seen[before:] if not t.is_completion()]
            assert not sent, (by_power, aborted, sent)
            allow(True, by_power)
            if aborted:
                await Timer(1, "us")
                assert not [t for t in card.seen[before:] if not t.is_completion()]
                card.h2c.frames.clear()
                assert not card.h2c.open
                await gone.wait()
                await Timer(25, "us")                # tags rest
                continue
            for i in range(8):
                got, error = await card.h2c.frame()
                assert got == src[0x400 * i:0x400 * (i + 1)] and not error
            for r, n in zip(rings, (8, 8)):
                done = 0
                while done < n:
                    rec = await r.record()
                    assert not rec["cause"], rec
                    done += rec["count"]
            assert mem[0x8000:0xa000] == back
            for r in rings:
                await r.abort()
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=10)
    await ring.post([(addr, 777, 1, 1, 0, 3)])
    assert (await ring.record())["regular"]
    assert await card.h2c.frame() == (src[:777], 0)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def lengths_are_those_that_the_host_allows(dut):
    """MPS and MRRS of every pair, changed during the run: the longest payload and the longest request are as long as
    allowed, and never longer (the rules of every bench see to that)."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x4000] = src = random.randbytes(0x4000)
    largest = dict(mps=1024, mrrs=4096 if os.environ.get("TWO_CLOCKS") == "1" else 512)     # as benches.py builds them
    for mps, mrrs in ((0, 0), (3, 5), (2, 1), (1, 3), (0, 5), (3, 0), (2, 4), (1, 2), (2, 2)):
        settings(rc, card, mps, mrrs)
        await Timer(500, "ns")
        before = len(card.seen)
        for at in (0, 1):
            card.c2h.put(frame_beats(src[:6000], card.width))
            card.command("c2h", addr + 0x8000 + at, 6000)
            card.command("h2c", addr + at, 9000)
            assert await card.h2c.frame() == (src[at:at + 9000], 0)
            for n in ("c2h", "h2c"):
                assert (await card.done(n))["cause"] == 0
            await Timer(500, "ns")
            assert mem[0x8000 + at:0x8000 + at + 6000] == src[:6000]
        sent = [t for t in card.seen[before:] if not t.is_completion()]
        wrote = max(4 * t.length for t in sent if t.fmt_type == TlpType.MEM_WRITE)
        read = max(4 * t.length for t in sent if t.fmt_type == TlpType.MEM_READ)
        assert wrote == min(128 << mps, largest["mps"]), (mps, wrote)
        assert read == min(128 << mrrs, largest["mrrs"]), (mrrs, read)
