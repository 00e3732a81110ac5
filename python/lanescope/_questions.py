"""Questions that need no described system, or find it themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _given, _native, _progress
from ._answers import Answer
from ._given import Over
from ._progress import Callback
from ._system import System


def sweep(system: System, experiment: str | None = None, *, over: Over, **options: Any) -> Answer:
    """As :meth:`System.sweep`."""
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

    >>> import lanescope as ls
    >>> ls.advise("database", progress=False)["choice"]
    'nvme-gen3'
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

    >>> import lanescope as ls
    >>> [measurement["name"] for measurement in ls.calibrate()["measurements"]][0]
    'one-read'
    """
    sets = _given.sets(set)
    named = None if data is None else os.fspath(data)
    with _progress.shown(progress) as told:
        return Answer(_native.calibrate(named, (system, sets), (host, card, slot), _given.by_limit(by), threads, told))


def validate(*files: str, threads: int | None = None, progress: bool | Callback = True) -> Answer:
    """Published figures against the simulation: of these references, or of those that come with lanescope."""
    with _progress.shown(progress) as told:
        return Answer(_native.validate(list(files), threads, told))
