"""Schemas given as text: the native reader against Python's, on texts of JSON and beside it."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from formgate.core import _native
from formgate.core.errors import FormgateError
from formgate.plugins.json_schema import _load

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**25), 10**25),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=()), max_size=4),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.text(max_size=2), _VALUES, max_size=4)
_BITS = (
    *(
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "0",
        "-",
        "1",
        ".5",
        "e+1",
        "E",
        "\\u00e9",
        "\\ud83d",
    ),
    *(
        "\\ude00",
        "\\/",
        "\\n",
        "\\x",
        "\t",
        "\x00",
        "\x0b",
        "\u00a0",
        "NaN",
        "true",
        "nul",
        " ",
        '"a"',
    ),
)


def outcome(read: Any, text: str) -> Any:
    """Return what a reader makes of a text, with the kinds of numbers, or what it says."""
    try:
        return told(read(text))
    except FormgateError as error:
        return type(error), str(error)


def told(value: Any) -> Any:
    """Return a value from which equal numbers of other kinds differ, and orders of members."""
    if isinstance(value, dict):
        return [(name, told(inner)) for name, inner in value.items()]
    if isinstance(value, list):
        return tuple(map(told, value))
    return type(value), str(value)


@hypothesis.settings(max_examples=300, deadline=None)
@hypothesis.given(value=_OBJECTS, escaped=st.booleans(), indent=st.sampled_from((None, 1, "\t")))
def test_objects_are_read_alike(value: Any, escaped: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert outcome(_load.load, text) == outcome(_load._parse_slowly, text)


@hypothesis.settings(max_examples=600, deadline=None)
@hypothesis.given(value=_OBJECTS, seed=st.integers(0, 2**32))
def test_what_is_nearly_json_is_read_alike(value: Any, seed: int) -> None:
    chance = random.Random(seed)
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(_BITS) + text[at + chance.randint(0, 2) :]
    assert outcome(_load.load, text) == outcome(_load._parse_slowly, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1.50, "b": [-0, 12], "c": "\\ud83d\\ude00\\u0041\\n"}', None),
        (' \r\n{"a":{"a":{"a":true}}}\t', None),
        ('{"a":123456789012345678}', {"a": 123456789012345678}),
        ('{"a":1e400}', {"a": Decimal("1e400")}),
    ],
)
def test_usual_texts_take_the_native_reader(text: str, value: Any) -> None:
    found = _native.read_schema(text, _load._decimal)
    assert found is not None
    assert told(found) == told(_load._parse_slowly(text))
    assert value is None or found == value


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "true", "", "{", '{"a":1,"a":1}', '{"a":01}', '{"a":1.}', '{"a":NaN}', '{"a":1}x'),
        *('{"a":"\\ud800"}', '{"a":"\ud800"}', '{"a":"\n"}', '{"a":1,}', "{1:2}", "\ufeff{}"),
        *('{"a":' + "[" * 300 + "]" * 300 + "}", '{"a":' + "9" * 30 + "}", '{"a":-}', '{"a" 1}'),
    ],
)
def test_others_are_left_to_pythons(text: str) -> None:
    assert _native.read_schema(text, _load._decimal) is None
    assert outcome(_load.load, text) == outcome(_load._parse_slowly, text)
