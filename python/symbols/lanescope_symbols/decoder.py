"""The decoder of one direction of a link: symbols in, a clock at a time; events out."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from . import symbol as s
from .code8b10b import IDLE_CODE, Decoder8b10b
from .datalink import DataLink
from .deskew import Deskew
from .events import DLLP, ERROR, NOTE, ORDERED_SET, RULE, SUMMARY, TLP, Event
from .framing3 import Framing3
from .framing12 import Framing12
from .lane3 import Lane3
from .lane12 import Lane12
from .ordered import OrderedSet
from .skip import SkipWatch

WIDTHS = (1, 2, 4, 8, 12, 16, 32)
LANE_FIELDS = ("inverted", "equalization", "lfsr", "margin")


def _symbol(lane: Decoder8b10b, code: int) -> int:
    return s.IDLE if code == IDLE_CODE else lane.symbol(code)


class Decoder:
    """`generation` 1 to 5; `lanes` one of WIDTHS; with `codes`, symbols of Gen1 and Gen2 are given as codes of ten bits
    (`code8b10b`). `order[i]` is the lane on which the transmitter's lane i arrives: lane i, until TS1 or TS2 say otherwise.
    `resume`: see `framing3`."""

    def __init__(self, generation: int, lanes: int, codes: bool = False, order: Sequence[int] | None = None, resume: bool = False) -> None:
        if generation not in range(1, 6):
            raise ValueError(f"generation {generation}: 1 to 5 are known")
        if lanes not in WIDTHS:
            raise ValueError(f"{lanes} lanes: a link has {', '.join(map(str, WIDTHS[:-1]))} or {WIDTHS[-1]}")
        if order is not None and sorted(order) != list(range(lanes)):
            raise ValueError(f"order {list(order)}: each of the lanes 0 to {lanes - 1} is in it once")
        if codes and generation > 2:
            raise ValueError(f"generation {generation} has no codes of ten bits")
        self.generation, self.width = generation, lanes
        self.time = 0
        self.events: list[Event] = []
        self.seen: Counter[str] = Counter()
        self._first: int | None = None  # the time of the first ordered set of all lanes
        self._blocks = generation > 2
        self._order = list(range(lanes)) if order is None else list(order)
        self._codes = [Decoder8b10b() for _ in range(lanes)] if codes else None
        self._lanes: list[Any] = [self._lane(lane) for lane in range(lanes)]
        self._skip = SkipWatch(self._blocks)
        link = DataLink(self._emit)
        self.framing = Framing3(link, self._order, resume) if self._blocks else Framing12(link, self._order)
        queues = [lane.out for lane in self._lanes]
        missing = None if self._blocks else s.BAD
        self._deskew = Deskew(queues, self._ordered_sets, self.framing.data, self._report, missing, self._blocks)

    def _lane(self, number: int) -> Lane12 | Lane3:
        def report(time: int, name: str, fields: dict[str, object]) -> None:
            self._report(time, name, number, fields)

        return Lane3(report, self.generation, self._order.index(number)) if self._blocks else Lane12(report)

    def feed(self, symbols: Sequence[int | None]) -> list[Event]:
        """One clock: what each lane of the connector gives (`symbol`, or a code), None where a lane gives nothing. Returns
        what is known now that was not before."""
        self.put(symbols)
        self._deskew.run(self.time)
        return self.take()

    def put(self, symbols: Sequence[int | None]) -> None:
        """As `feed`, without looking what it means: for many clocks at a time, before `run`."""
        time = self.time
        if self._codes is not None:
            symbols = [code if code is None else _symbol(lane, code) for lane, code in zip(self._codes, symbols, strict=True)]
        for lane, symbol in zip(self._lanes, symbols, strict=True):
            if symbol is not None:
                lane.feed(time, symbol)
        self.time = time + 1

    def run(self) -> list[Event]:
        self._deskew.run(self.time)
        return self.take()

    def finish(self) -> list[Event]:
        """The end of the stream: the last events, and a summary."""
        for lane in self._lanes:
            lane.finish()
        self._deskew.run(self.time, ending=True)
        self.framing.finish(self.time)
        if self._first is None and self.time:
            self._report(self.time, "no-lock", None, {"why": "no ordered set on all lanes"})
        counts = {f"symbols_{name}": count for name, count in self.framing.counts.items()}
        fields = {"symbol_times": self.time, "skew": self._deskew.skew, **counts, **self._skip.summary(), **self.seen}
        self.events.append(Event(self.time, SUMMARY, "summary", None, fields))
        return self.take()

    def take(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        if event.kind in (TLP, DLLP):
            self.seen[f"{event.kind}s_{event.fields['status']}"] += 1
        elif event.kind in (ERROR, RULE):
            self.seen[f"{event.kind}s"] += 1

    def _report(self, time: int, name: str, lane: int | None, fields: dict[str, object]) -> None:
        self._emit(Event(time, ERROR, name, lane, fields))

    def _ordered_sets(self, time: int, sets: list[OrderedSet]) -> None:
        """One of each lane, which should be the same."""
        self._first = time if self._first is None else self._first
        names = [ordered.name for ordered in sets]
        known = [name for name in names if name not in ("broken", "missing")] or names
        name = max(set(known), key=known.count)
        like = [ordered for ordered in sets if ordered.name == name]
        odd = [lane for lane, ordered in enumerate(sets) if ordered.name != name or ordered.damaged]
        fields = dict(next((ordered for ordered in like if not ordered.damaged), like[0]).fields)
        for key in LANE_FIELDS:
            fields.pop(key, None)
        if name in ("TS1", "TS2"):
            fields |= self._training(time, sets)
        elif name == "electrical-idle":
            self._skip.restart()
        if like[0].is_skp:
            fields |= self._skp(time, sets)
        self._polarity(time, sets)
        self._emit(Event(time, ORDERED_SET, name, None, {**fields, "damaged_on": odd or None}))
        self.framing.ordered_set(time, like[0], any(ordered.slipped for ordered in sets))

    def _skp(self, time: int, sets: list[OrderedSet]) -> dict[str, object]:
        interval, late = self._skip.skp(time, self.framing.started, self.framing.ended)
        if late:
            self._report(time, "skp-interval", None, {"interval": interval})
        margins = [ordered.fields["margin"] for ordered in sets if "margin" in ordered.fields]
        return {"interval": interval, "margin": margins[0] if margins else None, "lanes": [ordered.fields for ordered in sets]}

    def _training(self, time: int, sets: list[OrderedSet]) -> dict[str, object]:
        """The lane numbers of all lanes; where they are those of a whole link, they say in what order its lanes arrive."""
        numbers = [ordered.fields.get("lane") for ordered in sets]
        told: dict[str, object] = {"lane": ",".join(map(str, numbers))}
        equalization = [ordered.fields.get("equalization") for ordered in sets]
        if any(equalization):
            told["lanes"] = equalization
        whole = not any(ordered.damaged for ordered in sets)
        if whole and sorted(map(str, numbers)) == sorted(map(str, range(self.width))):
            order = [numbers.index(number) for number in range(self.width)]
            if order != self._order:
                self._order[:] = order
                self._emit(Event(time, NOTE, "lane-order", None, {"order": ",".join(map(str, order))}))
        return told

    def _polarity(self, time: int, sets: list[OrderedSet]) -> None:
        for lane, ordered in enumerate(sets):
            if ordered.fields.get("inverted"):
                self._emit(Event(time, NOTE, "polarity", lane, {"inverted": self._lanes[lane].inverted}))
