"""Whether a text matches a pattern, decided from the syntax tree.

For each part of the tree: from where it may start to where it may end, as sets of places. Without
back-references nothing else matters, so the cost is bounded by the size of the tree times a power
of the length of the text, whatever the pattern: nothing here tries one way after the other. It is
meant for the values of an ``enum`` or ``const``, and for the names of properties: many texts and
few patterns, so each part becomes a function once, and knows with which characters it may begin: of
many words, those are left out that begin with another.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

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
    from collections.abc import Callable

    from formgate.plugins.regex._ranges import Ranges
    from formgate.plugins.regex._syntax import Syntax

    Ends = Callable[[str, set[int]], set[int]]

__all__ = ["matches"]

_ASCII = 128
_SHORT = 512  # characters of a pattern and a text: what is known of longer ones is not kept
# From so many places at the most are the runs of a class followed one by one.
_FEW = 16


class _Part(NamedTuple):
    """A part of a pattern.

    Attributes:
        ends: Return where matches may end that start at one of some places.
        first: With which characters those begin that are not empty: a bit for each of ASCII, and
            one for all others.
        may_be_empty: Whether any is. What says nothing about the text itself, as an anchor, is.
    """

    ends: Ends
    first: int
    may_be_empty: bool


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text."""
    is_short = len(pattern) + len(text) <= _SHORT
    return _is_known(pattern, text) if is_short else _is_found(pattern, text)


def _is_found(pattern: str, text: str) -> bool:
    return bool(_compiled(pattern)(text, set(range(len(text) + 1))))


# The same values are asked about for each schema that they are met with.
_is_known = lru_cache(maxsize=4096)(_is_found)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Ends:
    return _part(parse_ecma(pattern)).ends


def _part(node: Syntax) -> _Part:  # noqa: PLR0911 (one return for each kind of node)
    """Return the part for a node. Recurs as deep as groups are nested, which is limited."""
    if isinstance(node, Literal):
        first = _bit(node.text[0]) if node.text else 0
        return _Part(partial(_literal, node.text), first, not node.text)
    if isinstance(node, CharClass):
        first = _first(node.ranges)
        return _Part(partial(_among, node.ranges, first), first, may_be_empty=False)
    if isinstance(node, Sequence):
        return _sequence([_part(item) for item in node.items])
    if isinstance(node, Alternation):
        branches = [_part(branch) for branch in node.branches]
        first = 0
        for branch in branches:
            first |= branch.first
        empty = any(branch.may_be_empty for branch in branches)
        needed = not all(branch.may_be_empty for branch in branches)
        return _Part(partial(_alternatives, branches, needed), first, empty)
    if isinstance(node, Repeat):
        body = _part(node.body)
        runs = None
        if isinstance(node.body, CharClass):
            runs = partial(_runs, node, node.body.ranges, body.first)
        repeated = partial(_repeated, node, body.ends, runs)
        return _Part(repeated, body.first, node.minimum == 0 or body.may_be_empty)
    if isinstance(node, Look):
        looks = partial(_looking, _part(node.body).ends, node.behind, node.negative)
        return _Part(looks, 0, may_be_empty=True)
    if isinstance(node, Anchor):
        return _Part(partial(_standing, node.kind), 0, may_be_empty=True)
    return _part(node.body)


def _bit(character: str) -> int:
    return 1 << min(ord(character), _ASCII)


@lru_cache(maxsize=512)
def _first(ranges: Ranges) -> int:
    """Return a bit for each character of ASCII in a set, and one for any others."""
    bits = 0
    for first, last in ranges:
        if first < _ASCII:
            bits |= (2 << min(last, _ASCII - 1)) - (1 << first)
        if last >= _ASCII:
            bits |= 1 << _ASCII
    return bits


def _literal(wanted: str, text: str, starts: set[int]) -> set[int]:
    length = len(wanted)
    return {place + length for place in starts if text.startswith(wanted, place)}


def _among(ranges: Ranges, ascii_bits: int, text: str, starts: set[int]) -> set[int]:
    size = len(text)
    return {
        place + 1 for place in starts if place < size and _is_among(ranges, ascii_bits, text[place])
    }


def _is_among(ranges: Ranges, ascii_bits: int, character: str) -> int:
    """Say whether a character is in a set, of which the part in ASCII is given as bits."""
    code = ord(character)
    return ascii_bits >> code & 1 if code < _ASCII else contains(ranges, code)


def _sequence(items: list[_Part]) -> _Part:
    first, empty = 0, True
    for item in items:
        if empty:
            first |= item.first
            empty = item.may_be_empty
    return _Part(partial(_in_turn, [item.ends for item in items]), first, empty)


def _in_turn(items: list[Ends], text: str, starts: set[int]) -> set[int]:
    for item in items:
        starts = item(text, starts)
        if not starts:
            break
    return starts


def _alternatives(branches: list[_Part], needed: bool, text: str, starts: set[int]) -> set[int]:
    here, size = 0, len(text)
    for place in starts if needed else ():
        if place < size:
            here |= _bit(text[place])
    found: set[int] = set()
    for ends, first, may_be_empty in branches:
        if may_be_empty or first & here:
            found |= ends(text, starts)
    return found


def _repeated(node: Repeat, body: Ends, runs: Ends | None, text: str, starts: set[int]) -> set[int]:
    """Return where a repeat may end. Places only grow, so rounds stop changing anything."""
    if runs is not None and len(starts) <= _FEW:
        return runs(text, starts)
    found = starts
    for _ in range(node.minimum):
        after = body(text, found)
        if after == found:
            break
        found = after
    found, latest, rounds = set(found), found, node.minimum
    while latest and (node.maximum is None or rounds < node.maximum):
        latest = body(text, latest) - found
        found |= latest
        rounds += 1
    return found


def _runs(node: Repeat, ranges: Ranges, ascii_bits: int, text: str, starts: set[int]) -> set[int]:
    """Return where a repeated class may end."""
    found: set[int] = set()
    size = len(text)
    for start in starts:
        last = size if node.maximum is None else min(start + node.maximum, size)
        place = start
        while place < last and _is_among(ranges, ascii_bits, text[place]):
            place += 1
        found.update(range(start + node.minimum, place + 1))
    return found


def _looking(body: Ends, behind: bool, negative: bool, text: str, starts: set[int]) -> set[int]:
    """Return at which of some places the body of a look-around matches, or does not."""
    found = set()
    for place in starts:
        # Behind, from any place up to this one, so that a match may end here.
        if behind:
            matched = place in body(text, set(range(place + 1)))
        else:
            matched = bool(body(text, {place}))
        if matched is not negative:
            found.add(place)
    return found


def _standing(kind: AnchorKind, text: str, starts: set[int]) -> set[int]:
    """Return at which of some places an anchor holds."""
    if kind is AnchorKind.TEXT_START:
        return starts & {0}
    if kind is AnchorKind.TEXT_END:
        return starts & {len(text)}
    word = [False, *(contains(WORD, ord(character)) for character in text), False]
    return {place for place in starts if word[place] is not word[place + 1]}
