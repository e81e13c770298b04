"""Error types: what they derive from, how they read, and that they travel between processes."""

from __future__ import annotations

import pickle

import pytest

import formgate
from formgate.core import errors
from formgate.core.errors import (
    AmbiguousPluginError,
    GrammarError,
    PluginError,
    UnsupportedConstraint,
)

BUILT_IN = {
    "GrammarError": ValueError,
    "UnsupportedConstraint": GrammarError,
    "EmptyLanguageError": GrammarError,
    "VocabularyError": ValueError,
    "TokenError": ValueError,
    "CompileTimeout": TimeoutError,
    "MissingDependencyError": ImportError,
    "AmbiguousPluginError": PluginError,
}


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_made_from_a_message_alone(name):
    error = getattr(errors, name)("a message")
    assert str(error) == "a message"
    assert isinstance(error, errors.FormgateError)
    assert isinstance(error, BUILT_IN.get(name, Exception))


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_survives_pickling(name):
    error = getattr(errors, name)("a message")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_fields_survive_pickling():
    error = UnsupportedConstraint("no", source="abc", offset=1, end=3, hint="do")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert str(copy) == str(error)
    assert (copy.reason, copy.span, copy.hint) == ("no", (1, 3), "do")
    ambiguous = AmbiguousPluginError("m", candidates=["a:x", "b:x"])
    copied = pickle.loads(pickle.dumps(ambiguous))  # noqa: S301 (our own bytes)
    assert copied.candidates == ("a:x", "b:x")


def test_the_caret_stands_under_the_span():
    error = GrammarError("unclosed group", source="ab(cd", offset=2, end=3, hint="close it")
    assert str(error) == (
        "unclosed group\n  line 1, column 3: ab(cd\n                      ^\nhint: close it"
    )
    assert error.span == (2, 3)


def test_without_a_source_there_is_no_excerpt():
    assert str(GrammarError("bad", offset=3)) == "bad"
    assert str(GrammarError("bad", source="abc")) == "bad"
    assert GrammarError("bad").span is None


def test_only_the_offending_line_is_shown():
    error = GrammarError("bad", source="first\nsecond\nthird", offset=8, end=17)
    assert str(error) == "bad\n  line 2, column 3: second\n                      ^^^^"


def test_long_lines_are_cut_around_the_place():
    source = "x" * 500 + "(" + "y" * 500
    lines = str(GrammarError("bad", source=source, offset=500)).splitlines()
    assert max(map(len, lines)) < 85 + len("line 1, column 501: ")
    assert lines[1][lines[2].index("^")] == "("
    assert lines[1].strip().startswith("line 1, column 501: ...")
    assert lines[1].endswith("...")


@pytest.mark.parametrize("source", ["\t\t(", "日本語(", "e\u0301(", "\u2028("])
def test_carets_count_columns_not_characters(source):
    import unicodedata

    offset = source.index("(")
    _, shown, caret = str(GrammarError("bad", source=source, offset=offset)).splitlines()
    assert shown.startswith(f"  line 1, column {offset + 1}: ")
    column = 0
    for character in shown[: shown.index("(")]:
        wide = unicodedata.east_asian_width(character) in "WF"
        column += 0 if unicodedata.combining(character) else 2 if wide else 1
    assert caret == " " * column + "^"


@pytest.mark.parametrize(("offset", "end"), [(3, None), (3, 9), (99, 100), (-5, -2), (1, 1)])
def test_any_span_is_drawn(offset, end):
    assert "^" in str(GrammarError("bad", source="abc", offset=offset, end=end))


def test_an_empty_source_is_drawn():
    assert str(GrammarError("bad", source="", offset=0)) == (
        "bad\n  line 1, column 1: \n                    ^"
    )


@pytest.mark.parametrize(
    ("source", "format", "column"),
    [
        ('root ::= "a" | (', "gbnf", 16),
        ('start: "a" (', "lark", 13),
        ("a ::= 'x", "ebnf", 7),
        ('a = "x', "abnf", 5),
    ],
)
def test_places_in_one_line_have_a_line_and_a_column(byte_vocabulary, source, format, column):  # noqa: A002
    with pytest.raises(GrammarError) as caught:
        formgate.compile(source, byte_vocabulary, format=format)
    shown, caret = str(caught.value).splitlines()[1:3]
    assert shown.startswith(f"  line 1, column {column}: ")
    assert caret.strip() == "^"
