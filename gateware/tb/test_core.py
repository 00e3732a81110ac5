# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the engine move every byte to its place, at any address, size, order and delay?"""

import logging
import os
import random

import cocotb
from cocotb.triggers import Event, RisingEdge, Timer, with_timeout
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType

from card import Card, Ring, settle
from streams import frame_beats

HOST = 0x2000_0000


def rand_bytes(n):
    return random.randbytes(n)


async def bench(dut, mps=1, mrrs=2):
    logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
    random.seed(int(os.environ.get("SEED", "1")))
    rc = RootComplex()
    card = Card(dut)
    rc.make_port().connect(card.device)
    rc.log.setLevel(logging.ERROR)
    driver, = await settle(rc, card, mps=mps, mrrs=mrrs)
    return rc, card, driver


@cocotb.test(timeout_time=200, timeout_unit="us")
async def enumerates_and_names_itself(dut):
    rc, card, d = await bench(dut)
    assert await d.read(0) & 0xffffffff == 0x5043534c
    assert await d.read(8) & 0xffff == card.width
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=400, timeout_unit="us")
async def writes_to_host_at_any_address(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    for size, offset in [(64, 0), (1, 0), (1, 3), (4096, 0), (257, 1), (5000, 4093), (130, 126), (3, 126)]:
        data = rand_bytes(size)
        mem[offset:offset + size] = bytes(size)
        card.c2h.put(frame_beats(data, card.width))
        card.command("c2h", addr + offset, size)
        done = await card.done("c2h")
        assert done["regular"] and done["len"] == size, done
        await Timer(300, "ns")
        assert mem[offset:offset + size] == data, (size, offset)


@cocotb.test(timeout_time=400, timeout_unit="us")
async def reads_from_host_at_any_address(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    for size, offset in [(64, 0), (1, 0), (1, 3), (4096, 0), (257, 1), (5000, 4093), (130, 126), (3, 126)]:
        data = rand_bytes(size)
        mem[offset:offset + size] = data
        card.command("h2c", addr + offset, size, ident=size)
        got, error = await card.h2c.frame()
        assert got == data and not error, (size, offset)
        done = await card.done("h2c")
        assert done["regular"] and done["id"] == size


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
            data = rand_bytes(size)
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
    mem[0:0x40000] = rand_bytes(0x40000)
    for rate, shuffle, rcb128 in ((0.0, False, False), (0.0, True, False), (0.4, True, True)):
        card.pauses(rate)
        card.completions.shuffle = shuffle
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
async def both_directions_at_once(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x20000)
    src = rand_bytes(0x8000)
    mem[0:0x8000] = src
    back = rand_bytes(0x8000)
    card.pauses(0.1)
    card.completions.shuffle = True
    card.c2h.put(frame_beats(back, card.width))
    card.command("h2c", addr, 0x8000)
    card.command("c2h", addr + 0x10001, 0x8000)
    got, _ = await card.h2c.frame()
    await card.done("c2h")
    await Timer(1, "us")
    assert got == src
    assert mem[0x10001:0x18001] == back


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def pushed_descriptors(dut):
    """Descriptors through registers, by 8 and by 4 bytes, in both directions."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x4000)
    mem[0:1000] = src = rand_bytes(1000)
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


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def short_frames_end_their_descriptor(dut):
    """A frame shorter than its buffer: a record at once, with the length; the next one follows."""
    rc, card, d = await bench(dut)
    ring = Ring(d, 1, log2=4)
    await ring.open(count=100, time=60000)
    addr, mem = rc.alloc_region(0x4000)
    frames = [rand_bytes(n) for n in (300, 1, 512, 513)]
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
    vectors = rc.msi_alloc_vectors(4)
    hits = [0] * 4

    def counter(i):
        async def cb():
            hits[i] += 1
        return cb
    for i, v in enumerate(vectors):
        v.cb.append(counter(i))
    await d.msix(vectors)
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
    dut.user_irq_i.value = 2
    await RisingEdge(dut.clk_i)
    dut.user_irq_i.value = 0
    await Timer(1, "us")
    assert hits == [0, 1, 4, 0]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def registers_of_the_user(dut):
    """1 to 8 bytes at any place, bursts of write combining, and no answer at all."""
    rc, card, d = await bench(dut)
    model = bytearray(rand_bytes(0x200))
    await d.bar.write(0x8000, bytes(model))          # bursts of a whole payload
    for _ in range(60):
        n = random.randint(1, 8)
        at = random.randrange(0x200 - n)
        data = rand_bytes(n)
        await d.bar.write(0x8000 + at, data)
        model[at:at + n] = data
        n = random.randint(1, 4)
        at = random.randrange(0x200 - 8)
        assert await d.bar.read(0x8000 + at, n) == model[at:at + n]
        at &= ~3
        assert await d.bar.read(0x8000 + at, 8) == model[at:at + 8]
    burst = rand_bytes(64)
    await d.bar.write(0x8044, burst)
    await Timer(1, "us")
    assert bytes(card.user[0x44 + i] for i in range(64)) == burst
    assert await d.read(0x10) == 0
    card.user_stuck = True
    for access in (d.bar.read(0x8000, 8), d.bar.read(0x4000, 4)):
        try:
            await access
            assert False, "answered"
        except Exception as e:
            assert "Unsuccessful" in str(e), e
    card.user_stuck = False
    assert await d.read(0x10) == 1 << 4
    await d.write(0x10, 0x10)
    assert await d.read(0x10) == 0
    try:
        await d.bar.read(0x8000, 16)
        assert False
    except Exception as e:
        assert "Unsuccessful" in str(e)
    assert await d.read(0x10) == 1 << 5
    assert await d.bar.read(0x8044, 8) == burst[:8]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def completions_go_first(dut):
    """A register read is answered within a TLP or two while writes fill the way out."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    for _ in range(8):
        card.c2h.put(frame_beats(bytes(0x2000), card.width))
        card.command("c2h", addr, 0x2000)
    await Timer(500, "ns")
    card.seen.clear()
    before = len(card.seen)
    await d.read(0)
    kinds = [t.fmt_type for t in card.seen]
    at = kinds.index(TlpType.CPL_DATA)
    assert at <= 14, at        # what waited in the bench's own queues, and one TLP
    for _ in range(8):
        await card.done("c2h")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def attributes_are_settings(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    for attr in range(8):
        for ch, name in enumerate(("h2c", "c2h", "p2p")):
            await d.write(0x100 * (ch + 1), attr << 4, 4)
        await d.read(0)                      # the writes have arrived
        card.seen.clear()
        for name in ("h2c", "c2h", "p2p"):
            if name != "h2c":
                getattr(card, name).put(frame_beats(bytes(64), card.width))
            card.command(name, addr, 64, eof=0 if name == "p2p" else 1)
        for name in ("h2c", "c2h", "p2p"):
            await card.done(name)
        await Timer(500, "ns")
        own = [t for t in card.seen if not t.is_completion()]
        assert [int(t.attr) for t in own] == [attr] * 3, own


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def faults_of_completions(dut):
    """UR, CA, poison, loss: each reported with its cause, the rest goes on."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=10)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = rand_bytes(0x8000)

    def ur(t):
        return Tlp.create_ur_completion_for_tlp(t, t.completer_id)

    def damage(kind):
        state = dict(left=1)

        def f(t):
            if kind == "loss" and t.tag == state.get("tag"):
                return None
            if t.tag >= 254 or not state["left"] or t.status != CplStatus.SC:
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
        card.completions.damage = damage(kind)
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


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def faults_of_descriptors(dut):
    """Length zero, length beyond the bound, and a ring that cannot be read."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = rand_bytes(0x8000)
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
    card.completions.damage = lambda t: None if t.tag == 254 else t
    await d.write(0x100, 0, 4)
    await d.write(0x130, 0)
    await ring.open()
    await ring.post([(addr, 64, 1, 1, 0, 0)])
    for _ in range(2000):
        if await d.read(0x140) >> 4 & 15:
            break
    assert await d.read(0x140) >> 4 & 15 == 7 and await d.read(0x10) & 4
    card.completions.damage = None
    await ring.abort()
    await Timer(10, "us")
    ring = Ring(d, 0, log2=5)
    await ring.open()
    await ring.post([(addr, 64, 1, 1, 0, 3)])
    assert (await ring.record())["ident"] == 3


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def abort_leaves_a_channel_usable(dut):
    """Aborted in the middle of everything, with the user's side stuck; then it works again."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x20000] = src = rand_bytes(0x20000)
    for round in range(4):
        ring = Ring(d, 0, log2=5)
        await ring.open(count=1, time=10)
        if round & 1:
            card.h2c.pause.stuck = True
        if round & 2:
            card.completions.damage = lambda t: None if t.tag < 254 and random.random() < 0.3 else t
        await ring.post([(addr + 7, 0x4000, 1, 0, 0, i) for i in range(20)])
        await Timer(random.randint(100, 3000), "ns")
        await ring.abort()
        card.completions.damage = None
        card.h2c.pause.stuck = False
        await Timer(12, "us")
        card.h2c.frames.clear()
        card.h2c.open = bytearray() if not card.h2c.open else card.h2c.open
        assert not card.h2c.open, "a frame was left open"
        ring = Ring(d, 0, log2=5)
        await ring.open(count=1, time=10)
        await ring.post([(addr + 3, 3000, 1, 1, 0, 9)])
        rec = await ring.record()
        assert rec["regular"] and rec["ident"] == 9, rec
        got, error = await card.h2c.frame()
        assert got == src[3:3003] and not error
        await ring.abort()
    for round in range(4):
        ring = Ring(d, 1, log2=5)
        await ring.open(count=1, time=10)
        data = rand_bytes(0x3000)
        gone = Event()
        card.c2h.put(frame_beats(data, card.width), gone)
        await ring.post([(addr + 0x20000 + 0x1000 * i, 0x1000, 1, 1, 0, i) for i in range(1 + round)])
        await Timer(random.randint(100, 3000), "ns")
        await ring.abort()
        await gone.wait()
        ring = Ring(d, 1, log2=5)
        await ring.open(count=1, time=10)
        data = rand_bytes(777)
        card.c2h.put(frame_beats(data, card.width))
        await ring.post([(addr + 0x30001, 1000, 1, 1, 0, 5)])
        rec = await ring.record()
        assert rec["length"] == 777 and rec["eof"] and rec["ident"] == 5, rec
        assert mem[0x30001:0x30001 + 777] == data
        await ring.abort()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def counters_add_up(dut):
    """Every cycle is in one class; the span is from the first beat to the last."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    card.h2c.pause.rate = 0.5
    await d.write(0x130, 0)
    card.command("h2c", addr, 0x4000)
    await card.h2c.frame()
    await Timer(1, "us")
    uses = [await d.read(0x180 + 8 * i) for i in range(8)]
    beats = 0x4000 * 8 // card.width
    assert uses[1] == beats, uses
    assert uses[4] > beats / 4, uses        # the stream held back
    span = await d.read(0x148)
    assert beats <= span <= sum(uses[1:]) + 2, (span, uses)
    card.c2h.put(frame_beats(bytes(0x1000), card.width))
    await d.write(0x230, 0)
    await d.read(0)
    card.command("c2h", addr, 0x4000)
    await Timer(4, "us")
    assert await d.read(0x180 + 0x100 + 8 * 1) == 0x1000 * 8 // card.width


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def everything_at_once(dut):
    """Both rings, the command ports, the window and registers together, all held back at random,
    settings drawn at random: MPS 128 to 1024, MRRS 128 to 4096, RCB, order, credits."""
    seed = int(os.environ.get("SEED", "1"))
    random.seed(seed)
    rounds = 6 if os.environ.get("SOAK") else 2
    rc, card, d = await bench(dut)
    random.seed(seed)
    addr, mem = rc.alloc_region(0x80000)
    mem[0:0x40000] = src = rand_bytes(0x40000)
    for _ in range(rounds):
        mps, mrrs = random.randrange(4), random.randrange(6)
        card.function.pcie_cap.max_payload_size = rc.max_payload_size = mps
        card.function.pcie_cap.max_read_request_size = mrrs
        rc.split_on_all_rcb = random.random() < 0.5
        rc.read_completion_boundary = random.random() < 0.5
        card.completions.shuffle = random.random() < 0.7
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
            writes.append((at, rand_bytes(n)))
            at += n
        for _, data in writes:
            card.c2h.put(frame_beats(data, card.width))
        await rings[0].post([(addr + a, n, 1, 1, 0, i) for i, (a, n) in enumerate(reads)])
        await rings[1].post([(addr + a, len(b), 1, 1, 0, i) for i, (a, b) in enumerate(writes)])
        poured = rand_bytes(random.choice([1, 100, 3000]))

        async def pour():
            await rc.mem_write(d.win + 3, poured[:-1])
            await rc.mem_write(d.win + 0x80000, poured[-1:])
        pouring = cocotb.start_soon(pour())
        for i, (a, n) in enumerate(reads):
            got, error = await card.h2c.frame()
            assert got == src[a:a + n] and not error, (seed, i)
            if i % 8 == 0:
                await d.bar.write(0x8000 + i, bytes([i]))
                assert await d.bar.read(0x8000 + i, 1) == bytes([i])
        for r in rings:
            done = 0
            while done < 30:
                rec = await r.record()
                assert rec["regular"], (seed, rec)
                done += rec["count"]
        await pouring
        assert await card.win.frame() == (poured, 0)
        for a, b in writes:
            assert mem[a:a + len(b)] == b, seed
        for r in rings:
            await r.abort()
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def credits_at_the_minimum(dut):
    """One posted and one non-posted TLP at a time on the link: slow, and nothing is lost."""
    rc, card, d = await bench(dut)
    port = card.device.upstream_port
    for fc in port.fc_state[:1]:
        for kind, data in ((fc.ph, fc.pd), (fc.nph, fc.npd)):
            kind.tx_initial_allocation = 1          # no longer without limit,
            kind.tx_credit_limit = kind.tx_credits_consumed = 0
            data.tx_initial_allocation = 1
            data.tx_credit_limit = data.tx_credits_consumed = 0

    async def trickle():
        fc = port.fc_state[0]
        while True:                                 # a header and its payload every 300 ns
            await Timer(300, "ns")
            for kind, data, event in ((fc.ph, fc.pd, fc.fc_p_update), (fc.nph, fc.npd, fc.fc_np_update)):
                kind.tx_credit_limit = (kind.tx_credits_consumed + 1) & kind.tx_field_mask
                data.tx_credit_limit = (data.tx_credits_consumed + 16) & data.tx_field_mask
                event.set()
    fc = port.fc_state[0]
    other_handle = fc.handle_fc_dllp
    fc.handle_fc_dllp = lambda dllp: None if fc.fi2 else other_handle(dllp)
    cocotb.start_soon(trickle())
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x1000] = src = rand_bytes(0x1000)
    back = rand_bytes(0x1000)
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
    mem[0:0x20000] = src = rand_bytes(0x20000)
    card.h2c.pause.stuck = True
    card.command("h2c", addr, 0x20000)
    await Timer(60, "us")
    asked = sum(t.length * 4 for t in card.seen if t.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64))
    assert 0x3800 <= asked <= 0x4000 + card.width // 8, asked
    card.h2c.pause.stuck = False
    assert await card.h2c.frame() == (src, 0)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def stray_completions_are_dropped(dut):
    """A completion for a tag that waits for nothing is counted and harms nothing."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    mem[0:64] = src = rand_bytes(64)
    for tag, fault in ((3, 1), (200, 2)):
        t = Tlp()
        t.fmt_type, t.tag, t.length, t.byte_count = TlpType.CPL_DATA, tag, 4, 16
        t.requester_id, t.data = card.function.pcie_id, bytearray(16)
        card.drive_cpl(t)
        await Timer(200, "ns")
        assert await d.read(0x10) == fault
        await d.write(0x10, fault)
    card.command("h2c", addr, 64)
    assert await card.h2c.frame() == (src, 0)
