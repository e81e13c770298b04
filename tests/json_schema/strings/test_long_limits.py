"""Texts of a pattern with a greatest length that no token comes near, against single bytes."""

from __future__ import annotations

import json
import random

import hypothesis
import pytest
from bytewise import living, vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

SETTINGS = hypothesis.settings(
    max_examples=100, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
PARTS = [
    "a",
    "b",
    "[ab]",
    "[^a]",
    ".",
    "é",
    "[a-zé]",
    "ab",
    "(?:a|bb)",
    "(?:(?:ab|ba){2})",
    r"\\",
    '"',
]
COUNTS = ["", "", "*", "+", "?", "{2}", "{3,}", "{1,4}", "{6}"]
PIECES = [b'",', b'"}', b"ab", b"aab", b"bbbb", b"a\\n", b'\\"', b'a"', b'ba" ', b"\\u00", b"e9"]
PIECES += [b"\\u0061", b"\\\\", "éa".encode(), b"\xc3", b"a\xc3", b'\xa9"']
USUAL = set(b'abc\\"')
TOKENS = [*(bytes([i]) for i in range(256)), *PIECES]


def pattern(chance: random.Random) -> str:
    parts = [chance.choice(PARTS) + chance.choice(COUNTS) for _ in range(chance.randrange(1, 4))]
    body = "".join(parts)
    if chance.random() < 0.15:
        # Of few lengths, but for what else may come.
        return f"^(?:(?:{chance.choice(PARTS)}{{6}})*|{chance.choice(PARTS)}*)$"
    if chance.random() < 0.3:
        body = f"(?:{body}|{chance.choice(PARTS)})" + chance.choice(["", "*", "+"])
    return chance.choice(["^", ""]) + body + chance.choice(["$", ""])


@pytest.fixture(scope="module")
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(PIECES)


@SETTINGS
@hypothesis.given(seed=st.integers(0, 2**32))
def test_masks_are_those_of_the_bytes(
    both: tuple[formgate.Vocabulary, formgate.Vocabulary], seed: int
) -> None:
    """The least number of characters left matters, too, and how long ways to an end are."""
    chance = random.Random(seed)
    least, most = chance.choice([0, 0, 1, 2, 5]), chance.choice([5, 7, 8, 9, 10, 12, 15, 20, 40])
    if chance.random() < 0.2:
        least, most = chance.choice([(7, 11), (13, 17), (19, 23), (13, 19)])
    schema = {
        "type": "string",
        "pattern": pattern(chance),
        "minLength": least,
        "maxLength": most,
    }
    try:
        by_byte, by_token = (
            formgate.compile(
                {"type": "array", "items": schema, "minItems": 1}, one, format="json_schema"
            )
            for one in both
        )
    except EmptyLanguageError:
        hypothesis.reject()
    state, other, text = by_byte.start(), by_token.start(), b""
    for piece in (b"[", b'"'):
        state, other = by_byte.advance(state, piece[0]), by_token.advance(other, piece[0])
    for _ in range(30):
        found = set(by_token.allowed_tokens(other).to_list())
        right = set(living(by_byte, state, TOKENS))
        for number, token in enumerate(TOKENS):
            assert (number in found) == (number in right), (schema, text, token)
        usual = [number for number in found if number in USUAL or 255 < number < len(TOKENS)]
        usual = usual or [number for number in found if number < len(TOKENS)]
        if not usual:
            break
        chosen = chance.choice(usual)
        text += TOKENS[chosen]
        for byte in TOKENS[chosen]:
            state = by_byte.advance(state, byte)
        other = by_token.advance(other, chosen)


def test_positions_share_their_masks(tekken_vocabulary: formgate.Vocabulary) -> None:
    """Far from the end, a mask takes no more memory for having counted what came before."""
    schema = {"type": "string", "pattern": r"^[a-z]+(\.[a-z0-9-]+)*$", "maxLength": 2000}
    engine = formgate.compile(schema, tekken_vocabulary, format="json_schema")
    texts = json.dumps("example." * 20)
    state, used = engine.start(), []
    for byte in texts.encode()[:-2]:
        engine.allowed_tokens(state)
        used.append(engine.memory_usage()["masks"])
        state = engine.advance(state, byte_token(tekken_vocabulary, byte))
    assert used[-1] - used[40] < 0.5 * used[40]


def byte_token(vocabulary: formgate.Vocabulary, byte: int) -> int:
    return next(i for i in range(len(vocabulary)) if vocabulary.token_bytes(i) == bytes([byte]))
