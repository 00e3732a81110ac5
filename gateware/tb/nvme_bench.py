# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""ls_nvme_host between its user and a drive: the TLP streams as a port for a model of a controller, with the
rules of completions checked, and the command port and streams as plain calls."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer

from streams import FrameSink, Sink, Source, frame_beats, stream
from tlpbits import CPL, CPLD, HDR, MRD, MWR, pack, unpack

SEED = int(os.environ.get("SEED", "1"))
USER = [("op", 3), ("fua", 1), ("lba", 64), ("nlb", 32), ("tag", 16)]
DONE = [("why", 4), ("status", 15), ("tag", 16)]
HEALTH = [("warning", 8), ("kelvin", 16), ("spare", 8), ("threshold", 8), ("used", 8)]
READ, WRITE, FLUSH, ZERO, TRIM, FORMAT = range(6)
FORMAT_KEY = 0x4552_4153_4541_4c4c
(WHY_NONE, WHY_STATUS, WHY_TIMEOUT, WHY_UR, WHY_CA, WHY_POISON, WHY_CRS, WHY_CFS, WHY_CID, WHY_RESET, WHY_ABSENT,
 WHY_UNFIT, WHY_LOST, WHY_ABORT, WHY_REFUSED, WHY_SHUT) = range(16)
(STEP_IDLE, STEP_FIND, STEP_BAR, STEP_EXPRESS, STEP_MASTER, STEP_CAP, STEP_DISABLE, STEP_ENABLE, STEP_ID_CTRL, STEP_ID_NS,
 STEP_QUEUES, STEP_CQ, STEP_SQ, STEP_RUN, STEP_SWITCH, STEP_BRIDGE, STEP_CACHE, STEP_POWER,
 STEP_SHUT) = range(19)


class Port:
    """The drive's end of the link: what a controller needs of it. Headers are those of `tlpbits.HDR`, as
    dictionaries; how TLPs come and go is told by who makes a port of it: `send_request(hdr, data, event)`,
    `send_completion(hdr, data)`, and `pauses`; what comes from the host goes to `request` and `answer`."""

    def __init__(self):
        self.controller = None
        self.bdf = 0x0100                   # where it must be found
        self.rcb = 64
        self.tags, self.free = {}, deque(range(256))
        self.freed, self.wrong = Event(), []
        self.mps, self.mrrs = 128, 512
        self.odd = False                    # writes and reads begin and end at any DW
        self.unanswered = False             # our requests are lost
        self.completer = lambda hdr: None   # may give another status

    def spawn(self, coroutine):
        cocotb.start_soon(coroutine)

    async def wait(self, ns):
        await Timer(max(ns, 1), "ns")

    def rule(self, ok, text):
        if not ok:
            self.wrong.append(text)

    # ---- requests of the host ------------------------------------------------------------------
    def request(self, h, cfg, data):
        """`data` is a number."""
        self.rule(h["len_dw"] == 1 and h["last_be"] == 0, "our requests are of one DW")
        if cfg:
            self.rule(h["addr"] >> 12 == self.bdf, f"configuration address {h['addr']:#x}")
            reg = h["addr"] & 0xffc
            if self.unanswered:
                return
            if h["kind"] == MWR:
                status, data = self.controller.cfg_write(reg, h["first_be"], data), None
            else:
                status, data = self.controller.cfg_read(reg)
            self.complete(h, status, data)
        elif h["kind"] == MWR:
            self.controller.mem_write(h["addr"], data.to_bytes(4, "little"))
        elif not self.unanswered and not self.controller.dead_regs:
            odd = self.completer(h)
            self.complete(h, odd or 0, None if odd else int.from_bytes(self.controller.mem_read(h["addr"], 4), "little"))

    def complete(self, h, status, data, ep=0):
        with_data = data is not None and status == 0
        self.send_completion(dict(kind=CPLD if with_data else CPL, addr=h["addr"] & 0x7c, len_dw=int(with_data), tag=h["tag"],
                                  requester_id=h["requester_id"], status=status, byte_count=4, ep=ep), data or 0)

    # ---- memory of the host --------------------------------------------------------------------
    async def write(self, address, data, poisoned=False):
        """Posted writes, cut at MPS; as they are given: a later write never overtakes."""
        last = None
        while data:
            n = min(len(data), self.mps - address % self.mps)
            if self.odd and n > 8:
                n = random.randrange(4, n + 1, 4)
            dws = (n + 3) // 4
            last = Event()
            self.send_request(dict(kind=MWR, addr=address, len_dw=dws, first_be=0xf, last_be=0xf if dws > 1 else 0,
                                   ep=int(poisoned), requester_id=self.bdf), data[:n], last)
            address, data = address + n, data[n:]
        if last is not None:
            await last.wait()

    async def read(self, address, length):
        """Host memory, cut at MRRS and 4 KiB; None where a completion was not a success."""
        pieces = []
        while length:
            n = min(length, self.mrrs - address % self.mrrs, 4096 - address % 4096)
            if self.odd and n > 8:
                n = random.randrange(4, n + 1, 4)
            while not self.free:
                self.freed.clear()
                await self.freed.wait()
            tag = self.free.popleft()
            request = dict(address=address, length=n, data=bytearray(), event=Event(), bad=False, tag=tag)
            self.tags[tag] = request
            dws = n // 4
            self.send_request(dict(kind=MRD, addr=address, len_dw=dws, first_be=0xf, last_be=0xf if dws > 1 else 0, tag=tag,
                                   requester_id=self.bdf), b"", None)
            pieces.append(request)
            address, length = address + n, length - n
        for piece in pieces:
            await piece["event"].wait()
        return None if any(p["bad"] for p in pieces) else b"".join(bytes(p["data"]) for p in pieces)

    def answer(self, hdr, data):
        request = self.tags.get(hdr["tag"])
        if request is None:
            self.rule(False, "a completion that nobody asked for")
            return
        self.rule(hdr["requester_id"] == self.bdf, "Requester ID of a completion")
        if hdr["kind"] == CPL:
            self.rule(hdr["status"] != 0, "a completion without data and with success")
            request["bad"] = True
        else:
            n, got = hdr["len_dw"] * 4, len(request["data"])
            at = request["address"] + got
            self.rule(hdr["byte_count"] == request["length"] - got, f"Byte Count {hdr['byte_count']}")
            self.rule(hdr["addr"] == at & 0x7f, "Lower Address")
            self.rule(n <= self.mps, "a completion longer than MPS")
            self.rule(got + n == request["length"] or (at + n) % self.rcb == 0, "a completion that ends between RCBs")
            request["data"] += data[:n]
            if len(request["data"]) < request["length"]:
                return
            self.rule(len(request["data"]) == request["length"], "more than was asked for")
        del self.tags[hdr["tag"]]
        self.free.append(hdr["tag"])
        self.freed.set()
        request["event"].set()


