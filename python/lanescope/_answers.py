"""Answers: values, a table, and a view for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _native


class Answer:
    """The answer to a question.

    ``value`` is what the command of the same name prints with ``--json``. As a sequence, it is the items of that. Polars,
    pyarrow and DuckDB take it as a table, by the Arrow C interface.

    >>> import lanescope as ls
    >>> answer = ls.load("kfcr-5400").limit("dma-read", core="p", lanes=1, size=4096)
    >>> answer.complete, len(answer)
    (True, 1)
    """

    def __init__(self, native: _native.Answer) -> None:
        self._native = native
        self._value: Any = None

    @property
    def value(self) -> Any:
        """The JSON of the command, as lists, dicts and numbers."""
        if self._value is None:
            self._value = self._native.value
        return self._value

    @property
    def complete(self) -> bool:
        """False if Ctrl-C ended it early: then it is what was done until then."""
        return self._native.complete

    @property
    def columns(self) -> list[str]:
        """The names of the table's columns."""
        return self._native.rows()[0]

    @property
    def rows(self) -> list[list[Any]]:
        """The rows of the table."""
        return self._native.rows()[1]

    def json(self) -> str:
        """The value as text."""
        return self._native.json()

    def report(self, path: str) -> None:
        """Writes the report, one HTML file, of a run.

        >>> import lanescope as ls, tempfile, pathlib
        >>> answer = ls.load("gen4-workstation").run("dma-read", lanes=8, requests=8, progress=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     answer.report(f"{folder}/report.html")
        ...     pathlib.Path(folder, "report.html").read_text().startswith("<!DOCTYPE html>")
        True
        """
        page = self._native.html
        if page is None:
            raise _native.LanescopeError(f"an answer of `{self._native.kind}` has no report: only that of `run` has one")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, Answer) else other))

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        columns, rows = self._native.rows()
        cells = [columns, *([_word(cell) for cell in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html  # Only here: an import of the package stays quick.

        page = self._native.html
        if page is not None:
            return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'
        columns, rows = self._native.rows()
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_word(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _word(cell: object) -> str:
    """A cell as text for people."""
    if cell is None:
        return ""
    return f"{cell:.1f}" if isinstance(cell, float) else str(cell)
