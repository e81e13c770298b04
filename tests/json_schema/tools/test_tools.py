"""Tool definitions and response formats: what they ask for, and what is no such request."""

from __future__ import annotations

import dataclasses

import pydantic
import pytest
from jsonschema import Draft202012Validator

from formgate import GrammarError, ParseError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import Validator, compile_json_schema, inspect
from formgate.plugins.json_schema._parse import read_text
from formgate.plugins.json_schema._tools import is_request
from formgate.plugins.json_schema._types import claims, schema_source
from formgate.plugins.json_schema._write import retold

PARAMETERS = {
    "type": "object",
    "properties": {"place": {"$ref": "#/$defs/place"}},
    "required": ["place"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "string", "maxLength": 5}},
}
CHAT = {"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}
RESPONSES = {"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": True}
ANTHROPIC = {"name": "weather", "description": "The weather.", "input_schema": PARAMETERS}
MCP = {"name": "weather", "title": "Weather", "inputSchema": PARAMETERS, "annotations": {}}
NOW = {"type": "function", "function": {"name": "now"}}


def valid(source, instance, **options):
    return Draft202012Validator(schema_source(source, options)).is_valid(instance)


@pytest.mark.parametrize("tool", [CHAT, RESPONSES, ANTHROPIC, MCP])
def test_one_tool_stands_for_its_arguments(tool):
    assert claims(tool)
    assert valid(tool, {"place": "Oslo"})
    assert not valid(tool, {"place": "Reykjavik"})
    assert not valid(tool, {})
    assert not valid(tool, "Oslo")


def test_a_tool_without_parameters_takes_none():
    assert valid(NOW, {})
    assert not valid(NOW, {"zone": 1})


@pytest.mark.parametrize("schema", [True, {}, {"properties": {"a": {"type": "integer"}}}])
def test_arguments_are_an_object(schema):
    tool = {"type": "function", "name": "f", "parameters": schema}
    assert valid(tool, {"a": 1})
    assert not valid(tool, [1])


def test_arguments_described_by_a_reference():
    recursive = {"$ref": "#/$defs/node", "$defs": {"node": {"items": {"$ref": "#/$defs/node"}}}}
    tool = {"type": "function", "name": "f", "parameters": recursive}
    assert valid(tool, {})
    assert not valid(tool, [])
    assert valid([tool, NOW], {"name": "f", "arguments": {}})


@pytest.mark.parametrize("tool", [CHAT, RESPONSES, ANTHROPIC, MCP])
def test_a_list_of_tools_stands_for_a_call(tool):
    source = [NOW, tool]
    assert claims(source)
    assert valid(source, {"name": "now", "arguments": {}})
    assert valid(source, {"name": "weather", "arguments": {"place": "Oslo"}})
    assert not valid(source, {"name": "now", "arguments": {"place": "Oslo"}})
    assert not valid(source, {"name": "weather", "arguments": {}})
    assert not valid(source, {"name": "other", "arguments": {}})
    assert not valid(source, {"name": "now"})
    assert valid([NOW], {"name": "now", "arguments": {}})


def test_references_keep_their_meaning_in_a_list():
    def named(name, kind):
        parameters = {
            "$ref": "#/$defs/args",
            "$defs": {"args": {"properties": {"x": {"type": kind}}}},
        }
        return {"name": name, "input_schema": parameters}

    source = [named("a", "integer"), named("b", "string")]
    assert valid(source, {"name": "a", "arguments": {"x": 1}})
    assert not valid(source, {"name": "a", "arguments": {"x": "1"}})
    assert valid(source, {"name": "b", "arguments": {"x": "1"}})
    assert not valid(source, {"name": "b", "arguments": {"x": 1}})


def test_an_address_of_its_own_is_kept():
    tool = {
        "name": "a",
        "input_schema": {
            "$id": "https://example.org/a",
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"x": {"$ref": "#/definitions/x"}},
            "definitions": {"x": {"type": "integer"}},
        },
    }
    assert valid([tool, NOW], {"name": "a", "arguments": {"x": 1}})
    assert not valid([tool, NOW], {"name": "a", "arguments": {"x": "1"}})


@pytest.mark.parametrize(
    "choice",
    [
        "weather",
        {"type": "function", "function": {"name": "weather"}},
        {"type": "function", "name": "weather"},
        {"type": "tool", "name": "weather"},
        {
            "type": "allowed_tools",
            "mode": "required",
            "tools": [{"type": "function", "name": "weather"}],
        },
        {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "required", "tools": [{"type": "tool", "name": "weather"}]},
        },
    ],
)
def test_the_choice_of_a_tool(choice):
    call = {"name": "weather", "arguments": {"place": "Oslo"}}
    assert valid([NOW, CHAT], call, tool_choice=choice)
    assert not valid([NOW, CHAT], {"name": "now", "arguments": {}}, tool_choice=choice)


