"""Types by kind: what the schema says, what is read back, and what is refused in which words."""

# ruff: noqa: UP007, UP045, PYI061, ICN001, F821 (types are written in all the ways there are)

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import re
import subprocess
import sys
import typing
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar, Union

import annotated_types
import postponed
import pydantic
import pytest
import typing_extensions
from type_reading import body, read
from typing_extensions import TypedDict

from formgate import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._types import claims, is_type, schema_of, schema_source, shape_of
from formgate.plugins.json_schema._types_shapes import Mismatch


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (None | int, {"anyOf": [{"type": "null"}, {"type": "integer"}]}),
        (Optional[bool], {"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (decimal.Decimal, {"type": "number"}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (list, {"type": "array", "items": True}),
        (typing.List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006
        (typing.Sequence, {"type": "array", "items": True}),
        (collections.deque[str], {"type": "array", "items": {"type": "string"}}),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict, {"type": "object", "additionalProperties": True}),
        (tuple[()], {"type": "array", "items": False}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "items": False,
                "minItems": 2,
            },
        ),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (NewType("Id", int), {"type": "integer"}),
        (
            Annotated[list[str], annotated_types.Len(1, 3)],
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        ),
        (
            Annotated[dict[str, int], annotated_types.MaxLen(3)],
            {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 3},
        ),
        (
            Annotated[float, annotated_types.Interval(gt=0, le=1)],
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        ),
        (Annotated[int, "just a remark"], {"type": "integer"}),
        (
            Annotated[int, annotated_types.Ge(1), annotated_types.Ge(2)],
            {"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 2}]},
        ),
    ],
)
def test_schemas(source, expected):
    assert body(source) == expected


def test_any_and_never():
    assert schema_of(Any) is True
    assert schema_of(object) is True
    assert schema_of(typing.NoReturn) is False
    assert read(Any, '{"a": [1.5]}') == {"a": [1.5]}
    with pytest.raises(Mismatch):
        read(typing.NoReturn, "1")


