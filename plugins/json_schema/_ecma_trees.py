r"""What can be done to the tree of a pattern, or read off it, without asking the engine.

- Few texts are enumerated.
- A pattern with one part of varying length, and lengths, are a pattern again: ``^ab[cd]*$`` of 5 to
  10 characters is ``^ab[cd]{3,8}$``. As an intersection it would count both ways at once. Parts of
  few lengths are split by them first.
- A word boundary between two classes of which either may be a word character is two branches
  without a boundary: ``[a-]+\b[b-]*$`` is ``[a-]*a(?:-[b-]*)?$|[a-]*-b[b-]*$``.

All recur as deep as groups are nested, which is limited.
"""

from __future__ import annotations

from typing import NamedTuple

from formgate.plugins.json_schema._ecma import WORD
from formgate.plugins.regex._measure import UNBOUNDED, Measures
from formgate.plugins.regex._ranges import Ranges, complement, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    CharClass,
    Literal,
    Repeat,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import flatten

__all__ = ["enumerate_tree", "within", "without_boundaries"]

_NOT_WORD = complement(WORD)
_NOTHING = CharClass((), 0, 0)

# A part is split by the lengths of its texts if they are so many at most, and so many parts are.
_MANY = 8
_MAX_SPLITS = 3


# -- few texts


def enumerate_tree(tree: Syntax, limit: int) -> set[str] | None:
    """Return all texts of a tree if there are no more than a limit, else None.

    Trees with look-around are not enumerated.
    """
    found: set[str] | None = None
    if isinstance(tree, Literal):
        found = {tree.text}
    elif isinstance(tree, CharClass):
        if sum(last - first + 1 for first, last in tree.ranges) <= limit:
            found = {chr(code) for first, last in tree.ranges for code in range(first, last + 1)}
    elif isinstance(tree, Sequence):
        found = _enumerate_sequence(tree, limit)
    elif isinstance(tree, Alternation):
        found = _enumerate_alternation(tree, limit)
    elif isinstance(tree, Repeat):
        found = _enumerate_repeat(tree, limit)
    return None if found is None or len(found) > limit else found


def _enumerate_sequence(tree: Sequence, limit: int) -> set[str] | None:
    """Return all texts of a sequence, or None."""
    found = {""}
    for item in tree.items:
        inner = enumerate_tree(item, limit)
        if inner is None or len(found) * len(inner) > 4 * limit:
            return None
        found = {text + more for text in found for more in inner}
    return found


def _enumerate_alternation(tree: Alternation, limit: int) -> set[str] | None:
    """Return all texts of an alternation, or None."""
    found: set[str] = set()
    for branch in tree.branches:
        inner = enumerate_tree(branch, limit)
        if inner is None or len(found) > limit:
            return None
        found |= inner
    return found


def _enumerate_repeat(tree: Repeat, limit: int) -> set[str] | None:
    """Return all texts of a repeat, or None."""
    most = tree.maximum
    body = {""} if most == 0 else enumerate_tree(tree.body, limit)
    if body is None:
        return None
    if not body - {""}:
        return {""} if body or not tree.minimum else set()
    if most is None or tree.minimum > limit or len(body) ** tree.minimum > 4 * limit:
        return None
    found: set[str] = set() if tree.minimum else {""}
    texts = {""}
    for count in range(1, most + 1):
        if len(texts) * len(body) > 4 * limit or len(found) > limit:
            return None
        texts = {text + more for text in texts for more in body}
        found |= texts if count >= tree.minimum else set()
    return found


# -- lengths


def within(
    tree: Syntax, low: int, high: int | None, measures: Measures, rounds: int = _MAX_SPLITS
) -> Syntax | None:
    """Return the texts of a tree of some lengths as a tree, or None where that cannot be said.

    Args:
        tree: The tree.
        low: Fewest characters.
        high: Most characters, or None for no limit.
        measures: What is known of the widths of its parts.
        rounds: How many parts may be split by the lengths of their texts, one in another.
    """
    items = flatten(tree)
    fixed = 0
    varying: list[int] = []
    for index, item in enumerate(items):
        measure = measures.of(item)
        if measure.low != measure.high:
            varying.append(index)
        else:
            fixed += measure.low
    if fixed >= UNBOUNDED:
        return None
    if not varying:
        return tree if low <= fixed and (high is None or fixed <= high) else _NOTHING
    if len(varying) == 1:
        (index,) = varying
        most = None if high is None else high - fixed
        part = _part_within(items[index], max(low - fixed, 0), most, measures, rounds)
        return None if part is None else Sequence(_replaced(items, index, [part]), 0, 0)
    for index in varying if rounds else ():
        choices = _by_length(items[index], measures)
        if choices is None:
            continue
        branches = [
            within(Sequence(_replaced(items, index, choice), 0, 0), low, high, measures, rounds - 1)
            for choice in choices
        ]
        some = [branch for branch in branches if branch is not None]
        return Alternation(some, 0, 0) if len(some) == len(branches) else None
    return None


