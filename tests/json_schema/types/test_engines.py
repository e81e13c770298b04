"""Types through to the engine: texts of values are accepted and read back, others are not."""

from __future__ import annotations

import json
import random
from decimal import Decimal  # noqa: TC003 (pydantic reads the annotation)

import pydantic
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from random_types import json_values, mutated, types

import formgate
from formgate.core.compiler import build_grammar
from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import shape_of
from formgate.plugins.json_schema._types_pydantic import written
from formgate.plugins.json_schema._types_shapes import Mismatch

SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=40)


def compiled(source, vocabulary, **options):
    try:
        return build_grammar(source, format="json_schema", **options).compile(vocabulary)
    except formgate.UnsupportedConstraint:
        # Sets of numbers with a divisor; said, and so no fault of what is tested here.
        reject()


@SLOW
@given(data=st.data())
def test_values_of_types(byte_vocabulary, data):
    annotation, values = data.draw(types(depth=2))
    # The values of a TypedDict have their keys in any order.
    engine = compiled(annotation, byte_vocabulary, property_order="any")
    for _ in range(3):
        value = data.draw(values)
        text = TypeAdapter(annotation).dump_json(value).decode()
        assert engine.accepts(text)
        assert formgate.parse(engine, text) == value


@SLOW
@given(data=st.data())
def test_what_a_type_cannot_read_is_not_written(byte_vocabulary, data):
    annotation, values = data.draw(types(depth=2))
    engine = compiled(annotation, byte_vocabulary, property_order="any")
    shape = shape_of(annotation)
    for seed in range(4):
        text = TypeAdapter(annotation).dump_json(data.draw(values)).decode()
        instance = mutated(load(text), data.draw(json_values), random.Random(seed))
        try:
            shape.read(instance, decimals=False)
        except Mismatch:
            readable = False
        else:
            readable = True
        assert engine.accepts(written(instance)) == readable


class Inner(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    price: Decimal = pydantic.Field(ge=0)
    tags: set[str] = set()


class Outer(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    kind: str = pydantic.Field(alias="type", max_length=4)
    inner: Inner | None = None
    more: list[Outer] = []


def test_models(byte_vocabulary):
    engine = formgate.compile(Outer, byte_vocabulary)
    text = '{"type": "a", "inner": {"price": 1.5, "tags": ["x", "y"]}, "more": [{"type": ""}]}'
    value = formgate.parse(engine, text)
    assert value == Outer.model_validate_json(text)
    assert isinstance(value.more[0], Outer)
    for wrong in (
        '{"type": "abcde"}',
        '{"kind": "a"}',
        '{"type": "a", "inner": {"price": -1}}',
        '{"type": "a", "inner": {"price": 1, "tags": ["x", "x"]}}',
        '{"type": "a", "other": 1}',
    ):
        assert not engine.accepts(wrong)
        with pytest.raises(formgate.ParseError):
            formgate.parse(engine, wrong)


def test_calls(byte_vocabulary):
    def order(what: Outer, count: int = 1): ...

    definition = {
        "name": "stop",
        "input_schema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"why": {"$ref": "#/definitions/text"}},
            "additionalProperties": False,
            "definitions": {"text": {"type": "string", "maxLength": 3}},
        },
    }
    engine = formgate.compile([order, definition], byte_vocabulary)
    text = '{"name": "order", "arguments": {"what": {"type": "a"}, "count": 2}}'
    assert formgate.parse(engine, text)["arguments"] == {"what": Outer(type="a"), "count": 2}
    assert engine.accepts('{"name": "stop", "arguments": {"why": "abc"}}')
    assert not engine.accepts('{"name": "stop", "arguments": {"why": "abcd"}}')
    only = formgate.compile([order, definition], byte_vocabulary, tool_choice="stop")
    assert not only.accepts(text)
    assert formgate.parse(only, '{"name": "stop", "arguments": {}}')["name"] == "stop"


def test_references_of_tools_do_not_meet(byte_vocabulary):
    def tool(name, kind):
        return {
            "name": name,
            "input_schema": {
                "$ref": "#/$defs/args",
                "$defs": {"args": {"properties": {"x": {"type": kind}}, "required": ["x"]}},
            },
        }

    engine = formgate.compile([tool("a", "integer"), tool("b", "string")], byte_vocabulary)
    for name, value, good in (("a", 1, True), ("a", "1", False), ("b", "1", True), ("b", 1, False)):
        text = json.dumps({"name": name, "arguments": {"x": value}})
        assert engine.accepts(text) == good


def test_a_choice_of_tools_is_an_option_of_tools_only(byte_vocabulary):
    with pytest.raises(formgate.GrammarError, match="tool_choice"):
        formgate.compile(Outer, byte_vocabulary, tool_choice="a")


def test_formats_that_are_guessed(byte_vocabulary):
    assert formgate.compile(list[int], byte_vocabulary).format == "json_schema"
    assert formgate.compile({"type": "json_object"}, byte_vocabulary).accepts('{"a": []}')
    enumerated = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": ["é"]}}}
    assert formgate.compile(enumerated, byte_vocabulary).accepts('"é"')
    with pytest.raises(formgate.GrammarError, match="JSON"):
        formgate.compile(object(), byte_vocabulary, format="json_schema")
