"""Packets from 8 GT/s: tokens over the lanes in turn, in data blocks.

IDL 00; SDP F0 AC; EDB C0 four times; EDS 1F 80 90 00, the last of a data block before an ordered set; STP with length,
parity, check and sequence number (scopehal, PCIeGen3LogicalDecoder; H. M. Akbulut's open SoC, soc_pcie_gen3_stp and its
tests). Length counts the token, header, data and LCRC, not an EDB. After SKP the stream goes on without SDS (open Gen3 soft
MAC, pcie_gen3_idle_tx). After a framing error, and after a lane lost its blocks, nothing is read before the next SDS (a receiver asks for Recovery): assumed;
`resume` reads on after the next SKP instead. A token begins in lane 0 up to x4 and in a lane that is a multiple of four of wider
links; behind idle in lane 0, so that idle of a symbol time goes on to its end (MindShare, PCI Express Technology, 2012, chapter 12,
framing requirements)."""

from typing import Any

from .crc import frame_crc, frame_parity
from .datalink import DataLink
from .events import ERROR, RULE, TOKEN, Event
from .ordered import OrderedSet

SDP, EDS, EDB = b"\xf0\xac", b"\x1f\x80\x90\x00", b"\xc0" * 4
DLLP_BYTES = 6
SHORTEST_DW = 5  # token, three of header, LCRC
WAITING, ACTIVE, ENDED = range(3)  # for SDS; in the stream; behind EDS