@pytest.mark.parametrize("choice", ["required", "any", {"type": "any"}, None])
def test_any_tool(choice):
    assert valid([NOW, CHAT], {"name": "now", "arguments": {}}, tool_choice=choice)


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        ("auto", UnsupportedConstraint),
        ("none", UnsupportedConstraint),
        ({"type": "auto"}, UnsupportedConstraint),
        ({"type": "allowed_tools", "mode": "auto", "tools": [NOW]}, UnsupportedConstraint),
        ("nothing", GrammarError),
        ({"type": "function", "function": {"name": "nothing"}}, GrammarError),
        ({"type": "function"}, GrammarError),
        ({"type": "tool", "name": 3}, GrammarError),
        ({"type": "allowed_tools", "tools": []}, GrammarError),
        (3, GrammarError),
        ([], GrammarError),
    ],
)
def test_choices_that_cannot_be_met(choice, error):
    with pytest.raises(error) as caught:
        schema_source([NOW, CHAT], {"tool_choice": choice})
    assert caught.value.hint


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ([{"type": "function", "function": {}}], GrammarError, "tool 0 has no name"),
        ([{"type": "function", "name": ""}], GrammarError, "tool 0 has no name"),
        ([{"type": "function", "function": 3}], GrammarError, "tool 0 has no name"),
        ([NOW, NOW], GrammarError, "'now'"),
        ([{"name": "\ud800", "input_schema": {}}], GrammarError, "surrogate"),
        ([{"type": "custom", "name": "code"}], UnsupportedConstraint, "custom tool"),
        ([{"type": "custom", "custom": {"name": "sql"}}], UnsupportedConstraint, r"\(sql\)"),
        ([NOW, {"type": "web_search"}], UnsupportedConstraint, "tool 1 is of type 'web_search'"),
        ({"type": "function", "name": "f", "parameters": 3}, GrammarError, "parameters"),
        ({"type": "function", "name": "f", "strict": "yes"}, GrammarError, "strict"),
        (
            {"type": "function", "name": "f", "parameters": {}, "input_schema": {}},
            GrammarError,
            "both",
        ),
        ({"type": "text"}, GrammarError, "constrains nothing"),
        ({"type": "json_schema"}, GrammarError, "has no schema"),
        ({"type": "json_schema", "json_schema": []}, GrammarError, "list"),
        ({"type": "json_schema", "schema": 3}, GrammarError, "int"),
        ({"type": "json_schema", "schema": {}, "strict": 1}, GrammarError, "strict"),
        ([lambda **others: None], UnsupportedConstraint, "others"),
    ],
)
def test_malformed_requests(source, error, message):
    with pytest.raises(error, match=message):
        schema_source(source, {})


@pytest.mark.parametrize(
    "draft", ["draft-04/schema#", "draft-04/hyper-schema#", "draft-05/schema#", "draft-07/schema#"]
)
@pytest.mark.parametrize("alone", [True, False])
def test_references_in_schemas_of_other_drafts(draft, alone):
    arguments = {"type": "object", "properties": {"n": {"$ref": "#/definitions/n"}}}
    number = {"minimum": 1, "exclusiveMinimum": True}
    schema = {
        "$schema": f"http://json-schema.org/{draft}",
        **({"$ref": "#/definitions/all"} if alone else arguments),
        "definitions": {
            "n": {"exclusiveMinimum": 1} if "07" in draft else number,
            "all": arguments,
        },
    }
    tool = {"name": "f", "input_schema": schema}
    call = Validator(schema_source([tool, NOW], {}))
    assert call.is_valid({"name": "f", "arguments": {"n": 2}})
    assert not call.is_valid({"name": "f", "arguments": {"n": 1}})
    one = Validator(schema_source(tool, {}))
    assert one.is_valid({"n": 2})
    assert not one.is_valid({"n": 1})


def test_schemas_that_hold_themselves():
    schema = {"type": "object"}
    schema["properties"] = {"again": schema, "list": {"items": [schema]}}
    source = schema_source([{"name": "f", "input_schema": schema}, NOW], {})
    assert source["anyOf"][0]["properties"]["arguments"] is schema


def test_many_tools():
    tools = [{**NOW["function"], "name": f"t{n}", "parameters": {}} for n in range(3000)]
    assert len(schema_source(tools, {})["anyOf"]) == 3000
    with pytest.raises(GrammarError, match="'t7'"):
        schema_source([*tools, tools[7]], {})


