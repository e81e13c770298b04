"""Adapters of llguidance, with its defaults and with complete masks.

By default, where the next bytes are forced, its mask holds only the first token of their canonical
spelling. `no_forcing` gives the complete mask; it can be set only in its Lark dialect, so the regex
is wrapped, in the way the package itself wraps a regex.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from llguidance import (  # type: ignore[import-not-found,unused-ignore]
    LLExecutor,
    LLMatcher,
    LLTokenizer,
    regex_to_lark,
)

from benchmarks.engines.base import Adapter, BatchSession, RefusedError, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class Compiled(NamedTuple):
    """A grammar, and matchers of it that were made so far."""

    grammar: str
    matchers: list[Any]


class Default(Adapter):
    """The package's own way to compile a regex, or a grammar in its Lark dialect."""

    packages = ("llguidance",)

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        self._address = row.ctypes.data
        self._bytes = row.nbytes
        self._tokenizer = LLTokenizer.from_tiktoken(
            encoder={text: i for i, text in enumerate(vocabulary.tokens) if text is not None},
            special_tokens=vocabulary.special,
            pattern=vocabulary.split_pattern,
            eos_token=vocabulary.stop_ids[0],
            n_vocab=len(vocabulary.tokens),
        )

    def _grammar(self, source: str, form: str) -> str:
        if form == "regex":
            return str(LLMatcher.grammar_from_regex(source))
        if form.startswith("json_schema"):
            return str(LLMatcher.grammar_from_json_schema(_schema(source, form)))
        return str(LLMatcher.grammar_from_lark(source))

    def compile(self, source: str, form: str) -> Any:
        """Build a matcher: the package has no compiled form apart from it."""
        grammar = self._grammar(source, form)
        matcher = LLMatcher(self._tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise RefusedError(matcher.get_error())
        return Compiled(grammar, [matcher])

    def start(self, compiled: Any) -> Session:
        """Reset the one matcher, which keeps its lazily built tables: its best case."""
        matcher = compiled.matchers[0]
        matcher.reset()
        compute, consume = matcher.unsafe_compute_mask_ptr, matcher.consume_token
        address, size = self._address, self._bytes

        def fill() -> None:
            compute(address, size)

        def advance(token: int) -> object:
            return consume(token)

        return Session(fill, advance)

    def start_batch(
        self, compiled: Sequence[tuple[Any, int]], rows: np.ndarray[Any, Any], threads: int
    ) -> BatchSession:
        """Make matchers that are no copies, which would wait for each other.

        They are kept from batch to batch with what they built; the package's executor fills.
        """
        matchers = []
        for (grammar, kept), count in compiled:
            while len(kept) < count:
                kept.append(LLMatcher(self._tokenizer, grammar, log_level=0))
            matchers += kept[:count]
        for matcher in matchers:
            matcher.reset()
        places = [(matcher, row) for row, matcher in enumerate(matchers)]
        compute = LLExecutor(num_threads=threads).unsafe_compute_mask_ptr
        address, size, count = rows.ctypes.data, rows.strides[0], len(places)

        def fill() -> None:
            compute(places, address, size, count)

        def advance(tokens: Sequence[int]) -> None:
            for matcher, token in zip(matchers, tokens, strict=True):
                if not matcher.consume_token(token):
                    raise ValueError(matcher.get_error())

        def feed(row: int, tokens: Sequence[int]) -> None:
            if not matchers[row].consume_tokens(list(tokens)):
                raise ValueError(matchers[row].get_error())

        return BatchSession(fill, advance, feed)


class Complete(Default):
    """Complete masks: no forcing of canonical tokens."""

    def _grammar(self, source: str, form: str) -> str:
        if form == "regex":
            source = f"start: /{regex_to_lark(source, use_ascii='')}/\n"
        if form.startswith("json_schema"):
            source = f"start: %json {_schema(source, form)}\n"
        return str(LLMatcher.grammar_from_lark(f'%llguidance {{"no_forcing": true}}\n{source}'))


def _schema(source: str, form: str) -> str:
    """Return a schema with the package's own option for texts without white space."""
    if form != "json_schema_compact":
        return source
    return json.dumps({**json.loads(source), "x-guidance": {"whitespace_flexible": False}})