class Framing3:
    """`order[i]` is the lane of the connector on which the transmitter's lane i arrives."""

    def __init__(self, link: DataLink, order: list[int], resume: bool) -> None:
        self.link = link
        self.order = order
        self.resume = resume
        self.started: int | None = None
        self.ended: int | None = None
        self.counts = {"idle": 0, "tlp": 0, "dllp": 0, "token": 0, "other": 0}
        self._state = WAITING
        self._open = False  # a stream may begin here without SDS
        self._met = False  # a stream, at some time
        self._need = 0  # bytes of the packet that has begun
        self._bytes = bytearray()
        self._sequence: int | None = None  # of a TLP; None of a DLLP
        self._where = (0, 0)
        self._complete: bytes | None = None  # a TLP behind which EDB may come
        self._carried = b""  # the beginning of a token that ends in the next block
        self._before = 0  # how many of the bytes that are looked at are of the block before
        self._begun = [-1, -1]  # the symbol times of the last STP and SDP

    def data(self, time: int, items: list[Any]) -> None:
        width = len(self.order)
        if self._state == WAITING and self._open:
            self._state, self._met = ACTIVE, True
        if self._state != ACTIVE:
            if self._state == ENDED:
                self._error(time, None, "data block where an ordered set is due")
            self.counts["other"] += 16 * width
            return
        whole_symbols = min(len(item or b"") for item in items)
        stream = bytearray(whole_symbols * width)
        for index, lane in enumerate(self.order):
            stream[index::width] = (items[lane] or b"")[:whole_symbols]
        whole = self._carried + bytes(stream)
        self._before = len(self._carried)
        self._carried = b""
        position = 0
        while position < len(whole) and self._state == ACTIVE:
            position = self._take(time, whole, position) if self._need else self._token(time, whole, position)
        self.counts["other"] += len(whole) - position
        if whole_symbols < 16 and self._state != WAITING:
            self._error(time + whole_symbols, None, "not a data block on all lanes")

    def _take(self, time: int, stream: bytes, position: int) -> int:
        part = stream[position:position + self._need]
        self._bytes += part
        self._need -= len(part)
        if not self._need:
            self.ended = self._at(time, position + len(part) - 1)[0]
            if self._sequence is None:
                self.counts["dllp"] += DLLP_BYTES + len(SDP)
                self.link.dllp(*self._where, bytes(self._bytes), None)
            else:
                self.counts["tlp"] += len(self._bytes) + 4
                self._complete = bytes(self._bytes)
        return position + len(part)

    def _token(self, time: int, stream: bytes, position: int) -> int:
        if stream[position] == 0:
            return self._idle(time, stream, position)
        if len(stream) - position < (2 if stream[position] == SDP[0] else 4):
            self._carried = stream[position:]
            return len(stream)
        if (position - self._before) % min(4, len(self.order)):
            where = self._at(time, position)
            self.link.sink(Event(where[0], RULE, "placement", where[1], {"why": "a token that begins between double words"}))
        four = stream[position:position + 4]
        if four == EDB:
            if self._complete is None:
                return self._error(*self._at(time, position), "EDB behind no TLP", len(stream))
            self.counts["token"] += 4
            self._deliver(True)
            return position + 4
        self._deliver(False)
        if four == EDS:
            return self._end_of_stream(time, stream, position)
        if four[:2] == SDP:
            self._begin(time, position, None, DLLP_BYTES)
            return position + 2
        if four[0] & 15 == 15:
            return self._tlp(time, stream, position)
        return self._error(*self._at(time, position), f"no token: {four.hex()}", len(stream))

    def _idle(self, time: int, stream: bytes, position: int) -> int:
        self._deliver(False)
        after = len(stream) - len(stream[position:].lstrip(b"\0"))
        if after < len(stream):
            width = len(self.order)
            if width >= 8 and after % width and after // width == (after - 1) // width and stream[after:] != EDS:
                where = self._at(time, after)
                self.link.sink(Event(where[0], RULE, "placement", where[1], {"why": "a token behind idle in its symbol time"}))
        self.counts["idle"] += after - position
        return after

    def _end_of_stream(self, time: int, stream: bytes, position: int) -> int:
        if position + 4 != len(stream):
            return self._error(*self._at(time, position), "EDS that is not the last of its block", len(stream))
        where = self._at(time, position)
        self.counts["token"] += 4
        self._state = ENDED
        self.link.sink(Event(where[0], TOKEN, "EDS", where[1]))
        return len(stream)

    def _tlp(self, time: int, stream: bytes, position: int) -> int:
        one, two, three, four = stream[position:position + 4]
        length = one >> 4 | (two & 0x7F) << 4
        wrong = None
        if three >> 4 != frame_crc(length):
            wrong = "STP: check"
        elif two >> 7 != frame_parity(length):
            wrong = "STP: parity"
        elif length < SHORTEST_DW:
            wrong = f"STP: length {length}"
        if wrong is not None:
            return self._error(*self._at(time, position), wrong, len(stream))
        self._begin(time, position, (three & 15) << 8 | four, 4 * length - 4)
        return position + 4

    def _begin(self, time: int, position: int, sequence: int | None, need: int) -> None:
        where = self._at(time, position)
        which = int(sequence is None)
        if self._begun[which] == where[0] and len(self.order) > 4:
            why = f"two {'SDP' if which else 'STP'} in a symbol time"
            self.link.sink(Event(where[0], RULE, "placement", where[1], {"why": why}))
        self._begun[which] = self.started = where[0]
        self._where, self._sequence, self._need, self.ended = where, sequence, need, None
        self._bytes.clear()

    def _deliver(self, nullified: bool) -> None:
        """A complete TLP, once it is known whether EDB is behind it."""
        body, self._complete = self._complete, None
        if body is not None:
            assert self._sequence is not None
            self.link.tlp(*self._where, self._sequence, body[:-4], body[-4:], nullified, None)

    def _at(self, time: int, position: int) -> tuple[int, int]:
        """Symbol time and lane of a byte of a block."""
        symbols, index = divmod(position - self._before, len(self.order))
        return time + symbols, self.order[index]

    def _error(self, time: int, lane: int | None, why: str, end: int = 0) -> int:
        self.link.sink(Event(time, ERROR, "framing", lane, {"why": why}))
        self._stop(why)
        self._state, self._open = WAITING, False
        return end

    def _stop(self, why: str) -> None:
        self._deliver(False)
        self._carried = b""
        if self._need:
            self.counts["other"] += len(self._bytes)
            self.link.lost(*self._where, "DLLP" if self._sequence is None else "TLP", why)
            self._need = 0

    def ordered_set(self, time: int, ordered: OrderedSet, slipped: bool) -> None:
        """One on all lanes: inside a data stream only behind EDS. Not where a lane lost its blocks."""
        if slipped and self._state != WAITING:
            self._error(time, None, "blocks slipped")
        elif self._state == ACTIVE:
            self._error(time, None, f"{ordered.name} without EDS before it")
        if ordered.name == "SDS":
            self._state = ACTIVE
            self._met = True
        elif not ordered.is_skp:
            self._state, self._open = WAITING, False
        elif self._state == ENDED:
            self._state = ACTIVE
        else:
            self._open = self.resume or not self._met

    def finish(self, time: int) -> None:
        self._deliver(False)
        if self._need:
            self.link.sink(Event(self._where[0], TOKEN, "cut-off", self._where[1], {"why": "the stream ends inside a packet"}))
