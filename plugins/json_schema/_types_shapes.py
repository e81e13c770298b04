"""Shapes: what a Python type looks like as JSON, in both directions.

A type is turned into a shape once. `schema()` describes the JSON values that stand for values of
the type, and `read()` turns such a value into one of the type. Both come from the same object, so
what is written to the schema and what is read back cannot drift apart.

Values to read come from `formgate.plugins.json_schema._parse.load`: numbers with a fraction or an
exponent are `Decimal`, so nothing is rounded before a shape says how.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = [
    "Anything",
    "Constrained",
    "Definition",
    "Enumeration",
    "Lookup",
    "Mismatch",
    "OneOf",
    "Record",
    "Row",
    "Scalar",
    "Sequence",
    "Shape",
    "as_float",
    "identity",
    "is_unhashable",
    "plain",
]

Schema = dict[str, object]


class Mismatch(Exception):  # noqa: N818 (internal: tells branches of a union apart)
    """A JSON value is not of a shape; the path leads to the part that is not."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.path: list[str | int] = []


class Shape:
    """The JSON form of a type."""

    def schema(self) -> Schema | bool:
        """Return the JSON Schema (2020-12) of the values; named parts are references."""
        raise NotImplementedError

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the Python value that a JSON value stands for.

        Raises:
            Mismatch: It stands for none.
        """
        raise NotImplementedError


@dataclass
class Scalar(Shape):
    """A type whose JSON form is a string, a number, a boolean or null."""

    keywords: Schema
    take: Callable[[object], object]

    def schema(self) -> Schema:
        """Return the keywords."""
        return dict(self.keywords)

    def read(self, value: object, *, decimals: bool) -> object:
        """Return what `take` makes of the value."""
        del decimals
        return self.take(value)


@dataclass
class Anything(Shape):
    """Any JSON value, or none."""

    never: bool = False
    scalar: bool = False  # in a set, which holds no lists and no dictionaries

    def schema(self) -> Schema | bool:
        """Return the schema: a truth value, or scalar types."""
        if self.scalar:
            return {"type": ["null", "boolean", "number", "string"]}
        return not self.never

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the value, with floats for numbers unless decimals are wanted."""
        if self.never:
            raise Mismatch("there is no value of this type")
        if self.scalar and isinstance(value, (list, dict)):
            raise Mismatch("it is no scalar")
        return value if decimals else plain(value)


@dataclass
class Enumeration(Shape):
    """One of finitely many scalars, each standing for a Python value."""

    members: tuple[tuple[object, object], ...]  # JSON value, Python value

    def __post_init__(self) -> None:
        self._by_value: dict[Hashable, object] = {}
        for value, member in self.members:
            self._by_value.setdefault(identity(value), member)

    def schema(self) -> Schema:
        """Return the list of values."""
        return {"enum": [value for value, _ in self.members]}

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the member that the value stands for."""
        del decimals
        if not isinstance(value, (list, dict)):
            key = identity(value)
            if key in self._by_value:
                return self._by_value[key]
        raise Mismatch("it is none of the values")


@dataclass
class Sequence(Shape):
    """An array of any length whose items are of one shape."""

    item: Shape
    make: Callable[[list[object]], object]
    unique: bool = False

    def schema(self) -> Schema:
        """Return the schema of the array."""
        schema: Schema = {"type": "array", "items": self.item.schema()}
        if self.unique:
            schema["uniqueItems"] = True
        return schema

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the collection of the items read."""
        if not isinstance(value, list):
            raise Mismatch("it is not an array")
        items = [_inside(self.item, part, at, decimals) for at, part in enumerate(value)]
        if self.unique and len(set(map(identity, value))) != len(value):
            raise Mismatch("it has an item twice")
        try:
            return self.make(items)
        except TypeError as error:  # of something hashable by its type alone, such as tuple[Any]
            raise Mismatch(f"a set cannot hold an item: {error}") from error


