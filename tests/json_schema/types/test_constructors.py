"""What reads values: constructors that take no fields, aliases of validated calls, kept shapes."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Annotated, Any

import pytest

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import GrammarError, ParseError, UnsupportedConstraint

pydantic = pytest.importorskip("pydantic")

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


@dataclasses.dataclass
class Renamed:
    x: int

    def __init__(self, q: int) -> None:
        self.x = q


@dataclasses.dataclass
class More:
    x: int

    def __init__(self, x: int, y: int) -> None:
        self.x = x + y


@dataclasses.dataclass(init=False)
class Without:
    x: int


@pytest.mark.parametrize(("cls", "name"), [(Renamed, "x"), (More, "y"), (Without, "x")])
def test_constructors_that_do_not_take_the_fields(cls: Any, name: str) -> None:
    with pytest.raises(UnsupportedConstraint, match=f"does not take its fields: '{name}'"):
        formgate.compile(cls, VOCABULARY)


@dataclasses.dataclass
class Keywords:
    x: int

    def __init__(self, **given: int) -> None:
        self.x = given["x"]


@dataclasses.dataclass
class Defaults:
    x: int
    seed: dataclasses.InitVar[int] = 3
    z: int = dataclasses.field(init=False, default=1)

    def __post_init__(self, seed: int) -> None:
        self.z = seed


@dataclasses.dataclass(kw_only=True)
class Named:
    x: int
    y: int = 2


@pytest.mark.parametrize("cls", [Keywords, Defaults, Named])
def test_constructors_that_do(cls: Any) -> None:
    engine = formgate.compile(cls, VOCABULARY)
    assert formgate.parse(engine, '{"x": 1}').x == 1


def test_aliases_of_validated_calls() -> None:
    @pydantic.validate_call
    def call(
        a: Annotated[int, pydantic.Field(alias="q", gt=2)],
        b: Annotated[str, pydantic.Field(min_length=1)] = "x",
    ) -> tuple[int, str]:
        return a, b

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine = formgate.compile(call, VOCABULARY)
    assert call(**formgate.parse(engine, '{"q": 3, "b": "y"}')) == (3, "y")
    for text in ('{"a": 3}', '{"q": 2}', '{"q": 3, "b": ""}'):
        assert not engine.accepts(text)


def test_sizes_that_pydantic_reads() -> None:
    engine = formgate.compile(pydantic.TypeAdapter(pydantic.ByteSize), VOCABULARY)
    read = pydantic.TypeAdapter(pydantic.ByteSize).validate_json
    for text in (
        "0",
        "12",
        "1.0",
        "9223372036854774784",
        "9223372036854774784.0",
        "9" * 30,
        '"1.5 KiB"',
    ):
        assert engine.accepts(text)
        assert formgate.parse(engine, text) == read(text)
    for text in ("9223372036854775808.0", "1e20", "18446744073709551616.0", "1.5"):
        assert not engine.accepts(text)
        with pytest.raises(pydantic.ValidationError):
            read(text)


class Model(pydantic.BaseModel):
    a: int


def test_a_grammar_refuses_names_that_stand_twice() -> None:
    grammar = build_grammar(Model, format="json_schema")
    with pytest.raises(ParseError, match="the name 'a' twice"):
        formgate.parse(grammar, '{"a": 1, "a": 2}')
    numbers = build_grammar(pydantic.TypeAdapter(float), format="json_schema")
    with pytest.raises(ParseError, match="no number"):
        formgate.parse(numbers, "NaN")


def test_reading_asks_for_no_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(a: int, b: Model) -> None:
        """Take a model beside a number."""

    sources: list[Any] = [Model, list[Model], other, [other, Model]]
    grammars = [build_grammar(source, format="json_schema") for source in sources]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a schema was made")

    monkeypatch.setattr(pydantic.TypeAdapter, "json_schema", refuse)
    texts = [
        '{"a": 1}',
        '[{"a": 1}]',
        '{"a": 1, "b": {"a": 2}}',
        '{"name": "other", "arguments": {"a": 1, "b": {"a": 2}}}',
    ]
    for grammar, text in zip(grammars, texts, strict=True):
        assert formgate.parse(grammar, text) == formgate.parse(grammar, text)


def test_many_types_are_read_by_their_own_shapes() -> None:
    for number in range(150):
        kind = dataclasses.make_dataclass(f"D{number}", [(f"m{number}", int)])
        grammar = build_grammar(kind, format="json_schema")
        for _ in range(2):
            value = formgate.parse(grammar, f'{{"m{number}": {number}}}')
            assert isinstance(value, kind)


def test_errors_of_functions_that_write_schemas() -> None:
    class Failing:
        @classmethod
        def __get_pydantic_core_schema__(cls, *_: object) -> object:
            raise RuntimeError("no schema today")

    class Late(pydantic.BaseModel):
        a: int

        @classmethod
        def __get_pydantic_json_schema__(cls, *_: object) -> object:
            raise KeyError("b")

    for source, name, words in (
        (Failing, "Failing", "RuntimeError: no"),
        (Late, "Late", "KeyError"),
    ):
        with pytest.raises(
            GrammarError, match=f"{name}: writing its schema failed: {words}"
        ) as caught:
            formgate.compile(source, VOCABULARY)
        assert isinstance(caught.value.__cause__, (RuntimeError, KeyError))
