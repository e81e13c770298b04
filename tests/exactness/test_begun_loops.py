"""Text behind a character that comes before it, as in comments: masks against single bytes."""

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

_LETTERS = "ab*/-é"
_SHORT = ["".join(word) for n in (2, 3, 4) for word in itertools.product(_LETTERS, repeat=n)]
# Some end within a character.
TOKENS = [*(word.encode() for word in _SHORT), "aé".encode()[:-1], "*é".encode()[:-1], "€".encode()]

PATTERNS = [
    r"/\*([^*]|\*+[^*/])*\*+/",
    r"--([^-]|-[^-])*--",
    r"[^*/]([^*])*\*",
    r"([^ab]|a[^b])*ab",
    r"[^a](.|\n)*b",
    r"(a[^*-]([^-])*-|b)+",
    r"[^é][^é]*é?",
    r"[ab*][^*]*\*",
    r"([^/]|/[^/a])*//[^b]([^ab]){0,9}",
]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(list(dict.fromkeys(TOKENS)))


def compare(pattern: str, seed: int, judged: int = 100) -> None:
    """Walk a text; `re` judges it while it has no more characters than these."""
    chance = random.Random(seed)
    pair = Pair(
        *(formgate.compile(pattern, vocabulary, format="regex") for vocabulary in both()),
        list(dict.fromkeys(TOKENS)),
    )
    for _ in range(8):
        singles, longer = pair.check()
        try:
            text = pair.before.decode()
        except UnicodeDecodeError:
            pass
        else:
            if len(text) <= judged:
                ends = pair.by_byte.is_accepting(pair.state)
                assert ends == (re.fullmatch(pattern, text) is not None), text
        singles = [byte for byte in singles if chr(byte) in _LETTERS or byte > 127]
        if not singles and not longer:
            return
        pair.advance(
            chance.choice(longer if longer and chance.random() < 0.5 else singles or longer)
        )


@pytest.mark.parametrize("pattern", PATTERNS)
def test_chosen_patterns(pattern: str) -> None:
    for seed in range(4):
        compare(pattern, seed)


@hypothesis.settings(max_examples=25, deadline=None)
@hypothesis.given(
    st.lists(
        st.sampled_from(
            ["[^*]", "[^*/]", "[^a]", "(.|\n)", "[ab]", "a", "-", "é", "[^é]", "[^*]*", "[^a]*",
             "[^*/]*", "([^*]|b[*])*", "(.|\n)*", "[^-]+", "-?"]
        ),
        min_size=2,
        max_size=4,
    ),
    st.integers(0, 99),
)  # fmt: skip
def test_random_patterns(parts: list[str], seed: int) -> None:
    compare("".join(parts), seed)
    compare(f"(?:{''.join(parts)}|/[^/])*b", seed, judged=9)  # re takes time exponential in them
