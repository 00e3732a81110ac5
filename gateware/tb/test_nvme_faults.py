# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is everything that goes wrong named, does nothing hang, does the drive come back, and is no byte wrong and nothing called
durable that is not?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, READ, WRITE, Bench
from nvme_controller import NvmeController

FAULTS = int(os.environ.get("FAULTS", "60"))


async def fails(dut, change, step, why, detail=None):
    """Bring-up with a drive of which `change` makes something else ends there; a command is refused; mended, it comes up."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    drive.regs[0] = drive.regs[0] & ~0xff00_0000        # CAP.TO: the least
    undo = change(bench, drive)
    await bench.start(drive, up=False)
    await bench.settled()
    assert dut.dead_o.value == 1 and bench.state() == (step, why), bench.state()
    assert detail is None or int(dut.detail_o.value) == detail, hex(int(dut.detail_o.value))
    bench.give(READ, 5, 3, tag=1)
    data, error = await bench.m.frame()
    assert error and data == b"\0"
    done = await bench.done()
    assert done["why"] == why and done["tag"] == 1, done
    undo()
    await comes_back(bench, drive)
    assert not bench.port.wrong, bench.port.wrong


async def comes_back(bench, drive):
    """By hand, after a failure; and it works."""
    await RisingEdge(bench.clock)
    bench.dut.restart_i.value = 1
    await RisingEdge(bench.clock)
    bench.dut.restart_i.value = 0
    await Timer(40, "ns")
    bench.port.mps = 128
    await bench.settled()
    assert bench.dut.run_o.value == 1, bench.state()
    bench.port.mps = drive.mps
    await works(bench)


async def works(bench, lba=77):
    data = random.randbytes(9 * 512)
    bench.write(lba, data, tag=99)
    await bench.ok(99)
    bench.give(READ, lba, 9, tag=98)
    assert await bench.m.frame() == (data, 0)
    await bench.ok(98)


def setting(where, name, bad, good):
    """A change that sets an attribute of the drive or the port, and its undoing."""
    def change(bench, drive):
        setattr({"drive": drive, "port": bench.port}[where], name, bad)
        return lambda: setattr({"drive": drive, "port": bench.port}[where], name, good)
    return change


def register(at, value):
    def change(bench, drive):
        was, drive.regs[at] = drive.regs[at], value(drive.regs[at])
        return lambda: drive.regs.__setitem__(at, was)
    return change


def space(at, value):
    def change(bench, drive):
        was, drive.space[at] = drive.space[at], value
        return lambda: drive.space.__setitem__(at, was)
    return change


def admin_status(opcode, cdw10, status):
    def change(bench, drive):
        drive.status = lambda c: status if c["admin"] and c["opcode"] == opcode and c["cdw10"] & 0xff == cdw10 else 0
        return lambda: setattr(drive, "status", lambda c: 0)
    return change


@cocotb.test()
@cocotb.parametrize(case=[
    "unanswered", "config_ur", "crs", "class", "bar_too_large", "no_express", "bar_ur", "mqes", "css", "mpsmin", "stays_ready",
    "never_ready", "fatal", "frozen", "registers_silent", "identify", "namespace", "queues", "create_cq", "create_sq", "metadata"])
async def bring_up_fails(dut, case):
    ur = setting("port", "completer", lambda h: 1, lambda h: None)
    cases = dict(
        unanswered=(setting("port", "unanswered", True, False), nb.STEP_FIND, nb.WHY_TIMEOUT),
        config_ur=(setting("drive", "gone", True, False), nb.STEP_FIND, nb.WHY_UR),
        crs=(setting("drive", "crs", 1 << 30, 0), nb.STEP_FIND, nb.WHY_CRS),
        bar_ur=(ur, nb.STEP_CAP, nb.WHY_UR),
        bar_too_large=(setting("drive", "bar_size", 1 << 31, 1 << 14), nb.STEP_BAR, nb.WHY_UNFIT),
        no_express=(space(0x34, 0), nb.STEP_EXPRESS, nb.WHY_UNFIT),
        mqes=(register(0, lambda v: v & ~0xffff | 3), nb.STEP_CAP, nb.WHY_UNFIT),
        css=(register(4, lambda v: v & ~0x20), nb.STEP_CAP, nb.WHY_UNFIT),
        mpsmin=(register(4, lambda v: v | 0x10000), nb.STEP_CAP, nb.WHY_UNFIT),
        registers_silent=(setting("drive", "dead_regs", True, False), nb.STEP_CAP, nb.WHY_TIMEOUT),
        stays_ready=(lambda b, d: (d.regs.__setitem__(0x1c, 1), lambda: d.regs.__setitem__(0x1c, 0))[1], nb.STEP_DISABLE, nb.WHY_TIMEOUT),
        never_ready=(setting("drive", "never_ready", True, False), nb.STEP_ENABLE, nb.WHY_TIMEOUT),
        fatal=(setting("drive", "fatal", True, False), nb.STEP_ENABLE, nb.WHY_CFS),
        frozen=(setting("drive", "frozen", True, False), nb.STEP_ID_CTRL, nb.WHY_TIMEOUT),
        identify=(admin_status(nc.IDENTIFY, 1, 0x4006), nb.STEP_ID_CTRL, nb.WHY_STATUS, 0x4006),
        namespace=(admin_status(nc.IDENTIFY, 0, nc.INVALID_NS), nb.STEP_ID_NS, nb.WHY_STATUS, nc.INVALID_NS),
        queues=(admin_status(nc.SET_FEATURES, 7, nc.INTERNAL), nb.STEP_QUEUES, nb.WHY_STATUS, nc.INTERNAL),
        create_cq=(admin_status(nc.CREATE_CQ, 1, nc.INVALID_SIZE), nb.STEP_CQ, nb.WHY_STATUS, nc.INVALID_SIZE),
        create_sq=(admin_status(nc.CREATE_SQ, 1, nc.INVALID_CQ), nb.STEP_SQ, nb.WHY_STATUS, nc.INVALID_CQ),
        metadata=(setting("drive", "lbads", 13, 9), nb.STEP_ID_NS, nb.WHY_UNFIT),
    )
    cases["class"] = (space(0x0b, 2), nb.STEP_FIND, nb.WHY_UNFIT)
    await fails(dut, *cases[case])


@cocotb.test()
async def crs_is_waited_for(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    drive.crs = 5
    await bench.start(drive)
    await works(bench)
    bench.clean()


@cocotb.test()
async def failed_reads_end_in_their_place(dut):
    """A user command of several pieces of which the second fails: good data, then the error; the next ones are whole."""
    bench = Bench(dut)
    drive = NvmeController(bench.port, mdts=1)
    await bench.start(drive)
    data = random.randbytes(64 * 512)
    bench.write(0, data)
    await bench.ok()
    drive.status = lambda c: nc.READ_ERROR if c["opcode"] == READ_OPCODE and c["lba"] == 16 else 0
    bench.give(READ, 0, 60, tag=1)
    bench.give(READ, 16, 4, tag=2)
    bench.give(READ, 20, 40, tag=3)
    assert await bench.m.frame() == (data[:16 * 512] + b"\0", 1)
    assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.READ_ERROR, tag=1)
    assert await bench.m.frame() == (b"\0", 1)
    assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.READ_ERROR, tag=2)
    assert await bench.m.frame() == (data[20 * 512:60 * 512], 0)
    await bench.ok(3)
    bench.write(drive.blocks - 3, data[:10 * 512], tag=4)
    assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.LBA_RANGE, tag=4)
    await works(bench)
    bench.clean()


READ_OPCODE = nc.READ


@cocotb.test()
@cocotb.parametrize(fault=["silent", "double", "bad_cid", "poison", "fatal", "gone", "link"])
async def a_fault_while_running(dut, fault):
    """What was in flight ends with the reason, nothing wrong is shown, the drive is reset and comes back."""
    bench = Bench(dut)
    drive = NvmeController(bench.port, mdts=2)
    drive.regs[0] &= ~0xff00_0000
    await bench.start(drive)
    data = random.randbytes(256 * 512)
    bench.write(0, data)
    await bench.ok()
    drive.latency = lambda c: 3000
    why = dict(silent=nb.WHY_TIMEOUT, double=nb.WHY_CID, bad_cid=nb.WHY_CID, poison=nb.WHY_POISON, fatal=nb.WHY_CFS,
               gone=nb.WHY_ABSENT, link=nb.WHY_ABSENT)[fault]
    if fault in ("silent", "double", "bad_cid", "poison"):
        getattr(drive, fault).add(drive.io_count + 5)
    for n in range(12):
        bench.give(READ, 16 * n, 16, tag=n)
    if fault in ("fatal", "gone", "link"):
        await Timer(2, "us")
        if fault == "fatal":
            drive.regs[0x1c] |= 2
            drive.life += 1             # such a controller does nothing any more
            drive.sqs, drive.cqs = {}, {}
        elif fault == "gone":
            drive.gone = True
            drive.life += 1
        else:
            bench.link(0)
            drive.life += 1
    reasons = []
    for n in range(12):
        frame, error = await bench.m.frame()
        done = await bench.done()
        assert done["tag"] == n and (done["why"] != nb.WHY_NONE) == bool(error), done
        assert frame == (b"\0" if error else data[16 * n * 512:16 * (n + 1) * 512]), n
        reasons.append(done["why"])
    # Of a double completion the first counts. What fails was in flight: the commands after it go to the drive that came back.
    assert set(reasons) <= {nb.WHY_NONE, why}, reasons
    assert why in reasons or fault == "double", reasons
    failed = [n for n in range(12) if reasons[n] == why]
    assert not failed or failed == list(range(failed[0], failed[-1] + 1)), reasons
    assert fault not in ("gone", "link") or failed[-1] == 11, reasons
    if fault in ("gone", "link"):
        for _ in range(100):
            await Timer(1, "us")
            if dut.dead_o.value == 1:
                break
        assert dut.dead_o.value == 1 and bench.state()[1] == nb.WHY_ABSENT, bench.state()
        again = NvmeController(bench.port)
        again.media, again.cache = drive.media, drive.cache
        bench.port.controller = drive = again
        bench.link(1)
        await comes_back(bench, drive)
    else:
        await works(bench)
        assert bench.state()[1] == why, bench.state()
    assert not bench.port.wrong, bench.port.wrong


@cocotb.test()
async def random_faults_under_load(dut):
    """Random commands, random faults: every block holds what the last acknowledged write left, or what a write that was not
    acknowledged may have; what a flush has acknowledged is durable; every read is right or in error."""
    bench = Bench(dut)
    drive = NvmeController(bench.port, mdts=1)
    drive.regs[0] &= ~0xff00_0000
    await bench.start(drive)
    rng = random.Random(nb.SEED)
    drive.latency = lambda c: rng.randrange(200, 2500)
    space = 64
    may = {lba: {bytes(512)} for lba in range(space)}     # what a block may hold
    sure = {}                                            # what must survive a loss of power
    happened = 0
    rate = 1 / 12
    kinds = ["silent", "bad_cid", "poison", "double"]

    def draw(command):
        nonlocal happened
        if command["admin"] or rng.random() > rate:
            return 0
        happened += 1
        kind = rng.choice(kinds + ["status"] * 8)
        if kind == "status":
            return nc.INTERNAL
        getattr(drive, kind).add(command["number"])
        return 0
    drive.status = draw
    seen = {}
    while happened < FAULTS:
        commands = []
        for n in range(6):                               # blocks of a round do not overlap, so their order is free
            op, lba, blocks = rng.choice((READ, WRITE, WRITE)), 10 * n + rng.randrange(3), rng.randrange(1, 8)
            commands.append((op, lba, blocks, random.randbytes(512 * blocks) if op == WRITE else None))
        for tag, (op, lba, blocks, data) in enumerate(commands):
            if op == WRITE:
                bench.write(lba, data, tag=tag)
            else:
                bench.give(READ, lba, blocks, tag=tag)
        for tag, (op, lba, blocks, data) in enumerate(commands):
            frame = await bench.m.frame() if op == READ else None
            done = await bench.done()
            seen[done["why"]] = seen.get(done["why"], 0) + 1
            assert done["tag"] == tag
            for i in range(blocks):
                if op == WRITE:
                    block = data[512 * i:512 * i + 512]
                    may[lba + i] = {block} if done["why"] == nb.WHY_NONE else may[lba + i] | {block}
                elif done["why"] == nb.WHY_NONE:
                    assert frame[0][512 * i:512 * i + 512] in may[lba + i], (lba, i)
            if op == READ:
                assert (frame[1] == 0) == (done["why"] == nb.WHY_NONE)
        if rng.random() < 0.3:
            bench.give(FLUSH, tag=50)
            if (await bench.done())["why"] == nb.WHY_NONE:
                for lba in range(space):
                    assert drive.media.get(lba, bytes(512)) in may[lba], "not durable"
                    sure[lba] = drive.media.get(lba, bytes(512))
    drive.status = lambda c: 0
    await Timer(2, "us")
    bench.give(FLUSH, tag=51)
    await bench.done()
    for lba in range(space):
        assert drive.stored(lba) in may[lba], lba
    assert seen.get(nb.WHY_NONE, 0) > 20 and len(seen) >= 4, seen
    assert not bench.port.wrong, bench.port.wrong
