"""Masks of states that differ in how many words are left, against single bytes and `re`."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re

import hypothesis
import pytest
from bytewise import Pair, lives, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

# A space and a backslash have more tokens below them than are walked without tables.
_WORDS = ["".join(letters) for letters in itertools.product("abAB", repeat=4)]
_TEXTS = [
    *_WORDS,
    *(f" {first}{second}" for first in _WORDS[::6] for second in ("", "a", "Ba", "bb", " a", ",")),
    *(f" {word}{end}" for word in _WORDS for end in ("", "A", "aB")),
    *(f"\\{kind}{word}" for kind in "ntb" for word in _WORDS[::3]),
    *(f"\\u00{code}{end}" for code in ("20", "41", "6", "0a", "22") for end in ("", "a", " b")),
    *("a b c", "aB", "AbAbAb", "aBaBaBaBaB", "a b", " a b a b a", "AaAaAaAaAaAaAaAaAaAa"),
    *("a,b,a", ", ", ",,", '"a', 'a"', '",', "\\", "\\u", "\\u0", "é", "aé bé", "  ", "   a"),
    *("ab" * n for n in range(3, 12)),
    *("a " * n for n in range(3, 12)),
]
TOKENS = [text.encode() for text in dict.fromkeys(_TEXTS) if len(text) > 1 or not text.isascii()]

MOST_MATCHED = 12  # `re` tries all ways to tell words apart

PATTERNS = [
    r"(\S+\s?){1,50}",
    r"(\w+[ ,]*){1,30}",
    r"(?:[A-Z][a-z]+ ?){2,19}",
    r"\w+( \w+){0,19}",
    r"(\S+\s){3,12}\S+(,\w+){0,20}",
    r"([ab]+ ?){0,17}([AB]+ ?){0,17}",
    r"(a?b?A?){20,25}",
    r"((?:\w+ ?){1,6},?){1,9}",
]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(pattern: str, seed: int, *, quoted: bool, steps: int = 24) -> None:
    """Compare masks along a random way with what single bytes allow, and the ends with `re`."""
    chance = random.Random(seed)
    source: object = {"type": "string", "pattern": f"^(?:{pattern})$"} if quoted else pattern
    by_byte, by_token = (
        formgate.compile(source, vocabulary, format="json_schema" if quoted else "regex")
        for vocabulary in both()
    )
    whole = re.compile(pattern)
    pair = Pair(by_byte, by_token, TOKENS)
    for _ in range(steps):
        singles, right = pair.check()
        before, ends = pair.before, by_byte.is_accepting(pair.state)
        if len(before) > MOST_MATCHED:
            pass
        elif quoted and ends:
            assert whole.fullmatch(json.loads(before)), before
        elif not quoted and before.isascii():
            assert ends == bool(whole.fullmatch(before.decode())), before
        plain = [byte for byte in singles if byte < 128 and byte not in b'"\\']
        if right and chance.random() < 0.7:
            pair.advance(chance.choice(right))
        elif singles:
            pair.advance(chance.choice(plain or singles))
        else:
            return


@pytest.mark.parametrize("quoted", [False, True], ids=["regex", "string"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_of_counted_words(pattern: str, quoted: bool) -> None:
    for seed in range(3):
        compare(pattern, seed, quoted=quoted)


_ATOMS = st.sampled_from(
    [r"\w+", r"\S+", "[a-b]+", "[A-B]", "[a-bA-B]*", ".", "[^ ]+", "a+", r"\S", "[abé]+"]
)
_BETWEEN = st.sampled_from(["", " ", " ?", r"\s?", r"\s", "[ ,]*", ",? ?", r"\s*", "(,| )"])
_UNITS = st.builds("{}{}{}".format, _BETWEEN, _ATOMS, _BETWEEN)
_COUNTS = st.builds(
    lambda least, more: f"{{{least},{least + more}}}",
    st.sampled_from([0, 0, 1, 2, 6]),
    st.integers(1, 30),
)
_COUNTED = st.builds("(?:{}){}".format, _UNITS, _COUNTS)
_PATTERNS = st.one_of(
    _COUNTED,
    st.builds("{}{}{}".format, _ATOMS, _BETWEEN, _COUNTED),
    st.builds("{}{}{}".format, _COUNTED, _BETWEEN, _COUNTED),
    st.builds("(?:{}{})?{}".format, _COUNTED, _BETWEEN, _ATOMS),
    st.builds("(?:{}|{})".format, _COUNTED, _COUNTED),
)


@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(_PATTERNS, st.booleans(), st.integers(0, 1 << 20))
def test_masks_of_random_counts(pattern: str, quoted: bool, seed: int) -> None:
    try:
        compare(pattern, seed, quoted=quoted, steps=12)
    except (EmptyLanguageError, LimitError):
        hypothesis.assume(False)


def judge_in_order(source: object, states: list[bytes], tokens: list[bytes]) -> None:
    """Ask for masks after texts in the order given, of one engine, against single bytes."""
    by_byte, by_token = (
        formgate.compile(source, vocabulary, format="regex" if isinstance(source, str) else None)
        for vocabulary in vocabularies(tokens)
    )
    for before in states:
        pair = Pair(by_byte, by_token, tokens)
        for byte in before:
            pair.advance(byte)
        pair.check()


def test_counts_are_those_of_the_same_parts() -> None:
    pattern = "(?:P(?:[ab]+;){0,50}(?:[cd]+,){0,4}|Q(?:[ab]+;){0,4}(?:[cd]+,){0,30})"
    tokens = [*(b"a;" * n for n in range(2, 5)), *(b"c," * n for n in range(2, 8))]
    judge_in_order(pattern, [b"P", b"Q"], tokens)
    judge_in_order(pattern, [b"Q", b"P"], tokens)


@pytest.mark.parametrize("mark", [b",", b";"])
@pytest.mark.parametrize("length", [5, 9])
def test_counts_are_those_of_the_same_members(mark: bytes, length: int) -> None:
    chance = random.Random(length)
    patterns = ("^(?:[ac,]*;){0,20}Z$", "^(?:[ac;]*,){0,20};Z$")
    schema = {"allOf": [{"type": "string", "pattern": pattern} for pattern in patterns]}
    states = [b'"' + b";" * m + b"," * n for m in range(20) for n in range(20)]
    chance.shuffle(states)
    judge_in_order(schema, states, [mark * length])


_WORDS_OF = {"a": b"ab;", "c": b"cd,", "b": b"b b "}
_LISTS = st.lists(
    st.tuples(st.sampled_from("acb"), st.sampled_from([2, 4, 5, 6, 16, 17, 30])),
    min_size=1,
    max_size=3,
)


@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(st.lists(_LISTS, min_size=2, max_size=4), st.booleans(), st.randoms())
def test_counts_of_alike_lists(
    lists: list[list[tuple[str, int]]], joined: bool, chance: random.Random
) -> None:
    units = {"a": "(?:[ab]+;)", "c": "(?:[cd]+,)", "b": r"(?:\w+ ?)"}
    bodies = ["".join(f"{units[kind]}{{0,{most}}}" for kind, most in parts) for parts in lists]
    tokens = [text * n for text in _WORDS_OF.values() for n in (1, 2, 3, 6, 9)]
    if joined:
        source: object = {"allOf": [{"type": "string", "pattern": f"^(?:{b})$"} for b in bodies]}
        starts = [b'"']
    else:
        source = "(?:" + "|".join(f"{n}{body}" for n, body in enumerate(bodies)) + ")"
        starts = [b"%d" % n for n in range(len(bodies))]
    ways = [
        b"".join(word * n for word, n in zip(words, counts, strict=True))
        for words in itertools.permutations(_WORDS_OF.values(), 2)
        for counts in ((0, 0), (1, 0), (3, 0), (1, 1), (9, 2))
    ]
    states = [start + way for start in starts for way in dict.fromkeys(ways)]
    chance.shuffle(states)
    engine = formgate.compile(source, both()[0], format=None if joined else "regex")
    allowed = [state for state in states if lives(engine, engine.start(), state)]
    judge_in_order(source, allowed, tokens)
