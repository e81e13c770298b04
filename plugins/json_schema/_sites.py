"""Subschemas where they stand, and which of them are written in the same words."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING

from formgate.core._native import has_at_most

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.json_schema._facts import Facts
    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._values import Json

__all__ = ["Site"]

_MOST_SPELLED = 4_000_000  # bytes of words in all: those of schemas within schemas add up
_MOST_PARTS = 1_000_000  # of one schema
_DEEP = 20  # of schemas within each other that are looked at for references
_NOTES = frozenset(["title", "description", "default", "$comment", "examples"])
_CHOICES = frozenset(["anyOf", "oneOf"])
# Of other values than the one that the schema is about.
_WITHIN = frozenset(["properties", "required", "additionalProperties", "items", "prefixItems"])
_ORDERLESS = frozenset(
    [
        *("type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties"),
    ]
)
_ALIKE = _NOTES | _ORDERLESS
_HOLDERS = frozenset(["$defs", "definitions"])  # of schemas that may be many and not needed


class Site:
    """One subschema in one environment.

    Attributes:
        index: Its number; its literals are twice that, and one more.
        schema: What is written there; None for what no schema says as such.
        env: Where it stands.
        where: The way to it.
        facts: What it says, once it is read.
        first: The literal of the first one that is written in the same words, once it is looked up.
        whole: Whether it says the same at every place, as ``_says_the_same`` tells.
    """

    __slots__ = ("env", "facts", "first", "index", "schema", "where", "whole")

    def __init__(self, index: int, schema: Json, env: Env | None, where: Where) -> None:
        self.index = index
        self.schema = schema
        self.env = env
        self.where = where
        self.facts: Facts | None = None
        self.first: int | None = None
        self.whole = False

    def first_alike(self) -> int:
        """Return the literal of the first site asked this that is written in the same words.

        Only in one environment do the same words say the same. Its own literal, where that is not
        worth looking at or cannot be told.
        """
        own = self.index * 2
        env = self.env
        if env is None or env.spelled > _MOST_SPELLED or not _HOLDERS.isdisjoint(self.schema):
            return own
        schema = self.schema
        if not _NOTES.isdisjoint(schema):
            schema = {word: said for word, said in schema.items() if word not in _NOTES}
        if not has_at_most(schema, _MOST_PARTS):  # parts of Python's that stand in many places
            env.spelled += _MOST_SPELLED
            return own
        try:
            words = marshal.dumps(schema, 2)
        except ValueError:  # numbers that it does not know, or too deep
            return own
        env.spelled += len(words)
        if b"$dynamicRef" in words or b"$recursiveRef" in words:
            return own
        self.whole = b"$ref" not in words or _says_the_same(schema)
        return env.words.setdefault(words, own)


def _says_the_same(schema: Json, depth: int = 0) -> bool:
    """Say whether a schema says the same at every place where it stands.

    What a reference leads to stays where it is, while all else moves with the place. So members are
    ordered alike everywhere only if nothing else speaks of the members of the same value: beside a
    reference, in a branch of what holds together, or beside a choice of references.
    """
    if not isinstance(schema, dict) or schema.keys() <= _ALIKE:
        return True
    said = schema.keys() - _NOTES
    if "$ref" in said:
        return len(said) == 1
    said -= _ORDERLESS
    if depth > _DEEP or not (said <= _WITHIN or (len(said) == 1 and said <= _CHOICES)):
        return b"$ref" not in marshal.dumps(schema, 2)
    return all(
        _says_the_same(inner, depth + 1)
        for keyword in said
        for inner in _schemas_of(keyword, schema[keyword])
    )


def _schemas_of(keyword: str, said: Json) -> Iterable[Json]:
    """Return the schemas that a keyword holds."""
    if keyword == "properties" and isinstance(said, dict):
        return said.values()
    return said if isinstance(said, list) else (said,)
