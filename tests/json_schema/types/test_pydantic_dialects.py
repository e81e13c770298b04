"""Patterns of pydantic's models in all that the two dialects have of their own; pydantic judges."""

from __future__ import annotations

import json
import random
import re
import warnings
from typing import Any

import pytest
from drawing import drawn
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from pattern_pieces import CHARS, ENGINES, PLAIN_CHARS, known, patterns, reader_of
from pydantic import TypeAdapter, constr

import formgate
from formgate.plugins.json_schema import UnenforcedWarning
from formgate.plugins.json_schema._ecma_match import matches
from formgate.plugins.json_schema._types_pydantic_patterns import read_alike

RUST, PYTHON = ENGINES
SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=300)


@SETTINGS
@given(pattern=patterns(), engine=st.sampled_from(ENGINES), data=st.data())
def test_what_is_read_matches_in_the_engine(pattern: str, engine: str, data: st.DataObject) -> None:
    reader = known(pattern, engine)
    assume(reader is not None)
    alike = read_alike(pattern, rust=engine == RUST)
    if alike is None:
        reject()
    drawn_texts = data.draw(st.lists(st.text(CHARS, max_size=4), max_size=20))
    for text in ["", *CHARS, *drawn_texts]:
        if matches(alike, text):
            reader.validate_python(text)


@SETTINGS
@given(pattern=patterns(), engine=st.sampled_from(ENGINES), data=st.data())
def test_lines_of_ascii_match_in_both_or_in_none(
    pattern: str, engine: str, data: st.DataObject
) -> None:
    reader = known(pattern, engine)
    assume(reader is not None)
    alike = read_alike(pattern, rust=engine == RUST)
    if alike is None:
        reject()
    drawn_texts = data.draw(st.lists(st.text(PLAIN_CHARS, max_size=4), max_size=20))
    for text in ["", *PLAIN_CHARS, "aa", "aaa", "ab", *drawn_texts]:
        assert matches(alike, text) == reader.validator.isinstance_python(text)


@settings(SETTINGS, max_examples=60)
@given(pattern=patterns(depth=1), engine=st.sampled_from(ENGINES), seed=st.integers(0, 99))
def test_texts_that_are_generated_are_read(
    pattern: str, engine: str, seed: int, byte_vocabulary: formgate.Vocabulary
) -> None:
    reader = known(pattern, engine)
    assume(reader is not None)
    try:
        made = formgate.compile(reader, byte_vocabulary)
    except (formgate.UnsupportedConstraint, formgate.EmptyLanguageError):
        reject()
    text = drawn(made, random.Random(seed), soft=6, hard=100)
    if text is not None:
        reader.validate_json(text)


