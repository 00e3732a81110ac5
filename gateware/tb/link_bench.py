# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Two data link layers (tb/link_pair.sv) and what is between them: a wire for each direction, which takes packets as a MAC does,
hands them on some clocks later, and hurts those that a test names. Every packet that is sent is read by the second decoder."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from clocked import number
from lanescope_symbols.crc import dllp_crc, lcrc
from lanescope_symbols.datalink import DataLink

INACTIVE, INIT1, INIT2, ACTIVE = range(4)
ERRORS = ("bad_tlp", "bad_dllp", "timeout", "rollover", "protocol")     # from bit 43 of what comes out on
HALF = (1 << 48) - 1
# Places in what goes in.
UP, L0, READY, START, DLLP, VALID, END, BAD, EDB = (1 << bit for bit in (43, 42, 41, 40, 39, 38, 37, 36, 35))
WORD, TLP = 19, 1 << 18


class Packet:
    """One on a wire; once it is whole, `event` is what the second decoder says of it."""

    def __init__(self, kind, time):
        self.kind, self.time, self.words, self.hurt, self.event = kind, time, bytearray(), {}, None

    @property
    def type(self):
        """The first byte of a DLLP, from its first word on."""
        return self.words[0] if self.kind == "dllp" else None


class Wire:
    """From one end to the other. `fault` is called with a packet whose first word is there, and says what becomes of it: None, or a dict
    with `drop`, `flip` (which word, -1 the last, and bits), `bad`, `edb`, or `cut` (after so many words). What is in `inserted`, (kind, bytes, bits
    beside the end), goes out as if the sender had sent it."""

    def __init__(self, latency, odd, skip=590):
        self.events, self.packets, self.fault, self.inserted = [], [], None, []
        self.reader = DataLink(self.events.append)
        self.line, self.latency, self.odd, self.skip = [0] * (latency + 3), latency, odd, skip
        self.busy, self.clock, self.due, self.packet, self.foreign, self.inside = 0, 0, 0, None, None, False

    def put(self, offset, bits):
        self.line[self.latency + offset] |= bits

    def step(self, said, l0):
        """`said` is what comes out of the sender. Whether its word is taken, and what is received in this clock."""
        self.clock += 1
        self.due += 1
        self.line.append(0)
        ready = 0
        if self.busy:
            self.busy -= 1
        elif self.foreign:
            kind, body, bits, at = self.foreign
            self.word(kind, at, int.from_bytes(body[2 * at:2 * at + 2], "little"), 2 * at + 2 == len(body), {}, bits)
            self.foreign = (kind, body, bits, at + 1) if 2 * at + 2 < len(body) else None
        elif self.packet:
            ready = 1
            self.taken(said)
        elif l0 and self.due >= self.skip:
            self.due, self.busy = 0, 1
        elif l0 and self.inserted:
            self.foreign = (*self.inserted.pop(0), 0)
        elif l0 and said >> 39 & 1:
            ready, self.packet = 1, Packet("dllp" if said >> 37 & 1 else "tlp", self.clock)
            self.taken(said)
        return ready, self.line.pop(0)

    def received(self, now, l0):
        """What a MAC makes of it: outside of L0 nothing, and a packet that was there is ended."""
        if not l0:
            now = END | BAD if self.inside else 0
        elif not self.inside:
            now = now & (START | DLLP) if now & START else 0
        self.inside = bool(now & START) or (self.inside and not now & END)
        return now

    def taken(self, said):
        packet, word, last = self.packet, said >> 20 & 0xFFFF, said >> 38 & 1
        at = len(packet.words) // 2
        packet.words += word.to_bytes(2, "little")
        if at == 0:
            packet.hurt = (self.fault and self.fault(packet)) or {}
        null = last and said >> 36 & 1
        self.word(packet.kind, at, word, last, packet.hurt, EDB if null else 0)
        if last:
            self.whole(packet, bool(null))

    def word(self, kind, at, word, last, hurt, bits):
        """A word goes out. The first is received a clock later, behind the start; the end beside the last word, or a clock later."""
        if last:
            self.busy = 1
        cut = hurt.get("cut", 1 << 20)
        if "drop" in hurt or at >= cut:
            return
        if "flip" in hurt and (hurt["flip"][0] == at or (last and hurt["flip"][0] == -1)):
            word ^= hurt["flip"][1]
        if at == 0:
            self.put(0, START | (DLLP if kind == "dllp" else 0))
        self.put(1, VALID | word << WORD)
        if last or at + 1 == cut:
            bad = "bad" in hurt or at + 1 == cut
            self.put(2 if self.odd else 1, END | (BAD if bad else 0) | (EDB if "edb" in hurt else 0) | bits)

    def whole(self, packet, null):
        body = bytes(packet.words)
        if packet.kind == "dllp":
            self.reader.dllp(packet.time, 0, body, None if len(body) == 6 else "length")
        else:
            self.reader.tlp(packet.time, 0, int.from_bytes(body[:2], "big"), body[2:-4], body[-4:], null, None)
        packet.event, packet.end, self.packet = self.events[-1], self.clock, None
        self.packets.append(packet)

    def insert(self, kind, body, bits=0):
        self.inserted.append((kind, body, bits))


