"""What is not allowed by keywords that depend on names, over all small objects."""

from __future__ import annotations

import itertools
import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

import formgate

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
OBJECTS = [
    dict(zip(names, values, strict=True))
    for count in range(4)
    for names in itertools.combinations("abc", count)
    for values in itertools.product([1, True, "x"], repeat=count)
]


def check(schema: Any) -> None:
    judge = jsonschema.Draft202012Validator(schema)
    for order in ("any", "schema"):
        try:
            engine = formgate.compile(schema, BYTES, format="json_schema", property_order=order)
        except formgate.EmptyLanguageError:
            assert not any(judge.is_valid(value) for value in OBJECTS)
            continue
        for value in OBJECTS:
            right = judge.is_valid(value)
            texts = map(json.dumps, map(dict, itertools.permutations(value.items())))
            found = [engine.accepts(text) for text in texts]
            assert (all(found) if order == "any" and right else any(found)) is right, (order, value)


TWO = {"b": {"properties": {"c": False}}, "a": {"properties": {"a": {"type": "boolean"}}}}


@pytest.mark.parametrize("dependents", [TWO, dict(reversed(TWO.items()))])
def test_two_names(dependents: dict[str, Any]) -> None:
    check({"type": "object", "not": {"dependentSchemas": dependents}})
    check({"oneOf": [{"required": ["a"]}, {"dependentSchemas": dependents}], "type": "object"})


_NAMES = st.sampled_from("abc")
_VALUES = st.sampled_from([True, False, {"type": "boolean"}, {"const": 1}, {"enum": ["x", True]}])
_PARTS = st.one_of(
    st.builds(lambda name, value: {"properties": {name: value}}, _NAMES, _VALUES),
    st.builds(lambda name: {"required": [name]}, _NAMES),
    st.builds(lambda most: {"maxProperties": most}, st.integers(0, 2)),
    st.builds(lambda least: {"minProperties": least}, st.integers(1, 2)),
)
_DEPENDENT = st.one_of(
    st.dictionaries(_NAMES, _PARTS, min_size=1, max_size=3).map(lambda d: {"dependentSchemas": d}),
    st.dictionaries(_NAMES, st.lists(_NAMES, max_size=2, unique=True), min_size=1, max_size=3).map(
        lambda d: {"dependentRequired": d}
    ),
    _PARTS,
)
_SCHEMAS = st.one_of(
    _DEPENDENT.map(lambda part: {"not": part}),
    st.lists(_DEPENDENT, min_size=2, max_size=3).map(lambda parts: {"oneOf": parts}),
    st.builds(lambda a, b: {**a, "not": b}, _DEPENDENT, _DEPENDENT),
    st.builds(lambda a, b, c: {"if": a, "then": b, "else": {"not": c}}, *[_DEPENDENT] * 3),
)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(_SCHEMAS)
def test_random_dependents(schema: dict[str, Any]) -> None:
    check({"type": "object", **schema})
