# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the transaction layer do what a root and an engine rely on: configuration space, BARs, every byte of what goes either way,
credits that are kept and given back, and the answer that each wrong request has?"""

import os
import random

import cocotb

from tl_bench import C, CA, CRS, NP, P, ROOT_ID, SC, UR, Bench, completion, cost, ends, request

SEED = int(os.environ.get("SEED", "1"))


async def up(dut, seed=0, enumerate=True, mps=0, **how):
    bench = Bench(dut, random.Random(SEED * 1000 + seed), **how)
    await bench.start()
    if enumerate:
        await bench.enumerate(mps=mps)
    return bench


class Traffic:
    """All kinds at once; what each byte must be is kept here."""

    def __init__(self, bench, most):
        self.bench, self.draw, self.most = bench, bench.draw, most
        self.shadow = {bar: bytearray(mem) for bar, mem in bench.card.mem.items()}
        self.reading, self.expected, self.checked = {}, {}, 0
        self.asked, self.tags = {}, list(range(32))
        bench.root.memory.update((0x1_0000_0000 + n, self.draw.randrange(256)) for n in range(4096))
        bench.root.memory.update((0x8000_0000 + n, self.draw.randrange(256)) for n in range(4096))

    def host_write(self):
        bench, bar = self.bench, self.draw.choice((0, 2))
        count = min(self.draw.choice((1, 2, 4, self.draw.randrange(1, self.most + 1), self.most)), self.most)
        at = self.draw.randrange(0, 0x1000 - count)
        if (at & 3) + count > self.most:
            at &= ~3
        data = self.draw.randbytes(count)
        length, first, last = ends(at, count)
        padded = bytes(at & 3) + data
        bench.root.queue.append(request(0x40, bench.bars[bar] + at, length, first, last, self.draw.randrange(256), data=padded + bytes(4 * length - len(padded)),
                                        digest=self.draw.randbytes(4) if self.draw.random() < 0.1 else b""))
        self.shadow[bar][at:at + count] = data
        for of, start, values in self.reading.values():     # it may be passed by this
            for n in range(count):
                if of == bar and 0 <= at + n - start < len(values):
                    values[at + n - start].add(data[n])

    def host_read(self):
        bench, bar = self.bench, self.draw.choice((0, 2))
        at = self.draw.randrange(0x1000 - 8)
        count = self.draw.randrange(1, 9 - (at & 3))
        tag = bench.tag()
        if tag in self.reading:
            return
        length, first, last = ends(at, count)
        bench.root.queue.append(request(0x00, bench.bars[bar] + at, length, first, last, tag, attr=self.draw.randrange(4)))
        self.reading[tag] = (bar, at, [{self.shadow[bar][at + n]} for n in range(count)])

    def host_config(self):
        tag = self.bench.tag()
        if tag in self.reading:
            return
        self.bench.root.queue.append(request(0x04, 0x0100_0000, 1, 0xF, 0, tag))
        self.reading[tag] = (None, 0, [{b} for b in (0x34, 0x12, 0x01, 0x00)])

    def host_wrong(self):
        """A read of no BAR, an I/O write: UR."""
        tag = self.bench.tag()
        if tag in self.reading:
            return
        self.bench.root.queue.append(self.draw.choice((request(0x00, 0x4000_0000, 1, 0xF, 0, tag), request(0x42, 0x100, 1, 0xF, 0, tag, data=bytes(4)))))
        self.reading[tag] = (UR, 0, [])

    def card_write(self):
        count = self.draw.randrange(1, self.most + 1)
        at = self.draw.choice((0x2_0000_0000, 0x9000_0000)) + self.draw.randrange(0x1000 - count)
        if (at & 3) + count > self.most:
            at &= ~3
        data = self.draw.randbytes(count)
        self.bench.card.write(at, data)
        self.expected.update((at + n, byte) for n, byte in enumerate(data))

    def card_read(self):
        if self.tags:
            count = self.draw.randrange(1, 513)
            at = self.draw.choice((0x1_0000_0000, 0x8000_0000)) + self.draw.randrange(0x1000 - count)
            self.bench.card.read(at, count, self.tags.pop(self.draw.randrange(len(self.tags))))

    def look(self):
        bench = self.bench
        for tag in [t for t in self.reading if t in bench.root.answers]:
            bar, at, values = self.reading.pop(tag)
            answer = bench.root.answers.pop(tag)
            self.checked += 1
            assert answer["requester"] == ROOT_ID and answer["completer"] == 0x0100
            if bar == UR:
                assert answer["status"] == UR and answer["data"] == b""
                continue
            assert answer["status"] == SC and answer["count"] == len(values) and answer["lower"] == at & 0x7F, (at, answer)
            got = answer["data"][at & 3:][:len(values)]
            assert len(got) == len(values) and all(g in v for g, v in zip(got, values)), (tag, got.hex(), values)
        for tag, (address, data) in bench.card.done.items():
            assert data == bytes(bench.root.memory[address + n] for n in range(len(data))), hex(address)
            self.tags.append(tag)
            self.checked += 1
        bench.card.done.clear()

    async def run(self, steps, kinds, clocks=40):
        bench = self.bench
        for _ in range(steps):
            self.draw.choice(kinds)(self)
            self.look()
            for _ in range(self.draw.randrange(clocks)):
                await bench.wait(1)
            await bench.until(lambda: len(bench.root.queue) <= 12 and len(bench.card.writes) <= 6, 20000)
        await bench.quiet(60000)
        self.look()
        assert not self.reading, self.reading
        for bar, mem in bench.card.mem.items():
            assert mem == self.shadow[bar], bar
        for at, byte in self.expected.items():
            assert bench.root.memory[at] == byte, hex(at)


ALL = (Traffic.host_write, Traffic.host_write, Traffic.host_read, Traffic.host_config, Traffic.host_wrong, Traffic.card_write, Traffic.card_write,
       Traffic.card_read, Traffic.card_read)


@cocotb.test()
async def configuration_space_is_as_the_table_says(dut):
    bench = await up(dut, enumerate=False)
    read = bench.config
    assert await read(0x00) == 0x0001_1234 and await read(0x08) == 0x0580_0000 and await read(0x2C) == 0x0001_1234
    # The list of capabilities ends, and has power management, MSI-X, PCI Express.
    at, found = await read(0x34) & 0xFF, {}
    assert await read(0x04) >> 20 & 1
    while at:
        word = await read(at)
        found[word & 0xFF] = at
        at = word >> 8 & 0xFF
    assert set(found) == {0x01, 0x11, 0x10}
    at, extended = 0x100, {}
    while at:
        word = await read(at)
        extended[word & 0xFFFF] = at
        at = word >> 20
    assert set(extended) == {0x0001, 0x0003}
    assert (await read(extended[3] + 4), await read(extended[3] + 8)) == (0x89AB_CDEF, 0x0123_4567)
    assert await read(found[0x10] + 4) & 7 == 2 and await read(found[0x10] + 0x0C) & 0x3FF == 0x11 and await read(found[0x10]) >> 16 == 2
    assert await read(found[0x11]) >> 16 & 0x7FF == 3 and await read(found[0x11] + 4) == 0x1000
    # Sizes of the BARs.
    for register in (0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x30):
        await bench.config(register, 0xFFFF_FFFF)
    assert [await read(n) for n in (0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x30)] == [0xFFFF_0000, 0, 0xFFF0_000C, 0xFFFF_FFFF, 0, 0, 0]
    assert await read(0x800) == 0 and await read(0xFFC) == 0


@cocotb.test()
async def writes_change_what_may_be_changed(dut):
    """All ones, then all zeros, byte by byte, into every register: what moves is what the standard lets software set."""
    bench = await up(dut, 1, enumerate=False)
    writable = {0x04: 0x0546, 0x0C: 0xFF, 0x10: 0xFFFF_0000, 0x18: 0xFFF0_0000, 0x1C: 0xFFFF_FFFF, 0x3C: 0xFF, 0x44: 3, 0x50: 0xC000_0000, 0x68: 0x79FF,
                0x70: 0xC8, 0x108: 0x17_D010, 0x10C: 0x17_D010, 0x114: 0x31C1}
    for register in (*range(0, 0xA0, 4), *range(0x100, 0x150, 4)):
        before = await bench.config(register)
        for value in (0xFFFF_FFFF, 0):
            for n in range(4):
                enables = 1 << n
                was = await bench.config(register)
                may = writable.get(register, 0) & 0xFF << 8 * n
                await bench.config(register, value & ~(0x8000 if register == 0x68 else 0), enables)
                assert await bench.config(register) == was & ~may | value & may, (hex(register), value, n)
        assert await bench.config(register) == before & ~writable.get(register, 0), hex(register)
        await bench.config(register, before & ~0xFFFF_0000 if register in (0x04, 0x68) else before)
    assert bench.flrs == 0


@cocotb.test()
async def settings_are_told(dut):
    bench = await up(dut, 2, enumerate=False)
    assert bench.settings() == dict(mps=0, mrrs=2, ext_tag=0, master=0, msix=0) and bench.mps == 0
    await bench.config(0x04, 4, 1)
    await bench.config(0x68, 0x3940, 0x3)
    await bench.config(0x50, 0x8000_0000, 0x8)
    await bench.wait(4)
    assert bench.settings() == dict(mps=2, mrrs=3, ext_tag=1, master=1, msix=1) and bench.mps == 2
    await bench.config(0x68, 0x20, 0x1)
    await bench.config(0x50, 0xC000_0000, 0x8)
    await bench.config(0x44, 3)
    await bench.wait(4)
    assert bench.settings() == dict(mps=1, mrrs=3, ext_tag=1, master=0, msix=0) and bench.mps == 1
    await bench.config(0x44, 0)
    await bench.wait(4)
    assert bench.settings()["master"] == 1


@cocotb.test()
async def bus_and_device_are_those_of_the_last_write(dut):
    bench = await up(dut, 3, enumerate=False)
    for target in (0x0500, 0xFFF8, 0x0100):
        await bench.config(0x3C, 0, target=target)
        await bench.config(0x00, target=0x2300)         # a read tells nothing
        assert bench.root.got[-1][4:6] == target.to_bytes(2, "big")
        assert int(dut.id_o.value) == target
    assert await bench.config(0x00, target=0x0101) == UR and await bench.config(0x3C, 0, target=0x0703) == UR
    assert int(dut.id_o.value) == 0x0100


@cocotb.test()
async def requests_before_it_is_ready_are_told_to_come_again(dut):
    bench = Bench(dut, random.Random(SEED))
    bench.ready = 0
    await bench.start()
    assert await bench.config(0) == CRS and await bench.config(0x3C, 0x55) == CRS
    bench.ready = 1
    await bench.wait(4)
    assert await bench.config(0) == 0x0001_1234 and await bench.config(0x3C) == 0


@cocotb.test()
async def bytes_of_a_bar_at_every_offset_and_length(dut):
    """Writes of 1 to 512 bytes, read back by 1 to 8."""
    bench = await up(dut, 4, mps=2)
    bench.root.gap = 0.1
    traffic = Traffic(bench, 512)
    await traffic.run(500, (Traffic.host_write, Traffic.host_read, Traffic.host_read))
    assert traffic.checked > 250 and not any(bench.errors.values()), bench.errors


@cocotb.test()
async def the_engines_bytes_at_every_offset_and_length(dut):
    bench = await up(dut, 5, mps=2)
    traffic = Traffic(bench, 512)
    await traffic.run(400, (Traffic.card_write, Traffic.card_read), clocks=120)
    assert traffic.checked > 100 and not any(bench.errors.values()), bench.errors


@cocotb.test()
async def everything_at_once(dut):
    """With TLPs that are hit on the way, few credits, and an engine that pauses."""
    for seed, finite in ((6, ((4, 12), (2, 0), (0, 0))), (7, ((1, 8), (1, 0), (1, 1))), (8, ((0, 0), (0, 0), (0, 0))), (9, ((3, 0), (0, 0), (2, 0)))):
        bench = await up(dut, seed, finite=finite)
        bench.root.hurt, bench.root.gap, bench.card.slow, bench.card.pace = 0.1, 0.05, 0.8, 0.4
        bench.root.back = 200
        traffic = Traffic(bench, 128)
        await traffic.run(250, ALL)
        assert traffic.checked > 60
        for name in ("malformed", "overflow", "unexpected", "poisoned", "posted_ur", "ca"):
            assert not bench.errors[name], bench.errors
        assert len(bench.root.got) > 100 and bench.errors["ur"]