class End:
    """The transaction layer above one end, and the link below it."""

    def __init__(self, draw):
        self.draw, self.up, self.l0, self.gap = draw, 1, 1, 0.0
        self.queue, self.words, self.at = [], None, 0
        self.got, self.partial, self.arrived = [], bytearray(), []
        self.states, self.errors, self.retrains = [], dict.fromkeys(ERRORS, 0), 0

    def gives(self):
        """What goes in of the TLP that is next; (bytes, nullified) is in `queue`."""
        if self.words is None and self.queue and self.draw.random() >= self.gap:
            self.words, self.at = self.queue.pop(0), 0
        if self.words is None or (self.at and self.gap and self.draw.random() < self.gap / 4):
            return 0
        body, null = self.words
        last = 2 * self.at + 2 == len(body)
        return TLP | last << 17 | (last and null) << 16 | int.from_bytes(body[2 * self.at:2 * self.at + 2], "little")

    def took(self, said):
        if said >> 19 & 1:
            self.at += 1
            if 2 * self.at == len(self.words[0]):
                self.words = None

    def heard(self, said, clock):
        if said >> 18 & 1:
            self.partial += (said & 0xFFFF).to_bytes(2, "little")
        if said >> 17 & 1:
            if said >> 16 & 1:
                self.got.append(bytes(self.partial))
                self.arrived.append(clock)
            self.partial.clear()
        state = said >> 40 & 3
        if not self.states or self.states[-1] != state:
            self.states.append(state)
        if state == INACTIVE:
            self.partial.clear()
        self.retrains += said >> 42 & 1
        if said >> 43:
            for n, name in enumerate(ERRORS):
                self.errors[name] += said >> 43 + n & 1


def credits(posted, non_posted, completions):
    """Three pairs of (header, data) as they are wired."""
    return sum((hdr << 12 | data) << 20 * n for n, (hdr, data) in enumerate((posted, non_posted, completions)))


class Link:
    """The bench: `wires[n]` goes from end n to the other."""

    tasks = []

    def __init__(self, dut, draw, latency=12, odd=0, mps=0):
        self.dut, self.draw, self.clock = dut, draw, 0
        self.ends = [End(draw), End(draw)]
        self.wires = [Wire(latency, odd), Wire(latency, odd)]
        self.grants = [credits((32, 256), (16, 16), (0, 0)), credits((8, 128), (4, 0), (0, 0))]
        self.every = []             # called in every clock
        self.asked, self.recovers, self.recovery = 0, 200, 0       # clocks that the link takes to train again, and those that are left
        dut.mps_i.value = mps
        self.grant()

    def grant(self):
        self.dut.grant_i.value = self.grants[0] | self.grants[1] << 60

    async def start(self):
        dut = self.dut
        for task in Link.tasks:         # of the link before, in the same test
            task.cancel()
        dut.rst_ni.value, dut.in_i.value = 0, 0
        Link.tasks = [cocotb.start_soon(Clock(dut.clk_i, 8000, "ps").start())]
        for _ in range(4):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        Link.tasks.append(cocotb.start_soon(self.run()))
        return self

    async def run(self):
        dut, edge, out, shown = self.dut, FallingEdge(self.dut.clk_i), number(self.dut.out_o), None
        was = (1, 1)
        while True:
            await edge
            self.clock += 1
            both = out()
            said = [both & HALF, both >> 48]
            for call in self.every:
                call()
            self.recovery = max(self.recovery - 1, 0)
            if (both >> 42 | both >> 90) & 1 and not self.recovery:
                self.asked += 1
                if self.asked == 6:     # a MAC takes some clocks
                    self.recovery, self.asked = self.recovers, 0
            for end in self.ends:
                end.l0 = end.up and not self.recovery
            up = tuple(end.up for end in self.ends)
            ready, line, word = [0, 0], [0, 0], [0, 0]
            for n, end in enumerate(self.ends):
                end.heard(said[n], self.clock)
                # In a clock in which the link comes or goes nothing begins: the sender sees it later than this bench.
                ready[n], come = self.wires[n].step(said[n], end.l0 and up == was)
                line[1 - n] = self.wires[n].received(come, self.ends[1 - n].l0)
                given = end.gives()
                if given:
                    end.took(said[n])
                word[n] = given
            was = up
            value = 0
            for n, end in enumerate(self.ends):
                value |= (word[n] | line[n] | (READY if ready[n] else 0) | (UP if end.up else 0) | (L0 if end.l0 else 0)) << 48 * n
            if value != shown:
                dut.in_i.value = shown = value

    async def until(self, what, clocks):
        end = self.clock + clocks
        edge = FallingEdge(self.dut.clk_i)
        while self.clock < end:
            for _ in range(8):
                await edge
            if what():
                return
        assert what(), (self.clock, [e.states for e in self.ends], [len(e.got) for e in self.ends], [e.errors for e in self.ends])

    async def wait(self, clocks):
        edge = FallingEdge(self.dut.clk_i)
        for _ in range(clocks):
            await edge

    def active(self):
        return all(end.states and end.states[-1] == ACTIVE for end in self.ends)

    def tlp(self, most=32, least=0):
        """One like no other."""
        self.made = getattr(self, "made", 0) + 1
        return bytes([0x40, 0, 0, 0]) + self.made.to_bytes(4, "big") + self.draw.randbytes(4 + 4 * self.draw.randint(least, most))

    def count(self, n, name, status=None):
        """Packets of that name that end n has sent."""
        return sum(p.event.name == name and status in (None, p.event.fields.get("status")) for p in self.wires[n].packets)

    def wrong(self):
        """What the second decoder finds wrong in what was sent."""
        return [str(p.event) for wire in self.wires for p in wire.packets
                if p.event.fields["status"] == "bad" or (p.event.name == "unknown" and p.event.fields["status"] != "nullified")]


def nullified(sequence, body):
    check = bytes(byte ^ 0xFF for byte in lcrc(sequence, body))
    return sequence.to_bytes(2, "big") + body + check


def whole(sequence, body):
    return sequence.to_bytes(2, "big") + body + lcrc(sequence, body)


def dllp(*body):
    return bytes(body) + dllp_crc(bytes(body))
