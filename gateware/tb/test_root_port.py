# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a block that is not what the root port needs told as that, at the step that found it, and is the port used only once
its own configuration stands?"""

import cocotb
from cocotb.triggers import ClockCycles, Timer

from nvme_bench import Bench
from nvme_controller import NvmeController
from test_nvme_faults import comes_back, works
from tlpbits import unpack

(DOWN, HEADER, EXPRESS, PAYLOAD, BUSES, WINDOW, CONTROL, COMMAND, WAIT, UP, LOOK) = range(11)
CAP = 1 << 10           # a DWORD of the PCI Express Capability, wherever the block has it
# What the block reads as, by DWORD: how its value is changed, and the step that must find it.
WRONG = dict(
    endpoint=(3, lambda v: v & ~0x7f_0000, HEADER),                    # a Type 0 header
    nothing=(CAP, lambda v: v & ~0xff, EXPRESS),                        # no PCI Express Capability there
    switch=(CAP, lambda v: v & ~0xf0_0000 | 0x60_0000, EXPRESS),        # a downstream port of a switch
    payload=(CAP + 1, lambda v: v & ~7, PAYLOAD),                      # MPS 128 at most
    buses=(6, lambda v: v ^ 0x100, BUSES),
    window=(8, lambda v: v ^ 0x10_0000, WINDOW),
    control=(CAP + 2, lambda v: v & ~0xe0, CONTROL),
    command=(1, lambda v: v & ~4, COMMAND),
)


def reads_as(block, dword, change):
    """The DWORD reads as `change` makes it; gives what undoes that."""
    bridge, true = block.bridge, block.bridge.read_config_register
    if dword >= CAP:
        dword += block.EXPRESS // 4 - CAP

    async def read(register):
        value = await true(register)
        return change(value) if register == dword else value
    bridge.read_config_register = read
    return lambda: setattr(bridge, "read_config_register", true)


def port(dut):
    return int(dut.port_up_o.value), int(dut.port_failed_o.value), int(dut.port_step_o.value)


async def up_again(dut, bench):
    bench.link(0)
    await Timer(1, "us")
    assert port(dut) == (0, 0, DOWN)
    bench.link(1)


@cocotb.test()
@cocotb.parametrize(wrong=list(WRONG))
async def a_block_that_is_something_else(dut, wrong):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    dword, change, step = WRONG[wrong]
    undo = reads_as(bench.block, dword, change)
    await bench.start(drive, up=False)
    await Timer(20, "us")
    assert port(dut) == (0, 1, step)
    assert not bench.block.bridge.sent                  # nothing went down
    undo()
    await up_again(dut, bench)
    await bench.settled()
    assert port(dut) == (1, 0, UP)
    bench.port.mps = drive.mps
    await works(bench)


@cocotb.test()
async def an_access_without_end(dut):
    bench = Bench(dut)
    bench.block.management.stuck = True
    await bench.start(NvmeController(bench.port), up=False)
    await Timer(10, "us")
    assert port(dut) == (0, 0, HEADER)
    await Timer(10, "us")                               # more than 4096 cycles of 4 ns
    assert port(dut) == (0, 1, HEADER) and not bench.block.bridge.sent


@cocotb.test()
async def nothing_goes_down_before_its_time(dut):
    """And each time that the link comes up, the port is configured anew."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive, up=False)
    while port(dut)[2] != WAIT:
        await ClockCycles(dut.clk_i, 1)
    assert not bench.block.bridge.sent and port(dut)[0] == 0
    first = len(bench.block.management.accesses)
    await bench.settled()
    bench.port.mps = drive.mps
    await works(bench)
    assert first == 16
    sent = len(bench.block.bridge.sent)
    await up_again(dut, bench)
    again = len(bench.block.management.accesses)
    while port(dut)[2] != WAIT:
        await ClockCycles(dut.clk_i, 1)
    assert len(bench.block.bridge.sent) == sent and len(bench.block.management.accesses) == again + first
    assert bench.block.management.accesses[again:again + first] == bench.block.management.accesses[:first]
    while port(dut)[2] != UP:
        await ClockCycles(dut.clk_i, 1)
    await comes_back(bench, drive)
    assert port(dut) == (1, 0, UP)


