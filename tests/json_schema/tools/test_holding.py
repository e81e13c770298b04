"""Objects that say nothing as a schema, but hold one, are refused; tools with more members are not.

As schemas they would allow any value.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import formgate
from formgate.core.errors import GrammarError

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
SCHEMA = {
    "type": "object",
    "properties": {"place": {"type": "string"}},
    "required": ["place"],
    "additionalProperties": False,
}


def compiled(source: Any) -> formgate.Engine:
    return formgate.compile(source, VOCABULARY, format="json_schema")


def is_exact(engine: formgate.Engine) -> bool:
    return engine.accepts('{"place": "x"}') and not engine.accepts("5") and not engine.accepts("{}")


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "w", "description": "d", "inputSchema": SCHEMA, "execution": {"taskSupport": 1}},
        {"name": "w", "input_schema": SCHEMA, "eager_input_streaming": True},
        {"name": "w", "parameters": SCHEMA, "version": "1.2"},
        {"name": "w", "parameters": SCHEMA, "output_schema": {"type": "object"}},
        {"name": "w", "parameters": SCHEMA, "examples": [{"type": "object"}]},
        {"name": "w", "parametersJsonSchema": SCHEMA, "anything": [1, {"a": "b"}]},
        {"type": "function", "function": {"name": "w", "parameters": SCHEMA, "tags": ["a"]}},
    ],
)
def test_tools_with_members_that_are_not_known(tool: dict[str, Any]) -> None:
    assert is_exact(compiled(tool))
    call = compiled([tool])
    assert call.accepts('{"name": "w", "arguments": {"place": "x"}}')
    assert not call.accepts('{"name": "w", "arguments": {}}')


@pytest.mark.parametrize(
    ("source", "member"),
    [
        ({"name": "w", "inputschema": SCHEMA}, "inputschema"),
        ({"name": "w", "params": SCHEMA}, "params"),
        ({"name": "w", "args_schema": SCHEMA, "version": 1}, "args_schema"),
        ({"name": "w", "parameter_definitions": {"a": {"type": "str"}}}, "parameter_definitions"),
        ({"name": "w", "inputs": {"place": {"type": "string"}}}, "inputs"),
        ({"name": {"type": "string"}, "parameters": []}, "parameters"),
        ({"name": {"type": "string"}, "parameters": {}}, "parameters"),
        ({"schema": {}}, "schema"),
        ({"tools": [{"name": "w", "input_schema": SCHEMA}], "tool_choice": "auto"}, "tools"),
        ({"response_format": {"type": "json_object"}, "model": "x"}, "response_format"),
        ({"toolSpec": {"name": "w", "inputSchema": {"json": SCHEMA}}, "x": 1}, "toolSpec"),
        ({"toolspec": {"name": "w"}}, "toolspec"),
        ({"functions": [{"name": "w", "parameters": SCHEMA}]}, "functions"),
        ({"generationConfig": {"responseSchema": SCHEMA}}, "generationConfig"),
        ({"response_mime_type": "x", "response_schema": SCHEMA}, "response_schema"),
        ({"output_format": {"type": "json_schema", "schema": SCHEMA}}, "output_format"),
        ({"text": {"format": {"type": "json_schema", "schema": SCHEMA}}}, "text"),
        ({"json_schema": {"schema": SCHEMA}, "foo": 1}, "json_schema"),
    ],
)
def test_objects_around_a_schema(source: dict[str, Any], member: str) -> None:
    with pytest.raises(GrammarError, match=f"an object with {member!r}") as caught:
        compiled(source)
    assert caught.value.hint
    with pytest.raises(GrammarError, match="no JSON Schema"):
        compiled(json.dumps(source))


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ({"toolSpec": {"name": "w", "inputSchema": {"jsn": SCHEMA}}}, "inputSchema has 'jsn'"),
        ({"name": "w", "input_schema": {"json": SCHEMA}}, "input_schema has 'json'"),
        ({"name": "w", "parameters": {"schema": SCHEMA}}, "parameters has 'schema'"),
        ({"name": "w", "parameters": {"place": {"type": "string"}}}, "parameters has 'place'"),
        ({"name": "w", "parameters": SCHEMA, "inputs": SCHEMA}, "a schema under 'inputs'"),
        (
            {"type": "function", "function": {"name": "w", "paramters": {"a": {"type": "string"}}}},
            "no parameters, but a schema under 'paramters'",
        ),
        (
            {"type": "function", "function": {"name": "w", "properties": {"a": {}}}},
            "no parameters, but a schema under 'properties'",
        ),
        (
            {"type": "function", "function": {"name": "w", "required": ["a"]}},
            "no parameters, but a schema under 'required'",
        ),
    ],
)
def test_schemas_within_tools_where_none_is_read(tool: dict[str, Any], words: str) -> None:
    for source in (tool, [tool]):
        with pytest.raises(GrammarError, match=words):
            compiled(source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"type": "json_schema", "json_schema": {"name": "x", "schema": {"a": {}, "b": SCHEMA}}},
         "json_schema/schema has 'b'"),
        ({"type": "json_object", "schema": {"place": {"type": "string"}}}, "schema has 'place'"),
        ({"name": "x", "schema": SCHEMA, "foo": 1}, "has 'foo'"),
        ({"type": "json_schema", "json_schema": {"name": 3, "schema": SCHEMA}}, "name is a text"),
    ],
)  # fmt: skip
def test_response_formats(source: dict[str, Any], words: str) -> None:
    with pytest.raises(GrammarError, match=words):
        compiled(source)


def test_a_format_alone_may_have_notes() -> None:
    source = {"name": "a", "schema": SCHEMA, "title": "x", "description": "y"}
    assert is_exact(compiled(source))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"title": "any", "description": "x", "default": {"a": 1}, "examples": [{"a": 1}]},
        {"$defs": {"a": SCHEMA}},
        {"definitions": {"a": SCHEMA}},
        {"$comment": "x", "anything": {"a": 1}},
        {"x-order": {"a": 1}},
        {"note": "x", "level": 3, "tags": ["a", "b"]},
        {"Whole": {"type": "object"}},
        {"name": {"type": "string"}, "other": {"type": "object"}},
        {"text": "x", "schema": "y"},
    ],
)
def test_schemas_of_any_value(schema: dict[str, Any]) -> None:
    for source in (schema, json.dumps(schema)):
        engine = compiled(source)
        assert engine.accepts("5")
        assert engine.accepts('{"place": []}')
