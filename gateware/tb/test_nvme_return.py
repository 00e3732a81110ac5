# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a drive that failed come back by itself, as often as is allowed, and does the next flush say what may be lost?"""

import random

import cocotb
from cocotb.triggers import Timer

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, READ, ZERO
from nvme_controller import NvmeController
from test_nvme_commands import DNR, running
from test_nvme_faults import comes_back, works


async def goes(bench, drive):
    """The drive is gone, and its cache with it, until the host has seen it: what comes back is as after a loss of power."""
    drive.gone, drive.life = True, drive.life + 1
    for _ in range(1000):
        if bench.dut.dead_o.value == 1:
            break
        await Timer(20, "ns")
    assert bench.dut.dead_o.value == 1
    again = NvmeController(bench.port)
    again.media = drive.media
    return again


async def comes(bench, again):
    bench.port.controller, bench.port.mps = again, 128
    await bench.settled_running()
    bench.port.mps = again.mps


@cocotb.test()
async def a_drive_that_comes_back_says_what_may_be_lost(dut):
    bench, drive = await running(dut)
    data = random.randbytes(16 * 512)
    bench.write(0, data[:8 * 512])
    bench.give(FLUSH, tag=1)
    bench.write(8, data[8 * 512:])
    for _ in range(3):
        await bench.ok()
    assert dut.lost_o.value == 0
    again = await goes(bench, drive)
    assert bench.state()[1] == nb.WHY_ABSENT
    bench.give(FLUSH, tag=2)
    assert (await bench.done())["why"] == nb.WHY_ABSENT             # refused while it is away
    await comes(bench, again)
    assert dut.lost_o.value == 1
    bench.give(READ, 0, 16, tag=3)
    assert await bench.m.frame() == (data[:8 * 512] + bytes(8 * 512), 0)
    await bench.ok(3)
    bench.give(FLUSH, tag=4)
    assert await bench.done() == dict(why=nb.WHY_LOST, status=0, tag=4)
    await Timer(20, "ns")
    assert dut.lost_o.value == 0
    bench.write(8, data[8 * 512:])
    bench.give(FLUSH, tag=5)
    await bench.ok()
    await bench.ok(5)
    assert b"".join(again.media[i] for i in range(16)) == data
    assert not bench.port.wrong and not again.wrong, (bench.port.wrong, again.wrong)


@cocotb.test()
async def a_flush_that_fails_does_not_use_up_the_loss(dut):
    bench, drive = await running(dut)
    again = await goes(bench, drive)
    await comes(bench, again)
    again.status = lambda c: nc.INTERNAL | DNR if c["opcode"] == nc.FLUSH and not c["admin"] else 0
    bench.give(FLUSH, tag=1)
    assert (await bench.done())["why"] == nb.WHY_STATUS
    again.status = lambda c: 0
    again = await goes(bench, again)                                   # and once more, before it was told
    await comes(bench, again)
    bench.give(FLUSH, tag=2)
    bench.give(FLUSH, tag=3)
    assert (await bench.done())["why"] == nb.WHY_LOST
    await bench.ok(3)


@cocotb.test()
async def a_flush_of_before_does_not_tell_of_it(dut):
    """It was done before the drive failed, and its report has waited: it has succeeded. The notice is for a flush of after."""
    bench, drive = await running(dut)
    bench.reports.pause.rate = 1
    for op, lba in ((ZERO, 1), (FLUSH, 0), (ZERO, 2)):
        bench.give(op, lba)
    await Timer(10, "us")
    again = await goes(bench, drive)
    await Timer(40, "us")                                              # the pause before it begins again is over
    assert dut.dead_o.value == 1
    bench.reports.pause.rate = 0
    await bench.ok()
    await bench.ok()
    assert (await bench.done())["why"] == nb.WHY_ABSENT
    await comes(bench, again)
    assert dut.lost_o.value == 1
    bench.give(FLUSH, tag=1)
    assert (await bench.done())["why"] == nb.WHY_LOST
    bench.give(FLUSH, tag=2)
    await bench.ok(2)


@cocotb.test()
async def a_drive_that_stays_away_is_left_alone(dut):
    """After as many tries as were allowed; by hand it comes back, and the flush is honest all the same."""
    bench, drive = await running(dut)
    tries, was = 0, 1
    await goes(bench, drive)
    for _ in range(6000):
        await Timer(20, "ns")
        dead = int(dut.dead_o.value)
        tries += was and not dead
        was = dead
    assert dead and tries == 2, (tries, bench.state())
    again = NvmeController(bench.port)
    bench.port.controller = again
    await comes_back(bench, again)
    bench.give(FLUSH, tag=1)
    assert (await bench.done())["why"] == nb.WHY_LOST


@cocotb.test()
async def nothing_is_tried_without_a_link(dut):
    """Commands are refused meanwhile, not kept."""
    bench, drive = await running(dut)
    again = await goes(bench, drive)
    bench.link(0)
    for n in range(4):
        await Timer(20, "us")
        assert dut.dead_o.value == 1
        bench.give(ZERO, 5, tag=n)
        assert (await bench.done())["why"] == nb.WHY_ABSENT
    bench.link(1)
    await comes(bench, again)
    await works(bench)
