"""Packets at 2.5 and 5 GT/s: STP or SDP, bytes over the lanes in turn, END or EDB; logical idle and PAD between them.

Control symbols: see `symbol`. Where packets may begin: from x8 on in lanes 0, 4, 8 and so on, behind idle in lane 0; END and EDB
in lanes 3, 7 and so on, and behind them another packet or PAD; a code violation or disparity error makes the packet bad (OpenSPARC
T2, pl_top.cpp, the receiver of its model of an x8 link). At most one STP and one SDP in a symbol time: assumed."""

from typing import Any

from . import symbol as s
from .datalink import DataLink
from .events import ERROR, RULE, TOKEN, Event
from .ordered import OrderedSet

SHORTEST_TLP, DLLP_BYTES = 18, 6


class Framing12:
    """`order[i]` is the lane of the connector on which the transmitter's lane i arrives."""

    def __init__(self, link: DataLink, order: list[int]) -> None:
        self.link = link
        self.order = order
        self.started: int | None = None  # when the last packet began, for the watch of SKP
        self.ended: int | None = None
        self.counts = {"idle": 0, "pad": 0, "tlp": 0, "dllp": 0, "other": 0}
        self._kind: int | None = None  # STP or SDP while a packet lasts
        self._bytes = bytearray()
        self._bad: str | None = None
        self._where = (0, 0)
        self._noise = False  # symbols that are no packet, said once
        self._idle_before = True

    def data(self, time: int, items: list[Any]) -> None:
        if self._kind is None:
            if not any(items):
                self.counts["idle"] += len(items)
                self._noise, self._idle_before = False, True
                return
        elif max(items) < 0x100:
            self._bytes += bytes([items[lane] for lane in self.order])
            return
        self._symbols(time, items)

    def _symbols(self, time: int, items: list[Any]) -> None:
        wide = len(items) >= 8
        begun: list[int] = []
        ended = idle = False
        for index, lane in enumerate(self.order):
            symbol = items[lane]
            wrong = symbol & s.DISPARITY
            if wrong:
                self._bad = self._bad or "disparity"
                symbol &= ~s.DISPARITY
            if symbol in (s.STP, s.SDP):
                self._begin(time, lane, symbol)
                self._bad = "disparity" if wrong else None
                self._placed(time, index, symbol, begun, idle or self._idle_before and not begun and not ended)
                begun.append(symbol)
            elif symbol in (s.END, s.EDB):
                self._end(time, lane, symbol)
                ended = True
            elif self._kind is not None:
                self._inside(symbol)
            elif symbol == 0:
                self.counts["idle"] += 1
                idle = True
                if wide and ended:
                    self._rule(time, lane, "idle behind END where PAD fills the symbol time")
                    ended = False
            elif symbol == s.PAD and wide and (ended or begun):
                self.counts["pad"] += 1
            else:
                self._outside(time, lane, symbol)
        self._idle_before = idle

    def _placed(self, time: int, index: int, symbol: int, begun: list[int], after_idle: bool) -> None:
        name = s.name(symbol)
        if index % (4 if len(self.order) >= 8 else len(self.order)):
            self._rule(time, self.order[index], f"{name} in lane {index}")
        elif index and after_idle:
            self._rule(time, self.order[index], f"{name} in lane {index} after idle")
        if symbol in begun:
            self._rule(time, self.order[index], f"two {name} in a symbol time")

    def _rule(self, time: int, lane: int, why: str) -> None:
        self.link.sink(Event(time, RULE, "placement", lane, {"why": why}))

    def _begin(self, time: int, lane: int, symbol: int) -> None:
        if self._kind is not None:
            self._drop(time, lane, f"{s.name(symbol)} inside")
        self._kind, self._where, self._noise = symbol, (time, lane), False
        self._bytes.clear()
        self.started, self.ended = time, None

    def _inside(self, symbol: int) -> None:
        if symbol > 0xFF:
            self._bad = self._bad or ("code violation" if symbol & s.BAD else f"{s.name(symbol)} inside")
        self._bytes.append(symbol & 0xFF)

    def _outside(self, time: int, lane: int, symbol: int) -> None:
        self.counts["other"] += 1
        if not self._noise and not symbol & s.BAD:
            self.link.sink(Event(time, ERROR, "framing", lane, {"why": f"{s.name(symbol)} outside of a packet"}))
            self._noise = True

    def _end(self, time: int, lane: int, symbol: int) -> None:
        kind, self._kind = self._kind, None
        self.ended = time
        if kind is None:
            self._outside(time, lane, symbol)
            return
        body, where = bytes(self._bytes), self._where
        self.counts["tlp" if kind == s.STP else "dllp"] += len(body) + 2
        if kind == s.SDP:
            bad = self._bad or (None if len(body) == DLLP_BYTES else f"{len(body)} bytes")
            self.link.dllp(*where, body, bad or ("EDB" if symbol == s.EDB else None))
            return
        bad = self._bad
        if len(body) < SHORTEST_TLP or len(body) % 4 != 2:
            bad = bad or f"{len(body)} bytes"
        if bad is None and body[0] > 15:
            bad = "reserved bits of the sequence number"
        sequence = int.from_bytes(body[:2], "big") & 0xFFF
        self.link.tlp(*where, sequence, body[2:-4], body[-4:], symbol == s.EDB, bad)

    def _drop(self, time: int, lane: int | None, why: str) -> None:
        """A packet that did not end."""
        self.link.sink(Event(time, ERROR, "framing", lane, {"why": why}))
        self.counts["other"] += len(self._bytes) + 1
        kind, self._kind = self._kind, None
        self.link.lost(*self._where, "TLP" if kind == s.STP else "DLLP", why)

    def ordered_set(self, time: int, ordered: OrderedSet, _slipped: bool) -> None:
        """One on all lanes; none may be inside a packet."""
        if self._kind is not None:
            self._drop(time, None, f"{ordered.name} inside")
        self._noise, self._idle_before = False, True

    def finish(self, time: int) -> None:
        if self._kind is not None:
            self.link.sink(Event(*self._where[:1], TOKEN, "cut-off", self._where[1], {"why": "the stream ends inside a packet"}))
