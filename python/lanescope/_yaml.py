"""Descriptions from dicts: the same YAML that one would write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What needs no quotes, in every place: a word that YAML takes as text or as a number, whatever surrounds it.
PLAIN = r"[A-Za-z0-9_./][A-Za-z0-9_./+ -]*(?<! )"


def described(description: Mapping[str, Any]) -> str:
    """The YAML of a description.

    >>> import lanescope as ls
    >>> print(ls.described({"title": "One card", "links": ["host.a - card.pcie"]}), end="")
    title: One card
    links:
      - host.a - card.pcie
    """
    return "".join(f"{line}\n" for line in _lines(description, ""))


def _lines(value: Any, indent: str) -> list[str]:
    lines: list[str] = []
    pairs = value.items() if isinstance(value, Mapping) else (("-", item) for item in value)
    for key, item in pairs:
        head = f"{indent}-" if not isinstance(value, Mapping) else f"{indent}{_scalar(key)}:"
        if isinstance(item, Mapping) and item and not isinstance(value, Mapping):
            first, *rest = _lines(item, indent + "  ")
            lines += [f"{head} {first.lstrip()}", *rest]
        elif isinstance(item, (Mapping, list, tuple)):
            if item:
                lines += [head, *_lines(item, indent + "  ")]
            else:
                lines.append(f"{head} {'{}' if isinstance(item, Mapping) else '[]'}")
        else:
            lines.append(f"{head} {_scalar(item)}")
    return lines


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    import json  # Only here: an import of the package stays quick.
    import re

    text = str(value)
    return text if re.fullmatch(PLAIN, text) else json.dumps(text, ensure_ascii=False)
