"""Progress of long questions: a bar of tqdm where it is installed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

# Shorter questions show no bar.
SHORT_S = 0.7

Callback = Callable[[int, int], None]


class shown:
    """For `with`: the callable that is told how many points are done and how many there are; None where none is wanted."""

    def __init__(self, wanted: bool | Callback) -> None:
        self._wanted = wanted
        self._since = time.monotonic()
        self._bars: Any = None
        self._bar: Any = None

    def __enter__(self) -> Callback | None:
        if callable(self._wanted):
            return self._wanted
        return self._told if self._wanted else None

    def _told(self, done: int, total: int) -> None:
        if self._bar is None and time.monotonic() - self._since > SHORT_S:
            self._bars = self._bars or _bars()
            self._bar = self._bars(total=total or None, unit=" points", leave=False)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


class _Silent:
    """In place of a bar where tqdm is not installed."""

    n = 0

    def __init__(self, **_: object) -> None: ...
    def update(self, _: int) -> None: ...
    def close(self) -> None: ...


def _bars() -> Any:
    """tqdm's bar for a terminal or a notebook."""
    import importlib

    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return _Silent
