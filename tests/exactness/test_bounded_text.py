"""Masks of text with a greatest length beside a pattern, against single bytes and `re`."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re

import hypothesis
import pytest
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint

_WORDS = ["".join(letters) for letters in itertools.product("ab", repeat=5)]
_TEXTS = [
    *_WORDS,
    *(f" {word}" for word in _WORDS),
    *(f"{word}{end}" for word in _WORDS[::3] for end in ('"', '",', " ", "1", "-a", "é", '"}')),
    *("".join(chars) for chars in itertools.product('a1 -"', repeat=3)),
    *("a" * n for n in range(2, 30)),
    *("a1" * n for n in range(2, 12)),
    *("a " * n for n in range(2, 12)),
    *(f"{'a' * n}{end}" for n in range(2, 20, 3) for end in ('"', '" ', "\\n", "\\", "\\u00")),
    *(f"\\u00{code}{end}" for code in ("61", "6", "20", "0a") for end in ("", "a", "aaa", '"')),
    *("\\n", "\\na", '\\"', "\\\\a", "é", "éa", "aé", "éé é", "\u20ac", "\U0001f600a", "  ", "--"),
]
TOKENS = [text.encode() for text in dict.fromkeys(_TEXTS) if len(text) > 1 or not text.isascii()]
TOKENS += [b"\xc3", b"a\xc3", b"\xe2\x82", b"\xa9a", b"\x82\xac", b"\x9f\x98\x80"]
MOST_MATCHED = 16  # `re` tries all ways to tell words apart

# Beside a greatest length; some may be met by it at once, some never.
PATTERNS = [
    r"^\S+(\s\S+)*$",
    r"^(?!\s)[^<>]*(?<!\s)$",
    r"[0-9]{2}",
    r"^(/[a1-]+)+$",
    r"^[a1]([-a1]*[a1])?$",
    r"^(?!.*--)[a1 -]+$",
    r"^(a|b1|\s\s)*$",
    r"\ba\b",
    r"^(?=.*1)(?=.*b).*$",
    r"^(aaaa)*$",
    r"^([ab]{2} ){1,4}[ab]$",
    r"é|\n",
]


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(schema: dict[str, object], seed: int, *, steps: int = 14) -> None:
    """Compare masks along a random way with what single bytes allow, and the ends with `re`."""
    chance = random.Random(seed)
    least = schema.get("minLength", 0)
    whole = str(schema["pattern"]).replace("$", r"\Z").replace(r"\b", r"(?a:\b)")
    member = {"type": "object", "properties": {"k": schema}, "required": ["k"]}
    by_byte, by_token = (formgate.compile(member, vocabulary) for vocabulary in both())
    pair = Pair(by_byte, by_token, TOKENS)
    for byte in b'{"k":"':
        pair.advance(byte)
    for _ in range(steps):
        singles, right = pair.check()
        before = pair.before
        text = before[6:].decode(errors="ignore")
        ended = '"' in text or text.endswith("\\")
        if 34 in singles and len(text) <= MOST_MATCHED and not ended:
            value = json.loads(f'"{text}"')
            # Of other characters, ECMA-262 and Python differ in which are white space.
            assert not value.replace("\n", "").isprintable() or re.search(whole, value), before
            assert least <= len(value) <= schema["maxLength"], before  # type: ignore[operator]
        # Words inside of the text go on longer than others, which end it.
        inside = [n for n in right if not TOKENS[n - 256].startswith((b'"', b"\\"))]
        choices = inside if inside and chance.random() < 0.8 else (right or singles)
        if not choices or before.count(b'"') > 4:
            return
        pair.advance(chance.choice(choices))


@pytest.mark.parametrize("most", [1, 3, 7, 12, 25, 40])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_of_bounded_text(pattern: str, most: int) -> None:
    for seed in range(2):
        try:
            compare({"type": "string", "pattern": pattern, "maxLength": most}, seed)
        except EmptyLanguageError:
            assert most <= 3  # nothing is so short


_ATOMS = st.sampled_from(
    ["[ab]", r"\S", r"\s", "[a1]", "[^ ]", ".", "a", "1", "[abé]", "(?!a)", r"\b", "(?<!1)", "-"]
)
_COUNTS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}"])
_PIECES = st.builds(
    lambda atom, count: atom + ("" if atom.startswith("(?") or atom == r"\b" else count),
    _ATOMS,
    _COUNTS,
)
_BODIES = st.lists(_PIECES, min_size=1, max_size=4).map("".join)
_PATTERNS = st.one_of(
    _BODIES,
    st.builds("^{}$".format, _BODIES),
    st.builds("^(?:{})*$".format, _BODIES),
    st.builds("^(?:{}|{})+$".format, _BODIES, _BODIES),
    st.builds("^{}(?:{})*$".format, _BODIES, _BODIES),
)


@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    _PATTERNS, st.integers(1, 40), st.sampled_from([0, 0, 0, 1, 4]), st.integers(0, 1 << 20)
)
def test_masks_of_random_bounded_text(pattern: str, most: int, least: int, seed: int) -> None:
    schema = {"type": "string", "pattern": pattern, "minLength": least, "maxLength": most}
    try:
        compare(schema, seed, steps=8)
    except (EmptyLanguageError, LimitError, UnsupportedConstraint):
        hypothesis.assume(False)
