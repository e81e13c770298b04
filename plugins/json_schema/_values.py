"""JSON values as Python has them: a key by which equal values are equal, and exact numbers.

JSON Schema compares values as data: 1 and 1.0 are one number, ``true`` is no number, the members of
objects have no order. The key of a value is hashable and takes time linear in the value.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from formgate.plugins.json_schema._deadline import check_time

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from decimal import Decimal

__all__ = ["Json", "all_texts", "is_decimal", "is_number", "is_scalar", "value_key"]

# A JSON value as ``json.loads`` makes it, numbers as int, float or Decimal.
Json: TypeAlias = Any


def is_number(value: object) -> bool:
    """Say whether a value is a JSON number: finite, and no truth value."""
    kind = type(value)
    if kind is int:
        return True
    if kind is float:
        return value == value and value not in (float("inf"), float("-inf"))  # noqa: PLR0124 (NaN)
    return is_decimal(value) and value.is_finite()


def is_decimal(value: object) -> TypeGuard[Decimal]:
    """Say whether a value is a ``Decimal``, without a need for its module."""
    decimal = sys.modules.get("decimal")  # without it there is no such number
    return decimal is not None and isinstance(value, decimal.Decimal)


def is_scalar(value: object) -> bool:
    """Say whether a value is no array and no object."""
    return not isinstance(value, (dict, list))


def all_texts(names: Iterable[Any]) -> bool:
    """Say whether all of some are strings; joining them asks each, faster than a loop."""
    try:
        "".join(names)
    except TypeError:
        return False
    return True


def value_key(value: Json) -> Hashable:
    """Return what two values share exactly if they are equal as JSON data.

    Raises:
        TypeError: It is no JSON value.
        CompileTimeout, CompileCancelled: As ``check_time``.
    """
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return ("b", value)
    if is_number(value):
        return _number_key(value)
    check_time()
    if isinstance(value, list):
        return ("a", tuple([value_key(item) for item in value]))
    if isinstance(value, dict) and all_texts(value):
        return ("o", frozenset([(name, value_key(item)) for name, item in value.items()]))
    raise TypeError(f"{value!r:.60} is no JSON value")


def _number_key(value: float | Decimal) -> Hashable:
    """Return sign, digits without zeros at the end, and exponent: equal for equal numbers."""
    from decimal import Decimal  # noqa: PLC0415 (rarely needed)

    decimal = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    sign, digits, exponent = decimal.as_tuple()
    text = "".join(map(str, digits))
    kept = text.rstrip("0")
    if not kept:
        return ("n", 0, "", 0)
    return ("n", sign, kept.lstrip("0"), int(exponent) + len(text) - len(kept))
