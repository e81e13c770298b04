"""Schemas that no value is valid under: the error names the place and what excludes what."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError
from formgate.plugins.json_schema import _unsatisfiable

_SHORT = {"type": "string", "minLength": 3, "maxLength": 2}
_NEVER = [
    _SHORT,
    {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    {"type": "string", "pattern": "^a", "format": "date"},  # only the engine sees it
    {"enum": ["a"], "type": "null"},
    False,
]
_NOISE = {"title": "T", "description": "D", "maxLength": 40, "maximum": 1e9, "maxItems": 70}


def _error(schema: Any, **options: Any) -> EmptyLanguageError:
    vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(schema, vocabulary, format="json_schema", **options)
    return caught.value


@st.composite
def _wrapped(draw: st.DrawFn) -> tuple[Any, str]:
    """Schemas that ask for a value which cannot be, and the pointer of what lets none be valid."""
    schema: Any = draw(st.sampled_from(_NEVER))
    steps: list[str] = []
    for _ in range(draw(st.integers(0, 5))):
        if isinstance(schema, dict):
            names = draw(st.sets(st.sampled_from(sorted(_NOISE))))
            schema = {**{name: _NOISE[name] for name in names}, **schema}
        beside = draw(st.sampled_from([{}, {"type": "integer"}, {"enum": [1, 2]}]))
        match draw(st.sampled_from(["member", "item", "first", "all"])):
            case "member":
                name = draw(st.sampled_from(["a", "b/c", "~"]))
                schema = {
                    "type": "object",
                    "properties": {"z": beside, name: schema},
                    "required": draw(st.permutations(["z", name])),
                }
                steps[:0] = ["properties", name]
            case "item" if schema is not False:
                schema = {"type": "array", "items": schema, "minItems": draw(st.integers(1, 3))}
                steps[:0] = ["items"]
            case "first":
                schema = {"type": "array", "prefixItems": [beside, schema], "minItems": 2}
                steps[:0] = ["prefixItems", "1"]
            case _:
                schema = {"allOf": [{}, schema]}
                steps[:0] = ["allOf", "1"]
    way = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return schema, "#" + way


@settings(deadline=None)
@given(_wrapped())
def test_the_place_is_where_the_contradiction_is(given_: tuple[Any, str]) -> None:
    schema, place = given_
    assert _error(schema).reason.startswith(place + ": ")


@pytest.mark.parametrize(
    ("schema", "reason", "hint"),
    [
        (
            {
                "type": "object",
                "properties": {"x": {**_SHORT, "title": "X"}, "y": {"type": "null"}},
                "required": ["x", "y"],
                "additionalProperties": False,
            },
            "#/properties/x: no value satisfies type, minLength and maxLength together",
            "change what is said there, or do not ask for a value there as #/required does",
        ),
        (
            {"type": "object", "required": ["x"], "additionalProperties": False, "title": "T"},
            "#: no value satisfies type, required and additionalProperties together",
            "change what is said there",
        ),
        (
            {"allOf": [{"type": "integer", "minimum": 4}, {"maximum": 3}, {"multipleOf": 2}]},
            "#: no value satisfies allOf/0/type, allOf/0/minimum and allOf/1/maximum together",
            "change what is said there",
        ),
        (
            {"$defs": {"a": _SHORT, "b": {}}, "type": "array", "contains": {"$ref": "#/$defs/a"}},
            "#/$defs/a: no value satisfies type, minLength and maxLength together",
            "change what is said there, or do not ask for a value there as #/contains does",
        ),
        (
            {"anyOf": [_SHORT, {**_SHORT, "minLength": 4}], "title": "T"},
            (
                "#: no value satisfies anyOf/0/type, anyOf/0/minLength, anyOf/0/maxLength "
                "and 3 more together"
            ),
            "change what is said there",
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
            "#: each value would have another one within, without end",
            "change what is said there, or do not ask for a value there as #/required does",
        ),
        (
            {
                "allOf": [{"properties": {"a": {}}}],
                "type": "object",
                "required": ["b"],
                "unevaluatedProperties": False,
            },
            (
                "#: no value satisfies allOf/0/properties, type, required and "
                "unevaluatedProperties together"
            ),
            "change what is said there",
        ),
        ({"oneOf": [{}, {}]}, "#: no value is valid under oneOf", "change what is said there"),
        (False, "#: the schema false allows no value", "change what is said there"),
        (
            {"$id": "http://x/y", "$ref": "z", "$defs": {"q": {"$id": "z", "not": {}}}},
            "#: no value is valid under $ref",
            "change what is said there",
        ),
    ],
)
def test_reasons(schema: Any, reason: str, hint: str) -> None:
    error = _error(schema)
    assert error.reason == reason
    assert error.hint == hint
    assert str(error) == f"{reason}\nhint: {hint}"


def test_tools_are_named() -> None:
    parameters = {"type": "object", "properties": {"x": _SHORT}, "required": ["x"]}
    error = _error({"name": "book", "parameters": parameters})
    assert str(error) == (
        "tool 'book': #/properties/x: no value satisfies type, minLength and maxLength together\n"
        "hint: change what is said there, or do not ask for a value there as "
        "tool 'book': #/required does"
    )


def test_that_time_is_up_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """At any moment of the search: each look at the clock is the last before its end."""
    schema = {"type": "string", "pattern": "^a", "format": "date"}  # only the engine sees it
    for looks in range(12):
        clock = itertools.chain([0.0] * looks, itertools.repeat(_unsatisfiable._PATIENCE_S))
        monkeypatch.setattr(_unsatisfiable, "perf_counter", lambda clock=clock: next(clock))
        assert _error(schema).reason.startswith("#: ")


def test_large_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_unsatisfiable, "_PATIENCE_S", 1000.0)  # however slow the machine is
    names = [f"p{number}" for number in range(2_000)]
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names} | {"p77": _SHORT},
        "required": names,
    }
    assert _error(schema).reason.startswith("#/properties/p77: ")
    deep: Any = _SHORT
    for _ in range(60):
        deep = {"type": "array", "items": deep, "minItems": 1}
    assert _error(deep).reason.startswith("#/items/items/")


def test_the_schema_given_is_not_changed() -> None:
    schema = {"type": "array", "items": {**_SHORT, "title": "T"}, "minItems": 1, "maxItems": 4}
    kept = {**schema, "items": {**_SHORT, "title": "T"}}
    with pytest.raises(EmptyLanguageError):
        build_grammar(schema, format="json_schema")
    assert schema == kept
