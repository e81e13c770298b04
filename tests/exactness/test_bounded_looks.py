"""Regexes of counted characters under look-around, against single bytes and `re`."""

from __future__ import annotations

import functools
import itertools
import random
import re

import hypothesis
import pytest
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint

_SHORT = ["".join(chars) for n in range(5) for chars in itertools.product("ab1 ", repeat=n)]
_WORDS = [
    *(text for text in _SHORT if len(text) > 1),
    *("".join(chars) for chars in itertools.product("ab", repeat=6)),
    *("ab" * n for n in range(4, 14)),
    *("1" * n for n in range(5, 30, 4)),
    *("a" * n + end for n in range(3, 18, 3) for end in ("1", " b", "é", "\n")),
    *("é", "éa", "aé", "bb\n", "\n\na", "\u20ac1", "\U0001f600 a", "a--b", "--"),
]
TOKENS = [*(text.encode() for text in dict.fromkeys(_WORDS)), b"\xc3", b"a\xc3", b"\xa9a"]

# With %s for how often; the bound shows, or is out of reach of all tokens.
PATTERNS = [
    r"(?:(?!ab)[\s\S])%s",
    r"(?:[^a]|a(?!ba))%s",
    r"(?:(?!aa|b1)[ab1 ])%s",
    r"(?:(?<!a)b|[^b])%s",
    r"(?:a(?=1|b)|[^a])%s",
    r"(?:(?=[ab]|\d)\w|[^\w](?! ))%s",
    r"(?!.*\bab\b).%s",
    r"(?=.*\ba\b)(?=.*1).%s",
    r"(?=.*\d)(?!.*  )[\w ]%s",
    r"(?:(?!ab).)%s(?<!b)",
    r"(?:\ba\b|[^a])%s",
    r"(?!b)(?:[a1]|b(?!b))%s\b",
]
COUNTS = ["{0,2}", "{1,5}", "{3,9}", "{0,24}", "{2,40}", "{0,2000}", "{4}", "{12}"]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(pattern: str, seed: int, steps: int) -> None:
    """Compare masks along a random way with single bytes, ends with `re`, and look for dead ends.

    Raises what compiling does.
    """
    engines = [formgate.compile(pattern, one, format="regex", timeout_s=2) for one in both()]
    known = re.compile(pattern)
    chance = random.Random(seed)
    for text in chance.sample(_SHORT, 40):
        assert engines[0].accepts(text) == bool(known.fullmatch(text)), (pattern, text)
    pair = Pair(*engines, TOKENS)
    for _ in range(steps):
        singles, longer = pair.check()
        ends = engines[0].is_accepting(pair.state)
        assert singles or ends, (pattern, pair.before)
        # `re` tries all ways to tell long texts apart.
        if len(pair.before) < 24 and (whole := _decoded(pair.before)) is not None:
            assert ends == bool(known.fullmatch(whole)), (pattern, whole)
        choices = longer if longer and chance.random() < 0.7 else singles
        if not choices:
            return
        pair.advance(chance.choice(choices))


def _decoded(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_counted_characters_under_looks(pattern: str, count: str) -> None:
    for seed in range(2):
        try:
            compare(pattern % count, seed, 8)
        except EmptyLanguageError:
            assert count == "{0,2}"  # nothing is so short


_LOOKS = st.sampled_from(
    ["(?!a)", "(?!ab)", "(?=a|1)", "(?<!b)", "(?<=a)", r"\b", r"(?!.*b1)", "(?=.*1)", "(?! $)", ""]
)
_CHARS = st.sampled_from(["[ab]", r"\w", "[^a]", ".", r"[\s\S]", "a", "[b1 ]", r"\S"])
_ONE = st.builds("{}{}{}".format, _LOOKS, _CHARS, _LOOKS)
_BASES = st.one_of(
    _ONE.map("(?:{})".format),
    st.builds("(?:{}|{})".format, _ONE, _ONE),
    st.builds("(?:{}|{}{})".format, _ONE, _ONE, _CHARS),
)


@hypothesis.settings(
    max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    looks=st.tuples(st.builds("{}{}".format, _LOOKS, _LOOKS), _LOOKS),
    base=_BASES,
    least=st.integers(0, 6),
    more=st.sampled_from([0, 1, 3, 10, 30, 300]),
    seed=st.integers(0, 1 << 20),
)
def test_random_counts_under_looks(
    looks: tuple[str, str], base: str, least: int, more: int, seed: int
) -> None:
    try:
        compare(f"{looks[0]}{base}{{{least},{least + more}}}{looks[1]}", seed, 6)
    except (EmptyLanguageError, LimitError, UnsupportedConstraint):
        hypothesis.assume(False)
