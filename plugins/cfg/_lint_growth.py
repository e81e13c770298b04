"""Ambiguous grammars whose readings never come together again: following texts takes ever more.

Whether a grammar is one cannot be decided, so texts are drawn from its masks, byte by byte, and
followed under a low bound on what one byte may add to the engine's expressions. Grammars whose
readings meet again stay below a hundredth of it at any length.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, LimitError
from formgate.core.grammar import Limits
from formgate.core.vocabulary import Vocabulary
from formgate.plugins.cfg._lint_report import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import Grammar
    from formgate.plugins.cfg._lint_report import Finding

__all__ = ["check_growth"]

_TEXTS = 3
_MOST_BYTES = 96
_MOST_GROWTH = 20_000  # expressions for one byte; others take some hundreds at most


def check_growth(build: Callable[[], Grammar], start: str, deadline: float) -> list[Finding]:
    """Return a finding if a text is soon read in more and more ways.

    Args:
        build: Makes the grammar.
        start: Its first rule.
        deadline: Value of ``time.perf_counter`` after which no more texts are drawn.

    Cost: that of compiling the grammar and of some hundred masks.
    """
    vocabulary = Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
    chance = random.Random(0)  # noqa: S311 (texts for a test; the same each time)
    left = max(deadline - time.perf_counter(), 0.01)
    try:
        engine = build().compile(vocabulary, limits=Limits(max_growth=_MOST_GROWTH), timeout_s=left)
    except FormgateError:
        return []  # other checks, or compiling it for use, say what is wrong
    for _ in range(_TEXTS):
        state, text = engine.start(), bytearray()
        try:
            while len(text) < _MOST_BYTES and time.perf_counter() < deadline:
                allowed = [token for token in engine.allowed_tokens(state).to_list() if token < 256]
                if not allowed:
                    break
                text.append(chance.choice(allowed))
                state = engine.advance(state, text[-1])
        except LimitError:
            return [_growing(start, bytes(text))]
    return []


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
