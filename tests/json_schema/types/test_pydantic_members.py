"""Members of pydantic's classes: where it looks for them, and what it wants of them."""

from __future__ import annotations

import dataclasses
import importlib.util
import random
from typing import Annotated, Any, Literal

import pydantic
import pytest
from drawing import checked, drawn
from pydantic import AliasChoices, AliasPath, ConfigDict, Field, TypeAdapter
from pydantic_core import core_schema
from pydantic_types import Number
from typing_extensions import TypedDict

import formgate
from formgate.plugins.json_schema import schema_of
from formgate.plugins.json_schema._types_pydantic_texts import EMAIL


class Path(pydantic.BaseModel):
    x: str = Field(validation_alias=AliasPath("a", "b"))
    y: str = Field(validation_alias=AliasPath("a", "c"))
    z: str = Field("", validation_alias=AliasPath("d", 1))


class FromTheEnd(pydantic.BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: bool = Field(validation_alias=AliasPath("a", -1))


class Choices(pydantic.BaseModel):
    x: bool = Field(False, validation_alias=AliasChoices("u", "v", AliasPath("w", 0)))


class Alias(pydantic.BaseModel):
    x: str = Field(alias="xx")
    y: str = Field("d", alias="yy")


class AliasOrName(Alias):
    model_config = ConfigDict(populate_by_name=True)


class Cat(pydantic.BaseModel):
    kind: Literal["cat"] = "cat"
    lives: bool = True


class Dog(pydantic.BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Tiger(pydantic.BaseModel):
    kind: Literal["tiger", "lion"] = Field("tiger", alias="k")


class Wolf(pydantic.BaseModel):
    kind: Literal["wolf"] = Field("wolf", alias="k")


Beast = Annotated[Tiger | Wolf, Field(discriminator="kind")]


@pydantic.dataclasses.dataclass
class Given:
    a: str
    b: str = dataclasses.field(default="b", init=False)
    c: dataclasses.InitVar[bool] = True


class Named(TypedDict):
    x: Annotated[str, Field(validation_alias=AliasPath("a", "b"))]


class Strict(pydantic.BaseModel):
    model_config = ConfigDict(
        strict=True,
        allow_inf_nan=False,
        str_strip_whitespace=True,
        str_min_length=1,
        val_json_bytes="hex",
    )
    a: str = "a"
    b: int = 1
    c: float = 1.0
    d: bytes = b""
    e: set[bool] = set()
    f: Number = Number.ONE


class Tree(pydantic.BaseModel):
    above: Tree | None = None
    below: dict[int, Tree] = {}
    again: dict[Number, Pet] = {}
    once_more: dict[Number, bool] = {}


CASES: list[tuple[Any, list[str], list[str]]] = [
    (
        Path,
        ['{"a":{"b":"1","c":"2"}}', '{"a":{"b":"1","c":"2"},"d":[7,"3"]}'],
        ['{"a":{"b":"1"}}', '{"x":"1","y":"2"}', '{"a":{"b":"1","c":"2"},"d":[7,8]}'],
    ),
    (FromTheEnd, ['{"a":[true]}'], ['{"a":[]}', '{"a":[1]}', '{"x":true}']),
    (Choices, ["{}", '{"u":true}'], ['{"v":3}', '{"w":[3]}', '{"u":3}']),
    (Alias, ['{"xx":"1"}', '{"xx":"1","y":3}'], ['{"x":"1"}']),
    (AliasOrName, ['{"xx":"1"}'], ['{"xx":"1","y":3}']),
    (Pet, ['{"kind":"cat"}', '{"kind":"dog","name":"x"}'], ["{}", '{"name":"x"}']),
    (Beast, ['{"k":"lion"}', '{"k":"wolf"}'], ["{}", '{"kind":"wolf"}']),
    (Given, ['{"a":"x"}', '{"a":"x","c":false}'], ['{"a":"x","b":"y"}', "{}"]),
    (Named, ['{"a":{"b":"1"}}'], ['{"x":"1"}']),
    (
        Strict,
        ['{"b":1,"c":1.5,"d":"0aF0","e":[true]}', '{"f":2}'],
        ['{"a":" "}', '{"b":1.0}', '{"c":1e999}', '{"d":"0"}', '{"f":3}'],
    ),
    (
        Tree,
        ['{"above":{},"below":{"1":{}},"again":{"2":{"kind":"cat"}}}', '{"once_more":{"1":true}}'],
        ['{"below":{"x":{}}}', '{"again":{"3":{"kind":"cat"}}}', '{"again":{"1":{}}}'],
    ),
]


@pytest.mark.parametrize(("kind", "good", "bad"), CASES)
def test_members_stand_where_pydantic_looks(
    kind: Any, good: list[str], bad: list[str], byte_vocabulary: formgate.Vocabulary
) -> None:
    reader = TypeAdapter(kind)
    engine = checked(reader, good, bad, byte_vocabulary)
    source = random.Random(0)
    for _ in range(40):
        drew = drawn(engine, source, soft=source.choice([3, 20, 60]), hard=400)
        if drew is not None:
            reader.validate_json(drew)


def test_members_keep_their_order(byte_vocabulary: formgate.Vocabulary) -> None:
    class Ordered(pydantic.BaseModel):
        first: str = Field(validation_alias=AliasPath("a", "b"))
        second: str = ""

    assert list(schema_of(Ordered)["properties"]) == ["a", "second"]  # type: ignore[index]
    engine = formgate.compile(Ordered, byte_vocabulary)
    assert engine.accepts('{"a":{"b":""},"second":""}')


def test_items_after_a_part_of_any_length_are_refused(
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    items = [core_schema.str_schema(), core_schema.bool_schema(), core_schema.str_schema()]
    whole = core_schema.tuple_schema(items, variadic_item_index=1)

    class Ends:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            del source, handler
            return whole

    with pytest.raises(formgate.UnsupportedConstraint, match="items after a part of any length"):
        formgate.compile(Ends, byte_vocabulary)


def test_definitions_used_twice_are_keys(byte_vocabulary: formgate.Vocabulary) -> None:
    engine = formgate.compile(Tree, byte_vocabulary)
    parsed = formgate.parse(engine, '{"once_more":{"2":true}}')
    assert parsed == Tree(once_more={Number.TWO: True})


def test_a_type_within_another_keeps_its_constraints(byte_vocabulary: formgate.Vocabulary) -> None:
    @dataclasses.dataclass
    class Outer:
        pet: Pet
        strict: Strict

    engine = formgate.compile(Outer, byte_vocabulary)
    assert engine.accepts('{"pet":{"kind":"cat"},"strict":{"b":1}}')
    assert not engine.accepts('{"pet":{},"strict":{"b":1}}')
    assert not engine.accepts('{"pet":{"kind":"cat"},"strict":{"b":1.0}}')


def test_a_package_that_is_not_there_is_a_wrong_grammar(
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    class Needy:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            del source, handler
            raise ImportError("email-validator is not installed")

    with pytest.raises(formgate.GrammarError, match="email-validator is not installed"):
        formgate.compile(Needy, byte_vocabulary)


def test_addresses_are_those_of_the_package(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {"type": "string", "pattern": EMAIL, "maxLength": 254}
    engine = formgate.compile(schema, byte_vocabulary)
    for text in ("ada.lovelace@example.com", "a+b@sub.example.co.uk", "a@b.tests"):
        assert engine.accepts(f'"{text}"')
    for text in ("a@localhost", "a@b.test", "a@b.1", "a..b@c.de", "a@xn--9ca.com", "@a.de", "a@b"):
        assert not engine.accepts(f'"{text}"')
    if importlib.util.find_spec("email_validator") is None:
        return
    reader: TypeAdapter[Any] = TypeAdapter(pydantic.EmailStr)
    assert schema_of(reader) == {**schema, "format": "email"}
    source = random.Random(0)
    for _ in range(30):
        drew = drawn(engine, source, soft=20, hard=300)
        if drew is not None:
            reader.validate_json(drew)
