# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The drive's end of a real link: a device of cocotbext-pcie below a vendor's block as a root port."""

from collections import deque

import cocotb
from cocotb.triggers import Event
from cocotbext.pcie.core import Device
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from nvme_bench import Port
from root_port import SevenSeriesRoot
from root_port_usp import UltraScaleRoot
from tlpbits import CPL, CPLD, MRD, MWR


def root(dut):
    """The block with these ports."""
    return UltraScaleRoot(dut) if hasattr(dut, "s_axis_rq_tdata") else SevenSeriesRoot(dut, dut.clk_i)


class Drive(Device):
    """Hands everything to the port."""

    def __init__(self, port):
        super().__init__()
        self.port = port

    async def upstream_recv(self, tlp):
        tlp.release_fc()
        h = dict(len_dw=tlp.length, tag=tlp.tag, requester_id=int(tlp.requester_id))
        if tlp.is_completion():
            h.update(kind=CPLD if tlp.has_data() else CPL, addr=tlp.lower_address, status=int(tlp.status), byte_count=tlp.byte_count)
            self.port.answer(h, tlp.data)
            return
        cfg = tlp.fmt_type in (TlpType.CFG_READ_0, TlpType.CFG_WRITE_0)
        self.port.rule(cfg or not tlp.type & 4, f"a configuration request of type 1 at an endpoint: {tlp!r}")
        h.update(kind=MWR if tlp.has_data() else MRD, addr=int(tlp.completer_id) << 12 | tlp.address if cfg else tlp.address,
                 first_be=tlp.first_be, last_be=tlp.last_be)
        self.port.request(h, cfg, int.from_bytes(tlp.data, "little"))


class LinkPort(Port):
    def __init__(self, bridge):
        super().__init__()
        self.device = Drive(self)
        self.device.upstream_port.max_link_speed, self.device.upstream_port.max_link_width = 2, 4
        bridge.downstream_port.max_link_speed, bridge.downstream_port.max_link_width = 2, 4
        self.device.connect(bridge)
        self.queue, self.more = deque(), Event()
        cocotb.start_soon(self._send())

    def pauses(self, rate):
        """The link has a rate of its own."""

    async def _send(self):
        while True:
            while not self.queue:
                self.more.clear()
                await self.more.wait()
            tlp, event = self.queue.popleft()
            await self.device.upstream_send(tlp)
            if event is not None:
                event.set()

    def _put(self, tlp, event=None):
        self.queue.append((tlp, event))
        self.more.set()

    def send_completion(self, hdr, data):
        t = Tlp()
        t.fmt_type = TlpType.CPL_DATA if hdr["kind"] == CPLD else TlpType.CPL
        t.completer_id, t.requester_id, t.tag = PcieId.from_int(self.bdf), PcieId.from_int(hdr["requester_id"]), hdr["tag"]
        t.status, t.byte_count, t.lower_address, t.ep = CplStatus(hdr["status"]), hdr["byte_count"], hdr["addr"], bool(hdr["ep"])
        if hdr["kind"] == CPLD:
            t.set_data(data.to_bytes(4, "little"))
        self._put(t)

    def send_request(self, hdr, data, event):
        t = Tlp()
        wide = hdr["addr"] >> 32 != 0
        if hdr["kind"] == MWR:
            t.fmt_type = TlpType.MEM_WRITE_64 if wide else TlpType.MEM_WRITE
        else:
            t.fmt_type = TlpType.MEM_READ_64 if wide else TlpType.MEM_READ
        t.requester_id, t.tag, t.address, t.length = PcieId.from_int(self.bdf), hdr.get("tag", 0), hdr["addr"], hdr["len_dw"]
        t.first_be, t.last_be, t.ep = hdr["first_be"], hdr["last_be"], bool(hdr.get("ep"))
        t.data = bytearray(data)
        self._put(t, event)
