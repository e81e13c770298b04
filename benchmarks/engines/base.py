"""What an adapter must offer, so that every engine does the same work behind the same calls.

Every adapter hands out two plain Python closures, `fill` and `advance`. Each makes the thinnest
call its package offers, so the cost of the closure itself, which the trivial engine shows, is the
same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class RefusedError(Exception):
    """The engine does not accept the constraint, and says so."""


class Session(NamedTuple):
    """One output under construction.

    `fill` writes the mask of the current state into the shared row. `advance` commits a token: it
    returns something false or raises when the engine forbids it.
    """

    fill: Callable[[], object]
    advance: Callable[[int], object]


class Adapter(ABC):
    """One engine over one vocabulary and one preallocated packed row of int32 words.

    Building the adapter is the engine's set-up cost. Each subclass names in `packages` the
    distributions whose versions matter. An adapter whose package brings a mask buffer of its own
    sets `buffer` to an array over it, and that is the row then. One whose package reads a source
    and compiles what it read in two calls overrides `read`, so that the parts are timed apart.
    """

    packages: tuple[str, ...] = ()
    reads_apart: bool = False
    buffer: np.ndarray[Any, Any] | None = None

    @abstractmethod
    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None: ...

    def read(self, source: str, form: str) -> Any:
        """Return what `compile` takes; raises `RefusedError`."""
        del form
        return source

    @abstractmethod
    def compile(self, source: Any, form: str) -> Any:
        """Return the compiled constraint; raises `RefusedError`."""

    @abstractmethod
    def start(self, compiled: Any) -> Session:
        """Begin an output. Only one session of a compiled constraint is alive at a time."""

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages measured."""
        return {name: version(name) for name in self.packages}
