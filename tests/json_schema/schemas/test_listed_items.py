"""Lists without repetition of arrays and objects that an enum lists, under other keywords, too."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.plugins.json_schema import Validator

if TYPE_CHECKING:
    from collections.abc import Iterator

JUDGE = jsonschema.Draft202012Validator


def agrees(schema: dict[str, Any], values: list[Any], vocabulary: formgate.Vocabulary) -> None:
    """Check a schema's verdicts on some values against the jsonschema package's."""
    judge = JUDGE(schema)
    right = [value for value in values if judge.is_valid(value)]
    try:
        engine = formgate.compile(schema, vocabulary)
    except EmptyLanguageError:
        assert right == []
        return
    accepted = [value for value in values if engine.accepts(json.dumps(value))]
    assert accepted == right, schema


def nested(depth: int, *, array: bool) -> tuple[Any, dict[str, Any]]:
    """Return a value so deep, and keywords that do not hold for what is innermost in it."""
    value: Any = 1
    keywords: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        if array:
            value, keywords = [value], {"items": keywords}
        else:
            value, keywords = {"a": value}, {"properties": {"a": keywords}}
    return value, keywords


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"enum": [["a", "b"], ["a"]], "contains": {"const": "b"}}}, [["a"]]),
        ({"items": {"enum": [[1, 1], 2], "uniqueItems": True}}, [[1, 1]]),
        ({"items": {"enum": [[1], 2], "not": {"items": {"type": "integer"}}}}, [[1]]),
        (
            {
                "items": {
                    "enum": [{"a": [1]}],
                    "properties": {"a": {"contains": {"type": "object"}}},
                }
            },
            [{"a": [1]}],
        ),
        (
            {"items": {"enum": [[1], ["a"]]}, "contains": {"items": {"type": "integer"}}},
            [[1], [1]],
        ),
        ({"items": {"enum": [[1, 2], [2]]}, "contains": {"contains": {"const": 1}}}, [[2]]),
    ],
)
def test_other_keywords_hold_for_listed_items(
    byte_vocabulary: formgate.Vocabulary, schema: dict[str, Any], value: Any
) -> None:
    whole = {"type": "array", "uniqueItems": True, **schema}
    assert not JUDGE(whole).is_valid(value)
    assert not Validator(whole).is_valid(value)
    agrees(whole, [value, []], byte_vocabulary)


def test_listed_items_are_in_one_branch_only(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {
        "type": "array",
        "oneOf": [
            {"items": {"enum": [{"a": [1]}]}},
            {
                "uniqueItems": True,
                "items": {"enum": [[1]]},
                "contains": {"items": {"type": ["integer"]}},
            },
        ],
    }
    agrees(schema, [[[1]], [[1], [1]], [{"a": [1]}], []], byte_vocabulary)


@pytest.mark.parametrize("array", [True, False])
@pytest.mark.parametrize("depth", [1, 5, 6, 7, 8, 20])
def test_deep_items(byte_vocabulary: formgate.Vocabulary, depth: int, array: bool) -> None:
    value, keywords = nested(depth, array=array)
    schema = {"type": "array", "uniqueItems": True, "items": {"enum": [value, 5], **keywords}}
    agrees(schema, [[value], [5], [5, 5], []], byte_vocabulary)


VALUES: list[Any] = [1, "a", [1], [2], ["a"], [1, 1], [1, 2], [[1]], {"a": 1}, {"a": [1]}, {}]


def keywords() -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of schemas that tell some of the values from others."""
    simple = st.sampled_from(
        [
            {"type": "integer"},
            {"type": "string"},
            {"type": "array"},
            {"type": "object"},
            {"const": 1},
            {"const": [1]},
            {"enum": [[1], {"a": [1]}, "a"]},
            {"uniqueItems": True},
            {"minItems": 2},
        ]
    )

    def around(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        return st.one_of(
            inner.map(lambda one: {"items": one}),
            inner.map(lambda one: {"contains": one}),
            inner.map(lambda one: {"contains": one, "minContains": 0, "maxContains": 1}),
            inner.map(lambda one: {"properties": {"a": one}}),
            inner.map(lambda one: {"not": one}),
            st.tuples(inner, inner).map(lambda two: {"anyOf": list(two)}),
            st.tuples(inner, inner).map(lambda two: {"oneOf": list(two)}),
        )

    return st.recursive(simple, around, max_leaves=4)


def lists() -> Iterator[list[Any]]:
    """Yield lists of the values: all of up to one, and some of two."""
    yield []
    for value in VALUES:
        yield [value]
        yield [value, value]
    for one, other in itertools.pairwise(VALUES):
        yield [one, other]
        yield [other, one]


@given(
    listed=st.lists(st.sampled_from(VALUES), min_size=1, max_size=5),
    also=keywords(),
    counted=st.none() | keywords(),
    most=st.none() | st.integers(1, 2),
)
def test_random_listed_items(
    byte_vocabulary: formgate.Vocabulary,
    listed: list[Any],
    also: dict[str, Any],
    counted: dict[str, Any] | None,
    most: int | None,
) -> None:
    schema: dict[str, Any] = {
        "type": "array",
        "uniqueItems": True,
        "items": {"enum": listed, "allOf": [also]},
    }
    if counted is not None:
        schema["contains"] = counted
        if most is not None:
            schema["maxContains"] = most
    try:
        agrees(schema, list(lists()), byte_vocabulary)
    except UnsupportedConstraint:
        reject()


@pytest.mark.parametrize("wrapped", [False, True])
def test_long_lists_of_listed_items(byte_vocabulary: formgate.Vocabulary, wrapped: bool) -> None:
    listed = [{"a": [number]} if wrapped else [number, str(number)] for number in range(1500)]
    schema = {"type": "array", "uniqueItems": True, "items": {"enum": listed}}
    values = [[listed[0], listed[1499]], [listed[7], listed[7]], [[1500, "1500"]], [listed[3]]]
    agrees(schema, values, byte_vocabulary)
