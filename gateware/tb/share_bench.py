# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Hosts that share the 7-series block as a root port (nvme_share.sv), with their drives below one switch of cocotbext-pcie."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer

from nvme_bench import HostEnd, SEED, STEP_RUN, WHY_NONE
from nvme_controller import NvmeController
from nvme_link import LinkPort, root
from pcie_switch import PcieSwitch
from stripe_bench import Lane, Part

BAR, STEP, MEM, MEM_STEP = 0xe000_0000, 1 << 20, 0x1_0000_0000, 8 << 16


class SharingHost(HostEnd):
    """The user of one of them."""

    def __init__(self, dut, index, drives):
        self.dut, self.clock, self.index = Lane(dut, index, drives), dut.clk_i, index
        self.port = None
        self.streams()


class SharedBench:
    """`at` are the device numbers of the ports at which the drives are, None for a host that has none; the switch has
    these `devices`, or none is there."""

    def __init__(self, dut, at, devices=(0, 3, 4, 31), mps=2):
        random.seed(SEED)
        Part.whole.clear()
        self.dut, self.at, drives = dut, at, len(at)
        dut.rst_ni.value = dut.restart_i.value = dut.retrain_i.value = dut.shut_ask_i.value = 0
        self.block = root(dut)
        cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
        self.block.link(0)
        self.switch = PcieSwitch(self.block.bridge, devices, mps) if devices else None
        self.hosts = [SharingHost(dut, i, drives) for i in range(drives)]
        for host, device in zip(self.hosts, at):
            if self.switch is not None and device is not None:
                host.port = LinkPort(self.switch[device])
                host.port.bdf = 0x0300 + 0x100 * host.index
                self.plug(host)

    def plug(self, host, **what):
        """A new drive, at that host's port of the switch."""
        self.switch[self.at[host.index]].link = True
        host.drive = host.port.controller = NvmeController(host.port, **what)

    async def start(self, up=True):
        await Timer(40, "ns")
        self.dut.rst_ni.value = 1
        await Timer(20, "ns")
        self.block.link(1)
        for host in self.hosts:
            await host.settled()
            if up:
                assert host.state() == (STEP_RUN, WHY_NONE), (host.index, host.state())
            if host.port is not None:
                host.port.mps, host.port.mrrs = host.drive.mps, host.drive.mrrs

    def check(self):
        """The switch is as the parameters say, whoever is up."""
        n = len(self.at)
        top = self.switch.upstream_bridge
        wanted = {top: (1, 2, 2 + n, BAR, BAR + n * STEP - 1)}
        for k, device in enumerate(self.at):
            wanted[self.switch[device]] = (2, 3 + k, 3 + k, BAR + k * STEP, BAR + (k + 1) * STEP - 1)
        for port in (top, *self.switch.ports.values()):
            got = (port.pri_bus_num, port.sec_bus_num, port.sub_bus_num, port.mem_base, port.mem_limit)
            if port in wanted:
                assert got == wanted[port], (got, wanted[port])
                assert port.prefetchable_mem_base > port.prefetchable_mem_limit and port.io_base > port.io_limit
                assert port.memory_space_enable and port.bus_master_enable and port.interrupt_disable
            else:
                assert got[1:3] == (0, 0) and not port.memory_space_enable and not port.bus_master_enable, got
        self.clean()

    def clean(self):
        for host in self.hosts:
            host.clean()
        assert not self.switch.wrong, self.switch.wrong[:5]
