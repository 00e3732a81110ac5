# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A root above a link, and what is above the endpoint's transaction layer: each counts and keeps for itself what the RTL is to do. The root
counts credits both ways; a TLP that comes without credit fails, and so does what it cannot read."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from clocked import Shown, number
from tlpbits import CPL, CPLD, HDR, MRD, MWR, SETTINGS, pack, unpack

P, NP, C = range(3)
SC, UR, CRS, CA = 0, 1, 2, 4
VALID, LAST, GOOD = 1 << 18, 1 << 17, 1 << 16
ERRORS = ("poisoned", "unexpected", "overflow", "malformed", "ca", "ur", "posted_ur")      # from bit 36 on
ROOT_ID = 0x0008


def ends(address, count):
    """(length in DWs, first byte enables, last byte enables)"""
    lead, length = address & 3, ((address & 3) + count + 3) // 4
    first = 0xF << lead & 0xF
    last = 0xF >> (-(lead + count) & 3)
    return (length, first & last, 0) if length == 1 else (length, first, last)


def request(kind, address, length, first, last, tag, requester=ROOT_ID, data=b"", attr=0, ep=0, digest=b""):
    """`kind`: Fmt and Type, whose header is longer where the address needs it and it is one to memory."""
    wide = address >> 32 and kind & 0x1F == 0
    head = bytes([kind | (wide and 0x20), 0, bool(digest) << 7 | ep << 6 | (attr & 3) << 4 | length >> 8 & 3, length & 0xFF])
    return head + requester.to_bytes(2, "big") + bytes([tag, last << 4 | first]) + (address & ~3).to_bytes(8 if wide else 4, "big") + data + digest


def completion(requester, tag, status, count, lower, data=b"", completer=ROOT_ID, ep=0):
    length = len(data) // 4
    head = bytes([0x4A if data else 0x0A, 0, ep << 6 | length >> 8 & 3, length & 0xFF]) + completer.to_bytes(2, "big")
    return head + bytes([status << 5 | count >> 8 & 0xF, count & 0xFF]) + requester.to_bytes(2, "big") + bytes([tag, lower & 0x7F]) + data


