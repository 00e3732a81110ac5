"""Lanes beside one another again: ordered sets, which are sent on all lanes at once, say what belongs together.

Generic over what a lane gives: an item is an OrderedSet, or something of the data stream (a symbol at 2.5 and 5 GT/s, a
block from 8 GT/s). A lane that lacks an ordered set that the others have, or has one that they lack, keeps its place where
its arrival says so; a lane that lost or doubled a symbol is put back at the next ordered set."""

from collections import deque
from collections.abc import Callable
from typing import Any

from .ordered import OrderedSet

MOST_SKEW = 20  # symbol times between the first and the last lane
PATIENCE = 128  # symbol times that a lane may be behind the others
AHEAD = MOST_SKEW + 4  # how far is looked to tell why lanes differ

Sink = Callable[[int, list[Any]], None]
Report = Callable[[int, str, int | None, dict[str, object]], None]


class Deskew:
    """`ordered_set(time, sets)` and `data(time, items)` take one item of each lane, with the time at the lane that is first;
    `missing` stands for data that a lane does not have. `blocks` says that data is in
    blocks."""

    def __init__(self, lanes: list[deque[Any]], ordered_set: Sink, data: Sink, report: Report, missing: Any, blocks: bool) -> None:
        self.lanes = lanes
        self.ordered_set, self.data, self.report = ordered_set, data, report
        self.missing = missing
        self.blocks = blocks
        self.skew: list[int] | None = None
        self._first = 0  # the lane whose symbols arrive first

    def run(self, now: int, ending: bool = False) -> None:
        """Gives what all lanes have at the symbol time `now`. With `ending`, no more will come."""
        lanes = self.lanes
        while all(lanes):
            if self.skew is None:
                if not self._align():
                    break
                continue
            sets = [type(lane[0][1]) is OrderedSet for lane in lanes]
            if not any(sets):
                self._rows()
            elif all(sets):
                self._sets()
            elif not self._mixed(sets, ending):
                break
        self._patience(now)

    def _patience(self, now: int) -> None:
        """Lanes that give nothing any more are not waited for: the others would be kept for ever."""
        if not any(lane and lane[0][0] < now - PATIENCE for lane in self.lanes):
            return
        silent = [number for number, lane in enumerate(self.lanes) if not lane or lane[-1][0] < now - PATIENCE // 2]
        if self.skew is not None:
            for number in silent:
                self.report(now, "silent", number, {"why": "nothing while other lanes go on"})
            self.skew = None
        for lane in self.lanes:
            while lane and lane[0][0] < now - PATIENCE:
                lane.popleft()

    def _rows(self) -> None:
        lanes, data, first = self.lanes, self.data, self.lanes[self._first]
        if len(lanes) == 1:
            while first and type(first[0][1]) is not OrderedSet:
                time, item = first.popleft()
                data(time, [item])
            return
        data(first[0][0], [lane.popleft()[1] for lane in lanes])

    def _align(self) -> bool:
        """At the beginning: the first ordered sets of all lanes that arrived within the skew that may be."""
        for lane in self.lanes:
            while lane and type(lane[0][1]) is not OrderedSet:
                lane.popleft()
        if not all(self.lanes):
            return False
        times = [lane[0][0] for lane in self.lanes]
        first = min(times)
        if max(times) - first > MOST_SKEW:
            self.lanes[times.index(first)].popleft()
            return True
        self._set_skew(times)
        return True

    def _set_skew(self, times: list[int]) -> None:
        first = min(times)
        self.skew, self._first = [time - first for time in times], times.index(first)

    def _sets(self) -> None:
        heads = [lane.popleft() for lane in self.lanes]
        times = [head[0] for head in heads]
        if max(times) - min(times) > MOST_SKEW:
            self.report(min(times), "skew", None, {"symbols": max(times) - min(times)})
        self._set_skew(times)
        if any(head[1].name == "electrical-idle" for head in heads):
            self.skew = None
        self.ordered_set(min(times), [head[1] for head in heads])

    def _mixed(self, sets: list[bool], ending: bool) -> bool:
        """Some lanes have an ordered set where others have data. False where more has to come before it can be told why."""
        assert self.skew is not None
        base = min(lane[0][0] - skew for lane, skew in zip(self.lanes, self.skew))
        if not ending and any(lane[-1][0] - skew <= base + AHEAD for lane, skew in zip(self.lanes, self.skew)):
            return False
        marks = [self._marks(lane, skew, base) for lane, skew in zip(self.lanes, self.skew)]
        most_have = sum(sets) * 2 > len(sets)
        reference = marks[sets.index(most_have)]
        odd = [lane for lane, is_set in enumerate(sets) if is_set != most_have]
        if most_have:
            wrong = [lane for lane in odd if not marks[lane] or _nearer(marks[lane][0], reference)]
            self._lacking(wrong, sets, base)
        else:
            wrong = [lane for lane in odd if not reference or _nearer(reference[0], marks[lane])]
            self._alone(wrong, base)
        if not wrong:
            self._slipped(odd, base)
        return True

    @staticmethod
    def _marks(lane: deque[Any], skew: int, base: int) -> list[int]:
        """When the next ordered sets of a lane are due at the lane that is first."""
        found = []
        for time, item in lane:
            if time - skew > base + AHEAD:
                break
            if type(item) is OrderedSet:
                found.append(time - skew)
        return found

    def _slipped(self, late: list[int], time: int) -> None:
        """All lanes have it, but not at the same place: the lanes `late` lost or doubled symbols."""
        counts = [self._before(lane) for lane in self.lanes]
        for lane in late:
            self.report(time, "slip", lane, {"items": max(counts)})
        for row in range(max(counts)):
            self.data(time + row, [lane.popleft()[1] if row < count else self.missing for lane, count in zip(self.lanes, counts)])

    @staticmethod
    def _before(lane: deque[Any]) -> int:
        return next((index for index, (_, item) in enumerate(lane) if type(item) is OrderedSet), len(lane))

    def _lacking(self, lacking: list[int], sets: list[bool], time: int) -> None:
        """Lanes without the ordered set of the others: what they have in its place is none of the stream."""
        assert self.skew is not None
        lengths = [lane[0][1].length for lane, is_set in zip(self.lanes, sets) if is_set]
        begin = min(lane[0][0] - skew for lane, skew, is_set in zip(self.lanes, self.skew, sets) if is_set)
        length = max(set(lengths), key=lengths.count)
        for number in lacking:
            lane, end = self.lanes[number], begin + length + self.skew[number]
            self.report(time, "deskew", number, {"why": "no ordered set where the others have one"})
            at = lane[0][0]
            while lane and lane[0][0] < end and type(lane[0][1]) is not OrderedSet:
                lane.popleft()
            lane.appendleft((at, OrderedSet("missing", length, True)))

    def _alone(self, alone: list[int], time: int) -> None:
        """Ordered sets where most lanes have data: their symbols were something else."""
        for number in alone:
            lane = self.lanes[number]
            at, ordered = lane.popleft()
            self.report(time, "deskew", number, {"why": f"{ordered.name} where the others have data"})
            items = 1 if self.blocks else ordered.length
            lane.extendleft((at + index, self.missing) for index in reversed(range(items)))


def _nearer(time: int, marks: list[int]) -> bool:
    """Whether the second of the marks is nearer than the first."""
    return len(marks) > 1 and abs(time - marks[1]) < abs(time - marks[0])
