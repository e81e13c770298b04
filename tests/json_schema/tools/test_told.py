"""What is said of tools: places in what the user wrote, and reasons that hold there."""

from __future__ import annotations

import enum
import json
from typing import Any

import pytest

import formgate
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import UnenforcedWarning, compile_json_schema, inspect

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
OTHER = {"type": "function", "name": "other", "parameters": {"type": "object"}}
IMPOSSIBLE = {"type": "object", "required": ["x"], "properties": {"x": False}}
Colour = enum.Enum("Colour", {"RED": "red"})


def tool(parameters: Any) -> dict[str, Any]:
    return {"type": "function", "name": "book", "parameters": parameters}


def refused(source: Any, **options: Any) -> formgate.GrammarError:
    with pytest.raises(formgate.GrammarError) as caught:
        formgate.compile(source, BYTES, **options)
    return caught.value


BACK = {"properties": {"x": {"pattern": r"(a)\1"}}}


@pytest.mark.parametrize("parameters", [BACK, {"type": "object"} | BACK])
@pytest.mark.parametrize("before", [[], [OTHER], None])
def test_what_is_relaxed_has_its_place_in_the_tool(parameters: Any, before: Any) -> None:
    book = tool(parameters)
    source = book if before is None else [*before, book]
    with pytest.warns(UnenforcedWarning) as caught:
        compile_json_schema(source, GrammarBuilder(), on_unsupported="relax")
    (message,) = [str(one.message) for one in caught]
    place = "tool 'book': #/properties/x/pattern"
    assert message.startswith(f"{place}: not enforced: pattern at {place}: a back-reference")
    assert list(inspect(source).unenforced) == [place]


def test_remarks_have_their_place_in_the_tool() -> None:
    address = "http://example.org/none"
    part = {"$id": "http://example.org/part", "$schema": address, "format": "no-such"}
    report = inspect([OTHER, tool({"type": "object", "properties": {"x": part}})])
    assert report.unknown_formats == {"no-such": "tool 'book': #/properties/x/format"}
    assert report.unknown_drafts == {address: "tool 'book': #/properties/x/$schema"}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"type": "string"}, "no object is valid under type"),
        ({"type": ["string", "null"], "minLength": 1}, "no object is valid under type"),
        ({"const": 1}, "no object is valid under const"),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
            "no object is valid under $ref",
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "no object satisfies anyOf/0/type and anyOf/1/type together",
        ),
        (
            {"required": ["a"], "additionalProperties": False},
            "no object satisfies required and additionalProperties together",
        ),
    ],
)
@pytest.mark.parametrize("beside", [None, [], [OTHER]])
def test_that_arguments_are_an_object_is_said(parameters: Any, words: str, beside: Any) -> None:
    source = tool(parameters) if beside is None else [*beside, tool(parameters)]
    error = refused(source)
    expected = f"tool 'book': #: the arguments of a tool are an object, and {words}"
    assert error.reason == expected
    assert "#" not in str(error.hint)
    assert ("leave the tool out" in str(error.hint)) is bool(beside)


@pytest.mark.parametrize(("source", "name"), [(list[int], "list"), (Colour, "Colour")])
def test_types_that_are_no_objects_are_no_tools(source: Any, name: str) -> None:
    words = f"tool '{name}': #: the arguments of a tool are an object, and no object is valid"
    assert refused([OTHER, source]).reason.startswith(words)


def test_a_type_beside_allof_counts() -> None:
    schema = {"properties": {"a": {"type": "object", "allOf": [{"type": "string"}]}}}
    error = refused({"type": "object", "required": ["a"], **schema})
    assert error.reason == "#/properties/a: no value satisfies type and allOf/0/type together"
    within = {"type": "object", "allOf": [IMPOSSIBLE]}
    assert refused(within).reason.startswith("#/allOf/0/properties/x: the schema false")


@pytest.mark.parametrize("source", [[tool(IMPOSSIBLE)], [OTHER, tool(IMPOSSIBLE)]])
def test_hints_have_their_place_in_the_tool(source: Any) -> None:
    for options in ({}, {"tool_choice": "book"}):
        error = refused(source, **options)
        assert error.reason.startswith("tool 'book': #/properties/x: the schema false")
        assert "as tool 'book': #/required does" in str(error.hint)
    error = refused(source, tool_choice="none")
    assert "tool_choice" in error.reason


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([OTHER, int], "tool 1 is int, which has no arguments"),
        ([int, OTHER], "tool 0 is int, which has no arguments"),
        ([OTHER, "other"], "tool 1 is 'other', which has no arguments"),
        ([OTHER, None], "tool 1 is None, which has no arguments"),
        ((OTHER, 5.0), "tool 1 is 5.0, which has no arguments"),
        ([str, int], "tool 0 is str, which has no arguments"),
        ([OTHER, {"a": 1}], "tool 1 has no name"),
    ],
)
def test_what_is_no_tool_in_a_list(source: Any, words: str) -> None:
    for options in ({}, {"format": "json_schema"}):
        assert refused(source, **options).reason.startswith(words)


def test_lists_without_tools() -> None:
    assert "or one tool" in str(refused([]).hint)
    for source in ([], [{"type": "string"}], ()):
        error = refused(source, format="json_schema")
        assert "a list is one of tools" in str(error.hint)
    assert refused([{"type": "string"}]).reason.startswith("no format takes a source of type list")


CHAT = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
ANSWER = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "string"}}}


@pytest.mark.parametrize(
    "request_",
    [
        *(OTHER, CHAT, [OTHER], [CHAT, OTHER], ANSWER, ANSWER["json_schema"]),
        *({"name": "f", "input_schema": {}}, {"schema": {}}, {"type": "json_object"}),
        *({"response_format": ANSWER}, {"tools": [CHAT]}, {"type": "text"}),
    ],
)
def test_texts_and_files_hold_schemas_alone(request_: Any, tmp_path: Any) -> None:
    """Taken as schemas, most of these would allow any value."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(request_))
    for source in (path, json.dumps(request_), "\n" + json.dumps(request_, indent=1)):
        error = refused(source, format="json_schema")
        named = f"{path}: " if source is path else ""
        assert error.reason.startswith(f"{named}this is no JSON Schema, but tools, a response")
        assert "json.loads" in str(error.hint)


@pytest.mark.parametrize(
    "schema",
    [
        {"schema": {}, "type": "object"},
        {"name": "f", "parameters": {}, "minLength": 2},
        {"properties": {"parameters": {"type": "object"}, "name": {}}, "parameters": 1},
        {"type": ["object"], "schema": {}},
    ],
)
def test_schemas_with_such_names_are_schemas(schema: Any) -> None:
    compile_json_schema(json.dumps(schema), GrammarBuilder())


def test_endings_of_files_may_be_in_capitals(tmp_path: Any) -> None:
    path = tmp_path / "a.JSON"
    path.write_text('{"type": "null"}')
    assert formgate.compile(path, BYTES).accepts("null")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("5", "a schema is an object or a truth value, not a number: '5'"),
        ("null", "a schema is an object or a truth value, not null: 'null'"),
        ("\n[1]", "a schema is an object or a truth value, not an array: '[1]'"),
        ("type: string", "the schema is not JSON: "),
    ],
)
def test_of_files_nothing_is_said_that_holds_for_texts(
    text: str, words: str, tmp_path: Any
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    error = refused(path)
    assert error.reason.startswith(f"{path}: {words}")
    assert "Path" not in str(error.hint)
    told = refused(text, format="json_schema")
    assert told.reason.startswith(words.replace("file", "text"))
    assert ("pathlib.Path" in str(told.hint)) is bool(text.strip())
