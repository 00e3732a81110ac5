# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a record lie in its region, the newest data over the oldest, as its place says, and does play give it back? Is
nothing lost in silence, and do the figures agree with what the bench counts at the ports?"""

import random

import cocotb
from cocotb.triggers import Timer

from nvme_bench import WHY_STATUS, WHY_TIMEOUT
from nvme_controller import FLUSH, INTERNAL, READ, READ_ERROR, WRITE, NvmeController
from record_bench import END_CHUNK, END_COUNT, END_DEAD, END_ERROR, END_REGION, END_STOP, GIG, RecordBench


async def begin(dut, **drive):
    bench = RecordBench(dut)
    controller = NvmeController(bench.port, **drive)
    controller.regs[0] &= ~0xff00_0000           # CAP.TO: the least
    bench.block_bytes = controller.block
    await bench.start(controller)
    return bench, controller


def given(drive, op):
    return [(lba, blocks) for opcode, lba, blocks in drive.log if opcode == op]


def follows(commands, first, blocks, offset=0, chunk=8):
    """Each command begins where the one before it ended, around the region, and none leaves it; the blocks of all."""
    at, total = offset, 0
    for lba, n in commands:
        assert lba == first + at and 0 < n <= chunk and at + n <= blocks, (lba, n, at)
        at, total = (at + n) % blocks, total + n
    return total


def same(figure, count):
    assert (figure["bytes"], figure["cycles"], figure["stalled"], figure["longest"], figure["high"]) == (
        count.bytes, count.cycles, count.stalled, count.longest, count.high), (figure, vars(count))


async def played(bench, blocks, chunk):
    """The bytes of so many blocks, a frame for each command."""
    data = b""
    while len(data) < blocks * bench.block_bytes:
        frame, error = await bench.m.frame()
        assert not error and len(frame) <= chunk * bench.block_bytes
        data += frame
    return data


@cocotb.test()
async def goes_around_and_plays_back(dut):
    """A record of more than three rounds, stopped within a block."""
    bench, drive = await begin(dut)
    rng = random.Random(3)
    drive.latency = lambda command: rng.randrange(10000, 40000)
    bench.s.pause.rate = 0.1
    first, blocks, chunk = 5000, 40, 7
    await bench.ask(first, blocks, chunk=chunk)
    data = random.randbytes(133 * 512 + 192)
    bench.feed(data)
    await bench.fed()
    await bench.stop()
    assert await bench.end() == END_STOP
    place = bench.place()
    assert place == dict(at=134 % 40, blocks=134, wraps=3, pad=512 - 192, errors=0, lost=0), place
    writes = given(drive, WRITE)
    assert follows(writes, first, blocks, chunk=chunk) == 134 and drive.log[-1][0] == FLUSH and not drive.cache
    whole = data + bytes(place["pad"])
    for n in range(134 - 40, 134):
        assert drive.media[first + n % 40] == whole[512 * n:512 * n + 512], n
    # The figures: as counted at the ports, and all of the stream.
    assert len(bench.figures) == len(data) // GIG + 1 == len(bench.counted) + 1
    for n, (figure, count) in enumerate(zip(bench.figures, bench.counted)):
        assert figure["number"] == n
        same(figure, count)
    assert max(f["stalled"] for f in bench.figures) > 0, "the buffer was never full: nothing is shown"
    assert sum(f["bytes"] for f in bench.figures) == len(data)
    # From the oldest block on.
    await bench.ask(first, blocks, play=1, offset=place["at"], count=40, chunk=9)
    assert await played(bench, 40, 9) == whole[-40 * 512:]
    assert await bench.end() == END_COUNT
    assert follows(given(drive, READ), first, blocks, place["at"], 9) == 40
    assert bench.place()["blocks"] == 40 and sum(f["bytes"] for f in bench.figures) == 40 * 512
    bench.clean()


@cocotb.test()
async def goes_on_where_it_stood(dut):
    """Blocks of 4 KiB; a record that ends by its count, one that goes on behind it, and one that takes nothing."""
    bench, drive = await begin(dut, lbads=12)
    data = random.randbytes(9 * 4096)
    await bench.ask(64, 6, count=4, chunk=3)
    bench.feed(data)
    assert await bench.end() == END_COUNT
    place = bench.place()
    assert (place["at"], place["blocks"], place["pad"], bench.taken) == (4, 4, 0, 4 * 4096), place
    await bench.ask(64, 6, offset=4, count=5, chunk=8)
    assert await bench.end() == END_COUNT
    assert bench.place()["at"] == 3 and bench.place()["wraps"] == 1
    assert [drive.media[64 + n] for n in range(6)] == [data[4096 * n:4096 * n + 4096] for n in (6, 7, 8, 3, 4, 5)]
    flushes = given(drive, FLUSH)
    await bench.ask(64, 6)
    await Timer(500, "ns")
    await bench.stop()
    assert await bench.end() == END_STOP and bench.place()["blocks"] == 0 and not bench.figures
    assert len(given(drive, FLUSH)) == len(flushes) == 2
    bench.clean()


@cocotb.test()
async def what_fails_is_told(dut):
    """With `skip` a hole is told and the rest is in its place; without, the record ends, and what was taken is on the drive."""
    bench, drive = await begin(dut, mdts=1)
    start = drive.io_count
    drive.status = lambda c: INTERNAL if not c["admin"] and c["number"] - start in (3, 5) else 0
    data = random.randbytes(80 * 512)
    await bench.ask(100, 200, skip=1)
    bench.feed(data)
    await bench.fed()
    await bench.stop()
    assert await bench.end() == END_STOP
    place = bench.place()
    assert place["errors"] == 2 and place["lost"] == 16 and place["blocks"] == 80, place
    assert [(f["why"], f["status"], f["lba"], f["blocks"], f["flush"]) for f in bench.fails] == [
        (WHY_STATUS, INTERNAL, 124, 8, 0), (WHY_STATUS, INTERNAL, 140, 8, 0)], bench.fails
    for n in range(80):
        assert drive.media.get(100 + n) == (None if n // 8 in (3, 5) else data[512 * n:512 * n + 512]), n
    start = drive.io_count
    await bench.ask(1000, 200)
    bench.feed(data * 2)
    assert await bench.end() == END_ERROR
    place = bench.place()
    assert place["errors"] == len(bench.fails) and bench.fails[0]["lba"] == 1024 and place["blocks"] * 512 == bench.taken + place["pad"]
    assert place["blocks"] < 160
    for n in set(range(place["blocks"] - 1)) - {8 * i + k for i in (3, 5) for k in range(8)}:
        assert drive.media[1000 + n] == (data * 2)[512 * n:512 * n + 512], n
    bench.s.drop()
    await Timer(20, "ns")
    # The flush at the end.
    drive.status = lambda c: INTERNAL if not c["admin"] and c["opcode"] == FLUSH else 0
    await bench.ask(0, 100, count=4)
    bench.feed(data[:4 * 512])
    assert await bench.end() == END_COUNT
    assert bench.place()["errors"] == 1 and bench.place()["lost"] == 0 and bench.fails[0]["flush"] == 1
    bench.clean()


@cocotb.test()
async def a_drive_that_is_reset_and_one_that_is_given_up(dut):
    bench, drive = await begin(dut)
    data = random.randbytes(96 * 512)
    drive.silent = {drive.io_count + 4}
    await bench.ask(0, 1000, skip=1)
    bench.feed(data)
    await bench.fed()
    await bench.stop()
    assert await bench.end() == END_STOP
    place = bench.place()
    assert place["errors"] == len(bench.fails) > 0 and bench.fails[0]["why"] == WHY_TIMEOUT, bench.fails
    assert place["blocks"] == 96 and place["lost"] == sum(f["blocks"] for f in bench.fails) < 96
    lost = {f["lba"] + i for f in bench.fails for i in range(f["blocks"])}
    for n in set(range(96)) - lost:
        assert drive.stored(n) == data[512 * n:512 * n + 512], n
    drive.never_ready, drive.silent = True, {drive.io_count + 2}
    await bench.ask(0, 1000, skip=1)
    bench.feed(data)
    assert await bench.end(20000) == END_DEAD
    assert bench.place()["errors"] == len(bench.fails) > 0 and bench.place()["blocks"] * 512 == bench.taken + bench.place()["pad"]
    await bench.ask(0, 10)
    assert await bench.end() == END_DEAD and bench.place()["blocks"] == 0


@cocotb.test()
async def plays_without_end_and_over_errors(dut):
    bench, drive = await begin(dut)
    for n in range(30):
        drive.media[200 + n] = random.randbytes(512)
    want = b"".join(drive.media[200 + n] for n in range(30))
    await bench.ask(200, 30, play=1)
    assert await played(bench, 75, 8) == (want * 3)[:bench.m.total]
    await bench.stop()
    assert await bench.end() == END_STOP
    reads = follows(given(drive, READ), 200, 30)
    assert bench.m.total == reads * 512 and bench.place()["blocks"] == reads and bench.place()["wraps"] == reads // 30
    assert sum(f["bytes"] for f in bench.figures) == reads * 512
    bench.m.frames.clear()
    drive.status = lambda c: READ_ERROR if c.get("lba") == 208 else 0
    await bench.ask(200, 30, play=1, skip=1, count=30)
    frames = [await bench.m.frame() for _ in range(4)]
    assert await bench.end() == END_COUNT
    assert frames == [(want[:4096], 0), (b"\0", 1), (want[8192:12288], 0), (want[12288:], 0)]
    assert [(f["lba"], f["blocks"], f["status"]) for f in bench.fails] == [(208, 8, READ_ERROR)]
    assert sum(f["bytes"] for f in bench.figures) == 22 * 512
    await bench.ask(200, 30, play=1)
    assert await bench.end() == END_ERROR and bench.place()["errors"] >= 1
    bench.clean()


@cocotb.test()
async def what_cannot_be_is_refused(dut):
    bench, drive = await begin(dut)
    bench.feed(random.randbytes(512))
    for why, ask in ((END_REGION, dict(blocks=0)), (END_REGION, dict(first=drive.blocks - 9, blocks=10)),
                     (END_REGION, dict(first=(1 << 48) - 1, blocks=(1 << 48) - 1)), (END_REGION, dict(blocks=10, offset=10)),
                     (END_CHUNK, dict(blocks=10, chunk=0)), (END_CHUNK, dict(blocks=1000, chunk=65))):
        await bench.ask(**ask)
        assert await bench.end() == why, ask
        assert bench.place()["blocks"] == 0 and bench.taken == 0 and not drive.log
    await bench.ask(first=drive.blocks - 10, blocks=10, offset=9, chunk=64, count=1)
    assert await bench.end() == END_COUNT and drive.log[0] == (WRITE, drive.blocks - 1, 1)
    bench.clean()
