"""`contentMediaType` and `contentEncoding`: constants, what is refused, where nothing is said."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from compiled import byte_vocabulary
from content_oracle import ENCODERS
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import (
    EmptyLanguageError,
    GrammarError,
    LimitError,
    UnsupportedConstraint,
)
from formgate.plugins.json_schema import UnenforcedWarning, _read, inspect
from formgate.plugins.json_schema._drafts import BY_NAME, keywords_of

JSON = "application/json"
NEW = ["7", "2019-09", "2020-12"]


def compiled(schema: Any, **options: Any) -> formgate.Engine:
    given_options = {"content": "assert", **options}
    return formgate.compile(schema, byte_vocabulary(), format="json_schema", **given_options)


# --- media types of constants ---

TEXT = '{"a":[1,-0.5e3,null,"\\u00e9é"],"b":true}'


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, len(TEXT) - 1),
    st.integers(0, 2),
    st.sampled_from(["", *'{}[]",:.-+e0 \\\t\n\v']),
)
def test_json_in_a_constant(place: int, gone: int, put: str) -> None:
    text = TEXT[:place] + put + TEXT[place + gone :]
    expected = compiled(True).accepts(text.strip(" \t\n"))  # another reader of JSON
    for encode, beside in ((str, {}), (coded, {"contentEncoding": "base64"})):
        schema = {"enum": [encode(text), 7], "contentMediaType": JSON, **beside}
        engine = compiled(schema)
        assert engine.accepts(json.dumps(encode(text))) == expected
        assert engine.accepts("7")


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("content", "media", "encoding", "valid"),
    [
        (b"NaN", JSON, "base64", False),
        (b"[Infinity]", JSON, "base64", False),
        (b"1" * 5000, JSON, "base64", True),
        (b"\xff", JSON, "base64", False),
        (b'"\xc3\xa9"', JSON, "base64", True),
        (b"\xef\xbb\xbf1", JSON, "base64", False),
        (b"", JSON, "base64", False),
        (b'{"a":1,"a":2}', JSON, "base64", True),
        (b"{}", "Application/JSON; charset=utf-8", "BASE64", True),
        (b"\xff", "text/plain; charset=UTF-8", "base64", False),
        (b"\xc3\xa9", 'text/plain;charset="utf-8"', "base64", True),
        (b"\xc3\xa9", "text/plain; charset=us-ascii", "base64", False),
        (b"a", "text/plain; charset=us-ascii", "base32", True),
        (b"\xff\xfe", "application/octet-stream", "base16", True),
        (b"[1]", JSON, "base64url", True),
        (b"[1]", JSON, "base32hex", True),
        (b'{"a":"=\t b"}', JSON, "quoted-printable", False),  # a tab stands for itself
        (b'{"a":"= b"}', JSON, "quoted-printable", True),
        (b"[1", JSON, "quoted-printable", False),
    ],
)
def test_contents_of_constants(content: bytes, media: str, encoding: str, valid: bool) -> None:
    text = ENCODERS[encoding.lower()](content)
    schema = {"contentMediaType": media, "contentEncoding": encoding, "enum": [text, "%", None]}
    engine = compiled(schema)
    assert engine.accepts(json.dumps(text)) is valid
    assert not engine.accepts('"%"')
    assert engine.accepts("null")


def test_a_constant_in_another_schema_counts() -> None:
    listed = {"enum": ["{}", "{:}", 1]}
    for schema in (
        {"allOf": [listed, {"contentMediaType": JSON}]},
        {"allOf": [{"pattern": r"^\{:?\}$"}, {"contentMediaType": JSON}]},
    ):
        engine = compiled(schema)
        assert engine.accepts('"{}"')
        assert not engine.accepts('"{:}"')
    assert compiled({**listed, "not": {"contentMediaType": JSON}}).accepts('"{:}"')


def test_a_constant_that_is_not_of_its_type_leaves_nothing() -> None:
    with pytest.raises(EmptyLanguageError, match="const, contentMediaType and contentEncoding"):
        compiled({"const": "ezp9", "contentMediaType": JSON, "contentEncoding": "base64"})
    with pytest.raises(EmptyLanguageError, match="#/properties/a: no value satisfies"):
        compiled(
            {
                "properties": {"a": {"type": "string", "contentEncoding": "base64", "const": "%"}},
                "required": ["a"],
                "type": "object",
            }
        )


def test_json_that_is_nested_too_deeply_is_told() -> None:
    with pytest.raises(LimitError, match="nested too deeply"):
        compiled({"const": "[" * 200_000, "contentMediaType": JSON})


# --- what is refused, and where it does not matter ---


@pytest.mark.parametrize(
    ("said", "keyword", "words"),
    [
        ({"contentMediaType": JSON}, "contentMediaType", "JSON inside a string is no regular"),
        (
            {"contentMediaType": JSON, "contentEncoding": "base64"},
            "contentMediaType",
            "JSON in base64 inside a string is no regular language",
        ),
        ({"contentMediaType": "image/png"}, "contentMediaType", "'image/png' cannot be checked"),
        ({"contentMediaType": "no type"}, "contentMediaType", "'no type' cannot be checked"),
        (
            {"contentMediaType": "application/json; profile=x"},
            "contentMediaType",
            "cannot be checked",
        ),
        (
            {"contentMediaType": "text/plain; charset=utf-8", "contentEncoding": "base64"},
            "contentMediaType",
            "no pattern says that base64 decodes to utf-8",
        ),
        (
            {"contentMediaType": "text/plain", "contentEncoding": "base64"},
            "contentMediaType",
            "in which charset is not said",
        ),
        ({"contentEncoding": "rot13"}, "contentEncoding", "'rot13' is no encoding that is known"),
        ({"contentEncoding": "8bit"}, "contentEncoding", "lines of at most 998 octets"),
    ],
)
def test_what_cannot_be_enforced_is_refused(said: Any, keyword: str, words: str) -> None:
    schema = {"type": "object", "properties": {"a/b": {**said, "maxLength": 3}}}
    place = f"#/properties/a~1b/{keyword}"
    with pytest.raises(UnsupportedConstraint, match=re.escape(words)) as caught:
        compiled(schema)
    assert str(caught.value).startswith(f"{place}: ")
    assert 'content="annotate" leaves contentEncoding and contentMediaType out' in str(caught.value)
    with pytest.warns(UnenforcedWarning, match=re.escape(f"{place}: not enforced: ")):
        engine = compiled(schema, on_unsupported="relax")
    assert engine.accepts('{"a/b": "abc"}') == (said.get("contentEncoding") != "base64")
    assert not engine.accepts('{"a/b": "abcd "}')  # the rest is enforced
    assert list(inspect(schema, content="assert").unenforced) == [place]
    compiled(schema, content="annotate")


@pytest.mark.parametrize(
    "beside",
    [
        {"type": ["integer", "null"]},
        {"const": 3},
        {"enum": [3, [], None]},
        {"not": {"type": "string"}},
    ],
)
@pytest.mark.parametrize("media", [JSON, "image/png"])
def test_what_no_string_reaches_does_not_matter(beside: Any, media: str) -> None:
    schema = {**beside, "contentMediaType": media}
    if "not" in beside and media != JSON:
        assume_refused(schema)
    else:
        assert compiled(schema).accepts("3")
        assert not compiled(schema).accepts('"{}"')


def assume_refused(schema: Any) -> None:
    """A type that no constant is decided for is refused as it is read, as a pattern is."""
    with pytest.raises(UnsupportedConstraint):
        compiled(schema)


def test_text_that_is_no_more_than_text() -> None:
    for name in ("text/plain", "TEXT/Plain; charset=utf-8", "application/octet-stream"):
        assert compiled({"contentMediaType": name}).accepts('"é\\n"')
    engine = compiled({"contentMediaType": "text/plain; charset=us-ascii"})
    assert engine.accepts('"a\\u0000\\n"')
    assert not engine.accepts('"é"')
    both = {"contentMediaType": "application/octet-stream", "contentEncoding": "base64"}
    assert compiled(both).accepts('"YQ=="')
    assert not compiled(both).accepts('"YQ="')


@pytest.mark.parametrize("keyword", ["contentEncoding", "contentMediaType"])
@pytest.mark.parametrize("draft", NEW)
@pytest.mark.parametrize("value", [1, None, ["base64"], {}])
def test_values_of_a_wrong_type(keyword: str, draft: str, value: Any) -> None:
    schema = {"properties": {"a": {"type": "integer", keyword: value}}}
    words = f"#/properties/a/{keyword}: this is no JSON Schema of draft {draft}"
    with pytest.raises(GrammarError, match=re.escape(words)):
        compiled(schema, draft=draft)
    compiled(schema, draft=draft, content="annotate")


# --- where nothing is asserted ---

SILENT = [
    {"contentEncoding": "base64"},
    {"contentMediaType": JSON},
    {"contentEncoding": 5, "contentMediaType": ["image/png"], "contentSchema": 3},
]


@pytest.mark.parametrize("said", SILENT, ids=str)
@pytest.mark.parametrize(
    "options",
    [
        *({"draft": draft, "content": "annotate"} for draft in BY_NAME),
        *({"draft": draft, "content": "assert"} for draft in ("4", "6")),
    ],
    ids=str,
)
def test_annotations_allow_everything(said: Any, options: Any) -> None:
    schema = {"type": "object", "properties": {"a": said, "b": {"type": "string", **said}}}
    engine = compiled(schema, **options)
    default = formgate.compile(
        schema, byte_vocabulary(), format="json_schema", draft=options["draft"]
    )
    for text in ('{"a": "%", "b": "{:}"}', '{"a": 1}', '{"b": 1}'):
        assert engine.accepts(text) == default.accepts(text) == (text != '{"b": 1}')
    assert inspect(schema, **options).unenforced == {}


def test_the_draft_of_each_part_counts() -> None:
    old = {"$schema": "http://json-schema.org/draft-06/schema#", "$id": "urn:old"}
    new = {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:new"}
    parts = {"a": {**old, "contentEncoding": "base64"}, "b": {**new, "contentEncoding": "base64"}}
    engine = compiled({"properties": parts})
    assert engine.accepts('{"a": "%", "b": "YQ=="}')
    assert not engine.accepts('{"a": "YQ==", "b": "%"}')


def test_a_schema_inside_says_nothing() -> None:
    inner = {"contentMediaType": JSON, "contentSchema": {"type": "array"}}
    assert compiled({**inner, "const": "{}"}).accepts('"{}"')
    assert compiled({"contentSchema": False}).accepts('"{}"')


def test_names_of_members_are_strings_too() -> None:
    engine = compiled({"propertyNames": {"contentEncoding": "base16"}})
    assert engine.accepts('{"ab": 1}')
    assert not engine.accepts('{"abc": 1}')
    with pytest.raises(UnsupportedConstraint, match=r"^#/propertyNames/contentMediaType: "):
        compiled({"propertyNames": {"contentMediaType": JSON}})


@pytest.mark.parametrize("indent", [None, 1])
def test_what_holds_itself(indent: int | None) -> None:
    schema = {
        "type": "object",
        "properties": {"data": {"type": "string", "contentEncoding": "base64"}},
        "additionalProperties": {"$ref": "#"},
    }
    engine = compiled(schema, indent=indent, property_order="any")
    for data, valid in (("YQ==", True), ("YQ=", False)):
        value = {"a": {"data": data}, "data": ""}
        assert engine.accepts(json.dumps(value, indent=indent)) is valid


def test_which_keywords_are_read() -> None:
    with_type, with_ref = _read.beside("assert")
    for draft in BY_NAME.values():
        words = keywords_of(draft, content=True)
        assert words == with_type[draft.rank] | {"type"} == with_ref[draft.rank] | {"$ref"}
        assert ("contentEncoding" in words) == (draft.name in NEW)
    assert _read.beside("annotate") == (_read.BESIDE_TYPE, _read.BESIDE_REF)
