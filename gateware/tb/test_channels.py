# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""With several channels each way: does each have its own data, records and interrupt, and its share, whatever the
others do?"""

import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.tlp import CplStatus

from channels import C2H, H2C, LOW, READS, TWO, WRITES, bench, every, interrupts, load, movers, page, shares, stop
from driver import Ring
from streams import frame_beats


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def each_channel_has_its_own_data_records_and_interrupt(dut):
    rc, card, d = await bench(dut)
    caps = await d.read(0x08)
    assert (1 + (caps >> 24 & 7), 1 + (caps >> 27 & 7)) == (H2C, C2H)
    seen = await interrupts(rc, card, d)
    m = await movers(rc, card, d)
    for rate in (0.0, 0.2):
        card.pauses(rate)
        card.link.shuffle = rate > 0
        before = list(seen)
        await every(x.run(24) for x in m.values())
        await Timer(2, "us")
        assert [b - a for a, b in zip(before, seen)] == [1] * (H2C + C2H), (before, seen)
    assert await d.read(0x10) == 0
    for name in m:
        assert await d.read(0x140 + 0x100 * page(name)) >> 32 == 48, name


@cocotb.test(timeout_time=200, timeout_unit="us")
async def a_doorbell_page_is_the_tail_of_one_channel_and_nothing_else(dut):
    """Every word of it, whole or in halves, written and read; of channels that have none, nobody answers."""
    rc, card, d = await bench(dut)
    assert await d.read(0x08) >> 30 & 1
    pages = {n: 0x100 + 0x100 * page(n) for n in READS + WRITES}
    await every(d.write(at + 0x18, 0x111) for at in pages.values())
    await every(d.write(at + 0x10, 0x5000) for at in pages.values())
    tails = dict.fromkeys(pages, 0x111)
    for bell in range(0x2000, 0x8000, 0x1000):
        k, to_host = (bell >> 13) - 1, bell >> 12 & 1
        if k >= (C2H if to_host else H2C):
            try:
                await d.read(bell)
                assert False, "answered"
            except Exception as e:
                assert "Unsuccessful" in str(e), e
            assert await d.read(0x10) == 1 << 4
            await d.write(0x10, 1 << 4)
            continue
        name = (WRITES if to_host else READS)[k]
        for word in [0, 0x18, 0x100, 0x118, 0xff8] + [random.randrange(0, 0x1000, 8) for _ in range(6)]:
            tails[name] = random.randrange(0x10000)
            await d.write(bell + word, tails[name], random.choice((4, 8)))
            await d.write(bell + word + 4, 0xffffffff, 4)
            assert await d.read(bell + random.randrange(0, 0x1000, 8)) & 0xffff == tails[name]
            for n, at in pages.items():
                assert await d.read(at + 0x18) & 0xffff == tails[n], (name, n)
    for at in pages.values():
        assert await d.read(at) == 0 and await d.read(at + 0x10) == 0x5000
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def shares_are_even_when_all_are_busy(dut):
    """Within a TLP or two of each other, and together as much as one channel carries alone."""
    rc, card, d = await bench(dut)
    regions = {n: rc.alloc_region(0x10000)[0] for n in READS + WRITES}
    alone = {}
    for names in ([WRITES[0]], [READS[0]], WRITES, READS):
        each = 2500 * card.width // 8 // 0x1000 // len(names) + 2
        for n in names:
            load(card, n, regions[n], 0x1000, each)
        got = await shares(card, {n: regions[n] for n in names})
        total = sum(got.values())
        alone.setdefault(names[0][:3], total)
        cocotb.log.info("%s: %s", names, got)
        assert max(got.values()) - min(got.values()) <= 0.02 * total / len(names) + 512, got
        assert total >= 0.98 * alone[names[0][:3]], (names, total, alone)
        for n in names:
            for _ in range(each):
                assert (await card.done(n))["cause"] == 0


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def one_that_stands_still_stops_no_other(dut):
    """A sink that takes nothing and a stream that gives nothing, each with work in hand: the others lose nothing."""
    rc, card, d = await bench(dut)
    regions = {n: rc.alloc_region(0x10000)[0] for n in READS + WRITES}
    for still, names in ((READS[-1], READS[:-1]), (WRITES[0], WRITES[1:])):
        if not names:
            continue
        got = {}
        for how in ("moves", "stands"):
            card.stream[still].pause.stuck = how == "stands"
            each = 2500 * card.width // 8 // 0x1000 // len(names) + 2
            if how == "stands":
                load(card, still, regions[still], 0x1000, each)
                await Timer(10, "us")            # all is asked for that it has room for
            for n in names:
                load(card, n, regions[n], 0x1000, each)
            got[how] = sum((await shares(card, {n: regions[n] for n in names})).values())
            for n in names:
                for _ in range(each):
                    assert (await card.done(n))["cause"] == 0
        assert not card.dones[still] or still in READS
        assert got["stands"] >= 0.98 * got["moves"], got
        card.stream[still].pause.stuck = False
        done = len(card.dones[still])
        for _ in range(each):
            assert (await card.done(still))["cause"] == 0
        assert done < each


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def a_fault_on_one_disturbs_no_other(dut):
    """Completions of one channel are poisoned, refused or lost; a ring of another cannot be read."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 8)                       # ticks of 2048 cycles
    for how in ("poisoned", "refused", "lost", "unread"):
        m = await movers(rc, card, d, READS[1:] + WRITES[1:])
        addr, mem = rc.alloc_region(0x2000)
        hit = []

        def damage(tlp):
            if tlp.tag & LOW != 0 or tlp.tag >= 128 or hit:
                return tlp
            hit.append(tlp)
            if how == "poisoned":
                tlp.ep = True
            elif how == "refused":
                tlp.status, tlp.length, tlp.data = CplStatus.UR, 0, bytearray()
                tlp.fmt_type = tlp.fmt_type.__class__.CPL
            elif how == "lost":
                card.link.rules.forget(tlp.tag)
                return None
            return tlp
        tasks = [cocotb.start_soon(x.run(max(6, 60 // len(m)))) for x in m.values()]
        if how == "unread":
            name, cause = WRITES[0], 7
            ring = Ring(d, page(name), log2=5)
            await ring.open(vector=0)
            await d.write(ring.base + 8, 0x7f00_0000_0000)
            await d.write(ring.base + 0x18, 3)
            rec = await ring.record()
            assert rec["cause"] == cause, rec
            assert await d.read(0x10) == 1 << 3
            await d.write(0x10, 1 << 3)
        else:
            name, cause = READS[0], {"poisoned": 4, "refused": 2, "lost": 1}[how]
            card.link.damage = damage
            card.command(name, addr, 64)
            done = await card.done(name)
            assert done["cause"] == cause, (how, done)
            assert hit and (await card.stream[name].frame())[1] == 1
            card.link.damage = None
        for t in tasks:
            await t
        assert await d.read(0x140 + 0x100 * page(name)) >> 4 & 15 == cause
        for n in READS + WRITES:
            assert n == name or not await d.read(0x140 + 0x100 * page(n)) >> 4 & 15, n
        if how == "unread":
            await ring.abort()
        await d.write(0x130 + 0x100 * page(name), 0)
        for x in m.values():
            await x.ring.abort()
        if how == "lost":
            await Timer(20, "us")                # tags rest


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def one_is_aborted_and_used_again_while_the_others_go_on(dut):
    rc, card, d = await bench(dut)
    card.link.shuffle = True
    for name in (READS[0], WRITES[0]):
        others = await movers(rc, card, d, [n for n in READS + WRITES if n != name])
        tasks = [cocotb.start_soon(x.run(max(10, 180 // len(others)))) for x in others.values()]
        addr, mem = rc.alloc_region(0x10000)
        for turn in range(4):
            if name in WRITES:
                card.stream[name].put(frame_beats(bytes(0x1000), card.width))
            for _ in range(1 if TWO else 4):     # what waits between two clocks is not dropped
                card.command(name, addr, 0x4000)
            await Timer(random.randrange(100, 1500), "ns")
            card.cmd[name].drop()
            await stop(card, d, name)
            if name in WRITES:                   # what is left of the frame is dropped as it comes
                while card.stream[name].queue:
                    await Timer(100, "ns")
                await Timer(100, "ns")
            data = random.randbytes(999)
            if name in READS:
                mem[3:1002] = data
            else:
                card.stream[name].put(frame_beats(data, card.width))
            card.command(name, addr + 3, 999)
            done = await card.done(name)
            assert done["cause"] == 0, done
            if name in READS:
                assert await card.stream[name].frame() == (data, 0)
            else:
                await Timer(1, "us")
                assert mem[3:1002] == data
        for t in tasks:
            await t
        for x in others.values():
            await x.ring.abort()


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def tags_of_five_bits_are_enough(dut):
    rc, card, d = await bench(dut, ext_tag=False)
    m = await movers(rc, card, d)
    card.link.shuffle = True
    await every(x.run(24) for x in m.values())
    tags = {t.tag for t in card.seen if not t.is_completion() and not t.data}
    assert max(tags) < 32 and len(tags) > H2C + 2, tags


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def a_reset_in_mid_traffic_leaves_all_channels_as_new(dut):
    rc, card, d = await bench(dut)
    for turn in range(2):
        m = await movers(rc, card, d)
        tasks = [cocotb.start_soon(x.run(60)) for x in m.values()]
        await Timer(random.randrange(3000, 6000), "ns")
        moving = sum([await d.read(0x140 + 0x100 * page(n)) & 1 for n in m])
        assert moving > (H2C + C2H) // 2, moving
        for t in tasks:
            t.cancel()
        card.reset(0)
        card.link.damage = lambda tlp: None      # what the host still answers comes to nobody
        for s in list(card.cmd.values()) + [card.stream[n] for n in WRITES] + [card.rx_cpl]:
            s.drop()
        await Timer(5, "us")
        card.link.damage = None
        card.link.rules.forget()
        card.tx_part = None
        card.reset(1)
        await Timer(1, "us")
        for n in READS:
            card.stream[n].frames.clear()
            card.stream[n].open.clear()
        for n in m:
            base = 0x100 + 0x100 * page(n)
            assert [await d.read(base + a) for a in (0x00, 0x08, 0x10, 0x18, 0x40, 0x48, 0x88)] == [0] * 7, n
        again = await movers(rc, card, d)
        await every(x.run(8) for x in again.values())
        for x in again.values():
            await x.ring.abort()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def pages_of_channels_that_are_not_there_are_refused(dut):
    rc, card, d = await bench(dut)
    there = {0, 3, 16, 19} | {1 + page(n) for n in READS + WRITES}
    for p in range(32):
        await d.write(0x10, 0xfff)
        try:
            await d.read(0x100 * p + 0x40)
            ok = True
        except Exception:
            ok = False
        assert ok == (p in there), p
        assert bool(await d.read(0x10) & 1 << 4) == (p not in there), p
    for i, n in enumerate(READS + WRITES):       # what is written to one page is read there and nowhere else
        await d.write(0x100 * (page(n) + 1) + 0x08, 0x1000 * (i + 1))
    for v in range(16):
        await d.write(0x1000 + 16 * v, 0x5000 + 4 * v)
    for i, n in enumerate(READS + WRITES):
        assert await d.read(0x100 * (page(n) + 1) + 0x08) == 0x1000 * (i + 1), n
    for v in range(16):
        assert await d.read(0x1000 + 16 * v) == 0x5000 + 4 * v, v
