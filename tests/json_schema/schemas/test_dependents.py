"""Names that ask for others: all objects over a few names, judged by jsonschema."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError, LimitError

NAMES = ("a", "b", "c", "d")
BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
OBJECTS = [
    dict(zip(chosen, values, strict=True))
    for count in range(len(NAMES) + 1)
    for chosen in itertools.combinations(NAMES, count)
    for values in itertools.product((1, "s"), repeat=count)
    if count < 4 or values[0] == 1
]

_some = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
_required = st.fixed_dictionaries({"required": _some})
_values = st.sampled_from([True, False, {"type": "integer"}, {"type": "string"}])
_counts = st.integers(0, 4)
_plain = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(st.sampled_from(NAMES), _values, max_size=2),
        "required": _some,
        "minProperties": _counts,
        "maxProperties": _counts,
        "additionalProperties": _values,
        "propertyNames": st.sampled_from([{"pattern": "^[abc]$"}, {"enum": ["a", "b", "d"]}]),
        "patternProperties": st.dictionaries(st.sampled_from(["^[ab]", "[cd]"]), _values),
    },
)
_asking = st.fixed_dictionaries(
    {},
    optional={
        "dependentRequired": st.dictionaries(st.sampled_from(NAMES), _some, max_size=4),
        "dependentSchemas": st.dictionaries(
            st.sampled_from(NAMES), st.one_of(_required, _required, _plain), max_size=2
        ),
        "allOf": st.lists(
            st.fixed_dictionaries(
                {"if": st.one_of(_required, _required, _plain), "then": _required},
                optional={"else": _required},
            ),
            min_size=1,
            max_size=2,
        ),
    },
)


@st.composite
def asking_schemas(draw):
    """Draw what names ask for, with other keywords beside it and applied to it."""
    schema = {"type": "object", **draw(_plain), **draw(_asking)}
    how = draw(st.sampled_from(["", "", "", "not", "oneOf", "anyOf", "rest"]))
    if how == "not":
        schema["not"] = {**draw(_plain), **draw(_asking)}
    elif how == "rest":
        schema["unevaluatedProperties"] = draw(_values)
    elif how:
        schema[how] = [{**draw(_plain), **draw(_asking)} for _ in range(2)]
    return schema


def check(schema):
    valid = Draft202012Validator(schema).is_valid
    expected = [one for one in OBJECTS if valid(one)]
    try:
        grammar = build_grammar(json.dumps(schema), format="json_schema", property_order="any")
        engine = grammar.compile(BYTES)
        ordered = build_grammar(json.dumps(schema), format="json_schema").compile(BYTES)
    except LimitError:
        return
    except EmptyLanguageError:
        assert not expected
        return
    for one in OBJECTS:
        orders = itertools.islice(itertools.permutations(one.items()), 6)
        for members in orders:
            text = json.dumps(dict(members))
            assert engine.accepts(text) is valid(one), text
        texts = [json.dumps(dict(order)) for order in itertools.permutations(one.items())]
        taken = sum(map(ordered.accepts, texts))
        assert (taken > 0) is valid(one), texts


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(asking_schemas())
def test_random_schemas(schema):
    check(schema)


def compiled(schema, **options):
    return formgate.compile(schema, BYTES, format="json_schema", **options)


@pytest.mark.parametrize(
    "asking",
    [
        lambda name, other: {"dependentRequired": {name: [other]}},
        lambda name, other: {"dependentSchemas": {name: {"required": [other]}}},
        lambda name, other: {"if": {"required": [name]}, "then": {"required": [other]}},
    ],
)
@pytest.mark.parametrize("order", ["any", "schema"])
def test_many_names_are_one_alternative(asking, order):
    """Written out they would be 2 to the power of 60."""
    pairs = [asking(f"a{i}", f"b{i}") for i in range(60)]
    engine = compiled({"type": "object", "allOf": pairs}, property_order=order, max_clauses=4)
    everything = {name + str(i): 1 for i in range(60) for name in "ab"}
    assert engine.accepts(json.dumps(everything))
    assert engine.accepts('{"a7":1,"b7":1,"b9":1,"other":1}')
    assert not engine.is_prefix('{"a7":1,"b8":1}')
    assert not engine.accepts('{"a7":1,"b8":1,"b9":1}')
    assert engine.is_prefix('{"a7":1,"b7"')


def test_chains_of_names():
    names = [f"p{i}" for i in range(300)]
    schema = {"dependentRequired": dict(zip(names, ([one] for one in names[1:]), strict=False))}
    engine = compiled({"type": "object", **schema}, max_clauses=4)
    assert engine.accepts(json.dumps(dict.fromkeys(names[250:], 1)))
    assert not engine.accepts(json.dumps(dict.fromkeys(names[250:-1], 1)))
    required = compiled({"type": "object", "required": ["p0"], **schema, "maxProperties": 300})
    assert required.accepts(json.dumps(dict.fromkeys(names, 1)))
    with pytest.raises(EmptyLanguageError):
        compiled({"type": "object", "required": ["p0"], **schema, "maxProperties": 299})
    with pytest.raises(EmptyLanguageError):
        compiled(
            {"type": "object", "required": ["p0"], **schema, "properties": {"p299": False}},
        )


def test_names_that_need_each_other_between_two_counts():
    """Three names that come together, and two: four or more are five."""
    asks = {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["e"], "e": ["d"]}
    schema = {"type": "object", "dependentRequired": asks, "propertyNames": {"enum": [*"abcde"]}}
    engine = compiled({**schema, "minProperties": 3, "maxProperties": 4}, property_order="any")
    assert engine.accepts('{"c":1,"a":1,"b":1}')
    assert not engine.is_prefix('{"d"')
    many = {f"{name}{i}": [f"{other}{i}"] for i in range(14) for name, other in ("ab", "ba")}
    counts = {"minProperties": 5, "maxProperties": 9}
    with pytest.raises(LimitError, match=r"ask for each other.*max_clauses"):
        compiled({"type": "object", "dependentRequired": many, **counts}, max_clauses=100)
