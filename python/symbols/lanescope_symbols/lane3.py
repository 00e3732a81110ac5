"""One lane from 8 GT/s: symbols to blocks, ordered sets named, data blocks descrambled.

What comes out is a list of (time, item): bytes are a data block of sixteen symbols (fewer where it was cut off), an OrderedSet one of these, None a block
that is neither. The scrambler advances over every symbol but those of SKP ordered sets, and starts from the lane's seed
after EIEOS; data blocks and the symbols of TS1 and TS2 after the first are scrambled (comments of the open Gen3 soft MAC,
see `ordered`)."""

from collections import deque
from collections.abc import Callable

from . import ordered as o
from . import symbol as s
from .ordered import OrderedSet
from .scramble import SEEDS, block23, xor

Report = Callable[[int, str, dict[str, object]], None]
Item = tuple[int, "bytes | OrderedSet | None"]
LONGEST_SKP = 24
MOST_HIT = 2  # bits of the scrambler in a SKP that the line may have changed


class Lane3:
    """`number` is the lane's own, which chooses its seed; TS1 and TS2 may correct it."""

    def __init__(self, report: Report, generation: int, number: int) -> None:
        self.out: deque[Item] = deque()
        self.report = report
        self.generation = generation
        self.number = number
        self.inverted = False
        self.locked = False  # an EIEOS or a SKP said what the scrambler is
        self._eieos = o.eieos(generation)
        self._state = SEEDS[number % 8]
        self._parity: int | None = None  # of the data since SDS or SKP; None before the first
        self._after_data = False
        self._block = bytearray()
        self._length = 0  # of the block that has begun; 0 between blocks
        self._header = 0
        self._time = 0
        self._lost = False  # symbols that are in no block
        self._slipped = False  # until the next block, which says so

    def feed(self, time: int, symbol: int) -> None:
        if symbol & s.IDLE:
            self._idle(time)
            return
        if symbol & s.START:
            if self._length:
                self._short(time)
            self._begin(time, symbol)
        elif not self._length:
            if self.locked and not self._lost:
                self.report(time, "sync-header", {"why": "no block starts where the last ends"})
                self._slipped = True
            self._lost = True
            return
        self._block.append(symbol & 0xFF ^ (0xFF if self.inverted else 0))
        count = len(self._block)
        if count == self._length:
            self._end()
        elif self._length == LONGEST_SKP and count % 4 == 1 and count > 4 and self._block[-1] in (o.SKP_END, o.SKP_END_CONTROL):
            self._length = count + 3

    def _begin(self, time: int, symbol: int) -> None:
        header = s.header(symbol)
        self._header = header ^ 3 if self.inverted else header
        self._time, self._lost, self._length = time, False, 16
        first = symbol & 0xFF ^ (0xFF if self.inverted else 0)
        if self._header == s.ORDERED_SET and o.FIRST_SYMBOL.get(first) == "SKP":
            self._length = LONGEST_SKP

    def _short(self, time: int) -> None:
        """A block began before the last was complete. What came of it is given: packets may have ended in it."""
        self.report(time, "block-length", {"symbols": len(self._block)})
        keys, after = block23(self._state, len(self._block))
        self.out.append((self._time, xor(bytes(self._block), keys) if self._header == s.DATA else None))
        if self._length == 16:  # SKP does not advance the scrambler
            self._state = after
        else:
            self._slipped = self.locked
        self._block.clear()

    def _idle(self, time: int) -> None:
        if self._length:
            self._short(time)
        if self.locked:
            self.out.append((time, OrderedSet("electrical-idle", 1)))
        self._length, self.locked, self._lost, self._parity = 0, False, False, None

    def _end(self) -> None:
        raw = bytes(self._block)
        self._block.clear()
        self._length = 0
        if self._header == s.DATA:
            if raw == bytes(byte ^ 0xFF for byte in self._eieos):
                self._invert(raw)
                self._slipped = False
                return
            keys, self._state = block23(self._state)
            if self._parity is not None:
                self._parity ^= int.from_bytes(raw, "little").bit_count() & 1
            self._after_data = True
            self.out.append((self._time, None if self._slipped else xor(raw, keys)))
        elif self._header == s.ORDERED_SET:
            name = o.FIRST_SYMBOL.get(raw[0])
            if name == "SKP":
                self._skp(raw)
            else:
                self._ordered(name, raw)
            self._after_data = False
            if self._slipped:
                ordered = self.out[-1][1]
                assert isinstance(ordered, OrderedSet)
                ordered.slipped = True
        else:
            self.report(self._time, "sync-header", {"value": self._header})
            self._state = block23(self._state)[1]
            self.out.append((self._time, None))
        self._slipped = False

    def _invert(self, raw: bytes) -> None:
        """No data looks like an inverted EIEOS: the lane's P and N are exchanged."""
        self.inverted = not self.inverted
        self._header = s.ORDERED_SET
        self._ordered("EIEOS", bytes(byte ^ 0xFF for byte in raw), {"inverted": True})

    def _ordered(self, name: str | None, raw: bytes, fields: dict[str, object] | None = None) -> None:
        keys, after = block23(self._state)
        if name is None:
            self.report(self._time, "ordered-set", {"why": "unknown", "value": raw[0]})
            ordered = OrderedSet("broken", 16, True)
        elif name in ("TS1", "TS2"):
            ordered, after = self._training(name, raw, keys, after)
        else:
            ordered = OrderedSet(name, 16, not self._whole(name, raw), dict(fields or {}))
        if name == "EIEOS":
            after, self.locked = SEEDS[self.number % 8], True
        elif name == "SDS":
            self._parity = 0
        self._state = after
        self.out.append((self._time, ordered))

    def _whole(self, name: str, raw: bytes) -> bool:
        """Whether all symbols are what they should be. Those of FTS after the first: no public page says."""
        if name == "EIEOS":
            return raw == self._eieos
        if name == "EIOS":
            return raw == b"\x66" * 16
        if name == "SDS":
            return raw[1:] == bytes([o.SDS_SYMBOL[self.generation]]) * 15
        return True

    def _training(self, name: str, raw: bytes, keys: bytes, after: int) -> tuple[OrderedSet, int]:
        identifier = o.TS1_ID if name == "TS1" else o.TS2_ID
        plain = xor(raw, b"\0" + keys[1:])
        if plain[10:14].count(identifier) < 2:
            found = self._other_seed(raw, identifier)
            if found is not None:
                self.number, plain, after = found
        wrong = plain[10:14].count(identifier) < 4
        for index in (14, 15):
            wrong |= plain[index] != identifier and raw[index] not in o.BALANCE[index - 14]
        link, lane = (None if byte == 0xF7 else byte for byte in plain[1:3])
        fields = o.training(link, lane, plain[3], plain[4], plain[5])
        fields["equalization"] = plain[6:10].hex()
        if not wrong and lane is not None and lane % 8 == self.number % 8:
            self.number = lane
        return OrderedSet(name, 16, wrong, fields if not wrong else {}), after

    def _other_seed(self, raw: bytes, identifier: int) -> tuple[int, bytes, int] | None:
        """The lane is another than was thought: of the seeds that the last EIEOS may have set, the one with which this is a
        TS."""
        if not self.locked:
            return None
        for number, seed in enumerate(SEEDS):
            keys, after = block23(seed)
            plain = xor(raw, b"\0" + keys[1:])
            if plain[10:14] == bytes([identifier]) * 4:
                return number, plain, after
        return None

    def _skp(self, raw: bytes) -> None:
        end = raw[-4]
        count = len(raw) - 4
        damaged = end not in (o.SKP_END, o.SKP_END_CONTROL) or any(byte != raw[0] for byte in raw[:count])
        fields: dict[str, object] = {"symbols": count}
        if raw[0] != o.SKP_SYMBOL[self.generation]:
            fields["value"] = raw[0]
        if damaged:
            self.report(self._time, "ordered-set", {"why": "damaged SKP"})
        else:
            self._carried(raw[-3:], end == o.SKP_END, fields)
        self._parity = 0
        name = "SKP-control" if end == o.SKP_END_CONTROL else "SKP"
        self.out.append((self._time, OrderedSet(name, len(raw), damaged, fields)))

    def _carried(self, three: bytes, standard: bool, fields: dict[str, object]) -> None:
        """The scrambler of a standard SKP is that of the next symbol; its highest bit is the parity of the data before it,
        or, after an ordered set, the complement of the scrambler's. A control SKP has the parity and the words of lane
        margining."""
        parity = three[0] >> 7
        if not standard:
            fields["margin"] = three.hex()
        else:
            lfsr = (three[0] & 0x7F) << 16 | three[1] << 8 | three[2]
            fields["lfsr"] = lfsr
            if lfsr != self._state:
                if self.locked:
                    self.report(self._time, "scrambler", {"lfsr": lfsr, "expected": f"{self._state:#x}"})
                # A scrambler that is out of step differs in about half of its bits.
                if not self.locked or (lfsr ^ self._state).bit_count() > MOST_HIT:
                    self._state = lfsr
            self.locked = True
            if not self._after_data:
                if self._parity is not None and parity == lfsr >> 22:
                    self.report(self._time, "data-parity", {"value": parity})
                return
        if self._parity is not None and self._after_data and parity != self._parity:
            self.report(self._time, "data-parity", {"value": parity})

    def finish(self) -> None:
        """Nothing waits."""