@pytest.mark.parametrize(
    "source",
    [
        {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "integer"}}},
        {"type": "json_schema", "name": "n", "strict": True, "schema": {"type": "integer"}},
        {"name": "n", "strict": True, "description": "d", "schema": {"type": "integer"}},
    ],
)
def test_response_formats(source):
    assert claims(source)
    assert schema_source(source, {}) == {"type": "integer"}


def test_any_object():
    assert schema_source({"type": "json_object"}, {}) == {"type": "object"}


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"type": "object"},
        {"type": ["string"]},
        {"name": "a", "description": "no tool"},
        {"name": "a", "parameters": {}, "properties": {}},
        [{"name": "a", "schema": {}}],
        {"properties": {"type": "function"}},
        [],
        [{"type": "object"}],
        ["a"],
        [1, 2],
        "x",
        None,
    ],
)
def test_what_is_no_request(source):
    assert not is_request(source)


# --- functions and types among the tools ---


@dataclasses.dataclass
class Order:
    dish: str
    count: int = 1


class Person(pydantic.BaseModel):
    name: str
    friends: list[Person] = []


def greet(who: Person, *, loud: bool = False):
    """Say hello."""


def test_functions_and_types_are_tools():
    source = [greet, Order, Person, CHAT]
    assert claims(source)
    person = {"name": "Ada", "friends": [{"name": "Bob"}]}
    assert valid(source, {"name": "greet", "arguments": {"who": person}})
    assert valid(source, {"name": "Person", "arguments": person})
    assert valid(source, {"name": "Order", "arguments": {"dish": "soup"}})
    assert not valid(source, {"name": "Order", "arguments": {"count": 2}})
    assert not valid(source, {"name": "greet", "arguments": person})


def test_calls_are_read_back():
    source = [greet, Order, CHAT]
    text = '{"name": "greet", "arguments": {"who": {"name": "Ada"}}}'
    assert read_text(source, {}, text, {}) == {
        "name": "greet",
        "arguments": {"who": Person(name="Ada")},
    }
    text = '{"name": "Order", "arguments": {"dish": "soup", "count": 2.0}}'
    assert read_text(source, {}, text, {})["arguments"] == Order("soup", 2)
    text = '{"arguments": {"place": "Oslo"}, "name": "weather"}'
    assert read_text(source, {}, text, {}) == {"name": "weather", "arguments": {"place": "Oslo"}}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "other", "arguments": {}}',
        '{"name": "Order"}',
        '{"name": "Order", "arguments": {"dish": 3}}',
        "[]",
    ],
)
def test_calls_that_are_none(text):
    with pytest.raises(ParseError):
        read_text([greet, Order], {}, text, {})


def test_the_place_of_a_wrong_argument():
    with pytest.raises(ParseError) as caught:
        read_text([Order], {}, '{"name": "Order", "arguments": {"dish": 3}}', {})
    assert caught.value.path == ("arguments", "dish")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"type": "function", "function": {"name": "f", "parameters": {"type": "x"}}}, "#/type: "),
        ({"name": "f", "input_schema": {"anyOf": [{"type": "x"}]}}, "#/anyOf/0/type: "),
        ([{"name": "f", "input_schema": {"type": "x"}}], "#/type: "),
        ([CHAT, {"name": "f", "input_schema": {"$ref": "#/no"}}], "#/$ref: "),
        (
            [NOW, CHAT, {"name": "f", "parameters": {"type": "object", "required": 1}}],
            "#/required:",
        ),
        (
            [{"name": f"f{i}", "parameters": {"type": "object"}} for i in range(11)]
            + [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"items": 1}}}}],
            "#/properties/a/items: ",
        ),
    ],
)
def test_errors_name_the_tool_and_the_place_in_it(source, words):
    with pytest.raises(GrammarError) as caught:
        compile_json_schema(source, GrammarBuilder())
    assert str(caught.value).startswith(f"tool 'f': {words}")
    assert caught.value.args[0] == caught.value.reason


def test_what_is_left_out_names_the_tool():
    lists = {"type": "array", "not": {"uniqueItems": True}}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"a": lists}}}
    assert list(inspect([NOW, tool]).unenforced) == ["tool 'f': #/properties/a/not/uniqueItems"]


def test_places_are_retold_step_by_step():
    origins = {"#/anyOf/1": "tool 'b': #", "#/anyOf/1/allOf/0": "tool 'b': #", "#": "tool 'a': #"}
    assert retold("#/anyOf/1/allOf/0/type: no", origins) == "tool 'b': #/type: no"
    assert retold("#/anyOf/10/type and #/anyOf/1: no", origins) == (
        "tool 'a': #/anyOf/10/type and tool 'b': #: no"
    )
    assert retold("'#/anyOf/1' leads nowhere", origins) == "'#/anyOf/1' leads nowhere"
