"""Predicts, measures and explains PCI Express throughput.

The questions are those of the command ``lanescope``, and so are the answers: ``answer.value`` is the JSON that the command of
the same name prints with ``--json``.

>>> import lanescope as ls
>>> ls.load("rosta-rb8v7").limit("host-write-many", devices=8)[0]["at"]
'devices=8'
"""

from ._answers import Answer
from ._machine import Machine, inspect
from ._native import InternalError, LanescopeError, __version__, bundled
from ._questions import advise, calibrate, explain, sweep, validate
from ._system import Figure, Link, Part, System, Trace, load
from ._yaml import described

__all__ = [
    "Answer",
    "Figure",
    "InternalError",
    "LanescopeError",
    "Link",
    "Machine",
    "Part",
    "System",
    "Trace",
    "__version__",
    "advise",
    "bundled",
    "calibrate",
    "described",
    "explain",
    "inspect",
    "load",
    "sweep",
    "validate",
]
