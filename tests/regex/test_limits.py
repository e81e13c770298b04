"""Patterns of any depth, length and count: an answer or a typed error, never a crash."""

from __future__ import annotations

import re

import pytest
from regex_mock import MockBuilder

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex import compile_regex, parse

DEEP = 100_000
MANY = 20_000  # enough to overflow any recursion, where more would only take longer
NESTED = {
    "groups": "(" * DEEP + "a" + ")" * DEEP,
    "repeats": "(?:" * MANY + "a" + ")*" * MANY,
    "to the right": "(a" * DEEP + ")" * DEEP,
    "to the left": "(" * MANY + "a)" * MANY,
    "alternatives": "(a|" * MANY + "b" + ")" * MANY,
    "look-aheads": "(?=a" * MANY + ")" * MANY,
    "look-behinds": "(?<!" * MANY + "a\\b" + ")" * MANY,
    "flags": "(?i:" * MANY + "a" + ")" * MANY,
}


@pytest.mark.parametrize("name", NESTED)
def test_deep(name):
    compile_regex(NESTED[name], MockBuilder())


@pytest.mark.skipif(not hasattr(re, "NOFLAG"), reason="Python 3.11 brought them")
def test_deep_atomic():
    compile_regex("(?>" * MANY + "a+" + ")b" * MANY, MockBuilder())


def test_deep_and_refused():
    with pytest.raises(GrammarError, match="unterminated subpattern"):
        parse("(" * DEEP)
    with pytest.raises(UnsupportedConstraint, match="back-reference"):
        parse("(a" * MANY + ")" * MANY + r"\1")


@pytest.mark.parametrize(
    "pattern",
    [
        "abc" * DEEP, "[" + "abc" * DEEP + "]", "|".join(map(str, range(DEEP))), r"\b" * MANY,
        "a?" * MANY, "(?#x)" * MANY, "a{" * MANY, "|" * MANY, "[ab]|" * MANY, r"\x41" * MANY,
    ],
    ids=lambda pattern: pattern[:10],
)  # fmt: skip
def test_long(pattern):
    compile_regex(pattern, MockBuilder())


def test_long_in_other_modes():
    compile_regex("abc 1" * MANY, MockBuilder(), flags=re.VERBOSE)
    compile_regex("abc 1" * MANY, MockBuilder(), flags=re.IGNORECASE)


@pytest.mark.parametrize(
    "pattern", ["a{1000000000}", "(?:ab|c){0,2147483647}", "(?:a{99999}){99999}"]
)
def test_counts(pattern):
    builder = MockBuilder()
    compile_regex(pattern, builder)
    assert len(builder.nodes) < 10, "counts are not unrolled"


def test_counts_that_are_too_large():
    with pytest.raises(UnsupportedConstraint, match="2147483647") as caught:
        compile_regex("xa{3000000000}", MockBuilder())
    assert caught.value.span == (1, 14)
    with pytest.raises(GrammarError, match="too large"):
        parse("a{4294967295}")
    with pytest.raises(GrammarError):
        parse("a{" + "9" * 10_000 + "}")


@pytest.mark.parametrize("filling", ["abc", "ab\\]", "[", "\\\\", "a\\)b\\>"])
@pytest.mark.parametrize("opening", ["[", "[^", "(?#", "(?P<", r"\N{", r"[\N{", "(?x)#"])
def test_what_is_never_closed_is_found_out_at_once(opening, filling):
    """Scans are linear: one that went back and forth would not end in this lifetime."""
    pattern = opening + filling * 20_000 + "\\"
    with pytest.raises(GrammarError):
        parse(pattern)


def test_widths_do_not_grow_without_bound():
    towers = "(?:" * 2000 + "a" + "){4294967294}" * 2000
    with pytest.raises(GrammarError, match="looks too much behind"):
        parse(f"(?<={towers})")
