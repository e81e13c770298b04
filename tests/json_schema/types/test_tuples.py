"""Tuples with other tuples in them, and arguments that a TypedDict declares."""

from __future__ import annotations

import functools
import sys
from typing import Any

import pytest
from typing_extensions import NotRequired, TypedDict, TypeVarTuple, Unpack

import formgate
from formgate import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._types import schema_of

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
Many = TypeVarTuple("Many")


@pytest.mark.parametrize(
    ("source", "valid", "invalid"),
    [
        (
            tuple[int, Unpack[tuple[str, ...]]],
            ["[1]", '[1,"a"]', '[1,"a","b"]'],
            ["[]", '["a"]', "[1,2]"],
        ),
        (tuple[int, Unpack[tuple[str, bool]]], ['[1,"a",true]'], ["[1]", '[1,"a"]', '[1,"a",1]']),
        (tuple[Unpack[tuple[int, ...]]], ["[]", "[1,2]"], ['["a"]']),
        (tuple[Unpack[tuple[()]], int], ["[1]"], ["[]", "[1,1]"]),
        (tuple[int, Unpack[tuple]], ["[1]", '[1,"a",null]'], ["[]"]),
        (
            tuple[int, Unpack[tuple[str, Unpack[tuple[bool, ...]]]]],
            ['[1,"a"]', '[1,"a",true,false]'],
            ["[1]", '[1,"a",1]'],
        ),
    ],
)
def test_parts_are_written_out(source, valid, invalid):
    engine = formgate.compile(source, BYTES)
    for text in valid:
        assert engine.accepts(text), text
        assert formgate.parse(engine, text) == tuple(formgate.parse(engine, text))
    assert not [text for text in invalid if engine.accepts(text)]


def test_items_are_read_by_place():
    engine = formgate.compile(tuple[float, Unpack[tuple[set[int], ...]]], BYTES)
    assert formgate.parse(engine, "[1, [1], [2, 3]]") == (1.0, {1}, {2, 3})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (tuple[int, Unpack[tuple[str, ...]], bool], "after a part of any length"),
        (tuple[Unpack[tuple[str, ...]], Unpack[tuple[int, ...]]], "after a part of any length"),
        (tuple[int, Unpack[Many]], "TypeVarTuple"),
    ],
)
def test_what_no_schema_says(source, words):
    with pytest.raises(UnsupportedConstraint, match=words):
        schema_of(source)


class Options(TypedDict):
    city: str
    days: NotRequired[int]


def test_arguments_of_a_typed_dict():
    def book(hotel: str, **options: Unpack[Options]): ...

    engine = formgate.compile(book, BYTES)
    assert engine.accepts('{"hotel":"a","city":"b"}')
    assert engine.accepts('{"hotel":"a","city":"b","days":2}')
    for text in ('{"hotel":"a"}', '{"hotel":"a","city":"b","days":"2"}', '{"city":"b"}'):
        assert not engine.accepts(text)
    assert not engine.is_prefix('{"hotel":"a","city":"b","o')


def test_what_a_partial_holds_is_given():
    def book(hotel: str, **options: Unpack[Options]): ...

    engine = formgate.compile(functools.partial(book, city="b"), BYTES)
    assert engine.accepts('{"hotel":"a"}')
    assert engine.accepts('{"hotel":"a","days":2}')
    assert not engine.is_prefix('{"hotel":"a","c')


def test_arguments_that_nobody_declares():
    def twice(city: str, **options: Unpack[Options]): ...

    def wrong(**options: Unpack[tuple[int]]): ...

    def free(**options: Any): ...

    with pytest.raises(GrammarError, match="'city' is declared twice"):
        schema_of(twice)
    with pytest.raises(GrammarError, match="no TypedDict"):
        schema_of(wrong)
    with pytest.raises(UnsupportedConstraint, match="not declared"):
        schema_of(free)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a star in an index came with Python 3.11")
def test_stars():
    source = eval("tuple[int, *tuple[str, ...]]")  # noqa: S307 (syntax of Python 3.11)
    assert schema_of(source) == schema_of(tuple[int, Unpack[tuple[str, ...]]])
    with pytest.raises(UnsupportedConstraint, match="TypeVarTuple"):
        schema_of(eval("tuple[int, *Many]"))  # noqa: S307
