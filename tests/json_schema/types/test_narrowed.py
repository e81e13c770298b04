"""Constraints in `Annotated`: what they speak of in unions, and what is refused."""

# ruff: noqa: UP007, UP045, PYI061, ICN001 (types are written in all the ways there are)

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import pathlib
import uuid
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NewType, Optional, TypeVar, Union

import annotated_types
import pydantic
import pytest
from annotated_types import Ge, Gt, Interval, Len, Lt, MultipleOf
from typing_extensions import TypeAliasType, TypedDict

import formgate
from formgate import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import schema_of, shape_of
from formgate.plugins.json_schema._types_shapes import Mismatch

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
TEXTS = [
    *("null", "1", "2", "3", "3.5", "2.5", "4", "6", "6.0", "-3"),
    *('""', '"a"', '"ab"', '"abc"', '"éé"'),
    *("[]", "[1]", "[1, 2]", "[1, 2, 3]", "[5]"),
    *("{}", '{"a": 1}', '{"a": 1, "b": 2}', '{"a": 1, "b": 2, "c": 3}'),
]

T = TypeVar("T", bound=Optional[int])


@dataclasses.dataclass
class Holder(Generic[T]):
    x: Annotated[T, Ge(3)]


@dataclasses.dataclass
class Point:
    x: int


class Pair(TypedDict, total=False):
    a: int
    b: int
    c: int


class Count(enum.IntEnum):
    ONE = 1
    SIX = 6


class Plain(enum.Enum):
    ONE = 1


class Model(pydantic.BaseModel):
    x: int


Number = TypeAliasType("Number", Union[int, float])
Perhaps = TypeAliasType("Perhaps", Optional[int])
Tree = TypeAliasType("Tree", "list[Tree] | str")
Endless = TypeAliasType("Endless", "int | list[Annotated[Endless, Ge(3)]]")
Big = NewType("Big", Annotated[Optional[int], Ge(3)])


@pytest.mark.parametrize(
    "source",
    [
        Annotated[Optional[int], Ge(3)],
        Annotated[int | float, Ge(3)],
        Annotated[int | float | None, Interval(gt=2, le=6)],
        Annotated[Decimal | None, MultipleOf(3)],
        Annotated[Annotated[int, Lt(5)] | None, Ge(3)],
        Annotated[Annotated[int | None, Lt(5)], Ge(3)],
        Annotated[Big, Lt(5)],
        Annotated[list[int] | str, Len(1, 2)],
        Annotated[list[int] | str, Len(2, 2)],
        Annotated[dict[str, int] | None, Len(1, 2)],
        Annotated[tuple[int, ...] | str | dict[str, int] | None, Len(1, 2)],
        Annotated[Pair, Len(2)],
        Annotated[Literal[1, 6], Ge(3)],
        Annotated[Literal[1] | float, Ge(3)],
        Annotated[Literal["a", "abc"] | None, Len(2)],
        Annotated[Count | None, Ge(3)],
        Annotated[Number, Ge(3)],
        Annotated[Number | None, Ge(3)],
        Annotated[Annotated[int, pydantic.Field(lt=5)] | None, Ge(3)],
        list[Annotated[int | float, Ge(3)]],
        dict[str, Annotated[int | None, Lt(2)]],
    ],
)
def test_unions_are_narrowed_as_pydantic_has_it(source):
    shape, adapter = shape_of(source), pydantic.TypeAdapter(source)
    engine = formgate.compile(source, VOCABULARY)
    taken = 0
    for text in TEXTS:
        try:
            expected = adapter.validate_json(text)
        except pydantic.ValidationError:
            assert not engine.accepts(text), text
            with pytest.raises(Mismatch):
                shape.read(load(text), decimals=False)
        else:
            assert engine.accepts(text), text
            assert formgate.parse(engine, text) == expected
            taken += 1
    assert 0 < taken < len(TEXTS)


def test_each_member_is_narrowed_in_its_own_keywords():
    schema = schema_of(Annotated[list[int] | str | dict[str, int] | None, Len(1, 2)])
    words = ("minItems", "minLength", "minProperties", "maxItems", "maxLength", "maxProperties")
    assert [schema[word] for word in words] == [1, 1, 1, 2, 2, 2]
    assert schema_of(Annotated[int | None, Ge(3)])["anyOf"] == [
        {"type": "integer"},
        {"type": "null"},
    ]


