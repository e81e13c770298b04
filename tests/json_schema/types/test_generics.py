"""Generic classes: type variables stand for what each class of the hierarchy was given."""

import dataclasses
import sys
import types
import typing
from typing import Any, Generic, NamedTuple, TypeVar

import pydantic
import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypedDict, TypeVarTuple, Unpack

import formgate
from formgate import UnsupportedConstraint
from formgate.plugins.json_schema._types import schema_of

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
T = TypeVar("T")
S = TypeVar("S")
Many = TypeVarTuple("Many")
Whole = typing_extensions.TypeVar("Whole", default=int)


@dataclasses.dataclass
class Box(Generic[T]):
    x: T


@dataclasses.dataclass
class Plain(Box[int]):
    z: int


@dataclasses.dataclass
class Other(Box[int], Generic[T]):
    y: T


@dataclasses.dataclass
class Below(Other[str]):
    w: bool


@dataclasses.dataclass
class Pair(Generic[S]):
    b: S


@dataclasses.dataclass
class Crossed(Box[S], Pair[T], Generic[T, S]):
    c: T


@dataclasses.dataclass
class Bare(Generic[T]):
    inner: Box
    own: T


@dataclasses.dataclass
class Usual(Generic[T, Whole]):
    a: T
    b: Whole


@dataclasses.dataclass
class Items(Generic[Unpack[Many]]):
    x: tuple[Unpack[Many]]


@dataclasses.dataclass
class Mixed(Generic[T, Unpack[Many]]):
    g: Items[Unpack[Many]]
    t: T
    u: tuple[int, Unpack[Many]]


@dataclasses.dataclass
class TwoItems(Items[int, str]):
    pass


class Entry(TypedDict, Generic[T]):
    v: T


class Named(Entry[int]):
    w: str


class Further(Named, Generic[T]):
    q: T


class Point(NamedTuple, Generic[T]):
    a: T


class Model(pydantic.BaseModel, Generic[T]):
    v: T


@dataclasses.dataclass
class Holds(Generic[T]):
    p: Model[T]


def keywords(**given: Unpack[Entry[int]]) -> None:  # type: ignore[type-var]
    del given


@pytest.mark.parametrize(
    ("source", "valid", "invalid"),
    [
        (Plain, ['{"x":1,"z":1}'], ['{"x":"a","z":1}']),
        (Other[str], ['{"x":1,"y":"s"}'], ['{"x":"a","y":"s"}', '{"x":1,"y":1}']),
        (Below, ['{"x":1,"y":"s","w":true}'], ['{"x":1,"y":1,"w":true}']),
        (Crossed[int, str], ['{"b":1,"x":"s","c":1}'], ['{"b":"s","x":"s","c":1}']),
        (Bare[int], ['{"inner":{"x":"s"},"own":1}'], ['{"inner":{"x":"s"},"own":"s"}']),
        (Usual[str], ['{"a":"s","b":1}'], ['{"a":"s","b":"s"}']),
        (Usual[str, str], ['{"a":"s","b":"s"}'], ['{"a":"s","b":1}']),
        (Usual, ['{"a":[],"b":1}'], ['{"a":1,"b":"s"}']),
        (Items[int, str], ['{"x":[1,"s"]}'], ['{"x":[1]}', '{"x":[1,1]}', '{"x":[1,"s",1]}']),
        (Items[()], ['{"x":[]}'], ['{"x":[1]}']),
        (Items, ['{"x":[]}', '{"x":[1,"s"]}'], ['{"x":1}']),
        (Items[int, Unpack[tuple[str, ...]]], ['{"x":[1]}', '{"x":[1,"s"]}'], ['{"x":["s"]}']),
        (Items[Unpack[tuple[int, str]]], ['{"x":[1,"s"]}'], ['{"x":[1]}']),
        (TwoItems, ['{"x":[1,"s"]}'], ['{"x":[1]}']),
        (Mixed[bool], ['{"g":{"x":[]},"t":true,"u":[1]}'], ['{"g":{"x":[]},"t":1,"u":[1]}']),
        (
            Mixed[bool, int, str],
            ['{"g":{"x":[1,"s"]},"t":true,"u":[1,1,"s"]}'],
            ['{"g":{"x":[1,1]},"t":true,"u":[1,1,"s"]}', '{"g":{"x":[1,"s"]},"t":true,"u":[1]}'],
        ),
        (Named, ['{"v":1,"w":"s"}'], ['{"v":"s","w":"s"}']),
        (Further[bool], ['{"v":1,"w":"s","q":true}'], ['{"v":1,"w":"s","q":1}']),
        (Point[int], ["[1]"], ['["s"]']),
        (Holds[int], ['{"p":{"v":1}}'], ['{"p":{"v":"s"}}']),
        (keywords, ['{"v":1}'], ['{"v":"s"}', "{}"]),
        (typing.List, ['[1,"s"]'], ["1"]),  # noqa: UP006
        (typing.Tuple, ['[1,"s"]'], ["1"]),  # noqa: UP006
        (typing.Tuple[()], ["[]"], ["[1]"]),  # noqa: UP006
    ],
)
def test_variables_stand_for_what_was_given(source, valid, invalid):
    engine = formgate.compile(source, BYTES)
    assert [text for text in valid if not engine.accepts(text)] == []
    assert [text for text in invalid if engine.accepts(text)] == []


