# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does an abort leave nothing that is half done: frames, tags, the channel itself?"""

import random

import cocotb
from cocotb.triggers import ClockCycles, Event, Timer

from bench import bench
from driver import Ring
from streams import frame_beats


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def abort_leaves_a_channel_usable(dut):
    """Aborted in the middle of everything, with the user's side stuck; then it works again."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x20000] = src = random.randbytes(0x20000)
    for round in range(4):
        ring = Ring(d, 0, log2=5)
        await ring.open(count=1, time=10)
        if round & 1:
            card.h2c.pause.stuck = True
        if round & 2:
            card.link.damage = lambda t: None if t.tag < 128 and random.random() < 0.3 else t
        await ring.post([(addr + 7, 0x4000, 1, 0, 0, i) for i in range(20)])
        await Timer(random.randint(100, 3000), "ns")
        await ring.abort()
        card.link.damage = None
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
        data = random.randbytes(0x3000)
        gone = Event()
        card.c2h.put(frame_beats(data, card.width), gone)
        await ring.post([(addr + 0x20000 + 0x1000 * i, 0x1000, 1, 1, 0, i) for i in range(1 + round)])
        await Timer(random.randint(100, 3000), "ns")
        await ring.abort()
        await gone.wait()
        ring = Ring(d, 1, log2=5)
        await ring.open(count=1, time=10)
        data = random.randbytes(777)
        card.c2h.put(frame_beats(data, card.width))
        await ring.post([(addr + 0x30001, 1000, 1, 1, 0, 5)])
        rec = await ring.record()
        assert rec["length"] == 777 and rec["eof"] and rec["ident"] == 5, rec
        assert mem[0x30001:0x30001 + 777] == data
        await ring.abort()


@cocotb.test(timeout_time=200, timeout_unit="us")
async def an_abort_of_nothing_gives_no_frame(dut):
    """The first thing after a reset: no frame was open, so none is closed."""
    rc, card, d = await bench(dut)
    ring = Ring(d, 0, log2=5)
    await ring.open()
    await ring.abort()
    await Timer(1, "us")
    assert not card.h2c.frames and not card.h2c.open


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_frame_is_whole_or_in_error_in_an_abort(dut):
    """Many short frames wait for a slow taker when the channel is aborted: what comes out is one of them or in error,
    never two of them joined."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x4000] = src = random.randbytes(0x4000)
    await d.write(0x18, 2, 4)                        # a tick of 512 cycles
    ring = Ring(d, 0, log2=8)
    frames = {bytes(src[64 * i:64 * i + 8]) for i in range(100)}
    count = 0

    def one_is_lost(t):                              # so that the abort takes as long as a timeout
        nonlocal count
        count += t.tag < 128
        return None if t.tag < 128 and count == 55 else t
    for round in range(12):
        await ring.open(count=64, time=1000)
        card.h2c.pause.stuck, count = True, 0
        card.link.damage = one_is_lost
        await ring.post([(addr + 64 * i, 8, 1, 1, 0, i) for i in range(100)])
        await Timer(2, "us")                         # as many wait as can
        card.h2c.pause.stuck, card.h2c.pause.rate = False, 0.95
        abort = cocotb.start_soon(ring.abort())
        await Timer(1, "us")
        card.h2c.pause.rate = 0
        await abort
        await Timer(1, "us")
        assert not card.h2c.open, "a frame was left open"
        for got, error in card.h2c.frames:
            assert error or got in frames, f"{round} {got.hex()}"
        card.h2c.frames.clear()
        card.link.damage = None
        await Timer(5, "us")                         # tags rest


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def frames_after_an_abort_that_was_taken_back_are_good(dut):
    """More short frames wait for a taker that stands than their ends find room, and a completion is lost. An abort is
    taken back before the channel has come to rest: what was joined is in error, and what follows is not."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x4000] = src = random.randbytes(0x4000)
    await d.write(0x18, 8, 4)                        # a tick of 2048 cycles
    count = 0

    def one_is_lost(t):
        nonlocal count
        count += 1
        return None if count == 50 else t            # behind those whose ends find room
    card.h2c.pause.stuck = True
    card.link.damage = one_is_lost
    for i in range(100):
        card.command("h2c", addr + 64 * i, 8, ident=i)
    await Timer(2, "us")                             # as many wait as can
    await d.write(0x100, 2, 4)
    await d.read(0)
    await Timer(500, "ns")
    assert await d.read(0x140) & 1
    await d.write(0x100, 0, 4)
    card.link.damage = None
    card.h2c.pause.stuck = False
    while await d.read(0x140) & 1:
        await Timer(1, "us")
    await Timer(1, "us")
    errors = [error for _, error in card.h2c.frames]
    assert any(errors), "nothing was joined or lost"
    card.h2c.frames.clear()
    card.command("h2c", addr, 64)
    assert await card.h2c.frame() == (src[:64], 0)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def an_abort_ends_while_the_other_channel_is_held(dut):
    """Both channels want to send, neither may: the one that is aborted comes to its end though what the
    other holds stands first, and the other goes on when the host allows it. With a fetch, with a record."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x1000] = src = random.randbytes(0x1000)
    for stays in (0, 1):
        goes = 1 - stays
        for what in ("fetch", "record"):
            rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
            for ch in (stays, goes):
                await rings[ch].open(count=100, time=500 if ch == stays else 700)
            if what == "record" or stays == 1:
                card.c2h.put(frame_beats(src[:64], card.width))
            if what == "fetch":
                card.function.bus_master_enable = False
                await Timer(400, "ns")
            for ch in (stays, goes):
                await rings[ch].post([(addr + 0x8000 * ch, 64, 1, 1, 0, 7)])
            if what == "record":
                for ch in (stays, goes):
                    while await d.read(rings[ch].base + 0x40) >> 32 == 0:
                        pass
                card.function.bus_master_enable = False
                await Timer(4, "us")                 # the records are due
            else:
                await Timer(400, "ns")
            before = len(card.seen)
            await rings[goes].abort()
            await Timer(400, "ns")
            assert not [t for t in card.seen[before:] if not t.is_completion()], (stays, what)
            card.function.bus_master_enable = True
            said = await rings[stays].record()
            assert said["regular"] and said["ident"] == 7 and said["total"] == 1, (stays, what, said)
            await rings[stays].abort()
            if stays == 0 or what == "record":
                assert await card.h2c.frame() == (src[:64], 0), (stays, what)
            await Timer(1, "us")
            assert not card.h2c.frames and not card.h2c.open


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def an_abort_drops_nothing_of_the_other_channel(dut):
    """Both channels want descriptors while bus mastering is off, the one that is aborted first: its request is
    dropped, that of the other is held and goes when the host allows it."""
    rc, card, d = await bench(dut)
    await d.write(0x18, 4, 4)                        # a tick of 1024 cycles: what is dropped is waited for
    addr, mem = rc.alloc_region(0x10000)
    mem[0:64] = src = random.randbytes(64)
    for goes in (1, 0):
        stays = 1 - goes
        rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
        for r in rings:
            await r.open(count=1, time=10)
        card.function.bus_master_enable = False
        await Timer(400, "ns")
        if stays == 1:
            card.c2h.put(frame_beats(src, card.width))
        for ch in (goes, stays):
            await rings[ch].post([(addr + 0x8000 * ch, 64, 1, 1, 0, 7)])
            await Timer(400, "ns")
        await rings[goes].abort()
        card.function.bus_master_enable = True
        said = await rings[stays].record()
        assert said["regular"] and said["ident"] == 7, f"{goes} {said}"
        if stays == 0:
            assert await card.h2c.frame() == (src, 0)
        await rings[stays].abort()
    assert mem[0x8000:0x8040] == src


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def a_command_that_lost_a_tlp_is_not_said_to_be_done(dut):
    """Two TLPs of a command wait while bus mastering is off. An abort drops the first; where the host allows bus mastering
    again just then, the second goes out."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    halves = set()
    for cycles in range(48):
        at = 0x1000 * (1 + cycles % 8) - 4               # two TLPs, for none crosses 4 KiB
        mem[at:at + 8] = bytes(8)
        card.function.bus_master_enable = False
        await Timer(400, "ns")
        src = bytes(random.randrange(1, 256) for _ in range(8))
        gone = Event()
        card.c2h.put(frame_beats(src, card.width), gone)
        card.command("c2h", addr + at, 8, ident=cycles)
        await Timer(400, "ns")
        cocotb.start_soon(d.write(0x200, 2, 4))          # abort, posted
        await ClockCycles(card.clock, cycles)
        card.function.bus_master_enable = True
        said = await card.done("c2h")
        await d.write(0x200, 0, 4)
        await d.read(0)
        await Timer(2, "us")
        there = (mem[at:at + 4] == src[:4], mem[at + 4:at + 8] == src[4:])
        halves.add(there)
        assert said["cause"] or all(there), (cycles, said, there)
    assert (True, True) in halves and (False, False) in halves, halves


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def the_record_that_ends_an_abort_is_the_last_of_the_channel(dut):
    """Asked for, it comes once, behind all data and records, in the place that is next; a load that says that the channel is
    idle is answered when it has left. Not asked for, none comes. Both directions, at random moments."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x20000)
    for round in range(16):
        ch, tell = round & 1, round % 4 < 3
        ring = Ring(d, ch, log2=5)
        await ring.open(count=3, time=50)
        gone = Event()
        if ch:
            card.c2h.put(frame_beats(random.randbytes(0x3000), card.width), gone)
        await ring.post([(addr + 0x1000 * i, 0x1000, i == 0, i == 2, 0, i) for i in range(3)])
        await Timer(random.randint(50, 4000), "ns")
        before = len(card.seen)
        await d.write(ring.base, (ring.control | 2 | tell << 26) & 0xffffffff, 4)
        said = []
        while tell and not (said and said[-1]["count"] == 0):
            said.append(await ring.record())
        if tell:
            last = said[-1]
            assert last["cause"] == 6 and not last["irq"] and not last["regular"] and last["length"] == 0, last
            assert sum(s["count"] for s in said) == last["total"], said
            writes = [t for t in card.seen[before:] if t.is_completion() is False]
            at = ring.rec_addr + 16 * ((ring.slot - 1) % ring.size)
            place = next(i for i, t in enumerate(writes) if t.address == at)
            await Timer(3, "us")
            after = [t for t in card.seen[before:] if t.is_completion() is False][place + 1:]
            assert not after, [hex(t.address) for t in after]
        while await d.read(ring.base + 0x40) & 1:
            pass
        if not tell:
            await Timer(2, "us")
            for slot in range(ring.slot, ring.slot + 4):
                raw = int.from_bytes(ring.mem[ring.rec_off + 16 * slot:ring.rec_off + 16 * slot + 4], "little")
                assert not raw & 1 or raw >> 16, hex(raw)
        await ring.abort()
        if ch:
            await gone.wait()
        await Timer(1, "us")
        card.h2c.frames.clear()


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def an_abort_that_keeps_the_stream_loses_no_byte(dut):
    """Card to host: stopped again and again in the midst of frames, and set up anew behind what the records say was moved."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    frames = [random.randbytes(random.choice([1, 7, 64, 300, 2000])) for _ in range(60)]
    for frame in frames:
        card.c2h.put(frame_beats(frame, card.width))
    whole, came, at, ends = b"".join(frames), b"", 0, []
    while len(came) < len(whole):
        ring = Ring(d, 1, log2=5)
        await ring.open(count=1, time=10)
        room = [random.randint(1, 900) for _ in range(20)]
        places = [addr + 1000 * i + random.randint(0, 60) for i in range(20)]
        await ring.post([(p, n, 1, 0, 0, i) for i, (p, n) in enumerate(zip(places, room))])
        await Timer(random.randint(20, 2500), "ns")
        await d.write(ring.base, (ring.control | 2 | 3 << 25) & 0xffffffff, 4)
        done = 0
        while True:
            said = await ring.record()
            if not said["count"]:
                break
            for i in range(done, done + said["count"]):
                n = room[i] if i < done + said["count"] - 1 else said["length"]
                came += bytes(mem[places[i] - addr:places[i] - addr + n])
            done += said["count"]
            if said["eof"]:
                ends.append(len(came))
        await d.write(ring.base, 0, 4)
        await d.read(0)
    assert came == whole
    total = 0
    for frame, end in zip(frames, ends):
        total += len(frame)
        assert end == total
