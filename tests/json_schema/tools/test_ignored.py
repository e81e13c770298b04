"""What a tool, a choice or a response format has where nothing reads it: read, or refused."""

from __future__ import annotations

from typing import Any

import pytest

import formgate
from formgate.plugins.json_schema import inspect
from formgate.plugins.json_schema._tools import is_request

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
OTHER = {"type": "function", "name": "other", "parameters": {"type": "object"}}
ANSWER = {"name": "a", "schema": PARAMETERS}
BEDROCK = {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": PARAMETERS}}}


def refused(source: Any, **options: Any) -> formgate.GrammarError:
    with pytest.raises(formgate.GrammarError) as caught:
        formgate.compile(source, BYTES, **options)
    return caught.value


# --- response formats ---


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "required": ["zz"]},
        {"required": ["zz"]},
        {"type": ["object", "null"], "required": ["zz"]},
        {"$ref": "#/$defs/all", "$defs": {"all": {"required": ["zz"]}}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/all",
            "definitions": {"all": {"required": ["zz"]}},
        },
    ],
)
def test_a_schema_beside_json_object_holds(schema: Any) -> None:
    engine = formgate.compile({"type": "json_object", "schema": schema}, BYTES)
    assert engine.accepts('{"zz": 1}')
    for text in ("{}", '{"a": 1}', "1", "null"):
        assert not engine.accepts(text)


def test_any_object_is_one_under_true() -> None:
    engine = formgate.compile({"type": "json_object", "schema": True}, BYTES)
    assert engine.accepts('{"a": 1}')
    assert not engine.accepts("[]")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (False, "schema: #: the schema false allows no value"),
        ({"type": "string"}, "schema: #: a json_object is an object, and no object is valid"),
        ({"properties": {"a": {"type": "x"}}}, "schema: #/properties/a/type: "),
        ({"type": "object", "properties": {"a": {"type": "x"}}}, "schema: #/properties/a/type: "),
        (3, "response_format: schema is an object or a truth value, not int"),
        (None, "response_format: schema is an object or a truth value, not NoneType"),
    ],
)
def test_errors_in_a_schema_beside_json_object_have_its_places(schema: Any, words: str) -> None:
    assert refused({"type": "json_object", "schema": schema}).reason.startswith(words)


def test_what_is_left_out_beside_json_object_has_its_place() -> None:
    schema = {"properties": {"a": {"type": "array", "not": {"uniqueItems": True}}}}
    report = inspect({"type": "json_object", "schema": schema})
    assert list(report.unenforced) == ["schema: #/properties/a/not/uniqueItems"]


@pytest.mark.parametrize(
    ("source", "words", "remedy"),
    [
        (
            {"type": "json_schema", "json_schema": ANSWER, "schema": {"type": "string"}},
            "response_format has both 'json_schema' and 'schema'",
            "give one of them",
        ),
        (
            {"type": "json_object", "json_schema": ANSWER},
            "response_format of type json_object has 'json_schema'",
            "change the type to json_schema",
        ),
        (
            {"type": "json_object", "properties": {"a": {}}},
            "response_format of type json_object has 'properties'",
            "goes in the schema",
        ),
        (
            {"type": "json_schema", "schema": PARAMETERS, "required": ["b"]},
            "response_format of type json_schema has 'required'",
            "goes in the schema",
        ),
        (
            {"type": "json_schema", "json_schema": {**ANSWER, "enum": [1]}},
            "response_format: json_schema has 'enum'",
            "goes in the schema",
        ),
    ],
)
def test_what_a_response_format_would_ignore(source: Any, words: str, remedy: str) -> None:
    error = refused(source)
    assert error.reason.startswith(words)
    assert remedy in str(error.hint)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            {"type": "json_schema", "json_schema": {"name": "a", "schema": [1]}},
            "response_format: json_schema/schema is an object or a truth value, not list",
        ),
        ({"type": "json_object", "strict": 1}, "response_format: strict is true or false, not 1"),
    ],
)
def test_faults_in_a_response_format(source: Any, words: str) -> None:
    assert refused(source).reason == words