def test_values_are_of_the_classes():
    assert formgate.parse(formgate.compile(Below, BYTES), '{"x":1,"y":"s","w":true}') == Below(
        1, "s", True
    )
    engine = formgate.compile(Mixed[bool, int], BYTES)
    found = formgate.parse(engine, '{"g":{"x":[1]},"t":true,"u":[2,3]}')
    assert found == Mixed(Items((1,)), True, (2, 3))


@pytest.mark.skipif(
    sys.version_info >= (3, 12) or sys.version_info < (3, 11),
    reason="typing.TypedDict keeps its bases from Python 3.12 on, and is not generic before 3.11",
)
def test_a_lost_base_is_refused():
    class Base(typing.TypedDict, Generic[T]):
        v: T

    class Known(Base[int]):
        w: str

    class Lost(Known):
        pass

    assert not formgate.compile(Known, BYTES).accepts('{"v":"s","w":"s"}')
    with pytest.raises(UnsupportedConstraint, match=r"Lost\['v'\].*does not tell") as caught:
        formgate.compile(Lost, BYTES)
    assert "typing_extensions" in caught.value.hint


LEAVES = st.sampled_from([int, str, bool, float, list[str]])


def types_over(variables):
    leaves = LEAVES if not variables else LEAVES | st.sampled_from(variables)
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(lambda item: list[item], inner)
            | st.builds(lambda item: dict[str, item], inner)
            | st.builds(lambda a, b: tuple[a, b], inner, inner)
        ),
        max_leaves=3,
    )


def replaced(annotation, bound):
    """Substitution, written apart from the package's."""
    if isinstance(annotation, TypeVar):
        return bound[annotation]
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if not parts:
        return annotation
    parts = tuple(replaced(part, bound) for part in parts)
    return origin[parts]


@st.composite
def hierarchies(draw):
    """A class below others, its arguments, and its fields with all variables replaced."""
    classes: list[tuple[type, list[TypeVar], dict[str, Any]]] = []
    for level in range(draw(st.integers(1, 4))):
        variables = draw(st.lists(st.sampled_from([T, S]), unique=True, max_size=2))
        bases: tuple[Any, ...] = ()
        fields: dict[str, Any] = {}
        if classes:
            below, asked, had = classes[-1]
            arguments = [draw(types_over(variables)) for _ in asked]
            bases = (below[tuple(arguments)] if asked else below,)
            bound = dict(zip(asked, arguments, strict=True))
            fields = {name: replaced(hint, bound) for name, hint in had.items()}
        if variables:
            bases = (*bases, Generic[tuple(variables)])
        own = {
            f"f{level}_{at}": draw(types_over(variables)) for at in range(draw(st.integers(0, 2)))
        }
        if fields and draw(st.booleans()):  # one that a base has too
            own[draw(st.sampled_from(sorted(fields)))] = draw(types_over(variables))

        def fill(space, own=own):
            space["__annotations__"] = dict(own)

        cls = dataclasses.dataclass(types.new_class("Drawn", bases, {}, fill))
        classes.append((cls, variables, {**fields, **own}))
    cls, variables, fields = classes[-1]
    arguments = [draw(types_over([])) for _ in variables]
    bound = dict(zip(variables, arguments, strict=True))
    source = cls[tuple(arguments)] if variables else cls
    return source, {name: replaced(hint, bound) for name, hint in fields.items()}


@given(hierarchies())
def test_hierarchies_are_as_their_members_written_out(drawn):
    source, fields = drawn
    plain = dataclasses.make_dataclass("Drawn", list(fields.items()))
    assert schema_of(source) == schema_of(plain)


Nested = typing_extensions.TypeAliasType("Nested", int | list["Nested"] | dict[str, "Nested"])
Worded = typing_extensions.TypeAliasType("Worded", "int | list[Worded]")
Forest = typing_extensions.TypeAliasType("Forest", T | list["Forest[T]"], type_params=(T,))
Unknown = typing_extensions.TypeAliasType("Unknown", list["NoSuchName"])  # noqa: F821 (on purpose)


@pytest.mark.parametrize(
    ("annotation", "right", "wrong"),
    [
        (Nested, ["1", "[1, [2]]", '{"a": [{"b": 1}]}'], ['"x"', '[["x"]]', "null"]),
        (list[Nested], ["[1]", "[[1]]"], ["1", '["x"]']),
        (Worded, ["1", "[[1]]"], ["{}", '["x"]']),
        (Forest[str], ['"x"', '[["x"]]'], ["1", "[[1]]"]),
    ],
)
def test_aliases_that_stand_within_themselves(
    annotation: object, right: list[str], wrong: list[str]
) -> None:
    engine = formgate.compile(annotation, BYTES)
    assert [text for text in [*right, *wrong] if engine.accepts(text)] == right


def test_aliases_of_what_is_not_defined() -> None:
    with pytest.raises(formgate.GrammarError, match=r"alias Unknown.*NoSuchName"):
        formgate.compile(Unknown, BYTES)
