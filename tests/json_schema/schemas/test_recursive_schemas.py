"""Definitions that refer to each other, plain and not, against jsonschema.

What is plain is written natively, the rest by the general writer, and each comes back to the other
for what it meets: most often so where definitions are recursive.
"""

from __future__ import annotations

import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint

NAMES = ("a", "b", "t")
DEFINED = ("x", "y", "z")

SETTINGS = hypothesis.settings(
    max_examples=150, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)

references = st.sampled_from(DEFINED).map(lambda name: {"$ref": f"#/$defs/{name}"})
scalars = st.one_of(
    st.lists(st.sampled_from([None, True, "", "a", 1]), min_size=1, max_size=3, unique_by=repr).map(
        lambda values: {"enum": values}
    ),
    st.sampled_from([{"type": "string", "maxLength": 1}, {"type": "integer"}, {"const": "a"}, {}]),
)


def maybe(key: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a keyword, or none."""
    return st.one_of(st.just({}), values.map(lambda value: {key: value}))


def merged(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return what all parts say."""
    return st.tuples(*parts).map(lambda all_of: {k: v for one in all_of for k, v in one.items()})


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of objects."""
    names = st.lists(st.sampled_from(NAMES), unique=True, max_size=2)
    return merged(
        maybe("type", st.just("object")),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(
            lambda members: {"properties": members}
        ),
        maybe("required", names),
        maybe("additionalProperties", st.one_of(st.just(False), inner)),
    )


def arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of arrays."""
    return merged(
        maybe("type", st.just("array")),
        maybe("items", inner),
        maybe("prefixItems", st.lists(inner, min_size=1, max_size=1)),
        maybe("minItems", st.integers(0, 2)),
        maybe("maxItems", st.integers(1, 2)),
        maybe("uniqueItems", st.just(True)),
    )


def inner_schemas(depth: int) -> st.SearchStrategy[Any]:
    """Return schemas of members and items, which may refer to any definition."""
    if depth == 0:
        return st.one_of(references, references, scalars)
    inner = inner_schemas(depth - 1)
    return st.one_of(references, references, scalars, objects(inner), arrays(inner))


def outer_schemas(later: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas whose references, outside members and items, lead to later definitions."""
    parts = [
        scalars,
        objects(inner_schemas(1)),
        objects(inner_schemas(0)),
        arrays(inner_schemas(1)),
    ]
    if later:
        parts.append(st.sampled_from(later).map(lambda name: {"$ref": f"#/$defs/{name}"}))
    branches = st.lists(st.one_of(parts), min_size=1, max_size=3)
    combined = st.tuples(st.sampled_from(["anyOf", "anyOf", "oneOf", "allOf"]), branches)
    return st.one_of(parts[1], parts[3], *2 * [combined.map(lambda pair: {pair[0]: pair[1]})])


definitions = st.fixed_dictionaries(
    {name: outer_schemas(DEFINED[at + 1 :]) for at, name in enumerate(DEFINED)}
)


@st.composite
def near_values(draw: st.DrawFn, schema: Any, defined: dict[str, Any], depth: int) -> Any:
    """Return values that are often valid."""
    again = lambda part: draw(near_values(part, defined, depth - 1))  # noqa: E731
    if "$ref" in schema:
        return draw(near_values(defined[schema["$ref"][-1]], defined, depth))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return draw(near_values(draw(st.sampled_from(schema[keyword])), defined, depth))
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if "properties" in schema and depth > 0:
        asked = schema.get("required", [])
        members = {
            name: again(part)
            for name, part in schema["properties"].items()
            if name in asked or draw(st.booleans())
        }
        return dict(draw(st.permutations([*members.items()]))) | {
            name: draw(st.sampled_from([None, "a"])) for name in asked if name not in members
        }
    if {"items", "prefixItems", "uniqueItems"} & schema.keys() and depth > 0:
        size = draw(st.integers(schema.get("minItems", 0), 2))
        first = schema.get("prefixItems", [])
        return [again((first + [schema.get("items", {})] * size)[at]) for at in range(size)]
    return draw(st.sampled_from([None, True, "", "a", 1, {}, [], {"a": "a"}, ["a"]]))


TOPS = {
    "the definition": {"$ref": "#/$defs/x"},
    "a list": {"type": "array", "items": {"$ref": "#/$defs/x"}, "uniqueItems": True},
}

# Two that were taken for empty: a schema that is not plain after all was defined by itself; a
# rule that stands for another was looked at before that one's texts were known, and not again.
MET_WITHIN: dict[str, Any] = {
    "x": {"anyOf": [{"type": "object", "properties": {"b": {"$ref": "#/$defs/z"}}},
                    {"type": "array", "uniqueItems": True}]},
    "z": {"anyOf": [{"properties": {"b": {"$ref": "#/$defs/x"}}},
                    {"properties": {"b": {"$ref": "#/$defs/x"}, "t": {}}}]},
}  # fmt: skip
STANDS_FOR: dict[str, Any] = {
    "x": {"anyOf": [{"type": "object", "required": ["b"],
                     "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/z"}}}]},
    "z": {"anyOf": [{"type": "object", "properties": {
        "a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/z"}}}, {"enum": [True]}]},
}  # fmt: skip


def check(schema: dict[str, Any], values: list[Any], vocabulary: formgate.Vocabulary) -> int:
    """Return how many values are accepted, as jsonschema does; of refused schemas none are."""
    judge = jsonschema.Draft202012Validator(schema)
    valid = [judge.is_valid(value) for value in values]
    try:
        engine = formgate.compile(schema, vocabulary, property_order="any")
    except EmptyLanguageError:
        assert not any(valid)
        return 0
    except (UnsupportedConstraint, LimitError):
        return 0
    for value, right in zip(values, valid, strict=True):
        assert engine.accepts(json.dumps(value)) is right, value
    return sum(valid)


@pytest.mark.parametrize("top", TOPS)
@SETTINGS
@hypothesis.given(defined=definitions, data=st.data())
def test_values_are_decided_as_jsonschema_does(
    byte_vocabulary: formgate.Vocabulary, top: str, *, defined: dict[str, Any], data: st.DataObject
) -> None:
    near = near_values(TOPS[top] | {"minItems": 1}, defined, 5)
    check(TOPS[top] | {"$defs": defined}, [data.draw(near) for _ in range(8)], byte_vocabulary)


@pytest.mark.parametrize(
    ("defined", "value"),
    [
        (MET_WITHIN, []),
        (MET_WITHIN, {"b": {"b": [], "t": None}}),
        (MET_WITHIN, {"b": {"b": {"b": 1}}}),
        (STANDS_FOR, {"b": {"a": {"b": True}}}),
        (STANDS_FOR, {"b": {"b": {"a": {"b": {}}}}}),
    ],
)
@pytest.mark.parametrize("top", TOPS)
def test_values_of_schemas_met_within_themselves(
    byte_vocabulary: formgate.Vocabulary, top: str, defined: dict[str, Any], value: Any
) -> None:
    schema = TOPS[top] | {"$defs": defined}
    assert check(schema, [[value] if top == "a list" else value], byte_vocabulary) == 1
