"""What the decoder says: one event for each thing that was on the link, as soon as it is known what it was."""

import json
from dataclasses import dataclass, field

ORDERED_SET, DLLP, TLP, TOKEN = "ordered-set", "dllp", "tlp", "token"
ERROR = "error"  # what a receiver counts as an error of the line or of the link
RULE = "rule"  # what a transmitter may not do, though a receiver reads it
SUMMARY = "summary"
NOTE = "note"  # what the decoder found out and goes by from here on


@dataclass
class Event:
    """`time` in symbol times since the first that was fed, where it began, on the lane that arrives first (an error of a
    lane: on that lane); `lane`, of the connector, None where it is of all lanes."""

    time: int
    kind: str
    name: str
    lane: int | None = None
    fields: dict[str, object] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        """An error, a broken rule, or a packet that a receiver does not take as sent."""
        return self.kind in (ERROR, RULE) or self.fields.get("status") in ("bad", "out-of-sequence")

    def as_json(self) -> str:
        flat: dict[str, object] = {"time": self.time, "lane": self.lane, "kind": self.kind, "name": self.name}
        return json.dumps(flat | {key: value.hex() if isinstance(value, bytes) else value for key, value in self.fields.items()})

    def __str__(self) -> str:
        where = f"{self.time:>9} {'all' if self.lane is None else self.lane:>3}"
        told = " ".join(_told(key, value) for key, value in self.fields.items() if value is not None and key not in _LONG)
        mark = {ERROR: "ERROR ", RULE: "RULE ", NOTE: "NOTE "}.get(self.kind, "")
        return f"{where}  {mark}{self.name}{' ' if told else ''}{told}"


_LONG = ("bytes", "lanes")  # in JSON alone
_HEX = ("address", "requester", "completer", "tag", "lfsr", "first_be", "last_be", "value", "register", "code")


def _told(key: str, value: object) -> str:
    if value is True:
        return key
    if isinstance(value, int) and key in _HEX:
        return f"{key}={value:#x}"
    if isinstance(value, bytes):
        return f"{key}={value.hex()}"
    return f"{key}={value}".replace(" ", "_") if isinstance(value, str) and key != "why" else f"{key}={value}"
