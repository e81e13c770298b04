"""Adapters of this project's own engine: immutable states, and the mutable matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import formgate
from benchmarks.engines.base import Adapter, RefusedError, Session
from formgate.core._native import MaskBuffer
from formgate.core.compiler import build_grammar
from formgate.core.errors import GrammarError, LimitError

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class EngineAdapter(Adapter):
    """`Engine.fill_mask` into a `MaskBuffer`, and `Engine.advance` on immutable states."""

    packages = ("formgate", "lark")
    reads_apart = True

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        del row
        self._row: Any = MaskBuffer(1, len(vocabulary.tokens))
        self.buffer = self._row.array[0]
        self._vocabulary = formgate.Vocabulary(
            vocabulary.tokens, stop_ids=vocabulary.stop_ids, special=vocabulary.special
        )

    def read(self, source: str, form: str) -> Any:
        """Read the source into a grammar: for lark, that is lark's loading and our writing."""
        try:
            if form == "json_schema_any_order":
                return build_grammar(source, format="json_schema", property_order="any")
            return build_grammar(source, format=form)
        except (GrammarError, LimitError) as error:
            raise RefusedError(str(error)) from error

    def compile(self, source: Any, form: str) -> Any:
        """Compile what was read."""
        del form
        try:
            return formgate.compile(source, self._vocabulary)
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
