"""Branches of ``oneOf`` that overlap: each less the others, as conditions of one shape."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from agreeing import agree, agree_on_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formgate.plugins.json_schema import _products
from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._options import Options

NAMES = ("a", "b", "c")
VALUES = (1, "s", [1], ["s"], {"y": "s", "x": 1}, {})
OBJECTS = [
    dict(zip(chosen, values, strict=True))
    for count in range(len(NAMES) + 1)
    for chosen in itertools.combinations(NAMES, count)
    for values in itertools.product(VALUES, repeat=count)
    if count < 3 or values[0] not in (1, {})
]

_names = st.sampled_from(NAMES)
_integers = {"type": "array", "items": {"type": "integer"}}
_values = st.sampled_from(
    [
        True,
        False,
        {"type": "integer"},
        {"type": "string"},
        {"enum": ["s", [1]]},
        {"const": {}},
        {"type": ["array", "object"]},
        _integers,
        {"not": _integers},
        {"type": "object", "required": ["x"]},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"contains": {"type": "string"}},
        {"properties": {"x": False}},
        {"properties": {"y": {"type": "string"}, "x": {"type": "integer"}}},
        {"minItems": 1},
        {"$ref": "#/$defs/own"},
    ]
)
_branches = st.fixed_dictionaries(
    {},
    optional={
        "type": st.just("object"),
        "properties": st.dictionaries(_names, _values, max_size=3),
        "required": st.lists(_names, max_size=2, unique=True),
        "additionalProperties": st.sampled_from([True, False, {"type": "integer"}]),
        "patternProperties": st.dictionaries(st.sampled_from(["^[ab]", "[cd]"]), _values),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(1, 3),
        "propertyNames": st.just({"pattern": "^[ac]"}),
        "$ref": st.just("#/$defs/own"),
    },
)
# Most branches say what makes conditions, and nothing else.
_open = st.fixed_dictionaries(
    {"properties": st.dictionaries(_names, _values, min_size=1, max_size=3)},
    optional={"required": st.lists(_names, max_size=2, unique=True)},
)


@pytest.fixture(params=[0, 32])
def few(request, monkeypatch):
    """Make conditions of alternatives though they are few, or where they are many alone."""
    monkeypatch.setattr(_products, "_FEW_PARTS", request.param)


@pytest.mark.usefixtures("few")
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.one_of(_open, _open, _branches), min_size=2, max_size=4),
    st.one_of(_open, _branches, st.just({})),
    st.one_of(_open, st.just({"required": ["a"]})),
    st.sampled_from(["", "", "not", "unevaluated", "allOf"]),
)
def test_random_branches(branches, beside, own, how):
    schema: dict[str, Any] = {**beside, "type": "object", "oneOf": branches, "$defs": {"own": own}}
    if how == "not":
        schema["not"] = {"oneOf": branches[:2]}
    elif how == "unevaluated":
        schema["unevaluatedProperties"] = False
    elif how == "allOf":
        schema["allOf"] = [{"oneOf": branches[1:]}, {"anyOf": [own, {"required": ["c"]}]}]
    agree(schema, OBJECTS)


# Texts that are written in one way.
_finite = st.sampled_from([["s", "t"], ["s", None], [["s"], []], [{}, {"x": "s"}], [None]])


@pytest.mark.usefixtures("few")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(_names, _finite, min_size=2),
    st.lists(_open, min_size=2, max_size=4),
    st.sampled_from(["schema", "any"]),
)
def test_all_texts_by_masks(members, branches, order):
    """No mask leads where nothing ends."""
    schema = {
        "type": "object",
        "properties": {name: {"enum": texts} for name, texts in members.items()},
        "additionalProperties": False,
        "oneOf": branches,
        "$defs": {"own": {"required": ["a"]}},
    }
    agree_on_texts(schema, members, order)


@pytest.mark.parametrize("count", [4, 8, 12])
def test_alternatives_add_up(count, monkeypatch):
    """One for each branch, however many ways there are to fail the others."""
    if count == 4:  # a few dozen
        monkeypatch.setattr(_products, "_FEW_PARTS", 0)
    shared = {f"s{number}": {"type": "array", "items": {"type": "string"}} for number in range(6)}
    branches = [
        {
            "properties": {
                **shared,
                f"k{number}": {"type": "string"},
                f"x{number}": {"minimum": 1},
            },
            "required": [f"k{number}"],
        }
        for number in range(count)
    ]
    automaton = Automaton({"type": "object", "oneOf": branches}, Options())
    assert len(automaton.objects(automaton.root)) == count


def test_literals_that_are_settled_are_no_conditions(monkeypatch):
    monkeypatch.setattr(_products, "_FEW_PARTS", 0)
    texts = {name: {"type": "string"} for name in "ab"}
    first, second = (
        {"properties": texts, "required": ["a"]},
        {"properties": {**texts, "c": {"type": "integer"}}, "required": ["b"]},
    )
    automaton = Automaton({"type": "object", "oneOf": [first, second]}, Options())
    # Where "a" is a string, the second fails without "b", or for "c"; the first needs only "a".
    without_second, without_first = automaton.objects(automaton.root)
    assert [[one.name for one in each] for each in without_second.conditions] == [["b", "c"]]
    assert not without_first.conditions
    assert without_first.banned == ["a"]


def test_conditions_that_cannot_be_kept_are_parts():
    """Beside what a branch bans, and more sets of values than conditions know, there are limits."""
    texts = {"type": "array", "items": {"type": "string"}}
    ranked = {"properties": {"s0": {"enum": ["x", "y"]}, "s6": {"pattern": "^[A-Z]{2}$"}}}
    many = {name: {"type": "boolean"} for name in ("s1", "s2")}
    branches = [
        {},
        {**ranked, "required": ["k1"]},
        {"properties": {"s5": texts}, "required": ["s3", "s0"]},
        {"properties": {**many, "s4": {"type": "integer"}}},
        {
            "properties": {
                **ranked["properties"],
                "s1": {"minimum": 0},
                "s2": {"minimum": 0},
                "s4": {"type": "integer"},
                "s5": texts,
                "s6": {"enum": ["x", "y"]},
            },
            "required": ["k4"],
        },
        {
            "properties": {
                **many,
                "s0": {"format": "date"},
                "s3": texts,
                "s4": {"type": "integer"},
                "s5": texts,
                "s6": {"enum": ["x", "y"]},
            }
        },
        {"additionalProperties": False},
    ]
    schema = {"oneOf": branches}
    automaton = Automaton(schema, Options())
    assert automaton.objects(automaton.root)  # no LimitError
    agree(
        schema,
        [
            {"s0": "x", "s1": 3},
            {"s1": True, "s3": 1},
            {"s1": 1, "s3": 1, "s5": 1},
            {"k1": 1, "s0": 1, "s1": 1, "s3": 1},
            {"k1": 1, "k4": 1, "s5": ["s"], "s0": "x"},
        ],
    )
