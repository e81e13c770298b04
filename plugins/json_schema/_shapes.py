"""Shapes: conjunctions of what schemas say of objects; those of arrays are in ``_shapes_arrays``.

A shape is immutable. What it says of a member or an item is a sorted tuple of literals, all of
which hold; ``()`` is anything, ``(1,)`` nothing. Shapes are met, never united: alternatives are
lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from formgate.plugins.json_schema._asks import left_of, with_asked, without_asking
from formgate.plugins.json_schema._facts import FALSE, TRUE

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from formgate.plugins.json_schema._asks import Asks
    from formgate.plugins.json_schema._keys import Keys

__all__ = [
    "ANY_OBJECT",
    "NOTHING",
    "Condition",
    "Join",
    "Literal",
    "Lits",
    "ObjectShape",
    "both",
    "joined_parts",
    "least",
    "one",
]

Lits = tuple[int, ...]
# Of a member: its name, what it satisfies if it is there, and whether it need not be.
Literal = tuple[str, Lits, bool]
Condition = tuple[Literal, ...]
Part = TypeVar("Part")
# Returns the conjunction of two: NOTHING if that is seen, at a glance or (True) after a search; the
# first if it is seen to imply the second.
Join = Callable[[Lits, Lits, bool], Lits]

NOTHING: Lits = (FALSE,)
_UNSEEN: Literal = ("", (), False)  # stands for what was not looked for yet


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
        "_single",
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
        self._single: Literal | None = _UNSEEN

    @property
    def key(self) -> Hashable:
        """What two shapes share exactly if they say the same in the same words."""
        if self._key is None:
            key: tuple[Hashable, ...] = (
                frozenset(self.props.items()),
                frozenset(self.required),
                frozenset(self.universals),
                self.low,
                self.high,
            )
            if self.some or self.asks or self.conditions or self.evaluated is not None:
                key += (
                    frozenset(self.some),
                    frozenset(self.asks),
                    frozenset(self.conditions),
                    self.evaluated,
                )
            self._key = key
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
        single = other.single
        if single is not None and not (self.some or self.asks):
            return self.with_member(*single, join)
        members = self._members(other, join)
        if members is None:
            return None
        props, required, asks = members
        if self._crowds(other, required):
            return None
        high = least(self.high, other.high)
        low = max(self.low, other.low)
        universals = joined_parts(self.universals, other.universals)
        some = joined_parts(self.some, other.some)
        if some:
            some = tuple(
                (keys, lits)
                for keys, lits in some
                if not any(set(lits) <= set(props.get(name, ())) for name in keys.among(required))
            )
        evaluated = self.evaluated
        if other.evaluated is not None:
            evaluated = other.evaluated if evaluated is None else evaluated.union(other.evaluated)
        conditions = joined_parts(self.conditions, other.conditions)
        return ObjectShape(
            props, required, universals, some, low, high, evaluated, asks, conditions
        )

    def apart(self, other: ObjectShape, join: Join) -> bool:
        """Say whether ``meet`` finds nothing; where that is all that is asked, this is quicker."""
        if other is ANY_OBJECT or self is ANY_OBJECT:
            return False
        if self.asks or other.asks:
            return self.meet(other, join) is None
        required = self.required if not other.required else {**self.required, **other.required}
        return self._narrowed(other, required, join) is None or self._crowds(other, required)

    @property
    def single(self) -> tuple[str, Lits, bool] | None:
        """The one member of which alone something is said: its name, what, whether it must be.

        Most ways not to satisfy a schema are such, and are met with many shapes.
        """
        found = self._single
        if found is _UNSEEN:
            found = None
            if len(self.props) == 1 and not (
                self.low or self.universals or self.some or self.asks or self.conditions
            ):
                ((name, lits),) = self.props.items()
                needed = name in self.required
                if len(self.required) == needed and self.high is None and self.evaluated is None:
                    found = name, lits, needed
            self._single = found
        return found

    def with_member(self, name: str, lits: Lits, needed: bool, join: Join) -> ObjectShape | None:
        """Return what of the shape has a member in some state, or may have; None as for ``meet``.

        Nothing must be asked for, and no members be needed that are not known by name.
        """
        props, required = self.props, self.required
        have = props.get(name)
        asked = name in required
        joined = lits
        if have is not None and have != lits:
            joined = join(have, lits, False)
            if (
                (needed or asked)
                and joined not in (have, NOTHING)
                and join(have, lits, True) == NOTHING
            ):
                return None
        if needed or asked:
            if joined == NOTHING:
                return None
            if not asked:
                required = {**required, name: None}
                if self.high is not None and len(required) > self.high:
                    return None
                if self.bans_name(name):
                    return None
        if joined != have:
            props = {**props, name: joined}
        elif required is self.required:
            return self
        return ObjectShape(
            props,
            required,
            self.universals,
            (),
            self.low,
            self.high,
            self.evaluated,
            (),
            self.conditions,
        )

    def _members(
        self, other: ObjectShape, join: Join
    ) -> tuple[dict[str, Lits], dict[str, None], Asks] | None:
        """Return what both shapes say of members by name; None if that is surely nothing."""
        required = self.required if not other.required else {**self.required, **other.required}
        asks = joined_parts(self.asks, other.asks)
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

    def _crowds(self, other: ObjectShape, required: dict[str, None]) -> bool:
        """Say whether the members that both require are too many, or banned by one of them."""
        high = least(self.high, other.high)
        if high is not None and max(self.low, other.low, len(required)) > high:
            return True
        return self._bans(other) or other._bans(self)

    def _bans(self, other: ObjectShape) -> bool:
        """Say whether names that another shape requires surely have no member here."""
        if not (self.universals and other.required):
            return False
        asked = [name for name in other.required if name not in self.required]
        return any(lits == NOTHING and keys.among(asked) for keys, lits in self.universals)

    def bans_name(self, name: str) -> bool:
        """Say whether there is surely no member of a name that is not spoken of."""
        for keys, lits in self.universals:  # noqa: SIM110 (asked very often, and a loop is quicker)
            if lits == NOTHING and keys.contains(name):
                return True
        return False

    def _props(
        self, other: ObjectShape, required: dict[str, None], join: Join
    ) -> dict[str, Lits] | None:
        """Return what members satisfy in both shapes; None if a required one surely cannot be."""
        narrowed = self._narrowed(other, required, join)
        if narrowed is None:
            return None
        return {**self.props, **narrowed} if narrowed else self.props

    def _narrowed(
        self, other: ObjectShape, required: dict[str, None], join: Join
    ) -> dict[str, Lits] | None:
        """Return what members satisfy, where that is not what they do here; None as for ``_props``.

        A look at scalars comes first: a tag that tells alternatives apart is one.
        """
        props, mine = self.props, self.required
        doubtful = []
        found: dict[str, Lits] = {}
        for name, lits in other.props.items():
            have = props.get(name)
            joined = lits
            if have is not None and have != lits:
                joined = join(have, lits, False)
                if joined != have and name in required:
                    doubtful.append((have, lits))
            if joined == NOTHING and name in mine:
                return None
            if joined != have:
                found[name] = joined
        for have, lits in doubtful:
            if join(have, lits, True) == NOTHING:
                return None
        for name in required if self.asks or other.asks else other.required:
            if (found[name] if name in found else props.get(name)) == NOTHING:
                return None
        return found

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

    def in_order_of(self, other: ObjectShape) -> bool:
        """Say whether what two shapes of one key say is in one order, too."""
        return (
            list(self.props) == list(other.props)
            and list(self.required) == list(other.required)
            and (self.universals, self.some) == (other.universals, other.some)
            and (self.asks, self.conditions) == (other.asks, other.conditions)
        )

    def same(self, other: ObjectShape) -> bool:
        """Say whether two shapes say the same in the same words."""
        # Most that differ do so in what members satisfy.
        return self is other or (self.props == other.props and self.key == other.key)

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

    def with_condition(self, condition: Condition) -> ObjectShape:
        """Return what of the shape meets one more condition."""
        return self._saying(self.evaluated, joined_parts(self.conditions, (condition,)))

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


def least(one: int | None, other: int | None) -> int | None:
    """Return the lower of two bounds; None is no bound."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def joined_parts(left: tuple[Part, ...], right: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return what stands in either, once."""
    if not right or left == right:
        return left
    if not left:
        return right
    return tuple(dict.fromkeys((*left, *right)))


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