@dataclass
class Row(Shape):
    """An array with a shape for each position, and one for all others, if there may be others.

    The last ones may be left out.
    """

    items: tuple[Shape, ...]
    make: Callable[[list[object]], object]
    required: int
    rest: Shape | None = None

    def schema(self) -> Schema:
        """Return the schema of the array."""
        schema: Schema = {"type": "array"}
        schema["items"] = False if self.rest is None else self.rest.schema()
        if self.items:
            schema["prefixItems"] = [item.schema() for item in self.items]
            schema["minItems"] = self.required
        return schema

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the tuple of the items read."""
        if not isinstance(value, list):
            raise Mismatch("it is not an array")
        most = len(self.items) if self.rest is None else len(value)
        if not self.required <= len(value) <= most:
            raise Mismatch(f"it has {len(value)} items, not {len(self.items)}")
        others = () if self.rest is None else repeat(self.rest)
        pairs = zip(chain(self.items, others), value, strict=False)
        return self.make(
            [_inside(item, part, at, decimals) for at, (item, part) in enumerate(pairs)]
        )


@dataclass
class Lookup(Shape):
    """An object with any names, or those of a shape, and values of one shape."""

    key: Shape | None
    value: Shape
    make: Callable[[dict[object, object]], object] = dict

    def schema(self) -> Schema:
        """Return the schema of the object."""
        schema: Schema = {"type": "object", "additionalProperties": self.value.schema()}
        if self.key is not None:
            schema["propertyNames"] = self.key.schema()
        return schema

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the mapping of the members read."""
        if not isinstance(value, dict):
            raise Mismatch("it is not an object")
        result: dict[object, object] = {}
        for name, part in value.items():
            key: object = name
            if self.key is not None:
                key = _inside(self.key, name, name, decimals)
            result[key] = _inside(self.value, part, name, decimals)
        return result if self.make is dict else self.make(result)


@dataclass
class Record(Shape):
    """An object with known members and no others, unless they have a shape, too."""

    make: Callable[..., object]
    members: dict[str, Shape] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    others: Shape | None = None

    def schema(self) -> Schema:
        """Return the schema of the object."""
        schema: Schema = {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in self.members.items()},
            "additionalProperties": False if self.others is None else self.others.schema(),
        }
        if self.required:
            schema["required"] = list(self.required)
        return schema

    def read(self, value: object, *, decimals: bool) -> object:
        """Return what `make` makes of the members, given by name."""
        if not isinstance(value, dict):
            raise Mismatch("it is not an object")
        for name in self.required:
            if name not in value:
                raise Mismatch(f"it lacks the member {name!r}")
        given = {}
        for name, part in value.items():
            shape = self.members.get(name, self.others)
            if shape is None:
                raise Mismatch(f"it has an unknown member {name!r:.60}")
            given[name] = _inside(shape, part, name, decimals)
        try:
            return self.make(**given)
        except RecursionError:
            raise
        except Exception as error:
            # What a constructor checks (__post_init__) is no part of the schema.
            raise Mismatch(f"its constructor says {type(error).__name__}: {error}") from error


@dataclass
class OneOf(Shape):
    """A union: the first shape that the value has counts."""

    branches: tuple[Shape, ...]

    def schema(self) -> Schema:
        """Return the alternatives."""
        return {"anyOf": [branch.schema() for branch in self.branches]}

    def read(self, value: object, *, decimals: bool) -> object:
        """Return what the first fitting branch reads."""
        deepest: Mismatch | None = None
        for branch in self.branches:
            try:
                return branch.read(value, decimals=decimals)
            except Mismatch as error:
                # The branch that got furthest is the one that was meant.
                if deepest is None or len(error.path) > len(deepest.path):
                    deepest = error
        if deepest is not None and deepest.path:
            raise deepest
        raise Mismatch("it fits no part of the union")


