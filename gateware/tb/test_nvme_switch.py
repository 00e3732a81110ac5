# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is a drive found below switches, whichever port it is at, is the way to it opened and no more, and is what is missing
named? The switch is one of cocotbext-pcie."""

import os
import random

import cocotb
from cocotb.triggers import Timer

import nvme_bench as nb
from nvme_bench import READ, Bench
from nvme_controller import NvmeController
from nvme_link import LinkPort
from pcie_switch import PcieSwitch
from test_nvme_faults import comes_back, works

BAR = int(os.environ.get("BAR", "0xe0000000"), 0)


def plug(bridge, bdf=0x0300):
    """A device at that port, to be found at `bdf`."""
    port = LinkPort(bridge)
    port.bdf, bridge.link = bdf, True
    return port


def other(port):
    """A device there that is no drive."""
    port.controller = NvmeController(port)
    port.controller.space[0x0b] = 2


class Below:
    """A bench with switches in a chain; `ports` are the downstream port of each that leads on, the last one to the drive."""

    def __init__(self, dut, ports, devices=(0, 3, 31), mps=2):
        self.switches = []

        def build(bridge):
            for device in ports:
                self.switches.append(PcieSwitch(bridge, devices, mps))
                bridge = self.switches[-1][device]
            return plug(bridge, 0x0100 + 0x200 * len(ports))
        self.path = ports
        self.bench = Bench(dut, build)
        self.dut, self.drive = dut, NvmeController(self.bench.port)

    async def start(self, up=True):
        await self.bench.start(self.drive, up)

    def on_the_way(self):
        """(port, primary bus) down to the drive."""
        for n, (switch, device) in enumerate(zip(self.switches, self.path)):
            yield switch.upstream_bridge, 2 * n + 1
            yield switch[device], 2 * n + 2

    def check(self):
        """The way is open, to the drive's registers and buses and to no others; all other ports are closed."""
        last = 1 + 2 * len(self.path)
        way = list(self.on_the_way())
        for port, primary in way:
            assert (port.pri_bus_num, port.sec_bus_num, port.sub_bus_num) == (primary, primary + 1, last), primary
            memory, prefetchable = (port.mem_base, port.mem_limit), (port.prefetchable_mem_base, port.prefetchable_mem_limit)
            assert (prefetchable if BAR >> 32 else memory) == (BAR, BAR | 0xfffff), hex(port.mem_limit)
            for first, end in (memory if BAR >> 32 else prefetchable), (port.io_base, port.io_limit):
                assert first > end, hex(first)
            assert port.memory_space_enable and port.bus_master_enable and port.interrupt_disable
            assert port.pcie_cap.max_payload_size == self.drive.space[0x78] >> 5 & 7
            assert not port.pcie_cap.extended_tag_field_enable
        for switch in self.switches:
            for port in switch.ports.values():
                if port not in [p for p, _ in way]:
                    assert port.sec_bus_num == port.sub_bus_num == 0 and not port.memory_space_enable
        self.clean()

    def clean(self):
        self.bench.clean()
        for switch in self.switches:
            assert not switch.wrong, switch.wrong[:5]


@cocotb.test()
@cocotb.parametrize(ports=[(0,), (3,), (31,), (3, 31)])
async def comes_up_below(dut, ports):
    below = Below(dut, ports)
    await below.start()
    drive = below.drive
    assert drive.mps == 256 and drive.mrrs == 512 and drive.command == 6 and drive.bar == BAR and drive.space[0x79] & 1
    below.check()
    await works(below.bench)
    below.check()


