"""Lists without repetition that hold such lists: exact up to a depth of nesting.

Where items and depth are few, the language is finite. It is written out by the masks, and compared
with all values that nest no deeper and that jsonschema calls valid.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from finite_texts import PLAIN, written_out
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.plugins.json_schema._emit_arrays import ArrayWriter

LEAVES: list[Any] = ["a", None, {}, True]


@pytest.fixture(scope="module")
def byte_vocabulary() -> formgate.Vocabulary:
    """Single bytes."""
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


def lists_of(depth: int, most: int, leaves: list[Any], *, named: bool) -> list[list[Any]]:
    """Return the lists with at most so many items, nested so deep at most, repetition included."""
    if depth == 0:
        return [[]]
    inner = lists_of(depth - 1, most, leaves, named=named)
    items = [*leaves, *({"v": one} if named else one for one in inner)]
    return [
        list(chosen)
        for count in range(most + 1)
        for chosen in itertools.product(items, repeat=count)
    ]


@pytest.mark.parametrize("inside", ["items", "members", "prefix"])
@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize(("depth", "most", "leaves"), [(1, 2, 1), (1, 2, 3), (2, 2, 1)])
def test_lists_are_those_written_out(
    byte_vocabulary: formgate.Vocabulary,
    monkeypatch: pytest.MonkeyPatch,
    *,
    depth: int,
    most: int,
    leaves: int,
    least: int,
    inside: str,
) -> None:
    # Items of so few values are refused, since many levels of them cost too much; few do not.
    monkeypatch.setattr(ArrayWriter, "_varied", lambda *_: True)
    held: Any = {"$ref": "#/$defs/list"}
    if inside == "members":
        held = {"type": "object", "properties": {"v": held}, "required": ["v"]}
        held["additionalProperties"] = False
    item = {"anyOf": [{"enum": LEAVES[:leaves]}, held]}
    array = {"type": "array", "uniqueItems": True, "minItems": least, "maxItems": most}
    array |= {"prefixItems": [item], "items": item} if inside == "prefix" else {"items": item}
    schema = {"$ref": "#/$defs/list", "$defs": {"list": array}}

    def expected(levels: int) -> set[str]:
        """Return the texts of valid lists that nest so deep."""
        judge = jsonschema.Draft202012Validator(schema)
        given = lists_of(levels, most, LEAVES[:leaves], named=inside == "members")
        return {json.dumps(one, separators=(",", ":")) for one in given if judge.is_valid(one)}

    try:
        engine = formgate.compile(schema, byte_vocabulary, max_nested=depth, **PLAIN)
    except EmptyLanguageError:
        assert not expected(depth)
        return
    # The root may be a state of its own beside the lists that are items: then it does not count.
    found = written_out(engine)
    assert found == expected(depth) or found == expected(depth + 1)


lists = st.recursive(
    st.sampled_from([1, 2, "a"]), lambda inner: st.lists(inner, max_size=3), max_leaves=12
).filter(lambda one: isinstance(one, list))


@hypothesis.settings(
    max_examples=150, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(instance=lists, data=st.data())
def test_values_are_decided_as_jsonschema_does(
    byte_vocabulary: formgate.Vocabulary, instance: Any, data: st.DataObject
) -> None:
    low = data.draw(st.integers(0, 2))
    schema = {
        "type": "array",
        "uniqueItems": True,
        "minItems": low,
        "items": {"anyOf": [{"type": ["integer", "string"]}, {"$ref": "#"}]},
    }
    engine = formgate.compile(schema, byte_vocabulary)
    text = json.dumps(instance)
    judge = jsonschema.Draft202012Validator(schema)
    assert engine.accepts(text) == judge.is_valid(instance)
    state = engine.start()
    for byte in text.encode():  # what is left can be completed wherever it is left
        if not engine.is_allowed(state, byte):
            assert not judge.is_valid(instance)
            return
        state = engine.advance(state, byte)
        assert engine.allowed_tokens(state).to_list()


@pytest.mark.parametrize("depth", [1, 2, 7, 24])
def test_the_depth_is_an_option(byte_vocabulary: formgate.Vocabulary, depth: int) -> None:
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "next": {"$ref": "#/$defs/node"},
                    "name": {"type": "string"},
                    "children": {
                        "type": "array",
                        "uniqueItems": True,
                        "items": {"$ref": "#/$defs/node"},
                    },
                },
                "additionalProperties": False,
            }
        },
    }
    engine = formgate.compile(schema, byte_vocabulary, max_nested=depth, **PLAIN)
    deep = '{"children":[' * depth + "{}" + "]}" * depth
    assert engine.accepts(deep)
    assert engine.accepts('{"next":' * 20 + deep + "}" * 20)
    assert not engine.accepts('{"children":[' + deep + "]}")
    # At the bound only the empty list is left, and before it no way is offered that needs more.
    state = engine.advance_many(engine.start(), list(('{"children":[' * (depth + 1)).encode()))
    assert engine.allowed_tokens(state).to_list() == [ord("]")]


@pytest.mark.parametrize("order", ["any", "schema"])
def test_deadlines_end_the_search_for_values(
    byte_vocabulary: formgate.Vocabulary, order: str
) -> None:
    """Values within values share parts: a step through all ways to these took minutes."""
    item = {"$ref": "#/$defs/x"}
    lists = [
        {"type": "array", "items": item, "uniqueItems": True},
        {"type": "array", "items": {"type": "integer"}, "prefixItems": [item]},
    ]
    schema = {"anyOf": [item], "$defs": {"x": {"anyOf": lists}}}
    with contextlib.suppress(LimitError):  # a deadline is one
        formgate.compile(schema, byte_vocabulary, property_order=order, timeout_s=2)
