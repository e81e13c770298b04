"""Tuples with parts of other tuples in them: `tuple[int, *tuple[str, ...]]` (PEP 646).

Parts of a fixed length are written out; one of any length may come last. JSON Schema has no keyword
for items that are counted from the end, so nothing may follow it.
"""

from __future__ import annotations

import typing
from typing import Any

from formgate.core.errors import UnsupportedConstraint

__all__ = ["flattened", "is_type_variable_tuple", "is_unpacked"]


def is_unpacked(annotation: object) -> bool:
    """Say whether a type stands with a star, or in `Unpack`."""
    # By name: typing has it from Python 3.11 on, typing_extensions before.
    named = getattr(typing.get_origin(annotation), "_name", None) == "Unpack"
    return named or bool(getattr(annotation, "__unpacked__", False))


def is_type_variable_tuple(annotation: object) -> bool:
    """Say whether this is a TypeVarTuple, without its star."""
    return type(annotation).__name__ == "TypeVarTuple"


def flattened(given: tuple[Any, ...], place: str) -> tuple[list[Any], Any | None]:
    """Return the types of the first items of a tuple, and that of all others, None for no others.

    Args:
        given: The arguments of a tuple type.
        place: Where it stands, for errors.

    Raises:
        UnsupportedConstraint: A part is of unknown length, or items follow one of any length.
    """
    if given == ((),):
        return [], None
    if len(given) == 2 and given[1] is Ellipsis:
        return [], given[0]
    items: list[Any] = []
    rest = None
    for part in given:
        found, more = [part], None
        if is_unpacked(part):
            found, more = flattened(_arguments(part, place), place)
        if rest is not None and (found or more is not None):
            raise UnsupportedConstraint(
                f"{place}: items after a part of any length cannot be enforced",
                hint="let the part of any length come last",
            )
        items += found
        rest = more if rest is None else rest
    return items, rest


def _arguments(part: Any, place: str) -> tuple[Any, ...]:
    """Return the arguments of a tuple that is unpacked."""
    inner = part if typing.get_origin(part) is tuple else typing.get_args(part)[0]
    if inner is tuple:
        return Any, Ellipsis
    if typing.get_origin(inner) is not tuple:
        kind = "a TypeVarTuple" if is_type_variable_tuple(inner) else "no tuple"
        raise UnsupportedConstraint(
            f"{place}: {part!r:.60} is {kind}, which has no items of known types",
            hint="unpack a tuple of known types, such as *tuple[str, ...]",
        )
    return typing.get_args(inner) or ((),)
