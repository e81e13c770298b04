"""The arguments of functions, methods and other objects that are called."""

from __future__ import annotations

import functools
from typing import Annotated

import annotated_types
import postponed
import pytest
from type_reading import body, read

import formgate
from formgate import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._types import schema_of


def test_the_arguments_of_a_function():
    def book(place: str, nights: Annotated[int, annotated_types.Ge(1)], pet=None, *, by: str = ""):
        """Not needed."""

    assert body(book) == {
        "type": "object",
        "properties": {
            "place": {"type": "string"},
            "nights": {"type": "integer", "minimum": 1},
            "pet": True,
            "by": {"type": "string"},
        },
        "required": ["place", "nights"],
        "additionalProperties": False,
    }
    assert read(book, '{"place": "x", "nights": 2}') == {"place": "x", "nights": 2}
    assert "by" not in body(functools.partial(book, by="me"))["properties"]


def test_partial_functions_with_arguments_that_do_not_fit():
    def add(left: int, right: int): ...

    for part in (functools.partial(add, 1, 2, 3), functools.partial(add, middle=1)):
        with pytest.raises(GrammarError, match="add cannot be called with what is given already"):
            schema_of(part)


def test_methods_leave_out_self():
    class Hotel:
        def book(self, nights: int): ...

    assert list(body(Hotel().book)["properties"]) == ["nights"]


class Hotel:
    stars: int = 3

    def __call__(self, place: str, nights: int = 1): ...

    def book(this, nights: int): ...  # noqa: N805 (any name will do)

    @staticmethod
    def rate(self: int, other): ...  # noqa: PLW0211 (no object, whatever it is called)

    @classmethod
    def found(cls, name: str): ...

    @functools.lru_cache  # noqa: B019 (never called)
    def cached(self, nights: int): ...


def test_a_method_without_its_object_is_refused():
    class Inn:
        def book(self, nights: int): ...

    for method, place in ((Hotel.book, r"Hotel\.book\(this\)"), (Inn.book, r"Inn\.book\(self\)")):
        for source in (method, functools.partial(method, nights=1)):
            with pytest.raises(GrammarError, match=place) as caught:
                schema_of(source)
            assert "bound method" in str(caught.value.hint)
    for method in (Hotel().book, functools.partial(Hotel.book, Hotel())):
        assert list(body(method)["properties"]) == ["nights"]
    assert list(body(Hotel.rate)["properties"]) == ["self", "other"]
    assert list(body(Hotel.found)["properties"]) == ["name"]


def test_objects_that_are_called_like_functions():
    assert body(Hotel()) == {
        "type": "object",
        "properties": {"place": {"type": "string"}, "nights": {"type": "integer"}},
        "required": ["place"],
        "additionalProperties": False,
    }
    assert list(body(functools.lru_cache(many_nights))["properties"]) == ["place", "nights"]
    assert list(body(round)["properties"]) == ["number", "ndigits"]
    vocabulary = formgate.Vocabulary(
        [*(bytes([byte]) for byte in range(256)), None], stop_ids=[256]
    )
    engine = formgate.compile(Hotel(), vocabulary)
    assert formgate.parse(engine, '{"place": "x"}') == {"place": "x"}
    call = formgate.compile([Hotel(), many_nights], vocabulary)
    assert call.accepts('{"name": "Hotel", "arguments": {"place": "x"}}')
    with pytest.raises(GrammarError, match=r"len\(obj, /\)"):
        formgate.compile(len, vocabulary)
    with pytest.raises(GrammarError, match="max: which parameters it has") as caught:
        schema_of(max)
    assert "write a function" in str(caught.value.hint)


def many_nights(place: str, nights: int): ...


def test_no_arguments():
    assert body(lambda: None) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def many(first: int, *others: int): ...
def named(first: int, **others: int): ...
def positional(first: int, /): ...


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (many, UnsupportedConstraint, r"many\(\*others\)"),
        (named, UnsupportedConstraint, r"named\(\*\*others\)"),
        (positional, GrammarError, r"positional\(first, /\)"),
        (postponed.weather, GrammarError, "Units"),
    ],
)
def test_parameters_that_an_object_has_no_place_for(function, error, message):
    with pytest.raises(error, match=message) as caught:
        schema_of(function)
    assert caught.value.hint
