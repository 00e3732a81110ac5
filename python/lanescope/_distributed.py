"""Sweeps on the workers of Dask.

Points go out in groups that take seconds; what comes back is kept at once where the sweep was asked for, in the file beside the
output. So a worker that is lost, or a scheduler that is started again, costs only the groups that were on their way. The
output is the same bytes as on one machine: it is written from the same points in the same order.
"""

from __future__ import annotations

import functools
import pickle
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from ._system import System

Asked = tuple[str | None, tuple[str, ...], int | None, int, bool]

# What a group of points is to take.
GROUP_S = 2.0
# Groups for each thread of the workers that are asked for at once: one that runs, one that waits.
GROUPS = 2
# How often a group may end a worker before it is held for the cause.
TRIES = 5
# How long a scheduler may be away.
AWAY_S = 300.0


class _Lost(Exception):
    """The scheduler has gone, and with it what was asked for."""


@functools.lru_cache(maxsize=2)
def _points(key: bytes) -> _native.Points:
    system, asked = pickle.loads(key)
    return _kept(system, asked, None, False)


def _kept(system: System, asked: Asked, out: str | None, resume: bool) -> _native.Points:
    experiment, over, sample, seed, by_limit = asked
    return _native.Points(system._native, experiment, list(over), sample, seed, by_limit, out, resume)


def _run(key: bytes, numbers: list[int]) -> tuple[str, float]:
    """In a worker: the finished points as text, and how long they took, without what is done once."""
    points = _points(key)
    since = time.monotonic()
    return points.run(numbers, 1), time.monotonic() - since


def sweep(
    system: System, asked: Asked, client: Any, out: str | None, resume: bool, told: Callable[[int, int], None] | None
) -> _native.Answer:
    points = _kept(system, asked, out, resume)
    key = pickle.dumps((system, asked))
    address, own = client.scheduler.address, None
    tries: dict[int, int] = {}
    total = len(points.open())
    tell = told or (lambda _done, _total: None)
    try:
        while open_ := points.open():
            try:
                _round(own or client, key, points, open_, tries, lambda: tell(total - len(points.open()), total))
            except _Lost:
                if own is not None:
                    own.close(timeout=1)
                own = _again(address)
    except KeyboardInterrupt:
        pass  # What is done is the answer.
    finally:
        if own is not None:
            own.close(timeout=5)
    return points.answer()


def _again(address: str) -> Any:
    """A client of the scheduler that comes back at `address`."""
    import distributed

    client: Any = distributed.Client
    since = time.monotonic()
    while True:
        try:
            return client(address, timeout=5, set_as_default=False)
        except OSError as error:  # Also what Dask raises when time is over.
            if time.monotonic() - since > AWAY_S:
                raise _native.LanescopeError(f"the scheduler at {address} has not come back in {AWAY_S:.0f} s") from error
            time.sleep(1)


def _round(
    client: Any, key: bytes, points: _native.Points, open_: list[int], tries: dict[int, int], tell: Callable[[], None]
) -> None:
    """Runs all that is open, as long as the scheduler is there."""
    import distributed
    from distributed.scheduler import KilledWorker

    wait: Any = distributed.wait
    waiting, size = list(reversed(open_)), 1
    pending: dict[Any, list[int]] = {}
    try:
        while waiting or pending:
            if client.status != "running":
                raise _Lost
            threads = max(1, sum(client.nthreads().values()))
            while waiting and len(pending) < GROUPS * threads:
                # Towards the end smaller groups, so that all workers end together.
                count = max(1, min(size, len(waiting) // (GROUPS * threads)))
                numbers = [waiting.pop() for _ in range(count)]
                pending[client.submit(_run, key, numbers, pure=False)] = numbers
            try:
                wait(list(pending), timeout=1, return_when="FIRST_COMPLETED")
            except TimeoutError:
                continue
            for future in [future for future in pending if future.done()]:
                numbers = pending.pop(future)
                if future.status == "finished":
                    lines, seconds = future.result()
                    points.keep(lines)
                    size = max(1, min(4 * size, int(GROUP_S * len(numbers) / max(seconds, 1e-6))))
                    tell()
                    continue
                if future.status != "error":
                    raise _Lost
                error = future.exception()
                tries[numbers[0]] = tries.get(numbers[0], 0) + 1
                if not isinstance(error, KilledWorker) or tries[numbers[0]] > TRIES:
                    raise error
                waiting.extend(reversed(numbers))
    except (OSError, EOFError) as error:  # CommClosedError is an OSError.
        raise _Lost from error
    finally:
        if pending and client.status == "running":
            client.cancel(list(pending), force=True)
