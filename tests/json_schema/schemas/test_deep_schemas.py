"""Schemas that nest deep without recursion: deeper than expressions, by way of rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import formgate

if TYPE_CHECKING:
    from collections.abc import Callable

DEEP = 400


def items(inner: Any) -> Any:
    return {"items": inner}


def members(inner: Any) -> Any:
    return {"type": "object", "properties": {"a": inner, "b": {"pattern": "^x"}}}


def closed(inner: Any) -> Any:
    return {**members(inner), "required": ["a"], "additionalProperties": False}


def counted(inner: Any) -> Any:
    return {"type": "array", "items": inner, "contains": {"type": "array"}, "maxItems": 3}


@pytest.mark.parametrize("around", [items, members, closed, counted])
@pytest.mark.parametrize("order", ["schema", "any"])
def test_schemas_within_each_other(
    byte_vocabulary: formgate.Vocabulary, around: Callable[[Any], Any], order: str
) -> None:
    schema: Any = {"type": "array", "items": {"const": 1}}
    good: Any = [1]
    bad: Any = [2]
    for _ in range(DEEP):
        schema = around(schema)
        if around in (items, counted):
            good, bad = [good], [bad]
        else:
            good, bad = {"a": good}, {"a": bad}
    engine = formgate.compile(schema, byte_vocabulary, format="json_schema", property_order=order)
    assert engine.accepts(json.dumps(good))
    assert not engine.accepts(json.dumps(bad))


def test_definitions_that_share_the_next(byte_vocabulary: formgate.Vocabulary) -> None:
    definitions: dict[str, Any] = {
        f"d{i}": {"properties": {name: {"$ref": f"#/$defs/d{i + 1}"} for name in "ab"}}
        for i in range(DEEP)
    }
    definitions[f"d{DEEP}"] = {"const": 1}
    schema = {"$ref": "#/$defs/d0", "$defs": definitions}
    engine = formgate.compile(schema, byte_vocabulary, format="json_schema")

    def text(end: str) -> str:
        steps = ["ab"[i * 7 % 3 % 2] for i in range(DEEP)]
        return "".join(f'{{"{step}":' for step in steps) + end + "}" * DEEP

    assert engine.accepts(text("1"))
    assert not engine.accepts(text("2"))
    assert engine.accepts('{"a":{"b":[2]}}')