class StreamPort(Port):
    """At the host's internal TLP interface."""

    def __init__(self, dut, clock):
        super().__init__()
        self.width, self.open = len(dut.rx_req_data_i), None
        self.req = Source(clock, dut.rx_req_valid_i, dut.rx_req_ready_o,
                          dict(sop=dut.rx_req_sop_i, eop=dut.rx_req_eop_i, hdr=dut.rx_req_hdr_i, data=dut.rx_req_data_i))
        self.cpl = Source(clock, dut.rx_cpl_valid_i, None,
                          dict(sop=dut.rx_cpl_sop_i, eop=dut.rx_cpl_eop_i, hdr=dut.rx_cpl_hdr_i, data=dut.rx_cpl_data_i))
        self.rq = Sink(clock, dut.rq_valid_o, dut.rq_ready_i, dict(cfg=dut.rq_cfg_o, hdr=dut.rq_hdr_o, data=dut.rq_data_o),
                       lambda b: self.request(unpack(HDR, b["hdr"]), b["cfg"], b["data"]))
        self.answers = Sink(clock, dut.cpl_valid_o, dut.cpl_ready_i,
                            dict(sop=dut.cpl_sop_o, eop=dut.cpl_eop_o, hdr=dut.cpl_hdr_o, data=dut.cpl_data_o), self._beat)

    def pauses(self, rate):
        self.answers.pause.rate = self.req.pause.rate = rate

    def send_completion(self, hdr, data):
        self.cpl.put([dict(sop=1, eop=1, hdr=pack(HDR, hdr), data=data)])

    def send_request(self, hdr, data, event):
        step, bits = self.width // 8, pack(HDR, hdr)
        self.req.put([dict(sop=int(at == 0), eop=int(at + step >= len(data)), hdr=bits, data=int.from_bytes(data[at:at + step], "little"))
                      for at in range(0, max(len(data), 1), step)], event)

    def _beat(self, b):
        if b["sop"]:
            self.open = (unpack(HDR, b["hdr"]), bytearray())
        hdr, data = self.open
        data += b["data"].to_bytes(self.width // 8, "little")
        if b["eop"]:
            self.answer(hdr, data)


class UserEnd:
    """The user's end of a host or of a stripe: the command port with its reports, and the stream of write data."""

    report = DONE

    def user_port(self):
        """Commands and reports."""
        dut = self.dut
        self.cmd = Source(self.clock, dut.cmd_valid_i, dut.cmd_ready_o, dict(cmd=dut.cmd_i))
        self.dones, self.done_event = deque(), Event()
        self.reports = Sink(self.clock, dut.done_valid_o, dut.done_ready_i, dict(done=dut.done_o), self._done)

    def _done(self, b):
        self.dones.append(unpack(self.report, b["done"]))
        self.done_event.set()

    def give(self, op, lba=0, blocks=1, tag=0, fua=0):
        self.cmd.put([dict(cmd=pack(USER, dict(op=op, lba=lba, nlb=blocks - 1, tag=tag, fua=fua)))])

    def write(self, lba, data, block=512, **more):
        self.give(WRITE, lba, len(data) // block, **more)
        self.s.put([dict(data=b["data"]) for b in frame_beats(data, self.width)])

    async def done(self):
        while not self.dones:
            self.done_event.clear()
            await self.done_event.wait()
        return self.dones.popleft()

    async def ok(self, tag=None):
        done = await self.done()
        assert done["why"] == WHY_NONE and done["status"] == 0 and not done.get("own"), done
        assert tag is None or done["tag"] == tag, (done, tag)


class HostEnd(UserEnd):
    """The user's end of one host, with its drive's end of the link in `port`."""

    def streams(self):
        """All of the user's."""
        dut = self.dut
        to, of = ("s_axis_wr", "m_axis_rd") if hasattr(dut, "s_axis_wr_tdata") else ("s", "m")
        self.s = Source(self.clock, *stream(dut, to, ("data",)))
        self.m = FrameSink(self.clock, dut, of)
        self.width = self.m.width
        self.user_port()

    def state(self):
        return int(self.dut.step_o.value), int(self.dut.why_o.value)

    async def settled(self, us=3000):
        for _ in range(us * 5):
            await Timer(200, "ns")
            if self.dut.run_o.value == 1 or self.dut.dead_o.value == 1:
                return
        raise AssertionError(f"neither running nor failed: {self.state()}")

    async def settled_running(self, us=3000):
        """By itself, after a failure."""
        for _ in range(us * 5):
            await Timer(200, "ns")
            if self.dut.run_o.value == 1:
                return
        raise AssertionError(f"it does not come back: {self.state()}")

    async def shutdown(self, cycles=400_000):
        """Asked until it ends: the cause."""
        self.dut.shut_ask_i.value = 1
        for _ in range(cycles):
            await RisingEdge(self.clock)
            if self.dut.shut_end_o.value == 1:
                break
        else:
            raise AssertionError(f"the shutdown does not end: {self.state()}")
        self.dut.shut_ask_i.value = 0
        return int(self.dut.shut_why_o.value)

    def clean(self):
        """Nobody broke a rule."""
        assert not self.port.wrong, self.port.wrong[:5]
        assert not self.port.controller.wrong, self.port.controller.wrong[:5]


class Bench(HostEnd):
    def __init__(self, dut, below=None):
        """`below` gives the drive's end of the link, of the root port's bridge."""
        random.seed(SEED)
        self.dut, self.clock = dut, dut.clk_i
        dut.rst_ni.value = 0
        dut.restart_i.value = 0
        dut.health_ask_i.value = dut.trail_i.value = dut.shut_ask_i.value = 0
        self.block = None
        if hasattr(dut, "link_i"):
            self.port = StreamPort(dut, dut.clk_i)
        else:
            from nvme_link import LinkPort, root
            self.block = root(dut)
            dut.retrain_i.value = 0
            self.port = (below or LinkPort)(self.block.bridge)
        if not getattr(self.block, "drives_clock", False):
            cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
        self.link(0)
        self.streams()

    def link(self, up):
        if self.block is None:
            self.dut.link_i.value = up
        else:
            self.block.link(up)

    def pauses(self, rate):
        """Of everything at the drive's end, the block and the reader."""
        self.m.pause.rate = rate
        for side in (self.port, self.block):
            if side is not None:
                side.pauses(rate)

    async def start(self, controller, up=True):
        """Reset, link up, and until the drive runs or the host has given up."""
        self.port.controller = controller
        self.port.mps = controller.mps
        await Timer(40, "ns")
        self.dut.rst_ni.value = 1
        await Timer(20, "ns")
        self.link(1)
        if up:
            await self.settled()
            self.port.mps, self.port.mrrs = controller.mps, controller.mrrs
            assert self.state() == (STEP_RUN, WHY_NONE), self.state()
            assert self.dut.run_o.value == 1 and self.dut.dead_o.value == 0

    async def trail(self, step):
        """When that step last began, in ticks from the search on; None if it did not."""
        self.dut.trail_i.value = step
        for _ in range(3):
            await RisingEdge(self.clock)
        begun, ticks = divmod(int(self.dut.trail_o.value), 1 << 16)
        return ticks if begun else None

    async def health(self):
        """Asked once: (cause, status, the figures, the page)."""
        page = bytearray()
        self.dut.health_ask_i.value = 1
        while True:
            await RisingEdge(self.clock)
            if self.dut.log_valid_o.value == 1:
                page += int(self.dut.log_data_o.value).to_bytes(4, "little")
            if self.dut.health_end_o.value == 1:
                break
        self.dut.health_ask_i.value = 0
        why, status = int(self.dut.health_why_o.value), int(self.dut.health_status_o.value)
        return why, status, unpack(HEALTH, int(self.dut.health_o.value)), bytes(page)
