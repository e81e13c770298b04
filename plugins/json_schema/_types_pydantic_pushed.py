"""Constraints that pydantic checks after a type: on unions, where no member knows of them.

pydantic wraps what cannot hold a constraint itself into a validator of its own. Such a validator is
known by its function; its constraint is put on each member, and members that it does not speak of,
for which pydantic raises, are left out.
"""

from __future__ import annotations

import functools
from typing import Any

from pydantic._internal._validators import (
    greater_than_or_equal_validator,
    greater_than_validator,
    less_than_or_equal_validator,
    less_than_validator,
    max_length_validator,
    min_length_validator,
    multiple_of_validator,
)

__all__ = ["bounds_of", "pushed"]

_NAMES = {
    greater_than_validator: "gt",
    greater_than_or_equal_validator: "ge",
    less_than_validator: "lt",
    less_than_or_equal_validator: "le",
    multiple_of_validator: "multiple_of",
    max_length_validator: "max_length",
    min_length_validator: "min_length",
}
_LENGTHS = ("min_length", "max_length")
_NUMBERS = ("int", "float", "decimal", "fraction")
_SIZED = (
    "str",
    "bytes",
    "list",
    "tuple",
    "set",
    "frozenset",
    "dict",
    "deque",
    "counter",
    "ordered-dict",
    "frozendict",
)
_UNSIZED = ("bool", "none", "date", "datetime", "time", "timedelta", "uuid", "complex")
_CHECKS = {
    "gt": lambda value, bound: value > bound,
    "ge": lambda value, bound: value >= bound,
    "lt": lambda value, bound: value < bound,
    "le": lambda value, bound: value <= bound,
    "multiple_of": lambda value, step: not value % step,
    "min_length": lambda value, bound: len(value) >= bound,
    "max_length": lambda value, bound: len(value) <= bound,
}
Core = Any


def bounds_of(core: Core) -> tuple[dict[str, Any], Core]:
    """Return the constraints that a core schema checks after another, and that other one."""
    found: dict[str, Any] = {}
    while core["type"] == "function-after":
        function = core["function"]["function"]
        name = _NAMES.get(function.func) if isinstance(function, functools.partial) else None
        if name is None or name not in function.keywords:
            break
        found[name] = _closer(name, found.get(name), function.keywords[name])
        if found[name] is None:
            return {}, core
        core = core["schema"]
    return found, core


def pushed(core: Core, bounds: dict[str, Any]) -> Core | None:
    """Return a core schema under constraints.

    Returns:
        None where they cannot be said; an empty one where no value is left.
    """
    for name, value in bounds.items():
        core = _under(core, name, value)
        if not core:
            break
    return core


def _under(core: Core, name: str, value: Any) -> Core | None:
    """Return a core schema under one constraint; as `pushed`."""
    kind = core["type"]
    if kind == "union":
        return _union(core, name, value)
    if kind == "nullable":  # pydantic raises for None
        return _under(core["schema"], name, value)
    if kind in ("literal", "enum"):
        return _kept(core, name, value)
    if kind == "function-after":
        bounds, inner = bounds_of(core)
        return pushed(inner, {name: value, **bounds}) if bounds and name not in bounds else None
    if kind in (_SIZED if name in _LENGTHS else _NUMBERS):
        closer = _closer(name, core.get(name), value)
        return None if closer is None else {**core, name: closer}
    unspoken = (*_NUMBERS, *_UNSIZED) if name in _LENGTHS else (*_SIZED, "none", "uuid", "complex")
    return {} if kind in unspoken else None


def _union(core: Core, name: str, value: Any) -> Core | None:
    choices = []
    for choice in core["choices"]:
        member, *label = choice if isinstance(choice, tuple) else (choice,)
        narrowed = _under(member, name, value)
        if narrowed is None:
            return None
        if narrowed:
            choices.append((narrowed, *label) if label else narrowed)
    return {**core, "choices": choices} if choices else {}


def _kept(core: Core, name: str, value: Any) -> Core:
    """Return an enumeration with the members that a constraint holds of."""
    given = "expected" if core["type"] == "literal" else "members"
    kept = []
    for member in core[given]:
        try:
            if _CHECKS[name](member, value):
                kept.append(member)
        except TypeError:
            continue
    return {**{key: part for key, part in core.items() if key != "ref"}, given: kept} if kept else {}


def _closer(name: str, one: Any, other: Any) -> Any:
    """Return what two constraints of a kind say together; None where one cannot say it."""
    if one is None or one == other:
        return other
    if name == "multiple_of":
        return None
    return max(one, other) if name in ("gt", "ge", "min_length") else min(one, other)
