# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The engine's internal interface as a device on a cocotbext-pcie bus, and its driver software."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer
from cocotbext.pcie.core import Device, Endpoint
from cocotbext.pcie.core.caps import MsixCapability
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType

from streams import FrameSink, Sink, Source, frame_beats
from tlpbits import CMD, DONE, hdr_to_tlp, pack, tlp_to_hdr, unpack


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
        self.pcie_cap.max_payload_size_supported = 3
        self.pcie_cap.extended_tag_supported = True
        self.configure_bar(0, 0x10000)
        self.configure_bar(2, 0x100000)

    async def handle_tlp(self, tlp):
        if tlp.fmt_type in (TlpType.CFG_READ_0, TlpType.CFG_WRITE_0):
            await super().handle_tlp(tlp)
        else:
            await self.card.receive(tlp)


class Completions:
    """What may happen to completions on their way: order between tags, delay, loss, damage."""

    def __init__(self, card):
        self.card, self.waiting = card, {}
        self.shuffle, self.delay_ns, self.damage = False, 0, None
        cocotb.start_soon(self._run())

    def put(self, tlp):
        if self.damage is not None:
            tlp = self.damage(tlp)
            if tlp is None:
                return
        if self.delay_ns:
            cocotb.start_soon(self._later(tlp))
        else:
            self._put(tlp)

    async def _later(self, tlp):
        await Timer(self.delay_ns, "ns")
        self._put(tlp)

    def _put(self, tlp):
        if self.shuffle:
            self.waiting.setdefault(tlp.tag, deque()).append(tlp)
        else:
            self.card.drive_cpl(tlp)

    async def _run(self):
        while True:
            await RisingEdge(self.card.clock)
            if self.waiting and len(self.card.rx_cpl.queue) < 4 and random.random() < 0.3:
                tag = random.choice(list(self.waiting))
                self.card.drive_cpl(self.waiting[tag].popleft())
                if not self.waiting[tag]:
                    del self.waiting[tag]


