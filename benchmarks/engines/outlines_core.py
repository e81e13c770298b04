"""Adapter of outlines-core: an index of the regex over the whole vocabulary, then a guide.

A JSON Schema is turned into a regex by the package first, and then treated as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import outlines_core  # type: ignore[import-not-found,unused-ignore]
from outlines_core.json_schema import (  # type: ignore[import-not-found,unused-ignore]
    build_regex_from_schema,
)

from benchmarks.engines.base import Adapter, RefusedError, Session

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.vocabularies import VocabularyData


class OutlinesCore(Adapter):
    """Masks are written straight into the row."""

    packages = ("outlines-core",)
    reads_apart = True

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        self._address = row.ctypes.data
        self._words = row.size
        self._vocabulary = outlines_core.Vocabulary(
            vocabulary.stop_ids[0],
            {text: [i] for i, text in enumerate(vocabulary.tokens) if text is not None},
        )

    def read(self, source: str, form: str) -> Any:
        """Return the regex of a schema; a regex is read by `compile`."""
        if form == "regex":
            return source
        try:
            return build_regex_from_schema(source)
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error)) from error

    def compile(self, source: str, form: str) -> Any:
        """Build the index."""
        del form
        try:
            return outlines_core.Guide(outlines_core.Index(source, self._vocabulary))
        except ValueError as error:
            raise RefusedError(str(error)) from error

    def start(self, compiled: Any) -> Session:
        """Reset the one guide."""
        compiled.reset()
        write, step = compiled.write_mask_into, compiled.advance
        address, words = self._address, self._words

        def fill() -> None:
            write(address, words, 4)

        def advance(token: int) -> bool:
            step(token, False)
            return True

        return Session(fill, advance)
