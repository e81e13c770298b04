"""What an adapter must offer, so that every engine does the same work behind the same calls.

Every adapter hands out two plain Python closures, `fill` and `advance`. Each makes the thinnest
call its package offers, so the cost of the closure itself is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


class BatchSession(NamedTuple):
    """Several outputs under construction, one for each row of a two-dimensional array.

    `fill` writes the masks of all current states; `advance` commits one token to each; `feed`
    commits several to one of them.
    """

    fill: Callable[[], object]
    advance: Callable[[Sequence[int]], object]
    feed: Callable[[int, Sequence[int]], object]


class Adapter(ABC):
    """One engine over one vocabulary and one preallocated packed row of int32 words.

    Building the adapter is the engine's set-up cost. Each subclass names in `packages` the
    distributions whose versions matter. An adapter whose package brings a mask buffer of its own
    sets `buffer` to an array over it, and that is the row then. One whose package reads a source
    and compiles what it read in two calls overrides `read`, so that the parts are timed apart. One
    whose package fills many rows in one call overrides `start_batch`.
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

    def start_batch(
        self, compiled: Sequence[tuple[Any, int]], rows: np.ndarray[Any, Any], threads: int
    ) -> BatchSession:
        """Begin so many outputs of each compiled constraint, in this order, over `rows`.

        Filling may use so many threads; committing is done by one.
        """
        raise NotImplementedError(f"{type(self).__name__} fills one row a call")

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages measured."""
        return {name: version(name) for name in self.packages}