class UserSide:
    """The design behind the engine: streams, commands, registers, on the user's clock."""

    def __init__(self, dut, clock):
        self.dut, self.user_clock = dut, clock
        self.width = len(dut.c2h_data_i)
        self.flat = hasattr(dut, "h2c_cmd_addr_i")
        axis = lambda p: dict(data=getattr(dut, f"{p}_data_i"), keep=getattr(dut, f"{p}_keep_i"),
                              last=getattr(dut, f"{p}_last_i"))
        fields = ("addr", "len", "eof", "id")
        command = lambda n: ({f: getattr(dut, f"{n}_cmd_{f}_i") for f in fields} if self.flat
                             else dict(cmd=getattr(dut, f"{n}_cmd_i")))
        self.c2h = Source(clock, dut.c2h_valid_i, dut.c2h_ready_o, axis("c2h"))
        self.p2p = Source(clock, dut.p2p_valid_i, dut.p2p_ready_o, axis("p2p"))
        self.h2c = FrameSink(clock, dut, "h2c")
        self.win = FrameSink(clock, dut, "win")
        self.cmd = {n: Source(clock, getattr(dut, f"{n}_cmd_valid_i"),
                              getattr(dut, f"{n}_cmd_ready_o"), command(n))
                    for n in ("h2c", "c2h", "p2p")}
        self.dones = {n: deque() for n in self.cmd}
        self.done_event = Event()
        self.user = {}                       # the user's registers, by byte
        self.user_stuck = self.user_error = False
        dut.user_irq_i.value = 0
        cocotb.start_soon(self._registers())
        self.streams = [self.c2h, self.p2p, self.h2c, self.win]

    async def _registers(self):
        dut, edge = self.dut, RisingEdge(self.user_clock)
        pend = False
        dut.user_ready_i.value = 0
        dut.user_error_i.value = 0
        dut.user_rdata_i.value = 0
        while True:
            await edge
            for n, q in self.dones.items():
                if getattr(dut, f"{n}_done_valid_o").value == 1:
                    if self.flat:
                        q.append({f: int(getattr(dut, f"{n}_done_{f}_o").value)
                                  for f in ("len", "eof", "cause", "id")})
                    else:
                        q.append(unpack(DONE, int(getattr(dut, f"{n}_done_o").value)))
                    self.done_event.set()
            if pend:
                dut.user_ready_i.value = 0
                pend = False
            elif dut.user_valid_o.value == 1 and not self.user_stuck:
                addr, strb = int(dut.user_addr_o.value), int(dut.user_wstrb_o.value)
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
        while not self.dones[channel]:
            self.done_event.clear()
            await self.done_event.wait()
        return self.dones[channel].popleft()

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
        c = self.clock
        self.sent, self.requests = deque(), deque()
        self.seen = []                      # everything on tx and rq
        self.tx_part, self.room = None, 8
        self.more = Event()
        self.tx = Sink(c, dut.tx_valid_o, dut.tx_ready_i,
                       dict(sop=dut.tx_sop_o, eop=dut.tx_eop_o, hdr=dut.tx_hdr_o, data=dut.tx_data_o),
                       self._tx_beat, lambda: len(self.sent) < self.room)
        self.rq = Sink(c, dut.rq_valid_o, dut.rq_ready_i, dict(hdr=dut.rq_hdr_o), self._rq_beat,
                       lambda: len(self.requests) < self.room)
        part = lambda p: dict(sop=getattr(dut, f"{p}_sop_i"), eop=getattr(dut, f"{p}_eop_i"),
                              hdr=getattr(dut, f"{p}_hdr_i"), data=getattr(dut, f"{p}_data_i"))
        self.rx_req = Source(c, dut.rx_req_valid_i, dut.rx_req_ready_o, part("rx_req"))
        self.rx_cpl = Source(c, dut.rx_cpl_valid_i, None, part("rx_cpl"))
        self.completions = Completions(self)
        cocotb.start_soon(self._settings())
        cocotb.start_soon(self._send(self.sent))
        cocotb.start_soon(self._send(self.requests))
        self.streams += [self.tx, self.rq, self.rx_req, self.rx_cpl]

    def reset(self, value):
        self.dut.rst_ni.value = value
        if self.flat:
            self.dut.user_rst_ni.value = value

    # -- TLPs ------------------------------------------------------------------------------------
    def _tx_beat(self, b):
        data = b["data"].to_bytes(self.width // 8, "little")
        if b["sop"]:
            self.tx_part = (b["hdr"], bytearray())
        self.tx_part[1].extend(data)
        if b["eop"]:
            hdr, payload = self.tx_part
            tlp = hdr_to_tlp(hdr, payload, self.function.pcie_id)
            self.seen.append(tlp)
            self.sent.append(tlp)
            self.more.set()

    def _rq_beat(self, b):
        tlp = hdr_to_tlp(b["hdr"], b"", self.function.pcie_id)
        self.seen.append(tlp)
        self.requests.append(tlp)
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
            tlp.release_fc()
            self.completions.put(tlp)
            return
        hit = self.function.match_bar(tlp.address)
        bar = hit[0] if hit else 7
        gone = Event()
        self.rx_req.put(self._beats(tlp, bar), gone)
        await gone.wait()
        tlp.release_fc()

    def drive_cpl(self, tlp):
        self.rx_cpl.put(self._beats(tlp, 0))

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
        dut, edge = self.dut, RisingEdge(self.clock)
        while True:
            cap, m = self.function.pcie_cap, self.function.msix_cap
            dut.mps_i.value = cap.max_payload_size
            dut.mrrs_i.value = cap.max_read_request_size
            dut.msix_enable_i.value = int(m.msix_enable and not m.msix_function_mask)
            await edge


class Driver:
    """The host's side: registers, rings, records, interrupts."""

    def __init__(self, rc, card):
        self.rc, self.card = rc, card
        self.dev = None

    async def start(self):
        self.dev = self.rc.find_device(self.card.function.pcie_id)
        await self.dev.enable_device()
        await self.dev.set_master()
        self.bar = self.dev.bar_window[0]
        self.win = self.dev.bar_addr[2]

    async def write(self, addr, value, size=8):
        await self.bar.write(addr, value.to_bytes(size, "little"))

    async def read(self, addr, size=8):
        return int.from_bytes(await self.bar.read(addr, size), "little")

    async def msix(self, vectors):
        """Point the table at the root complex's interrupt region."""
        for i, v in enumerate(vectors):
            await self.write(0x1000 + 16 * i, v.addr)
            await self.write(0x1008 + 16 * i, v.data)
        self.card.function.msix_cap.msix_enable = True


class Ring:
    """A descriptor ring and its records in host memory."""

    DESC, RECORD = 16, 16

    def __init__(self, driver, channel, log2=6):
        self.d, self.base, self.log2, self.size = driver, 0x100 * (channel + 1), log2, 1 << log2
        self.tail = self.seen = self.slot = 0
        self.phase = 1

    async def open(self, count=1, time=200, attr=0, vector=0, record=True, ring=True):
        size = max(self.size * 16, 4096)
        region = self.d.rc.mem_pool.alloc_region(2 * size)
        self.ring_addr, self.mem = region.get_absolute_address(0), region
        self.rec_addr = self.ring_addr + size
        self.rec_off = size
        await self.d.write(self.base + 0x08, self.ring_addr)
        await self.d.write(self.base + 0x10, self.rec_addr)
        await self.d.write(self.base + 0x18, 0)
        self.control = (1 | ring << 2 | record << 3 | attr << 4 | self.log2 << 8 | vector << 12
                        | count << 16 | time << 32)
        await self.d.write(self.base, self.control)

    async def post(self, descs):
        """descs: (addr, length, sof, eof, irq, ident)"""
        for addr, length, sof, eof, irq, ident in descs:
            raw = addr | (length | sof << 32 | eof << 33 | irq << 34 | ident << 40) << 64
            self.mem[self.tail * 16:self.tail * 16 + 16] = raw.to_bytes(16, "little")
            self.tail = (self.tail + 1) % self.size
        await self.d.write(self.base + 0x18, self.tail)

    async def record(self):
        """The next completion record, as a dict."""
        while True:
            at = self.rec_off + 16 * self.slot
            raw = int.from_bytes(self.mem[at:at + 16], "little")
            if raw & 1 == self.phase:
                break
            await Timer(100, "ns")
        self.slot += 1
        if self.slot == self.size:
            self.slot, self.phase = 0, self.phase ^ 1
        return dict(sof=raw >> 1 & 1, eof=raw >> 2 & 1, irq=raw >> 3 & 1, regular=raw >> 4 & 1,
                    cause=raw >> 8 & 15, count=raw >> 16 & 0xffff, length=raw >> 32 & 0xffffffff,
                    total=raw >> 64 & 0xffffffff, ident=raw >> 96)

    async def abort(self):
        await self.d.write(self.base, (self.control | 2) & 0xffffffff, 4)
        for _ in range(2000):
            if not await self.d.read(self.base + 0x40) & 1:
                break
        else:
            raise AssertionError("abort does not end")
        await self.d.write(self.base, 0, 4)
        await self.d.read(0)                 # it has arrived
        self.tail = self.slot = 0
        self.phase = 1


async def settle(rc, *cards, mps=None, mrrs=None, period=4):
    """Reset, enumerate, and set what firmware would set."""
    cocotb.start_soon(Clock(cards[0].clock, period, "ns").start())
    for card in cards:
        card.reset(0)
    for _ in range(8):
        await RisingEdge(cards[0].clock)
    for card in cards:
        card.reset(1)
    await rc.enumerate()
    for card in cards:
        if mps is not None:
            card.function.pcie_cap.max_payload_size = mps
        if mrrs is not None:
            card.function.pcie_cap.max_read_request_size = mrrs
    if mps is not None:
        rc.max_payload_size = mps
    drivers = []
    for card in cards:
        d = Driver(rc, card)
        await d.start()
        drivers.append(d)
    return drivers
