"""Which strings a regex takes whole, asked of ``re`` where that surely takes no time.

lark asks ``re`` of each string and each regex, which takes exponential time for some. An engine for
the regex says the same in linear time, but takes a millisecond to make, and most regexes are those
of names and numbers. So ``re`` is asked where the ways in which it may go through a short text are
few, and nobody where the string does not begin as the regex does, which most do not.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Trial", "sre_tree", "trial"]

_Ranges = list[tuple[int, int]]  # of code points, both ends of each

_MOST_WAYS = 1 << 20
_LONGEST = 32  # characters of a string
_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_SINGLE = frozenset(("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY"))
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))


class Trial:
    """What is known of a regex without an engine.

    Args:
        regexp: The regex.
        flags: As of ``re``.
    """

    __slots__ = ("_first", "_flags", "_quick", "_regexp")

    def __init__(self, regexp: str, flags: int) -> None:
        self._regexp = regexp
        self._flags = flags & ~int(re.DEBUG)
        self._first: _Ranges | None = None  # that all its texts begin with one of, if it is seen
        self._quick = False  # ``re`` may be asked of short texts
        try:
            tree = sre_tree(regexp, self._flags)
        except Exception:  # noqa: BLE001 (what ``re`` cannot read, others refuse)
            return
        ways = _ways(tree)
        self._quick = ways is not None and ways <= _MOST_WAYS
        if not (self._flags | tree.state.flags) & re.IGNORECASE:
            self._first = _first(tree)

    def takes(self, text: str) -> bool | None:
        """Say whether the regex takes a text whole; None where an engine has to say it."""
        if self._first is not None:
            code = ord(text[0]) if text else -1
            if not any(low <= code <= high for low, high in self._first):
                return False
        if not self._quick or len(text) > _LONGEST:
            return None
        try:
            match = re.compile(self._regexp, self._flags).match(text)
        except Exception:  # noqa: BLE001 (as above)
            self._quick = False
            return None
        return match is not None and match.end() == len(text)


@lru_cache(maxsize=1024)
def sre_tree(regexp: str, flags: int = 0) -> Any:
    """Return a regex as ``re`` reads it.

    Raises:
        Exception: ``re`` does not.
    """
    return _parser.parse(regexp, flags)


@lru_cache(maxsize=256)
def trial(regexp: str, flags: int) -> Trial:
    """Return what is known of a regex."""
    return Trial(regexp, flags)


def _first(items: Sequence[Any]) -> _Ranges | None:
    """Return the characters that a regex begins with, if they are plain to see."""
    found: _Ranges = []
    for item in items:
        name, value = item[0].name, item[1]
        own = _first_of(name, value)
        if own is None:
            return None
        found += own
        if name not in _REPEATS or value[0] > 0:
            return found
    return None


def _first_of(name: str, value: Any) -> _Ranges | None:
    """Return the characters that a part of a regex begins with, where it is not empty."""
    if name == "LITERAL":
        return [(value, value)]
    if name == "IN":
        return _ranges(value)
    if name == "SUBPATTERN":
        return None if value[1] & re.IGNORECASE else _first(value[3])
    if name in _REPEATS:
        return _first(value[2])
    if name == "BRANCH":
        each = [_first(branch) for branch in value[1]]
        return None if None in each else [pair for one in each for pair in one or ()]
    return None


def _ranges(members: Sequence[Any]) -> _Ranges | None:
    """Return the characters of a class, unless it is written by others or by a category."""
    found: _Ranges = []
    for member in members:
        name, value = member[0].name, member[1]
        if name not in ("LITERAL", "RANGE"):
            return None
        found.append(value if name == "RANGE" else (value, value))
    return found


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
