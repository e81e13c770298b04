"""Which strings a regex takes whole, asked of ``re`` where that surely takes no time.

lark asks ``re`` of each string and each regex, which takes exponential time for some. An engine for
the regex says the same in linear time, but takes a millisecond to make, and most regexes are those
of names and numbers. So ``re`` is asked where the ways in which it may go through a short text are
few, and nobody where the string does not begin as the regex does.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Trial", "trial"]

_MOST_WAYS = 1 << 20
_LONGEST = 32  # characters of a string
_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_SINGLE = frozenset(("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY"))
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))


class Trial(NamedTuple):
    """What is known of a regex without an engine.

    Args:
        first: The character that all its texts begin with; None if it is not seen.
        regex: To be asked of short texts; None where that might take long, or where what stands
            around a text matters.
    """

    first: str | None
    regex: re.Pattern[str] | None

    def takes(self, text: str) -> bool | None:
        """Say whether the regex takes a text whole; None where an engine has to say it."""
        if self.first is not None and not text.startswith(self.first):
            return False
        if self.regex is None or len(text) > _LONGEST:
            return None
        match = self.regex.match(text)
        return match is not None and match.end() == len(text)


@lru_cache(maxsize=256)
def trial(regexp: str, flags: int) -> Trial:
    """Return what is known of a regex."""
    flags &= ~int(re.DEBUG)
    try:
        tree = _parser.parse(regexp, flags)
        ways = _ways(tree)
        quick = re.compile(regexp, flags) if ways is not None and ways <= _MOST_WAYS else None
    except Exception:  # noqa: BLE001 (what ``re`` cannot read, others refuse)
        return Trial(None, None)
    ignores_case = (flags | tree.state.flags) & re.IGNORECASE
    return Trial(None if ignores_case else _first(tree), quick)


def _first(items: Sequence[Any]) -> str | None:
    """Return the character that a regex begins with, if it is plain to see."""
    while len(items):
        name, value = items[0][0].name, items[0][1]
        if name == "LITERAL":
            return chr(value)
        if name != "SUBPATTERN" or value[1] & re.IGNORECASE:
            return None
        items = value[3]
    return None


def _ways(items: Sequence[Any]) -> int | None:
    """Return a bound on the ways through a short text; None for what has no such bound here."""
    ways = 1
    for item in items:
        name, value = item[0].name, item[1]
        if name in _SINGLE:
            continue
        own: int | None = None
        if name == "SUBPATTERN":
            own = _ways(value[3])
        elif name == "BRANCH":
            each = [_ways(branch) for branch in value[1]]
            own = None if None in each else sum(one for one in each if one is not None)
        elif name in _REPEATS:
            inner = _ways(value[2])
            if inner is not None and value[1] == 1:
                own = inner + 1
            elif len(value[2]) == 1 and value[2][0][0].name in _SINGLE:
                own = _LONGEST
        if own is None or ways > _MOST_WAYS:
            return None
        ways *= own
    return ways
