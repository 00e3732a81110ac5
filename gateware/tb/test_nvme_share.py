# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do hosts that share a root port come up, each with the drive at its port of the switch, move right bytes beside each other,
and leave each other alone when a drive fails, vanishes or comes back?"""

import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

import nvme_bench as nb
from nvme_bench import READ
from nvme_controller import NvmeController
from nvme_link import LinkPort
from share_bench import MEM, MEM_STEP, STEP, SharedBench
from test_nvme_faults import comes_back, works

AT = (0, 31, 3)             # the devices of the hosts' ports, of 0, 3, 4 and 31: the parameter Ports is 0, 3, 1


async def traffic(host, rounds=None, blocks=8, latest=6000):
    """Writes and reads of a host's own blocks, of which each has other bytes; all compared. So many rounds, or until
    `host.enough`, and then how many there were."""
    rng = random.Random(host.index)
    host.drive.latency = lambda command: rng.randrange(200, latest)
    host.enough, done = False, 0
    while done < rounds if rounds else not host.enough:
        data = rng.randbytes(8 * blocks * 512)
        for n in range(8):
            host.write(blocks * n, data[blocks * n * 512:blocks * (n + 1) * 512], tag=n)
        for n in range(8):
            await host.ok(n)
        for n in range(8):
            host.give(READ, blocks * n, blocks, tag=n)
        for n in range(8):
            assert await host.m.frame() == (data[blocks * n * 512:blocks * (n + 1) * 512], 0), (host.index, n)
            await host.ok(n)
        done += 1
    return done


class Beside:
    """The others, that go on meanwhile."""

    def __init__(self, shared, but):
        self.hosts = [h for h in shared.hosts if h is not but]
        self.tasks = [cocotb.start_soon(traffic(h, blocks=2)) for h in self.hosts]

    async def end(self):
        for host in self.hosts:
            host.enough = True
        for task in self.tasks:
            assert await task > 0


async def all_of(*work):
    for task in [cocotb.start_soon(w) for w in work]:
        await task


@cocotb.test()
async def all_come_up(dut):
    """At once, with bus numbers and windows as they must be, and the port of nobody closed."""
    shared = SharedBench(dut, AT)
    spare = shared.switch[4]
    spare.sec_bus_num = spare.sub_bus_num = 4       # open to another drive's bus, from a time before
    spare.memory_space_enable = spare.bus_master_enable = True
    await shared.start()
    for k, host in enumerate(shared.hosts):
        assert host.drive.mps == 256 and host.drive.command == 6 and host.drive.bar == 0xe000_0000 + k * STEP
        assert MEM + k * MEM_STEP <= host.drive.sqs[1].base < MEM + (k + 1) * MEM_STEP
    shared.check()
    await all_of(*(works(host) for host in shared.hosts))
    shared.check()


@cocotb.test()
async def beside_each_other(dut):
    """Reads and writes of all drives in flight together."""
    shared = SharedBench(dut, AT)
    await shared.start()
    await all_of(*(traffic(host, 3) for host in shared.hosts))
    assert all(host.drive.most > 4 for host in shared.hosts)
    shared.check()


@cocotb.test()
@cocotb.parametrize(where=["drive", "port", "switch"])
async def payload_of_each(dut, where):
    """A drive that takes 128 bytes at most, or a port, does not slow the others down; the switch as a whole does."""
    shared = SharedBench(dut, AT, mps=0 if where == "switch" else 1)
    if where == "drive":
        shared.hosts[1].drive.config(0)
    if where == "port":
        shared.switch[AT[1]].pcie_cap.max_payload_size_supported = 0
    await shared.start()
    rest = 128 if where == "switch" else 256
    assert [h.drive.mps for h in shared.hosts] == [rest, 128, rest]
    shared.check()
    await all_of(*(traffic(host, 1) for host in shared.hosts))
    shared.check()


async def fails(host, *states):
    while not host.dut.dead_o.value:
        await Timer(1, "us")
    assert host.state() in states, host.state()


async def ends(host, commands, why):
    """Reads that were given end with one of these causes, no data and in order."""
    for n in range(commands):
        assert (await host.m.frame())[1] == 1
        done = await host.done()
        assert done["tag"] == n and done["why"] in why, done


@cocotb.test()
async def one_vanishes_and_another_comes(dut):
    """While the others go on: what was in flight at that one ends with UR; a drive of another size comes up at its port."""
    shared = SharedBench(dut, AT)
    await shared.start()
    lost = shared.hosts[1]
    others = Beside(shared, lost)
    lost.drive.latency = lambda command: 60000
    for n in range(4):
        lost.give(READ, 16 * n, 16, tag=n)
    await Timer(2, "us")
    shared.switch[AT[1]].link = False
    lost.drive.life += 1
    await ends(lost, 4, (nb.WHY_UR,))
    await fails(lost, (nb.STEP_RUN, nb.WHY_UR))
    lost.clean()
    shared.plug(lost, blocks=5000)
    await comes_back(lost, lost.drive)
    await others.end()
    shared.check()


@cocotb.test()
async def nothing_at_one_port(dut):
    """It is waited for, then its host gives up; the others run all the time."""
    shared = SharedBench(dut, AT)
    bridge, late = shared.switch[AT[2]], shared.hosts[2]
    bridge.link = False
    await shared.start(up=False)
    assert late.dut.dead_o.value == 1 and late.state() == (nb.STEP_SWITCH, nb.WHY_ABSENT), late.state()
    assert all(h.dut.run_o.value == 1 for h in shared.hosts[:2])
    others = Beside(shared, late)
    bridge.link = True
    await comes_back(late, late.drive)
    await others.end()
    shared.check()


def no_drive(shared, host):
    host.drive.space[0x0b] = 2
    return lambda: host.drive.space.__setitem__(0x0b, 1)


def large(shared, host):
    host.drive.bar_size = 2 * STEP
    return lambda: setattr(host.drive, "bar_size", 0x4000)


def no_end_of_retry(shared, host):
    host.drive.crs = 1 << 30
    return lambda: setattr(host.drive, "crs", 0)


def reads_as(register, change):
    def wrong(shared, host):
        port = shared.switch[AT[host.index]]
        true = port.read_config_register

        async def read(reg):
            value = await true(reg)
            return change(value) if reg == register else value
        port.read_config_register = read
        return lambda: setattr(port, "read_config_register", true)
    return wrong


CASES = dict(
    no_drive=(no_drive, nb.STEP_SWITCH, nb.WHY_UNFIT),
    registers_too_large=(large, nb.STEP_BAR, nb.WHY_UNFIT),
    crs=(no_end_of_retry, nb.STEP_SWITCH, nb.WHY_CRS),
    buses=(reads_as(6, lambda v: v ^ 0x10000), nb.STEP_BRIDGE, nb.WHY_UNFIT),
    window=(reads_as(8, lambda v: v ^ 0x10), nb.STEP_BRIDGE, nb.WHY_UNFIT),
    no_capability=(reads_as(13, lambda v: 0), nb.STEP_EXPRESS, nb.WHY_UNFIT),
)


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def one_cannot_be_brought_up(dut, case):
    """And says why; the others run."""
    change, step, why = CASES[case]
    shared = SharedBench(dut, AT)
    undo = change(shared, shared.hosts[1])
    await shared.start(up=False)
    assert [int(h.dut.run_o.value) for h in shared.hosts] == [1, 0, 1]
    await fails(shared.hosts[1], (step, why))
    await all_of(works(shared.hosts[0]), works(shared.hosts[2]))
    undo()
    await comes_back(shared.hosts[1], shared.hosts[1].drive)
    await all_of(*(works(host) for host in shared.hosts))
    shared.check()


@cocotb.test()
async def fewer_ports_than_hosts(dut):
    """The switch has two ports, and no fourth one for the second host; the third host's is there."""
    shared = SharedBench(dut, (0, None, 3), devices=(0, 3))
    await shared.start(up=False)
    assert [int(h.dut.run_o.value) for h in shared.hosts] == [1, 0, 1]
    assert shared.hosts[1].state() == (nb.STEP_SWITCH, nb.WHY_UNFIT)


