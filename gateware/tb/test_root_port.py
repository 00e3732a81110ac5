# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a block that is not what the root port needs told as that, at the step that found it, and is the port used only once
its own configuration stands?"""

import cocotb
from cocotb.triggers import ClockCycles, Timer

from nvme_bench import Bench
from nvme_controller import NvmeController
from test_nvme_faults import comes_back, works

(DOWN, HEADER, EXPRESS, PAYLOAD, BUSES, WINDOW, CONTROL, COMMAND, WAIT, UP) = range(10)
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
    assert len(bench.block.management.accesses) == first == 16
    sent = len(bench.block.bridge.sent)
    await up_again(dut, bench)
    while port(dut)[2] != WAIT:
        await ClockCycles(dut.clk_i, 1)
    assert len(bench.block.bridge.sent) == sent and len(bench.block.management.accesses) == 2 * first
    while port(dut)[2] != UP:
        await ClockCycles(dut.clk_i, 1)
    await comes_back(bench, drive)
    assert port(dut) == (1, 0, UP)
