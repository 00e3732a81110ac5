# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""An engine with several channels each way: its card, and what a test does with each of them."""

import os
import random
import re

import cocotb
from cocotb.triggers import Timer

from bench import SEED, host, settle
from card import Card
from driver import Ring
from streams import FrameSink, Source, frame_beats, stream

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
                self.stream[name] = (FrameSink(self.clock, view, name) if name in READS else
                                     Source(self.clock, *stream(view, name, ("data", "keep", "last"))))
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


async def interrupts(rc, card, d):
    """Vector n of the card is counted in element n."""
    seen = [0] * (H2C + C2H)
    base = 0xfee0_0000
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
