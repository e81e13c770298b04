"""Objects of which alternatives say more, beside what is said of them all: written natively."""

from __future__ import annotations

import random
from typing import Any

import pytest
from compiled import byte_vocabulary
from two_writers import both_ways, compare, reasoned

import formgate
from formgate.core.compiler import build_grammar
from formgate.plugins.json_schema import _plain

STRING: dict[str, Any] = {"type": "string"}
BASE: dict[str, Any] = {"type": "object", "properties": {"a": STRING, "b": {"type": "integer"}}}
OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {}}}
X: dict[str, Any] = {"properties": {"t": {"const": "x"}, "c": {"type": "null"}}, "required": ["t"]}
Y: dict[str, Any] = {"properties": {"d": STRING, "t": {"enum": ["y", "z"]}}, "required": ["t"]}
C: dict[str, Any] = {"properties": {"c": STRING}, "required": ["c"]}
C_SHORT: dict[str, Any] = {
    "properties": {"c": {"type": ["string", "null"], "maxLength": 2}},
    "required": ["c"],
}
NO_X: dict[str, Any] = {"not": {"enum": ["w", "x"]}}
T_OF_X_Y_Z = {"properties": {"t": {"enum": ["x", "y", "z"]}}, "required": ["t"]}
NATIVE = [
    {**BASE, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {**BASE, "anyOf": [{"required": ["b", "z"]}, {"required": ["a"]}], "required": ["y"]},
    {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], **BASE},
    {**BASE, "oneOf": [X, Y]},
    {"oneOf": [X, Y], **BASE},
    {"type": "object", "allOf": [BASE, {"oneOf": [X, Y]}, {"anyOf": [{"required": ["a"]}, X]}]},
    {**BASE, "oneOf": [X, {"anyOf": [Y, {**Y, "required": ["d", "t"]}]}]},
    {"type": "object", "allOf": [{"oneOf": [X, Y]}, {"anyOf": [BASE, {"required": ["c"]}]}]},
    {**BASE, "anyOf": [{"properties": {"a": {"minLength": 2}}}, {}, {"required": ["b"]}]},
    {"oneOf": [{"type": "object", **X}, {**Y, "type": ["object", "string"]}], "required": ["a"]},
    {**BASE, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {**BASE, "oneOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": False},
    {
        "type": "object",
        "oneOf": [{"required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}],
    },
    {**BASE, "oneOf": [C, {"properties": {"d": {"type": "null"}}, "required": ["d"]}, C_SHORT]},
    {**BASE, "anyOf": [{"oneOf": [C, {"required": ["a"]}]}, {"required": ["a", "b"]}, X]},
    {**BASE, "anyOf": [{"required": [name]} for name in "abcdef"]},
    {"type": "object", "allOf": [{"oneOf": [C, {"required": ["b"]}]}, BASE, {"required": ["a"]}]},
    {**BASE, "not": {"required": ["a"]}},
    {"not": {"properties": {"z": {"type": "null"}}}, **BASE},
    {"type": ["object", "string"], "not": {**X, "properties": {"t": {"enum": ["x"]}}}},
    {"type": ["object", "string"], "not": {"type": "object", "required": ["a"]}},
    {**BASE, "oneOf": [X, Y, {"not": T_OF_X_Y_Z, "properties": {"e": {}}}]},
    {"oneOf": [{"type": "object", **X}, {"type": "object", "properties": {"t": NO_X}}]},
]


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of schemas that are not written natively, as they come."""
    found: list[Any] = []
    other = _plain.PlainWriter.other

    def noted(self: Any, schema: Any, *rest: Any) -> Any:
        found.append(schema)
        return other(self, schema, *rest)

    monkeypatch.setattr(_plain.PlainWriter, "other", noted)
    return found


@pytest.mark.parametrize("options", [{}, {"property_order": "any"}], ids=str)
@pytest.mark.parametrize("schema", NATIVE, ids=str)
def test_cases_are_written_natively_and_alike(
    schema: dict[str, Any], options: dict[str, Any], others: list[Any]
) -> None:
    for inner in (schema, {"type": "array", "items": schema}):
        build_grammar(inner, format="json_schema", **options)
        assert not [one for one in others if "anyOf" in one or "oneOf" in one]
    for seed in range(4):
        found, expected = both_ways(schema, options)
        compare(found, expected, random.Random(seed))


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], **BASE},
        {**BASE, "oneOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
        {**BASE, "oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"a": {}}}]},
        {"oneOf": [C, {"type": ["object", "null"], "required": ["a"]}]},
        {"properties": {"t": STRING}, "type": ["object", "null"], "oneOf": [X, Y]},
        {**BASE, "oneOf": [X, {"properties": {"t": STRING}}]},
        {**BASE, "anyOf": [{"properties": {"c": {}, "d": {}}}, {"properties": {"d": {}, "c": {}}}]},
        {**BASE, "anyOf": [*({"required": [name]} for name in "abcde"), {"required": ["a", "x"]}]},
    ],
    ids=str,
)
def test_what_may_overlap_is_written_by_the_automaton(
    schema: dict[str, Any], others: list[Any]
) -> None:
    build_grammar({"type": "array", "items": schema}, format="json_schema")
    assert schema in others
    for options in ({}, {"property_order": "any"}):
        found, expected = both_ways(schema, options)
        compare(found, expected, random.Random(1))


@pytest.mark.parametrize("options", [{}, {"property_order": "any"}], ids=str)
def test_parts_are_written_natively_in_the_order_of_the_document(
    options: dict[str, Any], others: list[Any]
) -> None:
    defs = {"p": BASE, "q": {"type": "object", "oneOf": [C, {"required": ["b"]}]}}
    for order in ("pq", "qp"):
        items = {"allOf": [{"$ref": f"#/$defs/{name}"} for name in order]}
        schema = {"type": "array", "items": items, "$defs": defs}
        others.clear()
        build_grammar(schema, format="json_schema", **options)
        assert others == ([items] if order == "qp" and not options else [])
        found, expected = both_ways(schema, options)
        compare(found, expected, random.Random(1))


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("order", ["pq", "qp"])
def test_parts_that_stand_in_alternatives_are_written_alike(keyword: str, order: str) -> None:
    parts: list[Any] = [{"$ref": f"#/$defs/{name}"} for name in order]
    defs = {
        "p": {"type": "object", "properties": {"a": {}}, "required": ["a"]},
        "q": {"type": "object", "properties": {"b": {}}, "required": ["b"]},
    }
    for more in ([], [{"not": {"required": ["c"]}}]):
        schema = {keyword: [{"allOf": [*more, *parts]}, {"type": "null"}], "$defs": defs}
        found, expected = both_ways(schema, {})
        for text in ('{"a": 1, "b": 1}', '{"b": 1, "a": 1}'):
            assert found.accepts(text) == expected.accepts(text)
        compare(found, expected, random.Random(2))


@pytest.mark.parametrize("native", [True, False])
def test_what_stands_between_alternatives_and_properties_comes_between(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not native:
        reasoned(monkeypatch)
    schema = {
        "type": "object",
        "oneOf": [X, Y],
        "allOf": [{"properties": {"q": {}}}],
        "properties": {"a": {}},
    }
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts('{"t": "x", "c": null, "q": 1, "a": 1}')
    assert not engine.accepts('{"t": "x", "c": null, "a": 1, "q": 1}')
    assert not engine.accepts('{"a": 1, "t": "x", "c": null, "q": 1}')


def test_not_a_member_of_some_value() -> None:
    schema = {
        **BASE,
        "not": {
            "properties": {
                "a": {"enum": ["x"]},
            },
            "required": ["a"],
        },
    }
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    for text in ("{}", '{"a": "y"}', '{"a": "xx", "b": 1}', '{"b": 1}'):
        assert engine.accepts(text)
    assert not engine.accepts('{"a": "x"}')
    assert not engine.accepts('{"a": "x", "b": 1}')


def test_exactly_one_of_some_requirements() -> None:
    schema = {**BASE, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts('{"a": "x"}')
    assert engine.accepts('{"b": 1}')
    assert not engine.accepts('{"a": "x", "b": 1}')
    assert not engine.accepts("{}")


@pytest.mark.parametrize("depth", [22, 23, 24, 25, 26, 30, 40])
@pytest.mark.parametrize("leaf", [{"type": "object"}, {"type": "array"}], ids=str)
def test_kinds_of_values_at_any_depth(leaf: dict[str, Any], depth: int) -> None:
    patterned = {
        "type": "object",
        "properties": {"b": leaf},
        "patternProperties": {"^x": {"type": "string"}, "x$": {"type": "string"}},
    }
    nests: list[Any] = [
        lambda inner: {"type": "array", "items": inner},
        lambda inner: {**OPEN, "allOf": [{"properties": {"a": inner}}]},
        lambda inner: {**OPEN, "oneOf": [{"required": ["z"], "properties": {"z": inner}}, C]},
    ]
    for nest in nests:
        schema: dict[str, Any] = patterned
        for _ in range(depth):
            schema = nest(schema)
        found, expected = both_ways(schema, {})
        assert isinstance(found, formgate.Engine)
        compare(found, expected, random.Random(depth))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "not": {"required": ["a"], "properties": []}},
        {"type": "object", "not": {"required": {}, "properties": {"a": {"type": "null"}}}},
        {
            **BASE,
            "not": {"$ref": "#/$defs/p"},
            "$defs": {"p": {"properties": [], "required": ["b"]}},
        },
        {
            "type": ["string", "object"],
            "anyOf": [
                {"properties": {"c": 7}, "type": "string"},
                {"type": "object", "required": ["z"]},
            ],
            "properties": {"z": {}},
        },
    ],
    ids=str,
)
def test_what_is_no_schema_is_told_in_cases(schema: dict[str, Any]) -> None:
    found, expected = both_ways(schema, {})
    assert found == expected
    assert found[0] is formgate.GrammarError