@dataclass
class Constrained(Shape):
    """A shape with keywords that narrow it, and what checks them."""

    inner: Shape
    keywords: Schema
    holds: Callable[[object], bool]

    def schema(self) -> Schema | bool:
        """Return the schema of both."""
        inner = self.inner.schema()
        if inner is True:
            return dict(self.keywords)
        if inner is False:
            return False
        if set(inner) & set(self.keywords):
            return {"allOf": [inner, dict(self.keywords)]}
        return {**inner, **self.keywords}

    def read(self, value: object, *, decimals: bool) -> object:
        """Check the JSON value, then read it."""
        result = self.inner.read(value, decimals=decimals)
        if not self.holds(value):
            raise Mismatch(f"it does not satisfy {self.keywords}")
        return result


@dataclass
class Definition(Shape):
    """A named shape, referred to by name; `inner` is set once its parts are known."""

    name: str
    inner: Shape | None = None

    def schema(self) -> Schema:
        """Return the reference."""
        return {"$ref": f"#/$defs/{self.name}"}

    def read(self, value: object, *, decimals: bool) -> object:
        """Read what the name stands for."""
        assert self.inner is not None, self.name  # noqa: S101 (set when the class is done)
        return self.inner.read(value, decimals=decimals)


def is_unhashable(shape: Shape | None) -> bool:
    """Say whether values of a shape surely are not hashable, as far as types tell."""
    work = [shape]
    seen: set[str] = set()  # a class may hold itself
    while work:
        shape = work.pop()
        if isinstance(shape, Definition):
            if shape.name not in seen:
                seen.add(shape.name)
                work.append(shape.inner)
        elif isinstance(shape, Constrained):
            work.append(shape.inner)
        elif isinstance(shape, OneOf):
            work += shape.branches
        elif isinstance(shape, Row):
            work += [*shape.items, shape.rest]
        elif isinstance(shape, Sequence) and shape.make is tuple:
            work.append(shape.item)
        # Dataclasses that compare by value and are not frozen have no hash either.
        elif isinstance(shape, Lookup) or (
            isinstance(shape, (Sequence, Record)) and getattr(shape.make, "__hash__", None) is None
        ):
            return True
    return False


def identity(value: object) -> Hashable:
    """Return what tells JSON values apart: 1 is 1.0 and not true."""
    if isinstance(value, list):
        return ("array", tuple(map(identity, value)))
    if isinstance(value, dict):
        return ("object", frozenset((name, identity(part)) for name, part in value.items()))
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, float):
        return ("number", Decimal(repr(value)))
    if isinstance(value, (int, Decimal)):
        return ("number", Decimal(value))
    return ("text", str(value))


def plain(value: object) -> object:
    """Return a JSON value with floats in the place of decimals.

    Raises:
        Mismatch: A decimal is beyond the range of floats.
    """
    if isinstance(value, Decimal):
        return as_float(value)
    if isinstance(value, list):
        return [_plain_part(part, at) for at, part in enumerate(value)]
    if isinstance(value, dict):
        return {name: _plain_part(part, name) for name, part in value.items()}
    return value


def _plain_part(value: object, at: str | int) -> object:
    try:
        return plain(value)
    except Mismatch as error:
        error.path.insert(0, at)
        raise


def as_float(value: int | Decimal) -> float:
    """Return the float nearest to a number.

    Raises:
        Mismatch: The number is beyond the range of floats: infinity is no value of JSON.
    """
    try:
        nearest = float(value)
    except OverflowError:  # of an int; a Decimal becomes infinity
        nearest = math.inf
    if math.isinf(nearest):
        raise Mismatch(
            "the number is beyond the range of floats",
            hint="read it with decimals=True or as a Decimal, or put bounds into the schema",
        )
    return nearest


def _inside(shape: Shape, value: object, at: str | int, decimals: bool) -> object:
    """Read a part, noting on the way out of an error where the part stands."""
    try:
        return shape.read(value, decimals=decimals)
    except Mismatch as error:
        error.path.insert(0, at)
        raise
