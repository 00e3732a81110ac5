"""The receiver of the data link layer: whether a DLLP or TLP is good, and whether a TLP is the next.

A TLP is delivered when its LCRC is right, it was ended with END, and its sequence number is the one that is due; one that
was delivered before is a duplicate, one that is ahead shows that another was lost. One that was ended with EDB and has its
LCRC inverted was nullified by its sender. (docs/dll of a BSD-2 fork of LitePCIe.)"""

from collections.abc import Callable

from .crc import dllp_crc, lcrc
from .dllp import decode as decode_dllp
from .events import DLLP, NOTE, TLP, Event
from .tlp import decode as decode_tlp

Sink = Callable[[Event], None]


class DataLink:
    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.expected: int | None = None  # the sequence number that is due; None before the first

    def dllp(self, time: int, lane: int, body: bytes, bad: str | None) -> None:
        """`body` with its CRC; `bad` says what went wrong below."""
        if bad is None and dllp_crc(body[:4]) != body[4:]:
            bad = "CRC"
        if bad is not None:
            self.sink(Event(time, DLLP, "DLLP", lane, {"status": "bad", "why": bad, "bytes": body}))
            return
        name, fields = decode_dllp(body[:4])
        self.sink(Event(time, DLLP, name, lane, {"status": "good", **fields, "bytes": body}))

    def tlp(self, time: int, lane: int, sequence: int, body: bytes, check: bytes, nullified: bool, bad: str | None) -> None:
        """`body` without sequence number and LCRC, which is `check`."""
        status = "bad"
        right = lcrc(sequence, body)
        if bad is None:
            if nullified:
                status, bad = ("nullified", None) if check == bytes(byte ^ 0xFF for byte in right) else ("bad", "EDB, LCRC not inverted")
            elif check != right:
                bad = "LCRC"
            else:
                status = self._in_sequence(time, lane, sequence)
        fields: dict[str, object] = {"status": status, "why": bad, "sequence": sequence}
        name = "TLP"
        if bad is None:
            name, decoded = decode_tlp(body)
            fields |= decoded
        self.sink(Event(time, TLP, name, lane, {**fields, "bytes": body}))

    def _in_sequence(self, time: int, lane: int, sequence: int) -> str:
        if self.expected is None:
            if sequence:
                self.sink(Event(time, NOTE, "first-sequence", lane, {"sequence": sequence}))
            self.expected = sequence
        ahead = sequence - self.expected & 0xFFF
        if ahead:
            return "duplicate" if ahead >= 2048 else "out-of-sequence"
        self.expected = sequence + 1 & 0xFFF
        return "good"

    def lost(self, time: int, lane: int, kind: str, why: str) -> None:
        """A packet that began and did not end."""
        self.sink(Event(time, TLP if kind == "TLP" else DLLP, kind, lane, {"status": "bad", "why": why}))
