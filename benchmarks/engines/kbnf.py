"""Adapter of kbnf, through the engine below its Python wrapper.

A grammar of kbnf ends as soon as its start symbol is complete, and it knows no stop token. So each
constraint is followed by a marker, two control characters that no text of the suite holds, and the
stop token is handed over with the marker for its bytes. Where an output may end, masks then also
hold the tokens that are a beginning of the marker; and where a constraint takes any character,
control characters included, it takes the stop token. Both are this adapter's doing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import kbnf  # type: ignore[import-not-found,unused-ignore]

from benchmarks.engines.base import Adapter, RefusedError, Session

if TYPE_CHECKING:
    import numpy as np

    from benchmarks.vocabularies import VocabularyData

_MARKER = "\x01\x02"


class Kbnf(Adapter):
    """A regex as a terminal, or a grammar in its own notation whose start symbol is `text`."""

    packages = ("kbnf",)

    def __init__(self, vocabulary: VocabularyData, row: np.ndarray[Any, Any]) -> None:
        self._row = row
        texts = {i: text for i, text in enumerate(vocabulary.tokens) if text is not None}
        texts |= dict.fromkeys(vocabulary.stop_ids, _MARKER.encode())
        self._vocabulary = kbnf.Vocabulary(
            {i: kbnf.Token(text) for i, text in texts.items()},
            {i: text.decode("latin-1") for i, text in texts.items()},
        )

    def compile(self, source: str, form: str) -> Any:
        """Build an engine: the package has no compiled form apart from it."""
        rules = f"text ::= #{_quoted(source)};\n" if form == "regex" else source
        grammar = f"{rules}\nstart ::= text {_quoted(_MARKER)};\n"
        try:
            return kbnf.InternalEngine(grammar, self._vocabulary, None)
        except ValueError as error:
            raise RefusedError(str(error)) from error

    def start(self, compiled: Any) -> Session:
        """Reset the one engine, which keeps its cache of masks."""
        compiled.reset()
        compute, write = compiled.compute_allowed_token_ids, compiled.fill_torch_bitmask
        accept, row, address = compiled.try_accept_new_token, self._row, self._row.ctypes.data

        def fill() -> None:
            compute()
            row.fill(0)
            write(address)

        def advance(token: int) -> bool:
            accept(token)
            return True

        return Session(fill, advance)


def _quoted(text: str) -> str:
    """Return a string literal of the notation, in which a backslash escapes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
