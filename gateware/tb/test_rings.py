# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do descriptors, records and interrupts say what happened, and when they should?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer
from cocotbext.pcie.core.tlp import TlpType

from bench import bench
from driver import Ring
from streams import frame_beats


def pieces(total, count):
    cuts = sorted(random.sample(range(1, total), count - 1))
    return [b - a for a, b in zip([0] + cuts, cuts + [total])]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def ring_writes_random(dut):
    """Card to host through the ring: random pieces, addresses, frames, and every record right."""
    rc, card, d = await bench(dut, mps=random.choice([0, 1, 2, 3]))
    ring = Ring(d, 1, log2=5)
    await ring.open(count=3, time=100)
    addr, mem = rc.alloc_region(0x40000)
    for rate in (0.0, 0.3):
        card.pauses(rate)
        at, descs, expect = 0, [], []
        for f in range(20):
            size = random.choice([1, 5, 64, 100, 256, 777, 3000])
            data = random.randbytes(size)
            card.c2h.put(frame_beats(data, card.width))
            parts = pieces(size, random.randint(1, min(3, size)))
            for i, n in enumerate(parts):
                at += random.randint(0, 40)
                last = i == len(parts) - 1
                descs.append((addr + at, n, i == 0, last, 0, len(expect)))
                expect.append((at, data[:n]))
                data = data[n:]
                at += n
        done = 0
        todo = list(descs)
        while done < len(descs):
            room = 31 - (len(descs) - len(todo) - done)
            batch, todo = todo[:room], todo[room:]
            if batch:
                await ring.post(batch)
            rec = await ring.record()
            assert rec["regular"] and rec["cause"] == 0, rec
            done += rec["count"]
            assert rec["ident"] == done - 1
            assert rec["length"] == descs[done - 1][1]
        for off, data in expect:
            assert mem[off:off + len(data)] == data
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def ring_reads_random(dut):
    """Host to card through the ring, completions shuffled and split at every RCB."""
    rc, card, d = await bench(dut, mrrs=random.choice([0, 1, 2]))
    rc.split_on_all_rcb = True
    ring = Ring(d, 0, log2=5)
    await ring.open(count=3, time=100)
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x40000] = random.randbytes(0x40000)
    for rate, shuffle, rcb128 in ((0.0, False, False), (0.0, True, False), (0.4, True, True)):
        card.pauses(rate)
        card.link.shuffle = shuffle
        rc.read_completion_boundary = rcb128
        descs, frames = [], []
        for f in range(20):
            frame = b""
            count = random.randint(1, 3)
            for i in range(count):
                n, at = random.choice([1, 5, 64, 100, 256, 777, 3000]), random.randrange(0x3f000)
                frame += mem[at:at + n]
                descs.append((addr + at, n, i == 0, i == count - 1, 0, len(descs)))
            frames.append(frame)
        done, todo = 0, list(descs)
        while done < len(descs):
            room = 31 - (len(descs) - len(todo) - done)
            batch, todo = todo[:room], todo[room:]
            if batch:
                await ring.post(batch)
            rec = await ring.record()
            assert rec["regular"] and rec["cause"] == 0, rec
            done += rec["count"]
            assert rec["ident"] == done - 1
        for i, frame in enumerate(frames):
            got, error = await card.h2c.frame()
            assert got == frame and not error, i
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def pushed_descriptors(dut):
    """Descriptors through registers, by 8 and by 4 bytes, in both directions."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x4000)
    mem[0:1000] = src = random.randbytes(1000)
    for ch in (0, 1):
        ring = Ring(d, ch, log2=4)
        await ring.open(ring=False)
        if ch:
            card.c2h.put(frame_beats(src, card.width))
        base = ring.base
        if ch:
            for i, v in enumerate((addr + 0x2000, 0, 1000, 3 | 7 << 8)):
                await d.write(base + 0x20 + 4 * i, v, 4)
        else:
            await d.write(base + 0x20, addr)
            await d.write(base + 0x28, 1000 | 3 << 32 | 7 << 40)
        rec = await ring.record()
        assert rec["regular"] and rec["ident"] == 7 and rec["length"] == 1000 and rec["total"] == 1, rec
    got, _ = await card.h2c.frame()
    assert got == src and mem[0x2000:0x2000 + 1000] == src


@cocotb.test(timeout_time=200, timeout_unit="us", skip=bool(os.environ.get("TOP")))
async def cycles_that_wait_for_descriptors_are_counted_as_such(dut):
    """The host answers a fetch after 1 us: the channel is busy and waits for descriptors meanwhile."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    ring = Ring(d, 0, log2=4)
    await ring.open()
    card.link.delay_ns = 1000
    await ring.post([(addr, 64, 1, 1, 0, 0)])
    await ring.record()
    card.link.delay_ns = 0
    uses = [await d.read(0x180 + 8 * i) for i in range(8)]
    assert 200 < uses[5] < 400 and uses[6] > 200, uses


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=bool(os.environ.get("TOP")))
async def ring_and_port_take_turns(dut):
    """Commands wait in the ring and at the port while the mover stands: then one of each goes in turn, and all of them."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    ring = Ring(d, 0, log2=4)
    await ring.open(record=False)
    card.h2c.pause.stuck = True
    card.command("h2c", addr, 0xc000)                # more than the buffer holds
    await Timer(3, "us")
    await ring.post([(addr + 0xc000 + 64 * i, 64, 1, 1, 0, i) for i in range(8)])
    for i in range(8):
        card.command("h2c", addr + 0xd000 + 64 * i, 64)
    await Timer(2, "us")
    card.h2c.pause.stuck = False
    for _ in range(17):
        await card.h2c.frame()
    reads = [t.address - addr for t in card.seen if t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64) and t.length == 16]
    reads = [a for a in reads if a >= 0xc000]
    assert sorted(reads) == sorted(0xc000 + 0x1000 * p + 64 * i for i in range(8) for p in (0, 1))
    assert all((a >= 0xd000) != (b >= 0xd000) for a, b in zip(reads, reads[1:])), [hex(a) for a in reads]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def pushes_beyond_the_queue_are_lost_and_counted(dut):
    """The mover stands and the queue is full: what is pushed then is lost, with its fault, and nothing else is."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x8000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    ring = Ring(d, 0, log2=4)
    await ring.open(ring=False, record=False)
    card.function.bus_master_enable = False
    await Timer(400, "ns")
    pushed = 0
    while not await d.read(0x10):
        assert pushed < 480, "never full"
        for _ in range(16):
            await d.write(ring.base + 0x20, addr + 64 * pushed)
            await d.write(ring.base + 0x28, 64 | 3 << 32 | pushed << 40)
            pushed += 1
    assert await d.read(0x10) == 1 << 7
    card.function.bus_master_enable = True
    while await d.read(ring.base + 0x40) & 1:
        pass
    done = await d.read(ring.base + 0x40) >> 32
    assert pushed - 16 <= done < pushed, (done, pushed)
    for i in range(done):                                # busy may end a few cycles before the last beat has left
        assert await card.h2c.frame() == (src[64 * i:64 * i + 64], 0), (i, done, pushed)
    await Timer(200, "ns")
    assert not card.h2c.frames
    await d.write(ring.base + 0x20, addr + 0x7000)       # there is room again
    await d.write(ring.base + 0x28, 64 | 3 << 32)
    assert await card.h2c.frame() == (src[0x7000:0x7040], 0)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_push_stops_no_fetch(dut):
    """Both rings want descriptors while bus mastering is off, one behind the other. Then one is pushed, to the channel
    whose request is out or to the one that waits. When the host allows it everything goes on."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    own = [random.randbytes(64) for _ in range(5)]
    mem[0:320] = b"".join(own)
    for first in (0, 1):
        for pushed in (0, 1):
            rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
            for r in rings:
                await r.open(count=1, time=10)
            card.function.bus_master_enable = False
            await Timer(400, "ns")
            for again in range(2):                   # a second batch each, behind the first
                for ch in (first, 1 - first):
                    await rings[ch].post([(addr + 0x8000 * ch + 64 * (2 * again + i), 64, 1, 1, 0, 2 * again + i) for i in range(2)])
                    await Timer(200, "ns")
            base = rings[pushed].base
            await d.write(base + 0x20, addr + 0x8000 * pushed + 64 * 4)
            await d.write(base + 0x28, 64 | 3 << 32 | 4 << 40)
            assert await d.read(base + 0x40) & 1
            for i in range(5 if pushed == 1 else 4):
                card.c2h.put(frame_beats(own[i], card.width))
            card.function.bus_master_enable = True
            for ch in (0, 1):
                done, count = [], 5 if ch == pushed else 4
                while sum(done) < count:
                    said = await rings[ch].record()
                    assert said["regular"], (first, pushed, said)
                    done.append(said["count"])
                if ch == 0:                          # the pushed one goes when no request of its ring is out
                    frames = [await card.h2c.frame() for _ in range(count)]
                    order = [own.index(data) for data, error in frames if not error]
                else:
                    there = [mem[0x8000 + 64 * i:0x8040 + 64 * i] for i in range(count)]
                    order = [there.index(data) for data in own[:count]]
                assert sorted(order) == list(range(count)), (first, pushed, ch, order)
                assert [i for i in order if i < 4] == [0, 1, 2, 3], (first, pushed, ch, order)
            for r in rings:
                await r.abort()
            mem[0x8000:0x9000] = bytes(0x1000)
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def short_frames_end_their_descriptor(dut):
    """A frame shorter than its buffer: a record at once, with the length; the next one follows."""
    rc, card, d = await bench(dut)
    ring = Ring(d, 1, log2=4)
    await ring.open(count=100, time=60000)
    addr, mem = rc.alloc_region(0x4000)
    frames = [random.randbytes(n) for n in (300, 1, 512, 513)]
    for f in frames:
        card.c2h.put(frame_beats(f, card.width))
    await ring.post([(addr + 0x400 * i, 512, 1, 1, 0, i) for i in range(6)])
    for i, (length, eof) in enumerate([(300, 1), (1, 1), (512, 0), (1, 1)]):
        rec = await ring.record()
        if i == 2:      # 512 of 512 was regular and waits; 512 of 513 lacks its end of frame
            assert (rec["count"], rec["ident"], rec["eof"]) == (2, 3, 0), rec
        else:
            assert (rec["length"], rec["eof"], rec["regular"]) == (length, eof, 0), rec
    assert mem[0:300] == frames[0] and mem[0x400:0x401] == frames[1]
    assert mem[0x800:0xa00] == frames[2] and mem[0xc00:0xe00] + mem[0x1000:0x1001] == frames[3]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def interrupts_by_count_and_time(dut):
    """Coalesced: one interrupt for four, one when time is up, none without the flag, masked waits."""
    rc, card, d = await bench(dut)
    hits = await d.interrupts()
    ring = Ring(d, 0, log2=5)
    await ring.open(count=4, time=1000, vector=2)
    addr, mem = rc.alloc_region(0x1000)
    await ring.post([(addr, 64, 1, 1, 1, i) for i in range(8)])
    await Timer(3, "us")
    assert hits == [0, 0, 2, 0], hits
    await ring.post([(addr, 64, 1, 1, 1, 8)])
    await Timer(2, "us")
    assert hits[2] == 2
    await Timer(4, "us")
    assert hits[2] == 3
    await ring.post([(addr, 64, 1, 1, 0, 9)] * 4)
    await Timer(3, "us")
    assert hits[2] == 3
    await d.write(0x100c + 32, 1, 4)     # mask vector 2
    await ring.post([(addr, 64, 1, 1, 1, 9)] * 4)
    await Timer(3, "us")
    assert hits[2] == 3 and await d.read(0x1080) == 4
    await d.write(0x100c + 32, 0, 4)
    await Timer(1, "us")
    assert hits[2] == 4 and await d.read(0x1080) == 0
    card.link.rules.user_interrupt(1)
    dut.user_irq_i.value = 2
    await RisingEdge(card.user_clock)
    dut.user_irq_i.value = 0
    await Timer(1, "us")
    assert hits == [0, 1, 4, 0]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def rings_of_every_size_and_phase(dut):
    """2, 4, 8 entries, posted one by one and as many as fit, three times around: no descriptor is taken that was not
    posted, records take turns. (Other sizes: test_ring.py.)"""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x10000] = src = random.randbytes(0x10000)
    for log2 in (1, 2, 3):
        size = 1 << log2
        for ch in (0, 1):
            for most in {1, size - 1}:
                ring = Ring(d, ch, log2=log2)
                await ring.open(count=1, time=0)
                # What was not posted would be found at once: a length of zero.
                posted = 0
                while posted < 3 * size + 1:
                    n = min(most, 3 * size + 1 - posted)
                    for i in range(n):
                        if ch:
                            card.c2h.put(frame_beats(src[posted + i:posted + i + 48], card.width))
                    await ring.post([(addr + (posted + i if not ch else 0x8000 + 64 * i), 48, 1, 1, 0, posted + i)
                                     for i in range(n)])
                    done = 0
                    while done < n:
                        said = await ring.record()
                        done += said["count"]
                        assert said["ident"] == posted + done - 1 and said["regular"], (log2, ch, most, posted, said)
                    for i in range(n):
                        if not ch:
                            assert await card.h2c.frame() == (src[posted + i:posted + i + 48], 0)
                        else:
                            at = 0x8000 + 64 * i
                            assert mem[at:at + 48] == src[posted + i:posted + i + 48]
                    posted += n
                assert await d.read(ring.base + 0x40) >> 16 & 0xffff == posted % size
                assert await d.read(ring.base + 0x40) >> 32 == posted
                await ring.abort()
    asked = [t for t in card.seen if t.fmt_type == TlpType.MEM_READ and t.tag >= 254]
    assert all(4 * t.length <= 8 * 16 and t.address % (4 * t.length) in range(0, 128, 16) for t in asked)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def several_fetches_are_out_and_the_order_holds(dut):
    """Their completions come mixed and cut; posted in odd numbers, so that batches begin and end anywhere."""
    rc, card, d = await bench(dut)
    rc.split_on_all_rcb = True
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    card.link.shuffle, card.link.delay_ns = True, 1000
    for ch in (0, 1):
        ring = Ring(d, ch, log2=7)
        await ring.open(count=1, time=10)
        done = 0
        before = len(card.seen)
        sizes = [random.choice([1, 4, 63, 64, 65]) for _ in range(300)]
        at = [sum(sizes[:i]) for i in range(300)]
        if ch:
            for a, n in zip(at, sizes):
                card.c2h.put(frame_beats(src[a:a + n], card.width))
        posted = 0
        while done < 300:
            n = min(random.choice([1, 3, 40, 100]), 127 - (posted - done), 300 - posted)
            if n:
                await ring.post([(addr + 0x8000 * ch + at[i], sizes[i], 1, 1, 0, i) for i in range(posted, posted + n)])
                posted += n
            rec = await ring.record()
            assert rec["regular"] and rec["ident"] == done + rec["count"] - 1, (done, rec)
            done += rec["count"]
        for a, n in zip(at, sizes):
            if ch:
                assert mem[0x8000 + a:0x8000 + a + n] == src[a:a + n], a
            else:
                assert await card.h2c.frame() == (src[a:a + n], 0)
        assert len({t.tag for t in card.seen[before:] if t.tag >= 128 and not t.is_completion() and not t.has_data()}) > 2
        await ring.abort()
