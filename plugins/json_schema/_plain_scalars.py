"""Numbers and strings of plain schemas, as sets.

What is wrong, or cannot be enforced, is left to what reads all keywords: it names the place. So
these functions return None, or raise what the sets raise, where something is not as it should be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._numbers_write import recorded_numbers
from formgate.plugins.json_schema._spelled import Numerals, meet_numbers
from formgate.plugins.json_schema._strings import FEW_NAMES, StringSet, exclude
from formgate.plugins.json_schema._values import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._notes import Notes
    from formgate.plugins.json_schema._values import Json

__all__ = ["all_numbers", "names_matching", "numbers_among", "numbers_within", "texts_with"]

_OLD_INTEGERS = Numerals(NumberSet.INTEGERS, NumberSet.NONE)  # by how they are written


def all_numbers(builder: GrammarBuilder, notes: Notes, *, integer: bool, old: bool) -> Node:
    """Return the node of all numbers, or of the integers.

    Args:
        builder: Where to write.
        notes: The notes on it.
        integer: Whether they are integers.
        old: Whether integers are what draft 4 says: numbers without a fraction and an exponent.
    """
    numbers = _all(integer=integer, old=old)
    if isinstance(numbers, Numerals):
        return numbers.node(builder, notes=notes)
    node = notes.numbers.get(numbers)
    if node is None:
        node = recorded_numbers(numbers).write(builder)
        notes.numbers[numbers] = node
    return node


def _all(*, integer: bool, old: bool) -> NumberSet | Numerals:
    """Return all numbers, or the integers, as a set."""
    if not integer:
        return NumberSet.ALL
    return _OLD_INTEGERS if old else NumberSet.INTEGERS


def numbers_within(
    bounds: Sequence[Json | None], *, integer: bool, old: bool
) -> NumberSet | Numerals | None:
    """Return the numbers within bounds.

    Args:
        bounds: What ``minimum``, ``maximum``, ``exclusiveMinimum``, ``exclusiveMaximum`` and
            ``multipleOf`` say; None where nothing is said.
        integer: Whether they are integers.
        old: Whether the keywords are those of draft 4.

    Raises:
        GrammarError, LimitError: A bound cannot be enforced.
    """
    low, high, above, below, step = bounds
    if old:
        if not all(one is None or isinstance(one, bool) for one in (above, below)):
            return None
        from_low, to_high = not above, not below
        above = below = None
    else:
        from_low = to_high = True
    for bound in (low, high, above, below, step):
        if bound is not None and not is_number(bound):
            return None
    found = NumberSet.INTEGERS if integer else NumberSet.ALL
    if low is not None:
        found &= NumberSet.at_least(low, not from_low)
    if high is not None:
        found &= NumberSet.at_most(high, not to_high)
    if above is not None:
        found &= NumberSet.at_least(above, True)
    if below is not None:
        found &= NumberSet.at_most(below, True)
    if step is not None:
        found &= NumberSet.multiple_of(step)
    return Numerals(found, NumberSet.NONE) if integer and old else found


def numbers_among(
    values: Sequence[Json], *, integer: bool, old: bool
) -> NumberSet | Numerals | None:
    """Return some numbers, or the integers among them; the rest as ``numbers_within``."""
    if not all(map(is_number, values)):
        return None
    return meet_numbers(_all(integer=integer, old=old), NumberSet.of(values))


def texts_with(low: int, high: int | None, pattern: str | None, form: str | None) -> StringSet:
    """Return the texts of some lengths that a pattern matches and that have a format.

    Raises:
        GrammarError, LimitError: The pattern is none, or cannot be enforced.
    """
    found = StringSet.ALL
    if low or high is not None:
        found = StringSet.length(low, high)
    if pattern is not None:
        found &= StringSet.pattern(pattern)
    if form is not None:
        found &= StringSet.format(form)
    return found


def names_matching(patterns: Sequence[str]) -> list[StringSet] | None:
    """Return the names that each pattern matches.

    None if patterns share names, or one matches none, or so few that each has a place of its own.

    Raises:
        GrammarError, LimitError: A pattern is none, or cannot be enforced.
    """
    found: list[StringSet] = []
    for pattern in patterns:
        names = StringSet.pattern(pattern)
        few = names.values is not None and len(names.values) <= FEW_NAMES
        if few or names.is_empty() or not all(exclude(names, other) for other in found):
            return None
        found.append(names)
    return found
