# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The design behind the engine, and the engine's internal interface as a device on a bus."""

import os
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event
from cocotbext.pcie.core import Device, Endpoint
from cocotbext.pcie.core.caps import MsixCapability
from cocotbext.pcie.core.tlp import TlpType

from clocked import EDGE, Shown, clocked, high
from link import Link
from msi import message, msi_capability
from streams import FrameSink, Sink, Source, stream
from tlpbits import ASK_MSI, CMD, DONE, HDR, MSI, SETTINGS, hdr_to_tlp, pack, tlp_to_hdr, unpack

HAS_MSI = os.environ.get("MSI") == "1"


class CardFunction(Endpoint):
    def __init__(self, card):
        super().__init__()
        self.card = card
        self.vendor_id, self.device_id, self.class_code = 0x1234, 0x1c09, 0x120000
        self.msix_cap = MsixCapability()
        self.msix_cap.msix_table_size = 3
        self.msix_cap.msix_table_offset = 0x1000
        self.msix_cap.msix_pba_offset = 0x1080
        self.register_capability(self.msix_cap)
        if HAS_MSI:
            self.msi_cap = msi_capability()
            self.register_capability(self.msi_cap)
        self.pcie_cap.max_payload_size_supported = 3
        self.pcie_cap.extended_tag_supported = True
        self.configure_bar(0, 0x10000)
        self.configure_bar(2, 0x100000)

    async def handle_tlp(self, tlp):
        if tlp.fmt_type in (TlpType.CFG_READ_0, TlpType.CFG_WRITE_0):
            await super().handle_tlp(tlp)
        else:
            await self.card.receive(tlp)


class UserSide:
    """The design behind the engine: streams, commands, registers, on the user's clock."""

    two_clocks = 0          # 1 where a queue leads to it
    in_order = False        # whether the block sends completions behind writes that lack credits

    def __init__(self, dut, clock):
        self.dut, self.user_clock = dut, clock
        self.flat = hasattr(dut, "h2c_cmd_addr_i")              # a vendor's top
        to, of = ("s_axis_", "m_axis_") if self.flat else ("", "")
        fields = ("addr", "len", "eof", "id")
        command = lambda n: ({f: getattr(dut, f"{n}_cmd_{f}_i") for f in fields} if self.flat
                             else dict(cmd=getattr(dut, f"{n}_cmd_i")))
        self.c2h, self.p2p = (Source(clock, *stream(dut, to + n, ("data", "keep", "last"))) for n in ("c2h", "p2p"))
        self.h2c, self.win = (FrameSink(clock, dut, of + n) for n in ("h2c", "win"))
        self.width = self.win.width
        self.cmd = {n: Source(clock, getattr(dut, f"{n}_cmd_valid_i"),
                              getattr(dut, f"{n}_cmd_ready_o"), command(n))
                    for n in ("h2c", "c2h", "p2p")}
        self.dones = {n: deque() for n in self.cmd}
        self.done_event = Event()
        self.user = {}                       # the user's registers, by byte
        self.user_accesses = 0               # to them
        self.user_stuck = self.user_error = False
        dut.user_irq_i.value = 0
        clocked(clock, self._registers())
        self.streams = [self.c2h, self.p2p, self.h2c, self.win]

    async def _registers(self):
        dut, pend = self.dut, False
        asked, valid = high(dut.user_valid_o), None
        dut.user_ready_i.value = 0
        dut.user_error_i.value = 0
        dut.user_rdata_i.value = 0
        while True:
            await EDGE
            if valid is None:               # a card with several channels has its reports now
                valid = [(n, q, high(getattr(dut, f"{n}_done_valid_o"))) for n, q in self.dones.items()]
            for n, q, reported in valid:
                if reported():
                    if self.flat:
                        q.append({f: int(getattr(dut, f"{n}_done_{f}_o").value)
                                  for f in ("len", "eof", "cause", "id")})
                    else:
                        q.append(unpack(DONE, int(getattr(dut, f"{n}_done_o").value)))
                    self.done_event.set()
            if pend:
                dut.user_ready_i.value = 0
                pend = False
            elif asked() and not self.user_stuck:
                addr, strb = int(dut.user_addr_o.value), int(dut.user_wstrb_o.value)
                self.user_accesses += 1
                if dut.user_write_o.value == 1:
                    data = int(dut.user_wdata_o.value)
                    for i in range(8):
                        if strb >> i & 1:
                            self.user[addr + i] = data >> (8 * i) & 0xff
                else:
                    dut.user_rdata_i.value = int.from_bytes(
                        bytes(self.user.get(addr + i, 0) for i in range(8)), "little")
                dut.user_error_i.value = int(self.user_error)
                dut.user_ready_i.value = 1
                pend = True

    def command(self, channel, addr, length, eof=1, sof=1, ident=0, irq=0):
        if self.flat:
            beat = dict(addr=addr, len=length, eof=eof, id=ident)
        else:
            beat = dict(cmd=pack(CMD, dict(addr=addr, len=length, eof=eof, sof=sof, id=ident, irq=irq)))
        self.cmd[channel].put([beat])

    async def done(self, channel):
        """The next report. A top with plain ports says less than ls_core: `regular` is left out."""
        while not self.dones[channel]:
            self.done_event.clear()
            await self.done_event.wait()
        return self.dones[channel].popleft()

    def forget(self):
        """Drops what was taken before the reset, when registers held any values."""
        for queue in getattr(self, "dones", {}).values():          # none with card memory
            queue.clear()
        for sink in [*vars(self).values(), *getattr(self, "stream", {}).values()]:
            if isinstance(sink, FrameSink):
                sink.forget()

    def reset(self, value):
        self.dut.rst_ni.value = value
        if self.flat:
            self.dut.user_rst_ni.value = value

    def pauses(self, rate):
        for s in self.streams:
            s.pause.rate = rate


