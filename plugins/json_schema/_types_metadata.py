"""What stands in `Annotated` beside a type: constraints, by the names of `annotated_types`.

The package is not imported: its constraints are known by their attributes (`gt`, `min_length`), and
so are those of others that use the same names. Texts and documentation are no constraints. A
constraint that JSON Schema cannot say is refused, unless pydantic reads the whole annotation.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, UnsupportedConstraint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # A keyword with its value, and what checks a JSON value.
    Found = tuple[dict[str, object], Callable[[object], bool]]

__all__ = ["constraints"]

_MAX_NESTING = 8
# Attribute, keyword, and what it says of a number.
_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("gt", "exclusiveMinimum", lambda value, bound: value > bound),
    ("ge", "minimum", lambda value, bound: value >= bound),
    ("lt", "exclusiveMaximum", lambda value, bound: value < bound),
    ("le", "maximum", lambda value, bound: value <= bound),
    ("multiple_of", "multipleOf", lambda value, factor: _divides(factor, value)),
)
_LENGTHS: tuple[tuple[str, str, Callable[[Any, int], bool]], ...] = (
    ("min_length", "minLength", lambda value, bound: len(value) >= bound),
    ("max_length", "maxLength", lambda value, bound: len(value) <= bound),
)
# The values by which bounds exclude nothing.
_OUTSIDE = {"gt": -math.inf, "ge": -math.inf, "lt": math.inf, "le": math.inf}
_KNOWN = {name for name, *_ in (*_BOUNDS, *_LENGTHS)}


def constraints(metadata: Sequence[object], place: str, depth: int = 0) -> list[Found] | None:
    """Return the keywords of each constraint with what checks them; None where pydantic must read.

    Raises:
        GrammarError: The value of a constraint is of the wrong type.
        UnsupportedConstraint: A constraint has no keyword.
    """
    found: list[Found] = []
    for item in metadata:
        if isinstance(item, (str, bytes, type, dict)) or item is None:
            continue
        if type(item).__module__.partition(".")[0] in ("pydantic", "pydantic_core"):
            return None
        group = getattr(item, "__iter__", None)
        if group is not None and type(item).__module__.startswith("annotated_types"):
            if depth == _MAX_NESTING:
                raise GrammarError(f"{place}: constraints are grouped more than {depth} deep")
            inner = constraints(list(group()), place, depth + 1)
            if inner is None:
                return None
            found += inner
        elif any(hasattr(item, name) for name in _KNOWN):
            found += _bounds(item, place)
        elif type(item).__module__.startswith("annotated_types") and not _is_remark(item):
            raise UnsupportedConstraint(
                f"{place}: {item!r:.80} cannot be said in JSON Schema",
                hint="leave it out and check the parsed value, or use a pattern or an enumeration",
            )
    return found


def _is_remark(item: object) -> bool:
    return type(item).__name__ in ("DocInfo", "Unit")


def _bounds(item: object, place: str) -> list[Found]:
    found: list[Found] = []
    for name, keyword, holds in _BOUNDS:
        bound = getattr(item, name, None)
        if bound is None:
            continue
        if _excludes_nothing(name, bound):
            continue
        exact = _finite(bound, f"{place}: {name}={bound!r:.60}")
        if name == "multiple_of" and not exact > 0:
            raise GrammarError(f"{place}: {name}={bound!r:.60} is not positive")
        found.append(({keyword: bound}, _for_numbers(holds, exact)))
    for name, keyword, fits in _LENGTHS:
        bound = getattr(item, name, None)
        # annotated_types says "no lower bound" as 0, pydantic as None
        if bound is None or (bound == 0 and name == "min_length"):
            continue
        if not isinstance(bound, int) or isinstance(bound, bool) or bound < 0:
            raise GrammarError(f"{place}: {name}={bound!r:.60} is no length")
        found.append(({keyword: bound}, _for_lengths(fits, bound)))
    return found


def _for_numbers(
    holds: Callable[[Any, Any], bool], bound: int | Decimal
) -> Callable[[object], bool]:
    """Return what checks numbers and passes over other values, as the keyword does."""

    def check(value: object) -> bool:
        exact = _exact(value)
        return exact is None or holds(exact, bound)

    return check


def _for_lengths(fits: Callable[[Any, int], bool], bound: int) -> Callable[[object], bool]:
    """Return what checks lengths and passes over values without one."""
    return lambda value: not isinstance(value, (str, list, dict)) or fits(value, bound)


def _excludes_nothing(name: str, bound: object) -> bool:
    infinite = isinstance(bound, (float, Decimal)) and Decimal(bound).is_infinite()
    return infinite and bound == _OUTSIDE.get(name)


def _finite(bound: object, what: str) -> int | Decimal:
    """Return a bound without rounding.

    Raises:
        UnsupportedConstraint: It is no number, so values of another type are compared with it.
        GrammarError: It is infinite where that excludes all numbers, or NaN.
    """
    exact = _exact(bound)
    if exact is not None:
        return exact
    if isinstance(bound, (float, Decimal)):
        raise GrammarError(
            f"{what} is no finite number", hint="give a number, or leave the bound out"
        )
    raise UnsupportedConstraint(
        f"{what} is no int, float or Decimal, and JSON Schema compares numbers alone",
        hint="leave it out and check the parsed value, or use a pattern or an enumeration",
    )


def _divides(factor: int | Decimal, value: int | Decimal) -> bool:
    """Say whether a number is a multiple of another, without rounding.

    Cost: that of the digits written; an exponent, however large, is never written out.
    """
    step = Fraction(factor)
    if isinstance(value, int):
        return Fraction(value) % step == 0
    _, digits, exponent = value.as_tuple()
    whole = int(Decimal((0, digits, 0))) * step.denominator
    if whole == 0:
        return True
    if not isinstance(exponent, int):  # neither infinite nor NaN, which no JSON number is
        return False
    if exponent >= 0:
        return whole * pow(10, exponent, step.numerator) % step.numerator == 0
    # 10 ** -exponent divides the whole only if that has as many digits.
    return -exponent <= whole.bit_length() and whole % (step.numerator * 10**-exponent) == 0


def _exact(value: object) -> int | Decimal | None:
    """Return a number without rounding, None for what is no finite number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        value = Decimal(repr(value))
    return value if isinstance(value, Decimal) and value.is_finite() else None
