# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a drive shut down as the standard says before it loses its power: all that was given ends first, the I/O queues are
deleted, CC.SHN is 01b, and it is told when CSTS.SHST is 10b, or what went wrong; and does it come back when it is wanted?"""

import random

import cocotb
from cocotb.triggers import Timer

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, FORMAT, FORMAT_KEY, READ, WRITE, Bench
from nvme_controller import NvmeController
from test_nvme_faults import comes_back, works


async def running(dut, **more):
    bench = Bench(dut)
    drive = NvmeController(bench.port, **more)
    drive.regs[0] &= ~0xff00_0000
    await bench.start(drive)
    return bench, drive


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def a_drive_is_shut_down(dut):
    """What it has acknowledged without a flush is durable, its queues are gone, and what is given then is refused."""
    bench, drive = await running(dut)
    data = random.randbytes(40 * 512)
    bench.write(100, data)
    await bench.ok()
    assert drive.cache
    assert await bench.shutdown() == nb.WHY_NONE
    assert drive.shutdowns == [([0], [0])] and drive.regs[0x1c] >> 2 & 3 == 2
    assert not drive.cache and b"".join(drive.media[100 + i] for i in range(40)) == data
    assert dut.dead_o.value == 1 and bench.state() == (nb.STEP_SHUT, nb.WHY_SHUT)
    fetched = drive.io_count
    bench.give(READ, 100, 8, tag=1)
    bench.write(100, data, tag=2)
    bench.give(FLUSH, tag=3)
    assert await bench.m.frame() == (b"\0", 1)
    for tag in (1, 2, 3):
        assert await bench.done() == dict(why=nb.WHY_SHUT, status=0, tag=tag)
    await Timer(100, "us")                  # nor does it begin again by itself
    assert drive.io_count == fetched and dut.dead_o.value == 1 and drive.regs[0x14] & 1
    assert await bench.shutdown() == nb.WHY_NONE            # asked again: it is
    assert len(drive.shutdowns) == 1
    await comes_back(bench, drive)
    assert drive.regs[0x1c] == 1
    bench.give(READ, 100, 40, tag=4)
    assert await bench.m.frame() == (data, 0)
    await bench.ok(4)
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def what_was_given_before_ends_first(dut):
    """Reads, writes and a flush in flight, and write data that is late; what was not taken waits, and is refused then."""
    bench, drive = await running(dut, mdts=1)
    drive.latency = lambda c: random.randrange(2000, 9000)
    data = random.randbytes(64 * 512)
    bench.write(0, data, tag=0)
    for n in range(1, 9):
        bench.give(READ, 0, 8 * n, tag=n)
    bench.give(FLUSH, tag=9)
    while not dut.rq_valid_o.value == 1 or drive.io_count < 2:
        await Timer(100, "ns")
    asked = cocotb.start_soon(bench.shutdown())
    whys, frames = [], 0
    for n in range(10):
        done = await bench.done()
        assert done["tag"] == n
        whys.append(done["why"])
        if 1 <= n <= 8:
            frame = await bench.m.frame()
            assert frame == ((data[:8 * n * 512], 0) if done["why"] == nb.WHY_NONE else (b"\0", 1)), n
    assert await asked == nb.WHY_NONE
    ends = whys.index(nb.WHY_SHUT) if nb.WHY_SHUT in whys else 10
    assert ends >= 1 and whys == [nb.WHY_NONE] * ends + [nb.WHY_SHUT] * (10 - ends), whys
    assert drive.shutdowns == [([0], [0])] and not drive.cache
    bench.clean()


@cocotb.test(timeout_time=9, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(case=["never_complete", "fatal", "gone", "deletion_refused", "deletion_unanswered"])
async def a_shutdown_that_goes_wrong(dut, case):
    """It ends with its cause, in time; a drive that refuses to delete its queues, or does not answer, hears of it all the same."""
    bench, drive = await running(dut)
    bench.write(7, b"x" * 512)
    await bench.ok()
    why = dict(never_complete=nb.WHY_TIMEOUT, fatal=nb.WHY_CFS, gone=nb.WHY_UR).get(case, nb.WHY_NONE)
    if case == "never_complete":
        drive.shut_ns = None
    elif case == "fatal":
        shuts = drive.shuts

        async def fatal(life):
            await shuts(life)
            drive.regs[0x1c] = 3
        drive.shuts = fatal
    elif case == "gone":
        async def gone(life):
            bench.port.completer = lambda h: 1
        drive.shuts = gone
    elif case == "deletion_refused":
        drive.status = lambda c: nc.INVALID_QID if c["admin"] and c["opcode"] in (nc.DELETE_SQ, nc.DELETE_CQ) else 0
    else:
        drive.admin_ns = lambda opcode: None if opcode == nc.DELETE_SQ else 500
    got = await bench.shutdown()
    assert got == why, got
    assert len(drive.shutdowns) == 1
    assert dut.dead_o.value == 1 and bench.state() == (nb.STEP_SHUT, nb.WHY_SHUT if why == nb.WHY_NONE else why), bench.state()
    await Timer(100, "us")                  # with Restarts: not even then
    assert dut.dead_o.value == 1
    if case == "never_complete":
        drive.shut_ns = 3000
    elif case == "fatal":
        drive.shuts = shuts
    elif case == "gone":
        bench.port.completer, drive.shuts = lambda h: None, NvmeController.shuts.__get__(drive)
    drive.status, drive.admin_ns = lambda c: 0, lambda opcode: 500
    await comes_back(bench, drive)
    assert await bench.shutdown() == nb.WHY_NONE and drive.shutdowns[-1] == ([0], [0])
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def a_shutdown_of_no_drive_ends_with_its_cause(dut):
    """Asked while the bring-up is under way, which then fails."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    drive.space[0x0b] = 2
    await bench.start(drive, up=False)
    assert await bench.shutdown() == nb.WHY_UNFIT and not drive.shutdowns


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def asked_before_the_drive_runs_it_comes_up_and_is_shut_down(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive, up=False)
    assert await bench.shutdown() == nb.WHY_NONE and drive.shutdowns == [([0], [0])]
    bench.port.mps = drive.mps
    bench.clean()


@cocotb.test(timeout_time=6, timeout_unit="ms")      # of simulated time
async def beside_a_log_a_format_and_a_reset(dut):
    """Each ends first: the log with its page, the Format and the drive's new bring-up, a command without an answer and its reset."""
    bench, drive = await running(dut)
    drive.admin_ns = lambda opcode: 20000 if opcode in (nc.GET_LOG, nc.FORMAT) else 500
    log = cocotb.start_soon(bench.health())
    await Timer(2, "us")
    assert await bench.shutdown() == nb.WHY_NONE
    assert (await log)[3] == drive.health
    await comes_back(bench, drive)
    bench.give(FORMAT, FORMAT_KEY, 1 + (1 << 9 | 1), tag=5)
    await Timer(2, "us")
    assert await bench.shutdown() == nb.WHY_NONE and drive.formatted == [0x201]
    await bench.ok(5)
    await comes_back(bench, drive)
    drive.frozen = True                     # not even the Abort
    bench.give(READ, 3, 1, tag=6)
    asked = cocotb.start_soon(bench.shutdown())
    assert (await bench.done())["why"] != nb.WHY_NONE
    drive.frozen = False
    assert await asked == nb.WHY_NONE and len(drive.shutdowns) == 3
    bench.clean()
