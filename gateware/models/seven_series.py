# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The 7-series integrated block as its user sees it: a generic cocotbext-pcie device behind the
two AXI4-Streams of the block, 64 or 128 bit. Received TLPs straddle at 128 bit, when asked to, as
the block does; the transmit side checks what the block demands of a TLP. It knows nothing of
lanescope: any design with these ports can sit on it. The streams are apart, for the block as a root
port (root_port.py) has the same ones."""

import random
import struct
from collections import deque

import cocotb
from cocotb.triggers import Event
from cocotbext.pcie.core import Device, Endpoint
from cocotbext.pcie.core.caps import MsixCapability
from cocotbext.pcie.core.tlp import Tlp, TlpType

from clocked import EDGE, Shown, clocked, high, number
from msi import SevenSeriesMsi, msi_capability


class SevenSeriesFunction(Endpoint):
    def __init__(self, block, msi=False):
        super().__init__()
        self.block = block
        if msi:
            self.msi_cap = msi_capability()
            self.msi_cap.msi_per_vector_mask_capable = 0        # its user is not told of masks
            self.register_capability(self.msi_cap)
        self.msix_cap = MsixCapability()
        self.register_capability(self.msix_cap)
        self.pcie_cap.max_payload_size_supported = 3
        self.pcie_cap.extended_tag_supported = True

    async def handle_tlp(self, tlp):
        if tlp.fmt_type in (TlpType.CFG_READ_0, TlpType.CFG_WRITE_0):
            await super().handle_tlp(tlp)
        else:
            await self.block.receive(tlp)


def to_dws(tlp):
    """Header DWs as numbers, payload DWs with the first byte uppermost: the block's order."""
    raw = tlp.pack()
    return [d for d, in struct.iter_unpack(">L", raw)]


class SevenSeriesStreams:
    """`dut` has the block's user ports under their own names. Who makes a block of it says in `tell` what the
    block tells its user each cycle, in `hits` which BARs a request hits, in `check` what it demands of a TLP, in
    `forward` where one goes."""

    def __init__(self, dut, clock, straddle=True):
        self.dut, self.clock = dut, clock
        self.width = len(dut.m_axis_rx_tdata)
        assert self.width in (64, 128)
        self.dws = self.width // 32
        self.straddle = straddle and self.width == 128
        self.rx = deque()            # (DWs, BAR hits, event)
        self.tx = deque()
        self.more = Event()
        self.rx_pause = self.tx_pause = 0.0
        self.tx_room = 12            # transmit buffers, a TLP each
        self.straddled = 0           # TLPs that began in the upper half of a beat
        self.beats = self.payload = 0    # of the transmit stream, for its ceiling
        self.window = [None, 0]          # first and last cycle of a beat
        clocked(clock, self._transmit())
        clocked(clock, self._receive())
        cocotb.start_soon(self._send())

    # ---- from the link -------------------------------------------------------------------------
    async def receive(self, tlp):
        if tlp.is_completion():
            tlp.release_fc()
            self.rx.append((to_dws(tlp), 0, None))
            return
        gone = Event()
        self.rx.append((to_dws(tlp), self.hits(tlp), gone))
        cocotb.start_soon(self._release(tlp, gone))

    async def _release(self, tlp, gone):
        await gone.wait()                # credits come back when the user has taken it
        tlp.release_fc()

    def _next_beat(self):
        """A beat: (data, keep, last, tuser, events), or None."""
        data, keep, user, events, last = 0, 0, 0, [], 0
        lane = 0
        if not self.left and not self.rx:
            return None
        while lane < self.dws:
            if not self.left:
                may = lane == 0 or (self.straddle and lane == 2 and self.rx)
                if not (may and self.rx):
                    break
                self.left, bars, self.gone = self.rx.popleft()
                self.left = deque(self.left)
                user |= bars << 2
                if self.width == 128:
                    user |= 1 << 14 | (1 << 13 if lane == 2 else 0)
                    self.straddled += lane == 2
            data |= self.left.popleft() << (32 * lane)
            keep |= 0xf << (4 * lane)
            if not self.left:
                if self.gone:
                    events.append(self.gone)
                if self.width == 128:
                    user |= 1 << 21 | (lane * 4 + 3) << 17
                last = 1
                lane = 2 if lane < 2 else self.dws
                if self.width == 64:
                    break
            else:
                lane += 1
        if self.width == 128 and not user >> 21 & 1:
            last = 0
        return data, keep, last, user, events

    async def _receive(self):
        dut, ready = self.dut, high(self.dut.m_axis_rx_tready)
        self.left, self.gone = deque(), None
        dut.m_axis_rx_tvalid.value = 0
        shown = None
        while True:
            await EDGE
            self.tell()
            if shown is not None and ready():
                for e in shown[4]:
                    e.set()
                shown = None
                dut.m_axis_rx_tvalid.value = 0
            if shown is None and random.random() >= self.rx_pause:
                shown = self._next_beat()
                if shown is not None:
                    dut.m_axis_rx_tdata.value = shown[0]
                    # At 128 bit the block says in tuser what is valid, and tkeep means nothing.
                    dut.m_axis_rx_tkeep.value = shown[1] if self.width == 64 else 0xffff
                    dut.m_axis_rx_tlast.value = shown[2]
                    dut.m_axis_rx_tuser.value = shown[3]
                    dut.m_axis_rx_tvalid.value = 1

    # ---- to the link ---------------------------------------------------------------------------
    async def _transmit(self):
        dut, dws, was, cycle = self.dut, [], 0, 0
        valid, beat, keeps, room = high(dut.s_axis_tx_tvalid), number(dut.s_axis_tx_tdata), number(dut.s_axis_tx_tkeep), Shown(dut.tx_buf_av)
        dut.s_axis_tx_tready.value = 0
        room(0)
        while True:
            await EDGE
            cycle += 1
            if was and valid():
                data, keep = beat(), keeps()
                count = keep.bit_count() // 4
                last = int(dut.s_axis_tx_tlast.value)
                assert keep == (1 << 4 * count) - 1 and count, f"tkeep {keep:x}"
                assert last or count == self.dws, "only the last beat may be partial"
                dws += [data >> (32 * i) & 0xffffffff for i in range(count)]
                self.beats += 1
                self.window[0] = cycle if self.window[0] is None else self.window[0]
                self.window[1] = cycle
                if last:
                    self._take(dws)
                    dws = []
            now = int(len(self.tx) < self.tx_room and random.random() >= self.tx_pause)
            room(min(max(self.tx_room - len(self.tx), 0), 63))
            if now != was:
                dut.s_axis_tx_tready.value = was = now

    def _take(self, dws):
        raw = b"".join(struct.pack(">L", d) for d in dws)
        four = raw[0] >> 5 & 1
        tlp = Tlp.unpack_header(raw[:16 if four else 12])
        if tlp.has_data():
            tlp.length = tlp.length or 1024
            tlp.data = bytearray(raw[16 if four else 12:])
            self.payload += len(tlp.data)
        elif not tlp.is_completion():
            tlp.length = tlp.length or 1024
        assert tlp.check(), repr(tlp)
        assert not four or tlp.address >> 32, "addresses below 4 GiB take a header of 3 DWs"
        self.check(tlp)
        self.tx.append(tlp)
        self.more.set()

    def _own(self, tlp):
        self.tx.append(tlp)
        self.more.set()

    async def _send(self):
        while True:
            while not self.tx:
                self.more.clear()
                await self.more.wait()
            await self.forward(self.tx[0])
            self.tx.popleft()


