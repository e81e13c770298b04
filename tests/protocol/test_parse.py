"""`formgate.parse`: the check of the text, and the reader that a format offers."""

from __future__ import annotations

import pickle
import types

import pytest

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.registry import Format, Registry, hookimpl


def read_number(source, options, text, wanted):
    assert source == "digits"
    if set(wanted) - {"base"}:
        raise TypeError("no such option")
    if text == "13":
        raise formgate.ParseError("not that one", path=["a", 0])
    return int(text, wanted.get("base", options.get("base", 10)))


def write_number(source, builder, options):
    options.get("base")
    builder.start(builder.repeat(builder.char_class([(48, 57)]), 2, 3))


@pytest.fixture(scope="module")
def registry():
    @hookimpl
    def register_formats(register):
        register(Format("number", write_number, reader=read_number))

    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    registry.register(types.SimpleNamespace(register_formats=register_formats), name="numbers")
    return registry


@pytest.fixture(scope="module")
def engine(registry, byte_vocabulary):
    return formgate.compile("digits", byte_vocabulary, format="number", registry=registry)


def test_the_reader_gives_the_value(engine):
    assert formgate.parse(engine, "012") == 12
    assert formgate.parse(engine, b"012") == 12


def test_options_of_both_calls_reach_it(registry, byte_vocabulary):
    engine = formgate.compile("digits", byte_vocabulary, format="number", registry=registry, base=8)
    assert formgate.parse(engine, "17") == 15
    assert formgate.parse(engine, "17", base=9) == 16
    with pytest.raises(TypeError):
        formgate.parse(engine, "17", bas=9)


def test_a_grammar_reads_without_a_check(registry):
    grammar = build_grammar("digits", format="number", registry=registry)
    assert formgate.parse(grammar, "123456") == 123456


def test_an_incomplete_text(engine):
    with pytest.raises(formgate.ParseError, match="incomplete") as caught:
        formgate.parse(engine, "1")
    assert caught.value.offset == 1
    assert "hint" in str(caught.value)


@pytest.mark.parametrize(("text", "offset"), [("1x", 1), ("x", 0), ("1234", 3), ("12\n", 2)])
def test_the_first_wrong_character_is_named(engine, text, offset):
    with pytest.raises(formgate.ParseError, match="not in the language") as caught:
        formgate.parse(engine, text)
    assert caught.value.offset == offset
    assert "^" in str(caught.value)


def test_what_the_reader_refuses(engine):
    with pytest.raises(formgate.ParseError, match="not that one") as caught:
        formgate.parse(engine, "13")
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own bytes)
    assert (str(copy), copy.path) == ("not that one", ("a", 0))


def test_the_value_of_other_formats_is_the_text(byte_vocabulary):
    engine = formgate.compile("[a-c]+", byte_vocabulary)
    assert formgate.parse(engine, "abc") == "abc"
    with pytest.raises(TypeError, match="option"):
        formgate.parse(engine, "abc", decimals=True)


@pytest.mark.parametrize("wrong", [None, "a", object()])
def test_what_is_no_constraint(wrong):
    with pytest.raises(TypeError, match="neither an engine"):
        formgate.parse(wrong, "a")


def test_what_is_no_text(engine):
    with pytest.raises(TypeError, match="text"):
        formgate.parse(engine, 12)
    with pytest.raises(formgate.ParseError, match="UTF-8"):
        formgate.parse(engine, b"\xff")


def test_a_reader_must_be_callable():
    with pytest.raises(formgate.PluginError, match="reader"):
        Format("number", write_number, reader="read")
