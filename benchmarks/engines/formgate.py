"""Adapters of this project's own engine: immutable states, and the mutable matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import formgate
from benchmarks.engines.base import Adapter, BatchSession, RefusedError, Session
from formgate.core._native import MaskBuffer
from formgate.core.compiler import build_grammar
from formgate.core.errors import GrammarError, LimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from benchmarks.vocabularies import VocabularyData


# What we are asked for by the formats that are JSON Schema with something said about the text.
_OPTIONS: dict[str, dict[str, Any]] = {
    "json_schema_any_order": {"property_order": "any"},
    "json_schema_compact": {"whitespace": "compact", "escapes": "canonical"},
}


class EngineAdapter(Adapter):
    """`Engine.fill_mask` into a `MaskBuffer`, and `Engine.advance` on immutable states."""

    packages = ("formgate", "lark")
    reads_apart = True
    warm_up = True

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        del row
        self._row: Any = MaskBuffer(1, len(vocabulary.tokens))
        self.buffer = self._row.array[0]
        self._vocabulary = formgate.Vocabulary(
            vocabulary.tokens, stop_ids=vocabulary.stop_ids, special=vocabulary.special
        )

    @classmethod
    def over(cls, vocabulary: formgate.Vocabulary) -> EngineAdapter:
        """Return an adapter without a row, which can only read and compile."""
        adapter = cls.__new__(cls)
        adapter._vocabulary = vocabulary  # noqa: SLF001 - it is an instance of this class
        return adapter

    def read(self, source: str, form: str) -> Any:
        """Read the source into a grammar."""
        try:
            if form in _OPTIONS:
                return build_grammar(source, format="json_schema", **_OPTIONS[form])
            return build_grammar(source, format=form)
        except (GrammarError, LimitError) as error:
            raise RefusedError(str(error)) from error

    def compile(self, source: Any, form: str) -> Any:
        """Compile what was read."""
        del form
        try:
            return formgate.compile(source, self._vocabulary, warm_up=self.warm_up)
        except (GrammarError, LimitError) as error:
            raise RefusedError(str(error)) from error

    def start(self, compiled: Any) -> Session:
        """Begin at the engine's first state."""
        fill_mask, step, row = compiled.fill_mask, compiled.advance, self._row
        state = compiled.start()

        def fill() -> None:
            fill_mask(state, row, 0)

        def advance(token: int) -> bool:
            nonlocal state
            state = step(state, token)
            return True

        return Session(fill, advance)

    def start_batch(
        self, compiled: Sequence[tuple[Any, int]], rows: np.ndarray[Any, Any], threads: int
    ) -> BatchSession:
        """Fill the rows of one engine after those of another: `fill_masks` takes states of one."""
        engines = [engine for engine, count in compiled for _ in range(count)]
        states = [engine.start() for engine in engines]
        groups = []
        first = 0
        for engine, count in compiled:
            place = slice(first, first + count)
            groups.append((engine.fill_masks, place, rows[place]))
            first += count

        def fill() -> None:
            for fill_masks, place, out in groups:
                fill_masks(states[place], out, threads)

        def advance(tokens: Sequence[int]) -> None:
            for row, token in enumerate(tokens):
                states[row] = engines[row].advance(states[row], token)

        def feed(row: int, tokens: Sequence[int]) -> None:
            states[row] = engines[row].advance_many(states[row], tokens)

        return BatchSession(fill, advance, feed)


class ColdAdapter(EngineAdapter):
    """The same engine without masks that are made while compiling."""

    warm_up = False


class MatcherAdapter(EngineAdapter):
    """The same engine through `Matcher`, into a plain array."""

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        super().__init__(vocabulary, row)
        self._row = self.buffer = row

    def start(self, compiled: Any) -> Session:
        """Make a matcher."""
        matcher = formgate.Matcher(compiled)
        fill_row, accept, row = matcher.fill, matcher.accept, self._row

        def fill() -> None:
            fill_row(row, 0)

        def advance(token: int) -> object:
            return accept(token)

        return Session(fill, advance)