class SevenSeriesBlock(SevenSeriesStreams):
    """An endpoint."""

    def __init__(self, dut, clock, straddle=True, msi=False):
        self.function = SevenSeriesFunction(self, msi)
        self.device = Device(eps=[self.function])
        self.forward = self.function.upstream_send
        self.power_state = 0         # of PMCSR: 0 is D0, 3 is D3hot
        self.bar_bits = 1            # rx_bar_hit of a BAR: 3 where BARs are of 64 bit
        told = ("cfg_bus_number", "cfg_device_number", "cfg_function_number", "cfg_command", "cfg_dcommand", "cfg_pmcsr_powerstate",
                "cfg_interrupt_msixenable", "cfg_interrupt_msixfm")
        self.told = [Shown(getattr(dut, name)) for name in told]
        super().__init__(dut, clock, straddle)
        self.msi = SevenSeriesMsi(dut, clock, self.function, self._own) if msi else None

    def hits(self, tlp):
        hit = self.function.match_bar(tlp.address)
        return self.bar_bits << hit[0] if hit else 0

    def tell(self):
        f, cap, m = self.function, self.function.pcie_cap, self.function.msix_cap
        now = (f.bus_num, f.device_num, f.function_num, int(f.memory_space_enable) << 1 | int(f.bus_master_enable) << 2,
               cap.max_payload_size << 5 | cap.max_read_request_size << 12 | int(cap.extended_tag_field_enable) << 8, self.power_state,
               int(m.msix_enable), int(m.msix_function_mask))
        for show, value in zip(self.told, now):
            show(value)

    def check(self, tlp):
        assert not tlp.has_data() or len(tlp.data) <= 128 << self.function.pcie_cap.max_payload_size
        own = tlp.completer_id if tlp.is_completion() else tlp.requester_id
        assert own == self.function.pcie_id, f"{own} is not {self.function.pcie_id}"