def test_a_variable_that_stands_for_a_union():
    engine = formgate.compile(Holder, VOCABULARY)
    assert [engine.accepts(json.dumps({"x": value})) for value in (None, 2, 3)] == [1, 0, 1]


def test_a_recursive_alias_is_narrowed_at_its_top():
    engine = formgate.compile(Annotated[Tree, Len(1)], VOCABULARY)
    texts = ('""', "[]", '"a"', '[""]', "[[]]")
    assert [engine.accepts(text) for text in texts] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Annotated[Any, Ge(2)], "minimum narrows numbers, not Any"),
        (Annotated[Any | None, Ge(2)], "not Any"),
        (Annotated[Any, Len(2)], "minLength narrows strings, arrays and objects, not Any"),
        (Annotated[str, Gt(3)], "exclusiveMinimum narrows numbers, not str"),
        (Annotated[None, Ge(3)], "not NoneType"),
        (Annotated[bool, Ge(1)], "not bool"),
        (Annotated[int | str, Ge(3)], "not str"),
        (Annotated[int | list[int], Ge(3)], "not array"),
        (Annotated[int | Point, Ge(3)], "not Point"),
        (Annotated[int | Pair, Ge(3)], "not object"),
        (Annotated[int | Model, Ge(3)], "not a model"),
        (Annotated[list[int] | Model, Len(3)], "not a model"),
        (Annotated[list[int] | str, Len(1), Ge(3)], "minimum narrows numbers, not array"),
        (Annotated[str | int, Len(3)], "not int"),
        (Annotated[datetime.date | str, Len(3)], "not date"),
        (Annotated[uuid.UUID, Len(3)], "not UUID"),
        (Annotated[pathlib.Path, Len(3)], "not Path"),
        (Annotated[Point, Len(1)], "not Point"),
        (Annotated[Plain, Ge(1)], "not <Plain.ONE: 1>"),
        (Annotated[Literal[1, "a"], Ge(1)], "not 'a'"),
        (Annotated[Literal[1, None], Ge(1)], "not None"),
        (Annotated[Literal[2, True], Ge(1)], "not True"),
        (Annotated[Perhaps, Ge(3)], "not NoneType"),
        (Annotated[Annotated[int | None, Lt(9)] | float, Ge(3)], "not NoneType"),
        (Endless, "not Endless, which is not complete here"),
        (
            Annotated[datetime.date, Ge(datetime.date(2000, 1, 1))],
            r"ge=datetime.date\(2000, 1, 1\) is no int, float or Decimal",
        ),
    ],
)
def test_what_a_constraint_does_not_speak_of_is_refused(source, message):
    with pytest.raises(UnsupportedConstraint, match=message) as caught:
        schema_of(source)
    assert caught.value.hint


def test_errors_say_where_and_what_to_do():
    with pytest.raises(UnsupportedConstraint) as caught:
        schema_of(list[Annotated[int | str, Ge(2)]])
    assert str(caught.value).startswith("list, items: minimum narrows numbers, not str")
    assert "Annotated[int, ...]" in str(caught.value.hint)


@pytest.mark.parametrize("infinity", [float("inf"), Decimal("Infinity")])
def test_infinite_bounds_that_exclude_nothing(infinity):
    for nothing in (Gt(-infinity), Ge(-infinity), Lt(infinity), annotated_types.Le(infinity)):
        assert schema_of(Annotated[float, nothing]) == schema_of(float)
    schema = schema_of(Annotated[float | None, Interval(gt=-infinity, lt=3)])
    assert schema["exclusiveMaximum"] == 3
    assert "exclusiveMinimum" not in schema
    for all_of_them in (Gt(infinity), Ge(infinity), Lt(-infinity), MultipleOf(infinity)):
        with pytest.raises(GrammarError, match="no finite number") as caught:
            schema_of(Annotated[float, all_of_them])
        assert caught.value.hint


def test_bounds_that_are_not_a_number():
    for bad in (float("nan"), Decimal("NaN"), Decimal("sNaN")):
        with pytest.raises(GrammarError, match="no finite number"):
            schema_of(Annotated[float, Ge(bad)])
