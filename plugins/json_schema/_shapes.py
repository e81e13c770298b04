"""Shapes: conjunctions of what schemas say of objects, and of arrays.

A shape is immutable. What it says of a member or an item is a sorted tuple of literals, all of
which hold; ``()`` is anything, ``(1,)`` nothing. Shapes are met, never united: alternatives are
lists.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from formgate.plugins.json_schema._facts import FALSE, TRUE

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from formgate.plugins.json_schema._keys import Keys

__all__ = [
    "ANY_ARRAY",
    "ANY_OBJECT",
    "NOTHING",
    "ArrayShape",
    "Asks",
    "Condition",
    "Join",
    "Literal",
    "Lits",
    "ObjectShape",
    "both",
    "least",
    "left_of",
    "one",
    "with_asked",
    "without_asking",
]

Lits = tuple[int, ...]
Asks = tuple[tuple[str, str], ...]
# Of a member: its name, what it satisfies if it is there, and whether it need not be.
Literal = tuple[str, Lits, bool]
Condition = tuple[Literal, ...]
Part = TypeVar("Part")
# Returns the conjunction of two: NOTHING if that is seen, at a glance or (True) after a search; the
# first if it is seen to imply the second.
Join = Callable[[Lits, Lits, bool], Lits]

NOTHING: Lits = (FALSE,)


def one(lit: int) -> Lits:
    """Return a literal as a conjunction."""
    return () if lit == TRUE else (lit,)


def both(left: Lits, right: Lits) -> Lits:
    """Return the conjunction of two."""
    if left == right or not right:
        return left
    if not left:
        return right
    joined = {*left, *right}
    if FALSE in joined or len({lit >> 1 for lit in joined}) < len(joined):
        return NOTHING  # a literal and its opposite differ in the last bit
    return tuple(sorted(joined))


class ObjectShape:
    """A conjunction of what may be said of objects.

    Attributes:
        props: What the members of some names satisfy, in the order the schema names them.
        required: Names that must be there, as keys of a dict, for their order.
        universals: Sets of names, and what every member so named satisfies.
        some: Sets of names, and what some member so named satisfies.
        low, high: How many members there may be.
        evaluated: The names that the schema speaks of; None where nobody asks.
        asks: Pairs of names: where there is a member of the first, there must be one of the second.
            None of them is known to be there, or not to be.
        conditions: Of each, one literal holds; see ``_conditions``.
    """

    __slots__ = (
        "_key",
        "asks",
        "conditions",
        "evaluated",
        "high",
        "low",
        "props",
        "required",
        "some",
        "universals",
    )

    def __init__(  # noqa: PLR0917 (made very often)
        self,
        props: dict[str, Lits],
        required: dict[str, None],
        universals: tuple[tuple[Keys, Lits], ...] = (),
        some: tuple[tuple[Keys, Lits], ...] = (),
        low: int = 0,
        high: int | None = None,
        evaluated: Keys | None = None,
        asks: Asks = (),
        conditions: tuple[Condition, ...] = (),
    ) -> None:
        self.props = props
        self.required = required
        self.universals = universals
        self.some = some
        self.low = low
        self.high = high
        self.evaluated = evaluated
        self.asks = asks
        self.conditions = conditions
        self._key: Hashable = None

    @property
    def key(self) -> Hashable:
        """What two shapes share exactly if they say the same in the same words."""
        if self._key is None:
            self._key = (
                frozenset(self.asks),
                frozenset(self.conditions),
                frozenset(self.props.items()),
                frozenset(self.required),
                frozenset(self.universals),
                frozenset(self.some),
                self.low,
                self.high,
                self.evaluated,
            )
        return self._key

    def meet(self, other: ObjectShape, join: Join) -> ObjectShape | None:
        """Return what satisfies both; None if that is surely nothing.

        Args:
            other: The other shape.
            join: Returns the conjunction of what a member or an item satisfies.
        """
        if other is ANY_OBJECT:
            return self
        if self is ANY_OBJECT:
            return other
        members = self._members(other, join)
        if members is None:
            return None
        props, required, asks = members
        high = least(self.high, other.high)
        low = max(self.low, other.low)
        if high is not None and max(low, len(required)) > high:
            return None
        if self._bans(other) or other._bans(self):
            return None
        universals = _joined(self.universals, other.universals)
        some = _joined(self.some, other.some)
        if some:
            some = tuple(
                (keys, lits)
                for keys, lits in some
                if not any(set(lits) <= set(props.get(name, ())) for name in keys.among(required))
            )
        evaluated = self.evaluated
        if other.evaluated is not None:
            evaluated = other.evaluated if evaluated is None else evaluated.union(other.evaluated)
        conditions = _joined(self.conditions, other.conditions)
        return ObjectShape(
            props, required, universals, some, low, high, evaluated, asks, conditions
        )

    def _members(
        self, other: ObjectShape, join: Join
    ) -> tuple[dict[str, Lits], dict[str, None], Asks] | None:
        """Return what both shapes say of members by name; None if that is surely nothing."""
        required = self.required if not other.required else {**self.required, **other.required}
        asks = _joined(self.asks, other.asks)
        if not asks:
            props = self._props(other, required, join)
            return None if props is None else (props, required, ())
        required = with_asked(required, asks)
        props = self._props(other, required, join)
        if props is not None:
            props = _unasked(props, required, asks)
        if props is None:
            return None
        absent = {name for name, lits in props.items() if lits == NOTHING}
        return props, required, left_of(asks, required, absent)

    def _bans(self, other: ObjectShape) -> bool:
        """Say whether names that another shape requires surely have no member here."""
        if not (self.universals and other.required):
            return False
        asked = [name for name in other.required if name not in self.required]
        return any(lits == NOTHING and keys.among(asked) for keys, lits in self.universals)

    def _props(
        self, other: ObjectShape, required: dict[str, None], join: Join
    ) -> dict[str, Lits] | None:
        """Return what members satisfy in both shapes; None if a required one surely cannot be.

        A look at scalars comes first: a tag that tells alternatives apart is one.
        """
        props = self.props
        if other.props:
            props = dict(props)
            doubtful = []
            for name, lits in other.props.items():
                have = props.get(name)
                joined = lits
                if have is not None and have != lits:
                    joined = join(have, lits, False)
                    if joined != have and name in required:
                        doubtful.append((have, lits))
                if joined == NOTHING and name in self.required:
                    return None
                props[name] = joined
            if doubtful and any(join(have, lits, True) == NOTHING for have, lits in doubtful):
                return None
        for name in required if self.asks or other.asks else other.required:
            if props.get(name) == NOTHING:
                return None
        return props

    def within(self, other: ObjectShape) -> bool:
        """Say whether all that has this shape surely has another one; neither is tracked."""
        if self.low < other.low or (
            other.high is not None and (self.high is None or self.high > other.high)
        ):
            return False
        if not self.required.keys() >= other.required.keys():
            return False
        for mine, others in (
            (self.universals, other.universals),
            (self.some, other.some),
            (self.conditions, other.conditions),
        ):
            if mine != others and not set(mine) >= set(others):
                return False
        props = self.props
        for name, lits in other.props.items():
            have = props.get(name, ())
            if have not in (lits, NOTHING) and not set(have) >= set(lits):
                return False
        return all(
            pair in self.asks or pair[1] in self.required or props.get(pair[0]) == NOTHING
            for pair in other.asks
        )

    def said(self) -> Iterable[tuple[str, Lits]]:
        """Return what members satisfy, by name, as far as ``within`` compares that alone."""
        return self.props.items()

    def plain(self) -> ObjectShape:
        """Return the shape without what it evaluates."""
        if self.evaluated is None:
            return self
        return self._saying(None, self.conditions)

    def unconditional(self) -> ObjectShape:
        """Return the shape without its conditions."""
        return self._saying(self.evaluated, ())

    def _saying(self, evaluated: Keys | None, conditions: tuple[Condition, ...]) -> ObjectShape:
        """Return the shape with other things that it evaluates, and other conditions."""
        return ObjectShape(
            self.props,
            self.required,
            self.universals,
            self.some,
            self.low,
            self.high,
            evaluated,
            self.asks,
            conditions,
        )

    def parted(self, name: str) -> list[ObjectShape]:
        """Return the shape without a member, and with it."""
        parts = (ObjectShape({name: NOTHING}, {}), ObjectShape({}, {name: None}))
        found = (self.meet(part, lambda one, other, _: both(one, other)) for part in parts)
        return [part for part in found if part is not None]


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
            _joined(self.rests, other.rests),
            _joined(self.counts, other.counts),
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

    def within(self, other: ArrayShape) -> bool:
        """Say whether all that has this shape surely has another one."""
        return self is other

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


def least(one: int | None, other: int | None) -> int | None:
    """Return the lower of two bounds; None is no bound."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _joined(left: tuple[Part, ...], right: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return what stands in either, once."""
    if not right or left == right:
        return left
    if not left:
        return right
    return tuple(dict.fromkeys((*left, *right)))


