"""Constraints that pydantic checks after a type: on unions, where no member knows of them.

pydantic wraps what cannot hold a constraint itself into a validator of its own. Such a validator is
known by its function; its constraint is put on each member, and members that it does not speak of,
for which pydantic raises, are left out.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from pydantic._internal import _validators as validators

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["bounds_of", "own_validator", "pushed"]

_WORDS = {
    "greater_than_validator": "gt",
    "greater_than_or_equal_validator": "ge",
    "less_than_validator": "lt",
    "less_than_or_equal_validator": "le",
    "multiple_of_validator": "multiple_of",
    "min_length_validator": "min_length",
    "max_length_validator": "max_length",
    "max_digits_validator": "max_digits",
    "decimal_places_validator": "decimal_places",
}


def own_validator(name: str) -> object:
    """Return a validator of pydantic's own; none of those here is in all of its versions."""
    return getattr(validators, name, validators)


_NAMES = {own_validator(word): name for word, name in _WORDS.items()}
_FINITE = own_validator("forbid_inf_nan_check")
_LENGTHS = ("min_length", "max_length")
_NUMBERS = ("int", "float", "decimal", "fraction")
_OF_DECIMALS = ("max_digits", "decimal_places")
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
_UNORDERED = ("none", "uuid", "complex")
_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
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
    inner = core
    while inner["type"] == "function-after":
        known = _checked(inner["function"]["function"])
        if not known:
            break
        for name, value in known.items():
            found[name] = _closer(name, found.get(name), value)
            if found[name] is None:
                return {}, core
        inner = inner["schema"]
    return found, inner


def _checked(function: Any) -> dict[str, Any]:
    """Return the constraints that a validator of pydantic's own checks; none of others."""
    if function is _FINITE:
        return {"allow_inf_nan": False}
    known = isinstance(function, functools.partial) and function.func in _NAMES
    return dict(function.keywords) if known else {}


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
    if kind in _kinds(name):
        closer = _closer(name, core.get(name), value)
        return None if closer is None else {**core, name: closer}
    if kind in _WAYS and not (kind == "bool" and name not in _CHECKS):
        return _WAYS[kind](core, name, value)
    if name == "allow_inf_nan" and kind in ("int", "decimal", "bool"):
        return core  # all of them are finite, or refuse what is not
    return {} if kind in _unspoken(name) else None


def _nullable(core: Core, name: str, value: Any) -> Core | None:
    """Return what is in a core schema beside None, for which pydantic raises."""
    return _under(core["schema"], name, value)


def _bool(core: Core, name: str, value: Any) -> Core:
    """Return the truth values that a constraint holds of: they are numbers to Python."""
    return _kept({**core, "type": "literal", "expected": [False, True]}, name, value)


def _checked_before(core: Core, name: str, value: Any) -> Core | None:
    bounds, inner = bounds_of(core)
    return pushed(inner, {name: value, **bounds}) if bounds and name not in bounds else None


def _class(core: Core, name: str, value: Any) -> Core | None:
    """Return no values, if objects of a class have no length, or no order."""
    del value
    if name in _LENGTHS:
        return None if hasattr(core["cls"], "__len__") else {}
    own = getattr(core["cls"], f"__{name}__", None)
    return None if own is not getattr(object, f"__{name}__", None) else {}


def _unspoken(name: str) -> tuple[str, ...]:
    """Return the types whose values pydantic raises for, under a constraint."""
    if name in _OF_DECIMALS:
        return (*_NUMBERS, *_SIZED, *_UNSIZED)
    if name in _LENGTHS:
        return (*_NUMBERS, *_UNSIZED)
    return (*_SIZED, *(_UNSIZED if name == "allow_inf_nan" else _UNORDERED))


def _kinds(name: str) -> tuple[str, ...]:
    """Return the types that a constraint speaks of."""
    if name in _OF_DECIMALS:
        return ("decimal",)
    return ("float",) if name == "allow_inf_nan" else _SIZED if name in _LENGTHS else _NUMBERS


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
            if name not in _CHECKS or _CHECKS[name](member, value):
                kept.append(member)
        except TypeError:
            continue
    return (
        {**{key: part for key, part in core.items() if key != "ref"}, given: kept} if kept else {}
    )


def _closer(name: str, one: Any, other: Any) -> Any:
    """Return what two constraints of a kind say together; None where one cannot say it."""
    if one is None or one == other:
        return other
    if name == "multiple_of":
        return None
    closer = max if name in ("gt", "ge", "min_length") else min
    return closer(one, other)


_WAYS: dict[str, Callable[[Core, str, Any], Core | None]] = {
    "union": _union,
    "nullable": _nullable,
    "bool": _bool,
    "literal": _kept,
    "enum": _kept,
    "function-after": _checked_before,
    "model": _class,
    "dataclass": _class,
}
