"""Fewest tokens to the end of objects and of lists without repetition, against a plain search."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
SINGLE = [*'{}[]":,ab1 \\u006']
LONGER = [
    '":',
    '{"',
    "1,",
    '"}',
    'a"',
    "1}",
    '":1',
    '","',
    '"a":1',
    "]]",
    '\\u0061":',
    '[{"',
    ',"b"',
]
MOST = 7  # tokens, and states, that the plain search takes at most
MOST_STATES = 400

_names = st.sampled_from(["a", "b", "ab", "", "aaaa"])
_values = st.sampled_from(
    [{"const": 1}, {"enum": [1, 11]}, True, {"type": "array"}, {"type": "object"}, {"const": "ab"}]
)
_counts = st.integers(0, 3)
_objects = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(_names, _values, max_size=3),
        "required": st.lists(_names, max_size=3, unique=True),
        "additionalProperties": _values,
        "patternProperties": st.dictionaries(
            st.sampled_from(["^a{3}$", "^[ab]{2,}$", "b"]), _values, max_size=2
        ),
        "propertyNames": st.sampled_from([{"minLength": 2}, {"maxLength": 1}, {"pattern": "^a*$"}]),
        "minProperties": _counts,
        "dependentRequired": st.dictionaries(
            _names, st.lists(_names, max_size=2, unique=True), max_size=2
        ),
        "allOf": st.lists(
            st.fixed_dictionaries(
                {"not": st.fixed_dictionaries({"properties": st.dictionaries(_names, _values)})}
            ),
            min_size=1,
            max_size=2,
        ),
    },
)
_arrays = st.fixed_dictionaries(
    {"type": st.just("array"), "uniqueItems": st.just(True)},
    optional={
        "items": st.sampled_from([{"enum": [1, 11, "a", "ab", []]}, {"type": "string"}, {}]),
        "minItems": _counts,
        "contains": st.sampled_from([{"const": 1}, {"type": "string"}]),
    },
)
_schemas = st.one_of(
    _objects, _objects, _arrays, st.builds(lambda one: {"items": one, "minItems": 1}, _objects)
)


def fewest(engine, start):
    """Return the fewest tokens by trying all; None beyond what the search takes."""
    level, seen = {start.key: start}, set()
    for count in range(MOST + 1):
        if any(engine.is_accepting(state) for state in level.values()):
            return count
        seen |= level.keys()
        if len(seen) > MOST_STATES:
            return None
        following = {}
        for state in level.values():
            for token in engine.allowed_tokens(state).to_list():
                target = engine.advance(state, token)
                if target.key not in seen:
                    following[target.key] = target
        level = following
    return None


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    _schemas,
    st.sampled_from(["schema", "any"]),
    st.lists(st.sampled_from(LONGER), max_size=5, unique=True),
    st.randoms(use_true_random=False),
)
def test_random_schemas(schema, order, longer, chance):
    tokens = [*SINGLE, *longer]
    vocabulary = formgate.Vocabulary([*(t.encode() for t in tokens), None], stop_ids=[len(tokens)])
    try:
        engine = formgate.compile(
            json.dumps(schema), vocabulary, format="json_schema", property_order=order
        )
    except EmptyLanguageError:
        assume(False)
    state = engine.start()
    for _ in range(8):
        expected = fewest(engine, state)
        if expected is not None:
            assert engine.min_tokens(state) == expected, schema
        ids = [one for one in engine.allowed_tokens(state).to_list() if one < len(tokens)]
        if not ids:
            break
        state = engine.advance(state, chance.choice(ids))


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize(
    ("schema", "text", "count"),
    [
        ({"type": "object"}, "{", 1),
        ({"type": "object"}, '{"', len('":1}')),
        ({"type": "object"}, '{"ab', len('":1}')),
        ({"type": "object"}, '{"a":1,', len('"":1}')),
        ({"type": "object"}, '{"a":[[{"b":1,"', len('":1}]]}')),
        ({"type": "object"}, '{"a":[[{"b":{"c', len('":1}}]]}')),
        ({"type": "object", "minProperties": 2}, "{", len('"":1,"a":1}')),
        ({"type": "object", "minProperties": 3}, '{"a":1,', len('"":1,"b":1}')),
        (
            {"properties": {"long name": {"type": "string"}}, "required": ["long name"]},
            "{",
            len('"long name":""}'),
        ),
        ({"patternProperties": {"^x{20}$": {}}, "additionalProperties": False}, '{"', 24),
        ({"type": "object"}, '{"\\u00', len('00":1}')),
    ],
)
def test_names_that_may_be_anything(schema, text, count, order):
    """As many states as there are names lie within the distance to the end."""
    engine = formgate.compile(json.dumps(schema), BYTES, format="json_schema", property_order=order)
    state = engine.start()
    for byte in text.encode():
        state = engine.advance(state, byte)
    assert engine.min_tokens(state, max_states=20_000) == count