def _replaced(items: list[Syntax], index: int, parts: list[Syntax]) -> list[Syntax]:
    """Return items with one of them replaced."""
    return [*items[:index], *parts, *items[index + 1 :]]


def _by_length(item: Syntax, measures: Measures) -> list[list[Syntax]] | None:
    """Return an item as choices of fixed length, if there are few; else None."""
    if isinstance(item, Alternation):
        found: dict[int, list[Syntax]] = {}
        for branch in item.branches:
            measure = measures.of(branch)
            if measure.low != measure.high:
                return None
            found.setdefault(measure.low, []).append(branch)
        groups: list[list[Syntax]] = [[item._replace(branches=some)] for some in found.values()]
        return groups if len(groups) <= _MANY else None
    if not isinstance(item, Repeat) or item.maximum is None:
        return None
    body = measures.of(item.body)
    if body.low != body.high or item.maximum - item.minimum >= _MANY:
        return None
    counts = range(item.minimum, item.maximum + 1)
    return [[item._replace(minimum=count, maximum=count)] for count in counts]


def _part_within(
    part: Syntax, least: int, most: int | None, measures: Measures, rounds: int
) -> Syntax | None:
    """Return a part of varying length with the lengths of a span only."""
    if most is not None and most < least:
        return _NOTHING
    if isinstance(part, Alternation):
        branches = [within(branch, least, most, measures, rounds) for branch in part.branches]
        some = [branch for branch in branches if branch is not None]
        return part._replace(branches=some) if len(some) == len(branches) else None
    if not isinstance(part, Repeat):
        return None
    body = measures.of(part.body)
    if body.low == body.high and body.low:
        return _repeat_within(part, least, most, body.low)
    if (part.minimum, part.maximum) == (0, 1):
        inner = within(part.body, least, most, measures, rounds)
        return None if inner is None else part._replace(body=inner, minimum=int(least > 0))
    return None


def _repeat_within(part: Repeat, least: int, most: int | None, width: int) -> Syntax:
    """Return a repeat of a body of fixed width with the lengths of a span only."""
    minimum, maximum = max(part.minimum, -(-least // width)), part.maximum
    if most is not None:
        maximum = most // width if maximum is None else min(most // width, maximum)
    if maximum is not None and maximum < minimum:
        return _NOTHING
    return part._replace(minimum=minimum, maximum=maximum)


# -- word boundaries


class _Parted(NamedTuple):
    """An item that ends (or begins) with a word character, and with another; empty for nothing."""

    word: list[Syntax]
    other: list[Syntax]
    may_be_empty: bool


def without_boundaries(items: list[Syntax]) -> list[Syntax]:
    """Return the items of a whole text with word boundaries between two classes resolved."""
    index = 1
    while index < len(items) - 1:
        middle = items[index]
        if isinstance(middle, Anchor) and middle.kind is AnchorKind.BOUNDARY:
            at_end = index + 2 == len(items)
            found = _resolved(items[index - 1], items[index + 1], at_end=at_end)
            if found is not None:
                items = [*items[: index - 1], found, *items[index + 2 :]]
        index += 1
    return items


def _resolved(left: Syntax, right: Syntax, *, at_end: bool) -> Syntax | None:
    """Return two items with a word boundary between as one, or None to leave them."""
    before, after = _parted(left, last=True), _parted(right, last=False)
    if before is None or after is None or before.may_be_empty:
        return None
    if after.may_be_empty and not at_end:
        return None
    if not (before.word and before.other) and not (after.word and after.other):
        return None  # the writer sees what either side is
    span = left.start, right.end
    branches: list[Syntax] = [
        Sequence([*first, *second], *span)
        for first, second in ((before.word, after.other), (before.other, after.word))
        if first and second
    ]
    if after.may_be_empty and before.word:
        branches.append(Sequence(before.word, *span))
    if len(branches) == 1:
        return branches[0]
    return Alternation(branches, *span) if branches else _NOTHING


def _parted(item: Syntax, *, last: bool) -> _Parted | None:
    """Return an item by the kind of its last (or first) character; None where that is not seen."""
    minimum: int = 1
    maximum: int | None = 1
    body = item
    if isinstance(item, Repeat):
        body, minimum, maximum = item.body, item.minimum, item.maximum
    if not isinstance(body, CharClass) or maximum == 0:
        return None
    kinds: list[list[Syntax]] = []
    for kind in (WORD, _NOT_WORD):
        ranges = _common(body.ranges, kind)
        edge = CharClass(ranges, body.start, body.end)
        parts: list[Syntax] = [edge] if ranges else []
        if ranges and isinstance(item, Repeat) and maximum != 1:
            most = None if maximum is None else maximum - 1
            rest = item._replace(minimum=max(minimum - 1, 0), maximum=most)
            parts = [rest, edge] if last else [edge, rest]
        kinds.append(parts)
    return _Parted(kinds[0], kinds[1], minimum == 0)


def _common(left: Ranges, right: Ranges) -> Ranges:
    """Return what is in both sets."""
    return complement(normalise([*complement(left), *complement(right)]))