@cocotb.test()
async def no_switch(dut):
    """A drive directly below the root port is nobody's."""
    shared = SharedBench(dut, AT, devices=())
    port = LinkPort(shared.block.bridge)
    port.controller = NvmeController(port)
    await shared.start(up=False)
    for host in shared.hosts:
        assert host.dut.dead_o.value == 1 and host.state() == (nb.STEP_SWITCH, nb.WHY_UNFIT), host.state()


@cocotb.test()
@cocotb.parametrize(how=["silent", "bad_cid", "poison", "beyond"])
async def one_does_amiss(dut, how):
    """Its host resets it; a write to another host's memory is dropped, and what it meant is not done."""
    shared = SharedBench(dut, AT)
    await shared.start()
    bad = shared.hosts[0]
    await works(bad)
    others = Beside(shared, bad)
    strays = []

    async def watch():
        while True:
            await RisingEdge(bad.clock)
            if bad.dut.stray_o.value == 1:
                strays.append(1)
    cocotb.start_soon(watch())
    if how == "beyond":
        # Over all that belongs to the others: a completion of a command of theirs, with a phase that would count.
        for k in (1, 2):
            for address in range(MEM + k * MEM_STEP + (1 << 16), MEM + k * MEM_STEP + (1 << 16) + 1024, 64):
                await bad.port.write(address, bytes(64 * [0xff]))
            await bad.port.write(MEM + k * MEM_STEP + (3 << 16), bytes(64 * [0xff]))
            assert await bad.port.read(MEM + k * MEM_STEP, 64) is None
        await Timer(1, "us")
        assert len(strays) >= 34 and bad.dut.run_o.value == 1
    else:
        getattr(bad.drive, how).add(bad.drive.io_count)
        bad.give(READ, 0, 8, tag=5)
        assert (await bad.m.frame())[1] == 1
        why = dict(silent=nb.WHY_TIMEOUT, bad_cid=nb.WHY_CID, poison=nb.WHY_POISON)[how]
        assert (await bad.done())["why"] == why
        while not bad.dut.run_o.value:
            await Timer(1, "us")
    await works(bad)
    await others.end()
    shared.check()


