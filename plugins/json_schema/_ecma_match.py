"""Whether a text matches a pattern, decided from the syntax tree.

For each part of the tree: from where it may start to where it may end, as sets of places. Without
back-references nothing else matters, so the cost is bounded by the size of the tree times a power
of the length of the text, whatever the pattern: nothing here tries one way after the other. It is
meant for the values of an ``enum`` or ``const``, and for the names of properties.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._ecma import WORD, parse_ecma
from formgate.plugins.regex._ranges import contains
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    CharClass,
    Literal,
    Look,
    Repeat,
    Sequence,
)

if TYPE_CHECKING:
    from formgate.plugins.regex._ranges import Ranges
    from formgate.plugins.regex._syntax import Syntax

__all__ = ["matches"]


# From so many places at the most are the runs of a class followed one by one.
_FEW = 16


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text."""
    return bool(_ends(parse_ecma(pattern), text, set(range(len(text) + 1))))


def _ends(  # noqa: PLR0911 (one return for each kind of node)
    node: Syntax, text: str, starts: set[int]
) -> set[int]:
    """Return where matches of a node may end that start at one of some places.

    Recurs as deep as groups are nested, which is limited.
    """
    if isinstance(node, Literal):
        wanted, length = node.text, len(node.text)
        return {place + length for place in starts if text.startswith(wanted, place)}
    if isinstance(node, CharClass):
        table, size = _ascii(node.ranges), len(text)
        return {
            place + 1
            for place in starts
            if place < size and _among(node.ranges, table, text[place])
        }
    if isinstance(node, Sequence):
        for item in node.items:
            starts = _ends(item, text, starts)
            if not starts:
                break
        return starts
    if isinstance(node, Alternation):
        return set().union(*[_ends(branch, text, starts) for branch in node.branches])
    if isinstance(node, Repeat):
        return _repeated(node, text, starts)
    if isinstance(node, Look):
        return {place for place in starts if _looks(node, text, place) is not node.negative}
    if isinstance(node, Anchor):
        return _standing(node.kind, text, starts)
    return _ends(node.body, text, starts)


def _repeated(node: Repeat, text: str, starts: set[int]) -> set[int]:
    """Return where a repeat may end. Places only grow, so rounds stop changing anything."""
    if isinstance(node.body, CharClass) and len(starts) <= _FEW:
        return _runs(node, node.body.ranges, text, starts)
    found = starts
    for _ in range(node.minimum):
        after = _ends(node.body, text, found)
        if after == found:
            break
        found = after
    found, latest, rounds = set(found), found, node.minimum
    while latest and (node.maximum is None or rounds < node.maximum):
        latest = _ends(node.body, text, latest) - found
        found |= latest
        rounds += 1
    return found


def _runs(node: Repeat, ranges: Ranges, text: str, starts: set[int]) -> set[int]:
    """Return where a repeated class may end."""
    found: set[int] = set()
    table, size = _ascii(ranges), len(text)
    for start in starts:
        last = size if node.maximum is None else min(start + node.maximum, size)
        place = start
        while place < last and _among(ranges, table, text[place]):
            place += 1
        found.update(range(start + node.minimum, place + 1))
    return found


@lru_cache(maxsize=256)
def _ascii(ranges: Ranges) -> bytes:
    """Return for each character of ASCII whether it is in a set."""
    return bytes(contains(ranges, code) for code in range(128))


def _among(ranges: Ranges, table: bytes, character: str) -> int:
    """Say whether a character is in a set, of which the part in ASCII is a table."""
    code = ord(character)
    return table[code] if code < 128 else contains(ranges, code)


def _looks(node: Look, text: str, place: int) -> bool:
    """Say whether the body of a look-around matches at a place."""
    if node.behind:
        return place in _ends(node.body, text, set(range(place + 1)))
    return bool(_ends(node.body, text, {place}))


def _standing(kind: AnchorKind, text: str, starts: set[int]) -> set[int]:
    """Return at which of some places an anchor holds."""
    if kind is AnchorKind.TEXT_START:
        return starts & {0}
    if kind is AnchorKind.TEXT_END:
        return starts & {len(text)}
    word = [False, *(contains(WORD, ord(character)) for character in text), False]
    return {place for place in starts if word[place] is not word[place + 1]}