def test_recursive_types_become_definitions():
    schema = schema_of(postponed.Tree)
    assert schema["$ref"] == "#/$defs/Tree"
    tree = schema["$defs"]["Tree"]
    assert tree["required"] == ["label"]
    assert tree["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    found = read(postponed.Tree, '{"label": "a", "children": [{"label": "b"}]}')
    assert found == postponed.Tree("a", [postponed.Tree("b")])


def test_generic_classes_have_a_definition_for_each_use():
    assert set(schema_of(postponed.Boxes)["$defs"]) == {"Boxes", "Box", "Box.2"}
    assert read(postponed.Box[int], '{"value": 1, "inner": {"value": 2}}').inner.value == 2
    with pytest.raises(Mismatch):
        read(postponed.Box[int], '{"value": "a"}')
    assert read(postponed.Box, '{"value": ["anything"]}').value == ["anything"]


def test_a_generic_class_that_grows_without_end_is_refused():
    assert schema_of(postponed.Grid[int])["$defs"]["Grid"]
    with pytest.raises(LimitError):
        schema_of(postponed.Growing[int])


def test_bounds_of_type_variables():
    bounded = TypeVar("bounded", bound=int)
    either = TypeVar("either", int, str)
    assert body(list[bounded])["items"] == {"type": "integer"}
    assert body(list[either])["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def test_required_keys_of_typed_dicts():
    assert schema_of(postponed.Partial)["$defs"]["Partial"]["required"] == ["must"]
    assert schema_of(postponed.Whole)["$defs"]["Whole"]["required"] == ["must"]
    value = {"must": 1, "may": {"must": 2}}
    assert read(postponed.Whole, '{"must": 1, "may": {"must": 2}}') == value
    with pytest.raises(Mismatch, match="unknown member"):
        read(postponed.Whole, '{"must": 1, "other": 2}')


def test_extra_items_of_typed_dicts():
    class Open(TypedDict, extra_items=Optional[int]):
        name: str

    class Shut(TypedDict, extra_items=typing_extensions.Never):
        name: str

    others = schema_of(Open)["$defs"]["Open"]["additionalProperties"]
    assert others == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert read(Open, '{"name": "a", "b": 1, "c": null}') == {"name": "a", "b": 1, "c": None}
    with pytest.raises(Mismatch):
        read(Open, '{"name": "a", "b": "c"}')
    assert schema_of(Shut)["$defs"]["Shut"]["additionalProperties"] is False


def test_named_tuples_are_rows():
    assert schema_of(postponed.Point)["$defs"]["Point"]["minItems"] == 1
    assert read(postponed.Point, "[3]") == postponed.Point(3, 0)
    with pytest.raises(Mismatch, match="items"):
        read(postponed.Point, "[1, 2, 3]")


def test_fields_of_dataclasses():
    @dataclasses.dataclass
    class Fields:
        count: typing.ClassVar[int] = 0
        made: int = dataclasses.field(init=False, default=1)
        given: dataclasses.InitVar[int] = 2
        final: typing.Final[str] = "x"
        total: int = 0

        def __post_init__(self, given):
            self.total = given
            if given < 0:
                raise ValueError("below zero")

    assert list(schema_of(Fields)["$defs"]["Fields"]["properties"]) == ["given", "final", "total"]
    assert read(Fields, '{"given": 5}').total == 5
    with pytest.raises(Mismatch, match="below zero"):
        read(Fields, '{"given": -5}')


def test_enumerations_tell_values_apart():
    class Mixed(enum.Enum):
        YES = True
        TWO = 2.0
        TEXT = "1"

    assert read(Mixed, "true") is Mixed.YES
    assert read(Mixed, "2") is Mixed.TWO
    assert read(Mixed, "20e-1") is Mixed.TWO
    assert read(Mixed, '"1"') is Mixed.TEXT
    for text in ("1", "[2]", '"true"'):
        with pytest.raises(Mismatch):
            read(Mixed, text)


def test_an_enumeration_in_a_literal():
    class Color(enum.Enum):
        RED = "r"

    assert read(Literal[Color.RED], '"r"') is Color.RED


@pytest.mark.parametrize(
    ("source", "text", "value"),
    [
        (int, "1e3", 1000),
        (int, "0e999999999", 0),
        (int, "-0", 0),
        (float, "1", 1.0),
        (decimal.Decimal, "0.10", decimal.Decimal("0.10")),
        (list[int | str], '[1, "1"]', [1, "1"]),
        (dict[int, str], '{"-12": "a"}', {-12: "a"}),
        (dict[Literal["a"], int], '{"a": 1}', {"a": 1}),
        (datetime.timedelta, '"P1DT2H3M4.5S"', datetime.timedelta(1, 3 * 60 + 4.5, hours=2)),
        (datetime.timedelta, '"PT0S"', datetime.timedelta()),
        (
            datetime.datetime,
            '"2020-02-29t23:59:59.25-00:30"',
            datetime.datetime(
                2020, 2, 29, 23, 59, 59, 250000, datetime.timezone(-datetime.timedelta(minutes=30))
            ),
        ),
    ],
)
def test_values(source, text, value):
    found = read(source, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (int, "1.5"),
        (int, "true"),
        (int, "1e999999999"),
        (int, '"1"'),
        (bool, "1"),
        (str, "null"),
        (dict[int, str], '{"01": "a"}'),
        (dict[int, str], '{"1.0": "a"}'),
        (set[int], "[1, 1.0]"),
        (datetime.datetime, '"2016-12-31T23:59:60Z"'),
        (datetime.datetime, '"2020-01-01T00:00:00"'),
        (datetime.datetime, '"2020-01-01T00:00:00+24:00"'),
        (datetime.date, '"2021-02-29"'),
        (datetime.date, '"20210228"'),
        (datetime.timedelta, '"P1M"'),
        (datetime.timedelta, '"P"'),
        (datetime.timedelta, '"P1DT"'),
        (Annotated[int, annotated_types.Gt(3)], "3"),
        (Annotated[str, annotated_types.Len(2, 2)], '"é"'),
    ],
)
def test_values_of_another_type(source, text):
    with pytest.raises(Mismatch):
        read(source, text)


def test_a_mismatch_says_where():
    with pytest.raises(Mismatch) as caught:
        read(dict[str, list[int | None]], '{"a": [1, "x"]}')
    assert caught.value.path == ["a", 1]


class Flags(enum.Flag):
    A = 1


class Odd(enum.Enum):
    PAIR = (1, 2)


class Infinite(enum.Enum):
    MUCH = float("inf")


class Nothing(enum.Enum):
    pass


class Plain:
    pass


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (bytes, UnsupportedConstraint, "bytes has no JSON form"),
        (list[bytes], UnsupportedConstraint, "items: bytes"),
        (Flags, UnsupportedConstraint, "Flag"),
        (Odd, GrammarError, r"Odd: \(1, 2\)"),
        (Infinite, GrammarError, "inf"),
        (Nothing, GrammarError, "no members"),
        (Plain, GrammarError, "Plain"),
        (re.Pattern, GrammarError, "Pattern"),
        (Literal[b"x"], GrammarError, "Literal"),
        (list["Somewhere"], GrammarError, "'Somewhere' is not resolved"),
        (postponed.Lost, GrammarError, "Nowhere"),
        (dict[float, int], GrammarError, "keys of a mapping"),
        (dict[Literal[1], int], GrammarError, "keys of a mapping"),
        (set[list[int]], GrammarError, "not hashable"),
        (set[postponed.Whole], GrammarError, "not hashable"),
        (Annotated[str, annotated_types.Gt(3)], UnsupportedConstraint, "exclusiveMinimum"),
        (Annotated[int, annotated_types.MaxLen(3)], UnsupportedConstraint, "maxLength"),
        (Annotated[int, annotated_types.Gt(float("nan"))], GrammarError, "finite"),
        (Annotated[int, annotated_types.MultipleOf(0)], GrammarError, "positive"),
        (Annotated[int, annotated_types.Predicate(bool)], UnsupportedConstraint, "Predicate"),
        (typing.Callable[[int], int], GrammarError, "Callable"),
    ],
)
def test_what_is_refused(source, error, message):
    with pytest.raises(error, match=message) as caught:
        schema_of(source)
    assert caught.value.hint or "narrow" in message or caught.value.reason