@cocotb.test()
async def directly_below(dut):
    """No switch, though one is allowed."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    await works(bench)
    bench.clean()


@cocotb.test()
async def many_reads_and_writes(dut):
    """In flight together, from the drive and to it."""
    below = Below(dut, (3,))
    bench, drive = below.bench, below.drive
    await below.start()
    rng = random.Random(5)
    drive.latency = lambda command: rng.randrange(200, 8000)
    data = random.randbytes(64 * 512)
    for n in range(8):
        bench.write(8 * n, data[8 * n * 512:8 * (n + 1) * 512], tag=n)
    for n in range(8):
        await bench.ok(n)
    for n in range(8):
        bench.give(READ, 8 * n, 8, tag=n)
    for n in range(8):
        assert await bench.m.frame() == (data[8 * n * 512:8 * (n + 1) * 512], 0)
        await bench.ok(n)
    assert drive.most > 4
    below.check()


@cocotb.test()
async def something_else_before_it(dut):
    """At the first port is a device that is no drive, at the next a switch without anything."""
    below = Below(dut, (31,))
    switch = below.switches[0]
    other(plug(switch[0]))
    PcieSwitch(switch[3], (0, 1, 2))
    await below.start()
    below.check()
    await works(below.bench)
    below.check()


@cocotb.test()
@cocotb.parametrize(where=["switch", "drive"])
async def smallest_payload(dut, where):
    below = Below(dut, (3, 0), mps=0 if where == "switch" else 2)
    if where == "drive":
        below.drive.config(0)
    await below.start()
    assert below.drive.mps == 128
    below.check()
    await works(below.bench)
    below.check()


@cocotb.test()
async def retry_status_is_waited_for(dut):
    below = Below(dut, (3,))
    below.drive.crs = 5
    await below.start()
    below.check()


@cocotb.test()
async def a_link_that_comes_up_late(dut):
    below = Below(dut, (3,))
    below.switches[0][3].link = False
    await below.start(up=False)
    await Timer(60, "us")
    assert below.bench.state() == (nb.STEP_SWITCH, nb.WHY_NONE)
    below.switches[0][3].link = True
    await below.bench.settled()
    assert dut.run_o.value == 1
    below.bench.port.mps = below.drive.mps
    await works(below.bench)
    below.check()


def lose(below):
    below.switches[0][3].link = False
    return lambda: setattr(below.switches[0][3], "link", True)


def not_a_drive(below):
    below.drive.space[0x0b] = 2
    return lambda: below.drive.space.__setitem__(0x0b, 1)


def no_end_of_retry(below):
    below.drive.crs = 1 << 30
    return lambda: setattr(below.drive, "crs", 0)


def reads_as(register, change):
    """That register of the downstream port."""
    def wrong(below):
        port = below.switches[0][3]
        true = port.read_config_register

        async def read(reg):
            value = await true(reg)
            return change(value) if reg == register else value
        port.read_config_register = read
        return lambda: setattr(port, "read_config_register", true)
    return wrong


CASES = dict(
    empty=(lose, nb.STEP_SWITCH, nb.WHY_ABSENT),
    no_drive=(not_a_drive, nb.STEP_SWITCH, nb.WHY_UNFIT),
    crs=(no_end_of_retry, nb.STEP_SWITCH, nb.WHY_CRS),
    buses=(reads_as(6, lambda v: v ^ 0x10000), nb.STEP_BRIDGE, nb.WHY_UNFIT),
    window=(reads_as(9 if BAR >> 32 else 8, lambda v: v ^ 0x10), nb.STEP_BRIDGE, nb.WHY_UNFIT),
    no_capability=(reads_as(13, lambda v: 0), nb.STEP_EXPRESS, nb.WHY_UNFIT),
)


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def bring_up_fails_below(dut, case):
    change, step, why = CASES[case]
    below = Below(dut, (3,))
    undo = change(below)
    await below.start(up=False)
    await below.bench.settled()
    assert dut.dead_o.value == 1 and below.bench.state() == (step, why), below.bench.state()
    undo()
    await comes_back(below.bench, below.drive)
    below.check()


@cocotb.test()
async def one_switch_too_many(dut):
    below = Below(dut, (3, 0, 31))
    await below.start(up=False)
    await below.bench.settled()
    assert dut.dead_o.value == 1 and below.bench.state() == (nb.STEP_SWITCH, nb.WHY_UNFIT), below.bench.state()


@cocotb.test()
async def a_drive_that_vanishes(dut):
    """No link goes down at the root port: a read of its status gets UR. Then another one at another port, with the
    window of the first closed, and the first again, at a port before."""
    below = Below(dut, (3,))
    bench = below.bench
    await below.start()
    data = random.randbytes(64 * 512)
    bench.write(0, data)
    await bench.ok()
    below.drive.latency = lambda c: 20000
    for n in range(4):
        bench.give(READ, 16 * n, 16, tag=n)
    await Timer(2, "us")
    lose(below)
    below.drive.life += 1
    for n in range(4):
        assert await bench.m.frame() == (b"\0", 1)
        done = await bench.done()
        assert done["tag"] == n and done["why"] == nb.WHY_UR, done
    while not dut.dead_o.value:
        await Timer(1, "us")
    assert bench.state() == (nb.STEP_RUN, nb.WHY_UR) and dut.port_up_o.value == 1
    below.clean()
    for device in (31, 0):
        bench.port = plug(below.switches[0][device])
        below.drive = bench.port.controller = NvmeController(bench.port)
        below.path = (device,)
        if bench.dut.run_o.value == 1:
            below.switches[0][31].link = False
            while not dut.dead_o.value:
                await Timer(1, "us")
        await comes_back(bench, below.drive)
        below.check()
