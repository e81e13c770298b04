"""Masks of hundreds of alternatives that overlap, against single bytes, and what they take."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from bytewise import living, vocabularies

import formgate
from formgate.core.errors import LimitError

SHARED = ["env", "args", "replicas", "bindings"]
OWN = [f"{letter}{number}" for letter in "kxy" for number in range(5)]
TEXTS = [
    *map("".join, itertools.product("abcdefghij", repeat=3)),
    *('{"', '": ', '", "', ' "', '"a', '"}', '"name', '"name"', '"k1', '"x2'),
    *(" " * count + end for count in range(2, 9) for end in ("", '"')),
    *(before + name for name in [*OWN, *SHARED] for before in ('"', ' "', "")),
]
TOKENS = [text.encode() for text in dict.fromkeys(TEXTS)]


def branch(number: int) -> dict[str, Any]:
    """Return an open object; it fails for a missing or a wrong member, in many ways.

    That members are counted keeps these ways from being conditions of one shape.
    """
    return {
        "type": "object",
        "maxProperties": 30,
        "required": ["name", f"k{number}"],
        "properties": {
            "name": {"type": "string"},
            f"k{number}": {"type": "string"},
            **{name: {"type": "string"} for name in SHARED[:number]},
            f"x{number}": {"type": "integer"},
            f"y{number}": {"type": "array", "items": {"type": "integer"}},
        },
    }


def test_masks_take_what_their_alternatives_take() -> None:
    """There are 739 of them; each mask took more than 8,000,000 expressions, or a text's second."""
    source = json.dumps({"oneOf": [branch(number) for number in range(5)]})
    by_byte, by_token = (
        formgate.compile(source, vocabulary, format="json_schema", property_order="any")
        for vocabulary in vocabularies(TOKENS)
    )
    state, other = by_byte.start(), by_token.start()
    for place, byte in enumerate(b'{"name": "x", "k1": "y", "env'):
        before = by_token.pool_nodes
        found = by_token.allowed_tokens(other).to_list()
        assert by_token.pool_nodes - before < 600_000, place
        if place in (1, 14, 26):
            right = [256 + place for place in living(by_byte, state, TOKENS)]
            assert [n for n in found if 256 <= n < 256 + len(TOKENS)] == right
        state, other = by_byte.advance(state, byte), by_token.advance(other, byte)


def test_a_mask_that_takes_too_much_is_not_tried_again() -> None:
    # Of other names: no expression is known from another test.
    source = json.dumps({"oneOf": [branch(number) for number in range(1, 6)]})
    vocabulary = vocabularies(TOKENS)[1]
    limits = formgate.Limits(max_growth=10_000)
    # Masks made ahead would find a part of the expressions, each within the limit.
    cold = {"format": "json_schema", "property_order": "any", "warm_up": False}
    engine = formgate.compile(source, vocabulary, limits=limits, **cold)
    state = engine.advance(engine.start(), ord("{"))
    for again in range(3):
        before = engine.pool_nodes
        with pytest.raises(LimitError, match=r"max_growth=10000 allows.*oneOf"):
            engine.allowed_tokens(state)
        assert again == 0 or engine.pool_nodes == before
    patient = formgate.compile(source, vocabulary, **cold)
    assert patient.allowed_tokens(patient.advance(patient.start(), ord("{"))).to_list()


def test_a_mask_that_takes_far_more_than_others_is_not_made_ahead() -> None:
    # Other names once more.
    source = json.dumps({"oneOf": [branch(number) for number in range(5)]}).replace("name", "title")
    vocabulary = vocabularies(TOKENS)[1]
    engine = formgate.compile(
        source, vocabulary, format="json_schema", property_order="any", warm_up=False
    )
    before = engine.pool_nodes
    assert engine.warm_up('{ "title') == 1  # what comes after the brace takes 270,000
    assert engine.pool_nodes - before < 80_000
    state = engine.advance(engine.start(), ord("{"))
    assert engine.allowed_tokens(state).to_list()
    assert engine.warm_up('{ "title') > 1


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_more_branches_than_clauses_may_be_multiplied_out(
    byte_vocabulary: formgate.Vocabulary, keyword: str
) -> None:
    schema = {
        keyword: [
            {
                "type": "object",
                "properties": {"kind": {"const": number}, "size": {"type": "string"}},
                "required": ["kind"],
            }
            for number in range(1500)
        ]
    }
    engine = formgate.compile(schema, byte_vocabulary)
    assert engine.accepts('{"kind": 1499, "size": "a"}')
    assert not engine.accepts('{"kind": 1500}')
    assert not engine.accepts('{"kind": 7, "size": 1}')
    assert not engine.accepts('{"size": "a"}')
