"""Decimals and fractions as pydantic reads them, from numbers and from strings.

A number with a fraction is rounded to a float first, which has 15 digits that are surely those of
the text, and 17 at most. In a string all digits count.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

from formgate.plugins.json_schema import _types_pydantic_numbers as numbers
from formgate.plugins.json_schema._types_pydantic_texts import FRACTION, whole
from formgate.plugins.json_schema._types_pydantic_written import Written, never, unenforced

__all__ = ["decimal_number", "decimal_texts", "fraction"]

_STEADY = 15
_MONEY = 2
_SIDES = ("gt", "ge", "lt", "le")
_EXPONENT = "[eE][+-]?[0-9]{1,9}"
_ANY_DECIMAL = whole(
    numbers.DECIMAL[1:-1], f"-?0{_EXPONENT}", f"{numbers.DECIMAL[1:-1]}{_EXPONENT}"
)
_OR_INFINITE = whole(_ANY_DECIMAL[1:-1], "-?Infinity", "NaN")


def decimal_number(schema: Any) -> Written | None:
    """Return the schema of numbers that are read as decimals; None for no number.

    Args:
        schema: The core schema of the decimals.
    """
    most, places, step = map(schema.get, ("max_digits", "decimal_places", "multiple_of"))
    if most is not None and places is not None and most <= places:
        return None  # a zero before the point is a digit too many
    if most is not None and places is None:
        # Any number of the digits may stand after the point; here, two, as of money.
        ways = [decimal_number({**schema, "decimal_places": some}) for some in (0, _MONEY)]
        found = [way for way in ways if way is not None]
        return {"anyOf": found} if len(found) > 1 else found[0] if found else None
    steps = [] if step is None else [Decimal(step)]
    steps += [] if places is None else [Decimal((0, (1,), -places))]
    bounds = {name: schema.get(name) for name in _SIDES}
    if step is not None or most is not None:
        size = _size(most, steps, rounded=step is not None)
        bounds["gt"] = max([-size, *_given(bounds["gt"])])
        bounds["lt"] = min([size, *_given(bounds["lt"])])
    keywords = numbers.decimal_bounds(bounds)
    if keywords is None:
        return None
    made: Written = {"type": "number", **keywords}
    for one in steps[:1]:
        made["multipleOf"] = one
    return {**made, "allOf": [{"multipleOf": steps[1]}]} if steps[1:] else made


def _given(bound: Any) -> list[Decimal]:
    return [] if bound is None else [Decimal(bound)]


def _size(most: int | None, steps: list[Decimal], *, rounded: bool) -> Decimal:
    """Return what numbers stay below that have no more digits than are allowed, and are kept."""
    digits = _STEADY if most is None else min(most, _STEADY) if rounded else most
    places = max(-_exponent(step) for step in steps)
    return Decimal(10) ** max(digits - max(places, 0), 0)


def _exponent(value: Decimal) -> int:
    return cast("int", value.normalize().as_tuple().exponent)


def decimal_texts(schema: Any, *, infinite: bool) -> list[str] | None:
    """Return patterns of strings that are read as decimals; None for no string.

    Args:
        schema: The core schema of the decimals.
        infinite: Whether infinities are such.
    """
    most, places, step = map(schema.get, ("max_digits", "decimal_places", "multiple_of"))
    if step is not None:
        if Decimal(step).normalize().as_tuple().digits != (1,) or _exponent(Decimal(step)) > 0:
            return None  # only of the powers of ten below one digits tell the multiples
        finest = -_exponent(Decimal(step))
        places = finest if places is None else min(places, finest)
        most = _STEADY if most is None else min(most, _STEADY)
    bounds = numbers.text_bounds(schema)
    if bounds is None:
        return None
    shape = numbers.digits_pattern(most, places)
    if shape is not None or bounds:
        return [shape or numbers.DECIMAL, *bounds]
    return [_OR_INFINITE if infinite else _ANY_DECIMAL]


def fraction(schema: Any) -> Written:
    """Return the schema of fractions: numbers, and strings of integers if nothing bounds them."""
    bounds = {
        name: Decimal(repr(float(schema[name]))) for name in _SIDES if schema.get(name) is not None
    }
    keywords = numbers.decimal_bounds(bounds)
    number = None if keywords is None else {"type": "number", **keywords}
    if schema.get("multiple_of") is not None:
        return unenforced("multiples of a fraction", number or never())
    if bounds:
        return number or never()
    return {"anyOf": [number, {"type": "string", "format": "fraction", "pattern": FRACTION}]}