@pytest.mark.parametrize(
    ("pattern", "engine", "good", "bad"),
    [
        # counts
        ("^a{1, 2}$", RUST, ["a", "aa"], ["", "aaa", "a{1, 2}"]),
        ("^a{ 2 }$", RUST, ["aa"], ["a", "a{ 2 }"]),
        ("^a{1, 2}$", PYTHON, ["a{1, 2}"], ["a", "aa"]),
        ("^[A-Z]{,3}$", PYTHON, ["", "A", "ABC"], ["ABCD", "A{,3}"]),
        ("^a{,}$", PYTHON, ["", "aaaa"], ["a{,}"]),
        ("^a{}$", PYTHON, ["a{}"], ["a", ""]),
        ("^{$", PYTHON, ["{"], [""]),
        ("^a++$", RUST, ["a", "aaa"], [""]),
        ("^a{2}{2}$", RUST, ["aaaa"], ["aa", "aaa"]),
        ("^a{2}+$", RUST, ["aa", "aaaa"], ["a", "aaa"]),
        ("^*a$", RUST, ["a", "ba"], ["ab"]),
        # classes
        ("^[]-a]$", RUST, ["]", "-", "a"], ["^", "_"]),
        ("^[]-a]$", PYTHON, ["]", "^", "_", "a"], ["-"]),
        ("^[--a]$", RUST, ["-", "a"], ["A", "_"]),
        ("^[--a]$", PYTHON, ["-", "A", "_", "a"], ["b"]),
        ("^[[:alpha:]]$", RUST, ["a", "Z"], [":", "[", ":]"]),
        ("^[[:alpha:]]$", PYTHON, ["a]", ":]", "[]"], ["a", "z]"]),
        ("^[a&&b]$", PYTHON, ["a", "&", "b"], [""]),
        (r"^[\b]$", PYTHON, ["\b"], ["b"]),
        # flags
        (re.compile(r"^(?!.*secret)[\s\S]*$", re.DOTALL), RUST, ["a\nb"], ["x\nsecret", "secret"]),
        ("(?s)^.$", RUST, ["a", "\n", "\u2028"], [""]),
        ("(?m)^b$", PYTHON, ["b", "a\nb", "b\na"], ["ab"]),
        ("^(?m:^b$)$", RUST, ["b"], ["a\nb"]),
        (re.compile("^ak$", re.IGNORECASE), RUST, ["ak", "AK", "aK"], ["a", "b"]),
        (re.compile("^[^a]$", re.IGNORECASE), RUST, ["b", "\u00e9"], ["a", "A"]),
        ("(?i)^[^k]$", RUST, ["a"], ["k", "K", "\u212a"]),
        ("^(?i:a)b$", PYTHON, ["ab", "Ab"], ["aB"]),
        ("^a(?i)b|c$", RUST, ["aB", "C"], ["xAb"]),
        ("^(?x) a b $", RUST, ["ab"], [" a b ", "a b"]),
        (re.compile("^a # b\n[ ]$", re.VERBOSE), RUST, ["a "], ["a", "a # b\n "]),
        ("(?R)^a$", RUST, ["a"], ["a\r"]),
        ("^(?-u:a)$", RUST, ["a"], ["b"]),
        (r"^(?-u:\s)$", RUST, [" "], ["\xa0"]),
        (r"^(?u:\w)$", RUST, ["a", "_"], ["-"]),
        # groups and comments
        ("^a(?#c)+$", PYTHON, ["a", "aa"], ["ac"]),
        ("^(?P<a.b>a)(?<c>b)$", RUST, ["ab"], ["a"]),
        # escapes
        (r"^\p{Greek}$", RUST, ["\u03b1"], ["a"]),
        (r"^\pL$", RUST, ["a"], ["1", "-", "\\"]),
        (r"^\0\101\N{DIGIT ONE}$", PYTHON, ["\x00A1"], ["01011"]),
        (r"\B", PYTHON, ["-", "aa"], ["a"] if re.search(r"\B", "") else ["", "a"]),
        (r"\B", RUST, ["", "-", "aa"], ["a"]),
        (r"^\a\-\#\U00000061$", RUST, ["\x07-#a"], []),
    ],
)
def test_patterns_of_one_dialect(
    pattern: Any,
    engine: str,
    good: list[str],
    bad: list[str],
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    reader = known(pattern, engine)
    made = formgate.compile(reader, byte_vocabulary)
    assert [text for text in good if not made.accepts(json.dumps(text))] == []
    assert [text for text in bad if made.accepts(json.dumps(text))] == []
    assert [text for text in good if not reader.validator.isinstance_python(text)] == []
    assert [text for text in bad if reader.validator.isinstance_python(text)] == []


@pytest.mark.parametrize(
    ("pattern", "engine"),
    [
        *(("(?x) [a b]", RUST), (r"\p{lu}", RUST), (r"\p{isGreek}", RUST), (r"\p{gc!=Lu}", RUST)),
        *(("[a&&b]", RUST), ("[a--b]", RUST), ("[a~~b]", RUST), ("[a[bc]]", RUST), (r"\<a", RUST)),
        *((r"\b{start}", RUST), ("[[:^alpha:]]", RUST), ("(?mR)^a$", RUST), ("(?x)a+ ?", RUST)),
        *((r"(?i)\P{Lu}", RUST), (r"(?i)[^\p{Lu}]", RUST), ("(?i)[^\u00e9]", RUST)),
        *((r"(a)\1", PYTHON), ("(?P<n>a)(?P=n)", PYTHON), ("(a)?(?(1)b|c)", PYTHON)),
        *((r"(?!\b)a", PYTHON), ("(?i)(?!\u00e9)a", PYTHON)),
    ],
)
def test_what_has_no_words_is_unsupported(
    pattern: str, engine: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    reader = reader_of(pattern, engine)
    with pytest.raises(formgate.UnsupportedConstraint, match="the pattern"):
        formgate.compile(reader, byte_vocabulary)
    with pytest.warns(UnenforcedWarning, match="not enforced: the pattern"):
        made = formgate.compile(reader, byte_vocabulary, on_unsupported="relax")
    assert made.accepts('"any"')


@pytest.mark.parametrize("pattern", ["^a++$", "^(?>a)$", "^a{2}+$"])
def test_what_is_not_taken_back_is_unsupported(
    pattern: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    reader = known(pattern, PYTHON)
    if reader is None:
        pytest.skip("this Python has no such patterns")
    with pytest.raises(formgate.UnsupportedConstraint, match="the pattern"):
        formgate.compile(reader, byte_vocabulary)


@pytest.mark.parametrize("name", ["L", "Alphabetic", "Latin"])
@pytest.mark.parametrize("form", [r"^\p{%s}*$", r"^\P{%s}*$", r"^[^\p{%s}]*$"])
def test_properties_are_those_of_the_engines_unicode(name: str, form: str) -> None:
    pattern = form % name
    alike = read_alike(pattern, rust=True)
    assert alike is not None
    every = [chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    inside = re.sub(r"\*\$$", "$", alike)
    text = "".join(char for char in every if matches(inside, char))
    assert text
    reader_of(pattern, RUST).validate_python(text)


def test_patterns_of_keys_are_read_so_too(byte_vocabulary: formgate.Vocabulary) -> None:
    reader: TypeAdapter[Any] = TypeAdapter(dict[constr(pattern="^a{1, 2}$"), int])  # type: ignore[misc]
    made = formgate.compile(reader, byte_vocabulary)
    assert made.accepts('{"aa": 1}')
    assert not made.accepts('{"a{1, 2}": 1}')


def test_reading_a_pattern_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        re.purge()
        assert read_alike("^[[a]$", rust=False) == r"^[\[a]$"
