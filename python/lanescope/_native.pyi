"""The module in Rust. Use the package: its classes are made of these."""

from collections.abc import Callable
from typing import Any, final

__all__ = [
    "Answer",
    "InternalError",
    "LanescopeError",
    "Machine",
    "Points",
    "System",
    "__version__",
    "bundled",
    "advise",
    "calibrate",
    "explain",
    "inspect",
    "validate",
]

__version__: str

class LanescopeError(ValueError):
    """Input that is wrong, with its place and what would be right."""

    message: str
    file: str | None
    line: int | None
    help: str | None

class InternalError(LanescopeError):
    """The program contradicts itself."""

@final
class Answer:
    @property
    def kind(self) -> str: ...
    @property
    def value(self) -> Any: ...
    @property
    def complete(self) -> bool: ...
    @property
    def html(self) -> str | None: ...
    @property
    def pictures(self) -> list[tuple[str, str]]: ...
    def json(self) -> str: ...
    def table(self) -> list[tuple[str, str, str, list[Any]]]: ...
    def parts(self) -> Any: ...
    @staticmethod
    def again(parts: Any) -> Answer: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Machine:
    @staticmethod
    def from_bytes(name: str, bytes: bytes) -> Machine: ...
    def parts(self) -> tuple[str, str, str]: ...
    @staticmethod
    def again(parts: tuple[str, str, str]) -> Machine: ...
    @property
    def value(self) -> dict[str, Any]: ...
    @property
    def text(self) -> str: ...
    @property
    def picture(self) -> str: ...
    def functions(self) -> Answer: ...
    def links(self) -> Answer: ...
    def limits(self) -> Answer: ...

@final
class System:
    @staticmethod
    def open(name: str) -> System: ...
    @staticmethod
    def from_text(name: str, text: str, called: str | None = None) -> System: ...
    def with_sets(self, sets: list[str]) -> System: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sets(self) -> list[str]: ...
    def told_in(self, unit: str) -> System: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def experiments(self) -> list[dict[str, Any]]: ...
    def tree(self) -> str: ...
    def show(self, all: bool = False) -> Answer: ...
    def limit(self, experiment: str | None, axes: list[tuple[str, list[str]]]) -> Answer: ...
    def what_if(self, experiment: str | None, axes: list[tuple[str, list[str]]]) -> Answer: ...
    def run(
        self,
        experiment: str | None,
        axes: list[tuple[str, list[str]]],
        proof: bool,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> Answer: ...
    def stream(
        self,
        experiment: str,
        axes: list[tuple[str, list[str]]],
        bytes: str,
        each: str,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> Answer: ...
    def trace(
        self,
        path: str,
        experiment: str | None,
        axes: list[tuple[str, list[str]]],
        links: str | None,
        progress: Callable[[int, int], None] | None,
    ) -> tuple[int, int, int]: ...
    def tune(
        self,
        experiment: str,
        axes: list[tuple[str, list[str]]],
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> Answer: ...
    def fit(
        self,
        on: str,
        params: list[str],
        rows: list[str],
        hold_out: list[str],
        start: list[str],
        choose: list[str],
        by_limit: bool,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> Answer: ...
    def sweep(
        self,
        experiment: str | None,
        over: list[str],
        sample: int | None,
        seed: int,
        by_limit: bool,
        out: str | None,
        resume: bool,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> Answer: ...

def bundled() -> list[str]: ...
def advise(
    workload: str,
    machine: str | None,
    sets: list[str],
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> Answer: ...
def calibrate(
    on: str | None,
    machine: tuple[str | None, list[str]],
    bench: tuple[str, str, str],
    by_limit: bool,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> Answer: ...
def explain(
    from_: tuple[list[str], list[str], str | None],
    machine: tuple[str | None, list[str]],
    noise: float | None,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> Answer: ...
def inspect(path: str | None = None) -> Machine: ...
def validate(
    files: list[str], threads: int | None, progress: Callable[[int, int], None] | None
) -> Answer: ...

@final
class Points:
    def __new__(
        cls,
        system: System,
        experiment: str | None,
        over: list[str],
        sample: int | None,
        seed: int,
        by_limit: bool,
        out: str | None,
        resume: bool,
    ) -> Points: ...
    def __len__(self) -> int: ...
    def open(self) -> list[int]: ...
    def run(self, numbers: list[int], threads: int | None) -> str: ...
    def keep(self, lines: str) -> None: ...
    def answer(self) -> Answer: ...
