# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A switch of cocotbext-pcie below a root port, with what that leaves out and its standard asks for: a port without a
link answers what must be answered with UR; memory requests go down where Memory Space Enable is on, requests go up where
Bus Master Enable is; a TLP longer than a port's MPS is malformed there. What breaks that last rule is told in `wrong`."""

from cocotb.triggers import Timer
from cocotbext.pcie.core import Switch
from cocotbext.pcie.core.bridge import SwitchDownstreamPort, SwitchUpstreamPort
from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

MEMORY = (TlpType.MEM_READ, TlpType.MEM_READ_64, TlpType.MEM_WRITE, TlpType.MEM_WRITE_64)


class Checked:
    """Of a port of either kind."""

    link = True

    def fits(self, tlp):
        longest = 128 << self.pcie_cap.max_payload_size
        if tlp.has_data() and len(tlp.data) > longest:
            self.wrong.append(f"{self.pcie_id}: {len(tlp.data)} bytes, with an MPS of {longest}")

    def match_tlp_secondary(self, tlp):
        if tlp.fmt_type in MEMORY and not self.memory_space_enable:
            return False
        return super().match_tlp_secondary(tlp)

    async def downstream_send(self, tlp):
        self.fits(tlp)
        if self.link:
            await super().downstream_send(tlp)
            return
        tlp.release_fc()
        if not tlp.is_posted() and not tlp.is_completion():
            await self.upstream_send(Tlp.create_ur_completion_for_tlp(tlp, self.pcie_id))

    async def downstream_recv(self, tlp):
        self.fits(tlp)
        if not self.link:
            tlp.release_fc()
        elif tlp.fmt_type in MEMORY and not self.bus_master_enable:
            tlp.release_fc()
            if not tlp.is_posted():
                await self.downstream_send(Tlp.create_ur_completion_for_tlp(tlp, self.pcie_id))
        else:
            await super().downstream_recv(tlp)


class UpstreamPort(Checked, SwitchUpstreamPort):
    pass


class DownstreamPort(Checked, SwitchDownstreamPort):
    link = False            # until something is connected

    def __init__(self):
        super().__init__()
        port = self.downstream_port
        connected = port.handle_tx

        async def handle_tx(packet):
            if port.other is None:
                await Timer(100, "ns")      # it is lost
            else:
                await connected(packet)
        port.handle_tx = handle_tx


class PcieSwitch(Switch):
    """Below `bridge`, with downstream ports of these device numbers; `mps` is what all of it supports (as in Device
    Capabilities)."""

    def __init__(self, bridge, devices, mps=2):
        self.default_upstream_bridge = UpstreamPort
        super().__init__()
        self.wrong, self.ports = [], {}
        top = self.upstream_bridge
        for port in (bridge.downstream_port, top.upstream_port):
            port.max_link_speed, port.max_link_width = 2, 4
        top.upstream_port.connect(bridge.downstream_port)
        if isinstance(bridge, Checked):         # of another switch
            bridge.link = True
        for device in devices:
            port = self.ports[device] = DownstreamPort()
            port.pcie_id = PcieId(0, device, 0)
            port.downstream_port.max_link_speed, port.downstream_port.max_link_width = 2, 4
            self.append_endpoint(port)
        for port in (top, *self.ports.values()):
            port.wrong = self.wrong
            port.pcie_cap.max_payload_size_supported = mps

    def __getitem__(self, device):
        """The bridge of that port, for what is to be connected there."""
        return self.ports[device]
