# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a command given again when its error status allows it, and only then; and are its bytes, its order and its report right
afterwards?"""

import os
import random

import cocotb

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, READ, TRIM, WRITE, ZERO, Bench
from nvme_controller import NvmeController
from test_nvme_faults import works

RETRIES = int(os.environ.get("RETRIES", "0"))
DNR = 0x4000


async def running(dut, **more):
    bench = Bench(dut)
    drive = NvmeController(bench.port, **more)
    drive.regs[0] &= ~0xff00_0000
    await bench.start(drive)
    return bench, drive


def failing(drive, of, status, times):
    """The I/O commands that `of` picks end with this status, the first so many times; how often they were seen."""
    seen = []

    def answer(command):
        if command["admin"] or not of(command):
            return 0
        seen.append(command["number"])
        return status if len(seen) <= times else 0
    drive.status = answer
    return seen


@cocotb.test()
async def an_error_that_may_pass_is_tried_again(dut):
    """Among others in flight: all succeed, in their order, with the right bytes."""
    bench, drive = await running(dut, mdts=1)
    data = random.randbytes(96 * 512)
    bench.write(0, data)
    await bench.ok()
    drive.latency = lambda c: random.randrange(200, 4000)
    seen = failing(drive, lambda c: c["lba"] == 32 and c["opcode"] == nc.READ, nc.INTERNAL, RETRIES)
    for n in range(12):
        bench.give(READ, 8 * n, 8, tag=n)
    for n in range(12):
        assert await bench.m.frame() == (data[8 * n * 512:8 * (n + 1) * 512], 0), n
        await bench.ok(n)
    assert len(seen) == 1 + RETRIES, seen
    bench.clean()


@cocotb.test()
@cocotb.parametrize(kind=["too_often", "dnr", "in_pieces"])
async def an_error_that_stays_is_reported(dut, kind):
    bench, drive = await running(dut, mdts=1)
    data = random.randbytes(64 * 512)
    bench.write(0, data)
    await bench.ok()
    status = nc.READ_ERROR | (DNR if kind == "dnr" else 0)
    seen = failing(drive, lambda c: c["opcode"] == nc.READ and c["lba"] >= 24, status, 1000)
    tries = 1 if kind == "dnr" else 1 + RETRIES
    if kind == "in_pieces":             # 8 to 23, 24 to 39, 40 to 47: what follows the first failure is not tried again
        bench.give(READ, 8, 40, tag=1)
        assert await bench.m.frame() == (data[8 * 512:24 * 512] + b"\0", 1)
        tries += 1
    else:
        bench.give(READ, 24, 4, tag=1)
        assert await bench.m.frame() == (b"\0", 1)
    assert await bench.done() == dict(why=nb.WHY_STATUS, status=status, tag=1)
    assert len(seen) == tries, seen
    drive.status = lambda c: 0
    await works(bench)
    bench.clean()


@cocotb.test()
async def a_try_that_is_never_answered(dut):
    """The drive is reset, as for any command, and what was in flight ends with the cause."""
    bench, drive = await running(dut)
    seen = failing(drive, lambda c: c["lba"] == 9, nc.INTERNAL, 1)
    drive.silent.add(drive.io_count + 1)
    bench.give(ZERO, 9, tag=1)
    done = await bench.done()
    assert done["why"] == nb.WHY_TIMEOUT and done["tag"] == 1 and len(seen) == 2, (done, seen)
    await works(bench)
    assert bench.state() == (nb.STEP_RUN, nb.WHY_TIMEOUT)
    bench.clean()


@cocotb.test()
async def a_late_answer_of_an_earlier_try(dut):
    """It is no answer of the try that is out: the identifier is known for what it is."""
    bench, drive = await running(dut)
    failing(drive, lambda c: c["lba"] == 9, nc.INTERNAL, 1)
    drive.double.add(drive.io_count)        # the first try is completed twice, with the error
    drive.latency = lambda c: 2000
    bench.give(ZERO, 9, tag=1)
    done = await bench.done()
    assert done["why"] == nb.WHY_CID and done["tag"] == 1, done
    await works(bench)
    bench.clean()


@cocotb.test()
async def random_errors_pass(dut):
    """Commands of every kind, a third of them with errors that pass: every report is a success, and the blocks are right."""
    bench, drive = await running(dut, mdts=1)
    drive.latency = lambda c: random.randrange(200, 2500)
    bench.port.odd = True
    tries, errors = {}, 0

    def answer(command):
        nonlocal errors
        key = command["opcode"], command["lba"], command["blocks"]
        if command["admin"] or random.random() > 0.33 or tries.get(key, 0) == RETRIES:
            tries.pop(key, None)
            return 0
        tries[key], errors = tries.get(key, 0) + 1, errors + 1
        return nc.INTERNAL
    drive.status = answer
    held = {}
    for turn in range(12):
        given = []
        for n in range(10):                 # blocks of a round do not overlap, so their order is free
            op, lba, blocks = random.choice((READ, WRITE, WRITE, ZERO, TRIM)), 20 * n + random.randrange(3), random.randrange(1, 18)
            given.append((op, lba, blocks))
            if op == WRITE:
                data = random.randbytes(512 * blocks)
                bench.write(lba, data, tag=n)
                held.update({lba + i: data[512 * i:512 * i + 512] for i in range(blocks)})
            else:
                bench.give(op, lba, blocks, tag=n)
        bench.give(FLUSH, tag=10)
        for n, (op, lba, blocks) in enumerate(given):
            if op == READ:
                assert await bench.m.frame() == (b"".join(held.get(lba + i, bytes(512)) for i in range(blocks)), 0), n
            elif op != WRITE:
                held.update({lba + i: bytes(512) for i in range(blocks)})
            await bench.ok(n)
        await bench.ok(10)
        assert not drive.cache
    assert errors > 20, errors
    assert all(drive.stored(lba) == block for lba, block in held.items())
    bench.clean()
