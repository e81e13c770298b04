"""Objects with patterns of names: written natively where the patterns share none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from compiled import byte_vocabulary
from two_writers import both_ways, compare

import formgate
from formgate.core.compiler import build_grammar
from formgate.plugins.json_schema import _plain

STRING: dict[str, Any] = {"type": "string"}
NATIVE: list[dict[str, Any]] = [
    {"patternProperties": {"^.+$": STRING}, "additionalProperties": False},
    {"patternProperties": {"^x-": {}}, "properties": {"a": STRING, "x-b": {"type": "null"}}},
    {"patternProperties": {"^a": STRING, "^b": False}, "required": ["c", "a1"]},
    {"patternProperties": {"": STRING}, "properties": {"a": {"minLength": 2}}, "required": ["z"]},
    {"patternProperties": {"^a": STRING}, "additionalProperties": {"type": "null"}},
    {"patternProperties": {"^(?!a)": STRING}, "properties": {"ab": True}},
]


@pytest.mark.parametrize("options", [{}, {"property_order": "any"}], ids=str)
@pytest.mark.parametrize("schema", NATIVE, ids=str)
def test_patterns_are_written_natively_and_alike(
    schema: dict[str, Any], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {"type": "array", "items": {"type": "object", **schema}}
    with monkeypatch.context() as patched:
        patched.setattr(_plain.PlainWriter, "other", None)  # nobody is asked
        patched.setattr(_plain.PlainWriter, "body", None)
        build_grammar(whole, format="json_schema", **options)
    for seed in range(4):
        compare(*both_ways(whole, options), random.Random(seed))


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^a": STRING, "b$": {"minLength": 1}}},  # ab is of both
        {"patternProperties": {"^(a|b)$": STRING}, "properties": {"b": {}, "c": {}}},  # two names
        {"patternProperties": {"$^x": STRING}},  # none
        {"patternProperties": {r"(a)\1": STRING}},
        {"patternProperties": {"^a": 7}},
        {"patternProperties": {"^a": False}, "required": ["a"]},
        {"patternProperties": {"^a": STRING}, "additionalProperties": False, "required": ["b"]},
        {"patternProperties": {"^a": {"type": "null"}}, "properties": {"ab": STRING}},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_patterns_are_written_alike(schema: dict[str, Any]) -> None:
    for options in ({}, {"property_order": "any"}, {"on_unsupported": "relax"}):
        found, expected = both_ways({"type": "object", **schema}, options)
        compare(found, expected, random.Random(3), told=False)


@pytest.mark.parametrize("name", [7, None, ("a",), "\ud800"])
@pytest.mark.parametrize("place", ["properties", "patternProperties"])
def test_names_that_are_no_text(name: Any, place: str) -> None:
    schema = {"type": "object", "patternProperties": {"^x": {}}, "properties": {"a": {}}}
    schema[place] = {**schema[place], name: {}}  # type: ignore[dict-item]
    found, expected = both_ways(schema, {})
    assert isinstance(found, formgate.Engine) == isinstance(name, str)
    compare(found, expected, random.Random(4))


def test_names_that_a_pattern_matches() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "patternProperties": {"^x-": STRING, "^[0-9]+$": {"type": "null"}},
        "additionalProperties": False,
        "required": ["x-a"],
    }
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema", property_order="any")
    for value, right in (
        ({"x-a": ""}, True),
        ({"x-a": "", "12": None, "x-": "y", "n": 1}, True),
        ({"12": None}, False),
        ({"x-a": 1}, False),
        ({"x-a": "", "12": 0}, False),
        ({"x-a": "", "1a": None}, False),
    ):
        assert engine.accepts(json.dumps(value)) == right, value
