"""Texts that outputs of a schema are likely to resemble: valid where little is asked."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict
from typing import Any

import hypothesis
import jsonschema
import pytest
from compiled import byte_vocabulary
from hypothesis import strategies as st
from plain_schemas import plain_schemas
from random_schemas import schemas

import formgate
from formgate.core._native import likely_text
from formgate.core.compiler import build_grammar
from formgate.core.errors import GrammarError, LimitError

NAMED = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
ORDINARY = [
    True,
    {},
    {"type": "null"},
    {"type": ["null", "boolean"]},
    {"const": 'a"\\\n\x01é'},
    {"enum": ["b", 1, None]},
    {"type": "string", "maxLength": 0},
    {"type": "string", "minLength": 7, "maxLength": 9},
    {"minLength": 3},
    NAMED,
    {**NAMED, "required": ["b", "c", "a"], "additionalProperties": {"type": "boolean"}},
    {"properties": {"a": False, "b": NAMED}, "additionalProperties": False},
    {"type": "object", "additionalProperties": NAMED},
    {"allOf": [{"$ref": "#/$defs/x"}, NAMED], "type": "object", "$defs": {"x": NAMED}},
    {"$ref": "#/$defs/x", "$defs": {"x": {"type": "array", "items": NAMED}}},
    {"type": "array", "minItems": 3, "items": {"type": "number"}},
    {"type": "array", "maxItems": 0},
    {"prefixItems": [NAMED, {"type": "null"}], "items": False},
    {"type": "array", "prefixItems": [NAMED], "items": {"type": "null"}, "minItems": 3},
    {"anyOf": [{"type": "null"}, NAMED]},
    {"oneOf": [{"$ref": "#/$defs/a~b"}], "$defs": {"a~b": NAMED}},
    {"type": "object", "$ref": "#/$defs/x", "properties": {"z": {}}, "$defs": {"x": NAMED}},
    {**NAMED, "anyOf": [{"required": ["c"]}, {"required": ["d"]}]},
    {**NAMED, "oneOf": [{"properties": {"c": {"const": "x"}}, "required": ["c"]}]},
    {
        "type": "object",
        "properties": {"z": {}},
        "allOf": [{"$ref": "#/$defs/x"}, {"required": ["y"]}],
        "$defs": {"x": NAMED},
    },
    {"type": "object", "properties": {"a": {"minLength": 100}, "b": {"type": "null"}}},
    *({"type": "string", "format": form} for form in ["date", "date-time", "time", "uuid", "ipv6"]),
    *({"type": "string", "format": form} for form in ["email", "uri", "hostname", "duration"]),
]
IN_PIECES = [
    {"type": "string", "pattern": "^[0-9]{2}[A-Z]$"},
    {"maximum": 5},
    {"type": "string", "format": "idn-email", "minLength": 9},
    {"type": "string", "format": "ipv4", "minLength": 9},
    {"type": "integer", "minimum": 1000},
    {"type": "integer", "multipleOf": 7, "exclusiveMinimum": 7},
    {"enum": [{"a": 1}]},
    {"const": 1.5},
    {"not": {"type": ["null", "string", "number", "array", "boolean"]}},
    {"type": "object", "properties": {"a": {"pattern": "b+$"}, "c": {"minimum": 5}}},
    {"type": "array", "items": {"type": "string", "pattern": "^x"}, "minItems": 2},
    {"$ref": "#/$defs/a%20b", "$defs": {"a b": {"type": "null"}}},
]
SPACINGS: list[dict[str, Any]] = [
    {},
    {"separators": (", ", ": ")},
    {"separators": (",", ":")},
    {"whitespace": "compact"},
    {"max_blanks": 0},
    {"indent": 2},
    {"indent": 0},
    {"property_order": "any"},
]


def pieces_of(schema: Any, size: int = 10_000) -> list[bytes]:
    return likely_text(schema, size, comma=", ", colon=": ", indent=None)


@pytest.mark.parametrize("schema", ORDINARY, ids=str)
def test_texts_are_valid(schema: Any) -> None:
    (piece,) = pieces_of(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(piece))
    whole = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert whole.warm_up(piece) == len(piece)


@pytest.mark.parametrize("schema", IN_PIECES, ids=str)
def test_what_is_not_known_is_found(schema: Any) -> None:
    pieces = pieces_of(schema)
    assert len(pieces) > 1
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema", warm_up=False)
    assert engine.warm_up(pieces) > sum(map(len, pieces))


@pytest.mark.parametrize("options", SPACINGS, ids=str)
def test_white_space_is_that_of_the_options(options: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"x": NAMED, "y": {"items": NAMED}}}
    grammar = build_grammar(schema, format="json_schema", **options)
    assert grammar.likely is not None
    (piece,) = grammar.likely(1000)
    assert json.loads(piece) == {"x": {"a": 1, "b": "a"}, "y": [{"a": 1, "b": "a"}]}
    engine = grammar.compile(byte_vocabulary())
    assert engine.accepts(piece)
    usual = {"indent": options.get("indent"), "separators": options.get("separators")}
    if "whitespace" in options or "max_blanks" in options:
        usual["separators"] = (",", ":")
    assert piece.decode() == json.dumps(json.loads(piece), **usual)


def test_strings_are_spelled_as_json_dumps_does() -> None:
    for text in [*map(chr, range(0x20)), '"', "\\", "/", "\x7f", "é", "\U0001f600"]:
        (piece,) = pieces_of({"const": text})
        assert piece.decode() == json.dumps(text, ensure_ascii=False)
        schema = {"const": text}
        engine = formgate.compile(
            schema, byte_vocabulary(), format="json_schema", escapes="canonical"
        )
        assert engine.accepts(piece)


@pytest.mark.parametrize("size", [0, 1, 2, 20, 100])
def test_texts_end_where_they_are_long_enough(size: int) -> None:
    schema = {"type": "object", "properties": {f"name{i}": NAMED for i in range(1000)}}
    text = b"".join(pieces_of(schema, size))
    assert len(text) < size + 20
    assert b"".join(pieces_of(schema, 10_000)).startswith(text)


@pytest.mark.parametrize(
    "schema",
    [
        {
            "$defs": {"n": {"anyOf": [{"type": "null"}] * 5000}},
            "properties": {f"k{i}": {"$ref": "#/$defs/n"} for i in range(5000)},
        },
        {
            "$defs": {f"d{i}": {"type": "null"} for i in range(50_000)},
            "properties": {f"k{i}": {"$ref": "#/$defs/d49999"} for i in range(5000)},
        },
        {"type": "object", "required": ["a"] * 10_000_000},
        {"type": "object", "properties": {f"k{i}": False for i in range(100_000)}},
        {"type": "object", "allOf": [{}] * 10_000_000},
    ],
    ids=["alternatives", "definitions", "names", "members", "parts"],
)
def test_schemas_that_say_little_with_much_are_left_early(schema: Any) -> None:
    for size in (10, 1000):
        assert len(b"".join(pieces_of(schema, size))) < 2 * size + 20


class Name(str):
    __slots__ = ()


class Apart(str):
    """A text that differs from others like it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Kind(str, enum.Enum):
    TEXT = "string"


