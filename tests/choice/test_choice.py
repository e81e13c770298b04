"""The choice format: sources, errors, scale, and the language through the engine."""

from __future__ import annotations

import enum
import time
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError
from formgate.core.registry import Registry
from formgate.plugins.choice import compile_choice, register_formats


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    CRIMSON = RED  # an alias


class Size(str, enum.Enum):
    SMALL = "S"
    LARGE = "L"


class Mixed(enum.Enum):
    ONE = "one"
    ALSO_ONE = ONE
    TWO = 2


Inner = Literal["y"]


class Nothing(enum.Enum):
    pass


class Recorder:
    """Takes the strings, as the builder would."""

    def strings(self, values):
        self.values = list(values)
        return 0


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])


def only_format():
    formats = []
    register_formats(formats.append)
    (only,) = formats
    return only


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        (["yes", "no"], ["no", "yes"]),
        (("a",), ["a"]),
        ({"a", "b"}, ["a", "b"]),
        (frozenset({"a"}), ["a"]),
        (["a", "a"], ["a", "a"]),
        (["", "é", "\U0001f600"], ["", "é", "\U0001f600"]),
        (Colour, ["green", "red"]),
        (Size, ["L", "S"]),
        ([Size.SMALL, "b"], ["S", "b"]),
        (Literal["x", "y"], ["x", "y"]),
        (Literal["x", Inner], ["x", "y"]),
    ],
)
def test_sources(source, texts):
    recorder = Recorder()
    compile_choice(source, recorder)
    assert sorted(recorder.values) == texts
    assert {type(value) for value in recorder.values} == {str}
    assert only_format().guess(source)


@pytest.mark.parametrize(
    "source", ["abc", 3, None, {"a": 1}, [{"type": "function"}], [["a"]], [lambda: 0], str]
)
def test_not_guessed(source):
    assert not only_format().guess(source)


@pytest.mark.parametrize("source", [[1], ["a", 1], Mixed, Literal[1], [None], [b"a"]])
def test_guessed_so_that_the_item_is_named(source):
    assert only_format().guess(source)
    with pytest.raises(GrammarError, match="every choice must be a string"):
        compile_choice(source, Recorder())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("abc", "a single string"),
        ({"a": "b"}, "dict"),
        (3, "int"),
        (["a", 3], "item 1 is 3, of type int"),
        (["a", b"b"], "item 1 is b'b', of type bytes"),
        (Mixed, "the value of Mixed.TWO is 2"),
        (Literal["a", 1], "item 1 is 1"),
        ({3}, "an item of the set is 3"),
        (["a", None], "item 1 is None"),
    ],
)
def test_refused(source, reason):
    with pytest.raises(GrammarError, match=reason) as caught:
        compile_choice(source, Recorder())
    assert caught.value.hint


@pytest.mark.parametrize("source", [[], (), set(), Nothing])
def test_nothing_to_choose_from(source):
    with pytest.raises(EmptyLanguageError, match="nothing to choose"):
        compile_choice(source, Recorder())


def test_lone_surrogates():
    builder = formgate.GrammarBuilder()
    with pytest.raises(GrammarError, match="item 1 has a lone surrogate") as caught:
        compile_choice(["a", "b\ud800"], builder)
    assert caught.value.source == "b\ud800"
    assert caught.value.offset == 1


def test_no_options(vocabulary):
    with pytest.raises(GrammarError, match="no option 'case_insensitive'"):
        only_format().compile(["a"], Recorder(), {"case_insensitive": True})
    with pytest.raises(GrammarError, match="case_insensitive"):
        formgate.compile(["a"], vocabulary, case_insensitive=True)


def test_registered():
    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    assert "choice" in {entry.spec.name for entry in registry.formats()}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abé\n", max_size=4), min_size=1, max_size=8), st.data())
def test_language(vocabulary, choices, data):
    engine = formgate.compile(choices, vocabulary)
    assert engine.format == "choice"
    for text in choices:
        assert engine.accepts(text)
    other = data.draw(st.text("abé\n", max_size=5))
    assert engine.accepts(other) == (other in choices)
    assert engine.is_prefix(other) == any(text.startswith(other) for text in choices)


def test_a_choice_may_begin_another(vocabulary):
    engine = formgate.compile(["a", "ab"], vocabulary)
    state = engine.advance(engine.start(), ord("a"))
    assert engine.is_accepting(state)
    assert not engine.is_terminal(state)
    assert engine.allowed_tokens(state).to_list() == [ord("b"), 256]


def test_a_text_is_read_as_the_member_that_it_stands_for(vocabulary):
    colour = formgate.compile(Colour, vocabulary)
    assert formgate.parse(colour, "red") is Colour.RED
    assert formgate.parse(formgate.compile(Size, vocabulary), "L") is Size.LARGE
    assert formgate.parse(formgate.compile(Literal["a", "b"], vocabulary), "b") == "b"
    assert formgate.parse(formgate.compile(["a", "b"], vocabulary), "b") == "b"
    with pytest.raises(formgate.ParseError):
        formgate.parse(colour, "blue")
    with pytest.raises(formgate.ParseError, match="Colour"):
        formgate.parse(colour.grammar, "blue")
    with pytest.raises(TypeError, match="decimals"):
        formgate.parse(colour, "red", decimals=True)


def test_the_python_side_of_a_million_texts_is_fast():
    texts = [f"item {number}" for number in range(1_000_000)]

    class Sink:
        def strings(self, values):
            assert values is texts, "no copy"
            return 0

    start = time.process_time()
    compile_choice(texts, Sink())
    assert time.process_time() - start < 1, "some 0.04 s on an idle machine"


@pytest.mark.slow
def test_a_million_texts(vocabulary):
    texts = [f"item {number * 7919 % 1_000_003:07d} of many" for number in range(1_000_000)]
    engine = formgate.compile(texts, vocabulary)
    assert all(engine.accepts(text) for text in texts[::50_000])
    assert not engine.accepts("item 00000 of many")
    assert not engine.accepts(texts[0] + " ")


def test_types_with_other_values_are_sent_to_json(byte_vocabulary: formgate.Vocabulary) -> None:
    class Level(enum.Enum):
        LOW = 1
        HIGH = "high"

    for source in (Level, Literal[1, "high"]):
        with pytest.raises(GrammarError, match="every choice must be a string") as caught:
            formgate.compile(source, byte_vocabulary)
        assert 'format="json_schema"' in str(caught.value.hint)
        engine = formgate.compile(source, byte_vocabulary, format="json_schema")
        assert engine.accepts("1")
        assert engine.accepts('"high"')
    with pytest.raises(GrammarError) as caught:
        formgate.compile([1, "high"], byte_vocabulary)
    assert "json_schema" not in str(caught.value.hint)
