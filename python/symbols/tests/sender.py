"""Hand-made streams for the tests: what one direction of a link would send. It knows only what a test asks for, and takes
from the decoder nothing but the checks and keys that outside vectors prove (test_vectors.py)."""

import random

from lanescope_symbols import ordered, symbol as s
from lanescope_symbols.code8b10b import INVERTED
from lanescope_symbols.crc import dllp_crc, frame_crc, frame_parity, lcrc
from lanescope_symbols.scramble import SEEDS, SEQUENCE_16, block23


def write(address=0x1000, data=b"\1\2\3\4", tag=5, requester=0x100):
    """A memory write with a header of 3 DW."""
    head = bytes([0x40, 0, 0, len(data) // 4]) + requester.to_bytes(2, "big") + bytes([tag, 0xFF if len(data) > 4 else 0x0F])
    return head + address.to_bytes(4, "big") + data


def read(address=0x1_0000_0000, length=64, tag=7, requester=0x100):
    """A memory read with a header of 4 DW."""
    head = bytes([0x20, 0]) + (length // 4).to_bytes(2, "big") + requester.to_bytes(2, "big") + bytes([tag, 0xFF])
    return head + address.to_bytes(8, "big")


ACK = bytes.fromhex("00000005")
UPDATE = bytes.fromhex("80021004")


def random_packet(draw):
    """('tlp', bytes) or ('dllp', bytes)."""
    if draw.random() < 0.4:
        return "dllp", draw.choice((ACK, UPDATE, bytes([0x50, draw.randrange(64), draw.randrange(256), draw.randrange(256)])))
    if draw.random() < 0.3:
        return "tlp", read(draw.randrange(1 << 40) * 4, 4 * draw.randrange(1, 128), draw.randrange(256))
    data = draw.randbytes(4 * draw.randrange(1, 64))
    return "tlp", write(draw.randrange(1 << 30) * 4, data, draw.randrange(256))


class Sender12:
    """Rows of symbols at 2.5 and 5 GT/s, scrambled; `sent` is what a receiver must deliver."""

    def __init__(self, lanes, sequence=0):
        self.lanes, self.sequence = lanes, sequence
        self.rows, self.sent = [], []
        self.key = 0
        self.line = []  # symbols that do not fill a row yet

    def raw(self, symbol):
        """An ordered set's symbol on all lanes."""
        self.fill()
        self.rows.append([symbol] * self.lanes)
        if symbol == s.COM:
            self.key = 0
        elif symbol != s.SKP:
            self.key += 1

    def set(self, *symbols):
        for symbol in symbols:
            self.raw(symbol)

    def skp(self, count=3):
        self.set(s.COM, *[s.SKP] * count)

    def training(self, identifier=0x4A, link=s.PAD, numbered=True, control=0):
        self.fill()
        for index in range(16):
            lanes = range(self.lanes)
            what = {0: [s.COM] * self.lanes, 1: [link] * self.lanes, 2: [n if numbered else s.PAD for n in lanes],
                    3: [0x20] * self.lanes, 4: [6] * self.lanes, 5: [control] * self.lanes}.get(index, [identifier] * self.lanes)
            self.rows.append(what)
        self.key = 15

    def put(self, symbol):
        key = SEQUENCE_16[self.key % 65535]
        self.line.append(symbol if symbol & s.K else symbol ^ key)
        if len(self.line) == self.lanes:
            self.rows.append(self.line)
            self.line = []
            self.key += 1

    def fill(self):
        """Ends the symbol time: PAD behind a packet from x8 on."""
        while self.line:
            self.put(s.PAD if self.lanes >= 8 else 0)

    def idle(self, count=1):
        self.fill()
        for _ in range(count * self.lanes):
            self.put(0)

    def packet(self, first, body, last):
        while len(self.line) % (4 if self.lanes >= 8 else self.lanes):
            self.put(0)
        if first in self.begun():
            self.fill()
        for symbol in (first, *body, last):
            self.put(symbol)

    def begun(self):
        return [symbol for symbol in self.line if symbol in (s.STP, s.SDP)]

    def tlp(self, tlp, nullified=False, bad=False):
        check = lcrc(self.sequence, tlp)
        if nullified or bad:
            check = bytes(byte ^ (0xFF if nullified else 1) for byte in check)
        self.packet(s.STP, self.sequence.to_bytes(2, "big") + tlp + check, s.EDB if nullified else s.END)
        if not nullified and not bad:
            self.sent.append(("tlp", self.sequence, tlp))
            self.sequence = self.sequence + 1 & 0xFFF

    def dllp(self, body):
        self.packet(s.SDP, body + dllp_crc(body), s.END)
        self.sent.append(("dllp", None, body + dllp_crc(body)))

    def start(self):
        for _ in range(3):
            self.training()
        self.training(0x45, 0)
        self.skp()
        self.idle(2)
        return self


class Sender3:
    """Rows of symbols from 8 GT/s. The data stream is bytes until a block of all lanes is full."""

    def __init__(self, generation, lanes, sequence=0):
        self.generation, self.lanes, self.sequence = generation, lanes, sequence
        self.rows, self.sent = [], []
        self.states = [SEEDS[lane % 8] for lane in range(lanes)]
        self.parity = [0] * lanes
        self.after_data = False
        self.stream = bytearray()
        self.total = 0  # bytes of the data stream before those of `stream`
        self.last = {}  # the symbol times of the last STP and SDP

    def apart(self, kind):
        """From x8 on, a second STP or SDP of a symbol time waits for the next."""
        time = (self.total + len(self.stream)) // self.lanes
        if self.lanes >= 8 and self.last.get(kind) == time:
            self.put(bytes(-len(self.stream) % self.lanes))
            time += 1
        self.last[kind] = time

    def block(self, header, per_lane):
        for index in range(len(per_lane[0])):
            row = [symbols[index] for symbols in per_lane]
            self.rows.append([s.start(symbol, header) for symbol in row] if index == 0 else row)

    def keys(self):
        found = [block23(state) for state in self.states]
        self.states = [state for _, state in found]
        return [keys for keys, _ in found]

    def ordered(self, symbols):
        self.keys()
        self.block(s.ORDERED_SET, [symbols] * self.lanes)
        self.after_data = False

    def eieos(self):
        self.ordered(ordered.eieos(self.generation))
        self.states = [SEEDS[lane % 8] for lane in range(self.lanes)]

    def sds(self):
        self.ordered(b"\xe1" + bytes([0x87 if self.generation == 5 else 0x55]) * 15)
        self.parity = [0] * self.lanes

    def training(self, first=0x1E, identifier=0x4A, link=0xF7):
        blocks = []
        for lane, keys in enumerate(self.keys()):
            plain = bytes([first, link, lane, 0x20, 0x0E, 0, 1, 2, 3, 4] + [identifier] * 6)
            blocks.append(plain[:1] + bytes(a ^ b for a, b in zip(plain[1:], keys[1:])))
        self.block(s.ORDERED_SET, blocks)
        self.after_data = False

    def skp(self, groups=3, control=False):
        blocks = []
        for state, parity in zip(self.states, self.parity):
            top = parity if self.after_data else ~state >> 22 & 1
            carried = [top << 7 | state >> 16, state >> 8 & 0xFF, state & 0xFF]
            symbol = 0x99 if self.generation == 5 else 0xAA
            blocks.append(bytes([symbol] * 4 * groups + ([0x78, parity << 7, 1, 2] if control else [0xE1, *carried])))
        self.block(s.ORDERED_SET, blocks)
        self.parity, self.after_data = [0] * self.lanes, False

    def start(self):
        self.eieos()
        self.training()
        self.training()
        self.eieos()
        self.training(0x2D, 0x45, 0)
        self.skp()
        self.sds()
        return self

    def put(self, symbols):
        self.stream += symbols
        size = 16 * self.lanes
        self.total += len(self.stream) // size * size
        while len(self.stream) >= size:
            part, self.stream = self.stream[:size], self.stream[size:]
            blocks = []
            for lane, keys in enumerate(self.keys()):
                block = bytes(a ^ b for a, b in zip(part[lane::self.lanes], keys))
                self.parity[lane] ^= int.from_bytes(block, "big").bit_count() & 1
                blocks.append(block)
            self.block(s.DATA, blocks)
            self.after_data = True

    def idle(self, count=1):
        """At least `count` symbol times of idle: to the end of the symbol time, and to a multiple of four bytes."""
        self.put(bytes(-len(self.stream) % self.lanes + count * self.lanes))
        self.put(bytes(-len(self.stream) % 4))

    def tlp(self, tlp, nullified=False, bad=False, token=None):
        check = lcrc(self.sequence, tlp)
        if nullified or bad:
            check = bytes(byte ^ (0xFF if nullified else 1) for byte in check)
        length = (len(tlp) + 8) // 4
        stp = bytes([15 | (length & 15) << 4, length >> 4 | frame_parity(length) << 7, frame_crc(length) << 4 | self.sequence >> 8, self.sequence & 0xFF])
        self.apart("tlp")
        self.put((token or stp) + tlp + check + (b"\xc0" * 4 if nullified else b""))
        if not nullified and not bad:
            self.sent.append(("tlp", self.sequence, tlp))
            self.sequence = self.sequence + 1 & 0xFFF

    def dllp(self, body):
        self.apart("dllp")
        self.put(b"\xf0\xac" + body + dllp_crc(body))
        self.sent.append(("dllp", None, body + dllp_crc(body)))

    def eds(self):
        room = -(len(self.stream) + 4) % (16 * self.lanes)
        self.put(bytes(room) + b"\x1f\x80\x90\x00")

    def sos(self, groups=3, control=False):
        self.eds()
        self.skp(groups, control)

    def fill(self):
        if self.stream:
            self.put(bytes(16 * self.lanes - len(self.stream)))


def crossed(rows, skews=None, reverse=False, inverted=(), blocks=False):
    """What arrives: lanes late, in the other order, inverted. A lane that is late has electrical idle at its beginning."""
    lanes = len(rows[0])
    skews = skews or [0] * lanes
    columns = []
    for lane in range(lanes):
        column = [row[lanes - 1 - lane if reverse else lane] for row in rows]
        if lane in inverted:
            column = [_inverted(symbol, blocks) for symbol in column]
        columns.append([s.IDLE] * skews[lane] + column)
    length = max(map(len, columns))
    return [[column[index] if index < len(column) else None for column in columns] for index in range(length)]


def _inverted(symbol, blocks):
    if not blocks:
        return INVERTED[symbol]
    return symbol ^ (0xFF | 3 << s.HEADER_SHIFT if symbol & s.START else 0xFF)


def random_stream(draw, generation, lanes, packets, between):
    """Packets with idle and SKPs between them, about `between` packets apart."""
    sender = (Sender12(lanes) if generation < 3 else Sender3(generation, lanes)).start()
    for _ in range(packets):
        kind, body = random_packet(draw)
        getattr(sender, kind)(body)
        if draw.random() < 0.3:
            sender.idle(draw.randrange(1, 4))
        if draw.random() < 1 / between:
            sender.skp(draw.randrange(1, 6)) if generation < 3 else sender.sos(draw.randrange(1, 6), generation > 3 and draw.random() < 0.5)
    sender.idle(4)
    sender.fill()
    return sender


def delivered(events):
    """As `sent`: DLLPs and TLPs that a receiver hands on."""
    return [(e.kind, e.fields.get("sequence") if e.kind == "tlp" else None, e.fields["bytes"])
            for e in events if e.kind in ("tlp", "dllp") and e.fields["status"] == "good"]


def draws(seed):
    return random.Random(seed)
