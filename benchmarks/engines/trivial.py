"""An engine that allows everything: what remains are clocks, calls and a copy by numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.engines.base import Adapter, BatchSession, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class Trivial(Adapter):
    """Copies a finished mask of ones into the row; accepts every token."""

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        del vocabulary
        self._row = row
        self._ones = row.copy()
        self._ones.fill(-1)

    def compile(self, source: str, form: str) -> Any:
        """Return nothing: any constraint will do."""
        del source, form

    def start(self, compiled: Any) -> Session:
        """Return a session whose fill is one copy of a row."""
        del compiled
        put, ones = self._row.__setitem__, self._ones

        def fill() -> None:
            put(..., ones)

        def advance(token: int) -> bool:
            return token >= 0

        return Session(fill, advance)

    def start_batch(
        self, compiled: Sequence[tuple[Any, int]], rows: np.ndarray[Any, Any], threads: int
    ) -> BatchSession:
        """Return a session whose fill is one copy a row, by one thread."""
        del compiled, threads
        ones = rows.copy()
        ones.fill(-1)

        def fill() -> None:
            rows[...] = ones

        def advance(tokens: Sequence[int]) -> None:
            del tokens

        def feed(row: int, tokens: Sequence[int]) -> None:
            del row, tokens

        return BatchSession(fill, advance, feed)
