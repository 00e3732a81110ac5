# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The 7-series block as a root port, as its user sees it: configuration space and link are those of the root
port of cocotbext-pcie, to which any of its devices and switches connect; streams and the Configuration
Management interface are the block's. It knows nothing of lanescope.

A user that has not configured the port is told at once: a request down that the port as it is would not
route, or of another's Requester ID, is an AssertionError. What comes up obeys the standard (Type 1 header):
while Bus Master Enable is off, or to an address of the port's own window, a request is not forwarded, and one
that must be answered gets UR."""

import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.bridge import RootPort
from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from clocked import EDGE, Shown, clocked, high, number
from seven_series import SevenSeriesStreams

CONFIG = {TlpType.CFG_READ_0: 0, TlpType.CFG_WRITE_0: 0, TlpType.CFG_READ_1: 1, TlpType.CFG_WRITE_1: 1}
MEMORY = (TlpType.MEM_READ, TlpType.MEM_READ_64, TlpType.MEM_WRITE, TlpType.MEM_WRITE_64)


class RootBridge(RootPort):
    """`express` is where the block has its PCI Express Capability; `to_user` takes what comes up."""

    def __init__(self, express, to_user):
        super().__init__()
        self.express = express
        self.deregister_capability(self.pcie_cap)
        self.register_capability(self.pcie_cap, express // 4)
        self.pcie_cap.max_payload_size_supported = 2        # 512
        self.io_base, self.io_limit = 0, 0xfff              # open, as after reset
        self.to_user, self.link = to_user, False
        self.trains_at = None                               # (speed, lanes), where it is less than both ends can
        self.trainings, self.training_ns = 0, 2000          # by Retrain Link
        self.pcie_cap.initiate_retrain_link = self.retrain
        self.sent, self.refused, self.lost = [], 0, 0       # TLPs down; up, but not forwarded; without a link

    @property
    def own_id(self):
        return PcieId(self.pri_bus_num, 0, 0)

    def windows(self):
        """Of memory: (first, last) of those that are open."""
        pairs = ((self.mem_base, self.mem_limit), (self.prefetchable_mem_base, self.prefetchable_mem_limit))
        return [(a, b | 0xfffff) for a, b in pairs if a <= b]

    def inside(self, address):
        return any(a <= address <= b for a, b in self.windows())

    # ---- the link ----------------------------------------------------------------------------------
    def train(self):
        cap, port = self.pcie_cap, self.downstream_port
        cap.max_link_speed, cap.max_link_width = port.max_link_speed, port.max_link_width
        cap.current_link_speed, cap.negotiated_link_width = self.trains_at or (port.cur_link_speed, port.cur_link_width)

    async def retrain(self):
        """Of the Link Training bit and what comes of it; TLPs are not held up."""
        async def trains():
            await Timer(self.training_ns, "ns")
            self.train()
            self.pcie_cap.link_training = False
        self.trainings += 1
        self.pcie_cap.link_training = True
        cocotb.start_soon(trains())

    async def read_config_register(self, reg):
        value = await super().read_config_register(reg)
        if reg == self.express // 4 + 3:            # cocotbext-pcie puts the width of Link Capabilities elsewhere
            value = value & ~0x3ff | self.pcie_cap.max_link_width << 4 | self.pcie_cap.max_link_speed
        return value

    # ---- down ------------------------------------------------------------------------------------
    def check(self, tlp):
        """What the user may send."""
        own = tlp.completer_id if tlp.is_completion() else tlp.requester_id
        assert own == self.own_id, f"{own} is not {self.own_id}"
        assert not tlp.has_data() or len(tlp.data) <= 128 << self.pcie_cap.max_payload_size, "longer than MPS"
        if tlp.fmt_type in CONFIG:
            bus = tlp.completer_id.bus
            assert tlp.length == 1 and tlp.last_be == 0 and tlp.tc == 0 and tlp.attr == 0, repr(tlp)
            right = bus == self.sec_bus_num if CONFIG[tlp.fmt_type] == 0 else self.sec_bus_num < bus <= self.sub_bus_num
            assert right, f"{tlp.fmt_type} to bus {bus}, of {self.sec_bus_num} to {self.sub_bus_num}"
        elif tlp.fmt_type in MEMORY:
            assert self.memory_space_enable, "Memory Space Enable is off"
            assert self.inside(tlp.address), f"{tlp.address:#x} is in no window: {self.windows()}"
        else:
            assert tlp.is_completion(), repr(tlp)

    async def from_user(self, tlp):
        if not self.link:
            self.lost += 1
            return
        self.sent.append(tlp)
        await self.downstream_send(Tlp(tlp))

    # ---- up --------------------------------------------------------------------------------------
    async def downstream_recv(self, tlp):
        if not self.link:
            tlp.release_fc()
            self.lost += 1
        elif tlp.is_completion() or (self.bus_master_enable and not self.inside(tlp.address)):
            await self.to_user(tlp)
        else:
            tlp.release_fc()
            self.refused += 1
            if not tlp.is_posted():
                await self.downstream_send(Tlp.create_ur_completion_for_tlp(tlp, self.own_id))


class Management:
    """The Configuration Management interface of `bridge`. `ports`: addr, read, write, data, be (of the user), got, done."""

    def __init__(self, clock, bridge, reset, **ports):
        self.bridge, self.runs, self.ports = bridge, high(reset), ports
        self.read = {n: number(ports[n]) for n in ("read", "write", "addr", "data", "be")}
        self.most, self.stuck = 8, False            # cycles of an access; none ends
        self.accesses = []                          # (DWORD, data of a write or None)
        clocked(clock, self._serve())

    def _asked(self):
        p = {n: read() for n, read in self.read.items()}
        assert not (p["read"] and p["write"]), "a read and a write at once"
        return p

    async def _serve(self):
        done = self.ports["done"]
        done.value = 0
        while True:
            await EDGE
            if not self.runs():
                continue
            asked = self._asked()
            if self.stuck or not (asked["read"] or asked["write"]):
                continue
            for _ in range(random.randrange(self.most)):
                await EDGE
                assert self._asked() == asked, f"{asked} changes before it is done"
            if asked["write"]:
                await self.bridge.write_config_register(asked["addr"], asked["data"], asked["be"])
            else:
                self.ports["got"].value = await self.bridge.read_config_register(asked["addr"])
            self.accesses.append((asked["addr"], asked["data"] if asked["write"] else None))
            done.value = 1
            await EDGE
            assert self._asked() == asked, f"{asked} changes before it is done"
            done.value = 0
            await EDGE
            after = self._asked()
            assert not (after["read"] or after["write"]), "the enable stands after done"


class SevenSeriesRoot(SevenSeriesStreams):
    """PG054. What devices send up is handed on with any `rx_bar_hit`."""

    EXPRESS = 0x60              # where it has its PCI Express Capability

    def __init__(self, dut, clock, straddle=True):
        self.bridge = RootBridge(self.EXPRESS, self.receive)
        self.check, self.forward = self.bridge.check, self.bridge.from_user
        self.up = Shown(dut.user_lnk_up)
        super().__init__(dut, clock, straddle)
        self.management = Management(clock, self.bridge, dut.rst_ni, addr=dut.cfg_mgmt_dwaddr, read=dut.cfg_mgmt_rd_en,
                                     write=dut.cfg_mgmt_wr_en, data=dut.cfg_mgmt_di, be=dut.cfg_mgmt_byte_en,
                                     got=dut.cfg_mgmt_do, done=dut.cfg_mgmt_rd_wr_done)

    def link(self, up):
        self.bridge.link = bool(up)
        self.bridge.train()

    def tell(self):
        self.up(int(self.bridge.link))

    def hits(self, tlp):
        return random.getrandbits(7)

    def pauses(self, rate):
        self.rx_pause = self.tx_pause = rate
