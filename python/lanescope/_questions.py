"""Questions that need no described system, or find it themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _given, _native, _progress
from ._answers import Answer
from ._given import Over
from ._progress import Callback
from ._system import System


def sweep(system: System, experiment: str | None = None, *, over: Over, **options: Any) -> Answer:
    """As :meth:`System.sweep` of ``system``, with its ``experiment``, ``over`` and further ``options``."""
    return system.sweep(experiment, over=over, **options)


def advise(
    workload: str | os.PathLike[str],
    machine: str | os.PathLike[str] | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int | None = None,
    progress: bool | Callback = True,
) -> Answer:
    """Which drives carry a workload, cheapest first; on ``machine``, a described or a captured one, in which slot.

    Args:
        workload: One that comes with lanescope, or a YAML file.
        machine: A described or a captured machine; ``None``: a usual one.
        set: Values by their fields, as of :meth:`System.set`.

    Returns:
        The choice with its reasons; as a table, one row a candidate, with its headroom as a factor.

    Raises:
        LanescopeError: A file, a field or a value is wrong.

    >>> import lanescope as ls
    >>> ls.advise("database", progress=False)["choice"]
    'nvme-gen4'
    """
    sets = _given.sets(set)
    named = None if machine is None else os.fspath(machine)
    with _progress.shown(progress) as told:
        return Answer(_native.advise(os.fspath(workload), named, sets, threads, told))


def calibrate(
    data: str | os.PathLike[str] | None = None,
    *,
    system: str | None = None,
    set: Mapping[str, Any] | None = None,
    host: str = "generic/gen3-host",
    card: str = "generic/gen3-card",
    slot: str = "gen3 x8",
    by: str = "sim",
    threads: int | None = None,
    progress: bool | Callback = True,
) -> Answer:
    """The figures of a host from a few measurements, each with its error; without ``data``, what to measure.

    Args:
        data: A CSV of the measurements.
        system: A described machine in place of a bench of ``host``, ``card`` and ``slot``.
        set: Values by their fields, as of :meth:`System.set`.
        by: ``"sim"`` or ``"limit"``.

    Returns:
        The figures, with the YAML of a part; as a table, one row a figure, or a measurement that is needed.

    Raises:
        LanescopeError: A file, a part, a field or a row is wrong.

    >>> import lanescope as ls
    >>> [measurement["name"] for measurement in ls.calibrate()["measurements"]][0]
    'one-read'
    """
    sets = _given.sets(set)
    named = None if data is None else os.fspath(data)
    with _progress.shown(progress) as told:
        return Answer(_native.calibrate(named, (system, sets), (host, card, slot), _given.by_limit(by), threads, told))


def explain(
    *results: str | os.PathLike[str],
    measured: str | Sequence[str] = (),
    on: str | os.PathLike[str] | None = None,
    machine: str | os.PathLike[str] | None = None,
    set: Mapping[str, Any] | None = None,
    noise: float | None = None,
    threads: int | None = None,
    progress: bool | Callback = True,
) -> Answer:
    """Why measured rates are what they are: of ``results`` (files that ``bench disk --json`` wrote), of rates in words, or of a
    table of published ones. ``noise`` is the standard deviation of a rate, in percent.

    Args:
        measured: Rates in words, as in ``"from=gpu[0] to=host rate=13GB/s"``.
        on: The table: a file, or a name that comes with lanescope.
        machine: The machine on which the rates in words were measured.
        set: Values by their fields, as of :meth:`System.set`.

    Returns:
        The verdict and the hypotheses; as a table, one row a hypothesis.

    Raises:
        LanescopeError: There is nothing to explain, or a file, a rate or a field is wrong.

    >>> import lanescope as ls
    >>> answer = ls.explain(on="ahci", progress=False)
    >>> answer["verdict"], answer["hypotheses"][0]["cause"]
    ('undecided', 'a cap at each x1 port of host')
    """
    words = [measured] if isinstance(measured, str) else list(measured)
    table, named = (None if of is None else os.fspath(of) for of in (on, machine))
    with _progress.shown(progress) as told:
        given = ([os.fspath(result) for result in results], words, table)
        return Answer(_native.explain(given, (named, _given.sets(set)), noise, threads, told))


def validate(*files: str, threads: int | None = None, progress: bool | Callback = True) -> Answer:
    """Published figures against the simulation.

    Args:
        files: Tables of references; none: those that come with lanescope.

    Returns:
        One item, and one row, a figure: published, simulated and limit, in the unit of its column ``unit``, and the error in
        percent.

    Raises:
        LanescopeError: A file or a row is wrong.
    """
    with _progress.shown(progress) as told:
        return Answer(_native.validate(list(files), threads, told))
