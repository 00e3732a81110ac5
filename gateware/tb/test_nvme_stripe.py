# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Are several drives one: is each block on the drive and at the place where it belongs, does a frame hold the blocks in
order, is each command reported once, and does a drive that fails leave the bytes of the others where they are?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

import nvme_bench as nb
import nvme_controller as nc
import stripe_bench as sb
from nvme_bench import FLUSH, READ, TRIM, WRITE, ZERO
from nvme_controller import NvmeController
from stripe_bench import StripeBench

DRIVES, CHUNK, WIDTH = (int(os.environ[name]) for name in ("DRIVES", "CHUNK", "WIDTH"))
DEEP = bool(os.environ.get("DEEP"))     # all kinds; else those that differ most
CHUNK_BLOCKS, ROW = CHUNK // 512, DRIVES * WIDTH // 8
REST = 0xff00_0000                      # CAP.TO


async def stripe(dut, sizes=None, **options):
    """A stripe of drives that take their time, each another."""
    bench = StripeBench(dut, DRIVES, CHUNK)
    drives = []
    for i, port in enumerate(bench.ports):
        drive = NvmeController(port, blocks=(sizes or {}).get(i, 1 << 20), **options)
        drive.regs[0] &= ~REST          # timeouts: the least
        rng = random.Random(100 * nb.SEED + i)
        drive.latency = lambda c, rng=rng, i=i: rng.randrange(200, 1500 * (i + 1))
        drives.append(drive)
    await bench.start(drives)
    return bench, drives


def failed_from(lba, blocks, begins):
    """Which blocks of a read are in error where drive d's command from its LBA begins[d] on has failed."""
    return [d in begins and at >= begins[d] for d, at in (place(lba + i) for i in range(blocks))]


def place(lba):
    return sb.place(lba, DRIVES, CHUNK)


def rows_of(data, bad):
    """The rows of a frame: blocks in error are zeros."""
    step = min(ROW, 512)
    out = []
    for i, b in enumerate(bad):
        for at in range(0, 512, step):
            out.append((bytes(step), 1) if b else (data[512 * i + at:512 * i + at + step], 0))
    return out


