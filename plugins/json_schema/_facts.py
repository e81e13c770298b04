"""What a schema says, sorted by what it speaks of: kinds, numbers, strings, objects, arrays.

A *literal* is a subschema with a sign, as an integer: twice the subschema's number, plus one if it
is negated. Literal 0 is the schema ``true``, literal 1 its negation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formgate.plugins.json_schema._numbers import NumberSet
    from formgate.plugins.json_schema._spelled import Numerals
    from formgate.plugins.json_schema._strings import StringSet

__all__ = [
    "ALL_KINDS",
    "ARRAY",
    "BOOLEAN",
    "FALSE",
    "FALSE_VALUE",
    "NULL",
    "NUMBER",
    "OBJECT",
    "STRING",
    "TRUE",
    "TRUE_VALUE",
    "UNBOUNDED",
    "ArrayFacts",
    "Facts",
    "ObjectFacts",
    "Op",
    "keyword_of",
]

TRUE = 0
FALSE = 1

# Kinds of values, as bits; each truth value is one of its own.
NULL = 1
FALSE_VALUE = 2
TRUE_VALUE = 4
NUMBER = 8
STRING = 16
ARRAY = 32
OBJECT = 64
BOOLEAN = FALSE_VALUE | TRUE_VALUE
ALL_KINDS = 127

UNBOUNDED = 1 << 62  # a position that no array has


class Op:
    """The ways in which a schema applies others to the same value."""

    REF = "ref"  # a literal
    ALL = "all"  # literals
    ANY = "any"  # literals
    ONE = "one"  # literals
    NOT = "not"  # a literal
    IF = "if"  # three literals: if, then, else
    CONSTS = "consts"  # literals, of which one holds if the value is an array or an object
    BASE = "base"  # where what is said of members stands among the rest
    DEPENDENT = "dependent"  # a name and a literal
    REQUIRED = "required"  # a name and the names that it asks for


_KEYWORDS = {
    Op.REF: "$ref",
    Op.ALL: "allOf",
    Op.ANY: "anyOf",
    Op.ONE: "oneOf",
    Op.NOT: "not",
    Op.IF: "if",
    Op.CONSTS: "enum",
    Op.BASE: "properties",
    Op.DEPENDENT: "dependentSchemas",
    Op.REQUIRED: "dependentRequired",
}


def keyword_of(op: tuple[Any, ...]) -> str:
    """Return the keyword that applies schemas in this way."""
    return _KEYWORDS[op[0]]


class ObjectFacts:
    """What a schema says of the members of objects.

    Attributes:
        props: Literals by name.
        patterns: Sets of names, each with a literal; None for a set that cannot be had.
        additional: The literal for all other names.
        evaluates: Whether it was said, so that it evaluates all names.
        names: The literal for the names themselves.
        required: Names that must be there.
        low, high: How many members there may be.
    """

    __slots__ = ("additional", "evaluates", "high", "low", "names", "patterns", "props", "required")

    def __init__(self) -> None:
        self.props: dict[str, int] = {}
        self.patterns: list[tuple[StringSet | None, int]] = []
        self.additional = TRUE
        self.evaluates = False
        self.names = TRUE
        self.required: list[str] = []
        self.low = 0
        self.high: int | None = None


class ArrayFacts:
    """What a schema says of the items of arrays.

    Attributes:
        prefix: Literals of the first items.
        rest: The literal of all others.
        evaluates: Whether ``rest`` was said, so that it evaluates all items.
        low, high: How many items there may be.
        unique: Whether no two items are equal.
        contains: The literal that some items must satisfy; None if nothing is said.
        marks: Whether ``contains`` evaluates the items that satisfy it.
        least, most: How many items must and may satisfy it.
    """

    __slots__ = (
        "contains",
        "evaluates",
        "high",
        "least",
        "low",
        "marks",
        "most",
        "prefix",
        "rest",
        "unique",
    )

    def __init__(self) -> None:
        self.prefix: list[int] = []
        self.rest = TRUE
        self.evaluates = False
        self.low = 0
        self.high: int | None = None
        self.unique = False
        self.contains: int | None = None
        self.marks = True
        self.least = 1
        self.most: int | None = None

    @property
    def plain(self) -> tuple[object, ...] | None:
        """All that is said, where it is the same of each item; else None."""
        if self.prefix or self.contains is not None:
            return None
        return self.rest, self.evaluates, self.low, self.high, self.unique


class Facts:
    """All that a schema says.

    Attributes:
        kinds: The kinds of values it allows.
        number, string: The numbers and strings it allows by keywords of its own; None: all.
        loose: Whether ``string`` allows more than the schema: a part of it was left out.
        objects, arrays: What it says of them; None: nothing.
        ops: The schemas it applies to the same value, as tuples that begin with an ``Op``.
        rest_members, rest_items: Literals of ``unevaluatedProperties`` and ``unevaluatedItems``.
        alias: Literals that together say the same as the schema; None: it is on its own.
    """

    __slots__ = (
        "alias",
        "arrays",
        "kinds",
        "loose",
        "number",
        "objects",
        "ops",
        "rest_items",
        "rest_members",
        "string",
    )

    def __init__(self) -> None:
        self.kinds = ALL_KINDS
        self.number: NumberSet | Numerals | None = None
        self.string: StringSet | None = None
        self.loose = False
        self.objects: ObjectFacts | None = None
        self.arrays: ArrayFacts | None = None
        self.ops: list[tuple[Any, ...]] = []
        self.rest_members: int | None = None
        self.rest_items: int | None = None
        self.alias: tuple[int, ...] | None = None