@pytest.mark.parametrize(
    "source",
    [
        {"type": "json_object", "json_schema": None, "strict": True},
        {"type": "json_schema", "json_schema": ANSWER, "schema": None},
        {"type": "json_schema", "json_schema": None, **ANSWER, "title": "t"},
        {"type": "json_schema", "json_schema": ANSWER, "name": "a", "description": "d"},
    ],
)
def test_null_and_notes_in_a_response_format_change_nothing(source: Any) -> None:
    assert formgate.compile(source, BYTES).accepts('{"a": 1}')


# --- definitions of tools ---


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
@pytest.mark.parametrize("schema", ["x", [1], [], 3])
def test_what_is_no_schema_of_arguments(key: str, schema: Any) -> None:
    source = {"name": "f", key: schema}
    words = f"(f): {key} is a schema, not {schema!r}"
    assert refused(source).reason == f"the tool {words}"
    for options in ({}, {"format": "json_schema"}):
        assert refused([source], **options).reason == f"tool 0 {words}"
        assert refused([OTHER, source], **options).reason == f"tool 1 {words}"


@pytest.mark.parametrize("key", ["input_schema", "inputSchema"])
def test_null_is_no_schema_of_arguments_where_one_is_required(key: str) -> None:
    source = {"name": "f", key: None}
    assert refused(source).reason == f"the tool (f): {key} is a schema, not None"
    assert refused([OTHER, source]).reason == f"tool 1 (f): {key} is a schema, not None"


def test_parameters_may_be_null() -> None:
    for source in (
        {"type": "function", "name": "f", "parameters": None},
        {"name": "f", "parameters": None},
    ):
        assert formgate.compile(source, BYTES).accepts("{}")
    both = {"name": "f", "parameters": PARAMETERS, "input_schema": None}
    assert not formgate.compile(both, BYTES).accepts("{}")


@pytest.mark.parametrize("key", ["parameters", "input_schema", "name"])
def test_what_stands_beside_a_definition(key: str) -> None:
    source = {"type": "function", "function": {"name": "f"}, key: {"name": "g"}.get(key, {})}
    for error, where in ((refused(source), "the tool"), (refused([OTHER, source]), "tool 1")):
        assert error.reason == f"{where} (f) has {key!r} beside 'function', where it has no effect"
        assert "inside 'function'" in str(error.hint)
    same = {"type": "function", "function": {"name": "f"}, "name": "f", "parameters": None}
    assert formgate.compile(same, BYTES).accepts("{}")


@pytest.mark.parametrize(
    "tool",
    [
        BEDROCK,
        BEDROCK["toolSpec"],
        {"name": "f", "parametersJsonSchema": PARAMETERS},
        {"name": "f", "parameters_json_schema": PARAMETERS, "response": {"type": "STRING"}},
    ],
)
def test_tools_of_other_interfaces(tool: Any) -> None:
    engine = formgate.compile(tool, BYTES)
    assert engine.accepts('{"a": 1}')
    assert not engine.accepts("{}")
    assert not engine.accepts('{"a": "1"}')
    calls = formgate.compile([OTHER, tool], BYTES)
    assert calls.accepts('{"name": "f", "arguments": {"a": 1}}')
    assert not calls.accepts('{"name": "f", "arguments": {}}')
    assert formgate.compile([tool], BYTES).accepts('{"name": "f", "arguments": {"a": 1}}')


def test_faults_one_step_deeper() -> None:
    source = {"toolSpec": {"name": "f", "inputSchema": {"json": 3}}}
    assert refused([source]).reason == "tool 0 (f): inputSchema/json is a schema, not 3"
    wrong = {"name": "f", "inputSchema": {"json": {"type": "x"}}}
    assert refused([wrong]).reason.startswith("tool 'f': #/type: ")
    assert refused({"toolSpec": {}}).reason == "the tool has no name"


@pytest.mark.parametrize("key", ["function_declarations", "functionDeclarations", "tools"])
def test_objects_around_tools(key: str) -> None:
    source = {key: [{"name": "f", "parameters": PARAMETERS}]}
    error = refused(source)
    assert f"an object with {key!r}, which as a schema would allow any value" in error.reason
    assert error.hint == f"give what stands under {key!r}"
    for position, tools in enumerate([[source], [OTHER, source]]):
        error = refused(tools)
        assert error.reason == f"tool {position} is no tool, but an object around {key!r}"
        assert error.hint == f"give what stands under {key!r}"


