"""Parts of schemas that no value reaches: errors in them, and room where there is none."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from compiled import byte_vocabulary
from two_writers import both_ways, compare

import formgate

REFERRING = {"type": "string", "pattern": r"(a)\1"}  # no expression for it
ITSELF = {"anyOf": [{"$ref": "#/$defs/y"}, {"type": "null"}]}
HOLDING = {
    "type": "object",
    "properties": {"a": REFERRING, "more": {"$ref": "#/$defs/y"}},
    "patternProperties": {"^b": {"$ref": "#/$defs/y"}},
}
WRONG: tuple[Any, ...] = (
    REFERRING,
    {"$ref": "#/$defs/nowhere"},
    {"pattern": "("},
    {"multipleOf": [1]},
    {"$ref": "#/$defs/y"},
    7,
)


def beside(wrong: Any) -> list[dict[str, Any]]:
    """Return schemas in which a wrong one does not matter, or where it is told as it ever was."""
    tag = {"properties": {"t": {"const": "x"}}, "required": ["t"]}
    other = {"properties": {"a": wrong, "b": False, "t": {"const": "y"}}, "required": ["t", "b"]}
    return [
        {"anyOf": [{}, {"type": "object", "properties": {"a": wrong}}]},
        {"anyOf": [{"type": "object"}, {"type": "object", "properties": {"a": wrong}}]},
        {"anyOf": [{"type": "array"}, {"type": "array", "items": wrong}]},
        {"anyOf": [{"type": ["array", "null"]}, {"type": ["array", "null"], "items": wrong}]},
        {"properties": {"a": wrong}, "allOf": [{"properties": {"a": False}}]},
        {"oneOf": [{"type": "object", **tag}, {"type": "object", **other}]},
        {"allOf": [{"additionalProperties": False}, {"properties": {"t": wrong}}]},
        {"properties": {"t": wrong}, "allOf": [{"additionalProperties": False}]},
        {
            "allOf": [
                {"additionalProperties": False},
                {"properties": {"t": {}}},
                {"required": ["t"]},
            ]
        },
        {
            "properties": {"p": {"anyOf": [{}, {"type": "object", "properties": {"a": wrong}}]}},
            "patternProperties": {"^q": {"type": "object", "properties": {"a": {"type": "null"}}}},
        },
        {
            "anyOf": [
                {"type": "object"},
                {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, wrong]}}},
            ]
        },
        {
            "anyOf": [
                {"type": "object"},
                {
                    "type": "object",
                    "properties": {
                        "a": {
                            "oneOf": [
                                {"type": "null"},
                                {"type": "object", "minProperties": 1, "properties": {"b": wrong}},
                            ]
                        }
                    },
                },
            ]
        },
        {
            "type": "object",
            "properties": {"t": {"const": "x"}},
            "anyOf": [{"properties": {"a": wrong}, "required": ["a"]}, {"required": []}],
        },
    ]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
@pytest.mark.parametrize("place", range(13))
@pytest.mark.parametrize("itself", [ITSELF, HOLDING], ids=["itself", "holding"])
def test_written_natively_and_not(wrong: Any, place: int, itself: dict[str, Any]) -> None:
    schema = {**beside(wrong)[place], "$defs": {"y": itself}}
    found, expected = both_ways(schema, {})
    compare(found, expected, random.Random(0))


@pytest.mark.parametrize("wrong", WRONG, ids=str)
@pytest.mark.parametrize("itself", [ITSELF, HOLDING], ids=["itself", "holding"])
def test_in_an_object_without_a_value_only_what_is_no_schema_is_told(
    wrong: Any, itself: dict[str, Any]
) -> None:
    schema = {
        "type": ["object", "null"],
        "properties": {"a": wrong, "t": {"const": "x"}},
        "allOf": [{"properties": {"t": {"const": "y"}}, "required": ["t"]}],
        "$defs": {"y": itself},
    }
    found, expected = both_ways(schema, {})
    if wrong == {"multipleOf": [1]}:
        assert found[1].startswith("#/properties/a/multipleOf: this is no JSON Schema")
    else:
        compare(found, expected, random.Random(0))


def test_nothing_is_told_that_does_not_matter() -> None:
    """Where errors are told and left out, no alternative is that another one has all values of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for schema in beside(REFERRING)[:5]:
            formgate.compile(
                schema, byte_vocabulary(), format="json_schema", on_unsupported="relax"
            )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "maxItems": 0},
        {"const": []},
        {"enum": [[], [[]]]},
        {"type": "array", "items": False},
        {"type": "array", "prefixItems": [False]},
        {"oneOf": [{"items": {"type": "number"}, "minItems": 1}, {"items": {"enum": [{}]}}]},
        {"type": "array", "uniqueItems": True, "maxItems": 0},
        {"type": "array", "contains": {"type": "null"}, "minContains": 0, "maxItems": 0},
    ],
    ids=str,
)
def test_an_array_without_items_has_one_line_break(schema: dict[str, Any]) -> None:
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts("[]")
    assert engine.accepts("[\n]")
    assert engine.accepts("[" + " " * 64 + "\r\n" + " " * 64 + "]")
    for text in ("[\n\n]", "[\r\n\r\n]", "[\n \n]", "[" + " " * 65 + "]"):
        assert not engine.accepts(text), text
    tight = formgate.compile(schema, byte_vocabulary(), format="json_schema", max_blanks=0)
    assert tight.accepts("[\n]")
    assert not tight.accepts("[\n\n]")
    compact = {"whitespace": "compact"}
    assert formgate.compile(schema, byte_vocabulary(), format="json_schema", **compact).accepts(
        "[]"
    )