class Card(UserSide):
    """One engine on one device. `dut` has the ports of ls_core."""

    def __init__(self, dut, clock=None):
        self.dut, self.clock, self.streams, self.flat = dut, clock or dut.clk_i, [], False
        if hasattr(dut, "c2h_data_i"):
            super().__init__(dut, self.clock)
        self.width = len(dut.tx_data_o)
        self.function = CardFunction(self)
        self.device = Device(eps=[self.function])
        self.link = Link(self.device, self.clock, busy=lambda: len(self.rx_cpl.queue) >= 4)
        c = self.clock
        self.sent, self.requests, self.answers = deque(), deque(), deque()
        self.seen = []                      # everything on tx, rq and cpl
        self.back = deque()                 # vectors that were not sent
        self.tx_part, self.room = None, 8
        self.more = Event()
        self.tx = Sink(c, dut.tx_valid_o, dut.tx_ready_i,
                       dict(sop=dut.tx_sop_o, eop=dut.tx_eop_o, hdr=dut.tx_hdr_o, data=dut.tx_data_o),
                       self._tx_beat, lambda: len(self.sent) < self.room)
        self.rq = Sink(c, dut.rq_valid_o, dut.rq_ready_i, dict(hdr=dut.rq_hdr_o),
                       lambda b: self._whole(b, self.requests), lambda: len(self.requests) < self.room)
        self.cpl = Sink(c, dut.cpl_valid_o, dut.cpl_ready_i, dict(hdr=dut.cpl_hdr_o, data=dut.cpl_data_o),
                        lambda b: self._whole(b, self.answers), lambda: len(self.answers) < self.room)
        part = lambda p: dict(sop=getattr(dut, f"{p}_sop_i"), eop=getattr(dut, f"{p}_eop_i"),
                              hdr=getattr(dut, f"{p}_hdr_i"), data=getattr(dut, f"{p}_data_i"))
        self.rx_req = Source(c, dut.rx_req_valid_i, dut.rx_req_ready_o, part("rx_req"))
        self.rx_cpl = Source(c, dut.rx_cpl_valid_i, None, part("rx_cpl"))
        clocked(c, self._settings())
        for queue in (self.sent, self.requests, self.answers):
            cocotb.start_soon(self._send(queue))
        self.streams += [self.tx, self.rq, self.cpl, self.rx_req, self.rx_cpl]

    def start(self):
        cocotb.start_soon(Clock(self.clock, 4, "ns").start())

    # -- TLPs ------------------------------------------------------------------------------------
    def _tx_beat(self, b):
        data = b["data"].to_bytes(self.width // 8, "little")
        if b["sop"]:
            self.tx_part = (b["hdr"], bytearray())
        self.tx_part[1].extend(data)
        if b["eop"]:
            hdr, payload = self.tx_part
            if HAS_MSI and unpack(HDR, hdr)["status"] == ASK_MSI:
                self._ask(unpack(HDR, hdr)["tag"])
                return
            tlp = hdr_to_tlp(hdr, payload, self.function.pcie_id)
            self.seen.append(tlp)
            self.sent.append(tlp)
            self.more.set()

    def _ask(self, vector):
        """What ls_msi does: the message keeps its place, or comes back."""
        cap = self.function.msi_cap
        number = vector & (1 << cap.msi_multiple_message_enable) - 1
        if cap.msi_enable and not cap.msi_mask_bits >> number & 1:
            self.sent.append(message(self.function, number))
            self.more.set()
        else:
            self.back.append(vector)

    def _whole(self, b, queue):
        """A TLP of one beat."""
        tlp = hdr_to_tlp(b["hdr"], b.get("data", 0).to_bytes(8, "little"), self.function.pcie_id)
        self.seen.append(tlp)
        queue.append(tlp)
        self.more.set()

    async def _send(self, queue):
        while True:
            while not queue:
                self.more.clear()
                await self.more.wait()
            await self.function.upstream_send(queue[0])
            queue.popleft()

    async def receive(self, tlp):
        if tlp.is_completion():
            self.rx_cpl.put(self._beats(tlp, 0))
            return
        hit = self.function.match_bar(tlp.address)
        bar = hit[0] if hit else 7
        gone = Event()
        self.rx_req.put(self._beats(tlp, bar), gone)
        await gone.wait()
        tlp.release_fc()

    def _beats(self, tlp, bar):
        step = self.width // 8
        data = bytes(tlp.data) if tlp.has_data() else bytes(step)
        hdr, beats = tlp_to_hdr(tlp, bar), []
        for at in range(0, len(data), step):
            beats.append(dict(sop=int(at == 0), eop=int(at + step >= len(data)),
                              hdr=hdr if at == 0 else 0,
                              data=int.from_bytes(data[at:at + step], "little")))
        return beats

    async def _settings(self):
        settings, msi = Shown(self.dut.set_i), Shown(self.dut.msi_i) if HAS_MSI else None
        while True:
            cap, m = self.function.pcie_cap, self.function.msix_cap
            settings(pack(SETTINGS, dict(
                mps=cap.max_payload_size, mrrs=cap.max_read_request_size,
                ext_tag=cap.extended_tag_field_enable, master=self.function.bus_master_enable,
                msix=m.msix_enable and not m.msix_function_mask)))
            if HAS_MSI:
                cap, back = self.function.msi_cap, len(self.back)
                msi(pack(MSI, dict(
                    enable=cap.msi_enable, granted=cap.msi_multiple_message_enable, mask=cap.msi_mask_bits,
                    back=back, vector=self.back.popleft() if back else 0) | dict(back=back > 0)))
            await EDGE
