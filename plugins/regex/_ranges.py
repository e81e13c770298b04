"""Sets of code points as sorted ranges.

A set is a tuple of inclusive ``(first, last)`` pairs: sorted, disjoint, never adjacent, without
surrogates (a text is well-formed UTF-8, so no surrogate can ever be matched). One set has one form,
so sets compare by value. Costs are linear in the number of ranges unless said otherwise.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ANY",
    "MAX_CODE",
    "NOTHING",
    "Ranges",
    "complement",
    "contains",
    "intersects",
    "is_subset",
    "normalise",
]

Ranges = tuple[tuple[int, int], ...]

MAX_CODE = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)

NOTHING: Ranges = ()
ANY: Ranges = ((0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, MAX_CODE))


def normalise(pieces: Iterable[tuple[int, int]]) -> Ranges:
    """Return the set that is the union of the pieces, in O(n log n)."""
    merged: list[tuple[int, int]] = []
    low, high = _SURROGATES
    first, last = -2, -2
    for start, stop in sorted(pieces):
        if start <= last + 1:
            last = max(last, stop)
            continue
        if last >= 0:
            merged.append((first, last))
        first, last = start, stop
    if last >= 0:
        merged.append((first, last))
    if not merged or merged[-1][1] < low:
        return tuple(merged)
    kept: list[tuple[int, int]] = []
    for start, stop in merged:
        if stop < low or start > high:
            kept.append((start, stop))
            continue
        if start < low:
            kept.append((start, low - 1))
        if stop > high:
            kept.append((high + 1, stop))
    return tuple(kept)


def complement(ranges: Ranges) -> Ranges:
    """Return every code point that is not in the set (and is no surrogate)."""
    gaps: list[tuple[int, int]] = []
    position = 0
    for start, stop in ranges:
        if position < start:
            gaps.append((position, start - 1))
        position = stop + 1
    if position <= MAX_CODE:
        gaps.append((position, MAX_CODE))
    return normalise(gaps)


def contains(ranges: Ranges, code: int) -> bool:
    """Say whether the code point is in the set, in O(log n)."""
    index = bisect_right(ranges, (code, MAX_CODE)) - 1
    return index >= 0 and code <= ranges[index][1]


def intersects(left: Ranges, right: Ranges) -> bool:
    """Say whether the sets share a code point, in O(m log n) for the smaller set's m ranges."""
    if len(left) > len(right):
        left, right = right, left
    for start, stop in left:
        index = bisect_right(right, (stop, MAX_CODE)) - 1
        if index >= 0 and right[index][1] >= start:
            return True
    return False


def is_subset(left: Ranges, right: Ranges) -> bool:
    """Say whether every code point of ``left`` is in ``right``, in O(m log n)."""
    for start, stop in left:
        index = bisect_right(right, (start, MAX_CODE)) - 1
        if index < 0 or right[index][1] < stop:
            return False
    return True
