"""Real machines."""

from __future__ import annotations

import os
from typing import Any

from . import _native
from ._answers import Answer


class Machine:
    """A real machine: its functions and links, with limits and findings.

    >>> import lanescope as ls
    >>> dump = b"00:00.0 Host bridge: Intel Corporation Device 1234\\n00:1c.0 PCI bridge: Intel Corporation Device 5678\\n"
    >>> [function["address"] for function in ls.Machine.from_bytes("two", dump)["functions"]]
    ['0000:00:00.0', '0000:00:1c.0']
    """

    def __init__(self, native: _native.Machine) -> None:
        self._native = native
        self.value: dict[str, Any] = native.value

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Machine:
        """Reads a dump from memory. ``name`` is what errors call it."""
        return cls(_native.Machine.from_bytes(name, data))

    @property
    def functions(self) -> Answer:
        """The functions, as a table."""
        return Answer(self._native.functions())

    @property
    def links(self) -> Answer:
        """The links, as a table: what each is trained to, what both ends can, and why it is less."""
        return Answer(self._native.links())

    @property
    def limits(self) -> Answer:
        """What each device can move to and from memory, and what sets it, as a table."""
        return Answer(self._native.limits())

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong on it, the most costly first."""
        found: list[dict[str, Any]] = self.value["findings"]
        return found

    def __getitem__(self, key: str) -> Any:
        return self.value[key]

    def __repr__(self) -> str:
        return self._native.text

    def _repr_html_(self) -> str:
        return self._native.picture


def inspect(path: str | os.PathLike[str] | None = None) -> Machine:
    """Reads a machine from what ``lspci -vvv`` printed, from a capture or a folder; without a path, this machine.

    >>> import lanescope as ls
    >>> ls.inspect("/nowhere/dump.txt")
    Traceback (most recent call last):
    ...
    lanescope.LanescopeError: ...
    """
    return Machine(_native.inspect(None if path is None else os.fspath(path)))
