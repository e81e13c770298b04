"""Items and members of which some must be special: the order of their members.

What meets a condition is written in the order of all that it satisfies; ``Validator.ordered`` knows
which ones those are, so what it returns is accepted.
"""

from __future__ import annotations

import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from acceptor import Acceptor
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint

SETTINGS = hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
NAMES = ("a", "b", "ab", "c")


def agrees(schema: Any, value: Any, vocabulary: formgate.Vocabulary) -> None:
    """Hold a value, put in order, against the engine, and its validity against jsonschema."""
    try:
        engine = formgate.compile(schema, vocabulary, format="json_schema")
    except EmptyLanguageError:
        assert not jsonschema.Draft202012Validator(schema).is_valid(value)
        return
    except (UnsupportedConstraint, LimitError):
        return
    ordered = Acceptor(schema).ordered(value)
    if jsonschema.Draft202012Validator(schema).is_valid(value):
        assert ordered is not None
        assert ordered[0] == value
        assert engine.accepts(json.dumps(ordered[0]))
    else:
        assert ordered is None
        assert not engine.accepts(json.dumps(value))


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"contains": {"properties": {"ab": {}}}}, [{"": 1, "ab": 2}], [["ab", ""]]),
        ({"contains": {"required": ["c"]}}, [{"a": {}, "c": "z"}], [["c", "a"]]),
        (
            {"if": {}, "then": {"contains": {"properties": {"ab": True}}}},
            [{"b": [], "ab": False}],
            [["ab", "b"]],
        ),
        (
            {"contains": {"properties": {"ab": {"minimum": 1}}}, "minContains": 2},
            [{"": 100, "ab": 2}, ""],
            [["ab", ""], []],
        ),
        # Enough has come: others are in the order of the items themselves.
        (
            {
                "contains": {"properties": {"b": {}, "a": {}}},
                "minContains": 2,
                "items": {"properties": {"a": {}, "b": {}}},
            },
            [{"a": 1, "b": 1}] * 3,
            [["b", "a"], ["b", "a"], ["a", "b"]],
        ),
        (
            {"contains": {"properties": {"b": {"const": 1}}, "required": ["b"]}, "maxContains": 1},
            [{"a": 1, "b": 2}, {"a": 1, "b": 1}, {"a": 2}],
            [["b", "a"], ["b", "a"], ["a"]],
        ),
    ],
)
def test_items_that_meet_a_condition(
    byte_vocabulary: formgate.Vocabulary, schema: Any, value: Any, expected: list[list[str]]
) -> None:
    engine = formgate.compile(schema, byte_vocabulary, format="json_schema")
    ordered = Acceptor(schema).ordered(value)
    assert ordered is not None
    assert ordered[0] == value
    assert [list(item) for item in ordered[0]] == expected
    assert engine.accepts(json.dumps(ordered[0]))


def test_members_that_meet_a_condition(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {"not": {"additionalProperties": {"not": {"properties": {"b": {"const": 1}}}}}}
    agrees(schema, {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 1}}, byte_vocabulary)


simple = st.one_of(st.just({}), st.builds(lambda one: {"enum": one}, st.just([1, 2])))
members = st.dictionaries(st.sampled_from(NAMES), simple, max_size=3)
shapes = st.fixed_dictionaries(
    {},
    optional={
        "type": st.just("object"),
        "properties": members,
        "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    },
)
objects = st.lists(st.sampled_from(("", *NAMES)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: st.integers(1, 3) for name in names})
)
arrays = st.fixed_dictionaries(
    {"contains": shapes},
    optional={
        "items": shapes,
        "prefixItems": st.lists(shapes, min_size=1, max_size=2),
        "minContains": st.integers(0, 2),
        "maxContains": st.integers(0, 2),
        "maxItems": st.integers(1, 3),
    },
)
conditions = st.one_of(
    arrays,
    st.builds(lambda one, other: {"allOf": [one, other]}, arrays, arrays),
    st.builds(lambda one, other: {"if": one, "then": other}, arrays, arrays),
    st.builds(lambda one: {"not": one}, arrays),
    st.builds(lambda one: {"not": {"items": one}}, shapes),
)


@SETTINGS
@hypothesis.given(conditions, st.lists(st.lists(objects, max_size=4), min_size=1, max_size=4))
def test_lists_in_order_are_accepted(
    byte_vocabulary: formgate.Vocabulary, schema: Any, given: list[Any]
) -> None:
    for value in given:
        agrees(schema, value, byte_vocabulary)


@SETTINGS
@hypothesis.given(
    shapes,
    shapes,
    st.sampled_from(("additionalProperties", "patternProperties")),
    st.lists(st.dictionaries(st.sampled_from("xyab"), objects, max_size=3), max_size=4),
)
def test_objects_in_order_are_accepted(
    byte_vocabulary: formgate.Vocabulary, own: Any, denied: Any, keyword: str, given: list[Any]
) -> None:
    def part(shape: Any) -> Any:
        return {keyword: {"^[xa]": shape} if keyword == "patternProperties" else shape}

    schema = {"allOf": [part(own), {"not": part(denied)}]}
    for value in given:
        agrees(schema, value, byte_vocabulary)
