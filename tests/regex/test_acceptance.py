"""What the parser accepts and refuses is what ``re.compile`` accepts and refuses."""

from __future__ import annotations

import random
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regex_patterns import FLAGS, PIECES, broken_patterns, compiled_by_re

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex import parse


def verdict(pattern, flags=0):
    try:
        parse(pattern, int(flags))
    except UnsupportedConstraint:
        return "unsupported"
    except GrammarError as error:
        return error
    return "accepted"


def agree(pattern, flags=0):
    theirs, ours = compiled_by_re(pattern, flags), verdict(pattern, flags)
    if isinstance(theirs, re.Pattern):
        assert ours in ("accepted", "unsupported")
        if ours == "unsupported":
            assert any(sign in pattern for sign in ("\\", "(?P=", "(?(", "\ud800", "(?t"))
    else:
        assert isinstance(ours, GrammarError)
        if isinstance(theirs, re.error):
            assert ours.reason == theirs.msg
            assert theirs.pos is None or ours.offset == theirs.pos


@settings(max_examples=300, deadline=None)
@given(broken_patterns(), st.sampled_from(FLAGS))
def test_random_strings(pattern, flags):
    agree(pattern, flags)


def test_many_random_strings():
    """As above without shrinking, and twenty times as many in the same time."""
    chance = random.Random(20_240_917)
    for _ in range(8000):
        pattern = "".join(chance.choices(PIECES, k=chance.randrange(1, 9)))
        agree(pattern, chance.choice(FLAGS))


@pytest.mark.parametrize(
    "pattern",
    [
        "", "|", "||", "(|)", "(?:)", "(?:)*", "a**", "a*?*", "a*??", "a{1}{2}", "a{1}?",
        "*", "(*)", "|*", "^*", "(?:^)*", r"\b+", r"(?:\b)+", "(?=a)*", "(?!)", "(?<!)", "(?#a)*",
        "a(?#b)*", "a*(?#b)*", "a{", "a{}", "a{,}", "a{,5}", "a{5", "a{1,2", "a{1, 2}", "{", "{2}",
        "}", "]", "a{2,1}", "a{4294967294}", "a{4294967295}", "a{0,4294967295}", "x{00000002}",
        "[", "[]", "[]]", "[^]", "[^]]", "[^^]", "[a-]", "[-a]", "[a-z-9]", "[]-a]", "[--a]",
        "[z-a]", r"[\d-a]", r"[a-\d]", r"[\d-]", r"[\]]", r"[\b]", r"[\B]", r"[\A]", r"[\x]",
        r"[\1]", r"[\8]", r"[\400]", r"[\N{EM DASH}]", r"[\N{a]b}]", "[[a]", "[a--b]", "[a&&b]",
        "[a||b]", "[a~~b]", "[\\", "\\", "a\\", "(?#\\", "(?#\\)", "(?#\\))", "[a\\]", "(?",
        "(?P", "(?P<", "(?P<a", "(?P<a>", "(?P<a>)", "(?P<>)", "(?P<1>)", "(?P<a>)(?P<a>)",
        "(?P<a b>)", "(?P<\u00e9>)", "(?P>a)", "(?P=a)", "(?<a>)", "(?<", "(?a", "(?z)", "(?-)",
        "(?-i)", "(?i-)", "(?i-i:a)", "(?i-s:a)", "(?ii)", "(?au)", "(?aa)", "(?L)", "(?-a:b)",
        "(?i)(?m)a", "a(?i)", "(?i", "(?i:a", "(a(?i)b)", "|(?i)", "(?s)(?i:a)(?-s:.)", "(?^:a)",
        "(?(1)a|b)", "(a)(?(1)b)", "(a)(?(1)b|c|d)", "(?(0)a)", "(?(a)b)", "()", ")", "(", "a)",
        r"\1", r"(a)\1", r"(a\1)", r"\0", r"\00", r"\018", r"\101", r"\400", r"\x4g", r"\u12",
        r"\U00110000", r"\U0010FFFF", r"\N", r"\N{}", r"\N{NO SUCH}", r"\N{DIGIT ONE}", r"\q",
        r"\_", r"\Q", r"\e", r"\z", r"\Z*", r"\u00e9", r"\é", r"\ ", "\\\n", "(?<=a*)", "(?<=a|bc)",
        "(?<=a{2,3})", "(?<=a|b)", "(?<=(a)(?:bc|de))", "(?<!^a)", "(?<=a{2}b{3})", "(?<=)",
        r"(?<=\b)", "(?<=(?=a*))", "(?<=(?:a?){0})", "a++", "a?+", "(?>a)", "a{1,2}+", "a+++",
        r"\N{LATIN SMALL LETTER R WITH TILDE}", "(?<=(?:a{65536}){65536})", "(?t)", "(?x) a # b",
    ],
)  # fmt: skip
def test_corner_cases(pattern):
    agree(pattern)
    agree(pattern, re.VERBOSE)


@pytest.mark.parametrize(
    "pattern",
    [
        " a b ", "a #comment", "a #comment\nb", "a # c\\\n d \n e", "a # c\\", r"\ \#[ #]", "a *",
        "a* *", "a { 2 }", "( ? : a)", "(?: a )", "(?-x: a b )c d", "(?x) a", " (?i)a", "# \n(?i)a",
        "a (?#c) *", "a\u00a0b", "\n\t\r\v\fa",
    ],
)  # fmt: skip
def test_verbose(pattern):
    agree(pattern, re.VERBOSE)


@pytest.mark.parametrize("flags", [re.LOCALE, re.ASCII | re.UNICODE, re.DEBUG | re.ASCII])
def test_flags(flags):
    if flags & re.DEBUG:
        assert verdict("a", flags) == "accepted"
    else:
        agree("a", flags)


def test_inline_type_flags_against_flags():
    agree("(?u)a", re.ASCII)
    agree("(?a)a", re.UNICODE)
    agree("(?u:a)", re.ASCII)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 takes global flags anywhere")
def test_global_flags_in_mid_pattern_are_refused():
    assert isinstance(verdict("a(?i)b"), GrammarError)
