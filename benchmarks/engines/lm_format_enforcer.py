"""Adapter of lm-format-enforcer: characters, and lists of token ids.

The package works on characters, so tokens that are no whole characters are spelled with U+FFFD, as
its own integrations do. Its masks are lists of ids; they are written into the row here, which is
part of the time. Nothing happens when a token is committed: the next mask does the work.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from lmformatenforcer import (  # type: ignore[import-not-found,unused-ignore]
    JsonSchemaParser,
    RegexParser,
    TokenEnforcer,
    TokenEnforcerTokenizerData,
)

from benchmarks.engines.base import Adapter, RefusedError, Session

if TYPE_CHECKING:
    from benchmarks.vocabularies import VocabularyData


class LmFormatEnforcer(Adapter):
    """Defaults, and lists of ids rather than bit masks, which would need torch."""

    packages = ("lm-format-enforcer", "interegular")

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        logging.disable(logging.CRITICAL)  # it prints every failure with its traceback
        self._row = row
        self._bits = np.zeros(row.size * 32, np.uint8)
        tokens = vocabulary.tokens
        self._data = TokenEnforcerTokenizerData(
            [
                (i, text.decode(errors="replace"), _is_whole(text))
                for i, text in enumerate(tokens)
                if text is not None
            ],
            lambda ids: b"".join(tokens[i] or b"" for i in ids).decode(errors="replace"),
            vocabulary.stop_ids,
            use_bitmask=False,
            vocab_size=len(tokens),
        )

    def compile(self, source: str, form: str) -> Any:
        """Build an enforcer: the package has no compiled form apart from it."""
        try:
            parser = (
                RegexParser(source) if form == "regex" else JsonSchemaParser(json.loads(source))
            )
            enforcer = TokenEnforcer(self._data, parser)
            enforcer.get_allowed_tokens([])
        except Exception as error:
            raise RefusedError(f"{type(error).__name__}: {error}") from error
        return enforcer

    def start(self, compiled: Any) -> Session:
        """Begin with no tokens; the one enforcer keeps what it found for every beginning."""
        allowed, bits, row = compiled.get_allowed_tokens, self._bits, self._row
        tokens: list[int] = []

        def fill() -> None:
            found = allowed(tokens).allowed_tokens
            bits.fill(0)
            bits[found] = 1
            row.view(np.uint8)[:] = np.packbits(bits, bitorder="little")

        def advance(token: int) -> bool:
            tokens.append(token)
            return True

        return Session(fill, advance)


def _is_whole(text: bytes) -> bool:
    """Tell whether a token means the same whatever stands before it."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
