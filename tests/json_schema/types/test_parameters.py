"""Parameters whose default is a field of pydantic: as `validate_call` has them."""

# ruff: noqa: B008, PYI041 (fields as defaults, and int beside float, are what is tested)

from __future__ import annotations

import functools
import json
from typing import Annotated, Literal

import annotated_types
import pydantic
import pytest
from pydantic import Field

import formgate
from formgate import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._types import schema_of

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


def optional(a: int = Field(5, ge=3)): ...
def required(a: int = Field(ge=3)): ...
def made(a: int = Field(default_factory=int, ge=3)): ...
def loose(a: int | float | None = Field(None, ge=3)): ...
def word(a: str = Field("x", pattern="^[0-9]$")): ...
def renamed(b: int = Field(5, alias="a", ge=3)): ...
def validated(b: int = Field(5, validation_alias="a", ge=3)): ...
def both(a: Annotated[int, annotated_types.Lt(6)] = Field(5, ge=3)): ...
def twice(a: Annotated[int, Field(ge=3)] = Field(5, lt=6)): ...
def written(a: Annotated[int, Field(default=9)] = Field(le=4)): ...
def described(a: Literal[3, 4] = Field(3, description="a", title="A")): ...


@pytest.mark.parametrize(
    "function",
    [
        optional,
        required,
        made,
        loose,
        word,
        renamed,
        validated,
        both,
        twice,
        written,
        described,
        pydantic.validate_call(optional),
        functools.partial(pydantic.validate_call(optional)),
    ],
)
def test_fields_as_defaults_narrow_as_validate_call_has_it(function):
    engine = formgate.compile(function, VOCABULARY)
    call = pydantic.validate_call(function)
    taken = 0
    texts = ["{}", '{"b": 4}', *(f'{{"a": {a}}}' for a in ("2", "3", "6", '"1"', '"x"', "null"))]
    for text in texts:
        # numbers in strings are no part of the schemas of numbers
        if text == '{"a": "1"}' and function is not word:
            continue
        try:
            call(**json.loads(text))
        except pydantic.ValidationError:
            assert not engine.accepts(text), text
        else:
            assert engine.accepts(text), text
            assert formgate.parse(engine, text) == json.loads(text)
            taken += 1
    assert 0 < taken < len(texts)


def test_a_field_without_an_annotation():
    def plain(a=Field(5)): ...

    assert schema_of(plain)["properties"] == {"a": True}
    assert "required" not in schema_of(plain)

    def bounded(a=Field(5, ge=3)): ...

    with pytest.raises(UnsupportedConstraint, match=r"bounded\(a\): minimum narrows numbers"):
        schema_of(bounded)


def test_names_that_fields_give():
    def several(a: int = Field(5, validation_alias=pydantic.AliasChoices("b", "c"))): ...

    with pytest.raises(UnsupportedConstraint, match=r"several\(a\): .* is not one name") as caught:
        schema_of(several)
    assert "alias" in str(caught.value.hint)

    def same(a: int = 1, b: int = Field(5, alias="a")): ...

    with pytest.raises(GrammarError, match=r"same\(b\): the argument 'a' is declared twice"):
        schema_of(same)


def test_other_defaults_say_nothing():
    def function(a: int = -1, b: object = pydantic): ...

    assert schema_of(function)["properties"] == {"a": {"type": "integer"}, "b": True}