def with_asked(required: dict[str, None], asks: Asks) -> dict[str, None]:
    """Return required names with all that they ask for, directly or not."""
    if not any(name in required and other not in required for name, other in asks):
        return required
    of_name: dict[str, list[str]] = {}
    for name, other in asks:
        of_name.setdefault(name, []).append(other)
    found = dict(required)
    work = list(required)
    while work:
        more = [other for other in of_name.get(work.pop(), ()) if other not in found]
        found.update(dict.fromkeys(more))
        work += more
    return found


def without_asking(absent: set[str], asks: Asks) -> set[str]:
    """Return names that are not there with all that ask for them, directly or not."""
    if not any(other in absent and name not in absent for name, other in asks):
        return absent
    of_other: dict[str, list[str]] = {}
    for name, other in asks:
        of_other.setdefault(other, []).append(name)
    found = set(absent)
    work = list(absent)
    while work:
        more = [name for name in of_other.get(work.pop(), ()) if name not in found]
        found.update(more)
        work += more
    return found


def left_of(asks: Asks, required: Collection[str], absent: Collection[str]) -> Asks:
    """Return what is asked for and not known to be there, by names that may be there or not."""
    if not required and not absent:
        return asks
    return tuple(
        (name, other)
        for name, other in asks
        if not (name in required or other in required or name in absent)
    )


def _unasked(
    props: dict[str, Lits], required: dict[str, None], asks: Asks
) -> dict[str, Lits] | None:
    """Return what members satisfy if what asks for one that cannot be there is not there either."""
    absent = {name for name, lits in props.items() if lits == NOTHING}
    more = without_asking(absent, asks)
    if more is absent:
        return props
    if not more.isdisjoint(required):
        return None
    return {**props, **dict.fromkeys(sorted(more - absent), NOTHING)}


ANY_OBJECT = ObjectShape({}, {})
ANY_ARRAY = ArrayShape()
