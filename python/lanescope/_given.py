"""What a caller gives, as the words of a description or of a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import _native

Over = Mapping[str, Any] | Iterable[str]
Words = str | Iterable[str]


def word(value: Any) -> str:
    """A value as a description writes it."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def sets(given: Mapping[str, Any] | None) -> list[str]:
    """Figures by their paths, as ``--set`` takes them."""
    return [f"{path}={word(value)}" for path, value in (given or {}).items()]


def words(given: Words) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def axes(axes: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    one = (str, int, float)
    return [(name, [word(v)] if isinstance(v, one) else [word(item) for item in v]) for name, v in axes.items()]


def over(over: Over) -> list[str]:
    if not isinstance(over, Mapping):
        return words(over)
    return [f"{name}={v if isinstance(v, str) else ','.join(map(word, v))}" for name, v in over.items()]


def by_limit(by: str) -> bool:
    if by not in ("sim", "limit"):
        raise _native.LanescopeError(f"`{by}` is nothing that answers for a point: sim or limit")
    return by == "limit"
