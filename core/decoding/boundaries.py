"""Where a constraint begins and ends: all wrappers of an engine in their right order.

A prompt's last token written again comes first, free text up to a marker next, then the text
between marker and answer, then the answer; a budget holds for all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.decoding._token_table import mark
from formgate.core.decoding.after import AfterMarker
from formgate.core.decoding.budget import WithinBudget
from formgate.core.decoding.prefixed import Prefixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["bounded", "inner_text"]

_WRAPPERS = (AfterMarker, Prefixed, WithinBudget)


def bounded(
    engine: MaskEngine[Any],
    *,
    after: str | bytes | int | Sequence[str | bytes | int] | None = None,
    between: str | bytes = b"",
    healed: bytes = b"",
    max_tokens: int | None = None,
) -> MaskEngine[Any]:
    """Return an engine with the boundaries asked for; the engine itself where none is.

    Args:
        engine: What the answer must satisfy; must have the attribute ``vocabulary``.
        after: The marker that ends free text before the answer (see ``AfterMarker``).
        between: Text between the marker and the answer; before the answer if there is no marker.
        healed: Text of the tokens that were taken off the prompt (see ``heal``).
        max_tokens: Longest output that is to be whole (see ``WithinBudget``).

    Raises:
        BudgetError: No text fits into ``max_tokens``.
        EmptyLanguageError: The vocabulary cannot spell a text that is asked for.
        LimitError: No text that fits was found.
        ValueError: An argument is out of its range.
    """
    if between:
        engine = Prefixed(engine, between)
    if after is not None:
        engine = AfterMarker(engine, after)
    if healed:
        engine = Prefixed(engine, healed)
    if max_tokens is not None:
        engine = WithinBudget(engine, max_tokens)
    return engine


def inner_text(engine: MaskEngine[Any], tokens: Iterable[int]) -> tuple[MaskEngine[Any], bytes]:
    """Return the innermost engine, and the part of an output that it constrains.

    Args:
        engine: What ``bounded`` returned.
        tokens: The output; stop tokens count as nothing, and so do special tokens.
    """
    vocabulary: Any = engine.vocabulary  # type: ignore[attr-defined]
    stops = frozenset(vocabulary.stop_ids)
    text = ""
    for token in tokens:
        if token not in stops:
            data = vocabulary.token_bytes(token)
            text += mark(token) if data is None else data.decode("latin-1")
    while isinstance(engine, _WRAPPERS):
        text = engine.inner_text(text)
        engine = engine.engine
    return engine, bytes(ord(character) for character in text if ord(character) < 0x100)