CIRCLE: dict[str, Any] = {"type": "array"}
CIRCLE["items"] = CIRCLE
DEEP: dict[str, Any] = {}
for _ in range(5000):
    DEEP = {"type": "array", "items": DEEP, "minItems": 4}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        1,
        "a",
        [],
        {1: 2},
        {"type": 1},
        {"type": []},
        {"type": [None]},
        {"type": ["null"]},
        {"type": "nonsense"},
        {"type": Kind.TEXT},
        {Apart("type"): "object" for _ in range(1000)},
        {"enum": []},
        {"enum": {}},
        {"const": float("nan")},
        {"const": "\ud800"},
        {"const": object()},
        {"properties": []},
        {"properties": {1: {}, "\ud800": {}, Name("b"): {"type": "null"}}},
        {"required": [1, None, "a", "a"]},
        {"required": "a"},
        {"type": "array", "items": None, "prefixItems": {}, "minItems": "1", "maxItems": -1},
        {"type": "array", "minItems": 2**70},
        {"type": "string", "minLength": 2**31, "maxLength": "1"},
        {"type": "string", "minLength": -5, "format": 1},
        {"allOf": [None, {"$ref": 1}, {"$ref": "#/nowhere"}, {"properties": 1}], "type": "object"},
        {"anyOf": []},
        {"anyOf": [None]},
        {"oneOf": {"a": 1}},
        {"$ref": "#"},
        {"$ref": "#/$ref"},
        {"$ref": "#//"},
        {"$ref": "https://example.com/"},
        {"$ref": ""},
        {"additionalProperties": {"$ref": "#"}},
        OrderedDict(type="object"),
        CIRCLE,
        DEEP,
    ],
)
def test_nothing_is_fatal(schema: Any) -> None:
    for size in (0, 3, 100_000):
        text = b"".join(pieces_of(schema, size))
        assert len(text) < 2_000_000
        text.decode()


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(schema=st.one_of(schemas(), plain_schemas()), size=st.integers(0, 300))
def test_any_schema_has_a_text(schema: Any, size: int) -> None:
    pieces = pieces_of(schema, size)
    try:
        engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    except (GrammarError, LimitError):
        return
    engine.warm_up(pieces)


def test_most_of_plain_schemas_is_followed() -> None:
    followed = whole = 0

    @hypothesis.settings(max_examples=100, deadline=None, derandomize=True)
    @hypothesis.given(schema=plain_schemas())
    def count(schema: Any) -> None:
        nonlocal followed, whole
        pieces = pieces_of(schema)
        try:
            engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
        except (GrammarError, LimitError):
            return
        followed += engine.warm_up(pieces)
        whole += sum(map(len, pieces))

    count()
    assert followed > whole / 3, (followed, whole)
