"""Shapes of arrays: conjunctions of what schemas say of items; see ``_shapes``."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._shapes import NOTHING, joined_parts, least

if TYPE_CHECKING:
    from collections.abc import Hashable

    from formgate.plugins.json_schema._shapes import Join, Lits

__all__ = ["ANY_ARRAY", "ArrayShape"]


class ArrayShape:
    """A conjunction of what may be said of arrays.

    Attributes:
        prefix: What the first items satisfy.
        rests: Positions, and what every item from there on satisfies.
        counts: (position, literals, least, most): how many items from there on satisfy them.
        low, high: How many items there may be.
        unique: Whether no two items are equal.
        repeats: Whether some two items are equal.
        evaluated: Up to which position the schema speaks of the items, and of which others: those
            that satisfy a literal; None where nobody asks.
    """

    __slots__ = (
        "_key",
        "counts",
        "evaluated",
        "high",
        "low",
        "prefix",
        "repeats",
        "rests",
        "unique",
    )

    def __init__(
        self,
        prefix: tuple[Lits, ...] = (),
        rests: tuple[tuple[int, Lits], ...] = (),
        counts: tuple[tuple[int, Lits, int, int | None], ...] = (),
        low: int = 0,
        high: int | None = None,
        *,
        unique: bool = False,
        repeats: bool = False,
        evaluated: tuple[int, frozenset[int]] | None = None,
    ) -> None:
        self.prefix = prefix
        self.rests = rests
        self.counts = counts
        self.low = low
        self.high = high
        self.unique = unique
        self.repeats = repeats
        self.evaluated = evaluated
        self._key: Hashable = None

    @property
    def key(self) -> Hashable:
        """What two shapes share exactly if they say the same in the same words."""
        if self._key is None:
            self._key = (
                self.prefix,
                frozenset(self.rests),
                frozenset(self.counts),
                self.low,
                self.high,
                self.unique,
                self.repeats,
                self.evaluated,
            )
        return self._key

    def meet(self, other: ArrayShape, join: Join) -> ArrayShape | None:
        """Return what satisfies both; None if that is surely nothing.

        Args:
            other: The other shape.
            join: Returns the conjunction of what a member or an item satisfies.
        """
        if other is ANY_ARRAY:
            return self
        if self is ANY_ARRAY:
            return other
        if (self.unique and other.repeats) or (self.repeats and other.unique):
            return None
        low = max(self.low, other.low)
        high = least(self.high, other.high)
        prefix = self.prefix
        if other.prefix:
            prefix, high = self._prefix(other, low, high, join)
        for start, lits in (*self.rests, *other.rests):
            if lits == NOTHING:
                high = least(high, start)
        if high is not None and low > high:
            return None
        evaluated = self.evaluated
        if other.evaluated is not None:
            evaluated = other.evaluated
            if self.evaluated is not None:
                evaluated = (
                    max(self.evaluated[0], evaluated[0]),
                    self.evaluated[1] | evaluated[1],
                )
        return ArrayShape(
            prefix,
            joined_parts(self.rests, other.rests),
            joined_parts(self.counts, other.counts),
            low,
            high,
            unique=self.unique or other.unique,
            repeats=self.repeats or other.repeats,
            evaluated=evaluated,
        )

    def _prefix(
        self, other: ArrayShape, low: int, high: int | None, join: Join
    ) -> tuple[tuple[Lits, ...], int | None]:
        """Return what the first items satisfy in both shapes, and how many items there may be."""
        joined: list[Lits] = []
        for place, (left, right) in enumerate(zip_longest(self.prefix, other.prefix, fillvalue=())):
            lits = left if left == right else join(left, right, place < low)
            if lits == NOTHING:
                return tuple(joined), least(high, place)
            joined.append(lits)
        return tuple(joined), high

    def apart(self, other: ArrayShape, join: Join) -> bool:
        """Say whether ``meet`` finds nothing."""
        return self.meet(other, join) is None

    def within(self, other: ArrayShape) -> bool:
        """Say whether all that has this shape surely has another one."""
        return self is other

    def same(self, other: ArrayShape) -> bool:
        """Say whether two shapes say the same in the same words."""
        return self is other or self.key == other.key

    def said(self) -> tuple[tuple[str, Lits], ...]:
        """Return nothing: arrays have no members."""
        return ()

    def plain(self) -> ArrayShape:
        """Return the shape without what it evaluates."""
        if self.evaluated is None:
            return self
        return ArrayShape(
            self.prefix,
            self.rests,
            self.counts,
            self.low,
            self.high,
            unique=self.unique,
            repeats=self.repeats,
        )


ANY_ARRAY = ArrayShape()
