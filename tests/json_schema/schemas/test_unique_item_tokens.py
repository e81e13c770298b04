"""Lists without repetition under tokens that cross the ends of items, against single bytes."""

from __future__ import annotations

import functools
import random
from typing import Any

import hypothesis
import pytest
from bytewise import living, vocabularies
from hypothesis import strategies as st

import formgate

SETTINGS = hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
UNIQUE = {"type": "array", "uniqueItems": True}
NUMBERS = {"type": "string", "pattern": "^[0-9.]+$"}
SCHEMAS: dict[str, Any] = {
    "anything": {**UNIQUE, "items": {}},
    "strings": {**UNIQUE, "items": {"type": "string"}},
    "numbers": {**UNIQUE, "items": {"type": "number"}},
    "lists of lists": {**UNIQUE, "items": {**UNIQUE, "items": {"type": ["integer", "string"]}}},
    "objects with lists": {
        **UNIQUE,
        "minItems": 2,
        "items": {
            "type": "object",
            "properties": {"n": {**UNIQUE, "items": {"oneOf": [{"type": "number"}, NUMBERS]}}},
            "additionalProperties": {"type": "number"},
        },
    },
    "few": {**UNIQUE, "items": {"enum": [1, "1", [1], {"n": 1}, None]}},
    "choices": {
        **UNIQUE,
        "items": {
            "oneOf": [
                {"type": "object", "properties": {"n": {"anyOf": [{"type": "number"}, NUMBERS]}}},
                {"anyOf": [{"type": "number"}, NUMBERS]},
            ]
        },
    },
}
PIECES = [
    *("},{", "],[", "},", "}, {", '"},{"n":', '","', '", "', "1,", "1,1", "1.0,1", ".0", "0,"),
    *("]],[[", "]},{", ',"', '{"n":1', '{"n":1},', '{"n":1},{"n":', "],[1", '1"', '"1"', '"1","1"'),
    *("null,null", "null,", "1]", "]]", '"]', '"],["', '\\u0031"', " ,", " , ", "\n", "10", "1e0"),
    *('"n":[1', '[1,"1"', "[1],[1", "[],[", "{},{", '"n":1,"n', '"n":1,"m":1', "1}", '1"}'),
]  # fmt: skip


USUAL = set(b'[]{},:"01.anm ')


@functools.cache
def engines(name: str, whitespace: str) -> tuple[formgate.Engine, formgate.Engine]:
    one, other = (
        formgate.compile(SCHEMAS[name], vocabulary, format="json_schema", whitespace=whitespace)
        for vocabulary in vocabularies([piece.encode() for piece in PIECES])
    )
    return one, other


@pytest.mark.parametrize("whitespace", ["compact", "flexible"])
@pytest.mark.parametrize("name", SCHEMAS)
@SETTINGS
@hypothesis.given(seed=st.integers(0, 2**32))
def test_masks_are_those_of_the_bytes(name: str, whitespace: str, seed: int) -> None:
    chance = random.Random(seed)
    by_byte, by_token = engines(name, whitespace)
    tokens = [piece.encode() for piece in PIECES]
    state, other, text = by_byte.start(), by_token.start(), b""
    for _ in range(24):
        expected = by_byte.allowed_tokens(state).to_list()
        found = by_token.allowed_tokens(other).to_list()
        assert [token for token in found if token < 256] == [t for t in expected if t < 256]
        longer = {token - 256 for token in found if token >= 256}
        assert (len(tokens) in longer) == (256 in expected)
        right = set(living(by_byte, state, tokens))
        for number, token in enumerate(tokens):
            assert (number in longer) == (number in right), (text, token)
        usual = [token for token in found if 255 < token < 256 + len(tokens)]
        usual = usual or [token for token in expected if token in USUAL]
        chosen = chance.choice(
            chance.choice([usual, [t for t in expected if t in USUAL]]) or [None]
        )
        if chosen is None:
            break
        piece = tokens[chosen - 256] if chosen >= 256 else bytes([chosen])
        text += piece
        for byte in piece:
            state = by_byte.advance(state, byte)
        other = by_token.advance(other, chosen)
