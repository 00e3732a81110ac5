# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Are registers read and written right, answered always and at once, and do the counters add up?"""

import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.tlp import TlpType

from bench import bench
from streams import frame_beats


@cocotb.test(timeout_time=200, timeout_unit="us")
async def enumerates_and_names_itself(dut):
    rc, card, d = await bench(dut)
    assert await d.read(0) & 0xffffffff == 0x5043534c
    assert await d.read(8) & 0xffff == card.width
    assert await d.read(0x10) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def registers_of_the_user(dut):
    """1 to 8 bytes at any place, bursts of write combining, and no answer at all."""
    rc, card, d = await bench(dut)
    model = bytearray(random.randbytes(0x200))
    await d.bar.write(0x8000, bytes(model))          # bursts of a whole payload
    for _ in range(60):
        n = random.randint(1, 8)
        at = random.randrange(0x200 - n)
        data = random.randbytes(n)
        await d.bar.write(0x8000 + at, data)
        model[at:at + n] = data
        n = random.randint(1, 4)
        at = random.randrange(0x200 - 8)
        assert await d.bar.read(0x8000 + at, n) == model[at:at + n]
        at &= ~3
        assert await d.bar.read(0x8000 + at, 8) == model[at:at + 8]
    before = card.user_accesses
    assert await d.bar.read(0x8000, 0) == b""        # answered, and nothing is read, nor what was read before
    assert card.user_accesses == before
    assert not any([t for t in card.seen if t.is_completion()][-1].data)
    burst = random.randbytes(64)
    await d.bar.write(0x8044, burst)
    await Timer(1, "us")
    assert bytes(card.user[0x44 + i] for i in range(64)) == burst
    assert await d.read(0x10) == 0
    card.user_stuck = True
    for access in (d.bar.read(0x8000, 8), d.bar.read(0x7000, 4)):
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


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def counters_add_up(dut):
    """Every cycle is in one class; the span is from the first beat to the last."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x10000)
    card.h2c.pause.rate = 0.5
    assert await d.read(0x148) == 0
    card.command("h2c", addr, card.width // 8)
    await card.h2c.frame()
    await Timer(1, "us")
    assert await d.read(0x148) == 1         # one beat, the first after the reset, before anything was cleared
    await d.write(0x130, 0)
    await d.read(0)                         # the write is posted: the command must not overtake it
    card.command("h2c", addr, 0x4000)
    await card.h2c.frame()
    await Timer(1, "us")
    uses = [await d.read(0x180 + 8 * i) for i in range(8)]
    beats = 0x4000 * 8 // card.width
    assert uses[1] == beats, uses
    assert uses[4] > beats / 4, uses        # the stream held back
    assert uses[6] and uses[0] > 150 and uses[7] < 100, uses    # before the first completion came, and since the last
    span = await d.read(0x148)
    assert beats <= span <= sum(uses[1:]) + 2, (span, uses)
    card.h2c.pause.rate = 0
    await d.write(0x130, 0)
    await d.read(0)
    card.command("h2c", addr, card.width // 8)
    await card.h2c.frame()
    await Timer(1, "us")
    uses = [await d.read(0x180 + 8 * i) for i in range(8)]
    # It had a tag, room and a taker, and waited for the host; a shim takes its request in a cycle or two.
    assert uses[1] == 1 and uses[2] <= 2 and uses[3:6] == [0] * 3 and uses[6], uses
    assert await d.read(0x148) == 1         # one beat: from the first to the last it is one cycle
    card.c2h.put(frame_beats(bytes(0x1000), card.width))
    await d.write(0x230, 0)
    await d.read(0)
    card.command("c2h", addr, 0x4000)
    await Timer(4, "us")
    uses = [await d.read(0x180 + 0x100 + 8 * i) for i in range(8)]
    assert uses[1] == 0x1000 * 8 // card.width and uses[0] > 150 and uses[7] < 100, uses