@pytest.mark.parametrize("wrong", [one for one in WRONG if one != 7], ids=str)
def test_what_did_not_matter_in_one_place_matters_in_another(wrong: Any) -> None:
    holds = {"type": "object", "properties": {"b": {"type": "null"}, "c": wrong}}
    schemas = [
        {
            "properties": {"a": {"properties": {}}},
            "allOf": [{"properties": {"a": {"properties": {"b": {"type": "null"}, "c": wrong}}}}],
        },
        {"properties": {"p": {"anyOf": [{"type": "object"}, holds]}, "q": holds}},
        {
            "properties": {
                "p": {"anyOf": [{"type": "object"}, {"$ref": "#/$defs/h"}]},
                "q": {"$ref": "#/$defs/h"},
            },
        },
    ]
    for schema in schemas:
        whole = {"type": "object", **schema, "$defs": {"y": ITSELF, "h": holds}}
        found, expected = both_ways(whole, {})
        assert not isinstance(found, formgate.Engine)
        compare(found, expected, random.Random(0), told=False)


@pytest.mark.parametrize("wrong", [ITSELF, REFERRING, {"$ref": "#/$defs/nowhere"}], ids=str)
@pytest.mark.parametrize("first", [True, False])
def test_members_beside_one_that_must_be_there_and_cannot(wrong: Any, first: bool) -> None:
    members = {"a": {"$ref": "#/$defs/y"}, "b": False}
    order = ("a", "b") if first else ("b", "a")
    schema = {"properties": {name: members[name] for name in order}, "required": ["b"]}
    for more in ({}, {"additionalProperties": {"$ref": "#/$defs/y"}}):
        found, expected = both_ways({**schema, **more, "$defs": {"y": wrong}}, {})
        compare(found, expected, random.Random(0), told=False)


@pytest.mark.parametrize("wrong", [one for one in WRONG if one != 7], ids=str)
@pytest.mark.parametrize("way", ["me", "list", "nested"])
def test_what_holds_itself_and_an_error(wrong: Any, way: str) -> None:
    me: Any = {"$ref": "#/$defs/h"}
    if way != "me":
        me = {"type": "array", "items": me}
    holds = {"type": "object", "properties": {"me": me, "c": wrong}}
    inner = {"properties": {"a": {"properties": {}}}, "allOf": [{"properties": {"a": me}}]}
    either: Any = {"anyOf": [{"type": "object"}, {"$ref": "#/$defs/h"}]}
    if way == "nested":
        either = {"anyOf": [{"type": "object"}, inner]}
    defs = {"y": ITSELF, "h": holds}
    for more in ({"$ref": "#/$defs/h"}, {"$ref": "#/$defs/h/properties/me"}):
        for members in ({"p": either}, {"p": either, "q": more}):
            whole = {"type": "object", "properties": members, "$defs": defs}
            found, expected = both_ways(whole, {})
            assert isinstance(found, formgate.Engine) == ("q" not in members)
            compare(found, expected, random.Random(0), told=False)
            assert "not defined" not in str(found)
