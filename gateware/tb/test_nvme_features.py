# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is the drive told what the parameters say of its write cache and its power state, each time that it is brought up, and is it
named where it refuses that? The cache is to be off, the power state 1."""

import random

import cocotb

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import READ, Bench
from nvme_controller import NvmeController
from test_nvme_faults import comes_back, works


def started(dut, **what):
    bench = Bench(dut)
    drive = NvmeController(bench.port, **what)
    drive.regs[0] &= ~0xff00_0000
    return bench, drive


@cocotb.test()
async def both_are_set(dut):
    """And what is written is durable when it is reported."""
    bench, drive = started(dut)
    await bench.start(drive)
    assert not drive.caches and drive.state == 1
    data = random.randbytes(1024)
    bench.write(40, data)
    await bench.ok()
    assert not drive.cache and drive.media[40] + drive.media[41] == data
    await works(bench)
    bench.clean()


@cocotb.test()
async def a_drive_without_a_cache(dut):
    """Is not told of one: it would answer with an error."""
    bench, drive = started(dut, vwc=0)
    await bench.start(drive)
    assert drive.state == 1
    await works(bench)
    bench.clean()


@cocotb.test()
async def set_again_after_a_reset(dut):
    bench, drive = started(dut)
    await bench.start(drive)
    drive.poison.add(drive.io_count)
    bench.give(READ, 0, 8)
    await bench.m.frame()
    assert (await bench.done())["why"] == nb.WHY_POISON
    await bench.settled()
    await works(bench)
    assert not drive.caches and drive.state == 1
    bench.clean()


@cocotb.test()
@cocotb.parametrize(which=["cache", "power"])
async def what_the_drive_refuses(dut, which):
    bench, drive = started(dut)
    feature, step = dict(cache=(6, nb.STEP_CACHE), power=(2, nb.STEP_POWER))[which]

    def status(command):
        return nc.INVALID_FIELD if command["admin"] and command["opcode"] == nc.SET_FEATURES and command["cdw10"] == feature else 0
    drive.status = status
    await bench.start(drive, up=False)
    await bench.settled()
    assert dut.dead_o.value == 1 and bench.state() == (step, nb.WHY_STATUS), bench.state()
    assert int(dut.detail_o.value) & 0x7ff == nc.INVALID_FIELD
    drive.status = lambda command: 0
    await comes_back(bench, drive)
    bench.clean()
