"""Subschemas where they stand, and which of them are written in the same words."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formgate.plugins.json_schema._facts import Facts
    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._values import Json

__all__ = ["Site"]

_MOST_SPELLED = 4_000_000  # bytes of words in all: those of schemas within schemas add up
_NOTES = frozenset(["title", "description", "default", "$comment", "examples"])
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
        whole: Whether it says the same at every place. References may not: where what they lead to
            holds beside what is written here, the places of both order the members.
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
        try:
            words = marshal.dumps(self.schema, 2)
        except ValueError:  # numbers that it does not know, or too deep
            return own
        env.spelled += len(words)
        if b"$dynamicRef" in words or b"$recursiveRef" in words:
            return own
        references = words.count(b"$ref")
        self.whole = not references or _chooses(self.schema, references)
        return env.words.setdefault(words, own)


def _chooses(schema: dict[str, Json], references: int) -> bool:
    """Say whether a schema is a choice of references and of schemas without any.

    Args:
        schema: The schema.
        references: How often the word is in it.
    """
    keyword = "oneOf" if "oneOf" in schema else "anyOf"
    branches = schema.get(keyword)
    if not isinstance(branches, list) or not _NOTES.issuperset(schema.keys() - {keyword}):
        return False
    referring = [one for one in branches if isinstance(one, dict) and "$ref" in one]
    if not all(len(one) == 1 or _NOTES.issuperset(one.keys() - {"$ref"}) for one in referring):
        return False
    return references == len(referring) or all(
        b"$ref" not in marshal.dumps(one, 2)
        for one in branches
        if not (isinstance(one, dict) and "$ref" in one)
    )
