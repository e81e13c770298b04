"""Sets of numbers, as ``minimum``, ``multipleOf``, ``integer``, ``enum`` and ``not`` make them.

A set is cut at finitely many points. At each point a flag says whether it belongs; between two
neighbours (and beyond the outer ones) membership goes by divisibility alone. There the indicator
is written as an integer combination of the functions ``[m | x]``, "x is a multiple of m", and the
constant 1. Those functions are linearly independent and ``[m | x][n | x] = [lcm(m, n) | x]``, so
conjunction is a product, negation is ``1 - f``, and one set of numbers between two points has one
form: nothing need be simplified, and sets compare by value (Möbius inversion on the lattice of
divisibility; the rule of inclusion and exclusion).

Numbers are exact: ``int`` where integral, else ``Fraction``. Costs are linear in the points of the
sets; the terms between them are few, and limited.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, cast

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._notes import notes_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal
    from fractions import Fraction

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._notes import Notes

    Exact = int | Fraction
    Number = int | float | Decimal | Fraction

__all__ = ["NumberSet", "exact"]

# Python itself turns no integer of more than 4,300 digits into text.
_MAX_DIGITS = 4000
_MAX_BITS = int(_MAX_DIGITS * 3.32)
_MAX_TERMS = 256
_MAX_SUBSETS = 6

# An indicator: (modulus, coefficient) pairs by modulus, 0 standing for the constant 1.
Indicator = tuple[tuple["Exact", int], ...]
NEVER: Indicator = ()
ALWAYS: Indicator = ((0, 1),)


def exact(value: Number) -> Exact:
    """Return a number as an int where it is integral, else as a fraction; floats by their repr.

    Raises:
        GrammarError: It is no finite number.
        UnsupportedConstraint: It has more than 4,000 digits, written without an exponent.
    """
    if type(value) is int:
        if value.bit_length() > _MAX_BITS:
            raise _too_long(value)
        return value
    return _exact(value)


def _exact(value: Number) -> Exact:
    """Return what is not an int already."""
    from decimal import Decimal, DecimalException  # noqa: PLC0415 (milliseconds to import)
    from fractions import Fraction  # noqa: PLC0415

    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise GrammarError(f"{value} is no number of JSON")
        _, digits, exponent = value.as_tuple()
        if len(digits) + abs(cast("int", exponent)) > _MAX_DIGITS:
            if not any(digits):
                return 0
            raise _too_long(value)
    elif not isinstance(value, Fraction | int) or isinstance(value, bool):
        raise GrammarError(f"{value!r} is no number")
    try:
        fraction = Fraction(value)
    except (DecimalException, ValueError, OverflowError) as error:
        raise GrammarError(f"{value!r} is no number: {error}") from None
    if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) > _MAX_BITS:
        raise _too_long(value)
    if not _is_decimal(fraction.denominator):
        raise GrammarError(f"{value} cannot be written as a decimal")
    return fraction.numerator if fraction.denominator == 1 else fraction


def _is_decimal(denominator: int) -> bool:
    """Say whether a power of ten is a multiple of the denominator."""
    return pow(10, denominator.bit_length(), denominator) == 0 or denominator == 1


def _too_long(value: object) -> UnsupportedConstraint:
    """Return the refusal of a number that is too long to be written out."""
    what = f"of {value.bit_length()} bits" if isinstance(value, int) else str(value)[:60]
    return UnsupportedConstraint(
        f"the number {what} has more than {_MAX_DIGITS} digits when written out",
        hint="write a number with fewer digits",
    )


# -- indicators


def _lcm(left: Exact, right: Exact) -> Exact:
    """Return the least common multiple of two moduli; 0, the constant, divides every modulus."""
    if not left or not right:
        return left or right
    below = gcd(left.denominator, right.denominator)
    above = left.numerator * right.numerator // gcd(left.numerator, right.numerator)
    if below == 1:
        return above
    from fractions import Fraction  # noqa: PLC0415

    return _lowest(Fraction(above, below))


def _lowest(value: Exact) -> Exact:
    """Return an int where the value is integral."""
    return value.numerator if value.denominator == 1 else value


def _times(left: Indicator, right: Indicator) -> Indicator:
    """Return the indicator of what both hold for."""
    if right in (left, ALWAYS) or not left:
        return left
    if left == ALWAYS or not right:
        return right
    found: dict[Exact, int] = {}
    for modulus, count in left:
        for other, times in right:
            common = _lcm(modulus, other)
            found[common] = found.get(common, 0) + count * times
    return _indicator(found)


def _opposite(one: Indicator) -> Indicator:
    """Return the indicator of what it does not hold for."""
    found = {modulus: -count for modulus, count in one}
    found[0] = found.get(0, 0) + 1
    return _indicator(found)


def _indicator(terms: dict[Exact, int]) -> Indicator:
    """Return the terms in order."""
    found = tuple(sorted((m, c) for m, c in terms.items() if c))
    if len(found) > _MAX_TERMS:
        raise UnsupportedConstraint(
            f"more than {_MAX_TERMS} combinations of multipleOf in one place",
            hint="combine fewer different values of multipleOf",
        )
    return found


def holds(one: Indicator, value: Exact) -> bool:
    """Say whether an indicator is 1 at a number."""
    return sum(count for modulus, count in one if not modulus or not value % modulus) == 1


def _moduli(one: Indicator) -> list[Exact]:
    """Return least common multiples of the moduli, by which every member can be found."""
    bases = [modulus for modulus, _ in one if modulus]
    if len(bases) > _MAX_SUBSETS:
        return bases
    found = set(bases)
    for base in bases:
        found |= {_lcm(base, other) for other in found}
    return sorted(found)


# -- sets


class NumberSet:
    """An immutable set of numbers, equal to another where it was cut and filled the same way.

    Example:
        >>> from formgate.plugins.json_schema._numbers import NumberSet
        >>> even = NumberSet.multiple_of(2) & NumberSet.at_least(1) & NumberSet.at_most(7)
        >>> even.finite(10)
        [2, 4, 6]
        >>> (~even).contains(3)
        True
    """

    __slots__ = ("__weakref__", "_hash", "between", "flags", "points")

    ALL: NumberSet
    NONE: NumberSet
    INTEGERS: NumberSet

    # Points in order, whether each belongs, and the indicators before, between and after them.
    points: tuple[Exact, ...]
    flags: tuple[bool, ...]
    between: tuple[Indicator, ...]

    def __init__(
        self,
        points: tuple[Exact, ...],
        flags: tuple[bool, ...],
        between: tuple[Indicator, ...],
    ) -> None:
        self.points = points
        self.flags = flags
        self.between = between
        self._hash = hash((points, flags, between))

    # -- how sets come about

    @staticmethod
    @lru_cache(maxsize=1024, typed=True)
    def at_least(value: Number, exclusive: bool = False) -> NumberSet:
        """Return the numbers from a bound on."""
        return NumberSet((exact(value),), (not exclusive,), (NEVER, ALWAYS)).tidied()

    @staticmethod
    @lru_cache(maxsize=1024, typed=True)
    def at_most(value: Number, exclusive: bool = False) -> NumberSet:
        """Return the numbers up to a bound."""
        return NumberSet((exact(value),), (not exclusive,), (ALWAYS, NEVER)).tidied()

    @staticmethod
    @lru_cache(maxsize=1024, typed=True)
    def multiple_of(value: Number) -> NumberSet:
        """Return the multiples of a positive number.

        Raises:
            GrammarError: It is not positive.
        """
        modulus = exact(value)
        if modulus <= 0:
            raise GrammarError(f"multipleOf must be above 0, not {value}")
        return NumberSet((), (), (((modulus, 1),),))

    @staticmethod
    def of(values: Iterable[Number]) -> NumberSet:
        """Return the set of some numbers."""
        points = tuple(sorted({exact(value) for value in values}))
        return NumberSet(points, (True,) * len(points), (NEVER,) * (len(points) + 1))

    # -- Boolean operations

    def __and__(self, other: NumberSet) -> NumberSet:
        if self is other or other is _ALL:
            return self
        if self is _ALL:
            return other
        return _both(self, other)

    def __invert__(self) -> NumberSet:
        flags = tuple([not flag for flag in self.flags])
        return NumberSet(self.points, flags, tuple([_opposite(one) for one in self.between]))

    def __or__(self, other: NumberSet) -> NumberSet:
        return ~(~self & ~other)

    def cut(self, points: tuple[Exact, ...]) -> NumberSet:
        """Return the set cut at points, its own among them."""
        flags: list[bool] = []
        between = [self.between[0]]
        index = 0
        for point in points:
            if index < len(self.points) and self.points[index] == point:
                flags.append(self.flags[index])
                index += 1
            else:
                flags.append(holds(between[-1], point))
            between.append(self.between[index])
        return NumberSet(points, tuple(flags), tuple(between))

    def tidied(self) -> NumberSet:
        """Return the set without points that part nothing."""
        kept: list[int] = []
        between = self.between
        for index, point in enumerate(self.points):
            one = between[index]
            if one != between[index + 1] or holds(one, point) != self.flags[index]:
                kept.append(index)
        if len(kept) == len(self.points):
            return self
        points = tuple([self.points[index] for index in kept])
        flags = tuple([self.flags[index] for index in kept])
        return NumberSet(points, flags, (between[0], *[between[index + 1] for index in kept]))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, NumberSet):
            return NotImplemented
        return (self.points, self.flags, self.between) == (
            other.points,
            other.flags,
            other.between,
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        parts = [_described(self.between[0])]
        for point, flag, one in zip(self.points, self.flags, self.between[1:], strict=True):
            parts += [f"{point}{'' if flag else '!'}", _described(one)]
        return f"<NumberSet {' '.join(parts)}>"

    # -- questions

    def contains(self, value: Number) -> bool:
        """Say whether a number belongs to the set."""
        from bisect import bisect_left  # noqa: PLC0415

        given = exact(value)
        index = bisect_left(self.points, given)
        if index < len(self.points) and self.points[index] == given:
            return self.flags[index]
        return holds(self.between[index], given)

    def is_empty(self) -> bool:
        """Say whether no decimal belongs to the set.

        Exact for up to six values of multipleOf between bounds; beyond, True only if surely empty.
        """
        if any(self.flags):
            return False
        last = len(self.points)
        for index, one in enumerate(self.between):
            if one and (index in (0, last) or one[0] == (0, 1) or self._inside(index)):
                return False
        return True

    def _inside(self, index: int) -> bool:
        """Say whether there is a member between two points, where only multiples belong."""
        one = self.between[index]
        moduli = _moduli(one)
        if len(moduli) == len(one) > _MAX_SUBSETS:
            return True
        low, high = self.points[index - 1 : index + 1]
        # Those of n moduli that rule a multiple out leave no run of 2**n multiples unbroken
        # (Jacobsthal's function is below that).
        rounds = 1 << min(len(one), _MAX_SUBSETS)
        for modulus in moduli:
            first = low // modulus + 1
            for factor in range(int(first), int(first) + rounds + 1):
                if factor * modulus >= high:
                    break
                if holds(one, factor * modulus):
                    return True
        return False

    def finite(self, limit: int) -> list[int | Decimal] | None:
        """Return the members in order, if there are no more than ``limit``, else None."""
        found = self.members(limit)
        if found is None:
            return None
        return [value if isinstance(value, int) else _decimal(value) for value in found]

    def members(self, limit: int) -> list[Exact] | None:
        """Return what ``finite`` does, as ints and fractions."""
        if self.between[0] or self.between[-1] or sum(self.flags) > limit:
            return None
        found: list[Exact] = [p for p, flag in zip(self.points, self.flags, strict=True) if flag]
        for index, one in enumerate(self.between):
            if not one:
                continue
            inner = multiples(one, self.points[index - 1], self.points[index], limit)
            if inner is None:
                return None
            found += inner
            if len(found) > limit:
                return None
        return sorted(found)

    # -- spellings

    def node(self, builder: GrammarBuilder, *, notes: Notes | None = None) -> Node:
        """Return the node of all spellings of the numbers, written once for each builder.

        Args:
            builder: Where to write.
            notes: The notes on the builder, where they are at hand.

        Raises:
            UnsupportedConstraint: A multipleOf needs more states than there may be.
        """
        notes = notes or notes_of(builder)
        node = notes.numbers.get(self)
        if node is None:
            from formgate.plugins.json_schema._numbers_write import write_numbers  # noqa: PLC0415

            node = notes.numbers[self] = write_numbers(self, builder, notes)
        return node


@lru_cache(maxsize=2048)
def _both(left: NumberSet, right: NumberSet) -> NumberSet:
    """Return the intersection of two sets."""
    points = left.points
    if points != right.points:
        points = tuple(sorted({*points, *right.points}))
        left, right = left.cut(points), right.cut(points)
    flags = tuple([a and b for a, b in zip(left.flags, right.flags, strict=True)])
    pairs = zip(left.between, right.between, strict=True)
    return NumberSet(points, flags, tuple([_times(a, b) for a, b in pairs])).tidied()


_ALL = NumberSet.ALL = NumberSet((), (), (ALWAYS,))
NumberSet.NONE = NumberSet((), (), (NEVER,))
NumberSet.INTEGERS = NumberSet((), (), (((1, 1),),))


def multiples(one: Indicator, low: Exact, high: Exact, limit: int) -> list[Exact] | None:
    """Return what an indicator holds for between two points; None if that is above a limit."""
    if one[0] == (0, 1):
        return None
    bases = [modulus for modulus, _ in one]
    # A base that is a multiple of another adds no candidates.
    bases = [m for m in bases if not any(m != other and not m % other for other in bases)]
    if sum((high - low) // modulus for modulus in bases) > 16 * limit + 256:
        return None
    found: set[Exact] = set()
    for modulus in bases:
        value = (low // modulus + 1) * modulus
        while value < high:
            if holds(one, value):
                found.add(_lowest(value))
                if len(found) > limit:
                    return None
            value += modulus
    return sorted(found)


def _decimal(value: Fraction) -> Decimal:
    """Return a fraction whose denominator has no prime factors but 2 and 5 as a decimal."""
    from decimal import Decimal  # noqa: PLC0415

    places, scaled = 0, value
    while scaled.denominator != 1:
        scaled *= 10
        places += 1
    return Decimal((int(value < 0), tuple(map(int, str(abs(scaled.numerator)))), -places))


def _described(one: Indicator) -> str:
    """Return an indicator for ``repr``."""
    return "+".join(f"{c}[{m}]" if m else str(c) for m, c in one) or "0"
