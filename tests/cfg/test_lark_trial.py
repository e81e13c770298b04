"""What is said of a regex without an engine is what ``re`` says, and is said at once."""

from __future__ import annotations

import itertools
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.plugins.cfg._lark_trial import Trial, trial

TEXTS = ["a", "A", "if", "IF", "if1", "1", "1.5e3", "1e", "_", '"', '"a"', "//x", "k", "\u212a", ""]
QUICK = [
    "[a-z_][a-z0-9_]*",
    "(?i:if|a[b-d]?)",
    "(?i)k",
    r"\d+(\.\d+)?([eE][+-]?\d+)?",
    '"[^"]*"',
    "(?:(?:a)|(?:b)+)",
    "(?i:(i)f)",
    "(?s:.)",
    "a??",
    "(i|if)",
]
# What follows matters, or many ways lead through a text.
SLOW = [
    "(?:a|bc)*",
    "(a*)*",
    "(?:a?){3}",
    r"a\b",
    "a(?=b)",
    "a$",
    "(a)\\1",
    "a*" * 5,
    "(a|aa)" * 21,
]


@pytest.mark.parametrize("regexp", QUICK)
def test_quick_regexes_are_asked_of_re(regexp):
    for flags in (0, re.IGNORECASE, re.ASCII, re.DOTALL):
        for text in TEXTS:
            match = re.match(regexp, text, flags)
            assert trial(regexp, flags).takes(text) == (match is not None and match[0] == text)
    assert trial(regexp, 0).takes("a" * 33) in (None, False)


@pytest.mark.parametrize("regexp", SLOW)
def test_other_regexes_are_left_to_an_engine(regexp):
    assert trial(regexp, 0).takes("a") is None


def test_what_begins_otherwise_is_not_taken():
    for regexp in ('"(?:[^"]|\\\\.)*"', '("(?:a|bc)*")', '(?s:"(?:.|\n)*)'):
        assert trial(regexp, 0).takes("if") is False
        assert trial(regexp, 0).takes('"a"') is None
    for regexp in ("(?i:a(?:b|cd)*)", "(?i)a(?:b|cd)*"):
        assert trial(regexp, 0).takes("ABCD") is None
    assert trial("a(?:b|cd)*", re.IGNORECASE).takes("ABCD") is None


@pytest.mark.parametrize("regexp", ["(", r"\p{Lu}", "(?<=a*)b"])
def test_what_re_refuses_is_left_to_others(regexp):
    assert trial(regexp, 0).takes("a") is None
    assert trial("a", re.LOCALE).takes("a") is None


def test_no_regex_takes_long():
    began = time.monotonic()
    for regexp in (".*" * 4 + "x", "(a|aa|aaa)" * 12 + "x", "(?:a?)" * 20 + "x"):
        trial(regexp, 0).takes("a" * 32)
    assert time.monotonic() - began < 5


PARTS = ["a", "b", "[a-c]", "[^a]", r"\d", ".", "é", "$", r"\b", "(?=a)", "(?i:b)", "(?:)"]


@st.composite
def regexes(draw, depth=2):
    """Draw a regex of parts, some of which may be empty, or repeated, or one of several."""
    if depth == 0:
        return draw(st.sampled_from(PARTS))
    inner = regexes(depth=depth - 1)
    parts = draw(st.lists(inner, min_size=1, max_size=3))
    joined = draw(st.sampled_from(["", "|"])).join(parts)
    return f"(?:{joined})" + draw(st.sampled_from(["", "", "?", "*", "+?", "{0}", "{2,3}"]))


@settings(max_examples=300, deadline=None)
@given(regexes(), st.sampled_from([0, re.IGNORECASE, re.DOTALL]))
def test_random_regexes(regexp, flags):
    known = Trial(regexp, flags)
    for size in range(3):
        for text in map("".join, itertools.product("abcAé1\n", repeat=size)):
            match = re.match(regexp, text, flags)
            assert known.takes(text) in (None, match is not None and match[0] == text)
