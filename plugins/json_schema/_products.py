"""Products of alternatives, what they may take, and conditions that stand for many of them.

Shapes that are surely nothing are dropped while alternatives are multiplied. Where many are left
all the same, they are found anew: a disjunction that speaks of single members alone then stays one
shape, with conditions (see ``_conditions``), so that independent ones add up.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from formgate.core.errors import LimitError
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._widest import widest

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from formgate.plugins.json_schema._shapes import Join, Lits
    from formgate.plugins.json_schema._states import Schemas

__all__ = ["ManyError", "Products", "Shape"]

_MANY, _TOO_MANY = 6, 100  # shapes among which those are looked for that are part of others
_OFTEN = 63  # meets after which the deadline and the bound are looked at
_FEW = 64  # alternatives that may be multiplied out before conditions are made of them
_FEW_PARTS = 32  # of a oneOf, likewise
_MEETS_PER_CLAUSE = 300  # how much work ``max_clauses`` allows in all


class ManyError(Exception):
    """Alternatives multiply; to be found anew with conditions of those that can be."""


class Shape(Protocol):
    """What shapes of objects and of arrays have in common."""

    evaluated: Any

    @property
    def key(self) -> Hashable:
        """Equal for shapes that say the same."""

    def meet(self, other: Any, join: Join, /) -> Any:
        """Return what satisfies both."""

    def apart(self, other: Any, join: Join, /) -> bool:
        """Say whether surely nothing satisfies both."""

    def same(self, other: Any, /) -> bool:
        """Say whether two shapes say the same in the same words."""

    def within(self, other: Any, /) -> bool:
        """Say whether all that has this shape surely has another one."""

    def said(self) -> Iterable[tuple[str, Lits]]:
        """Return what members satisfy, by name, as far as ``within`` compares that alone."""

    def plain(self) -> Any:
        """Return the shape without what it evaluates."""


S = TypeVar("S", bound=Shape)


class Products(Generic[S]):
    """Multiplies alternatives.

    Args:
        world: The subschemas.
        join: Returns the conjunction of what a member or an item satisfies.
        anything: The shape that says nothing.
    """

    _factors = False  # whether alternatives may become conditions of one shape

    def __init__(self, world: Schemas, join: Join, anything: S) -> None:
        self._world = world
        self._join = join
        self._any = anything
        self._memo: dict[tuple[int, int], list[S]] = {}
        self._factored_memo: dict[tuple[int, int], list[S]] = {}
        self._factoring = False  # conditions are made of alternatives
        self._impatient = False  # they are to be made where these are many
        self._meets = 0

    def close(self) -> None:
        """Cut references that go in circles."""
        self._memo.clear()
        self._factored_memo.clear()
        del self._join

    def factored(self, shapes: list[S]) -> S | None:  # noqa: ARG002
        """Return alternatives as one shape with conditions, if that is simple to say."""
        return None

    @contextmanager
    def _making(self, *, conditions: bool, impatient: bool = False) -> Iterator[None]:
        """Make conditions of alternatives in a ``with`` block, or multiply them out."""
        before = self._factoring, self._impatient
        self._set_making(conditions, impatient)
        try:
            yield
        finally:
            self._set_making(*before)

    def _set_making(self, conditions: bool, impatient: bool) -> None:
        if conditions is not self._factoring:
            self._memo, self._factored_memo = self._factored_memo, self._memo
        self._factoring, self._impatient = conditions, impatient

    def product(self, left: list[S], right: list[S]) -> list[S]:
        """Return the alternatives for what satisfies both."""
        if right == [self._any]:
            return left
        if self._factoring and len(right) > 1:
            factored = self.factored(right)
            if factored is not None:
                right = [factored]
                if factored is self._any:
                    return left
        if left == [self._any]:
            return right
        found = []
        granted = max(len(left), len(right))
        for one in left:
            for other in right:
                met = self._meet(one, other)
                if met is not None:
                    found.append(met)
            self._check(found, granted)
            if self._impatient and len(found) > _FEW and len(left) > 1 < len(right):
                raise ManyError
        return found if len(found) < 2 else self._widest(self._distinct(found, granted))

    def _widest(self, shapes: list[S]) -> list[S]:
        """Return shapes without those that are part of others, where there are some.

        Conjunctions of implications make such; without this their number doubles each time.
        """
        if not _MANY <= len(shapes) <= _TOO_MANY or any(
            one.evaluated is not None for one in shapes
        ):
            return shapes
        return widest(shapes)

    def _union(self, branches: Iterable[list[S]]) -> list[S]:
        """Return the alternatives of several lists; one that says nothing stands for all."""
        return self._distinct(shape for branch in branches for shape in branch)

    def _distinct(self, shapes: Iterable[S], granted: int = 0) -> list[S]:
        """Return shapes without repetitions."""
        shapes = list(shapes)
        if len(shapes) < 2:
            return shapes
        found: dict[Hashable, S] = {}
        for shape in shapes:
            found.setdefault(shape.key, shape)
        kept = list(found.values())
        whole = found.get(self._any.key) is self._any
        if whole and all(shape.evaluated is None for shape in kept):
            return [self._any]
        self._check(kept, granted)
        return kept

    def _meet(self, left: S, right: S) -> S | None:
        """Return what satisfies both of two shapes, None if that is surely nothing."""
        self._count_meet()
        met: S | None = left.meet(right, self._join)
        return met

    def _apart(self, left: S, right: S) -> bool:
        """Say whether surely nothing satisfies both of two shapes."""
        self._count_meet()
        return left.apart(right, self._join)

    def _count_meet(self) -> None:
        """Bound the work, and look at the deadline, now and then."""
        self._meets = meets = self._meets + 1
        if not meets & _OFTEN:
            if meets > _MEETS_PER_CLAUSE * self._world.options.max_clauses:
                raise self._too_many("take more than 300 steps for each of")
            check_time()

    def _bear(self, shapes: list[S]) -> None:
        """Make conditions of parts of alternatives where these are many."""
        if self._impatient and len(shapes) > _FEW_PARTS:
            raise ManyError

    def _check(self, shapes: list[S], granted: int) -> None:
        """Refuse too long a list; as many as there are constants, or were before, may be."""
        if len(shapes) > max(self._world.options.max_clauses, granted):
            raise self._too_many("make more than")

    def _too_many(self, what: str) -> LimitError:
        """Return the error for too many alternatives."""
        return LimitError(
            f"what is said here of one value, and beside it, would {what} max_clauses="
            f"{self._world.options.max_clauses} alternatives; raise it, or "
            "make the branches exclude each other by a required member with a const or an enum"
        )
