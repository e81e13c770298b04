"""Masks of patterns that may match anywhere in a text, or must not, against single bytes."""

from __future__ import annotations

import functools
import itertools
import json
import random
from typing import Any

import hypothesis
import pytest
from bytewise import living, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import FormgateError

# Enough tokens below the letters that masks are made of tables; characters beyond ASCII whole, in
# parts, and some that "." does not match.
PIECES = ["a", "b", "f", "o", "x", " ", "1", "é", "\u2028", "𝄞"]
TEXTS = [*map("".join, itertools.product(PIECES, repeat=3)), 'a"', '"', '"}', "fo\\", "\\n", "oo\n"]
TOKENS = [text.encode() for text in TEXTS]
TOKENS += [text.encode()[:-1] for text in TEXTS if text[-1:] > "\x7f"]
TOKENS += ["𝄞".encode()[1:], "\u2028".encode()[1:] + b"a"]

_WORDS = ["fo", "ab{1,2}", "[^aeiou]{2,}x", "o.{2}b", "é+", "(?:fo|bx)$", r"\bfo\b", "[a-f]1?"]
PATTERNS = [
    *_WORDS,
    *(f"^(?!.*{word})" for word in _WORDS),
    *(f"^(?!.*{word}).*a[bx]" for word in _WORDS[:4]),
    *(f"{word}.*1" for word in _WORDS[:4]),
    "^[^ab]*f[^1]*$",
    "^(?=.*1)(?=.*fo)[^b]*$",
]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(source: str, name: str, seed: int) -> None:
    """Compare masks along a random way with what single bytes allow."""
    chance = random.Random(seed)
    by_byte, by_token = (formgate.compile(source, vocabulary, format=name) for vocabulary in both())
    state, other = by_byte.start(), by_token.start()
    if name == "json_schema":
        state, other = by_byte.advance(state, ord('"')), by_token.advance(other, ord('"'))
    before = b""
    for _ in range(4):
        found = set(by_token.allowed_tokens(other).to_list())
        singles = [byte for byte in range(256) if by_byte.is_allowed(state, byte)]
        assert [token for token in sorted(found) if token < 256] == singles
        right = [256 + place for place in living(by_byte, state, TOKENS)]
        assert [n for n in sorted(found) if 256 <= n < 256 + len(TOKENS)] == right, before
        if not right:
            return
        token = chance.choice(right)
        before += TOKENS[token - 256]
        other = by_token.advance(other, token)
        for byte in TOKENS[token - 256]:
            state = by_byte.advance(state, byte)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_of_searches(pattern: str) -> None:
    source: dict[str, Any] = {"type": "string", "pattern": pattern}
    compare(json.dumps(source), "json_schema", 1)
    compare(json.dumps({**source, "minLength": 3, "maxLength": 40}), "json_schema", 2)
    anchored = pattern if pattern[:1] == "^" else ".*" + pattern
    compare(anchored if anchored[-1:] == "$" else anchored + ".*", "regex", 3)


_ATOMS = st.sampled_from([".", "a", "b", "fo", "[^a]", "[^ab1]", "é", "[a-f]", "𝄞", " "])
_PARTS = st.builds(
    "{}{}".format, _ATOMS, st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{3,}"])
)


@hypothesis.settings(
    max_examples=40, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    st.lists(_PARTS, min_size=1, max_size=4).map("".join),
    st.lists(_PARTS, min_size=1, max_size=3).map("".join),
    st.sampled_from(["{}", "{}$", "^(?!.*{other}){}", "^(?!.*{other}$).*{}", "{}|{other}x"]),
    st.integers(0, 1 << 20),
)
def test_masks_of_random_searches(pattern: str, other: str, form: str, seed: int) -> None:
    source = json.dumps({"type": "string", "pattern": form.format(pattern, other=other)})
    try:
        compare(source, "json_schema", seed)
    except FormgateError as error:
        hypothesis.assume("EmptyLanguage" not in type(error).__name__)
        raise


_LENGTHS = st.tuples(st.integers(0, 6), st.sampled_from([0, 0, 1, 2, 3, 5, 9, 30]))


@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    st.lists(_PARTS, min_size=1, max_size=3).map("".join),
    st.sampled_from(["{}", "{}$", "^{}"]),
    _LENGTHS,
    st.integers(0, 1 << 20),
)
def test_masks_of_searches_within_lengths(
    pattern: str, form: str, lengths: tuple[int, int], seed: int
) -> None:
    """Bounds that leave a match no room, little, or more than any token has."""
    least, room = lengths
    source = {
        "type": "string",
        "pattern": form.format(pattern),
        "minLength": least,
        "maxLength": least + room,
    }
    try:
        compare(json.dumps(source), "json_schema", seed)
    except FormgateError as error:
        hypothesis.assume("EmptyLanguage" not in type(error).__name__)
        raise