def cost(tlp):
    """(class, data credits)"""
    fmt, kind, tlp = tlp[0] >> 5, tlp[0] & 0x1F, tlp.ljust(4, b"\0")
    length = (tlp[2] & 3) << 8 | tlp[3] or 1024
    of = C if kind in (0x0A, 0x0B) else P if (kind == 0 and fmt & 2) or kind >> 3 == 2 else NP
    return of, -(-length // 4) if fmt & 2 else 0


class Card:
    """The engine above: BARs as bytes; writes and reads that it is told to send; completions as they come back."""

    def __init__(self, draw):
        self.draw, self.mem, self.pace = draw, {0: bytearray(1 << 16), 2: bytearray(1 << 20)}, 0.7
        self.writes, self.beats, self.reads, self.answers = [], [], [], []     # what is to go out
        self.open, self.header, self.payload, self.seen, self.cpls = {}, None, b"", [], []
        self.done, self.stray, self.cpl_header = {}, 0, None
        self.slow = 0                       # share of answers that wait
        self.dead = False                   # takes no request

    def write(self, address, data, **more):
        length, first, last = ends(address, len(data))
        padded = bytes(address & 3) + data
        self.writes.append((dict(kind=MWR, addr=address & ~3, len_dw=length, first_be=first, last_be=last, **more), padded + bytes(4 * length - len(padded))))

    def read(self, address, count, tag, **more):
        length, first, last = ends(address, count)
        assert tag not in self.open
        self.open[tag] = (address, count, bytearray())
        self.reads.append(dict(kind=MRD, addr=address & ~3, len_dw=length, first_be=first, last_be=last, tag=tag, **more))

    def request(self, sop, eop, header, data):
        if sop:
            self.header, self.payload = unpack(HDR, header), b""
        self.payload += data.to_bytes(8, "little")
        if not eop:
            return
        h = self.header
        self.seen.append(h)
        at, mem = h["addr"] & len(self.mem[h["bar"]]) - 1, self.mem[h["bar"]]
        enables = [h["first_be"]] + [0xF] * (h["len_dw"] - 2) + [h["last_be"]] * (h["len_dw"] > 1)
        if h["kind"] == MWR:
            assert len(self.payload) == -(-h["len_dw"] // 2) * 8
            for n in range(4 * h["len_dw"]):
                if enables[n // 4] >> n % 4 & 1 and not h["ep"]:
                    mem[at + n] = self.payload[n]
            return
        back = dict(requester_id=h["requester_id"], tag=h["tag"], attr=h["attr"], tc=h["tc"])
        if h["len_dw"] > 2:
            self.answers.append((dict(back, kind=CPL, status=CA, byte_count=4), 0))
            return
        set_ = [n for n in range(4 * h["len_dw"]) if enables[n // 4] >> n % 4 & 1] or [0]
        back.update(kind=CPLD, len_dw=h["len_dw"], byte_count=set_[-1] - set_[0] + 1, addr=(h["addr"] + set_[0]) & 0x7F)
        self.answers.append((back, int.from_bytes(mem[at:at + 4 * h["len_dw"]], "little")))

    def completion(self, sop, eop, header, data):
        if sop:
            self.cpl_header, self.cpl_payload = unpack(HDR, header), b""
        self.cpl_payload += data.to_bytes(8, "little")
        if not eop:
            return
        h = self.cpl_header
        self.cpls.append(h)
        if h["tag"] not in self.open:
            self.stray += 1
            return
        address, count, have = self.open[h["tag"]]
        if h["status"] != SC:
            self.done[h["tag"]] = h["status"]
            del self.open[h["tag"]]
            return
        lead = (address + len(have)) & 3
        assert h["kind"] == CPLD and h["byte_count"] == count - len(have) and h["addr"] & 0x7F == (address + len(have)) & 0x7F, h
        assert len(self.cpl_payload) == -(-h["len_dw"] // 2) * 8
        have += self.cpl_payload[lead:4 * h["len_dw"]][:count - len(have)]
        if len(have) == count:
            self.done[h["tag"]] = (address, bytes(have))
            del self.open[h["tag"]]


class Root:
    """`memory` is what the card writes to and reads from; `sent` and `got` are all TLPs either way."""

    def __init__(self, draw):
        self.draw, self.queue, self.sent, self.got, self.partial = draw, [], [], [], bytearray()
        self.initial, self.used, self.owed = None, [[0, 0] for _ in range(3)], []
        self.limit, self.free, self.taken = [[0, 0] for _ in range(3)], [(False, False)] * 3, [[0, 0] for _ in range(3)]
        self.memory, self.answers, self.messages = {}, {}, []
        self.words, self.at, self.gap, self.hurt, self.back, self.mps = None, 0, 0.0, 0.0, 40, 128
        self.good, self.hold, self.boundary, self.refuse = True, False, 64, set()
        self.cheats = False                 # it sends without credits

    def forget(self, finite):
        """The link is down."""
        self.queue.clear(), self.owed.clear(), self.partial.clear()
        self.initial, self.used, self.words = None, [[0, 0] for _ in range(3)], None
        self.limit, self.taken, self.at = [list(one) for one in finite], [[0, 0] for _ in range(3)], 0

    # ---- credits of the endpoint, counted here
    def room(self, tlp, grant):
        of, data = cost(tlp)
        if self.initial[of] == (0, 0) or self.cheats:
            return True
        hdr, limit = grant[of]
        return 0 < (hdr - self.used[of][0]) % 256 <= 128 and (limit - self.used[of][1] - data) % 4096 <= 2048

    def next(self, grant):
        """The first that may go: a posted request passes those that are not and wait; nothing passes a posted one."""
        kinds = set()
        for n, tlp in enumerate(self.queue[:8]):
            of = cost(tlp)[0]
            if of not in kinds and P not in kinds and self.room(tlp, grant):
                return self.queue.pop(n)
            kinds.add(of)
        return None

    def spend(self, tlp):
        of, data = cost(tlp)
        self.used[of][0] += 1
        self.used[of][1] += data
        self.sent.append(tlp)

    # ---- what comes
    def take(self, tlp, clock):
        of, data = cost(tlp)
        (hdr, amount), free = self.limit[of], self.free[of]
        self.taken[of][0] += 1
        self.taken[of][1] += data
        assert free[0] or self.taken[of][0] <= hdr, ("no header credit", of, tlp.hex())
        assert free[1] or self.taken[of][1] <= amount, ("no data credit", of, tlp.hex())
        self.owed.append((clock + self.draw.randrange(self.back + 1), of, data))
        self.got.append(tlp)
        length = (tlp[2] & 3) << 8 | tlp[3] or 1024
        wide, brings = tlp[0] >> 5 & 1, tlp[0] >> 6 & 1
        head = 16 if wide else 12
        assert len(tlp) == head + 4 * length * brings and length * brings * 4 <= self.mps, tlp.hex()
        if of == C:
            self.answers[tlp[10]] = dict(status=tlp[6] >> 5, count=(tlp[6] & 0xF) << 8 | tlp[7], lower=tlp[11], data=tlp[12:], completer=int.from_bytes(tlp[4:6], "big"),
                                         requester=int.from_bytes(tlp[8:10], "big"), attr=(tlp[2] >> 4 & 3) | tlp[1] & 4)
            return
        address = int.from_bytes(tlp[8:head], "big")
        assert tlp[0] & 0x1F == 0 and wide == (address >> 32 != 0)
        enables = [tlp[7] & 0xF] + [0xF] * (length - 2) + [tlp[7] >> 4] * (length > 1)
        if brings:
            for n in range(4 * length):
                if enables[n // 4] >> n % 4 & 1:
                    self.memory[address + n] = tlp[head + n]
            return
        self.complete(tlp, address, length, enables)

    def complete(self, tlp, address, length, enables):
        """A read: in parts that end where RCB lets them, not interleaved with others of the same tag."""
        requester, tag = int.from_bytes(tlp[4:6], "big"), tlp[6]
        if tag in self.refuse:
            self.queue.append(completion(requester, tag, UR, 4, 0))
            return
        set_ = [n for n in range(4 * length) if enables[n // 4] >> n % 4 & 1]
        at, end = address + set_[0], address + set_[-1] + 1
        while at < end:
            most = min(end, (at & -4) + self.mps)
            stops = [n for n in range((at // self.boundary + 1) * self.boundary, most, self.boundary)] + [most] * (most == end or most % self.boundary == 0)
            stop = self.draw.choice(stops)
            low, high = at & -4, (stop + 3) & -4
            self.queue.append(completion(requester, tag, SC, end - at, at, bytes(self.memory.get(n, 0) for n in range(low, high))))
            at = stop


class Bench:
    tasks = []

    def __init__(self, dut, draw, finite=((16, 64), (8, 0), (0, 0))):
        self.dut, self.draw, self.clock, self.card, self.root = dut, draw, 0, Card(draw), Root(draw)
        self.root.limit = [list(one) for one in finite]
        self.root.free = [(one[0] == 0, one[1] == 0) for one in finite]
        self.state, self.ready, self.link_errors, self.errors, self.flrs, self.pause, self.resets = 3, 1, 0, dict.fromkeys(ERRORS, 0), 0, 0.2, 0
        self.up, self.mps, self.was = False, 0, None

    async def start(self):
        dut = self.dut
        for task in Bench.tasks:            # of the one before, in the same test
            task.cancel()
        dut.rst_ni.value, dut.in_i.value, dut.card_i.value = 0, self.state << 20 | self.ready << 22, 0
        for port in ("hit_i", "cut_i"):
            if hasattr(dut, port):
                getattr(dut, port).value = 0
        self.credits()
        Bench.tasks = [cocotb.start_soon(Clock(dut.clk_i, 8000, "ps").start())]
        for _ in range(4):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        Bench.tasks.append(cocotb.start_soon(self.run()))
        await self.until(lambda: self.up, 30000)
        return self

    def credits(self):
        """What the root gives, as sums."""
        now = (sum(((hdr & 0xFF) << 12 | data & 0xFFF) << 20 * n for n, (hdr, data) in enumerate(self.root.limit)),
               sum((free[0] << 3 | free[1]) << n for n, free in enumerate(self.root.free)))
        if now != self.was:
            self.was, (self.dut.limit_i.value, self.dut.free_i.value) = now, now

    async def wait(self, clocks):
        for _ in range(clocks):
            await RisingEdge(self.dut.clk_i)

    async def until(self, what, clocks):
        for _ in range(clocks):
            if what():
                return
            await RisingEdge(self.dut.clk_i)
        assert what(), "it takes too long"

    async def run(self):
        dut, root, card, draw = self.dut, self.root, self.card, self.draw
        edge = RisingEdge(dut.clk_i)
        flags, grants, req_hdr, req_data, rcpl_hdr, rcpl_data = (number(getattr(dut, name)) for name in (
            "flags_o", "grant_o", "req_hdr_o", "req_data_o", "rcpl_hdr_o", "rcpl_data_o"))
        give, show = Shown(dut.in_i), Shown(dut.card_i)
        tx_hdr, tx_data, rq_hdr, cpl_hdr, cpl_data = (Shown(getattr(dut, name)) for name in ("tx_hdr_i", "tx_data_i", "rq_hdr_i", "cpl_hdr_i", "cpl_data_i"))
        word = out_ready = req_ready = 0
        tx = rq = cpl = None
        while True:
            await edge
            self.clock += 1
            said = flags()
            self.up, self.mps = said >> 31 & 1, said >> 34 & 3
            self.flrs += said >> 33 & 1
            self.resets += not said >> 32 & 1
            if said >> 36:
                for n, name in enumerate(ERRORS):
                    self.errors[name] += said >> 36 + n & 1
            raw = grants()
            grant = [((raw >> 20 * n + 12) & 0xFF, (raw >> 20 * n) & 0xFFF) for n in range(3)]
            if self.up and root.initial is None:
                root.initial = grant
            self.grant = grant
            # the link: out
            if said >> 20 & 1 and (out_ready or hasattr(dut, "cut_i")):
                root.partial += (said & 0xFFFF).to_bytes(2, "little")
            if said >> 19 & 1:
                if said >> 18 & 1 and self.up:
                    root.take(bytes(root.partial), self.clock)
                root.partial.clear()
            while root.owed and not root.hold and root.owed[0][0] <= self.clock:
                _, of, data = root.owed.pop(0)
                root.limit[of][0] += 1
                root.limit[of][1] += data
            self.credits()
            # in
            if word and root.words and said >> 21 & 1:
                root.at += 2
                if root.at == len(root.words):
                    if root.good:
                        root.spend(root.words)
                        root.words = None
                    root.at = 0
                    word = 0
                    root.waits = 4 + draw.randrange(3)
            if root.words is None and self.up and root.initial:
                root.words = root.next(grant)
                root.at = 0
            root.waits = max(getattr(root, "waits", 0) - 1, 0)
            word = 0
            if root.words is not None and not root.waits and draw.random() >= root.gap:
                if root.at == 0:
                    root.good = draw.random() >= root.hurt
                last = root.at + 2 == len(root.words)
                value = int.from_bytes(root.words[root.at:root.at + 2], "little")
                if not root.good and draw.random() < 0.2:
                    value ^= draw.randrange(1 << 16)
                word = VALID | (last and LAST) | (root.good and GOOD) | value
            out_ready = draw.random() >= self.pause
            give(self.link_errors << 23 | self.ready << 22 | self.state << 20 | out_ready << 19 | word)
            self.link_errors = 0
            # the card: requests, completions
            if said >> 27 & 1 and req_ready:
                card.request(said >> 26 & 1, said >> 25 & 1, req_hdr(), req_data())
            if said >> 30 & 1:
                card.completion(said >> 29 & 1, said >> 28 & 1, rcpl_hdr(), rcpl_data())
            req_ready = not card.dead and draw.random() < card.pace
            if tx and said >> 22 & 1:
                tx = tx[1:]
            if rq and said >> 23 & 1:
                rq = None
            if cpl and said >> 24 & 1:
                cpl = None
            if not said >> 32 & 1:
                tx = rq = cpl = None
            if not tx and card.writes and said >> 32 & 1:
                h, data = card.writes.pop(0)
                data += bytes(-len(data) % 8)
                tx = [(n == 0, n + 8 == len(data), pack(HDR, h), int.from_bytes(data[n:n + 8], "little")) for n in range(0, len(data), 8)]
            if not rq and card.reads and said >> 32 & 1:
                rq = pack(HDR, card.reads.pop(0))
            if not cpl and card.answers and draw.random() >= card.slow:
                h, data = card.answers.pop(0)
                cpl = (pack(HDR, h), data)
            now = bool(rq) << 1 | bool(cpl) | req_ready << 5
            if tx:
                now |= 1 << 4 | tx[0][0] << 3 | tx[0][1] << 2
                tx_hdr(tx[0][2])
                tx_data(tx[0][3])
            if rq:
                rq_hdr(rq)
            if cpl:
                cpl_hdr(cpl[0])
                cpl_data(cpl[1])
            show(now)
            self.busy = bool(tx or rq or cpl or word or root.words)

    # ---- what a root does
    def settings(self):
        return unpack(SETTINGS, int(self.dut.set_o.value))

    def tag(self):
        self.tags = (getattr(self, "tags", -1) + 1) & 0xFF
        self.root.answers.pop(self.tags, None)
        return self.tags

    async def answer(self, tag, clocks=3000):
        await self.until(lambda: tag in self.root.answers, clocks)
        return self.root.answers[tag]

    async def config(self, register, value=None, enables=0xF, target=0x0100, kind=0x04, **more):
        tag = self.tag()
        data = b"" if value is None else value.to_bytes(4, "little")
        self.root.queue.append(request(kind | (0x40 if data else 0), target << 16 | register, 1, enables, 0, tag, data=data, **more))
        answer = await self.answer(tag)
        if not data and answer["status"] == SC:
            assert len(answer["data"]) == 4 and answer["count"] == 4 and answer["lower"] == 0
            return int.from_bytes(answer["data"], "little")
        assert answer["data"] == b""
        return answer["status"]

    async def enumerate(self, bar0=0xE000_0000, bar2=0x20_0010_0000, mps=0):
        assert await self.config(0x10, bar0) == SC and await self.config(0x18, bar2 & 0xFFFF_FFFF) == SC and await self.config(0x1C, bar2 >> 32) == SC
        assert await self.config(0x68, 0x2910 | mps << 5, 0x3) == SC
        assert await self.config(0x04, 0x6, 0x3) == SC
        self.bars, self.root.mps = {0: bar0, 2: bar2}, 128 << mps
        await self.wait(4)

    async def quiet(self, clocks=20000):
        """All that waits has gone, and all credits are back."""
        root, card = self.root, self.card
        try:
            await self.until(lambda: not (root.queue or card.writes or card.reads or card.answers or card.open or self.busy), clocks)
        except AssertionError:
            waits = [tlp.hex()[:32] for tlp in root.queue], card.writes, card.reads, card.answers, card.open, self.busy
            raise AssertionError(f"{waits} {self.grant} {root.used} {root.limit} {root.taken}")
        await self.wait(400)
        back = lambda: [((self.grant[of][0] - root.used[of][0]) % 256, (self.grant[of][1] - root.used[of][1]) % 4096) for of in (P, NP)]
        for _ in range(40):                 # what waits for its completion's credits has them in this time
            if back() != root.initial[:2]:
                await self.wait(200)
        assert back() == root.initial[:2], (back(), root.initial)
