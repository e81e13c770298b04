"""Whether a set of strings is empty, decided by the engine: the last resort before refusing.

The sets themselves say what is certain at a glance. That two patterns have no string in common
takes an automaton, which the native core has: it is asked only where a schema would be refused
otherwise.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, FormgateError
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.json_schema._deadline import check_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.plugins.json_schema._strings import StringSet

__all__ = ["Patience"]

_TIMEOUT_S = 0.5  # for one set
_MAX_KNOWN = 1024

# Sets that were decided lately.
_known: dict[StringSet, bool] = {}


class Patience:
    """How long the engine may be asked in one place; then nothing more is decided.

    Args:
        seconds: In all.
    """

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def is_empty(self, strings: StringSet, within: Sequence[StringSet] = ()) -> bool:
        """Say whether a set has no string; False if that cannot be decided in time.

        Args:
            strings: The set.
            within: Sets that it is part of: often two of them have nothing in common, and the same
                two are met again.
        """
        pairs = (one & other for place, one in enumerate(within) for other in within[:place])
        return any(map(self._decide, pairs)) or self._decide(strings)

    def _decide(self, strings: StringSet) -> bool:
        """Say whether a set has no string, as far as that is known or there is time."""
        if strings.is_empty():
            return True
        found = _known.get(strings)
        if found is not None or self.left <= 0:
            return bool(found)
        check_time()
        started = monotonic()
        found = _is_empty(strings, min(self.left, _TIMEOUT_S))
        self.left -= monotonic() - started
        if found is not None:
            if len(_known) >= _MAX_KNOWN:
                _known.clear()
            _known[strings] = found
        return bool(found)


def _is_empty(strings: StringSet, timeout_s: float) -> bool | None:
    """Say whether a set has no string; None if that cannot be decided quickly."""
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415 (rarely needed)

    builder = GrammarBuilder()
    try:
        builder.start(strings.node(builder))
        builder.build().compile(byte_vocabulary(), timeout_s=timeout_s)
    except EmptyLanguageError:
        return True
    except FormgateError:
        return None
    return False