@cocotb.test()
async def a_requester_that_is_no_drive(dut):
    """What it reads is an Unsupported Request, what it writes is dropped, poisoned or not, and it is told."""
    shared = SharedBench(dut, AT)
    await shared.start()
    port = shared.hosts[0].port
    told = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.nobody_o.value == 1:
                told.append(1)
    cocotb.start_soon(watch())
    for bdf in (0x0700, 0x0301):
        port.bdf = bdf
        await port.write(MEM + (3 << 16), bytes(64), poisoned=True)
        await port.write(MEM + (1 << 16), bytes(64 * [0xff]))
        if bdf == 0x0301:           # the answer finds the way back by its bus
            assert await port.read(MEM, 64) is None
    await Timer(2, "us")
    assert len(told) == 5, len(told)
    port.bdf = 0x0300
    assert all(h.dut.run_o.value == 1 for h in shared.hosts)
    await all_of(*(works(host) for host in shared.hosts))
    shared.check()


@cocotb.test()
async def the_link_is_lost(dut):
    """Of the root port: all fail, and all come back."""
    shared = SharedBench(dut, AT)
    await shared.start()
    for host in shared.hosts:
        host.drive.latency = lambda command: 30000
        for n in range(2):
            host.give(READ, 16 * n, 16, tag=n)
    await Timer(2, "us")
    shared.block.link(0)
    for host in shared.hosts:
        host.drive.life += 1
        await ends(host, 2, (nb.WHY_ABSENT, nb.WHY_TIMEOUT))
        await fails(host, (nb.STEP_RUN, nb.WHY_ABSENT), (nb.STEP_DISABLE, nb.WHY_ABSENT))
    for port in (shared.switch.upstream_bridge, *shared.switch.ports.values()):
        port.sec_bus_num = port.sub_bus_num = port.pri_bus_num = 0
        port.memory_space_enable = port.bus_master_enable = False
    for host in shared.hosts:
        shared.plug(host)
    shared.block.link(1)
    await Timer(40, "us")
    await all_of(*(comes_back(host, host.drive) for host in shared.hosts))
    shared.check()


@cocotb.test()
async def one_drive_is_shut_down_and_the_others_go_on(dut):
    shared = SharedBench(dut, AT)
    await shared.start()
    host = shared.hosts[1]
    await works(host)
    assert host.drive.cache
    beside = Beside(shared, host)
    assert await host.shutdown() == nb.WHY_NONE
    assert host.drive.shutdowns == [([0], [0])] and not host.drive.cache
    await Timer(20, "us")
    await beside.end()
    assert not any(h.drive.shutdowns for h in beside.hosts)
    await comes_back(host, host.drive)
    shared.check()
