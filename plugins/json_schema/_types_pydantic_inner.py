r"""JSON inside a string: the expression of the texts of a small schema, where it is regular.

Numbers, truth values, null, strings without constraints, given values, and lists of such. All
others nest, or have members in any order.
"""

from __future__ import annotations

import json
import re
from typing import Any

from formgate.plugins.json_schema._types_pydantic_numbers import DECIMAL, INTEGER

__all__ = ["inner_json"]

_REMARKS = frozenset(["title", "description", "default", "examples", "deprecated"])
_SCALARS = {
    "integer": INTEGER[1:-1],
    "number": DECIMAL[1:-1],
    "boolean": "true|false",
    "null": "null",
    "string": r'"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt])*"',
}


def inner_json(schema: Any, depth: int = 4) -> str | None:
    """Return the expression of the JSON texts of a schema, without white space; None for others.

    Args:
        schema: The schema of the value.
        depth: How deep lists may stand in lists.
    """
    if not isinstance(schema, dict) or depth == 0:
        return None
    said = {name: part for name, part in schema.items() if name not in _REMARKS}
    if "const" in said or "enum" in said:
        return _given(said)
    kind = said.pop("type", None)
    if kind == "array" and said.keys() == {"items"}:
        item = inner_json(said["items"], depth - 1)
        return None if item is None else rf"\[(?:{item}(?:,{item})*)?\]"
    if said.keys() == {"anyOf"}:
        ways = [inner_json(way, depth) for way in said["anyOf"]]
        return None if None in ways else f"(?:{'|'.join(map(str, ways))})"
    if said or kind not in _SCALARS:
        return None
    return f"(?:{_SCALARS[kind]})"


def _given(said: dict[str, Any]) -> str | None:
    """Return the expression of scalars that are given."""
    values = said.get("enum", [said.get("const")])
    if any(isinstance(value, (dict, list, float)) for value in values):
        return None
    return f"(?:{'|'.join(_literal(json.dumps(value)) for value in values)})"


def _literal(text: str) -> str:
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", text)
