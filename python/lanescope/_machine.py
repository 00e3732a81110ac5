"""Real machines."""

from __future__ import annotations

import os
from typing import Any

from . import _native
from ._answers import Answer


class Machine:
    """A real machine: its functions and links, with limits and findings. :func:`inspect` reads one.

    Machines can be compared, copied and pickled. Two are equal where their values are.

    >>> import lanescope as ls
    >>> dump = b"00:00.0 Host bridge: Intel Corporation Device 1234\\n00:1c.0 PCI bridge: Intel Corporation Device 5678\\n"
    >>> [function["address"] for function in ls.Machine.from_bytes("two", dump)["functions"]]
    ['0000:00:00.0', '0000:00:1c.0']
    """

    def __init__(self, native: _native.Machine) -> None:
        self._native = native
        self.value: dict[str, Any] = native.value

    def __reduce__(self) -> tuple[Any, tuple[tuple[str, str, str]]]:
        """For other processes, copies and files."""
        return _again, (self._native.parts(),)

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Machine) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._native.text)

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Machine:
        """Reads a dump from memory.

        Args:
            name: What errors call it.
            data: What ``lspci -vvv`` or ``lspci -xxxx`` printed, or a capture.

        Raises:
            LanescopeError: It is none of these.
        """
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

    Args:
        path: A file or a folder; ``None``: ``/sys`` of this machine.

    Returns:
        The machine, with the limits of its devices in bytes a second and its findings.

    Raises:
        LanescopeError: The file cannot be read, or is no such file.

    >>> import lanescope as ls
    >>> ls.inspect("/nowhere/dump.txt")
    Traceback (most recent call last):
    ...
    lanescope.LanescopeError: ...
    """
    return Machine(_native.inspect(None if path is None else os.fspath(path)))


def _again(parts: tuple[str, str, str]) -> Machine:
    """A machine in another process."""
    return Machine(_native.Machine.again(parts))
