"""The first match of a pattern is the one ``re.match`` takes, whatever follows it."""

from __future__ import annotations

import inspect
import re
import sys
import warnings

import pytest
from first_match_patterns import (
    disagreement,
    engine_disagreement,
    lexeme_disagreement,
    patterns,
    small_patterns,
    words,
)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from regex_mock import MockBuilder
from regex_patterns import JUDGES_ATOMIC

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.regex import compile_first_match, compile_lexeme

TEXTS = words("ab", 5)
BEFORE = ("a?", "(?:a|ab)", "(?:a?|ab)", "(?:b|)")  # what a look-ahead may stand behind
PARTS = (
    *("a", "b", "ab", "a?", "a*", "[ab]", "b{1,2}", "a*?", "b+?", "(?!b)", "(?=a)"),
    *("(?:a|aa)", "(?:a|aa){1,3}", "(?:a|ab)", "(?:a?a){2}", "(?:b|aab?)", "(?:a*b){2}"),
    "(?:a|bb?a)",
    *(("(?:a|ab)++", "(?>a|aa)", "a?+", "(?:a|aa){2}+") if JUDGES_ATOMIC else ()),
)


def is_taken(pattern, flags=0):
    """Whether the pattern is valid and does not ask for the text before the match."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern, flags)
        except re.error:
            return False
    try:
        compile_first_match(pattern, MockBuilder(), flags=int(flags))
    except UnsupportedConstraint as error:
        return "before the match" not in error.reason and "ways" not in error.reason
    return True


# -- against re, by the builder's definitions


@settings(max_examples=600, deadline=None)
@given(patterns(atomic=JUDGES_ATOMIC), st.sampled_from(["", "a", "ab"]))
def test_random_patterns(pattern, before):
    assume(is_taken(pattern))
    assert disagreement(pattern, TEXTS, before=before) is None


def test_all_small_patterns():
    for size in (1, 2, 3, 4):
        for pattern in small_patterns(size):
            assert disagreement(pattern, words("ab", 4)) is None, pattern


@pytest.mark.slow
def test_all_patterns_of_five_parts():
    for pattern in small_patterns(5, counts=("*", "*?", "??", "{1,2}", "{,2}?")):
        assert disagreement(pattern, words("ab", 4)) is None, pattern


# -- lexemes, of which the longest may be the first match


@settings(max_examples=400, deadline=None)
@given(patterns(atomic=JUDGES_ATOMIC))
@example("(?:a)*(?:(?!a)){0}")
def test_random_lexemes(pattern):
    assume(is_taken(pattern))
    assert lexeme_disagreement(pattern, TEXTS) is None


def test_all_small_lexemes():
    for size in (1, 2, 3, 4):
        for pattern in small_patterns(size):
            assert lexeme_disagreement(pattern, words("ab", 4)) is None, pattern


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(words("ab", 4)[1:]), min_size=2, max_size=24), st.sampled_from("*+?")
)
def test_lexemes_of_many_texts(branches, count):
    for pattern in ("|".join(branches), f"(?:{'|'.join(branches)}){count}b"):
        assert lexeme_disagreement(pattern, TEXTS) is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "b", "ab", "ba", "bb", "a+", "[ab]", "b?"]), min_size=1, max_size=3
    ),
    st.sampled_from(["*", "+", "{1,2}", "{,3}", "{2,}", "*?"]),
    st.sampled_from(["", "a", "b?", "ab"]),
    st.lists(st.sampled_from(["a", "b", "ab", "[ab]", "b?"]), min_size=1, max_size=2),
    st.sampled_from(["", "?", "*", "a", "b"]),
)
def test_lexemes_of_rounds_before_what_they_begin_with(branches, count, before, after, behind):
    rest = "|".join(after)
    pattern = f"{before}(?:{'|'.join(branches)}){count}(?:{rest})"
    assert lexeme_disagreement(pattern, TEXTS) is None
    assert lexeme_disagreement(f"(?:{pattern}){behind}", TEXTS) is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "b", "ab", "[ab]", "ba", "a|b", "aa|b", "(?:ab?)", ""]).flatmap(
            lambda text: st.sampled_from(
                [f"{part}(?{sign}{text})" for part in ("", "", *BEFORE) for sign in "!!="]
            )
        ),
        min_size=1,
        max_size=3,
    ),
    st.lists(
        st.sampled_from(["a", "b", "[ab]", "ab", "a?b", "a?", "(?:a|bb)", ""]),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["*", "+", "{1,2}", "{,3}", "{2,}", "*?", "{2}"]),
    st.sampled_from(["a", "b", "ab", "aa", "ba", "b?a", "[ab]", "(?:a|ba)", "(?:ab|ba)"]),
    st.sampled_from(["", "a", "b*", "a?"]),
)
def test_lexemes_of_rounds_that_look_ahead(ahead, rounds, count, rest, behind):
    branches = [f"{look}{part}" for look, part in zip(ahead, rounds * len(ahead), strict=False)]
    pattern = f"(?:{'|'.join(branches)}){count}{rest}{behind}"
    assert lexeme_disagreement(pattern, TEXTS) is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), min_size=2, max_size=4),
    st.sampled_from(["", "", "{2}", "?", "{1,2}"]),
    st.sampled_from(["", "b", "a?"]),
)
@example(["a*?", "[ab]", "b"], "", "")
@example(["(?:a|ab)++", "b"] if JUDGES_ATOMIC else ["a", "b"], "", "")
def test_lexemes_that_end_at_a_character_of_their_own(parts, count, behind):
    pattern = f"(?:{''.join(parts)}){count}{behind}"
    assert lexeme_disagreement(pattern, TEXTS) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:\w{1,20} ?){1,30}\.",
        "(?:a|aa){1,3000};",
        ">>>(?:[a-z]|[A-Z][a-z]){1,3000}>>>",
        r"(?:[^,;\n]{1,40},?){1,1000};",
        "(?:-[^>]{0,30}){1,500}->",
        "(?:(?:a|ab){1,3000}[;,]){3}",
        "(?:(?:a|aa){1,3000}b|c(?:d|dd){1,3000}e)",
    ],
)
def test_lexemes_that_end_alike_need_no_conditions(pattern):
    assert compile_lexeme(pattern, MockBuilder())[1]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:(?!-->)[\s\S]){0,500}-->",
        r"/\*(?:(?!\*/)[\s\S]){,3000}\*/",
        r"(?:(?!\|\]|\))\w){1,400}(?:\)|\|])",
        r"(?:(?=\w)(?!end)[^;]){,300}end",
    ],
)
def test_rounds_that_forbid_what_follows_are_as_many_as_you_like(pattern):
    compile_first_match(pattern, MockBuilder())


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [
        (r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", True),
        (r'"(?:[^"\\]|\\.)*"', True),
        (r"[A-Za-z_]\w*", True),
        (r"(?:hablas|habla|come)\w?", False),  # the "s" may be either's
        (r"(?:hablas|habla|come)!?", True),
        (r"habla|hablas", False),
        (r"a{1,500}", True),
        (r"(?:ab){2,3}c*", True),
        (r"a*?b+", False),
        (r"(?:a|ab)(?:c|d)?", False),
        (r"\w+(?!x)", False),
        (r"(?:[0-9]{1,2}|[0-9]{4})x?", False),
        (r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", True),
        (r"'(?:[^']|'')*'", True),  # the text tells the rounds
        (r"'(?:''|[^']){0,500}'", True),
        (r"[a-z]+=(?:\"[^\"]*\"|'(?:[^'\n]|''){0,100}')", True),
        (r"(?:ab|c){1,3}(?:ab|cc)", True),
        (r"(?:ab|c){1,3}(?:ab|c)", False),  # two rounds and "ab" reach as far as three and "c"
        (r"(?:a|ab)*ab", False),
        (r"(?:ab|c)*(?:ab)?c", False),
        (r"(?:ab|c)*?ab", False),
        (r"(?:a|b)?(?:ab|c)*ab", False),
        (r"(?:(?:ab|c)*ab)+", False),
        (r"'(?:[^']|'')*'(?!')", False),
    ],
)
def test_lexemes_that_are_longest_matches(pattern, longest):
    assert compile_lexeme(pattern, MockBuilder())[1] == longest


@settings(max_examples=100, deadline=None)
@given(
    patterns(atomic=False),
    st.sampled_from([re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII]),
    st.randoms(use_true_random=False),
)
def test_flags(pattern, flags, chance):
    pattern = pattern.replace("b", chance.choice(["b", "B", r"\n", "^", r"\s", r"a$"]))
    assume(is_taken(pattern, flags))
    texts = chance.sample(words("aB\n", 4), 60)
    assert disagreement(pattern, texts, flags) is None


@pytest.mark.parametrize(
    "pattern",
    [
        # Branches: an earlier one that can be completed hides the later.
        "a|ab", "ab|a", "(?:a|ab)b", "(?:a|ab)(?:ba|b)", "(?:a||b)b", "(?:|a)b?", "(?:ab|a|b)*a",
        # Rounds that match nothing end a loop, in the place they have among the others.
        "(?:|a)*", "(?:a|)*", "(?:a?)*b", "(?:a*)*?b", "(?:|a)+b", "(?:a??b?)*", "(?:(?:|a)*b?)*",
        "(?:|a){2}", "(?:|a){2,}b", "(?:a?|b){2,3}", "(?:(?=b)|a)*", "(?:(?=a)|(?=b)|a)*b",
        "(?:a{,2})?a", "(?:(?:a)?){1,2}", "(?:(?:|ab)??){2,}b",
        # Counts whose rounds have to be told apart.
        "a{1,3}a", "a{,3}?ab", "(?:ab?){2,3}b", "(?:a|ab){2,}b", "(?:ab?){3}b", "[ab]{,4}b",
        "(?:a{1,2}){1,2}a", "(?:ab?){,2}?b", "(?:[ab]{2}|a){1,3}b",
        # What follows the match decides.
        "a*(?!b)", "a+?(?=b)", "a*$", r"(?:a|ab)\Z", "aaa*(?<=aa)", r"a(?:b|\B)*", "a+(?=b|aa)",
        "a(?:b(?=a)|b*)", "a*?(?:$|ba)", "[ab]+?(?<!a)(?:ab)?",
    ],
)  # fmt: skip
def test_chosen_patterns(byte_vocabulary, pattern):
    assert disagreement(pattern, words("ab", 6)) is None
    assert engine_disagreement(byte_vocabulary, pattern, words("ab", 4), 3) is None


@pytest.mark.skipif(not JUDGES_ATOMIC, reason="this Python's re is no judge of them")
@pytest.mark.parametrize(
    "pattern",
    [
        "(?>a|ab)b", "(?>ab|a)b?", "(?>a*)a", "a*+a", "(?:aa|a){2}+", "(?>(?:aa|a){2})", "a(?>|b)*",
        "(?:a?)*+b", "(?:|a)*+", "(?:a|b?)*+", "(?>(?>a?)b?){2,3}a", "(?:(?>ab?)b)*+",
        "(?=(?>a|ab)b)a",
        "a(?:|b){1,3}+", "(?:(?>|a)|b)*", "(?:(?:a?)++b?)*",
    ],
)  # fmt: skip
def test_atomic(byte_vocabulary, pattern):
    """They are exact here without conditions: the first match is what atomicity speaks of."""
    assert disagreement(pattern, words("ab", 6)) is None
    assert engine_disagreement(byte_vocabulary, pattern, words("ab", 4), 2) is None


# -- against re, by the engine


@settings(max_examples=60, deadline=None)
@given(patterns(atomic=JUDGES_ATOMIC), st.sampled_from(["", "b"]))
def test_random_patterns_on_the_engine(byte_vocabulary, pattern, before):
    assume(is_taken(pattern))
    assert engine_disagreement(byte_vocabulary, pattern, words("ab", 4), 3, before=before) is None


def test_small_patterns_on_the_engine(byte_vocabulary):
    for size in (1, 2, 3):
        for pattern in small_patterns(size):
            split = engine_disagreement(byte_vocabulary, pattern, words("ab", 3), 3)
            assert split is None, pattern


@pytest.mark.slow
def test_more_small_patterns_on_the_engine(byte_vocabulary):
    for pattern in small_patterns(4):
        split = engine_disagreement(byte_vocabulary, pattern, words("ab", 4), 4)
        assert split is None, pattern


# -- what is refused


@pytest.mark.parametrize(
    ("pattern", "what", "offset"),
    [
        ("(?<=a)b", "a look-behind", 0),
        ("a(?<!aa)b", "a look-behind", 1),
        ("a*(?<=a)b", "a look-behind", 2),
        ("a(?<=(?<=a)a)b", "a look-behind", 5),
        ("(?=a(?<=ba))a", "a look-behind", 4),
        (r"\bab", "a word boundary", 0),
        (r"a?\Bb", "a word boundary", 2),
        (r"(?:a|)\b", "a word boundary", 6),
        ("^a", "an anchor", 0),
        (r"\Aa", "an anchor", 0),
        ("(?m:^a)", "an anchor", 4),
        (r"(?=\b)a", "a word boundary", 3),
    ],
)
def test_the_text_before_is_out_of_sight(pattern, what, offset):
    with pytest.raises(UnsupportedConstraint, match=what + " that can see") as caught:
        compile_first_match(pattern, MockBuilder())
    assert caught.value.offset == offset
    assert "before it" in caught.value.hint


@pytest.mark.parametrize(
    "pattern",
    [
        r"a\b",
        r"a(?<=a)b?",
        r"ab(?<!aa)",
        "a^b",
        r"a\Ab|a",
        "(?m)a\n?^a?",
        r"(?:ab)+(?<=ab)",
        r"a(?<=(?=a)a)",
    ],
)
@pytest.mark.parametrize("before", ["", "a", "b\n"])
def test_conditions_within_the_match(pattern, before):
    assert disagreement(pattern, words("ab\n", 4), before=before) is None


def test_refusals_of_the_format_hold():
    with pytest.raises(UnsupportedConstraint, match="back-reference"):
        compile_first_match(r"(a)\1", MockBuilder())
    with pytest.raises(GrammarError, match="unterminated subpattern"):
        compile_first_match("(a", MockBuilder())
    with pytest.raises(GrammarError, match="unknown regex flag"):
        compile_first_match("a", MockBuilder(), flags="q")


# -- limits


def test_rounds_that_must_be_told_apart_are_limited():
    compile_first_match(".{,200}x", MockBuilder())
    compile_first_match("a{,2000000000}b(?:cd){5,1000000}", MockBuilder())
    compile_first_match("[^x]{,100000}", MockBuilder())
    with pytest.raises(UnsupportedConstraint, match="which of 201 rounds is the last") as caught:
        compile_first_match("a.{,201}x", MockBuilder())
    assert caught.value.span == (1, 8)
    with pytest.raises(UnsupportedConstraint, match="above the largest"):
        compile_first_match("(?:a|ab){,3000000000}", MockBuilder())


@pytest.mark.parametrize(
    "pattern",
    ["(?:" * 51 + "a" + ")*" * 51, "(?=a" * 200 + ")" * 200, "(a|" * 200 + "b" + ")" * 200],
)
def test_nesting_is_limited(pattern):
    with pytest.raises(LimitError, match="nested more than 50 deep"):
        compile_first_match(pattern, MockBuilder())


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:a" * 49 + "b?" + "c)*" * 49,
        "(?:a?" * 49 + "b?" + ")?" * 49,
        "(?=a" * 49 + "b?" + "c)" * 49,
        *(
            ["(?:a" * 24 + "b?" + "c)*+" * 24, "(?>a*" * 24 + "b?" + "c)" * 24]
            if hasattr(re, "NOFLAG")
            else []
        ),
    ],
)
def test_nesting_within_the_limit_takes_little_of_the_stack(pattern):
    room = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 620)
    try:
        compile_first_match(pattern, MockBuilder())
    finally:
        sys.setrecursionlimit(room)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("((a{,90}a){,90}a){,90}a", "takes more than"),
        ("(?:" * 40 + "a*" + ")*" * 40, "takes more than"),
        ("(?:" + "(?:a(?=b)|(?=a)|)" * 40 + ")*", "more than 64 ways"),
    ],
)
def test_work_is_limited(monkeypatch, pattern, reason):
    monkeypatch.setattr("formgate.plugins.regex._first_match._MAX_STEPS", 50_000)
    with pytest.raises(UnsupportedConstraint, match=reason):
        compile_first_match(pattern, MockBuilder())


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 5000 + "a|ab" + ")" * 5000,
        "ab" * 50_000 + "|a",
        "|".join(map(str, range(3000))),
        "a?" * 2000,
    ],
    ids=["groups", "long", "many texts", "many items"],
)
def test_long_patterns(pattern):
    compile_first_match(pattern, MockBuilder())
