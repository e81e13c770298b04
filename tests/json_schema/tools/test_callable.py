"""Tools that no arguments are valid for are refused by name, whatever stands beside them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate import EmptyLanguageError, Vocabulary
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import compile_json_schema
from formgate.plugins.json_schema._tools_callable import surely_valid

BYTES = Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
OTHER = {"type": "function", "name": "other", "parameters": {"type": "object"}}


def member(schema):
    return {"type": "object", "properties": {"n": schema}, "required": ["n"]}


def tool(name, parameters):
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


@pytest.mark.parametrize(
    "parameters",
    [
        False,
        member(False),
        member({"enum": []}),
        member({"type": "integer", "minimum": 5, "maximum": 3}),
        member({"type": "string", "pattern": "^a$", "maxLength": 0}),
        member(member({"$ref": "#"})),
        {"type": "object", "required": ["n"], "additionalProperties": False},
        {"allOf": [member({"type": "string"}), member({"type": "null"})]},
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_refused_by_name(parameters, place):
    tools = [OTHER, tool("third", member({"type": "string"}))]
    tools.insert(place, tool("book", parameters))
    with pytest.raises(EmptyLanguageError, match=r"^tool 'book': #.*") as caught:
        formgate.compile(tools, BYTES, format="json_schema")
    assert "leave the tool out" in str(caught.value)
    chosen = formgate.compile(tools, BYTES, format="json_schema", tool_choice="other")
    assert chosen.accepts('{"name":"other","arguments":{}}')


_leaf = st.sampled_from(
    [
        True,
        False,
        {},
        {"type": "string"},
        {"type": "null"},
        {"type": "integer", "minimum": 4},
        {"type": "integer", "minimum": 4, "maximum": 3},
        {"type": "integer", "maximum": 3},
        {"type": "number", "multipleOf": 3, "minimum": 1, "maximum": 2},
        {"enum": ["a"], "type": "string"},
        {"enum": [1], "type": "string"},
        {"enum": ["\ud800"], "type": "string"},
        {"enum": []},
        {"type": "string", "maxLength": 0},
        {"type": "string", "maxLength": 0, "minLength": 1},
        {"type": "array", "items": False, "minItems": 1},
        {"type": "array", "items": False, "maxItems": 2},
        {"type": ["string"]},
        {"const": 1, "type": "integer"},
        {"const": "a"},
        {"type": ["string", "null"]},
        {"type": "string", "minLength": 2, "maxLength": 2},
        {"type": "string", "minLength": 2**40},
        {"type": "integer", "minimum": 3, "maximum": 3},
        {"type": "integer", "minimum": 0.5, "maximum": 0.6},
        {"anyOf": [False, {"type": "null"}]},
        {"anyOf": [False]},
    ]
)
_schemas = st.recursive(
    _leaf,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": inner,
            "description": st.just("what it is"),
            "maxProperties": st.just(0),
        },
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(_schemas)
def test_valid_at_a_look_means_valid(schema):
    if not surely_valid(schema):
        return
    builder = GrammarBuilder()
    arguments = {"type": "object", "allOf": [schema]}
    builder.start(compile_json_schema(arguments, builder))
    builder.build().compile(BYTES)  # an empty language would raise


def test_common_schemas_are_valid_at_a_look():
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "unit": {"type": "string", "enum": ["C", "F"]},
            "days": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["city", "unit", "days", "tags"],
        "additionalProperties": False,
    }
    assert surely_valid(schema)
