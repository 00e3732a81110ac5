"""One lane at 2.5 and 5 GT/s: ordered sets are taken out, data is descrambled.

What comes out is a list of (time, item): an integer is a symbol of the data stream (descrambled; K and BAD as in `symbol`),
anything else an OrderedSet. COM sets the scrambler, SKP does not advance it, every other symbol does; ordered sets are not
scrambled."""

from collections import deque
from collections.abc import Callable

from . import symbol as s
from .code8b10b import INVERTED
from .ordered import INVERTED_IDS, NAME_OF_ID, OrderedSet, training
from .scramble import PERIOD_16, SEQUENCE_16

REPEATED = (s.SKP, s.FTS, s.IDL, s.EIE)  # what ordered sets repeat behind COM

Report = Callable[[int, str, dict[str, object]], None]
Item = tuple[int, "int | OrderedSet"]


class Lane12:
    """`report(time, name, fields)` takes the errors of this lane."""

    def __init__(self, report: Report) -> None:
        self.out: deque[Item] = deque()
        self.report = report
        self.inverted = False
        self.scrambled = True
        self._position: int | None = None  # in the scrambler's sequence; None before the first COM
        self._set: list[int] = []  # the symbols of an ordered set that has begun
        self._times: list[int] = []
        self._told = 0  # what the ordered set is, where the symbol that says so was hit
        self._twice: int | None = None  # when COM came, where it came again behind itself
        self._held: tuple[int, int] | None = None  # a symbol after SKPs of which it is not yet known whether it is one of them

    def feed(self, time: int, symbol: int) -> None:
        flag = 0
        if symbol & (s.IDLE | s.DISPARITY | s.BAD):
            if symbol & s.IDLE:
                self._idle(time)
                return
            if self._position is None and not self._set:
                symbol &= ~s.DISPARITY  # before the first COM there is no disparity to go by, and nothing is read
            elif symbol & s.DISPARITY:
                self.report(time, "disparity", {"symbol": s.name(symbol)})
                symbol, flag = symbol & ~s.DISPARITY, s.DISPARITY
            else:
                self.report(time, "code-violation", {})
        if self.inverted and not symbol & s.BAD:
            symbol = INVERTED.get(symbol, s.BAD)
        if self._set:
            self._in_set(time, symbol)
        elif symbol == s.COM:
            self._begin(time)
        elif self._position is not None:
            self._plain(time, symbol, flag)

    def _idle(self, time: int) -> None:
        """Electrical idle ends what has begun; the lane is in step again after the next COM."""
        if self._set or self._position is not None:
            self._end_skp_or_abandon("electrical idle")
            self.out.append((time, OrderedSet("electrical-idle", 1)))
        self._position = None

    def _begin(self, time: int) -> None:
        self._set, self._times, self._position, self._told = [s.COM], [time], 0, 0

    def _plain(self, time: int, symbol: int, flag: int = 0) -> None:
        """A symbol outside of ordered sets."""
        position = self._position or 0
        if symbol == s.SKP:  # of an ordered set whose COM was lost
            self.report(time, "symbol", {"symbol": "SKP", "why": "outside of an ordered set"})
            self.out.append((time, symbol))
            return
        if symbol < 0x100 and self.scrambled:
            symbol ^= SEQUENCE_16[position]
        self._position = position + 1 if position + 1 < PERIOD_16 else 0
        self.out.append((time, symbol | flag))

    def _in_set(self, time: int, symbol: int) -> None:
        seen = self._set
        if symbol == s.COM and len(seen) == 1 and self._twice is None:
            self._twice = self._times[0]
            self._begin(time)
            return
        if len(seen) == 1 and symbol != s.SKP:
            self._one_com()
        if symbol == s.COM and not (len(seen) == 2 and seen[1] == 0xB5):
            self._end_skp_or_abandon("COM")
            self._begin(time)
            return
        kind = seen[1] if len(seen) > 1 else symbol
        if len(seen) == 2 and symbol in REPEATED and kind not in REPEATED:
            kind = symbol  # the symbol after COM was hit
            self._told = kind
        elif len(seen) > 2 and self._told:
            kind = self._told
        if kind == s.SKP:
            self._in_skp(time, symbol)
            return
        seen.append(symbol)
        self._times.append(time)
        self._position = (self._position or 0) + 1
        if kind in (s.FTS, s.IDL):
            if len(seen) == 4:
                self._fixed("FTS" if kind == s.FTS else "EIOS", [kind] * 3)
        elif kind == s.EIE:
            if len(seen) == 16:
                self._fixed("EIEOS", [s.EIE] * 14 + [0x4A])
        elif len(seen) == 4 and seen[2] == s.COM:
            self._fixed("compliance", [0xB5, s.COM, 0x4A])
            self._position = 1
        elif len(seen) > 2 and kind & s.K and kind != s.PAD:
            self._abandon("symbol after COM")
        elif len(seen) > 3 and symbol & (s.K | s.BAD) == s.K:
            self._abandon(f"{s.name(symbol)} inside")
        elif len(seen) == 16:
            self._training()

    def _in_skp(self, time: int, symbol: int) -> None:
        seen = self._set
        if symbol == s.SKP:
            if self._held is not None:  # one of the SKPs was hit
                seen.append(self._held[1])
                self._held = None
            seen.append(symbol)
            return
        if self._held is None and (symbol & s.BAD or len(seen) < 4):
            self._held = (time, symbol)
            return
        self._end_skp_or_abandon("")
        self.feed_clean(time, symbol)

    def feed_clean(self, time: int, symbol: int) -> None:
        """A symbol whose errors were reported and whose polarity is right."""
        if symbol == s.COM:
            self._begin(time)
        else:
            self._plain(time, symbol)

    def _end_skp_or_abandon(self, why: str) -> None:
        if len(self._set) < 2 or s.SKP not in (self._set[1], self._told):
            self._abandon(why)
            return
        held, self._held = self._held, None
        length, time = len(self._set), self._times[0]
        # A last SKP that was hit belongs to the set: four symbols are what a transmitter sends.
        if held is not None and held[1] & s.BAD and length == 3:
            length, held = 4, None
        damaged = any(symbol != s.SKP for symbol in self._set[1:]) or length != len(self._set)
        if self._twice is not None:
            time, length, damaged, self._twice = self._twice, length + 1, True, None
        self._position, self._set = 0, []
        self.out.append((time, OrderedSet("SKP", length, damaged, {"symbols": length - 1})))
        if held is not None:
            self._plain(*held)

    def _fixed(self, name: str, expected: list[int]) -> None:
        """An ordered set whose symbols are always the same. One that was hit in less than half of them is still known."""
        wrong = sum(a != b for a, b in zip(self._set[1:], expected))
        if wrong * 2 > len(expected):
            self._abandon("unknown symbols")
            return
        self._done(OrderedSet(name, len(self._set), wrong > 0))

    def _training(self) -> None:
        seen = self._set
        identifiers = seen[6:]
        likely = max(set(identifiers), key=identifiers.count)
        inverted = likely in INVERTED_IDS
        name = NAME_OF_ID.get(INVERTED_IDS.get(likely, likely))
        if name is None or identifiers.count(likely) < 6:
            self._abandon("unknown identifiers")
            return
        if inverted:
            seen = [INVERTED.get(symbol, s.BAD) for symbol in seen]
            self.inverted = not self.inverted
        link, lane = (None if symbol == s.PAD else symbol & 0xFF for symbol in seen[1:3])
        fields = training(link, lane, seen[3] & 0xFF, seen[4] & 0xFF, seen[5] & 0xFF)
        fields["inverted"] = True if inverted else None
        fields["value"] = None
        if identifiers[0] != likely and not identifiers[0] & s.BAD:
            fields["value"] = seen[6] & 0xFF  # equalisation of the rates above, in the first of the identifiers
        damaged = any(symbol & s.BAD for symbol in seen) or identifiers[1:].count(likely) < 9 or lane is not None and lane > 31
        self.scrambled = not seen[5] & 8
        self._done(OrderedSet(name, 16, damaged, fields))

    def _done(self, ordered: OrderedSet) -> None:
        self.out.append((self._times[0], ordered))
        self._set = []

    def _abandon(self, why: str) -> None:
        """What looked like an ordered set is none: its place is kept, so that lanes stay beside one another."""
        if not self._set:
            return
        self._one_com()
        self.report(self._times[0], "ordered-set", {"why": why, "symbols": len(self._set)})
        self.out.append((self._times[0], OrderedSet("broken", len(self._set), True)))
        self._set, self._held = [], None

    def _one_com(self) -> None:
        """The first of two COMs was none of a SKP: it is said, and keeps its place."""
        if self._twice is not None:
            self.report(self._twice, "ordered-set", {"why": "COM", "symbols": 1})
            self.out.append((self._twice, OrderedSet("broken", 1, True)))
            self._twice = None

    def finish(self) -> None:
        if len(self._set) > 1 and s.SKP in (self._set[1], self._told):
            self._end_skp_or_abandon("")
