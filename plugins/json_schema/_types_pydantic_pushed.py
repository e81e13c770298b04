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

__all__ = ["constraint_of", "pushed"]

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


def constraint_of(core: Core) -> tuple[str, Any] | None:
    """Return the constraint that a core schema is a validator of; None for other schemas."""
    if core["type"] != "function-after":
        return None
    function = core["function"]["function"]
    if not isinstance(function, functools.partial) or function.args:
        return None
    name = _NAMES.get(function.func)
    return None if name is None or name not in function.keywords else (name, function.keywords[name])


def pushed(core: Core, name: str, value: Any) -> Core | None:
    """Return a core schema under a constraint.

    Returns:
        None where it cannot be said; an empty one where no value is left.
    """
    kind = core["type"]
    if kind == "union":
        return _union(core, name, value)
    if kind == "nullable":  # pydantic raises for None
        return pushed(core["schema"], name, value)
    if kind in ("literal", "enum"):
        return _kept(core, name, value)
    if kind == "function-after" and constraint_of(core) is not None:
        inner = pushed(core["schema"], name, value)
        return inner and pushed(inner, *constraint_of(core))  # type: ignore[misc]
    if kind in (_SIZED if name in _LENGTHS else _NUMBERS):
        return _tightened(core, name, value)
    spoken = (*_NUMBERS, *_UNSIZED) if name in _LENGTHS else (*_SIZED, "none", "uuid", "complex")
    return {} if kind in spoken else None


def _union(core: Core, name: str, value: Any) -> Core | None:
    choices = []
    for choice in core["choices"]:
        member, *label = choice if isinstance(choice, tuple) else (choice,)
        narrowed = pushed(member, name, value)
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


def _tightened(core: Core, name: str, value: Any) -> Core | None:
    """Return a core schema with a constraint beside its own."""
    before = core.get(name)
    if before is not None and before != value:
        if name == "multiple_of":
            return None
        value = max(before, value) if name in ("gt", "ge", "min_length") else min(before, value)
    return {**core, name: value}