async def works(bench, lba=None):
    """All drives, from the middle of a chunk on."""
    blocks = CHUNK_BLOCKS * DRIVES + 3
    lba = CHUNK_BLOCKS // 2 if lba is None else lba
    data = random.randbytes(blocks * 512)
    bench.write(lba, data, tag=99)
    await bench.ok(99)
    assert bench.stored(lba, blocks) == data
    bench.give(READ, lba, blocks, tag=98)
    assert await bench.frame() == (data, False)
    await bench.ok(98)


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(smallest=range(DRIVES))
async def capacity_is_that_of_the_smallest_in_whole_chunks(dut, smallest):
    bench, drives = await stripe(dut, sizes={smallest: 1003 * CHUNK_BLOCKS + CHUNK_BLOCKS // 2})
    size = 1003 * CHUNK_BLOCKS * DRIVES
    assert int(dut.size_o.value) == size and int(dut.block_log2_o.value) == 0 and bench.fault() == (sb.FAULT_NONE, 0)
    await works(bench, size - CHUNK_BLOCKS * DRIVES - 3)
    seen = [list(d.log) for d in drives]
    # A block more is LBA Out of Range, in its place, and no drive sees it.
    bench.give(READ, size - 3, 4, tag=1)
    bench.write(size, random.randbytes(5 * 512), tag=2)
    bench.give(READ, 1 << 62, 1, tag=3)
    bench.write(size - 1, b"x" * 512, tag=4)
    for tag in range(1, 4):
        if tag != 2:
            assert await bench.m.frame() == [(b"\0", 1)]
        assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.LBA_RANGE, tag=tag, own=1, drive=0)
    await bench.ok(4)
    assert bench.stored(size - 1) == b"x" * 512
    assert [len(d.log) - len(s) for d, s in zip(drives, seen)] == [0] * (DRIVES - 1) + [1]
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def a_command_goes_to_the_drives_that_it_touches(dut):
    """As one command each, of the blocks that are there and no others; a flush goes to all."""
    bench, drives = await stripe(dut)
    for lba, blocks in ((0, 1), (CHUNK_BLOCKS - 1, 1), (CHUNK_BLOCKS - 1, 2), (CHUNK_BLOCKS, CHUNK_BLOCKS),
                        (3, CHUNK_BLOCKS * DRIVES), (2 * CHUNK_BLOCKS * DRIVES - 1, 2), (7, 3 * CHUNK_BLOCKS * DRIVES + 1)):
        for d in drives:
            d.log.clear()
        bench.write(lba, random.randbytes(512 * blocks), tag=5)
        await bench.ok(5)
        wanted = [sorted(at for d, at in map(place, range(lba, lba + blocks)) if d == i) for i in range(DRIVES)]
        assert [d.log for d in drives] == [[(nc.WRITE, w[0], len(w))] if w else [] for w in wanted], (lba, blocks)
        assert all(w == list(range(w[0], w[0] + len(w))) for w in wanted if w)
    assert all(d.cache for d in drives)
    bench.give(FLUSH, tag=6)
    await bench.ok(6)
    assert not any(d.cache for d in drives)
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def what_has_no_data_goes_to_the_blocks_that_it_names(dut):
    """Write Zeroes and deallocation, between reads; beyond the capacity they are refused."""
    bench, drives = await stripe(dut)
    reach = 6 * CHUNK_BLOCKS * DRIVES
    data = bytearray(random.randbytes(512 * reach))
    bench.write(0, bytes(data), tag=1)
    await bench.ok(1)
    given = [(ZERO, 1, 1), (TRIM, CHUNK_BLOCKS - 1, 2), (ZERO, 3 * CHUNK_BLOCKS + 1, 2 * CHUNK_BLOCKS * DRIVES)]
    given += [(random.choice((ZERO, TRIM)), random.randrange(reach - 9), random.randrange(1, 9)) for _ in range(10)]
    for n, (op, lba, blocks) in enumerate(given):
        bench.give(op, lba, blocks, tag=n)
        data[512 * lba:512 * (lba + blocks)] = bytes(512 * blocks)
        await bench.ok(n)
        assert bench.stored(0, reach) == data, (op, lba, blocks)
        if n % 4 == 0:
            bench.give(READ, 0, reach, tag=50)
            assert await bench.frame() == (data, False)
            await bench.ok(50)
    for op in ZERO, TRIM:
        bench.give(op, (1 << 20) * DRIVES - 1, 2, tag=60)
        assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.LBA_RANGE, tag=60, own=1, drive=0)
    await works(bench)
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def bytes_come_back_in_order_from_drives_of_any_pace(dut):
    bench, drives = await stripe(dut, mdts=1)
    for port in bench.ports:
        port.odd = True
    bench.pauses(0.05)
    bench.reports.pause.rate = bench.s.pause.rate = 0.1
    want, reach = {}, 12 * CHUNK_BLOCKS * DRIVES
    lengths = (1, 2, CHUNK_BLOCKS, CHUNK_BLOCKS + 1, CHUNK_BLOCKS * DRIVES, 3 * CHUNK_BLOCKS + 5)
    fresh = set(range(reach))
    for n in range(24):                 # in flight together, so that no two write a block
        lba, blocks = random.randrange(reach - 40), random.choice(lengths)
        if not fresh.issuperset(range(lba, lba + blocks)):
            continue
        fresh -= set(range(lba, lba + blocks))
        data = random.randbytes(512 * blocks)
        bench.write(lba, data, tag=n)
        want[n] = (lba, blocks, data)
    for n, (lba, blocks, data) in want.items():
        await bench.ok(n)
        assert bench.stored(lba, blocks) == data, n
    given = []
    for n in range(90 if DEEP else 30): # reads between writes beyond them, so that both are in flight
        lba, blocks = random.choice([(lba, blocks) for lba, blocks, _ in want.values()] + [(random.randrange(reach), random.choice(lengths))])
        bench.give(READ, lba, blocks, tag=n)
        given.append((lba, blocks))
        if n % 4 == 0:
            bench.write(reach + 64 + n, random.randbytes(1024), tag=1000 + n)
    for n, (lba, blocks) in enumerate(given):
        assert await bench.frame() == (bench.stored(lba, blocks), False), n
        await bench.ok(n)
        if n % 4 == 0:
            await bench.ok(1000 + n)
    assert all(d.most > 4 for d in drives), [d.most for d in drives]
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def an_error_of_a_drive_is_in_its_place(dut):
    """Its pieces are in error from there to the end of the frame, those of the others are right, and so is what follows."""
    bench, drives = await stripe(dut, mdts=1)                   # pieces of 16 blocks
    blocks = 32 * DRIVES
    data = random.randbytes(512 * blocks)
    bench.write(0, data)
    await bench.ok()
    for bad in range(DRIVES):
        for d in drives:
            d.status = lambda c: 0
        drives[bad].status = lambda c: nc.READ_ERROR if c["opcode"] == nc.READ and c["lba"] == 16 else 0
        first = next(i for i in range(blocks) if place(i) == (bad, 16))
        bench.give(READ, 0, blocks, tag=1)
        bench.give(READ, first, 1, tag=2)
        bench.give(READ, first + 1, CHUNK_BLOCKS * DRIVES, tag=3)
        assert await bench.m.frame() == rows_of(data, failed_from(0, blocks, {bad: 16})), bad
        assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.READ_ERROR, tag=1, own=0, drive=bad)
        assert await bench.m.frame() == rows_of(bytes(512), [True])
        assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.READ_ERROR, tag=2, own=0, drive=bad)
        assert await bench.frame() == (data[512 * (first + 1):512 * (first + 1 + CHUNK_BLOCKS * DRIVES)], False)
        await bench.ok(3)
    # A write and a flush: one drive refuses, the others have done theirs.
    for d in drives:
        d.status = lambda c: 0
    drives[-1].status = lambda c: nc.INTERNAL if not c["admin"] and c["opcode"] in (nc.WRITE, nc.FLUSH) else 0
    new = random.randbytes(512 * CHUNK_BLOCKS * DRIVES)
    bench.write(0, new, tag=7)
    bench.give(FLUSH, tag=8)
    bench.give(READ, 0, CHUNK_BLOCKS * DRIVES, tag=9)
    for tag in (7, 8):
        assert await bench.done() == dict(why=nb.WHY_STATUS, status=nc.INTERNAL, tag=tag, own=0, drive=DRIVES - 1)
    last = 512 * CHUNK_BLOCKS * (DRIVES - 1)
    assert await bench.frame() == (new[:last] + data[last:last + CHUNK], False)
    await bench.ok(9)
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(fault=["silent", "link"] + DEEP * ["bad_cid", "poison", "fatal", "gone"])
async def a_drive_fails_and_the_others_go_on(dut, fault):
    """It is reset and comes back, they are not; none of their bytes is missing or wrong."""
    bench, drives = await stripe(dut, mdts=2)
    bad = nb.SEED % DRIVES
    drive, lives = drives[bad], [d.life for d in drives]
    blocks = CHUNK_BLOCKS * DRIVES
    data = random.randbytes(8 * 512 * blocks)
    bench.write(0, data)
    await bench.ok()
    for d in drives:
        d.latency = lambda c: 3000
    why = dict(silent=nb.WHY_TIMEOUT, bad_cid=nb.WHY_CID, poison=nb.WHY_POISON, fatal=nb.WHY_CFS, gone=nb.WHY_ABSENT,
               link=nb.WHY_ABSENT)[fault]
    if fault in ("silent", "bad_cid", "poison"):
        getattr(drive, fault).add(drive.io_count + 5)
    for n in range(8):
        bench.give(READ, n * blocks, blocks, tag=n)
    if fault in ("fatal", "gone", "link"):
        await Timer(2, "us")
        drive.life += 1                     # it does nothing any more
        if fault == "fatal":
            drive.regs[0x1c] |= 2
            drive.sqs, drive.cqs = {}, {}
        elif fault == "gone":
            drive.gone = True
        else:
            bench.link(bad, 0)
    reasons = []
    for n in range(8):
        rows = await bench.m.frame()
        done = await bench.done()
        assert done["tag"] == n and not done["own"] and done["drive"] == (bad if done["why"] else 0), done
        at = n * blocks
        ends = [any(error for _, error in rows[i * 512 // ROW:(i + 1) * 512 // ROW]) for i in range(blocks)]
        assert any(ends) == (done["why"] != nb.WHY_NONE), (n, done)
        assert not any(e and place(at + i)[0] != bad for i, e in enumerate(ends)), n
        assert rows == rows_of(data[512 * at:512 * (at + blocks)], ends), n
        reasons.append(done["why"])
    assert set(reasons) <= {nb.WHY_NONE, why} and why in reasons, reasons
    if fault in ("gone", "link"):
        # What follows is answered for it; the others' blocks are still read and written.
        await bench.until(lambda: bench.lanes[bad].dead_o.value == 1)
        assert dut.run_o.value == 1 and bench.fault() == (sb.FAULT_NONE, 0)
        bench.give(READ, 0, blocks, tag=20)
        assert await bench.m.frame() == rows_of(data, failed_from(0, blocks, {bad: 0}))
        done = await bench.done()
        assert (done["why"], done["drive"], done["tag"]) == (why, bad, 20), done
        good = (bad + 1) % DRIVES
        new = random.randbytes(CHUNK)
        bench.write(good * CHUNK_BLOCKS, new, tag=21)
        await bench.ok(21)
        assert bench.stored(good * CHUNK_BLOCKS, CHUNK_BLOCKS) == new
        again = NvmeController(bench.ports[bad])
        again.media, again.cache = drive.media, drive.cache
        drives[bad] = bench.ports[bad].controller = again
        bench.ports[bad].mps = 128
        bench.link(bad, 1)
        await bench.restart(bad)
    await bench.until(lambda: bench.lanes[bad].drive_run_o.value == 1)
    bench.settings()
    await works(bench)
    assert [d.life for i, d in enumerate(drives) if i != bad] == [n for i, n in enumerate(lives) if i != bad]
    for port in bench.ports:
        assert not port.wrong, port.wrong[:5]


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(case=["block", "dead", "small"] + DEEP * (["chunk"] if CHUNK < 4096 else []))      # no blocks are larger
async def no_stripe_of_drives_that_do_not_fit(dut, case):
    """It is said why and of which drive, and a command is refused; with other drives there is a stripe."""
    bench = StripeBench(dut, DRIVES, CHUNK)
    odd = dict(block=dict(lbads=10, blocks=1 << 20), chunk=dict(lbads=12), small=dict(blocks=CHUNK_BLOCKS - 1), dead=dict(lbads=13))[case]
    bad = DRIVES - 1
    make = lambda i, wrong: NvmeController(bench.ports[i], **(odd if wrong else {}))
    drives = [make(i, case == "chunk" or i == bad) for i in range(DRIVES)]
    await bench.start(drives, up=False)
    fault, which = dict(block=(sb.FAULT_BLOCK, bad), chunk=(sb.FAULT_CHUNK, 0), small=(sb.FAULT_SMALL, bad), dead=(sb.FAULT_DEAD, bad))[case]
    await bench.until(lambda: bench.fault()[0] != sb.FAULT_NONE)
    assert bench.fault() == (fault, which) and dut.run_o.value == 0 and int(dut.size_o.value) == 0
    bench.give(READ, 0, 5, tag=1)
    bench.write(0, bytes(512 << int(dut.block_log2_o.value)), tag=2)
    bench.give(FLUSH, tag=3)
    assert await bench.m.frame() == [(b"\0", 1)]
    for tag in (1, 2, 3):
        assert await bench.done() == dict(why=nb.WHY_UNFIT, status=0, tag=tag, own=1, drive=0)
    assert not any(d.log for d in drives)
    if case != "dead":
        return                              # such drives run: other ones come with a reset
    drives[bad].lbads, drives[bad].block = 9, 512
    await bench.restart(bad)
    await bench.until(lambda: dut.run_o.value == 1)
    bench.settings()
    await works(bench)
    bench.clean()


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(case=["block", "fewer"])
async def a_drive_that_comes_back_as_another_is_cut_off(dut, case):
    bench, drives = await stripe(dut)
    bad = DRIVES - 1
    data = random.randbytes(CHUNK * DRIVES)
    bench.write(0, data)
    await bench.ok()
    drives[bad].gone = True
    bench.link(bad, 0)
    await bench.until(lambda: bench.lanes[bad].dead_o.value == 1)
    again = NvmeController(bench.ports[bad], **(dict(lbads=12) if case == "block" else dict(blocks=1 << 19)))
    drives[bad] = bench.ports[bad].controller = again
    bench.ports[bad].mps = 128
    for n in range(4):                      # these wait while it comes up
        bench.write(n * CHUNK_BLOCKS * DRIVES, data, tag=n)
    bench.link(bad, 1)
    await bench.restart(bad)
    await bench.until(lambda: bench.fault()[0] != sb.FAULT_NONE)
    assert bench.fault() == (sb.FAULT_CHANGED, bad) and dut.run_o.value == 0
    for n in range(4):
        done = await bench.done()
        assert done["tag"] == n and done["drive"] == bad and done["why"] != nb.WHY_NONE and not done["own"], done
    bench.give(READ, 0, 8, tag=9)
    assert await bench.m.frame() == [(b"\0", 1)]
    assert await bench.done() == dict(why=nb.WHY_UNFIT, status=0, tag=9, own=1, drive=0)
    assert case != "block" or not again.log, again.log
    await bench.restart(bad)                # nor does a restart help
    await Timer(50, "us")
    assert bench.fault() == (sb.FAULT_CHANGED, bad) and bench.lanes[bad].drive_run_o.value == 0


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def random_errors_under_load(dut):
    """Random commands, errors of any drive: every report tells whether there was one, every block of a read is right or
    in error, and a block holds what was acknowledged or what may have been written."""
    bench, drives = await stripe(dut, mdts=1)
    bench.pauses(0.02)
    rng = random.Random(nb.SEED)
    space = 10 * CHUNK_BLOCKS * DRIVES
    may = {lba: {bytes(512)} for lba in range(space)}
    happened = [0] * DRIVES
    def draw(i, command):
        if command["admin"] or rng.random() > 1 / 12:
            return 0
        happened[i] += 1
        return nc.INTERNAL
    for i, d in enumerate(drives):
        d.status = lambda c, i=i: draw(i, c)
    bad = good = 0
    while min(happened) < 6:
        commands = []
        for n in range(5):                  # blocks of a round do not overlap, so their order is free
            op, blocks = rng.choice((READ, WRITE)), rng.randrange(1, CHUNK_BLOCKS * DRIVES)
            lba = 2 * CHUNK_BLOCKS * DRIVES * n + rng.randrange(CHUNK_BLOCKS * DRIVES)
            commands.append((op, lba, blocks, random.randbytes(512 * blocks)))
        for tag, (op, lba, blocks, data) in enumerate(commands):
            if op == WRITE:
                bench.write(lba, data, tag=tag)
            else:
                bench.give(READ, lba, blocks, tag=tag)
        for tag, (op, lba, blocks, data) in enumerate(commands):
            rows = await bench.m.frame() if op == READ else []
            done = await bench.done()
            assert done["tag"] == tag and not done["own"]
            assert any(error for _, error in rows) == (done["why"] != nb.WHY_NONE) or op == WRITE
            bad, good = bad + (done["why"] != nb.WHY_NONE), good + (done["why"] == nb.WHY_NONE)
            for i in range(blocks):
                if op == WRITE:
                    block = data[512 * i:512 * i + 512]
                    may[lba + i] = {block} if done["why"] == nb.WHY_NONE else may[lba + i] | {block}
                else:
                    part = rows[i * 512 // ROW:(i + 1) * 512 // ROW]
                    assert len({error for _, error in part}) == 1
                    assert part[0][1] or b"".join(p for p, _ in part) in may[lba + i], (lba, i)
            assert op == WRITE or len(rows) == blocks * 512 // ROW
    assert bad > 5 and good > 5, (bad, good)
    for lba in range(space):
        assert bench.stored(lba) in may[lba], lba
    bench.clean()


@cocotb.test()
async def health_of_each_drive(dut):
    """Asked of all at once, beside reads."""
    bench, drives = await stripe(dut)
    for n in range(4):
        bench.give(READ, 40 * n, 40, tag=n)
    dut.health_ask_i.value = (1 << DRIVES) - 1
    waiting = set(range(DRIVES))
    while waiting:
        await RisingEdge(dut.clk_i)
        ended = int(dut.health_end_o.value)
        for i in [i for i in waiting if ended >> i & 1]:
            assert bench.lanes[i].health_why_o.value == nb.WHY_NONE
            health, page = nb.unpack(nb.HEALTH, bench.lanes[i].health_o.value), drives[i].health
            assert health["kelvin"] == page[1] | page[2] << 8 and health["used"] == page[5], (i, health)
            waiting.remove(i)
        dut.health_ask_i.value = sum(1 << i for i in waiting)
    for n in range(4):
        assert (await bench.frame())[1] is False
        await bench.ok(n)
    bench.clean()


@cocotb.test(timeout_time=6, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(case=["all", "one_never_completes"])
async def all_drives_are_shut_down(dut, case):
    """When all that was taken has ended; it is told of each drive; nothing is given to a drive then, until it is brought back."""
    bench, drives = await stripe(dut)
    data = random.randbytes(3 * CHUNK * DRIVES)
    blocks = len(data) // 512
    bench.write(0, data)
    await bench.ok()
    for d in drives:
        d.io_count = 0
    bench.write(blocks, data, tag=0)
    bench.give(READ, 0, blocks, tag=1)
    while not any(d.io_count for d in drives):
        await Timer(200, "ns")
    if case != "all":
        drives[-1].shut_ns = None
    dut.shut_ask_i.value = 1
    ends = 0
    for _ in range(200_000):
        await RisingEdge(dut.clk_i)
        ends += int(dut.shut_end_o.value)
        if ends:
            break
    whys = [int(bench.lanes[i].shut_why_o.value) for i in range(DRIVES)]
    dut.shut_ask_i.value = 0
    assert whys == [nb.WHY_NONE] * (DRIVES - 1) + [nb.WHY_NONE if case == "all" else nb.WHY_TIMEOUT], whys
    assert all(d.shutdowns == [([0], [0])] for d in drives), [d.shutdowns for d in drives]
    assert not any(d.cache for d in drives if d.shut_ns is not None)
    # What was taken before is done; the rest is refused as by drives that are shut down.
    whys = []
    for tag in (0, 1):
        done = await bench.done()
        assert done["tag"] == tag
        whys.append(done["why"])
    assert whys[0] == nb.WHY_NONE and bench.stored(blocks, blocks) == data
    if whys[1] == nb.WHY_NONE:
        assert await bench.frame() == (data, False)
    else:
        await bench.m.frame()
    given = [d.io_count for d in drives]
    bench.give(FLUSH, tag=2)
    done = await bench.done()
    assert done["why"] in (nb.WHY_SHUT, nb.WHY_TIMEOUT) and not done["own"], done
    assert [d.io_count for d in drives] == given
    for d in drives:
        d.shut_ns = 3000
    for port in bench.ports:
        port.mps = 128
    for i in range(DRIVES):
        await bench.restart(i)
    await bench.until(lambda: int(dut.drive_run_o.value) == (1 << DRIVES) - 1)
    bench.settings()
    await works(bench)
    bench.clean()
