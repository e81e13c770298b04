"""The written grammar says what ``re.fullmatch`` says, by the builder's definitions alone."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regex_mock import Matcher, MockBuilder
from regex_patterns import FLAGS, JUDGES_ATOMIC, compiled_by_re, patterns, texts

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex import compile_regex

TEXTS = texts()


def disagreement(pattern, flags, candidates):
    """A text that ``re`` and the written grammar disagree on, or None."""
    compiled = compiled_by_re(pattern, flags)
    builder = MockBuilder()
    try:
        node = compile_regex(pattern, builder, flags=int(flags))
    except UnsupportedConstraint:
        assert isinstance(compiled, re.Pattern)
        return None
    except GrammarError:
        assert not isinstance(compiled, re.Pattern)
        return None
    for text in candidates:
        ours = Matcher(builder, text).matches(node)
        if ours != (compiled.fullmatch(text) is not None):
            return text
    return None


@settings(max_examples=150, deadline=None)
@given(patterns(), st.sampled_from(FLAGS), st.randoms(use_true_random=False))
def test_random_patterns(pattern, flags, chance):
    assert disagreement(pattern, flags, chance.sample(TEXTS, 40)) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "", "a|", "a??", "(?:a?)*?", "(?:a|)+", "(?:|a)+", "(?:a*)*", "a{2,}", "a{,2}", "a{0}",
        "^a$", "^", "$", "a$", "a$\n", "a\\Z\n", "(?m:^a$\n^a$)", "(?m)^a$\n$", "(?m)(^1?$\n?)*",
        "(?:^a)*", "(?:a$)*", "(?:a|^1)+", "^^a$$", "(?:^a|a$)", "(^a|1)A", r"a\b", r"\ba", r"\b",
        r"\B", r"\B\B", r"\Ba\B", r"a\Ba", r"(?:\b\w+\b ?)*", r"(?:a\b ?)+", r"\b|a", r"(?:\B.)*",
        r"(?s:.)*\b(?s:.)*", r"(?s:.)*\B(?s:.)*", r"(?:a|1)\b(?: |\n)", r"(?:aa|a )\b(?:a| )",
        "(?=a).*", "(?=.*1)(?=.*a).*", "(?!a).*", "(?:(?!1).)*", "(?:(?=a)\\w)*", "a(?=1|$).*",
        "(?=a$)a", "(?=a$).*\n?", "(?=^a)a*", "(?=.*\\Z).*", "(?!.*\\Z).*", "(?!(?=a)a).*",
        "(?<=a)1", "a(?<=a)1", "(?:a(?<=a))*", "(?:.(?<!1))*", "(?<!a)1|a", "(?<=^a)1|a(?<=^a)1",
        "a(?<=(?<!a)a)*", r"a(?<=\ba)1", r"a(?<=a\b) ", r"(?s:.)(?<=a\b|1)(?s:.)*",
        r"(?s:.)(?<!a\b|1)(?s:.)*", r"(?s:.)(?<!\b)(?s:.)*", "(?s:.)(?<=a$)(?s:.)*",
        "(?s:.)(?<!a$)(?s:.)*", "(?s:..)(?<=(?=a1)a.)(?s:.)*", "(?s:.)(?<=(?m:^a|1$))(?s:.)*",
        r"(?s:..)(?<=a\B.)(?s:.)*", "(?s:.)(?<=a(?=1)|A(?!1))(?s:.)*", r"a(?<=(?<=a(?=1)))1",
        "(?s:..)(?<=a(?m:$)\n)(?s:.)*", "(?i)a", "(?i:a)A", "(?i)[^a]", "(?i)(?-i:a)a", "[^\\W]",
        "(?a:\\w)\\w", "aa|a1|1a|11|1", "a|1|A", "(?:a|1|[A ])+", "aa|a1|1a|11|", "(?x) a  1 # c",
    ],
)  # fmt: skip
def test_chosen_patterns(pattern):
    assert disagreement(pattern, 0, TEXTS) is None


POSSESSIVE = [
    "a++1", "a*+1", "a?+1", "a{1,2}+1", "a*+", "[a1]++ ", "(?:a1)*+ ", "(?:a1)*+\n", "(?>a|1)a",
    "(?>a1|aa)a*", "(?>a+)1", "(?>a+1)a*", "(?>a*1?)A", "(?=a*+)a*", "(?=a*+1)a*1", "(?!a++1).*",
    "(?:a++1)*", "(?:a++1)*A", "a{2}+a", "(?>aa)*", "(?>a)*a", "(?<=(?>a))1|a", "(?>(?>a+)1)a",
    "a?+$", "a*+(?<=a)", "(?:a*+(?:1|A))*", ".*+", '(?>"[^"]*")', "(?>a(?=1)|a(?=A))(?s:.)",
]  # fmt: skip


@pytest.mark.skipif(not hasattr(re, "NOFLAG"), reason="Python 3.11 brought them")
@pytest.mark.parametrize("pattern", POSSESSIVE)
def test_possessive_and_atomic_where_they_change_nothing(pattern):
    compile_regex(pattern, MockBuilder())
    assert disagreement(pattern, 0, TEXTS) is None


@pytest.mark.skipif(not hasattr(re, "NOFLAG"), reason="Python 3.11 brought them")
@pytest.mark.parametrize(
    "pattern",
    [
        "a++a", "a*+a", "(?:a|aa)++", "(?>a|aa)", "(?>a*)a", "(?>a*?)1", "(?>a+?1?)", "a*+a?",
        "(?:a++)*", "a*+\\w", "(?=a*+(?<=1))", "(?>a|a1)1", "(?:a|1a)*+a", "a++(?:b|a)",
        "(?>(?:)|a)",
    ],
)  # fmt: skip
def test_possessive_and_atomic_that_are_refused(pattern):
    with pytest.raises(UnsupportedConstraint) as caught:
        compile_regex(pattern, MockBuilder())
    assert caught.value.source == pattern
    assert caught.value.hint


@pytest.mark.skipif(not JUDGES_ATOMIC, reason="this Python's re is no judge of them")
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_possessive(data):
    """Whatever is let through means the same as in ``re``."""
    pieces = ["a", "1", "A", "[a1]", "a*+", "1?+", "a++", "[a1]*+", "(?:a1)?+", "(?>", "(?:", "(?="]
    chosen = data.draw(st.lists(st.sampled_from([*pieces, ")", ")*", ")?", "|"]), max_size=9))
    pattern, depth = "", 0
    for piece in chosen:
        if piece.startswith(")"):
            if not depth:
                continue
            depth -= 1
        depth += piece.startswith("(?") and not piece.endswith("+")
        pattern += piece
    pattern += ")" * depth
    chance = random.Random(pattern)
    assert disagreement(pattern, 0, chance.sample(TEXTS, 60)) is None
