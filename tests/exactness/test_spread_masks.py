"""Masks of counted text beside look-around and intersections, against single bytes."""

from __future__ import annotations

import functools
import itertools
import random

import hypothesis
import pytest
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

# More letters than characters are tried for, and enough tokens that masks are made of tables.
LETTERS = "abcdefghi"
TEXTS = [
    *map("".join, itertools.product(LETTERS, repeat=3)),
    *map("".join, itertools.product("ab g", repeat=4)),
]
TEXTS += [
    text for n in range(4, 13) for text in ("a" * n, "b" * n, "ing" * n, ("abcdefghi" * 2)[:n])
]
TEXTS += ["a é", "é", "ab,", ",a", " abc", "cab é", "ing ing", "hhing,", ", a", "ab\n"]
TOKENS = [text.encode() for text in dict.fromkeys(TEXTS)]

PATTERNS = [
    "[a-i]{1,9}(?<!ab)( [a-i]{1,6}(?<!ab)){0,3}",
    "[a-i]{1,20}(?<!a)(,[a-i]{1,20}(?<!a)){0,9}",
    "(?!.*ab)[a-i ]{1,12}",
    r"(?!.*\b(gab|bag)\b)[a-i ]{1,12}",
    r"[a-i ,]{0,7}\bgab\b[a-i ,]{0,7}",
    "(?=.*a)(?=.*b)(?=.*g)[a-i]{3,8}",
    "(?=.*a)(?=.*,)[a-ié,]{2,7}",
    "(?!.*aa)(?!.*bb)([a-i]|é){1,10}",
    "(?!(.{3})*,)[a-i,]{1,9}",
    "(?=([a-i]{3},)*$)[a-i,]{1,16}",
    r"([a-i]{2,5}\b ?){1,4}",
    "(?!a{4})[a-i]{2,9}g",
]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(pattern: str, seed: int) -> None:
    """Compare masks along a random way with what single bytes allow."""
    chance = random.Random(seed)
    limits = formgate.Limits(max_states=20_000)
    by_byte, by_token = (
        formgate.compile(pattern, vocabulary, format="regex", limits=limits)
        for vocabulary in both()
    )
    pair = Pair(by_byte, by_token, TOKENS)
    for _ in range(6):
        singles, right = pair.check()
        if not singles:
            return
        pair.advance(chance.choice(right if right and chance.random() < 0.5 else singles))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_of_counted_text(pattern: str) -> None:
    for seed in range(4):
        compare(pattern, seed)


_CLASSES = st.sampled_from(["[a-i]", "[a-i ]", "[a-i,]", "[b-i]", "[a-ié ]", "."])
_COUNTS = st.sampled_from(["{1,4}", "{0,9}", "{2,7}", "{3}", "*", "+"])
_LOOKS = st.sampled_from(
    [
        "(?<!ab)",
        "(?<!a)",
        r"\b",
        r"\B",
        "(?<=[a-e])",
        "(?!a)",
        "(?!.*ab)",
        "(?=.*g)",
        "(?!.*a b)",
        "",
    ]
)
_PARTS = st.builds("{}{}{}{}".format, _LOOKS, _CLASSES, _COUNTS, _LOOKS)
_JOINS = st.sampled_from(["", " ", "gab", ",?", "( |,)"])


@hypothesis.settings(
    max_examples=40, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(_PARTS, _JOINS, _PARTS, st.booleans(), st.integers(0, 1 << 20))
def test_masks_of_random_counted_text(
    first: str, join: str, second: str, again: bool, seed: int
) -> None:
    pattern = f"({first}{join}){{1,3}}{second}" if again else first + join + second
    try:
        compare(pattern, seed)
    except (EmptyLanguageError, LimitError):
        hypothesis.assume(False)