def test_nesting_is_bounded():
    kind = int
    for _ in range(200):
        kind = list[kind]
    with pytest.raises(LimitError, match="100 deep") as caught:
        schema_of(kind)
    assert str(caught.value).startswith("list, items, items, items, ..., items, items, items: ")


def test_the_place_of_a_part_that_is_deep_inside():
    kind = list[dict[str, tuple[str, bytes]]]
    for _ in range(6):
        kind = list[kind]
    with pytest.raises(UnsupportedConstraint) as caught:
        schema_of(kind)
    assert str(caught.value).startswith("list, items, items, items, ..., items, values, item 1: ")
    with pytest.raises(UnsupportedConstraint, match=r"^list, items, values, item 1: bytes"):
        schema_of(list[dict[str, tuple[str, bytes]]])


# --- pydantic ---


class Inner(pydantic.BaseModel):
    when: datetime.date
    more: list[Inner] = []


@dataclasses.dataclass
class Outer:
    one: Inner
    many: list[Inner]
    small: pydantic.PositiveInt
    short: Annotated[str, pydantic.Field(max_length=3)]
    word: Annotated[str, pydantic.StringConstraints(pattern="^[a-z]+$")] = "a"


def test_models_are_described_by_pydantic():
    for kind in (pydantic.TypeAdapter(Inner), pydantic.TypeAdapter(list[Inner])):
        schema = schema_of(kind)
        # no year zero, which the format alone would allow
        assert schema["$defs"]["Inner"]["properties"]["when"].pop("pattern").startswith("^")
        assert schema == kind.json_schema()
    assert shape_of(Inner).read_text('{"when": "2020-01-01"}') == Inner(when="2020-01-01")


