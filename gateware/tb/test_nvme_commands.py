# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a command given again when its error status allows it, and only then; are a command that is late aborted, health read and a
drive formatted beside all else, and what goes wrong in that named?"""

import os
import random

import cocotb
from cocotb.triggers import Timer

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, FORMAT, FORMAT_KEY, READ, TRIM, WRITE, ZERO, Bench
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


# ---- health ----------------------------------------------------------------------------------------
def figures(page):
    return dict(warning=page[0], kelvin=page[1] | page[2] << 8, spare=page[3], threshold=page[4], used=page[5])


@cocotb.test()
async def health_is_read_beside_the_streams(dut):
    """While reads are in flight: both are right, and the log lasts longer than they do."""
    bench, drive = await running(dut)
    data = random.randbytes(128 * 512)
    bench.write(0, data)
    await bench.ok()
    drive.admin_ns = lambda opcode: 20000
    for turn in range(2):
        drive.health = random.randbytes(512)
        for n in range(40):
            bench.give(READ, 3 * n, 8, tag=n)
        asked = cocotb.start_soon(bench.health())
        for n in range(40):
            assert await bench.m.frame() == (data[3 * n * 512:(3 * n + 8) * 512], 0), n
            await bench.ok(n)
        assert not asked.done(), "the log was quicker than its drive"
        assert await asked == (nb.WHY_NONE, 0, figures(drive.health), drive.health)
    bench.clean()


@cocotb.test()
@cocotb.parametrize(kind=["status", "silent", "poisoned", "cid"])
async def health_that_fails_is_named(dut, kind):
    """An error status is an answer; all else resets the drive, and what is in flight ends with the cause."""
    bench, drive = await running(dut)
    drive.latency = lambda c: 200_000
    life, why = drive.life, dict(status=nb.WHY_STATUS, silent=nb.WHY_TIMEOUT, poisoned=nb.WHY_POISON, cid=nb.WHY_CID)[kind]
    if kind == "status":
        drive.status = lambda c: nc.INVALID_LOG if c["admin"] else 0
        drive.latency = lambda c: 1000
    elif kind == "silent":
        drive.admin_ns = lambda opcode: None if opcode == nc.GET_LOG else 500
    elif kind == "poisoned":
        drive.poison_log = True
    else:
        post = drive.post

        async def other(queue, cid, *more, **named):
            await post(queue, cid ^ 0x100 if queue is drive.sqs.get(0) else cid, *more, **named)
        drive.post = other
    if kind != "silent":
        bench.give(ZERO, 5, tag=1)
    got = await bench.health()
    assert got[0] == why and (kind != "status" or got[1] == nc.INVALID_LOG) and got[3] == b"", got[:2]
    drive.admin_ns, drive.poison_log, drive.latency = lambda opcode: 500, False, lambda c: 1000
    if kind == "cid":
        drive.post = post
    drive.status = lambda c: 0
    if kind != "silent":
        assert (await bench.done())["why"] == (nb.WHY_NONE if kind == "status" else why)
    await works(bench)
    assert (drive.life != life) == (kind != "status"), drive.life
    assert (await bench.health())[3] == drive.health
    bench.clean()


@cocotb.test()
async def a_log_completed_twice(dut):
    """The second completion is not taken for that of the next log: no old page is shown as a new one."""
    bench, drive = await running(dut)
    post = drive.post

    async def twice(queue, cid, *more, **named):
        await post(queue, cid, *more, **named)
        if queue is drive.sqs.get(0):
            await post(queue, cid, *more, **named)
    drive.post = twice
    assert (await bench.health())[3] == drive.health
    drive.post, drive.health, drive.admin_ns = post, random.randbytes(512), lambda opcode: 20000
    await Timer(2, "us")
    got = await bench.health()
    assert got[0] == nb.WHY_CID and got[3] == b"", got
    drive.admin_ns = lambda opcode: 500
    await works(bench)
    assert (await bench.health())[3] == drive.health
    bench.clean()


@cocotb.test()
async def health_of_a_drive_that_is_not_there(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    drive.space[0x0b] = 2
    await bench.start(drive, up=False)
    assert (await bench.health())[0] == nb.WHY_UNFIT


# ---- Abort -----------------------------------------------------------------------------------------
@cocotb.test()
async def a_late_command_is_aborted(dut):
    """And given again, since its status allows it: no reset, and all data is right."""
    bench, drive = await running(dut)
    data = random.randbytes(80 * 512)
    bench.write(0, data)
    await bench.ok()
    life = drive.life
    drive.silent |= {drive.io_count + 2, drive.io_count + 12}
    for turn in range(2):
        for n in range(10):
            bench.give(READ, 8 * n, 8, tag=n)
        for n in range(10):
            assert await bench.m.frame() == (data[8 * n * 512:8 * (n + 1) * 512], 0), n
            await bench.ok(n)
    assert len(drive.aborted) == 2 and drive.life == life, (drive.aborted, drive.life)
    await works(bench)
    bench.clean()


@cocotb.test()
@cocotb.parametrize(kind=["refused", "silent", "status", "without_effect"])
async def an_abort_that_fails(dut, kind):
    """The drive is reset, as without one, and the cause says which of the two it was."""
    bench, drive = await running(dut)
    drive.silent.add(drive.io_count)
    if kind == "refused":
        drive.aborts = False
    elif kind == "silent":
        drive.admin_ns = lambda opcode: None if opcode == nc.ABORT else 500
    elif kind == "status":
        drive.status = lambda c: nc.INTERNAL if c["admin"] and c["opcode"] == nc.ABORT else 0
    bench.give(ZERO, 5, tag=1)
    bench.give(ZERO, 6, tag=2)
    if kind == "without_effect":
        await Timer(5, "us")
        drive.out.clear()
    done = await bench.done()
    assert done["why"] == nb.WHY_ABORT and done["tag"] == 1, done
    await bench.done()
    await works(bench)
    assert bench.state() == (nb.STEP_RUN, nb.WHY_ABORT)
    bench.clean()


# ---- Format ----------------------------------------------------------------------------------------
@cocotb.test()
async def a_format_without_its_key_is_refused(dut):
    """So is what no operation is; nothing of it reaches the drive, and the others go on, in their order."""
    bench, drive = await running(dut)
    data = random.randbytes(8 * 512)
    bench.write(0, data, tag=0)
    bad = [(FORMAT, 0, 1), (FORMAT, FORMAT_KEY ^ 1, 0x201), (FORMAT, FORMAT_KEY ^ 1 << 63, 1), (FORMAT, FORMAT_KEY, 0x10 + 1),
           (FORMAT, FORMAT_KEY, 0x10000 + 1), (6, FORMAT_KEY, 1), (7, 0, 1)]
    for n, (op, lba, blocks) in enumerate(bad):
        bench.give(op, lba, blocks, tag=2 * n + 1)
        bench.give(READ, 0, 8, tag=2 * n + 2)
    await bench.ok(0)
    for n in range(len(bad)):
        assert await bench.done() == dict(why=nb.WHY_REFUSED, status=0, tag=2 * n + 1), n
        assert await bench.m.frame() == (data, 0)
        await bench.ok(2 * n + 2)
    assert not drive.formatted
    bench.clean()


@cocotb.test()
async def a_format_with_its_key(dut):
    """It waits for all before it, and all after it for the drive as it then is: other blocks, of another size, and empty."""
    bench, drive = await running(dut)
    drive.formats = [12, 9]
    drive.admin_ns = lambda opcode: 60_000 if opcode == nc.FORMAT else 500          # longer than a command may take
    data = random.randbytes(64 * 512)
    for n in range(8):
        bench.write(8 * n, data[8 * n * 512:8 * (n + 1) * 512], tag=n)
    bench.give(FORMAT, FORMAT_KEY, 1 + (1 << 9 | 0), tag=8)
    bench.give(READ, 3, 2, tag=9)
    for n in range(9):
        await bench.ok(n)
    assert drive.formatted == [0x200], drive.formatted
    assert await bench.m.frame() == (bytes(2 * 4096), 0)
    await bench.ok(9)
    assert int(dut.size_o.value) == (1 << 20) // 8 and bench.state() == (nb.STEP_RUN, nb.WHY_NONE)
    data = random.randbytes(3 * 4096)
    bench.write(40, data, block=4096, tag=10)
    await bench.ok(10)
    bench.give(READ, 40, 3, tag=11)
    assert await bench.m.frame() == (data, 0)
    await bench.ok(11)
    bench.clean()


@cocotb.test()
@cocotb.parametrize(kind=["status", "silent"])
async def a_format_that_fails(dut, kind):
    bench, drive = await running(dut)
    if kind == "silent":
        drive.admin_ns = lambda opcode: None if opcode == nc.FORMAT else 500
    bench.give(FORMAT, FORMAT_KEY, 1 + 7, tag=1)
    done = await bench.done()
    assert done == dict(why=nb.WHY_STATUS if kind == "status" else nb.WHY_TIMEOUT, tag=1,
                        status=nc.INVALID_FORMAT if kind == "status" else 0), done
    drive.admin_ns = lambda opcode: 500
    await works(bench)
    assert not drive.formatted
    bench.clean()
