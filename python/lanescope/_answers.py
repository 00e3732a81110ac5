"""Answers: values, a table, and a view for notebooks."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any

from . import _native

# The most rows that a view shows.
MOST_ROWS = 60


class Answer:
    """The answer to a question.

    ``value`` is what the command of the same name prints with ``--json``; as a sequence, an answer is the items of that.
    As a table it has one row a point and flow (of other commands: see docs/python.md), the axes as columns of
    numbers or words, and units in the names of columns. pandas takes it by :meth:`to_pandas`; polars, pyarrow and DuckDB
    take it as it is, by the Arrow C interface.

    Answers can be compared, copied and pickled. Two are equal where their values are.

    >>> import lanescope as ls
    >>> answer = ls.load("kfcr-5400").limit("dma-read", core="p", lanes=1, size=4096)
    >>> answer.complete, len(answer)
    (True, 1)
    >>> answer.columns[:6]
    ['system', 'experiment', 'at', 'core', 'lanes', 'size']
    """

    def __init__(self, native: _native.Answer) -> None:
        self._native = native
        self._value: Any = None

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        """For other processes, copies and files: all of it, the report too."""
        return _again, (self._native.parts(),)

    @property
    def value(self) -> Any:
        """The JSON of the command, as lists, dicts and numbers. Units are in the names, as in ``stream_mb_per_s``."""
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
        return [name for name, *_ in self._native.table()]

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one.

        >>> import lanescope as ls
        >>> answer = ls.load("gen4-workstation").told_in("GB/s").limit("dma-read", lanes=8, requests=8)
        >>> answer.units["fair_rate_gb_per_s"], answer.units["latency_ns"]
        ('GB/s', 'ns')
        """
        return {name: unit for name, unit, *_ in self._native.table() if unit}

    @property
    def rows(self) -> list[list[Any]]:
        """The rows of the table. A value that is not there is ``None``."""
        return [list(row) for row in zip(*(cells for *_, cells in self._native.table()))]

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``, with the units of columns in ``attrs["units"]``.

        Numbers are ``int64`` or ``float64`` (``Int64`` where some are missing), truths ``bool`` or ``boolean``, and words what
        pandas takes them for.

        Returns:
            A DataFrame of one row a point and flow.

        Raises:
            ImportError: pandas is not installed.
        """
        pandas = _library("pandas", "to_pandas")
        frame = pandas.DataFrame({name: _series(pandas, of, cells) for name, _, of, cells in self._native.table()})
        frame.attrs["units"] = self.units
        return frame

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``. ``polars.DataFrame(answer)`` is the same.

        Returns:
            A DataFrame of one row a point and flow.

        Raises:
            ImportError: polars is not installed.
        """
        polars = _library("polars", "to_polars")
        return polars.DataFrame(self)

    def json(self) -> str:
        """The value as text, as the command prints it with ``--json``."""
        return self._native.json()

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, one HTML file, of a run.

        Args:
            path: The file. What is there is replaced.

        Raises:
            LanescopeError: This is not the answer of `run`.
            OSError: The file cannot be written.

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
        _write(os.fspath(path), page)

    def pictures(self, folder: str | os.PathLike[str] | None = None) -> dict[str, str]:
        """The pictures of the report of a run, as ``lanescope run --svg`` writes them: SVG by the name of the file.

        Args:
            folder: Where to write them. It is made where it is not there.

        Returns:
            The pictures, each as the text of an SVG file, by the names of their files.

        Raises:
            LanescopeError: This is not the answer of `run`.
            OSError: The folder or a file cannot be written.

        >>> import lanescope as ls
        >>> sorted(ls.load("gen4-workstation").run("dma-read", lanes=8, requests=8, progress=False).pictures())[0]
        'gen4-workstation-dma-read-budget-narrow.svg'
        """
        if self._native.html is None:
            raise _native.LanescopeError(f"an answer of `{self._native.kind}` has no pictures: only that of `run` has some")
        pictures = dict(self._native.pictures)
        if folder is not None:
            os.makedirs(folder, exist_ok=True)
            for name, text in pictures.items():
                _write(os.path.join(folder, name), text)
        return pictures

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, Answer) else other))

    # An answer equals the lists and dicts of its value, and they have no hash.
    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __array__(self, *_: object, **__: object) -> Any:
        """What ``pandas.DataFrame(answer)`` and ``numpy.asarray(answer)`` ask for.

        Raises:
            TypeError: Always. An answer is a table with names and units of columns, which an array cannot have.
        """
        raise TypeError(
            "an answer is a table: answer.to_pandas() instead of pandas.DataFrame(answer); for an array, answer.to_pandas().to_numpy()"
        )

    def __repr__(self) -> str:
        columns, rows, left = self._shown()
        widths = [max(map(len, column)) for column in zip(columns, *rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [columns, *rows]]
        return "\n".join(lines + ([f"and {left} rows more"] if left else []))

    def _repr_html_(self) -> str:
        import html  # Only here: an import of the package stays quick.

        page = self._native.html
        if page is not None:
            return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'
        columns, rows, left = self._shown()
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>and {left} rows more</p>" if left else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _shown(self) -> tuple[list[str], list[list[str]], int]:
        """The columns, the first rows as words, and how many are left out. Columns without a value are left out."""
        table = [(name, cells) for name, *_, cells in self._native.table() if any(cell is not None for cell in cells)]
        rows = list(zip(*(cells for _, cells in table)))
        words = [[_word(cell) for cell in row] for row in rows[:MOST_ROWS]]
        return [name for name, _ in table], words, max(len(rows) - MOST_ROWS, 0)


def _again(parts: Any) -> Answer:
    """An answer in another process."""
    return Answer(_native.Answer.again(parts))


def _word(cell: object) -> str:
    """A cell as text for people: whole numbers in full, others with four digits."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"
    return str(cell)


def _library(name: str, call: str) -> Any:
    """A library that need not be installed.

    Raises:
        ImportError: It is not, with what to type.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{call}() needs {name}: pip install {name}") from error


def _series(pandas: Any, of: str, cells: list[Any]) -> Any:
    """A column of pandas, of the type that the table says, though all its cells are missing."""
    missing = any(cell is None for cell in cells)
    types = {"real": "float64", "integer": "Int64" if missing else "int64", "truth": "boolean" if missing else "bool"}
    # What this version of pandas takes words for: `object`, or `str` from 3.0.
    return pandas.Series(cells, dtype=types.get(of) or pandas.Series(["word"]).dtype)


def _write(path: str, text: str) -> None:
    """Writes a file beside its path and renames it, so that no reader sees half of it."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise
