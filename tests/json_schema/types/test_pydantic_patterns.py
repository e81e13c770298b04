"""Patterns of pydantic's models: what is let through, Rust's engine, or Python's, matches, too."""

from __future__ import annotations

import random
import re
from typing import Any

import pydantic
import pytest
from drawing import drawn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict, StringConstraints, TypeAdapter
from pydantic_types import narrow

import formgate
from formgate.plugins.json_schema._types_pydantic_patterns import read_alike

# Characters that the engines differ about, and some that they do not.
CHARS = "aZ_09 \t\n\r\x0b\x1c\x1f\x85\xa0\ufeff\u2028\u0661\u00e9\u00df\u200c\u4e00\U0001f600-.x"

RUST = [
    *(r"^\s$", r"^\S$", r"^\d$", r"^\D$", r"^\w$", r"^\W$", r"^.$", r"^[^\s]$", r"^[^\S]$"),
    *(r"^[^\d]$", r"^[^\D]$", r"^[^\w]$", r"^[^\W]$", r"^[\s\S]{2}$", r"^[\W]$", r"^[\Da]$"),
    *(r"\ba\b", r"\Ba", r"a\B", r"\Aa\z", r"^(?P<n>a)$", r"^[]a]$", r"^[^]a]$", r"^\x{61}$"),
    *(r"^\w+\.[a-z]{1,3}$", r"^[\w.-]+$", r"\s", r"^[^\s-]+$", r"^(a|\S)x", r"^\.x$", r"^\u{61}$"),
]
PYTHON = [
    *(r"^(?!\d)..$", r"^(?!a$).*$", r"^(?!.*x).{2}$", r"^(?<!\w)..$", r"a\Z", r"^(?=a)..$"),
    *(r"^(?!\s)..$", r"^(?!\S)..$", r"^(?![^\w])..$", r"^(?!\W)..$", r"^((?!a).)+$", r"^[^a]$"),
    *(r"^(?!a.)..$", r"^a$", r"^(?!x\b)..$"),
]


def texts() -> st.SearchStrategy[str]:
    return st.text(CHARS, max_size=3)


@pytest.mark.parametrize(
    ("pattern", "engine"),
    [
        *((each, "rust-regex") for each in RUST),
        *((each, "python-re") for each in (*RUST, *PYTHON) if not re.search(r"\\z|\{6|\\Z", each)),
    ],
)
def test_texts_match_in_the_engine_of_the_model(
    pattern: str, engine: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    config = ConfigDict(regex_engine=engine)  # type: ignore[typeddict-item]
    reader: TypeAdapter[Any] = TypeAdapter(narrow(str, pattern=pattern), config=config)
    try:
        made = formgate.compile(reader, byte_vocabulary)
    except formgate.UnsupportedConstraint:
        assert read_alike(pattern, rust=engine != "python-re") is None
        return

    @settings(deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(text=texts())
    def check(text: str) -> None:
        quoted = TypeAdapter(str).dump_json(text).decode()
        if made.accepts(quoted):
            reader.validate_json(quoted)

    check()
    source = random.Random(0)
    for _ in range(10):
        drew = drawn(made, source, soft=6, hard=100)
        if drew is not None:
            reader.validate_json(drew)


@pytest.mark.parametrize("pattern", ["^[a-z]+$", "ab|c", r"^a\.b$", r"\d{3}", "^[A-Za-z0-9_-]+$"])
def test_patterns_that_all_engines_read_alike_are_left_alone(pattern: str) -> None:
    assert read_alike(pattern, rust=True) == pattern


@pytest.mark.parametrize(
    "pattern", ["[a&&b]", "[a--b]", "[a~~b]", "[a[bc]]", r"\<a", r"\b{start}a", "[a"]
)
def test_patterns_of_rusts_own_are_not_read(pattern: str) -> None:
    assert read_alike(pattern, rust=True) is None


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        (re.compile("a"), "a"),
        (re.compile("a.", re.DOTALL), "a[^]"),
        (re.compile("a1", re.IGNORECASE), "[aA]1"),
        (re.compile("[^b]", re.IGNORECASE), "[^bB]"),
        (re.compile("[^k]", re.IGNORECASE), "[^kK\u212a]"),
        (re.compile("a b", re.VERBOSE), "ab"),
        (re.compile("^(?!a)", re.MULTILINE), r"(?<![^\n])(?!a)"),
        (re.compile(r"\s", re.ASCII), r"[\t-\r ]"),
    ],
)
def test_flags_are_written_out(pattern: re.Pattern[str], read: str) -> None:
    assert read_alike(pattern, rust=True) == read


@pytest.mark.parametrize(
    ("constraints", "good", "bad"),
    [
        ({"strip_whitespace": True, "min_length": 2}, ["ab", "a b"], [" a", "a ", "a\x85", " "]),
        ({"strip_whitespace": True, "pattern": "^ a$"}, [], [" a"]),
        ({"strip_whitespace": True, "max_length": 2}, ["ab"], ["abc"]),
        ({"to_lower": True, "pattern": "^A$"}, ["A"], ["a"]),
        ({"to_upper": True, "max_length": 1}, ["\u00df"], ["ab"]),
    ],
)
def test_white_space_is_cut_off_first(
    constraints: dict[str, Any],
    good: list[str],
    bad: list[str],
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    reader: TypeAdapter[Any] = TypeAdapter(pydantic.constr(**constraints))
    assert StringConstraints(**constraints) is not None
    try:
        engine = formgate.compile(reader, byte_vocabulary)
    except formgate.EmptyLanguageError:
        assert not good
        return
    write = TypeAdapter(str).dump_json
    for text in good:
        assert engine.accepts(write(text).decode())
        reader.validate_json(write(text))
    for text in bad:
        assert not engine.accepts(write(text).decode())
