"""Texts to values, before any engine: exact numbers, what is no JSON, what a type refuses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgate import LimitError, ParseError
from formgate.plugins.json_schema._parse import load, read_text

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda parts: st.lists(parts) | st.dictionaries(st.text("ab\n\U0001f600"), parts),
    max_leaves=10,
)


def read(source, text, **wanted):
    return read_text(source, {}, text, wanted)


@given(JSON, st.booleans())
def test_values_of_schemas_are_those_of_json(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read({}, text) == value
    assert json.dumps(read(True, text)) == json.dumps(value)


def test_numbers_are_exact():
    large = 10**5000 + 1
    digits = f"1{'0' * 4999}1"
    assert read({}, digits) == large
    assert read({}, f"[{digits}]", decimals=True) == [large]
    assert read({}, "0.10", decimals=True) == Decimal("0.10")
    assert str(read({}, "1e400", decimals=True)) == "1E+400"
    assert isinstance(read({}, "1.0"), float)
    assert isinstance(read({}, "1"), int)


@dataclass
class Measure:
    size: float


@pytest.mark.parametrize(
    ("source", "text", "path"),
    [
        ({}, "1e400", []),
        ({"type": "integer"}, "1e400", []),
        ({}, '{"a": [0, -1e309]}', ["a", 1]),
        (list[float], f"[1{'0' * 309}]", [0]),
        (Measure, '{"size": 1e309}', ["size"]),
        (list[Any], "[1e400]", [0]),
    ],
)
def test_no_number_becomes_infinity_in_silence(source, text, path):
    with pytest.raises(ParseError, match="beyond the range of floats") as caught:
        read(source, text)
    assert list(caught.value.path) == path
    assert "decimals=True" in str(caught.value)


def test_large_numbers_have_other_ways():
    assert read(float | Decimal, "1e400") == Decimal("1e400")
    assert read({}, '["\\u0061", 1e400]', decimals=True) == ["a", Decimal("1e400")]
    assert read(list[float], "[1e308, 1e-400]") == [1e308, 0.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1,]",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "01",
        "1 2",
        '{"a": 1, "a": 2}',
        '{"a": 1, "\\u0061": 2}',
        '"\\ud800"',
        '{"\\udc00": 1}',
        "1e99999999999999999999",
        "'a'",
    ],
)
def test_what_is_no_json(text):
    with pytest.raises(ParseError):
        read({}, text)


def test_the_place_is_named():
    with pytest.raises(ParseError) as caught:
        read({}, '{"a": tru}')
    assert caught.value.offset == 6


def test_depth():
    with pytest.raises(LimitError, match="deep"):
        read({}, "[" * 100_000 + "]" * 100_000)


def test_digits():
    assert read({}, "[-" + "9" * 5_000 + "]") == [1 - 10**5_000]
    with pytest.raises(LimitError, match="100,000 digits"):
        read(int, "9" * 300_000)


def test_options_are_known_or_refused():
    with pytest.raises(TypeError, match="decimal"):
        read({}, "1", decimal=True)


class Model(pydantic.BaseModel):
    a: int
    b: Decimal = Decimal(0)

    @pydantic.field_validator("a")
    @classmethod
    def check(cls, value: int) -> int:
        if value == 13:
            raise ValueError("unlucky")
        return value


@dataclass
class Pair:
    a: int
    b: list[float]


def test_models_are_validated():
    assert read(Model, '{"a": 12}') == Model(a=12)
    with pytest.raises(ParseError, match="unlucky") as caught:
        read(Model, '{"a": 13}')
    assert caught.value.path == ("a",)
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)
    with pytest.raises(ParseError):
        read(Model, '{"a": ')
    adapter = pydantic.TypeAdapter(dict[str, Model])
    assert read(adapter, '{"x": {"a": 1}}') == {"x": Model(a=1)}


def test_dataclasses_are_made():
    assert read(Pair, '{"a": 1, "b": [2, 2.5]}') == Pair(1, [2.0, 2.5])
    with pytest.raises(ParseError, match="/b/1") as caught:
        read(Pair, '{"a": 1, "b": [2, "x"]}')
    assert caught.value.path == ("b", 1)


def test_functions_give_their_arguments():
    def f(a: int, b: Pair | None = None): ...

    assert read(f, '{"a": 1, "b": {"a": 2, "b": []}}') == {"a": 1, "b": Pair(2, [])}


def test_a_request_gives_plain_json():
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    assert read(tool, '{"x": 1.5}') == {"x": 1.5}
    assert load("1.5") == Decimal("1.5")


@pytest.mark.parametrize("error", [RuntimeError("no"), AssertionError(), OSError(1, "no")])
def test_whatever_a_constructor_raises_is_a_parse_error(error):
    @dataclass
    class Checked:
        value: int

        def __post_init__(self):
            raise error

    class Model(pydantic.BaseModel):
        value: int

        @pydantic.field_validator("value")
        @classmethod
        def check(cls, value):
            raise error

    for source in (Checked, Model):
        with pytest.raises(ParseError) as caught:
            read(source, '{"value": 1}')
        assert type(error).__name__ in str(caught.value) or source is Model
        assert caught.value.__cause__ is error or source is Model
