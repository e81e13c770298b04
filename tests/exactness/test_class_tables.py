"""The tokens of a class in vocabularies so large that they are taken in groups.

Tokens are grouped by the kinds of their characters, and groups are sets of a tree. Masks are held
against ``is_allowed``, which follows bytes and knows no groups, and against ``re`` where a token
is whole characters.
"""

from __future__ import annotations

import random
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.strategies import examples

import formgate

CHARACTERS = "aAgGzZ09_ -.,':;!?()/&%$=<>[]{}`~|\"\\\t\n\r\x00\x0b×÷£éèÿĀſжЯ٣\u00a0日の😀𐐀"
RANGES = [
    *("a-z", "a-f", "A-Z", "0-9", "À-ÿ", "À-ÖØ-öø-ÿ", "Ā-ſ", "а-я", "一-龥", "ぁ-ん", "😀-🙏"),
    *("\\u0080-\\uffff", "\\u0100-\\U0010ffff", " -~", "\\x00-\\x1f", "\\w", "\\s", "\\d"),
]
# No character begins so: overlong, a surrogate, beyond Unicode, a byte that is never in text.
IMPOSSIBLE = [b"\xc0", b"\xe0\x80", b"\xed\xa0", b"\xf0\x80", b"\xf4\x90", b"\xff"]


@cache
def vocabulary(seed: int) -> tuple[list[bytes], formgate.Vocabulary]:
    """Return some 3,000 tokens: texts, texts cut inside a character, and what is no text."""
    draw = random.Random(seed)
    tokens = {bytes([b]) for b in range(256)}
    while len(tokens) < 3000:
        # Most are made of few kinds of characters, as words of one language are.
        kinds = draw.sample(CHARACTERS, draw.choice((1, 2, 2, 3, 6)))
        text = "".join(draw.choices(kinds, k=draw.randint(1, 6))).encode()
        chance = draw.random()
        if chance < 0.2:
            text = text[: draw.randint(1, len(text))]
        elif chance < 0.25:
            text += draw.choice(IMPOSSIBLE)
        elif chance < 0.3:
            text = text[draw.randint(0, len(text) - 1) :]
        tokens.add(text)
    ordered = sorted(tokens, key=lambda token: (len(token), token))
    return ordered, formgate.Vocabulary([*ordered, None], stop_ids=[len(ordered)])


def check(pattern: str, seed: int, texts: list[bytes]) -> None:
    """Compare the mask after each text with single answers."""
    tokens, native = vocabulary(seed)
    engine = formgate.compile(pattern, native, format="regex")
    compiled = re.compile(pattern)
    for before in texts:
        state = engine.start()
        try:
            for byte in before:
                state = engine.advance(state, tokens.index(bytes([byte])))
        except formgate.TokenError:
            continue
        allowed = set(engine.allowed_tokens(state).to_list())
        single = {i for i in range(len(native)) if engine.is_allowed(state, i)}
        assert allowed == single, (pattern, before, [tokens[i] for i in allowed ^ single])
        for i, token in enumerate(tokens):
            try:
                text = (before + token).decode()
            except UnicodeDecodeError:
                continue
            if compiled.fullmatch(text):
                assert i in allowed, (pattern, text)


@st.composite
def classes(draw: st.DrawFn) -> str:
    """Draw a class of some ranges and characters, or what it leaves out."""
    ranges = draw(st.lists(st.sampled_from(RANGES), max_size=4))
    single = draw(st.lists(st.sampled_from(CHARACTERS), max_size=6))
    if not ranges and not single:
        single = ["a"]
    inside = "".join(ranges) + "".join(re.escape(one) for one in single)
    return f"[{draw(st.sampled_from(('', '^')))}{inside}]"


@examples(150)
@given(classes(), st.integers(0, 2))
def test_a_class_repeated(inside: str, seed: int) -> None:
    """At the start, inside a text and behind what comes before the class."""
    check(f"{inside}*", seed, [b"", b"a", b"\xc3", b"\xe6\x97"])
    check(f'"{inside}*"', seed, [b'"', b'"a', b'"\xd0'])


@pytest.mark.parametrize(
    "inside", ['[^"\\\\\\x00-\\x1f]', "[A-Za-zÀ-ÿ0-9 ,.;:!?'-]", "[ -~]", "[^a]", "[\\s\\S]"]
)
def test_common_classes(inside: str) -> None:
    """Those that patterns and JSON strings have most."""
    for seed in range(3):
        check(f"{inside}*", seed, [b"", b"a", b"\xf0\x9f"])
        check(f'"{inside}{{3,}}"', seed, [b'"', b'"ab'])
