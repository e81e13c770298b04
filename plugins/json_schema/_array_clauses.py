"""Alternatives for arrays: what schemas say of items, and the ways not to satisfy it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._clauses import Clauses
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._facts import ARRAY, FALSE, TRUE, UNBOUNDED, Facts
from formgate.plugins.json_schema._shapes import NOTHING, one
from formgate.plugins.json_schema._shapes_arrays import ANY_ARRAY, ArrayShape

if TYPE_CHECKING:
    from formgate.plugins.json_schema._shapes import Join, Lits
    from formgate.plugins.json_schema._states import Schemas

__all__ = ["ArrayClauses"]

_OFTEN = 63  # ways not to have some items, after which the bound is looked at
_NO_LITS: frozenset[int] = frozenset()


class ArrayClauses(Clauses[ArrayShape]):
    """Alternatives for arrays.

    Args:
        world: The subschemas.
        join: Returns the conjunction of what a member or an item satisfies.
    """

    def __init__(self, world: Schemas, join: Join) -> None:
        super().__init__(world, join, ARRAY, ANY_ARRAY, 2)

    def base(self, facts: Facts, track: int) -> ArrayShape | None:
        """Return what a schema's own keywords say of items."""
        arrays = facts.arrays
        if arrays is None:
            return ANY_ARRAY
        prefix = arrays.prefix
        low, high = arrays.low, arrays.high
        if FALSE in prefix:
            prefix = prefix[: prefix.index(FALSE)]
            high = len(prefix) if high is None else min(high, len(prefix))
        if arrays.rest == FALSE:
            high = len(prefix) if high is None else min(high, len(prefix))
        rests = () if arrays.rest == TRUE else ((len(arrays.prefix), one(arrays.rest)),)
        counts: tuple[tuple[int, Lits, int, int | None], ...] = ()
        if arrays.contains is not None and (arrays.least or arrays.most is not None):
            counts = ((0, one(arrays.contains), arrays.least, arrays.most),)
            low = max(low, arrays.least)
            if arrays.most is not None and arrays.least > arrays.most:
                return None
        if high is not None and low > high:
            return None
        evaluated = None
        if track:
            up_to = UNBOUNDED if arrays.evaluates else len(arrays.prefix)
            marked = _NO_LITS
            if arrays.marks and arrays.contains is not None:
                marked = frozenset((arrays.contains,))
            evaluated = (up_to, marked)
        return ArrayShape(
            tuple(one(lit) for lit in prefix),
            rests,
            counts,
            low,
            high,
            unique=arrays.unique,
            evaluated=evaluated,
        )

    def denied_base(self, facts: Facts) -> list[ArrayShape]:
        """Return the ways in which items do not satisfy a schema's own keywords."""
        arrays = facts.arrays
        if arrays is None:
            return []
        found = self._denied_prefix(arrays.prefix)
        if arrays.rest != TRUE:
            found.append(_some(len(arrays.prefix), arrays.rest ^ 1))
        if arrays.low:
            found.append(ArrayShape(high=arrays.low - 1))
        if arrays.high is not None:
            found.append(ArrayShape(low=arrays.high + 1))
        if arrays.unique:
            found.append(ArrayShape(low=2, repeats=True))
        if arrays.contains is not None:
            lits = one(arrays.contains)
            if arrays.least:
                found.append(ArrayShape(counts=((0, lits, 0, arrays.least - 1),)))
            if arrays.most is not None:
                more = arrays.most + 1
                found.append(ArrayShape(counts=((0, lits, more, None),), low=more))
        return found

    def _denied_prefix(self, prefix: list[int]) -> list[ArrayShape]:
        """Return the ways in which the first items do not satisfy what is said of them.

        Each is as long as its place, so the bound is looked at before all are there.
        """
        found: list[ArrayShape] = []
        for place, lit in enumerate(prefix):
            if lit != TRUE:
                found.append(ArrayShape((*(((),) * place), one(lit ^ 1)), low=place + 1))
                if not len(found) & _OFTEN:
                    self._check(found, 0)
                    check_time()
        return found

    def rest_of(self, facts: Facts) -> int | None:
        """Return the literal of ``unevaluatedItems``."""
        return facts.rest_items

    def with_rest(self, shape: ArrayShape, rest: int, *, track: int) -> ArrayShape | None:
        """Return a tracked shape whose unevaluated items all satisfy a literal."""
        up_to, marked = shape.evaluated or (0, _NO_LITS)
        kept: ArrayShape | None = shape.plain()
        if up_to < UNBOUNDED:
            wanted = self._world.union((rest, *marked))
            if wanted != TRUE:
                kept = self._meet(shape.plain(), ArrayShape(rests=((up_to, one(wanted)),)))
        if kept is None or not track:
            return kept
        return ArrayShape(
            kept.prefix,
            kept.rests,
            kept.counts,
            kept.low,
            kept.high,
            unique=kept.unique,
            repeats=kept.repeats,
            evaluated=(UNBOUNDED, _NO_LITS),
        )

    def denied_rest(self, shape: ArrayShape, rest: int) -> ArrayShape | None:
        """Return a tracked shape with some unevaluated item that does not."""
        up_to, marked = shape.evaluated or (0, _NO_LITS)
        wanted = self._world.union((rest, *marked))
        if up_to >= UNBOUNDED or wanted == TRUE:
            return None
        return self._meet(shape.plain(), _some(up_to, wanted ^ 1))

    def dependent(self, op: tuple[Any, ...], track: int) -> list[ArrayShape]:  # noqa: ARG002
        """Return all arrays: they have no members."""
        return [ANY_ARRAY]

    def denied_dependent(self, op: tuple[Any, ...]) -> list[ArrayShape]:  # noqa: ARG002
        """Return no array."""
        return []

    def discriminated(self, branches: list[list[ArrayShape]]) -> bool:
        """Say whether just one branch has arrays at all."""
        return sum(map(bool, branches)) < 2


def _some(start: int, lit: int) -> ArrayShape:
    """Return arrays with some item, from a position on, that satisfies a literal."""
    if lit == TRUE:
        return ArrayShape(low=start + 1)
    if lit == FALSE:
        return ArrayShape(rests=((0, NOTHING),), low=1)
    return ArrayShape(counts=((start, one(lit), 1, None),), low=start + 1)
