"""Constraints on shapes: what one speaks of, and in which keywords.

A bound speaks of numbers, a length of strings, arrays and objects. In a union it narrows every
member, and None beside them stays, as pydantic has it. Keywords of JSON Schema pass over values of
other kinds, so those for all members stand beside the union as they would beside each of them. For
the same reason a member that a constraint does not speak of is refused: it would not be narrowed.

The walk is over the parts of a union, with a stack of its own; a definition is looked into once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.json_schema._types_scalars import scalars
from formgate.plugins.json_schema._types_shapes import (
    Anything,
    Constrained,
    Definition,
    Enumeration,
    OneOf,
    Record,
    Scalar,
    Shape,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.plugins.json_schema._types_metadata import Found

    Part = tuple[str, str]  # the JSON type that constraints speak of, "" for none; a name

__all__ = ["narrowed"]

_LENGTHS = {"array": "Items", "object": "Properties", "string": "Length"}
_NUMBERS = ("integer", "number")


def narrowed(shape: Shape, found: list[Found], place: str) -> Shape:
    """Return a shape under constraints.

    Raises:
        UnsupportedConstraint: One does not speak of all that the shape holds.
    """
    if not found:
        return shape
    parts = list(_parts(shape))
    for keywords, holds in found:
        shape = Constrained(shape, _fitting(parts, keywords, place), holds)
    return shape


def _fitting(parts: list[Part], keywords: dict[str, object], place: str) -> dict[str, object]:
    """Return a constraint in the words of what it narrows."""
    ((keyword, value),) = keywords.items()
    of_length = keyword in ("minLength", "maxLength")
    kinds = tuple(_LENGTHS) if of_length else _NUMBERS
    for kind, name in parts:
        if kind not in kinds:
            words, example = "numbers", "Annotated[int, ...] | str"
            if of_length:
                words, example = "strings, arrays and objects", "Annotated[str, ...] | int"
            raise UnsupportedConstraint(
                f"{place}: {keyword} narrows {words}, not {name}",
                hint=f"put it on the types that it speaks of alone, as in {example}",
            )
    if of_length:
        return {keyword[:3] + _LENGTHS[kind]: value for kind, _ in parts}
    return keywords


def _parts(shape: Shape) -> Iterator[Part]:
    """Yield the parts of a shape that constraints are to narrow."""
    work = _beside_none(shape)
    seen: set[str] = set()
    while work:
        part = work.pop(0)
        if isinstance(part, Definition):
            if part.name in seen:
                continue
            seen.add(part.name)
            if part.inner is None:  # the constraint stands in what the name is given to
                yield "", f"{part.name}, which is not complete here"
            else:
                work.insert(0, part.inner)
        elif isinstance(part, Constrained):
            work.insert(0, part.inner)
        elif isinstance(part, OneOf):
            work[:0] = part.branches
        elif isinstance(part, Enumeration):
            yield from ((_kind_of(member), f"{member!r:.60}") for _, member in part.members)
        else:
            yield _part(part)


def _beside_none(shape: Shape) -> list[Shape]:
    """Return the members of a union other than None; a None inside a named member counts."""
    while isinstance(shape, Constrained):
        shape = shape.inner
    if not isinstance(shape, OneOf):
        return [shape]
    none = scalars()[type(None)]
    return [branch for branch in _branches(shape) if branch is not none]


def _branches(union: OneOf) -> Iterator[Shape]:
    """Yield the members of a union, those of unions in it in their place."""
    work: list[Shape] = list(union.branches)
    while work:
        branch = work.pop(0)
        if isinstance(branch, OneOf):  # of a type variable that is bound to a union
            work[:0] = branch.branches
        else:
            yield branch


def _part(shape: Shape) -> Part:
    """Return the kind and the name of a part that is no union."""
    if isinstance(shape, Anything):
        return "", "Never" if shape.never else "Any"
    if isinstance(shape, Scalar):
        return _scalar(shape)
    if isinstance(shape, Record):
        known = shape.make is dict
        return ("object", "object") if known else ("", getattr(shape.make, "__name__", "a class"))
    schema = shape.schema()
    if isinstance(schema, bool) or not isinstance(schema.get("type"), str):
        return "", "a type that pydantic describes"
    # An object of pydantic with known members is that of a class, which has no length.
    name = str(schema["type"])
    return ("", "a model") if name == "object" and "properties" in schema else (name, name)


def _scalar(shape: Scalar) -> Part:
    """Return a scalar type; of those that are written as strings, only `str` has a length."""
    kind = str(shape.keywords["type"])
    names = (getattr(known, "__name__", "") for known, its in scalars().items() if its is shape)
    name = next(names, kind)
    return ("", name) if kind == "string" and name != "str" else (kind, name)


def _kind_of(member: object) -> str:
    """Return the kind of a value in Python, of which a member of a plain Enum has none."""
    if isinstance(member, bool):
        return ""
    if isinstance(member, str):
        return "string"
    return "number" if isinstance(member, (int, float)) else ""
