# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Card memory behind AXI4 in the place of streams: do bytes go where descriptors say, and only there, and is what the
memory refuses reported?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam
from cocotbext.axi.constants import AxiResp

import axi_memory
from bench import bench
from driver import Ring

SIZE = 1 << 16
WIDTH = int(os.environ["WIDTH"])
BURST = int(os.environ["BURST"])     # bytes of a burst, at most


class Memory:
    """An AxiRam that refuses what `bad` says of an address: SLVERR, DECERR or None."""

    def __init__(self, dut, order=None):
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, size=SIZE)
        axi_memory.order(dut, self.ram, order)
        self.bad = lambda addr: None
        self.bursts = dict(w=[], r=[])
        for side, channel, answer, field in ((self.ram.write_if, "aw_channel", "b_channel", "bresp"),
                                             (self.ram.read_if, "ar_channel", "r_channel", "rresp")):
            self._watch(side, getattr(side, channel), getattr(side, answer), field, channel[1])

    def _watch(self, side, requests, answers, field, kind):
        recv, send, at = requests.recv, answers.send, [0]

        async def asked():
            a = await recv()
            at[0] = int(getattr(a, f"a{kind}addr"))
            # One ID, INCR of whole beats, Normal Non-cacheable Bufferable, unprivileged secure data access (AXI4 A4.4, A4.7).
            said = [int(getattr(a, f"a{kind}{x}")) for x in ("id", "size", "burst", "lock", "cache", "prot", "qos")]
            assert said == [0, (WIDTH // 8).bit_length() - 1, 1, 0, 0b0011, 0, 0], said
            self.bursts[kind].append((at[0], int(getattr(a, f"a{kind}len")) + 1))
            return a

        async def answered(x):
            bad = self.bad(at[0])
            if bad is not None:
                setattr(x, field, bad)
            await send(x)
        requests.recv, answers.send = asked, answered

    def slow(self, rate):
        axi_memory.slow(self.ram, rate)

    def read(self, a, n):
        return bytes(self.ram.read(a, n))

    def write(self, a, data):
        self.ram.write(a, data)


def desc(addr, length, card, irq=0):
    """As `Ring.post` takes it: the number and the highest byte of the length are the address of card memory."""
    return addr, length | (card >> 24) << 24, 0, 0, irq, card & 0xffffff


async def start(dut, slow=0.0, log2=5, count=1, order=None):
    memory = Memory(dut, order)
    rc, card, d = await bench(dut)
    memory.slow(slow)
    rings = [Ring(d, 0, log2=log2), Ring(d, 1, log2=log2)]
    for r in rings:
        await r.open(count=count, time=2000)
    return rc, card, d, memory, rings


async def records(ring, count):
    got, out = 0, []
    while got < count:
        out.append(await ring.record())
        got += out[-1]["count"]
    return out


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def bytes_go_where_descriptors_say(dut):
    """Any address of host and card, any length, with pauses of the memory and without; nothing else is written."""
    for slow in (0.0, 0.4):
        memory = Memory(dut) if slow == 0.0 else memory
        if slow == 0.0:
            rc, card, d = await bench(dut)
            rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
            for r in rings:
                await r.open(count=1, time=2000)
            addr, mem = rc.alloc_region(0x40000)
        memory.slow(slow)
        for round in range(4):
            mem[0:0x20000] = src = random.randbytes(0x20000)
            memory.write(0, image := bytearray(random.randbytes(SIZE)))
            take, at = [], 1
            for _ in range(12):
                n = random.choice([1, 2, WIDTH // 8, 63, 64, 65, 500, 1024, 2500, random.randrange(1, 3000)])
                host, at = random.randrange(0x10000), at + random.randrange(0, 40)
                if at + n > SIZE // 2:
                    break
                take.append((host, n, at))
                image[at:at + n] = src[host:host + n]
                at += n
            give = [(0x20000 + 0x1000 * i + random.randrange(64), random.choice([1, 3, 64, 777, 2100]),
                     random.randrange(SIZE // 2, SIZE - 3000)) for i in range(12)]
            mem[0x20000:0x40000] = was = bytes(0x20000)
            await rings[0].post([desc(addr + h, n, c) for h, n, c in take])
            await rings[1].post([desc(addr + h, n, c) for h, n, c in give])
            for ring, want in ((rings[0], take), (rings[1], give)):
                for rec in await records(ring, len(want)):
                    assert rec["regular"] and rec["cause"] == 0, rec
            assert memory.read(0, SIZE) == bytes(image), "card memory"
            want = bytearray(was)
            for h, n, c in give:
                want[h - 0x20000:h - 0x20000 + n] = image[c:c + n]
            assert mem[0x20000:0x40000] == bytes(want), "host memory"
    assert max(n for _, n in memory.bursts["w"]) > min(BURST, 1024) * 8 // WIDTH // 2


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(order=[1, 2, 3])
async def a_memory_may_take_either_first(dut, order):
    """Address first, all of the data first, or both at once: every command ends, with its bytes in their place."""
    rc, card, d, memory, rings = await start(dut, order=order)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x10000] = src = random.randbytes(0x10000)
    for slow in (0.0, 0.4):
        memory.slow(slow)
        memory.write(0, bytes(SIZE))
        take = [(0x1000 * i + random.randrange(64), random.choice([1, 64, 777, 2100]), 0x1003 * i + 5) for i in range(8)]
        await rings[0].post([desc(addr + h, n, c) for h, n, c in take])
        assert all(r["regular"] for r in await records(rings[0], len(take)))
        for h, n, c in take:
            assert memory.read(c, n) == src[h:h + n]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def what_the_memory_refuses_is_reported(dut):
    """SLVERR and DECERR of any burst of a command: its record says so, those beside it are as they were."""
    rc, card, d, memory, rings = await start(dut)
    addr, mem = rc.alloc_region(0x10000)
    # A burst is refused by where it begins: the second of the second command, where that is not one burst.
    begin = 0x4400 if BURST <= 1024 else 0x4000
    memory.bad = lambda a: (AxiResp.SLVERR if begin <= a < 0x4800 else AxiResp.DECERR if a >= 0x8000 else None)
    cards = [0x1000, 0x4010, 0x9000, 0x6000]
    for ring, host in ((rings[0], 0), (rings[1], 0x8000)):
        await ring.post([desc(addr + host + 0x1000 * i, 0x900, c) for i, c in enumerate(cards)])
        got = await records(ring, 4)
        assert [r["cause"] for r in got] == [0, 10, 11, 0], got
        assert [r["regular"] for r in got] == [1, 0, 0, 1], got
        assert [r["length"] for r in got] == [0x900] * 4, got
        assert await d.read(ring.base + 0x40) >> 4 & 15 == 10
    assert mem[0x8000:0x8900] == memory.read(0x1000, 0x900)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_record_waits_for_the_memorys_answer(dut):
    """Host to card: it is not told before every burst was answered."""
    rc, card, d, memory, rings = await start(dut)
    addr, mem = rc.alloc_region(0x10000)
    memory.ram.write_if.b_channel.pause = True
    await rings[0].post([desc(addr, 0x1000, 0x100)])
    await Timer(6, "us")
    assert await d.read(rings[0].base + 0x40) & 1, "not busy"
    assert not rings[0].mem[rings[0].rec_off] & 1, "a record before the answer"
    memory.ram.write_if.b_channel.pause = False
    assert (await rings[0].record())["regular"]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def an_abort_ends_and_leaves_both_usable(dut):
    """In the midst of bursts, with a memory that stands still or not: no rule of AXI4 is broken, busy ends, the next
    transfers are right."""
    rc, card, d, memory, rings = await start(dut)
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x20000] = src = random.randbytes(0x20000)
    memory.write(0, random.randbytes(SIZE))
    w, r = memory.ram.write_if, memory.ram.read_if
    for round in range(8):
        for i, ring in enumerate(rings):
            await ring.post([desc(addr + 0x20000 * i + 0x1000 * k, 0xff0, 0x1003 * k + 5) for k in range(8)])
        await Timer(random.randrange(500, 4000), "ns")
        stands = [c for c in (w.aw_channel, w.w_channel, w.b_channel, r.ar_channel, r.r_channel) if random.random() < 0.4]
        for c in stands:
            c.pause = True
        await Timer(random.randrange(10, 600), "ns")
        ends = [cocotb.start_soon(ring.abort()) for ring in rings]
        await Timer(1, "us")
        for c in stands:
            c.pause = False
        for e in ends:
            await e
        for ring in rings:
            ring.mem[ring.rec_off:ring.rec_off + 16 * ring.size] = bytes(16 * ring.size)
            await ring.open(count=1, time=2000)
        host, n, at = random.randrange(0x1000), random.randrange(1, 3000), random.randrange(0x8000)
        await rings[0].post([desc(addr + host, n, at)])
        assert (await rings[0].record())["regular"]
        assert memory.read(at, n) == src[host:host + n]
        await rings[1].post([desc(addr + 0x30000 + host, n, at)])
        assert (await rings[1].record())["regular"]
        assert mem[0x30000 + host:0x30000 + host + n] == src[host:host + n]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def bytes_a_cycle(dut):
    """Printed: what goes through, and how many bytes of an aligned command a cycle, with a memory that answers at once
    but takes one burst at a time."""
    rc, card, d, memory, rings = await start(dut, count=8, order=0)
    addr, mem = rc.alloc_region(0x40000)
    for i, name in ((0, "host to card"), (1, "card to host")):
        for length, offset in ((4096, 0), (4096, 1), (64, 0)):
            began = get_sim_time("ns")
            await rings[i].post([desc(addr + 0x20000 * i + 0x1000 * k, length, 0x1000 * k + offset) for k in range(16)])
            await records(rings[i], 16)
            stat = await d.read(rings[i].base + 0x48)
            print(f"{name}, {length} bytes at {offset}: {16 * length / ((get_sim_time('ns') - began) / 4):.2f} bytes a cycle of {WIDTH // 8}", flush=True)
            await d.write(rings[i].base + 0x30, 1)
