"""`contentEncoding` and `contentMediaType` under `content="assert"`, against Python's decoders."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from typing import Any

import pytest
from compiled import byte_vocabulary
from content_oracle import DECODERS, ENCODERS, JUDGES, is_quoted_printable
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.plugins.json_schema import UnenforcedWarning, Validator
from formgate.plugins.json_schema._contents import encoding_set

JSON = "application/json"
NEW = ["7", "2019-09", "2020-12"]


def compiled(schema: Any, **options: Any) -> formgate.Engine:
    given_options = {"content": "assert", **options}
    return formgate.compile(schema, byte_vocabulary(), format="json_schema", **given_options)


@cache
def engine_of(encoding: str) -> formgate.Engine:
    return compiled({"contentEncoding": encoding})


NEAR = "=AaFfGgZz0189+/-_ \t\r\n\0\x7fé😀.,~!"


@st.composite
def near_misses(draw: Any, encoding: str) -> str:
    """Return a text that is encoded, with a few characters changed, or one of odd characters."""
    if encoding not in ENCODERS or draw(st.integers(0, 5)) == 0:
        return draw(st.text(NEAR, max_size=12))
    data = draw(st.binary(max_size=10) | st.text(max_size=90).map(str.encode))
    text = list(ENCODERS[encoding](data))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        text[place : place + draw(st.integers(0, 2))] = draw(st.text(NEAR, max_size=2))
    return "".join(text)


@pytest.mark.parametrize("encoding", JUDGES)
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_each_encoding_is_what_python_decodes(encoding: str, data: st.DataObject) -> None:
    text = data.draw(near_misses(encoding))
    expected = JUDGES[encoding](text)
    assert engine_of(encoding).accepts(json.dumps(text)) == expected
    assert encoding_set(encoding).contains(text) == expected
    assert (~encoding_set(encoding)).contains(text) != expected


@pytest.mark.parametrize("encoding", ENCODERS)
@given(data=st.binary(max_size=200))
@settings(max_examples=40, deadline=None)
def test_whatever_is_encoded_is_let_through(encoding: str, data: bytes) -> None:
    assert DECODERS[encoding](ENCODERS[encoding](data)) == data
    assert engine_of(encoding).accepts(json.dumps(ENCODERS[encoding](data)))
    assert engine_of(encoding.upper()).accepts(json.dumps(ENCODERS[encoding](data)))


@pytest.mark.parametrize("encoding", ["7bit", "quoted-printable"])
def test_lines_have_a_greatest_length(encoding: str) -> None:
    most = {"7bit": 998, "quoted-printable": 76}[encoding]
    for lengths in ([most], [most + 1], [most, most], [1, most + 1], [0, most, 0]):
        text = "\r\n".join("a" * length for length in lengths)
        assert engine_of(encoding).accepts(json.dumps(text)) == (max(lengths) <= most)
    assert engine_of(encoding).accepts(json.dumps("a\nb")) is False


@pytest.mark.parametrize(
    ("text", "belongs"),
    [
        ("", True),
        ("a=3D=\r\nb", True),
        ("a=\r\n", True),
        ("a=", False),
        ("a =\r\nb", True),
        ("a \r\nb", False),
        ("=3d", False),
        ("é", False),
        ("=C3=A9", True),
        ("a" * 75 + "=\r\n", True),
        ("a" * 76 + "=\r\n", False),
        ("=41" * 25 + "=\r\n=41", True),
        ("=41" * 25 + "a=\r\n=41", False),
    ],
)
def test_quoted_printable(text: str, belongs: bool) -> None:
    assert is_quoted_printable(text) is belongs
    assert engine_of("quoted-printable").accepts(json.dumps(text)) is belongs


def test_details_that_the_standards_settle() -> None:
    # RFC 4648, 3.5: that the bits left over are zero may be checked, and Python does not.
    assert engine_of("base64").accepts('"YR=="')
    # 3.1 to 3.3: no line breaks, padding, no other characters.
    for text in ("YWJj\\r\\nYWJj", "YQ", "YQ=", "YWJj=", "YQ==YQ==", "====", "YW Jj", "YW-_"):
        assert not engine_of("base64").accepts(f'"{text}"'), text
    assert engine_of("base64").accepts('"\\u0059Q=\\u003d"')
    assert engine_of("hex").accepts('"00fF"')
    assert engine_of("base64").accepts("[1]")


# --- together with other keywords ---

WORDS = ["", "YQ==", "YWI=", "YWJj", "YR==", "ab", "aB12", "7B7D", "{}", "[1", "NaN", "e30=", "é"]

SEVERAL = ["allOf", "anyOf", "oneOf"]

leaves = st.one_of(
    st.builds(lambda name: {"contentEncoding": name}, st.sampled_from(sorted(JUDGES))),
    st.builds(lambda most: {"maxLength": most}, st.integers(0, 5)),
    st.builds(lambda source: {"pattern": source}, st.sampled_from(["^Y", "=$", "^[a-z0-9]*$"])),
    st.builds(lambda words: {"enum": words}, st.lists(st.sampled_from([*WORDS, 1]), min_size=1)),
    st.sampled_from([{"type": "string"}, {"type": "integer"}, True]),
)
media_types = st.builds(
    lambda coded: {"contentMediaType": JSON, **coded},
    st.sampled_from([{}, {"contentEncoding": "base64"}, {"contentEncoding": "base16"}]),
)


def composed(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        parts,
        lambda inner: st.one_of(
            st.builds(
                lambda keyword, few: {keyword: few},
                st.sampled_from(SEVERAL),
                st.lists(inner, min_size=1, max_size=3),
            ),
            st.builds(lambda one: {"not": one}, inner),
            st.builds(lambda test, one, two: {"if": test, "then": one, "else": two}, *[inner] * 3),
            st.builds(
                lambda one, other: {**one, **other}, parts.filter(is_dict), leaves.filter(is_dict)
            ),
        ),
        max_leaves=5,
    )


def is_dict(schema: Any) -> bool:
    return isinstance(schema, dict)


def is_json(data: bytes) -> bool:
    # The engine of any value is a judge with another reader; these texts have no blanks in a row.
    return compiled(True).accepts(data)


def decoded(text: str, encoding: str | None) -> bytes | None:
    if encoding is None:
        return text.encode()
    return DECODERS[encoding](text) if JUDGES[encoding](text) else None


def fits(schema: Any, value: Any) -> bool:
    """Say whether a string or a number is valid, by the words of the standard."""
    if isinstance(schema, bool):
        return schema
    return all(says(keyword, said, schema, value) for keyword, said in schema.items())


def says(keyword: str, said: Any, schema: Any, value: Any) -> bool:
    several = [fits(one, value) for one in said] if keyword in SEVERAL else []
    if keyword in ("contentEncoding", "contentMediaType", "maxLength", "pattern"):
        if not isinstance(value, str):
            return True
        if keyword == "contentMediaType":
            data = decoded(value, schema.get("contentEncoding"))
            return data is not None and is_json(data)
        return {
            "contentEncoding": lambda: JUDGES[said](value),
            "maxLength": lambda: len(value) <= said,
            "pattern": lambda: re.search(said.replace("$", r"\Z"), value) is not None,
        }[keyword]()
    return {
        "type": lambda: isinstance(value, {"string": str, "integer": int}[said]),
        "enum": lambda: value in said,
        "allOf": lambda: all(several),
        "anyOf": lambda: any(several),
        "oneOf": lambda: sum(several) == 1,
        "not": lambda: not fits(said, value),
        "if": lambda: fits(schema["then" if fits(said, value) else "else"], value),
        "then": lambda: True,
        "else": lambda: True,
    }[keyword]()


@settings(max_examples=200, deadline=None)
@given(composed(leaves), st.sampled_from(NEW))
def test_encodings_beside_other_keywords(schema: Any, draft: str) -> None:
    values = [*WORDS, 1]
    expected = [fits(schema, value) for value in values]
    try:
        engine = compiled(schema, draft=draft)
    except EmptyLanguageError:
        assert not any(expected)
        return
    within = compiled({"type": "object", "properties": {"a": schema}}, draft=draft)
    for value, valid in zip(values, expected, strict=True):
        assert engine.accepts(json.dumps(value)) == valid, value
        assert within.accepts(json.dumps({"a": value})) == valid, value


@settings(max_examples=200, deadline=None)
@given(composed(leaves | media_types))
def test_media_types_are_exact_or_refused(schema: Any) -> None:
    values = [*WORDS, 1]
    expected = [fits(schema, value) for value in values]
    validator = Validator(schema, content="assert")
    assert [validator.is_valid(value) for value in values] == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnenforcedWarning)
        try:
            relaxed = compiled(schema, on_unsupported="relax")
        except EmptyLanguageError:
            assert not any(expected)
            return
    for value, valid in zip(values, expected, strict=True):
        assert relaxed.accepts(json.dumps(value)) or not valid, value
    try:
        engine = compiled(schema)
    except UnsupportedConstraint as error:
        assert "content of the type application/json" in str(error)  # noqa: PT017
        return
    except EmptyLanguageError:
        assert not any(expected)
        return
    assert [engine.accepts(json.dumps(value)) for value in values] == expected
