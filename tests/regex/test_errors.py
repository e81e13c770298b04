"""Errors say what, where, and what to do instead."""

from __future__ import annotations

import re

import pytest
from regex_mock import MockBuilder

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex import compile_regex

ATOMIC = pytest.mark.skipif(not hasattr(re, "NOFLAG"), reason="Python 3.11 brought them")


def error_of(pattern, flags=0):
    with pytest.raises(GrammarError) as caught:
        compile_regex(pattern, MockBuilder(), flags=flags)
    return caught.value


@pytest.mark.parametrize(
    ("pattern", "reason", "span"),
    [
        ("ab(cd", "missing ), unterminated subpattern", (2, 3)),
        ("ab)cd", "unbalanced parenthesis", (2, 3)),
        ("a**", "multiple repeat", (2, 3)),
        ("a|*", "nothing to repeat", (2, 3)),
        ("x{2,1}", "min repeat greater than max repeat", (2, 3)),
        ("x[b-a]", "bad character range b-a", (2, 5)),
        ("[ab", "unterminated character set", (0, 1)),
        (r"a\q", r"bad escape \q", (1, 3)),
        ("(?P<n>a)(?P<n>b)", "redefinition of group name 'n' as group 2; was group 1", (12, 13)),
        ("x(?<=a*)", "look-behind requires fixed-width pattern", (1, 8)),
        ("x" * 200 + "(?<=a|bc)", "look-behind requires fixed-width pattern", (200, 209)),
    ],
)
def test_syntax(pattern, reason, span):
    error = error_of(pattern)
    assert not isinstance(error, UnsupportedConstraint)
    assert error.reason == reason
    assert error.source == pattern
    assert error.span == span


@pytest.mark.parametrize(
    ("pattern", "word", "span"),
    [
        (r"(a)x\1", "back-reference", (4, 6)),
        (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10", "back-reference", (30, 33)),
        ("(?P<q>a)(?P=q)", "back-reference", (8, 14)),
        ("(a)?(?(1)b|c)", "conditional", (4, 7)),
        (r"ab\ud800", "surrogate", (2, 8)),
        ("ab\udc00c", "surrogate", (2, 3)),
        ("x(?<=a(?=bc)b)", "look-ahead inside a look-behind", (6, 12)),
        (r"(?<=(?:a\b){2})", "look-ahead inside a look-behind", (8, 10)),
        pytest.param("xa++a", "possessive", (1, 4), marks=ATOMIC),
        pytest.param("x(?>a|ab)c", "atomic", (1, 9), marks=ATOMIC),
    ],
)
def test_unsupported(pattern, word, span):
    error = error_of(pattern)
    assert isinstance(error, UnsupportedConstraint)
    assert word in error.reason
    assert error.span == span
    assert error.hint


def test_caret():
    lines = str(error_of(r"(['\"])a*\1")).splitlines()
    assert lines[1:3] == [r"  line 1, column 10: (['\"])a*\1", " " * 30 + "^^"]
    assert lines[3].startswith("hint: ")


def test_refusals_of_re_come_first():
    """A back-reference is no excuse for a missing bracket."""
    error = error_of(r"(a)\1(")
    assert not isinstance(error, UnsupportedConstraint)
    assert error.reason == "missing ), unterminated subpattern"
    assert error.offset == 5
    assert error_of(r"\1").reason == "invalid group reference 1"


def test_errors_that_re_gives_no_place():
    error = error_of("ab{4294967295}")
    assert error.reason == "the repetition number is too large"
    assert error.span == (2, 14)
    assert "LOCALE" in error_of("a", re.LOCALE).reason


def test_hints_of_refusals_work():
    """The way out that a message names is accepted."""
    for pattern in (
        "(?:(a)b|c)", "(?:'a*'|\"a*\")", "(?<=ab)(?=c)", "(?<=a)|(?<=bc)", "(?i:a)", r"\U0001F600",
        "(?:a{65536}){65536}",
    ):  # fmt: skip
        compile_regex(pattern, MockBuilder())


def test_no_warnings():
    """``re`` warns of what may be set operations one day; today they are plain characters."""
    compile_regex("[[a&&b||c~~d]", MockBuilder())
