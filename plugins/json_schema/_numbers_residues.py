"""Numbers that divisibility decides: ``multipleOf: 7``, ``not: {multipleOf: 0.3}``, combinations.

With all moduli multiples of ``10**-s``, a decimal is read from the left as a whole number of that
unit, modulo the moduli's least common multiple: one residue for each prefix, ``s`` places after the
point, and beyond them only whether there is another digit but 0. Bounds run along as comparisons
with the digits of both. Residues that no digits to come tell apart count as one. That makes a
deterministic automaton, explored from its start and brought to its least form by refining
partitions (Moore 1956), which is one node.

Multiples without bounds whose modulus has no prime factor but 2 and 5 need no automaton: the last
digits decide, and all endings are listed. Cost: ten steps for each state; the states are limited.
"""

from __future__ import annotations

from functools import cache
from math import gcd, lcm
from typing import TYPE_CHECKING

from formgate.core import _native
from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._strings_record import write_automaton

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._numbers import Exact, Indicator
    from formgate.plugins.json_schema._numbers_digits import Digits
    from formgate.plugins.json_schema._numbers_write import Range

__all__ = ["whole_from", "write_residues"]

_MAX_RESIDUES = 10_000  # that digits tell apart
_MAX_CYCLE = 50_000  # residues in all
_MAX_STATES = 40_000
_MAX_ENDINGS = 2048
_FEW_DIGITS = 8


def write_residues(part: Range, digits: Digits) -> Node:
    """Return the node of the plain decimals of a range.

    Raises:
        UnsupportedConstraint: The automaton would be too large.
    """
    if part.low is None and part.high is None and len(part.one) == 1:
        node = _endings(part.one[0][0], digits)
        if node is not None:
            return node
    return write_automaton(digits.builder, _least_automaton(part))


def whole_from(one: Indicator) -> int | None:
    """Return the least exponent from which on every whole mantissa makes a multiple, or None."""
    if len(one) != 1 or not one[0][0]:
        return None
    modulus = one[0][0]
    scale = places_of(modulus)
    deciding = _deciding(int(modulus * 10**scale))
    return None if deciding is None else max(deciding - scale, 0)


# -- the last digits decide


def _positives(digits: Digits) -> Callable[[int], Node]:
    """Return what writes so many digits that are not all zero; each number of them once."""
    builder = digits.builder

    @cache
    def positive(count: int) -> Node:
        if count <= _FEW_DIGITS:
            ways = [
                builder.seq(
                    *[digits.zero] * zeros,
                    digits.nonzero,
                    builder.repeat(digits.digit, count - 1 - zeros, count - 1 - zeros),
                )
                for zeros in range(count)
            ]
            return builder.choice(*ways)
        # By halves: some of the first are not zero, or all are, and some of the others are not.
        half = count // 2
        rest = count - half
        return builder.choice(
            builder.seq(positive(half), builder.repeat(digits.digit, rest, rest)),
            builder.seq(builder.repeat(digits.zero, half, half), positive(rest)),
        )

    return positive


def _endings(modulus: Exact, digits: Digits) -> Node | None:
    """Return the positive multiples of a modulus by their last digits, or None."""
    scale = places_of(modulus)
    whole = int(modulus * 10**scale)
    width = _deciding(whole)
    if width is None or 10**width // whole > _MAX_ENDINGS:
        return None
    builder = digits.builder
    parts: list[Node] = []
    positive = _positives(digits)
    for places in range(scale + 1):
        # The digits before and after the point are one number, `places` of them after it.
        unit = whole // gcd(whole, 10 ** (scale - places))
        width = _deciding(unit) or 0
        zeros = digits.zeros if places == scale else builder.empty()
        if not scale:
            zeros = digits.no_fraction
        values = range(0, 10**width, unit)
        lead = [digits.nonzero, digits.digits]
        if width > places:
            ends = [_pointed(str(value).zfill(width), places) for value in values]
            parts.append(builder.seq(*lead, builder.strings(ends), zeros))
            short = [_pointed(str(value).zfill(places + 1), places) for value in values[1:]]
            if short:
                parts.append(builder.seq(builder.strings(short), zeros))
        elif not places:
            parts.append(builder.seq(*lead, zeros))
        else:
            ends = [str(value).zfill(width) if width else "" for value in values]
            free = places - width
            any_ending = builder.strings(ends)
            fraction = builder.seq(builder.repeat(digits.digit, free, free), any_ending)
            parts.append(builder.seq(*lead, digits.point, fraction, zeros))
            small = [builder.seq(positive(free), any_ending)] if free else []
            if len(ends) > 1:
                small.append(builder.seq(*[digits.zero] * free, builder.strings(ends[1:])))
            if small:
                head = builder.seq(digits.zero, digits.point)
                parts.append(builder.seq(head, builder.choice(*small), zeros))
    return builder.choice(*parts)


def _deciding(whole: int) -> int | None:
    """Return how many last digits say whether a number is a multiple, or None if all do."""
    twos = (whole & -whole).bit_length() - 1
    odd, fives = whole >> twos, 0
    while odd % 5 == 0:
        odd //= 5
        fives += 1
    return max(twos, fives) if odd == 1 else None


def places_of(value: Exact) -> int:
    """Return how many fraction digits a decimal has."""
    return 0 if value.denominator == 1 else _deciding(value.denominator) or 0


def _pointed(text: str, places: int) -> str:
    """Return digits with a point before the last so many of them."""
    return f"{text[:-places]}.{text[-places:]}" if places else text


# -- all digits decide


def _least_automaton(part: Range) -> _native.Automaton:
    """Return the least automaton of a range."""
    from formgate.plugins.json_schema._numbers_write import plain  # noqa: PLC0415

    moduli = [(modulus, count) for modulus, count in part.one if modulus]
    scale = max([places_of(modulus) for modulus, _ in moduli], default=0)
    units = [(int(modulus * 10**scale), count) for modulus, count in moduli]
    cycle = lcm(*[unit for unit, _ in units])
    if cycle > _MAX_CYCLE:
        raise _too_large("residues", cycle, _MAX_RESIDUES)

    def bound(value: Exact | None, *, included: bool) -> tuple[str, str, bool] | None:
        if value is None:
            return None
        whole, _, fraction = plain(value).partition(".")
        return whole, fraction, included

    found = _native.decimal_automaton(
        cycle=cycle,
        scale=scale,
        constant=sum(count for modulus, count in part.one if not modulus),
        moduli=units,
        low=bound(part.low, included=part.low_in),
        high=bound(part.high, included=part.high_in),
        max_residues=_MAX_RESIDUES,
        max_states=_MAX_STATES,
        check=check_time,
    )
    if found is None:
        raise _too_large("states", f"more than {_MAX_STATES}", _MAX_STATES)
    if isinstance(found, int):
        raise _too_large("residues", found, _MAX_RESIDUES)
    return found


def _too_large(what: str, found: object, limit: int) -> UnsupportedConstraint:
    """Return the refusal of an automaton that would be too large."""
    return UnsupportedConstraint(
        f"multipleOf needs {found} {what}, and {limit} is the most",
        hint="use a rounder multipleOf, or closer bounds, of which the multiples can be listed",
    )
