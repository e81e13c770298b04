"""Adapter of xgrammar, through the handle below its Python wrapper (0.1 µs a call less)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
import xgrammar  # type: ignore[import-not-found,unused-ignore]

from benchmarks.engines.base import Adapter, BatchSession, RefusedError, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class XGrammar(Adapter):
    """Default settings; one thread, because every engine gets one."""

    packages = ("xgrammar", "torch", "apache-tvm-ffi")

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        # Shares memory with the row. A tensor costs a little less per call than an array.
        self._row = torch.from_numpy(row.reshape(1, -1))
        tokenizer = xgrammar.TokenizerInfo(
            [b"" if text is None else text for text in vocabulary.tokens],
            xgrammar.VocabType.RAW,
            vocab_size=len(vocabulary.tokens),
            stop_token_ids=vocabulary.stop_ids,
        )
        self._compiler = xgrammar.GrammarCompiler(tokenizer, max_threads=1)

    def compile(self, source: str, form: str) -> Any:
        """Compile a regex, a grammar in its EBNF, which is close to GBNF, or a schema.

        Its default for schemas forbids members that a schema does not name; `strict_mode=False`
        follows the standard. Without the switch for it, members come in the schema's order.
        """
        compile_source = {
            "regex": self._compiler.compile_regex,
            "gbnf": self._compiler.compile_grammar,
            "json_schema": partial(self._compiler.compile_json_schema, strict_mode=False),
            "json_schema_compact": partial(
                self._compiler.compile_json_schema,
                strict_mode=False,
                any_whitespace=False,
                separators=(",", ":"),
            ),
            "json_schema_any_order": partial(
                self._compiler.compile_json_schema, strict_mode=False, any_order=True
            ),
        }[form]
        try:
            return compile_source(source)
        except RuntimeError as error:
            raise RefusedError(str(error)) from error

    def start(self, compiled: Any) -> Session:
        """Make a matcher."""
        handle = xgrammar.GrammarMatcher(compiled)._handle  # noqa: SLF001 - the thinnest entry
        fill_row, accept, row = handle.fill_next_token_bitmask, handle.accept_token, self._row

        def fill() -> None:
            fill_row(row, 0, False)

        def advance(token: int) -> object:
            return accept(token, False)

        return Session(fill, advance)

    def start_batch(
        self, compiled: Sequence[tuple[Any, int]], rows: np.ndarray[Any, Any], threads: int
    ) -> BatchSession:
        """Make the matchers, and fill through the package's batch matcher."""
        matchers = [xgrammar.GrammarMatcher(each) for each, count in compiled for _ in range(count)]
        fill_rows = xgrammar.BatchGrammarMatcher(max_threads=threads).batch_fill_next_token_bitmask
        accept_all = xgrammar.BatchGrammarMatcher.batch_accept_token
        out = torch.from_numpy(rows)

        def fill() -> None:
            fill_rows(matchers, out)

        def advance(tokens: Sequence[int]) -> None:
            if not all(accept_all(matchers, list(tokens))):
                raise ValueError("a token was refused")

        def feed(row: int, tokens: Sequence[int]) -> None:
            if not all(matchers[row].accept_token(token) for token in tokens):
                raise ValueError("a token was refused")

        return BatchSession(fill, advance, feed)
