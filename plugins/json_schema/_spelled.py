"""Sets of numbers by how they are spelled: in draft 4, 1.0 is no integer although it equals 1.

A set is a pair: the numbers that may be written with digits alone, and those that may be written
with a fraction or an exponent. It has the operations of ``NumberSet``; schemas of other drafts
never need it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from formgate.plugins.json_schema._notes import Notes, notes_of
from formgate.plugins.json_schema._numbers import NumberSet

if TYPE_CHECKING:
    from decimal import Decimal

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._strings_record import Program

__all__ = ["Numerals", "join_numbers", "meet_numbers"]

_DIGITS = [(0x30, 0x39)]


class Numerals:
    """Numbers, with what they may be spelled like.

    Args:
        digits: Those that may be written with digits alone.
        others: Those that may be written with a fraction or an exponent.
    """

    __slots__ = ("digits", "others")

    def __init__(self, digits: NumberSet, others: NumberSet) -> None:
        self.digits = digits
        self.others = others

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Numerals)
            and self.digits == other.digits
            and self.others == other.others
        )

    def __hash__(self) -> int:
        return hash((self.digits, self.others))

    def __and__(self, other: Numerals) -> Numerals:
        return Numerals(self.digits & other.digits, self.others & other.others)

    def __or__(self, other: Numerals) -> Numerals:
        return Numerals(self.digits | other.digits, self.others | other.others)

    def __invert__(self) -> Numerals:
        return Numerals(~self.digits, ~self.others)

    def contains(self, value: float | Decimal) -> bool:
        """Say whether a number belongs, an ``int`` being one that is written with digits alone."""
        return (self.digits if isinstance(value, int) else self.others).contains(value)

    def is_empty(self) -> bool:
        """Say whether there is surely no number."""
        return (self.digits & NumberSet.INTEGERS).is_empty() and self.others.is_empty()

    def finite(self, limit: int) -> list[int | Decimal] | None:
        """Return the numbers, however spelled; None if they are too many."""
        return ((self.digits & NumberSet.INTEGERS) | self.others).finite(limit)

    def node(self, builder: GrammarBuilder, *, notes: Notes | None = None) -> Node:
        """Return the node of all spellings, as that of a ``NumberSet``."""
        if self.digits == self.others:
            return self.digits.node(builder, notes=notes)
        notes = notes or notes_of(builder)
        node = notes.numerals.get(self)
        if node is None:
            if self == _INTEGERS:  # most are
                node = _recorded_integers().write(builder)
            else:
                node = self.write(builder, notes)
            notes.numerals[self] = node
        return node

    def write(self, builder: GrammarBuilder, notes: Notes) -> Node:
        """Return the node of numbers that a builder has not been given yet."""
        plain = builder.seq(
            builder.optional(builder.literal("-")), builder.plus(builder.char_class(_DIGITS))
        )
        parts = []
        digits = self.digits & NumberSet.INTEGERS
        if not digits.is_empty():
            parts.append(builder.intersection(digits.node(builder, notes=notes), plain))
        if not self.others.is_empty():
            others = self.others.node(builder, notes=notes)
            parts.append(builder.intersection(others, builder.complement(plain)))
        return builder.choice(*parts)


_INTEGERS = Numerals(NumberSet.INTEGERS, NumberSet.NONE)


@cache
def _recorded_integers() -> Program:
    """Return the calls that write the integers as draft 4 has them."""
    from formgate.plugins.json_schema._strings_record import Recorder  # noqa: PLC0415

    recorder = Recorder()
    return recorder.program(_INTEGERS.write(cast("GrammarBuilder", recorder), Notes()))


def meet_numbers(left: NumberSet | Numerals, right: NumberSet | Numerals) -> NumberSet | Numerals:
    """Return the numbers in both."""
    if isinstance(left, NumberSet) and isinstance(right, NumberSet):
        return left & right
    return _numerals(left) & _numerals(right)


def join_numbers(left: NumberSet | Numerals, right: NumberSet | Numerals) -> NumberSet | Numerals:
    """Return the numbers in either."""
    if isinstance(left, NumberSet) and isinstance(right, NumberSet):
        return left | right
    return _numerals(left) | _numerals(right)


def _numerals(numbers: NumberSet | Numerals) -> Numerals:
    """Return numbers of any spelling."""
    return numbers if isinstance(numbers, Numerals) else Numerals(numbers, numbers)
