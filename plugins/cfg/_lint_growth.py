"""Ambiguous grammars whose readings never come together again: following texts takes ever more.

Whether a grammar is one cannot be decided, so texts are drawn from its masks, byte by byte, and
followed under a low bound on what one byte may add to the engine's expressions. Grammars whose
readings meet again stay far below it at any length. Texts of one byte alone are followed, too:
what opens and closes parts with the same mark has most readings there.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, LimitError
from formgate.core.grammar import Limits
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.cfg._lint_report import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core._native import Engine, State
    from formgate.core.grammar import Grammar
    from formgate.plugins.cfg._lint_report import Finding

__all__ = ["check_growth"]

_TEXTS = 3
_MOST_BYTES = 96
_MOST_GROWTH = 5_000  # expressions for one byte; others take some hundreds at most
_MOST_REPEATED = 16  # bytes, of those that lead to different states


def check_growth(build: Callable[[], Grammar], start: str, deadline: float) -> list[Finding]:
    """Return a finding if a text is soon read in more and more ways.

    Args:
        build: Makes the grammar.
        start: Its first rule.
        deadline: Value of ``time.perf_counter`` after which no more texts are drawn.

    Cost: that of compiling the grammar and of some hundred masks.
    """
    vocabulary = byte_vocabulary()
    chance = random.Random(0)  # noqa: S311 (texts for a test; the same each time)
    left = max(deadline - time.perf_counter(), 0.01)
    try:
        engine = build().compile(vocabulary, limits=Limits(max_growth=_MOST_GROWTH), timeout_s=left)
    except FormgateError:
        return []  # other checks, or compiling it for use, say what is wrong
    try:
        repeated = _repeated(engine)
    except LimitError:
        return [_growing(start, b"")]
    for choose in [chance.choice] * _TEXTS + repeated:
        state, text = engine.start(), bytearray()
        try:
            while len(text) < _MOST_BYTES and time.perf_counter() < deadline:
                allowed = [token for token in engine.allowed_tokens(state).to_list() if token < 256]
                byte = choose(allowed) if allowed else None
                if byte is None:
                    break
                text.append(byte)
                state = engine.advance(state, byte)
        except LimitError:
            return [_growing(start, bytes(text))]
    return []


def _repeated(engine: Engine) -> list[Callable[[list[int]], int | None]]:
    """Return what chooses one byte again and again, for bytes that a text may begin with."""
    first: dict[State, int] = {}
    start = engine.start()
    for byte in engine.allowed_tokens(start).to_list():
        if byte < 256 and len(first) < _MOST_REPEATED:
            first.setdefault(engine.advance(start, byte), byte)

    def choosing(byte: int) -> Callable[[list[int]], int | None]:
        return lambda allowed: byte if byte in allowed else None

    return [choosing(byte) for byte in first.values()]


def _growing(start: str, text: bytes) -> Finding:
    """Return the finding for a text."""
    return finding(
        "warning",
        "growth",
        start,
        f"texts can be read in ever more ways at once: after {len(text)} bytes one more takes over "
        f"{_MOST_GROWTH:,} expressions, and time and memory go on growing with the text",
        example=text.decode("utf-8", errors="backslashreplace"),
        hint="write rules that read a text in one way, or compile with a low Limits.max_growth",
    )
