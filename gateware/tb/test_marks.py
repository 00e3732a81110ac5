# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a frame from the card begin in a descriptor that is marked for it, and in no other?"""

import os
import random

import cocotb
from cocotb.triggers import Timer

from bench import bench
from driver import Ring
from streams import frame_beats


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def a_frame_begins_in_a_marked_descriptor(dut):
    """Card to host: calls of several descriptors each, of which the first is marked, and frames that are shorter, longer, or as
    long. What a frame leaves of a call is skipped and counted, and no byte is lost."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x40000)
    ring = Ring(d, 1, log2=6)
    await ring.open(count=5, time=100, first=True)
    frames = [random.randbytes(random.choice([1, 8, 63, 64, 200, 777])) for _ in range(80)]
    for frame in frames:
        card.c2h.put(frame_beats(frame, card.width))
    posted = done = 0
    given, descs = {}, []
    at, frame = 0, 0                                  # what is due: the byte of a frame
    while frame < len(frames):
        while posted - done < 40:
            call = [random.choice([1, 7, 64, 100, 256]) for _ in range(random.randint(1, 6))]
            batch = [(addr + 1024 * ((posted + i) % 64) + random.randint(0, 9), n, i == 0, i == len(call) - 1, 0, posted + i)
                     for i, n in enumerate(call)]
            for desc in batch:
                given[posted] = desc
                posted += 1
            await ring.post(batch)
        said = await ring.record()
        assert said["cause"] == 0, said
        for number in range(done, done + said["count"]):
            place, n, first, *_ = given.pop(number)
            due = min(n, len(frames[frame]) - at) if frame < len(frames) else 0
            if frame == len(frames) or (at == 0 and not first):
                due = 0                               # skipped
            moved = bytes(mem[place - addr:place - addr + due])
            assert moved == (frames[frame][at:at + due] if due else b""), (number, frame, at)
            if number == done + said["count"] - 1:
                assert said["length"] == due, (said, due)
                assert said["eof"] == (due > 0 and at + due == len(frames[frame]))
            at += due
            if due and at == len(frames[frame]):
                frame, at = frame + 1, 0
        done += said["count"]
        assert said["total"] == done
    await ring.abort()


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=bool(os.environ.get("TOP")))
async def what_a_frame_has_left_is_skipped_beside_commands_of_the_port(dut):
    """The design takes a part of the next frame before a descriptor comes that a frame has left over, or ends the frame of a call
    that is not done: no descriptor that is left over gets anything of a later frame, and no byte is lost."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x4000)
    ring = Ring(d, 1, log2=6)
    await ring.open(first=True)
    frames = [random.randbytes(n) for n in (100, 300, 90, 500)]
    for frame in frames:
        card.c2h.put(frame_beats(frame, card.width))
    port = addr + 0x2000
    mem[:] = bytes(len(mem))

    async def host(number, length, sof, due, eof):
        at = 0x400 * number
        await ring.post([(addr + at, length, sof, 0, 0, number)])
        said = await ring.record()
        assert (said["cause"], said["length"], said["eof"]) == (0, len(due), eof), (number, said)
        assert bytes(mem[at:at + 0x400]) == due + bytes(0x400 - len(due)), number

    async def design(length, due, eof):
        card.command("c2h", port, length, eof=0)
        said = await card.done("c2h")
        assert (said["cause"], said["len"], said["eof"]) == (0, len(due), eof), said
        await Timer(1, "us")                           # as long as the last of it is under way
        assert bytes(mem[0x2000:0x2000 + len(due)]) == due

    await host(0, 64, 1, frames[0][:64], 0)
    await host(1, 64, 0, frames[0][64:], 1)
    await design(80, frames[1][:80], 0)
    await host(2, 64, 0, b"", 0)                       # what the first frame has left
    await host(3, 400, 1, frames[1][80:], 1)
    await host(4, 64, 1, frames[2][:64], 0)
    await design(64, frames[2][64:], 1)                # of a frame of the host's
    await host(5, 64, 0, b"", 0)
    await design(100, frames[3][:100], 0)
    await host(6, 64, 0, b"", 0)
    await host(7, 700, 1, frames[3][100:], 1)
    await ring.abort()
