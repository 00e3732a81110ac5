"""Symbol files (docs/symbols.md): the only place that knows their format."""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from . import symbol as s
from .code8b10b import IDLE_CODE

VERSION = 1
FORMS = {"code": (1, 2), "byte": (1, 2), "block": (3, 4, 5)}
_A_FIRST = [int(f"{code:010b}"[::-1], 2) for code in range(1024)]
CHUNK = 4096  # symbol times


class FormatError(ValueError):
    """The file is not a symbol file, or not one that can be read: says what is wrong, and where."""


@dataclass
class Stream:
    """What the first line says, and the symbol times that follow."""

    generation: int
    lanes: int
    form: str
    name: str
    file: BinaryIO
    where: str

    def rows(self) -> Iterator[tuple[int, ...]]:
        """For each symbol time, what each lane gives, as `Decoder.feed` takes it."""
        size = 2 * self.lanes
        table = _table(self.form)
        rest, at = b"", 0
        while part := self.file.read(size * CHUNK):
            part = rest + part
            whole = len(part) - len(part) % size
            rest = part[whole:]
            words = struct.unpack(f"<{whole // 2}H", part[:whole])
            try:
                symbols = [table[word] for word in words]
            except KeyError as error:
                index = words.index(error.args[0])
                place = f"symbol time {at + index // self.lanes}, lane {index % self.lanes}"
                raise FormatError(f"{self.where}: {place}: {error.args[0]:#06x} is no word of the form {self.form!r}") from None
            at += whole // size
            yield from zip(*[iter(symbols)] * self.lanes)
        if rest:
            raise FormatError(f"{self.where}: the file ends inside symbol time {at}: {len(rest)} of {size} bytes")


def _table(form: str) -> dict[int, int]:
    """Words to what the decoder takes."""
    idle = {0x8000: s.IDLE}
    if form == "code":
        return {code: _A_FIRST[code] for code in range(1024)} | {0x8000: IDLE_CODE}
    if form == "byte":
        plain = {word: word for word in range(512)}
        return idle | plain | {word | 1 << 13: word | s.DISPARITY for word in plain} | {1 << 14: s.BAD}
    bytes_ = range(256)
    starts = {byte | 1 << 8 | header << 9: s.start(byte, header) for byte in bytes_ for header in range(4)}
    return idle | {byte: byte for byte in bytes_} | starts


def read(file: BinaryIO, where: str) -> Stream:
    """`where` names the file in errors."""
    line = file.readline(1 << 20)
    try:
        first = json.loads(line)
    except ValueError:
        raise FormatError(f"{where}: the first line is no JSON object, as that of a symbol file is") from None
    if not isinstance(first, dict) or first.get("format") != "lanescope symbols":
        raise FormatError(f"{where}: the first line has no \"format\": \"lanescope symbols\"")
    if first.get("version") != VERSION:
        raise FormatError(f"{where}: version {first.get('version')}: this reads version {VERSION}")
    form, generation, lanes = (first.get(key) for key in ("form", "generation", "lanes"))
    if form not in FORMS or generation not in FORMS[form]:
        raise FormatError(f"{where}: form {form!r} with generation {generation}: code and byte are of 1 and 2, block of 3 to 5")
    if not isinstance(lanes, int) or isinstance(lanes, bool):
        raise FormatError(f"{where}: lanes is {lanes!r}, not a number")
    return Stream(generation, lanes, form, str(first.get("name", "")), file, where)


def open_stream(path: Path) -> Stream:
    return read(path.open("rb"), str(path))
