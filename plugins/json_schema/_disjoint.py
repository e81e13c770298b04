"""Whether a set of strings is empty, decided by the engine: the last resort before refusing.

The sets themselves say what is certain at a glance. That two patterns have no string in common
takes an automaton, which the native core has: it is asked only where a schema would be refused
otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, FormgateError

if TYPE_CHECKING:
    from formgate.core.vocabulary import Vocabulary
    from formgate.plugins.json_schema._strings import StringSet

__all__ = ["is_empty"]

_TIMEOUT_S = 0.5

_bytes: Vocabulary | None = None


def is_empty(strings: StringSet) -> bool:
    """Say whether a set has no string; False if that cannot be decided quickly."""
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415 (rarely needed)

    if strings.is_empty():
        return True
    builder = GrammarBuilder()
    try:
        builder.start(strings.node(builder))
        builder.build().compile(_vocabulary(), timeout_s=_TIMEOUT_S)
    except EmptyLanguageError:
        return True
    except FormgateError:
        return False
    return False


def _vocabulary() -> Vocabulary:
    """Return a vocabulary of single bytes."""
    global _bytes  # noqa: PLW0603 (made once)
    if _bytes is None:
        from formgate.core.vocabulary import Vocabulary  # noqa: PLC0415 (rarely needed)

        _bytes = Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
    return _bytes
