"""Conditions kept beside each other: objects over a few names, judged by jsonschema."""

from __future__ import annotations

import itertools
import json

import pytest
from agreeing import agree, agree_on_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import formgate
from formgate.core.errors import LimitError
from formgate.core.grammar import Limits
from formgate.plugins.json_schema import _products

NAMES = ("a", "b", "c", "d")
VALUES = (1, 7, "s", None)
BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
OBJECTS = [
    dict(zip(chosen, values, strict=True))
    for count in range(len(NAMES) + 1)
    for chosen in itertools.combinations(NAMES, count)
    for values in itertools.product(VALUES, repeat=count)
    if count < 3 or (values[0] != 7 and values[-1] is not None and values[1] != 1)
]

_names = st.sampled_from(NAMES)
_some = st.lists(_names, max_size=2, unique=True)
_values = st.sampled_from(
    [
        True,
        False,
        {"type": "integer"},
        {"type": "string"},
        {"const": 1},
        {"enum": ["s", 7]},
        {"minimum": 3},
        {"type": ["null", "integer"]},
        {"not": {"const": "s"}},
        {"type": "array"},
    ]
)
_tests = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(_names, _values, min_size=1, max_size=2),
        "required": st.lists(_names, min_size=1, max_size=2, unique=True),
    },
)
_implied = st.one_of(
    st.fixed_dictionaries({"if": _tests, "then": _tests}, optional={"else": _tests}),
    st.fixed_dictionaries({"anyOf": st.lists(_tests, min_size=2, max_size=3)}),
    st.fixed_dictionaries({"not": _tests}),
    st.fixed_dictionaries({"dependentSchemas": st.dictionaries(_names, _tests, max_size=2)}),
    st.fixed_dictionaries({"dependentRequired": st.dictionaries(_names, _some, max_size=2)}),
    st.fixed_dictionaries({"oneOf": st.lists(_tests, min_size=2, max_size=2)}),
)
_plain = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(_names, _values, max_size=3),
        "required": _some,
        "additionalProperties": st.sampled_from([True, False, {"type": "integer"}]),
        "patternProperties": st.dictionaries(st.sampled_from(["^[ab]", "[cd]"]), _values),
    },
)
_counts = st.fixed_dictionaries(
    {}, optional={"minProperties": st.integers(0, 3), "maxProperties": st.integers(0, 4)}
)


@st.composite
def conditional_schemas(draw):
    """Draw objects with several conditions, now and then with what conditions do not go with."""
    own = {
        "type": "object",
        **draw(_plain),
        "allOf": draw(st.lists(_implied, min_size=1, max_size=5)),
    }
    how = draw(st.sampled_from(["", "", "", "", "counts", "not", "oneOf", "anyOf", "rest", "ref"]))
    if how == "counts":
        own.update(draw(_counts))
    elif how == "not":
        own["not"] = {**draw(_plain), "allOf": draw(st.lists(_implied, min_size=1, max_size=2))}
    elif how == "rest":
        own["unevaluatedProperties"] = draw(_values)
    elif how == "ref":
        own["$defs"] = {"more": {"allOf": draw(st.lists(_implied, min_size=1, max_size=3))}}
        own["$ref"] = "#/$defs/more"
    elif how:
        own[how] = [{**draw(_plain), "allOf": [draw(_implied)]} for _ in range(2)]
    return own


@pytest.fixture(params=[0, 1, 4, None])
def few(request, monkeypatch):
    """Make conditions of alternatives though they are few; None: as many as ever.

    What is written natively multiplies few alternatives out, which orders members as the automaton
    does that multiplies as many out. So where that makes conditions of fewer, it writes all.
    """
    if request.param is not None:
        monkeypatch.setattr(_products, "_FEW", request.param)
        monkeypatch.setattr("formgate.plugins.json_schema._plain.plain_writer", lambda *_: None)


@pytest.mark.usefixtures("few")
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(conditional_schemas())
def test_random_schemas(schema):
    agree(schema, OBJECTS)


# Texts that are written in one way, which numbers are not.
_finite = st.sampled_from([["s", "t"], ["s", None], [True, "s"], ["s"], [None]])


@pytest.mark.usefixtures("few")
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(NAMES[:3]), _finite, min_size=2),
    st.lists(_implied, min_size=2, max_size=4),
    st.sampled_from(["schema", "any"]),
)
def test_all_texts_by_masks(members, conditions, order):
    """No mask leads where nothing ends."""
    schema = {
        "type": "object",
        "properties": {name: {"enum": texts} for name, texts in members.items()},
        "additionalProperties": False,
        "allOf": conditions,
    }
    agree_on_texts(schema, members, order)


def pairs(count, then, other=None, *, apart):
    """Return independent conditions over two members each."""
    names = [f"{letter}{i}" for i in range(count) for letter in "kv"]
    if apart:
        names.sort()
    properties = {name: {"enum": ["a", "b"]} if name[0] == "k" else {} for name in names}
    conditions = []
    for i in range(count):
        key, value = f"k{i}", f"v{i}"
        one = {"if": {"properties": {key: {"const": "a"}}, "required": [key]}, "then": then(value)}
        conditions.append(one if other is None else {**one, "else": other(value)})
    return {"type": "object", "properties": properties, "allOf": conditions}


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("then", "other"),
    [
        (lambda name: {"required": [name]}, None),
        (lambda name: {"required": [name], "properties": {name: {"type": "integer"}}}, None),
        (lambda name: {"properties": {name: {"enum": [1, 2]}}}, None),
        (lambda name: {"required": [name]}, lambda name: {"properties": {name: False}}),
        (
            lambda name: {"required": [name], "properties": {name: {"minimum": 0}}},
            lambda name: {"properties": {name: {"type": "string"}}},
        ),
    ],
)
def test_many_independent_ones_add_up(order, apart, then, other):
    """Written out, thirty would be 2 to the power of 30."""
    schema = pairs(30, then, other, apart=apart)
    limits = Limits(max_states=5_000, max_nodes=50_000)
    engine = formgate.compile(
        schema, BYTES, format="json_schema", property_order=order, limits=limits
    )
    valid = Draft202012Validator(schema).is_valid
    judged = set()
    for tags in ("a", "b", "ab"):
        for value in (1, "x", None):
            for lacking in (None, "v3", "k4"):
                one = {}
                for name in schema["properties"]:
                    tag = tags[int(name[1:]) % len(tags)]
                    if name == lacking:
                        continue
                    one[name] = tag if name[0] == "k" else value
                    if name[0] == "v" and (value is None or (other and tag == "b")):
                        del one[name]
                judged.add(valid(one))
                assert engine.accepts(json.dumps(one)) is valid(one), one
    assert judged == {False, True}


def test_counts_beside_conditions_are_written_out():
    schema = {**pairs(5, lambda name: {"required": [name]}, apart=False), "maxProperties": 3}
    engine = formgate.compile(schema, BYTES, format="json_schema")
    assert engine.accepts('{"k1":"a","v1":1,"k2":"b"}')
    assert not engine.is_prefix('{"k1":"a","k2":"a",')
    many = {**pairs(12, lambda name: {"required": [name]}, apart=False), "minProperties": 3}
    with pytest.raises(LimitError, match="max_clauses"):
        formgate.compile(many, BYTES, format="json_schema")