LINK = [("speed", 4), ("width", 6), ("own_speed", 4), ("own_width", 6), ("their_speed", 4), ("their_width", 6), ("training", 1),
        ("below", 1)]


def link(dut):
    return unpack(LINK, int(dut.link_o.value))


async def looked_again(bench):
    """Link Status has been read after now."""
    reads = len(bench.block.management.accesses)
    while len(bench.block.management.accesses) == reads:
        await ClockCycles(bench.clock, 1)
    await ClockCycles(bench.clock, 2)


@cocotb.test()
@cocotb.parametrize(trained=[(2, 4), (1, 4), (2, 1)])
async def how_the_link_has_trained(dut, trained):
    """It is told beside what both ends can, and trained again when asked to, under load."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    bench.block.bridge.trains_at = trained
    await bench.start(drive)
    ends = dict(own_speed=2, own_width=4, their_speed=2, their_width=4)
    assert link(dut) == dict(speed=trained[0], width=trained[1], training=0, below=int(trained != (2, 4)), **ends), link(dut)
    bench.block.bridge.trains_at = None
    await works(bench)
    assert bench.block.bridge.trainings == 0
    dut.retrain_i.value = 1
    await ClockCycles(dut.clk_i, 1)
    dut.retrain_i.value = 0
    while not link(dut)["training"]:
        await ClockCycles(dut.clk_i, 1)
    assert not link(dut)["below"] and port(dut) == (1, 0, UP)
    await works(bench)
    while link(dut)["training"]:
        await ClockCycles(dut.clk_i, 1)
    assert link(dut) == dict(speed=2, width=4, training=0, below=0, **ends), link(dut)
    assert bench.block.bridge.trainings == 1
    # A lane that goes while it runs.
    bench.block.bridge.trains_at = (2, 2)
    bench.block.bridge.train()
    await looked_again(bench)
    assert (link(dut)["width"], link(dut)["below"]) == (2, 1)
    bench.clean()


@cocotb.test()
@cocotb.parametrize(reason=["narrow_drive", "no_answer", "no_capability", "crs", "crs_without_end"])
async def what_the_drive_can(dut, reason):
    """A drive that can less is no fault of the link; what is not known is not called a fault."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    if reason == "narrow_drive":
        drive.space[0x7c:0x7e] = (2 << 4 | 1).to_bytes(2, "little")
    elif reason == "no_answer":
        bench.port.unanswered = True
    elif reason == "no_capability":
        drive.space[0x70], drive.space[0x71] = 0x12, 0x50       # and the last one points back: a walk without end
    else:
        drive.crs = 3 if reason == "crs" else 1 << 30
    bench.block.bridge.trains_at = (1, 2)
    await bench.start(drive, up=False)
    while port(dut)[2] != LOOK:
        await ClockCycles(dut.clk_i, 1)
    for _ in range(9000):
        await ClockCycles(dut.clk_i, 1)
        if port(dut)[2] == UP:
            break
    got = link(dut)
    assert port(dut) == (1, 0, UP) and (got["speed"], got["width"]) == (1, 2), (port(dut), got)
    their = dict(narrow_drive=(1, 2), crs=(2, 4)).get(reason, (0, 0))
    assert (got["their_speed"], got["their_width"], got["below"]) == (*their, int(reason == "crs")), got


@cocotb.test()
async def a_block_that_answers_no_more(dut):
    """Of the link nothing is known then; the port stays up."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    bench.block.management.stuck = True
    await ClockCycles(dut.clk_i, 8000)
    assert port(dut) == (1, 0, UP) and (link(dut)["speed"], link(dut)["below"]) == (0, 0), link(dut)
    await works(bench)
    bench.clean()
