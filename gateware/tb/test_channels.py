# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""With several channels each way: does each have its own data, records and interrupt, and its share, whatever the
others do?"""

import os
import random
import re

import cocotb
from cocotb.triggers import RisingEdge, Timer
from cocotbext.pcie.core.tlp import CplStatus

from bench import SEED, host, settle
from card import Card
from driver import Ring
from streams import FrameSink, Source, frame_beats

TWO = os.environ.get("TWO_CLOCKS") == "1"
H2C, C2H = int(os.environ.get("H2C", "2")), int(os.environ.get("C2H", "2"))
READS, WRITES = [f"h2c{i}" for i in range(H2C)], [f"c2h{i}" for i in range(C2H)]
LOW = (1 << max(H2C - 1, 0).bit_length()) - 1       # bits of a tag that are its channel


class View:
    """`h2c1_valid_o` is element 1 of `h2c_valid_o`, and so on; without a number, element 0."""

    def __init__(self, dut):
        self._dut = dut

    def __getattr__(self, name):
        hit = re.match(r"(h2c|c2h)(\d*)_(.*)", name)
        if not hit:
            return getattr(self._dut, name)
        return getattr(self._dut, f"{hit[1]}_{hit[3]}")[int(hit[2] or 0)]


class Channels(Card):
    """`stream[name]` and `cmd[name]` for each channel: h2c0, h2c1, ..., c2h0, ..."""

    def __init__(self, dut):
        view = View(dut)
        super().__init__(view)
        cap = self.function.msix_cap
        cap.msix_table_size, cap.msix_pba_offset = 15, 0x1300
        self.stream = {"h2c0": self.h2c, "c2h0": self.c2h}
        for name in READS + WRITES:
            if name not in self.stream:
                axis = {f: getattr(view, f"{name}_{f}_i") for f in ("data", "keep", "last")} if name in WRITES else None
                self.stream[name] = (FrameSink(self.clock, view, name) if name in READS else
                                     Source(self.clock, getattr(view, f"{name}_valid_i"), getattr(view, f"{name}_ready_o"), axis))
                self.streams.append(self.stream[name])
                self.cmd[name] = Source(self.clock, getattr(view, f"{name}_cmd_valid_i"), getattr(view, f"{name}_cmd_ready_o"),
                                        dict(cmd=getattr(view, f"{name}_cmd_i")))
            else:
                self.cmd[name], self.dones[name] = self.cmd.pop(name[:3]), self.dones.pop(name[:3])
            self.dones.setdefault(name, self.dones["p2p"].__class__())


async def bench(dut, mps=1, mrrs=2, ext_tag=True):
    random.seed(SEED)
    rc, card = host(), Channels(dut)
    rc.make_port().connect(card.device)
    driver, = await settle(rc, card, mps=mps, mrrs=mrrs, ext_tag=ext_tag)
    return rc, card, driver


def page(name):
    """The channel's number as Ring counts it."""
    return 4 * int(name[3:]) + (name[:3] == "c2h")


def number(name):
    return (READS + WRITES).index(name)


class Mover:
    """Random transfers through a channel's ring: bytes, records and counts are looked at."""

    def __init__(self, rc, card, d, name):
        self.card, self.name, self.d = card, name, d
        self.ring = Ring(d, page(name), log2=5)
        self.addr, self.mem = rc.alloc_region(0x10000)
        self.before = 0         # descriptors of earlier runs

    async def open(self):
        await self.ring.open(count=1, time=50, vector=number(self.name))

    async def run(self, count):
        """This many frames, a descriptor each, up to 16 outstanding; the last asks for an interrupt."""
        posted, frames, done = 0, [], 0
        while done < count:
            descs = []
            while posted < count and posted - done < 16:
                size, at = random.choice([1, 7, 64, 257, 1024, 3000]), 0x1000 * (posted % 16) + random.randrange(64)
                data = random.randbytes(size)
                if self.name in READS:
                    self.mem[at:at + size] = data
                else:
                    self.card.stream[self.name].put(frame_beats(data, self.card.width))
                frames.append((at, data))
                descs.append((self.addr + at, size, 1, 1, posted == count - 1, posted & 0xffffff))
                posted += 1
            if descs:
                await self.ring.post(descs)
            rec = await self.ring.record()
            assert rec["regular"] and rec["cause"] == 0, (self.name, rec)
            done += rec["count"]
            assert rec["ident"] == done - 1 and rec["total"] == self.before + done, (self.name, rec)
            for at, data in frames[done - rec["count"]:done]:
                if self.name in READS:
                    assert await self.card.stream[self.name].frame() == (data, 0), self.name
                else:
                    assert self.mem[at:at + len(data)] == data, self.name
        self.before += count


async def movers(rc, card, d, names=None):
    out = {n: Mover(rc, card, d, n) for n in names or READS + WRITES}
    for m in out.values():
        await m.open()
    return out


async def every(tasks):
    for t in [cocotb.start_soon(t) for t in tasks]:
        await t


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


async def interrupts(rc, card, d):
    """Vector n of the card is counted in element n."""
    seen = [0] * (H2C + C2H)
    base = 0xfee0_0000

    def count(n):
        seen[n] += 1
    card.counted = count
    for n in range(H2C + C2H):
        card.link.rules.vector(n, base + 4 * n, 0x40 + n)
        await d.write(0x1000 + 16 * n, base + 4 * n)
        await d.write(0x1008 + 16 * n, 0x40 + n)
    card.function.msix_cap.msix_enable = True
    was = card.link.port.send

    async def send(tlp):
        n = (tlp.address or 0) - base >> 2 if tlp.address else -1
        if not tlp.is_completion() and tlp.length == 1 and 0 <= n < len(seen):
            assert int.from_bytes(tlp.data, "little") == 0x40 + n
            seen[n] += 1
            card.link.rules.out(tlp)
            return                      # the root complex has nothing there
        await was(tlp)
    card.link.port.send = send
    return seen


def load(card, name, addr, size, count):
    """Commands of the fabric, and for card to host their bytes."""
    for _ in range(count):
        if name in WRITES:
            card.stream[name].put(frame_beats(bytes(size), card.width))
        card.command(name, addr, size)


def written(card, regions):
    """Payload of writes, by the region of memory it went to."""
    out = {n: 0 for n in regions}
    for t in card.seen:
        if not t.is_completion() and t.data:
            for n, a in regions.items():
                if a <= t.address < a + 0x10000:
                    out[n] += len(t.data)
    return out


async def shares(card, regions, ns=6000):
    """Bytes that each channel moved in this time."""
    await Timer(2000, "ns")
    start = written(card, {n: a for n, a in regions.items() if n in WRITES})
    start.update({n: card.stream[n].total for n in regions if n in READS})
    await Timer(ns, "ns")
    end = written(card, {n: a for n, a in regions.items() if n in WRITES})
    end.update({n: card.stream[n].total for n in regions if n in READS})
    return {n: end[n] - start[n] for n in regions}


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
            card.cmd[name].dropped = True
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
            s.dropped = True
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


async def stop(card, d, name):
    """Abort, and forget what came of it."""
    base = 0x100 * (page(name) + 1)
    await d.write(base, 2, 4)
    for _ in range(2000):
        if not await d.read(base + 0x40) & 1:
            break
    else:
        raise AssertionError("abort does not end")
    await d.write(base, 0, 4)
    await d.write(base + 0x30, 0)
    await d.read(0)
    await Timer(200, "ns")
    card.dones[name].clear()
    if name in READS:
        card.stream[name].frames.clear()
        card.stream[name].open.clear()