def test_models_within_other_types():
    schema = schema_of(Outer)
    properties = schema["$defs"]["Outer"]["properties"]
    assert properties["one"]["$ref"] in {f"#/$defs/{name}" for name in schema["$defs"]}
    assert properties["small"] == {"type": "integer", "exclusiveMinimum": 0}
    assert properties["short"]["maxLength"] == 3
    assert properties["word"]["pattern"] == "^[a-z]+$"
    value = read(
        Outer,
        '{"one": {"when": "2020-01-01"}, "many": [{"when": "2021-01-01", "more": '
        '[{"when": "2022-01-01"}]}], "small": 2, "short": "abc"}',
    )
    assert value.many[0].more == [Inner(when="2022-01-01")]
    with pytest.raises(Mismatch, match="pydantic says") as caught:
        read(Outer, '{"one": {"when": "x"}, "many": [], "small": 2, "short": "abc"}')
    assert caught.value.path == ["one", "when"]


def test_numbers_reach_models_unrounded():
    class Price(pydantic.BaseModel):
        amount: int

    assert read(list[Price], f'[{{"amount": {10**30}}}]')[0].amount == 10**30


def test_what_pydantic_refuses():
    class Call(pydantic.BaseModel):
        back: typing.Callable[[], int]

    class Late(pydantic.BaseModel):
        other: Missing

    with pytest.raises(UnsupportedConstraint, match="JSON Schema"):
        schema_of(Call)
    with pytest.raises(GrammarError, match="Late"):
        schema_of(Late)
    with pytest.raises(GrammarError):
        schema_of(Annotated[Plain, pydantic.Field(title="x")])


def test_models_of_the_first_version_are_refused():
    v1 = pytest.importorskip("pydantic.v1")

    class Old(v1.BaseModel):
        a: int

    with pytest.raises(GrammarError, match="pydantic 1"):
        schema_of(Old)


def test_types_do_without_pydantic():
    code = """
import sys
sys.modules["pydantic"] = None
sys.modules["annotated_types"] = None
import dataclasses, enum, typing
from formgate.plugins.json_schema._types import schema_of, shape_of
class E(enum.Enum):
    A = "a"
@dataclasses.dataclass
class D:
    e: E
    x: typing.Optional[int] = None
assert schema_of(D)["$defs"]["D"]["required"] == ["e"]
assert shape_of(D).read({"e": "a"}, decimals=False) == D(E.A)
assert not any(name.startswith("pydantic.") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_schemas_import_nothing_of_types():
    code = """
import sys
from formgate.plugins.json_schema._types import claims, schema_source
source = {"type": "object", "properties": {"name": {}}}
assert schema_source(source, {}) is source and not claims("text") and not claims(1)
loaded = [name for name in sys.modules if "pydantic" in name or "_types_" in name]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# --- what is claimed without a format ---


def many(first: int, *others: int): ...


@pytest.mark.parametrize(
    "source",
    [
        postponed.Tree,
        postponed.Whole,
        postponed.Point,
        Inner,
        pydantic.TypeAdapter(int),
        many,
        list[int],
        Optional[int],
        int | None,
        int,
        NewType("Id", int),
        functools.partial(many, 1),
    ],
)
def test_types_are_claimed(source):
    assert claims(source)
    assert is_type(source)


@pytest.mark.parametrize(
    "source",
    [Flags, Literal["a"], "text", b"x", 1, None, ["a", "b"], [], {}, {"type": "object"}, object()],
)
def test_other_sources_are_not_claimed(source):
    assert not claims(source)


def test_schemas_pass_through():
    for source in ({"type": "object"}, True, "{}", [1, 2]):
        assert schema_source(source, {}) is source
