"""Described machines, and the questions about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import _given, _native, _progress
from ._answers import Answer
from ._given import Over, Words
from ._progress import Callback
from ._yaml import described

# The name of a file and its text; of a bundled machine no text.
Source = tuple[str, str | None]


class Figure(NamedTuple):
    """A figure of a part, with where it comes from."""

    parts: str
    """The parts that have it."""
    model: str
    """The entry of the catalogue, or the kind."""
    name: str
    """The field."""
    value: str
    """The value, with its unit."""
    origin: str
    """Where it comes from, in one word."""
    provenance: str
    """Where it comes from, in full."""


class Part(NamedTuple):
    """A part of a machine."""

    name: str
    kind: str
    model: str
    mps_bytes: int
    mrrs_bytes: int
    tags: int
    ports: tuple[dict[str, Any], ...]


class Link(NamedTuple):
    """A link, settled."""

    upper: str
    lower: str
    speed: str
    generation: str
    lanes: int
    why: str
    """What decided speed and width."""
    propagation_ns: float


class Trace(NamedTuple):
    """What a trace contains."""

    tlps: int
    dllps: int
    size_bytes: int
    """The size of the file."""


class System:
    """A described machine with its experiments. :func:`load` opens one.

    It does not change: :meth:`set` and :meth:`told_in` give copies. Systems can be compared, pickled and keys of a dict. Two are
    equal where description, name, overrides and unit are.

    Arguments that several questions have:

    * ``experiment``: its name; ``None``: all of them.
    * ``**axes``: for an axis by its name a value or several, with their units as in a description (``"4 KiB"``). An axis that
      is left out takes the values that the description lists.
    * ``threads``: how many points at a time; ``None``: as many as there are cores. Answers are the same.
    * ``progress``: whether a bar is shown, or a callable of the points done and in all.

    All of them raise :class:`LanescopeError` where an experiment, an axis or a value is wrong. Rates in ``answer.value`` are MB/s
    (10^6 bytes a second); in tables they are bytes a second or the unit of :meth:`told_in`, and the name of the column says which.
    """

    def __init__(self, native: _native.System, source: Source) -> None:
        self._native = native
        self._source = source

    def __reduce__(self) -> tuple[Any, tuple[Source, str, list[str], str | None]]:
        """For other processes and machines: with its text, which need not be there."""
        return _again, (self._source, self._native.name, self._native.sets, self._native.unit)

    def _key(self) -> tuple[Source, str, tuple[str, ...], str | None]:
        return self._source, self._native.name, tuple(self._native.sets), self._native.unit

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, System) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    @property
    def unit(self) -> str | None:
        """The unit of rates, where :meth:`told_in` gave one."""
        return self._native.unit

    @property
    def name(self) -> str:
        """The name by which it was asked for."""
        return self._native.name

    @property
    def title(self) -> str:
        """Its title."""
        return self._native.title

    @property
    def experiments(self) -> list[dict[str, Any]]:
        """The experiments, each with its axes.

        >>> import lanescope as ls
        >>> [experiment["name"] for experiment in ls.load("gen4-workstation").experiments][:2]
        ['dma-write', 'dma-read']
        """
        return self._native.experiments

    @property
    def parts(self) -> dict[str, Part]:
        """The parts by name.

        >>> import lanescope as ls
        >>> ls.load("gen4-workstation").parts["card"].kind
        'dma-card'
        """
        rows = self._native.show().value["parts"]
        parts = (Part(**{**row, "ports": tuple(row["ports"])}) for row in rows)
        return {part.name: part for part in parts}

    @property
    def links(self) -> list[Link]:
        """The links, each with what decided its speed and width."""
        names = Link._fields
        return [Link(**{name: row[name] for name in names}) for row in self._native.show().value["links"]]

    @property
    def figures(self) -> list[Figure]:
        """The figures that the description or the catalogue gives, with their provenance."""
        return self.all_figures(defaults=False)

    def all_figures(self, *, defaults: bool = True) -> list[Figure]:
        """The figures; with those that are at their defaults, too."""
        rows = self._native.show(all=defaults).value["figures"]
        return [
            Figure(row["parts"], row["model"], row["figure"], row["value"], row["origin"], row["origin_in_full"])
            for row in rows
        ]

    def show(self, *, all: bool = False) -> Answer:
        """Parts, links and figures, as ``lanescope show`` tells them."""
        return Answer(self._native.show(all=all))

    def set(self, path: str | Mapping[str, Any], value: Any = None) -> System:
        """A copy with another value, or several.

        Args:
            path: A field, as in ``host.read_latency`` or ``card[0].part``; or values by their fields.
            value: The value, with its unit: ``"500 ns"``.

        Returns:
            The changed system. This one stays as it is.

        Raises:
            LanescopeError: There is no such field, or the value does not fit.

        >>> import lanescope as ls
        >>> changed = ls.load("gen4-workstation").set("card.tx_latency", "123 ns")
        >>> [figure.value for figure in changed.figures if (figure.parts, figure.name) == ("card", "tx_latency")]
        ['123 ns']
        """
        values = path if isinstance(path, Mapping) else {path: value}
        sets = _given.sets(values)
        return System(self._native.with_sets(sets), self._source)

    def told_in(self, unit: str) -> System:
        """A copy that tells all rates in this unit, as the command's ``--unit`` does.

        Tables and their names, views, figures and reports have it; ``answer.value`` has what the command has with ``--json``.

        Args:
            unit: ``MB/s``, ``MiB/s``, ``GB/s``, ``GiB/s`` or ``Gbit/s``.

        Raises:
            LanescopeError: It is no unit of rates.

        >>> import lanescope as ls
        >>> point = ls.load("gen4-workstation").told_in("GB/s").run("dma-read", lanes=8, requests=8, progress=False)[0]
        >>> point["figures"][0]["unit"]
        'GB/s'
        """
        return System(self._native.told_in(unit), self._source)

    def limit(self, experiment: str | None = None, **axes: Any) -> Answer:
        """The limits of the flows: what the links, credits, tags and buffers permit.

        Returns:
            One item a point; as a table, one row a point and flow: the limit of the flow and what is fair, latency in ns, and
            what sets the rate.

        >>> import lanescope as ls
        >>> ls.load("gen4-workstation").limit("dma-read", lanes=8, requests=8).columns[:6]
        ['system', 'experiment', 'at', 'requests', 'lanes', 'flow']
        """
        return Answer(self._native.limit(experiment, _given.axes(axes)))

    def what_if(self, experiment: str | None = None, **axes: Any) -> Answer:
        """What would make the flows faster, one step each, the best first.

        Returns:
            One item an experiment; as a table, one row a change, with the rates gained and then.

        >>> import lanescope as ls
        >>> answer = ls.load("gen4-workstation").what_if("dma-read", lanes=8, requests=8)
        >>> answer[0]["tried"] >= len(answer[0]["gains"])
        True
        """
        return Answer(self._native.what_if(experiment, _given.axes(axes)))

    def run(
        self,
        experiment: str | None = None,
        *,
        proof: bool = True,
        threads: int | None = None,
        progress: bool | Callback = True,
        **axes: Any,
    ) -> Answer:
        """Simulates the points, with the bottleneck of every flow.

        A change proves each bottleneck. Without ``proof``, and where no change proves one, it is what the limit names, and
        its ``proved`` is false; without ``proof``, a run takes about half the time.

        Returns:
            One item a point; as a table, one row a point and flow: its rates and latencies (ns), its limit, its bottleneck
            with what of it, and the figure of the point (``metric``, in ``metric_unit``) with what is published. It has a report.

        >>> import lanescope as ls
        >>> point = ls.load("gen4-workstation").run("dma-read", lanes=8, requests=8, progress=False)[0]
        >>> point["flows"][0]["stream_mb_per_s"] <= point["flows"][0]["limit"]["stream_mb_per_s"] * 1.004
        True
        """
        with _progress.shown(progress) as told:
            return Answer(self._native.run(experiment, _given.axes(axes), proof, threads, told))

    def stream(
        self,
        experiment: str,
        *,
        bytes: str = "1000 GB",
        each: str = "1 GB",
        threads: int | None = None,
        progress: bool | Callback = True,
        **axes: Any,
    ) -> Answer:
        """A long stream to or from drives, with a rate for each part of it.

        Args:
            bytes: How long it is, with its unit.
            each: How long a part is.

        Returns:
            One item a point; as a table, one row a part.

        >>> import lanescope as ls
        >>> stream = ls.load("bit-nvme-vc707").stream("low-link", bytes="4 GB", op="read", second="gen1", progress=False)
        >>> len(stream[0]["mb_per_s"])
        4
        """
        with _progress.shown(progress) as told:
            return Answer(self._native.stream(experiment, _given.axes(axes), bytes, each, threads, told))

    def trace(
        self,
        path: str | os.PathLike[str],
        experiment: str | None = None,
        *,
        links: str | None = None,
        progress: bool | Callback = True,
        **axes: Any,
    ) -> Trace:
        """Simulates one point and writes all that passes: ``.pcapng`` for Wireshark, ``.perfetto`` for Perfetto.

        Args:
            path: The file; its ending says which of the two.
            links: Keeps only links with such an end: parts, ports or directions, with ``*`` for any text.

        Returns:
            How many TLPs and DLLPs were written, and the size of the file in bytes.

        Raises:
            LanescopeError: Several points are selected, or the file cannot be written.

        >>> import lanescope as ls, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ls.load("kfcr-5400").trace(f"{folder}/a.pcapng", "dma-read", core="p", lanes=1, size=4096, progress=False).tlps > 0
        True
        """
        with _progress.shown(progress) as told:
            return Trace(*self._native.trace(os.fspath(path), experiment, _given.axes(axes), links, told))

    def tune(
        self, experiment: str, *, threads: int | None = None, progress: bool | Callback = True, **axes: Any
    ) -> Answer:
        """The best settings of an experiment, and the commands that set them.

        Returns:
            The settings as they are and as they should be, with the rates of both; as a table, one row a setting.

        >>> import lanescope as ls
        >>> ls.load("gen4-workstation").tune("dma-read", lanes=8, progress=False)["complete"]
        True
        """
        with _progress.shown(progress) as told:
            return Answer(self._native.tune(experiment, _given.axes(axes), threads, told))

    def fit(
        self,
        data: str | os.PathLike[str],
        params: Words,
        *,
        rows: Words = (),
        hold_out: Words = (),
        start: Mapping[str, Any] | None = None,
        choose: Mapping[str, Iterable[Any]] | None = None,
        by: str = "sim",
        threads: int | None = None,
        progress: bool | Callback = True,
    ) -> Answer:
        """Figures of parts from measurements, with their uncertainty.

        Args:
            data: A CSV of measurements, or one that comes with lanescope.
            params: The figures to find, as ``"host.read_latency"``.
            rows: Which rows: words, each of which a row must have.
            hold_out: Rows that are kept for the check.
            start: Values to begin at.
            choose: Values among which a setting is chosen.
            by: ``"sim"`` or ``"limit"``.

        Returns:
            The figures with standard errors; as a table, one row a figure.

        >>> import lanescope as ls
        >>> fit = ls.load("kfcr-5400").fit("kfcr.csv", "host.read_latency", rows="dma-read core=p", by="limit")
        >>> fit["by"], len(fit["figures"])
        ('limit', 1)
        """
        starts = _given.sets(start)
        chosen = [f"{path}={','.join(map(_given.word, values))}" for path, values in (choose or {}).items()]
        patterns = (_given.words(rows), _given.words(hold_out), starts, chosen, _given.by_limit(by), threads)
        with _progress.shown(progress) as told:
            return Answer(self._native.fit(os.fspath(data), _given.words(params), *patterns, told))

    def sweep(
        self,
        experiment: str | None = None,
        *,
        over: Over,
        sample: int | None = None,
        seed: int = 0,
        by: str = "sim",
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        threads: int | None = None,
        client: Any = None,
        progress: bool | Callback = True,
    ) -> Answer:
        """Any fields and axes over any values. With ``out``, finished points are kept, and ``resume`` goes on with them.

        Args:
            over: Values by fields or axes: a list, or a range as in ``"200ns..2us/20log"``.
            sample: How many points, drawn evenly by ``seed``; ``None``: all combinations.
            by: ``"sim"`` or ``"limit"``.
            out: A ``.csv``, ``.jsonl``, ``.json`` or ``.parquet`` that is written when all is done.

        Returns:
            One item, and one row, a figure of a point, in the unit of its column ``unit``; what was swept is the last columns.

        ``client`` is a ``Client`` of Dask: then its workers run the points, each with one thread.

        >>> import lanescope as ls
        >>> over = {"host.read_latency": ["300 ns", "600 ns"]}
        >>> answer = ls.load("gen4-workstation").sweep("dma-read", over=over, by="limit")
        >>> answer.columns[-1]
        'host.read_latency'
        """
        named = None if out is None else os.fspath(out)
        if client is not None:
            from . import _distributed  # Only here: Dask need not be installed.

            asked = (experiment, tuple(_given.over(over)), sample, seed, _given.by_limit(by))
            with _progress.shown(progress) as told:
                return Answer(_distributed.sweep(self, asked, client, named, resume, told))
        options = (sample, seed, _given.by_limit(by), named, resume, threads)
        with _progress.shown(progress) as told:
            return Answer(self._native.sweep(experiment, _given.over(over), *options, told))

    def report(self, path: str | os.PathLike[str], experiment: str | None = None, **axes: Any) -> Answer:
        """Runs the points and writes the report, one HTML file.

        Args:
            path: The file. What is there is replaced.

        Returns:
            The answer of :meth:`run`.

        Raises:
            OSError: The file cannot be written.
        """
        answer = self.run(experiment, **axes)
        answer.report(path)
        return answer

    def __repr__(self) -> str:
        return self._native.tree()

    def _repr_html_(self) -> str:
        import html  # Only here: an import of the package stays quick.

        return f"<pre>{html.escape(self._native.tree())}</pre>"


def load(source: str | os.PathLike[str] | Mapping[str, Any]) -> System:
    """A described machine: one of :func:`bundled` by its name, a file, a text of several lines, or a dict.

    Args:
        source: The name, the path, the text of a description, or a dict of the same form.

    Raises:
        LanescopeError: There is no such machine, or the description is wrong; with file, line and what would be right.

    >>> import lanescope as ls
    >>> ls.load("rosta-rb8v7").name
    'rosta-rb8v7'
    >>> parts = {"host": {"part": "generic/gen3-host", "slots": {"a": "gen3 x8"}}, "card": {"part": "generic/gen3-card"}}
    >>> ls.load({"parts": parts, "links": ["host.a - card.pcie"]}).links[0].lanes
    8
    """
    if isinstance(source, Mapping):
        return _described("dict.yaml", described(source))
    if isinstance(source, str) and "\n" in source:
        return _described("text.yaml", source)
    path = os.fspath(source)
    native = _native.System.open(path)
    if path in _native.bundled():
        return System(native, (path, None))
    with open(path, encoding="utf-8") as file:
        return System(native, (path, file.read()))


def _described(name: str, text: str) -> System:
    return System(_native.System.from_text(name, text), (name, text))


def _again(source: Source, called: str, sets: list[str], unit: str | None) -> System:
    """A system in another process."""
    name, text = source
    native = _native.System.open(name) if text is None else _native.System.from_text(name, text, called)
    native = native.with_sets(sets) if sets else native
    return System(native if unit is None else native.told_in(unit), source)
