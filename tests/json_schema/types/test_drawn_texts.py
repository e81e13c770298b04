"""Texts drawn from the engines of types: each is read as a value of the type."""

from __future__ import annotations

import collections
import dataclasses
import random
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, NamedTuple, Optional

import annotated_types
import pytest
from drawing import drawn
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from random_types import types

import formgate
from formgate.plugins.json_schema import schema_of
from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import shape_of
from formgate.plugins.json_schema._types_shapes import Mismatch

SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)


@SLOW
@given(data=st.data())
def test_drawn_texts_are_read(byte_vocabulary: formgate.Vocabulary, data: st.DataObject) -> None:
    annotation, _ = data.draw(types(depth=2))
    try:
        engine = formgate.compile(annotation, byte_vocabulary, format="json_schema")
    except formgate.UnsupportedConstraint:
        reject()
    source = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(3):
        text = drawn(engine, source)
        if text is None:
            continue
        value = formgate.parse(engine, text)
        # pydantic writes it by the type, and warns of parts that are of another one.
        again = load(TypeAdapter(annotation).dump_json(value, warnings="error").decode())
        found = shape_of(annotation).read(again, decimals=False)
        assert found == value
        assert type(found) is type(value)


@dataclasses.dataclass
class Loose:
    a: int


class Row(NamedTuple):
    next: Optional[Row] = None  # noqa: UP045 (a class of its own by name)


class Listed(NamedTuple):
    items: list[int]


@dataclasses.dataclass(frozen=True)
class Firm:
    a: int


@pytest.mark.parametrize(
    "annotation", [set, frozenset, set[Any], set[object], set[Row], set[Firm], set[tuple[Any, int]]]
)
def test_sets_hold_what_is_hashable(annotation: Any, byte_vocabulary: formgate.Vocabulary) -> None:
    if annotation in (set[Row], set[Firm], set[tuple[Any, int]]):
        schema_of(annotation)
        return
    engine = formgate.compile(annotation, byte_vocabulary)
    assert formgate.parse(engine, '[1, "a", null, 0.5]') == {1, "a", None, 0.5}
    assert not engine.accepts("[{}]")
    assert not engine.accepts("[[1]]")
    for seed in range(20):
        text = drawn(engine, random.Random(seed))
        assert text is None or isinstance(formgate.parse(engine, text), (set, frozenset))


@pytest.mark.parametrize(
    "annotation", [set[Loose], set[Listed], set[tuple[int, list[int]]], set[tuple[list[int], ...]]]
)
def test_sets_of_what_has_no_hash_are_refused(annotation: Any) -> None:
    with pytest.raises(formgate.GrammarError, match="not hashable"):
        schema_of(annotation)


def test_what_has_no_hash_by_its_value_alone_is_a_mismatch() -> None:
    shape = shape_of(set[tuple[Any, int]])
    with pytest.raises(Mismatch, match="a set cannot hold an item"):
        shape.read([[{}, 1]], decimals=False)


def test_ordered_dictionaries_are_such(byte_vocabulary: formgate.Vocabulary) -> None:
    engine = formgate.compile(collections.OrderedDict[str, int], byte_vocabulary)
    value = formgate.parse(engine, '{"b": 1, "a": 2}')
    assert isinstance(value, collections.OrderedDict)
    assert list(value.items()) == [("b", 1), ("a", 2)]


def test_zero_has_any_exponent(byte_vocabulary: formgate.Vocabulary) -> None:
    for source in (int, float, Decimal, {"type": "number"}):
        engine = formgate.compile(source, byte_vocabulary, format="json_schema")
        for text in (
            "0e99999999999999999999",
            "-0.00E+99999999999999999999",
            "0E-9999999999999999999",
        ):
            assert formgate.parse(engine, text) == 0


def test_integers_of_too_many_digits_are_not_read(byte_vocabulary: formgate.Vocabulary) -> None:
    engine = formgate.compile(list[int], byte_vocabulary)
    assert formgate.parse(engine, "[1e300]") == [10**300]
    for text in ("[1e100001]", "[1e99999999999999999999]"):
        assert engine.accepts(text)
        with pytest.raises(formgate.ParseError):
            formgate.parse(engine, text)


NUMBERS = (
    st.integers(-500, 500)
    | st.decimals(-500, 500, places=3)
    | st.integers(1, 9).map(lambda digit: Decimal((0, (digit,), 20)))
)


@given(value=NUMBERS, factor=st.integers(1, 99) | st.decimals("0.001", 9, places=3))
def test_multiples_are_exact(value: Any, factor: Any) -> None:
    shape = shape_of(Annotated[Decimal, annotated_types.MultipleOf(factor)])
    if Fraction(value) % Fraction(factor) == 0:
        assert shape.read(value, decimals=True) == value
    else:
        with pytest.raises(Mismatch):
            shape.read(value, decimals=True)


@pytest.mark.parametrize(
    ("text", "valid"),
    [("0e866507563", True), ("7e866507563", True), ("8e866507563", False), ("7e-9999999", False)],
)
def test_multiples_with_large_exponents(text: str, valid: bool) -> None:
    shape = shape_of(Annotated[Decimal, annotated_types.MultipleOf(7)])
    if valid:
        assert shape.read(Decimal(text), decimals=True) == Decimal(text)
    else:
        with pytest.raises(Mismatch):
            shape.read(Decimal(text), decimals=True)