@pytest.mark.parametrize(
    "kind", ["web_search", "web_search_preview_2025_03_11", "mcp", "bash_20250124"]
)
def test_tools_of_a_server_are_told_alone_as_in_a_list(kind: str) -> None:
    source = {"type": kind, "name": "x"}
    words = f"is of type {kind!r}, whose arguments are the server's own"
    assert refused(source).reason == f"the tool {words}"
    assert refused([source]).reason == f"tool 0 {words}"
    assert refused([OTHER, source]).reason == f"tool 1 {words}"


@pytest.mark.parametrize(
    "schema",
    [
        {"toolSpec": {}, "type": "object"},
        {"toolSpec": {"name": "f"}, "properties": {}},
        {"toolSpec": "f"},
        {"function_declarations": [], "required": ["a"]},
        {"functionDeclarations": 3},
        {"name": "f", "inputSchema": 3, "type": "object"},
        {"name": "f", "input_schema": [1], "minLength": 2},
        {"properties": {"toolSpec": {}, "inputSchema": {"json": {}}}},
        {"parametersJsonSchema": {}, "$defs": {}},
        {"type": "sting"},
        {"type": "web"},
        {"type": ["web_search"]},
        [{"type": "sting"}],
    ],
)
def test_schemas_with_such_names_are_schemas(schema: Any) -> None:
    assert not is_request(schema)


# --- choices ---


@pytest.mark.parametrize(
    "choice",
    [
        {},
        {"type": None},
        {"name": "f"},
        {"function": {"name": "f"}},
        {"tool": {"name": "f"}},
        {"any": {}},
        {"type": "any", "name": "f"},
        {"type": "function", "name": "f", "function": {"name": "other"}},
        {"type": "allowed_tools", "tools": [{}]},
        {"type": "allowed_tools", "tools": [{"type": "any"}]},
        {"type": "allowed_tools", "tools": ["f", {"name": "f"}]},
        {"type": "allowed_tools", "mode": "f", "tools": ["f"]},
        {"type": "allowed_tools", "allowed_tools": {"tools": "f"}},
    ],
)
def test_choices_that_say_too_little_or_two_things(choice: Any) -> None:
    error = refused([OTHER, {"name": "f", "parameters": {}}], tool_choice=choice)
    assert error.reason == f"tool_choice {choice!r:.80} is not understood"
    assert 'use "required", the name of a tool' in str(error.hint)


@pytest.mark.parametrize("mode", ["any", "required", None])
def test_a_list_of_allowed_tools_holds_in_every_mode(mode: Any) -> None:
    choice = {"type": "allowed_tools", "mode": mode, "tools": [{"type": "tool", "name": "f"}]}
    tools = [OTHER, {"name": "f", "parameters": {}}]
    engine = formgate.compile(tools, BYTES, tool_choice=choice)
    assert engine.accepts('{"name": "f", "arguments": {}}')
    assert not engine.accepts('{"name": "other", "arguments": {}}')


def test_a_choice_that_holds_itself() -> None:
    choice: dict[str, Any] = {"type": "allowed_tools"}
    choice["tools"] = [choice]
    assert "is not understood" in refused([OTHER], tool_choice=choice).reason


@pytest.mark.parametrize("key", ["schema", "args", "arguments", "params"])
def test_schema_of_arguments_under_a_name_that_nothing_reads(key: str) -> None:
    inner = {"name": "f", key: PARAMETERS}
    for source in (
        {"type": "function", **inner},
        {"type": "function", "function": inner},
        {"type": "function", "function": {"name": "f"}, key: PARAMETERS},
        {"type": "function", "name": "f", key: {"oneOf": [PARAMETERS]}},
    ):
        error = refused(source)
        assert error.reason == (
            f"the tool (f) has no parameters, but a schema under {key!r}, where it has no effect"
        )
    for value in ({"a": 1}, {"type": "internal"}):
        tool = {"type": "function", "name": "f", key: value}
        assert formgate.compile(tool, BYTES).accepts("{}")
