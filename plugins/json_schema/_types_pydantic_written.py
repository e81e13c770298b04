"""Small schemas that those of pydantic's types are made of."""

from __future__ import annotations

from typing import Any

from formgate.plugins.json_schema._drafts import UNENFORCED
from formgate.plugins.json_schema._types_pydantic_texts import whole

__all__ = ["NEVER", "Written", "also", "matching", "never", "strings", "unenforced", "unlike"]

Written = dict[str, Any]

NEVER: Written = {"not": {}}


def never() -> Written:
    """Return the schema of no value."""
    return dict(NEVER)


def unenforced(reason: str, schema: Written) -> Written:
    """Return a schema with a note of what it leaves out."""
    return {**schema, UNENFORCED: reason}


def unlike(schema: Written, *names: str) -> Written:
    """Return a schema without some keywords."""
    return {name: part for name, part in schema.items() if name not in names}


def strings(patterns: list[str], **keywords: str) -> Written:
    """Return the schema of strings that match all of some patterns."""
    return also({"type": "string", **keywords}, patterns)


def also(schema: Written, patterns: list[str]) -> Written:
    """Return a schema with further patterns."""
    if not patterns:
        return schema
    first, *others = patterns if "pattern" not in schema else (schema["pattern"], *patterns)
    found = {**schema, "pattern": first}
    return {**found, "allOf": [{"pattern": other} for other in others]} if others else found


def matching(*ways: str) -> Written:
    """Return the keyword of texts that one of some expressions matches."""
    return {"pattern": whole(*ways)}
