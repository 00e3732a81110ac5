# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The UltraScale+ block as a root port, as its user sees it. Its link end is the root port of cocotbext-pcie
(root_port.py); its streams are those of cocotbext-pcie's UltraScale+ block, whose own code sends and receives here
too: descriptors, split-completion table, error codes. Of that block only what an endpoint does with requests from
the link is replaced. It knows nothing of lanescope.

What it adds, by PG213: a root port's descriptors carry their own IDs; a request that nobody answers ends with error
code 9 after `TIMEOUT_NS`; a poisoned write is dropped and told as a local error, before anything that comes after it."""

import itertools
import logging
import random

import cocotb
from cocotb.triggers import Event, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from cocotbext.pcie.xilinx.us.tlp import ErrorCode, ReqType, Tlp_us
from cocotbext.pcie.xilinx.us.usp_model import LocalError

from root_port import Management, RootBridge

MAY = {int(t) for t in (ReqType.MEM_READ, ReqType.MEM_WRITE, ReqType.CFG_READ_0, ReqType.CFG_READ_1, ReqType.CFG_WRITE_0,
                        ReqType.CFG_WRITE_1)}
LANES = {64: (2, 4), 128: (2, 8), 256: (3, 8), 512: (3, 16)}      # a speed and width that have this width at 250 MHz


class UltraScaleRoot(UltraScalePlusPcieDevice):
    drives_clock = True
    TIMEOUT_NS = 100_000
    EXPRESS = 0x70              # where it has its PCI Express Capability

    def __init__(self, dut):
        self.dut, self.bridge = dut, RootBridge(self.EXPRESS, self.receive)
        self.dropped = 0                                        # poisoned writes
        speed, lanes = LANES[len(dut.s_axis_rq_tdata)]
        super().__init__(
            pcie_generation=speed, pcie_link_width=lanes, user_clk_frequency=250e6, max_payload_size=512, user_clk=dut.clk_i,
            rq_bus=AxiStreamBus.from_prefix(dut, "s_axis_rq"), rc_bus=AxiStreamBus.from_prefix(dut, "m_axis_rc"),
            cq_bus=AxiStreamBus.from_prefix(dut, "m_axis_cq"), cc_bus=AxiStreamBus.from_prefix(dut, "s_axis_cc"),
            cfg_local_error_out=dut.cfg_local_error_out, cfg_local_error_valid=dut.cfg_local_error_valid)
        self.functions = [self.bridge]
        self.sides = (self.rq_sink, self.rc_source, self.cq_source, self.cc_sink)
        for side in (self, *self.sides):
            side.log.setLevel(logging.CRITICAL)
        self._look(self.rq_sink, self.requested)
        self._look(self.cc_sink, self.completed)
        self.management = Management(dut.clk_i, self.bridge, dut.rst_ni, addr=dut.cfg_mgmt_addr, read=dut.cfg_mgmt_read,
                                     write=dut.cfg_mgmt_write, data=dut.cfg_mgmt_write_data, be=dut.cfg_mgmt_byte_enable,
                                     got=dut.cfg_mgmt_read_data, done=dut.cfg_mgmt_read_write_done)

    def set_port(self, port):
        """The link ends at the bridge: an endpoint's port sends nothing, not even what begins a link."""
        super().set_port(port)

        async def never(_packet):
            await Event().wait()
        port.handle_tx = never

    def link(self, up):
        self.bridge.link = bool(up)
        self.bridge.train()
        self.dut.user_lnk_up.value = int(up)
        if not up:
            self.active_request[:] = [None] * len(self.active_request)

    def pauses(self, rate):
        for side in self.sides:
            side.set_pause_generator((random.random() < rate for _ in itertools.count()) if rate else iter([False]))

    # ---- from the user ---------------------------------------------------------------------------
    def _look(self, sink, look):
        """Each frame of `sink` is looked at before the block takes it."""
        take = sink.recv

        async def recv():
            frame = await take()
            look(frame)
            return frame
        sink.recv = recv

    def requested(self, frame):
        low, high, dw2, dw3 = frame.data[:4]
        kind, length = dw2 >> 11 & 15, dw2 & 0x7ff
        assert kind in MAY, f"RQ: request type {kind}"
        assert dw3 >> 24 & 1, "RQ: Requester ID Enable is off: nobody tells a root port its bus number"
        assert length == (len(frame.data) - 4 or length) and (len(frame.data) > 4) == bool(kind & (2 if kind & 8 else 1))
        if kind & 8:
            assert high == 0 and low & ~0xffc == 0, f"RQ: an address beside the register number: {high:#x} {low:#x}"
        else:
            assert not dw3 >> 8 & 0xffff and not low & 3, "RQ: a memory request with a Completer ID or an address type"
        assert not frame.discontinue and frame.data == Tlp_us.unpack_us_rq(frame).pack_us_rq().data, "RQ: bits that mean nothing"

    def completed(self, frame):
        assert frame.data[2] >> 24 & 1, "CC: Completer ID Enable is off"
        assert len(frame.data) == 3 + (frame.data[1] & 0x7ff), f"CC: {len(frame.data)} DWs, {frame.data[1] & 0x7ff} of payload"
        assert not frame.discontinue and frame.data == Tlp_us.unpack_us_cc(frame).pack_us_cc().data, "CC: bits that mean nothing"

    async def send(self, tlp):
        self.bridge.check(tlp)
        if tlp.is_nonposted():
            cocotb.start_soon(self._expire(tlp.tag, tlp.requester_id, self.active_request[tlp.tag]))
        await self.bridge.from_user(tlp)

    async def _expire(self, tag, own, request):
        await Timer(self.TIMEOUT_NS, "ns")
        if request is None or self.active_request[tag] is not request:
            return
        self.active_request[tag] = None
        late = Tlp_us()
        late.fmt_type, late.tag, late.requester_id = TlpType.CPL, tag, own
        late.error_code, late.request_completed = ErrorCode.TIMEOUT, True
        self.rc_queue.put_nowait(late)

    # ---- to the user -----------------------------------------------------------------------------
    async def receive(self, tlp):
        if tlp.is_completion():
            await super().upstream_recv(tlp)
        else:
            self.cq_queue.put_nowait(tlp)

    async def _run_cq_logic(self):
        """Its user takes reads at any time (pcie_cq_np_req). Credits come back when a TLP has its place on the stream."""
        edge = RisingEdge(self.user_clk)
        while True:
            tlp = await self.cq_queue.get()
            if tlp.ep and tlp.is_posted():
                self.dropped += 1
                self.local_error.put_nowait(LocalError.AXI4ST_CQ_EP_DROP)
                await edge
                await edge
            else:
                out = Tlp_us(tlp)
                out.bar_id, out.completer_id = random.randrange(8), PcieId()
                await self.cq_source.send(out.pack_us_cq())
            tlp.release_fc()

    # ---- what only an endpoint's user looks at ----------------------------------------------------
    async def _run_rq_seq_num_logic(self):
        while True:
            await self.rq_seq_num.get()

    async def _run_cfg_ctrl_logic(self):
        """No port of it is there."""

    async def _run_cfg_int_logic(self):
        """A root port makes no interrupts."""
