"""Bounds of numbers as pydantic compares them: floats after rounding, and decimals in strings.

A text of a number with a fraction is rounded to a float before pydantic looks at it, so what is
above a bound as it stands may be the bound itself. The bounds here are those of the texts that stay
on their side. Decimals in strings are not rounded; their bounds are patterns over digits.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "DECIMAL",
    "DIGITS_ALONE",
    "INTEGER",
    "LARGEST",
    "decimal_bounds",
    "digits_pattern",
    "fraction_after",
    "fraction_before",
    "less_than",
    "more_than",
    "rounded_bounds",
    "text_bounds",
]

LARGEST = 1.7976931348623157e308
INTEGER = "^(?:0|-?[1-9][0-9]*)$"
_WHOLE, _PART = "(?:0|[1-9][0-9]*)", r"(?:\.[0-9]+)?"
DECIMAL = f"^-?{_WHOLE}{_PART}$"
_MOST_DIGITS = 40  # of a bound that a pattern holds
_SIDES = (("gt", True, False), ("ge", True, True), ("lt", False, False), ("le", False, True))

# Draft 4 knows integers by how they are written; `oneOf` keeps it a schema of its own.
DIGITS_ALONE = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "id": "urn:formgate:digits",
    "oneOf": [{"type": "integer"}],
}


def rounded_bounds(given: Mapping[str, Any], *, finite: bool) -> dict[str, object]:
    """Return the keywords of the bounds of floats.

    Args:
        given: The bounds: `gt`, `ge`, `lt`, `le`.
        finite: Whether infinity, as which numbers beyond floats are read, is refused.
    """
    found: dict[str, object] = {}
    for name, above, included in _SIDES:
        bound = given.get(name)
        if bound is None or _excludes_nothing(bound, above=above):
            continue
        keyword = "minimum" if above else "maximum"
        if not included:
            bound = math.nextafter(float(bound), math.inf if above else -math.inf)
        elif isinstance(bound, Decimal):
            bound = float(bound)
        if keyword in found:
            bound = max(found[keyword], bound) if above else min(found[keyword], bound)  # type: ignore[call-overload]
        found[keyword] = bound
    return _finite(found) if finite else found


def _finite(found: dict[str, object]) -> dict[str, object]:
    return {"minimum": -LARGEST, "maximum": LARGEST, **found}


def _excludes_nothing(bound: Any, *, above: bool) -> bool:
    return math.isinf(bound) and (bound < 0) == above


def decimal_bounds(given: Mapping[str, Any]) -> dict[str, object] | None:
    """Return the keywords of the bounds of decimals that are read from numbers; None for no number.

    Such a decimal has the digits of the float nearest to the text.
    """
    found: dict[str, object] = {}
    for name, above, included in _SIDES:
        bound = given.get(name)
        if bound is None or _excludes_nothing(bound, above=above):
            continue
        nearest = _on_side(Decimal(bound), above=above, included=included)
        if nearest is None:
            return None
        keyword = "minimum" if above else "maximum"
        before = found.get(keyword, nearest)
        found[keyword] = max(before, nearest) if above else min(before, nearest)  # type: ignore[call-overload]
    return _finite(found)


def _on_side(bound: Decimal, *, above: bool, included: bool) -> float | None:
    """Return the float nearest to a bound whose digits are on its right side."""
    try:
        value = float(bound)
    except OverflowError:
        return None
    end = math.inf if above else -math.inf
    for _ in range(3):
        exact = Decimal(repr(value))
        fits = exact >= bound if above else exact <= bound
        if not math.isfinite(value):
            return None
        if fits and (included or exact != bound):
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        value = math.nextafter(value, end)
    return None


# --- decimals and integers in strings ---


def text_bounds(given: Mapping[str, Any]) -> list[str] | None:
    """Return patterns of the decimals within bounds, of texts that `DECIMAL` or `INTEGER` match.

    None if a bound has too many digits.
    """
    found = []
    for name, above, included in _SIDES:
        bound = given.get(name)
        if bound is None or _excludes_nothing(bound, above=above):
            continue
        exact = Decimal(repr(bound)) if isinstance(bound, float) else Decimal(bound)
        if not exact.is_finite() or _length(exact) > _MOST_DIGITS:
            return None
        found.append(_at_least(exact, included) if above else _at_most(exact, included))
    return found


def _length(value: Decimal) -> int:
    sign, digits, exponent = value.as_tuple()
    del sign
    return len(digits) + abs(int(exponent))


def _parts(value: Decimal) -> tuple[str, str]:
    """Return the digits before and after the point, without zeros at the end."""
    text = format(abs(value), "f")
    whole, _, part = text.partition(".")
    return whole, part.rstrip("0")


def _at_least(bound: Decimal, included: bool) -> str:
    whole, part = _parts(bound)
    if bound > 0:
        return f"^{_more(whole, part, included=included)}$"
    if bound < 0:
        return f"^(?:{_WHOLE}{_PART}|-{_less(whole, part, included=included)})$"
    return (
        rf"^(?:{_WHOLE}{_PART}|-0(?:\.0+)?)$" if included else f"^{_more('0', '', included=False)}$"
    )


def _at_most(bound: Decimal, included: bool) -> str:
    whole, part = _parts(bound)
    negative = f"-{_WHOLE}{_PART}"
    if bound > 0:
        return f"^(?:{negative}|{_less(whole, part, included=included)})$"
    if bound < 0:
        return f"^-{_more(whole, part, included=included)}$"
    return rf"^(?:{negative}|0(?:\.0+)?)$" if included else f"^-{_more('0', '', included=False)}$"


def _more(whole: str, part: str, *, included: bool) -> str:
    """Return the expression of decimals above one that is not negative."""
    ways = [f"[1-9][0-9]{{{len(whole)},}}{_PART}"]
    for at, digit in enumerate(whole):
        if digit != "9":
            rest = len(whole) - at - 1
            ways.append(f"{whole[:at]}[{int(digit) + 1}-9][0-9]{{{rest}}}{_PART}")
    ways.append(whole + fraction_after(part, included=included))
    return f"(?:{'|'.join(ways)})"


def _less(whole: str, part: str, *, included: bool) -> str:
    """Return the expression of decimals below one that is not negative, and not zero."""
    ways = []
    if len(whole) > 1:
        ways.append(f"(?:0|[1-9][0-9]{{0,{len(whole) - 2}}}){_PART}")
    for at, digit in enumerate(whole):
        least = 1 if at == 0 and len(whole) > 1 else 0
        if int(digit) > least:
            rest = len(whole) - at - 1
            ways.append(f"{whole[:at]}[{least}-{int(digit) - 1}][0-9]{{{rest}}}{_PART}")
    last = fraction_before(part, included=included)
    if last is not None:
        ways.append(whole + last)
    return f"(?:{'|'.join(ways)})"


def fraction_after(part: str, *, included: bool) -> str:
    """Return the expression of fractions above one, with their point; there may be none."""
    if not part:
        return _PART if included else r"\.0*[1-9][0-9]*"
    ways = [
        f"{part[:at]}[{int(digit) + 1}-9][0-9]*" for at, digit in enumerate(part) if digit != "9"
    ]
    ways.append(part + ("[0-9]*" if included else "0*[1-9][0-9]*"))
    return rf"\.(?:{'|'.join(ways)})"


def fraction_before(part: str, *, included: bool) -> str | None:
    """Return the expression of fractions below one, with their point; None if there is none."""
    if not part:
        return r"(?:\.0+)?" if included else None
    ways = [
        f"{part[:at]}[0-{int(digit) - 1}][0-9]*" for at, digit in enumerate(part) if digit > "0"
    ]
    ways += [part[:at] for at in range(1, len(part))]
    if included:
        ways.append(f"{part}0*")
    return rf"(?:\.(?:{'|'.join(ways)}))?"


def more_than(amount: int) -> str:
    """Return the expression of decimals above a whole number that is not negative."""
    return _more(str(amount), "", included=False)


def less_than(amount: int) -> str:
    """Return the expression of decimals below a whole number that is positive, and not negative."""
    return _less(str(amount), "", included=False)


def digits_pattern(most: int | None, places: int | None) -> str | None:
    """Return the pattern of decimals of so many digits and places; None for any.

    Zeros at the end of a fraction do not count, as pydantic has it.
    """
    if most is None:
        return (
            None
            if places is None
            else rf"^-?{_WHOLE}(?:\.[0-9]{{1,{places}}}0*)?$".replace("[0-9]{1,0}0*", "0+")
        )
    if places is not None:
        return f"^-?{_fixed(max(most - places, 0), min(places, most))}$"
    # Zeros after the point count, one before it does not.
    ways = [_fixed(whole, most - whole) for whole in range(most + 1)]
    return f"^-?(?:{'|'.join(ways)})$"


def _fixed(whole: int, places: int) -> str:
    """Return the expression of so many digits before and after the point."""
    after = rf"\.[0-9]{{1,{places}}}0*" if places else r"\.0+"
    # A zero alone has a digit before the point.
    return f"(?:0|[1-9][0-9]{{0,{whole - 1}}})(?:{after})?" if whole else f"0{after}"
