# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The engine behind each vendor's block, with the same knobs as the bare engine has."""

import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.core.tlp import TlpType
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from cocotbext.pcie.xilinx.us.tlp import ErrorCode, Tlp_us

from card import HAS_MSI, UserSide
from clocked import EDGE, Shown, clocked
from link import Link
from msi import UspMsi
from seven_series import SevenSeriesBlock
from straddling_block import watch_requests

SEQ = [f"pcie_rq_seq_num{x}" for x in ("0", "_vld0", "1", "_vld1")]
STRADDLE = os.environ.get("STRADDLE") == "1"
TWO = os.environ.get("TWO_CLOCKS") == "1"


class VendorCard(UserSide):
    """`clock` is the block's user clock, the user's own runs beside it."""

    room = 8                # TLPs the way out may hold; a knob where the block has one

    def __init__(self, dut, device, **link):
        super().__init__(dut, dut.user_clk_i if TWO else dut.clk_i)
        self.clock, self.device = dut.clk_i, device
        self.link = Link(device, self.clock, **link)
        self.two_clocks = int(TWO)

    @property
    def seen(self):
        return self.link.sent

    def pauses(self, rate):
        super().pauses(rate)
        self.slow(rate)

    def start(self):
        if TWO:
            cocotb.start_soon(Clock(self.user_clock, 5.2, "ns").start())
        if not self.drives_clock:
            cocotb.start_soon(Clock(self.clock, 4, "ns").start())


class UspCard(VendorCard):
    """The UltraScale+ block of cocotbext-pcie. What it lacks is added: its completion timeout, and in
    models/straddling_block.py what concerns straddling."""

    drives_clock = True
    TIMEOUT_NS = 3000       # of the block; the engine's own must be longer

    def __init__(self, dut):
        lanes = {64: (1, 8), 128: (2, 8), 256: (3, 8), 512: (3, 16)}[len(dut.s_axis_rq_tdata)]
        width = len(dut.s_axis_rq_tdata)
        both, wide = STRADDLE and width >= 256, STRADDLE and width == 512
        device = UltraScalePlusPcieDevice(
            rc_straddle=both, rc_4tlp_straddle=wide, rq_straddle=wide, cq_straddle=wide, cc_straddle=wide,
            pcie_generation=lanes[0], pcie_link_width=lanes[1], user_clk_frequency=250e6,
            alignment="dword", pf0_msix_enable=True, pf0_msix_table_size=3,
            pf0_msix_table_offset=0x1000, pf0_msix_pba_offset=0x1080, enable_extended_tag=True,
            max_payload_size=1024, user_clk=dut.clk_i,
            rq_bus=AxiStreamBus.from_prefix(dut, "s_axis_rq"),
            rc_bus=AxiStreamBus.from_prefix(dut, "m_axis_rc"),
            cq_bus=AxiStreamBus.from_prefix(dut, "m_axis_cq"),
            cc_bus=AxiStreamBus.from_prefix(dut, "s_axis_cc"),
            cfg_max_payload=dut.cfg_max_payload, cfg_max_read_req=dut.cfg_max_read_req,
            cfg_function_status=dut.cfg_function_status,
            **(dict(pf0_msi_enable=True, pf0_msi_count=32) | {n: getattr(dut, n) for n in SEQ} if HAS_MSI else {}))
        self.rules = watch_requests(dut.clk_i, device.rq_sink.bus, dut.rst_ni) if wide else None
        self.sides = (device.rq_sink, device.rc_source, device.cq_source, device.cc_sink)
        for log in (device, *self.sides):
            log.log.setLevel(logging.CRITICAL)
        super().__init__(dut, device, lost=self._lost)
        self.function = device.functions[0]
        self.function.configure_bar(0, 0x10000)
        self.function.configure_bar(2, 0x100000)
        dut.cfg_msix_mask.value = dut.cfg_flr_in_process.value = 0
        dut.cfg_msix_enable.value = dut.cfg_ext_tag_enable.value = dut.cfg_function_power_state.value = 0
        self.power_state = 0                    # as PMCSR encodes it
        if HAS_MSI:
            self.function.msi_cap.msi_per_vector_mask_capable = 1
            self.msi = UspMsi(dut, self.clock, self.function)
        clocked(self.clock, self._settings())

    async def _settings(self):
        """What the model does not tell."""
        dut = self.dut
        msix, tags, power = map(Shown, (dut.cfg_msix_enable, dut.cfg_ext_tag_enable, dut.cfg_function_power_state))
        while True:
            await EDGE
            msix(int(self.function.msix_cap.msix_enable))
            tags(int(self.function.pcie_cap.extended_tag_field_enable))
            power((1, 2, 2, 4)[self.power_state])

    async def reset_function(self):
        """A function-level reset, from its beginning to `cfg_flr_done`: the block forgets what it has asked for."""
        self.function.bus_master_enable = self.function.msix_cap.msix_enable = False
        self.device.active_request[:] = [None] * len(self.device.active_request)
        self.dut.cfg_flr_in_process.value = 1
        while self.dut.cfg_flr_done.value != 1:
            await RisingEdge(self.clock)
        self.dut.cfg_flr_in_process.value = 0

    def _lost(self, tlp):
        cocotb.start_soon(self._expire(tlp, self.device.active_request[tlp.tag]))

    async def _expire(self, tlp, request):
        await Timer(self.TIMEOUT_NS, "ns")
        if request is None or self.device.active_request[tlp.tag] is not request:
            return
        self.device.active_request[tlp.tag] = None
        late = Tlp_us()
        late.fmt_type, late.tag, late.requester_id = TlpType.CPL, tlp.tag, tlp.requester_id
        late.error_code, late.request_completed = ErrorCode.TIMEOUT, True
        self.device.rc_queue.put_nowait(late)

    def slow(self, rate):
        def some():
            while True:
                yield random.random() < rate
        for side in self.sides:
            side.set_pause_generator(some())


class SevenSeriesCard(VendorCard):
    """The 7-series block, from models/."""

    drives_clock = False
    in_order = True

    def __init__(self, dut):
        self.block = SevenSeriesBlock(dut, dut.clk_i, msi=HAS_MSI)
        self.msi = self.block.msi
        super().__init__(dut, self.block.device)
        self.function = self.block.function
        self.function.msix_cap.msix_table_size = 3
        self.function.msix_cap.msix_table_offset = 0x1000
        self.function.msix_cap.msix_pba_offset = 0x1080
        self.function.configure_bar(0, 0x10000)
        self.function.configure_bar(2, 0x100000)
        dut.cfg_received_func_lvl_rst.value = 0

    async def reset_function(self):
        """A function-level reset; this block is not told when it has ended, so it is seen at the user's reset."""
        self.function.bus_master_enable = self.function.msix_cap.msix_enable = False
        self.dut.cfg_received_func_lvl_rst.value = 1
        await RisingEdge(self.clock)
        self.dut.cfg_received_func_lvl_rst.value = 0
        for level in (0, 1):
            while self.dut.user_rst_no.value != level:
                await RisingEdge(self.clock)

    @property
    def room(self):
        return self.block.tx_room - 4

    @room.setter
    def room(self, value):
        self.block.tx_room = value + 4          # four of them are kept for completions

    def slow(self, rate):
        self.block.rx_pause = self.block.tx_pause = rate
