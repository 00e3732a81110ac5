# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the NVMe host bring a drive up, and do the right bytes go to the right blocks and come back in order, whatever
the order of the drive's completions?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

import nvme_bench as nb
from nvme_bench import FLUSH, READ, TRIM, WHY_STATUS, WRITE, ZERO, Bench
from nvme_controller import DATASET, LBA_RANGE, ZEROES, NvmeController

CMDS = int(os.environ.get("CMDS", "32"))


def shuffled(controller, most=8000):
    rng = random.Random(5)
    controller.latency = lambda command: rng.randrange(200, most)


@cocotb.test()
async def comes_up(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    assert int(dut.size_o.value) == drive.blocks
    assert drive.mps == 256 and drive.mrrs == 512 and drive.command == 6 and drive.bar == 0xe000_0000
    assert drive.sqs[1].size == 2 * CMDS and drive.cqs[1].size == 2 * CMDS
    bench.clean()


@cocotb.test()
async def says_when_each_step_began(dut):
    """In ticks: a drive takes its time until it is ready. Until then nothing is said of the steps after that."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    drive.ready_ns = 20000
    await bench.start(drive, up=False)
    while int(dut.step_o.value) != nb.STEP_ENABLE:
        await RisingEdge(dut.clk_i)
    assert await bench.trail(nb.STEP_DISABLE) is not None and await bench.trail(nb.STEP_ID_CTRL) is None
    await bench.settled()
    times = [await bench.trail(step) for step in range(nb.STEP_FIND, nb.STEP_RUN + 1)]
    assert times[0] == 0 and None not in times and times == sorted(times), times
    assert 60 < times[nb.STEP_ID_CTRL - 1] - times[nb.STEP_ENABLE - 1] < 200, times         # ticks of 160 ns, or so
    assert await bench.trail(nb.STEP_SWITCH) is None and await bench.trail(nb.STEP_IDLE) is None


@cocotb.test()
async def writes_and_reads_back(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    data = random.randbytes(20 * 512)
    bench.write(1000, data, tag=7)
    await bench.ok(7)
    assert b"".join(drive.stored(1000 + i) for i in range(20)) == data and not drive.media
    bench.give(FLUSH, tag=8)
    await bench.ok(8)
    assert not drive.cache and b"".join(drive.media[1000 + i] for i in range(20)) == data
    bench.give(READ, 1000, 20, tag=9)
    assert await bench.m.frame() == (data, 0)
    await bench.ok(9)
    bench.clean()


@cocotb.test()
@cocotb.parametrize(dstrd=[1, 5, 6, 7, 15])
async def doorbells_are_where_the_drive_has_them(dut, dstrd):
    bench = Bench(dut)
    drive = NvmeController(bench.port, dstrd=dstrd, bar_size=1 << 20)
    await bench.start(drive)
    data = random.randbytes(3 * 512)
    bench.write(40, data, tag=1)
    await bench.ok(1)
    bench.give(READ, 40, 3, tag=2)
    assert await bench.m.frame() == (data, 0)
    await bench.ok(2)
    bench.clean()


@cocotb.test()
async def many_in_flight_out_of_order(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port, mdts=1)
    await bench.start(drive)
    shuffled(drive)
    bench.port.odd = True
    bench.pauses(0.1)
    want = {}
    for n in range(24):
        lba, blocks = random.randrange(1 << 16), random.choice((1, 2, 7, 8, 9, 16, 17, 40))
        data = random.randbytes(512 * blocks)
        bench.write(lba, data, tag=n)
        for i in range(blocks):
            want[lba + i] = data[512 * i:512 * i + 512]
        want_last = lba, blocks, data
        await bench.ok(n)               # so that overlapping blocks have one value
    for lba, block in want.items():
        assert drive.stored(lba) == block
    reads = []
    for n in range(60):
        lba = random.choice(list(want))
        blocks = random.choice((1, 3, 8, 20, 33))
        reads.append((lba, blocks))
        bench.give(READ, lba, blocks, tag=n)
    for n, (lba, blocks) in enumerate(reads):
        data, error = await bench.m.frame()
        assert not error and data == b"".join(drive.stored(lba + i) for i in range(blocks)), n
        await bench.ok(n)
    assert drive.most > 4, drive.most
    assert want_last
    bench.clean()


@cocotb.test()
async def zeroes_and_deallocates_without_data(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    shuffled(drive, 2000)
    data = random.randbytes(40 * 512)
    bench.write(1000, data, tag=0)
    await bench.ok(0)
    bench.give(ZERO, 1003, 5, tag=1, fua=1)
    await bench.ok(1)
    assert all(drive.media[1003 + i] == bytes(512) for i in range(5)) and 1002 not in drive.media
    zeroed = {*range(1003, 1008)}
    # Between others, as many as the window holds and more; each range is another.
    for n in range(2, 2 + 3 * CMDS):
        lba, blocks = random.randrange(1000, 1032), random.randrange(1, 9)
        bench.give(random.choice((TRIM, TRIM, ZERO)), lba, blocks, tag=n)
        zeroed |= {*range(lba, lba + blocks)}
        if n % 5 == 0:
            bench.give(READ, 1003, 4, tag=0x100 + n)
    for n in range(2, 2 + 3 * CMDS):
        await bench.ok(n)
        if n % 5 == 0:
            assert await bench.m.frame() == (bytes(4 * 512), 0)
            await bench.ok(0x100 + n)
    bench.give(READ, 1000, 40, tag=7)
    want = b"".join(bytes(512) if 1000 + i in zeroed else data[512 * i:512 * i + 512] for i in range(40))
    assert await bench.m.frame() == (want, 0)
    await bench.ok(7)
    # More blocks than a command can name.
    for op, opcode in (ZERO, ZEROES), (TRIM, DATASET):
        drive.log.clear()
        drive.ranges.clear()
        bench.give(op, 5, 65537, tag=8)
        await bench.ok(8)
        assert [entry[0] for entry in drive.log] == [opcode] * 2, drive.log
        named = drive.ranges if op == TRIM else [entry[1:] for entry in drive.log]
        assert sorted(named) == [(5, 65536), (65541, 1)], named          # the drive does them in any order
        bench.give(op, drive.blocks - 1, 2, tag=9)
        done = await bench.done()
        assert done["why"] == WHY_STATUS and done["status"] & 0x7ff == LBA_RANGE, done
    bench.clean()
