"""Tokens of several brackets, quotes and commas, against single bytes, for random schemas."""

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

SETTINGS = hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
STRUCTURE = b'[]{},:"1tn-a '
TOKENS = [bytes(text) for text in itertools.product(STRUCTURE, repeat=2)]
TOKENS += [bytes(text) for text in itertools.product(b'[]{},:"1t', repeat=3)]

_LIST = {"type": "array"}
LISTS: dict[str, Any] = {
    "a list first": {**_LIST, "items": _LIST, "minItems": 1},
    "lists first": {**_LIST, "items": _LIST, "minItems": 2, "maxItems": 2},
    "a prefix": {**_LIST, "prefixItems": [_LIST], "minItems": 1},
    "lists of lists": {**_LIST, "items": {**_LIST, "items": _LIST, "minItems": 1}, "minItems": 1},
    "by definition": {
        "$defs": {"r": {**_LIST, "items": {"anyOf": [{"$ref": "#/$defs/r"}, {"type": "object"}]}}},
        **_LIST,
        "items": {"$ref": "#/$defs/r"},
        "minItems": 1,
    },
    "names alone": {
        "$defs": {
            "r": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/r"}, "t": {"$ref": "#/$defs/r"}},
                "additionalProperties": False,
            }
        },
        **_LIST,
        "items": {**_LIST, "items": {"$ref": "#/$defs/r"}, "minItems": 1},
        "minItems": 1,
    },
}


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(TOKENS)


def compare(schema: Any, options: dict[str, Any], seed: int, steps: int) -> None:
    """Compare masks along a random way with what single bytes allow."""
    chance = random.Random(seed)
    text = json.dumps(schema)
    by_byte, by_token = (
        formgate.compile(text, vocabulary, format="json_schema", **options) for vocabulary in both()
    )
    state, other, before = by_byte.start(), by_token.start(), b""
    for _ in range(steps):
        found = set(by_token.allowed_tokens(other).to_list())
        singles = [byte for byte in range(256) if by_byte.is_allowed(state, byte)]
        assert [token for token in sorted(found) if token < 256] == singles
        right = set(living(by_byte, state, TOKENS))
        for number, token in enumerate(TOKENS):
            assert (number + 256 in found) == (number in right), (before, token)
        usual = [byte for byte in singles if byte in STRUCTURE]
        if not usual:
            return
        byte = chance.choice(usual)
        before += bytes([byte])
        state, other = by_byte.advance(state, byte), by_token.advance(other, byte)


@pytest.mark.parametrize("whitespace", ["compact", "flexible"])
@pytest.mark.parametrize("name", LISTS)
def test_first_brackets(name: str, whitespace: str) -> None:
    compare(LISTS[name], {"whitespace": whitespace}, seed=1, steps=6)


def _schemas() -> st.SearchStrategy[Any]:
    leaf = st.sampled_from(
        [
            {},
            {"$ref": "#/$defs/r"},
            {"enum": [1, "a", [1], {"a": 1}]},
            *({"type": kind} for kind in ("array", "object", "string", "number", "boolean")),
        ]
    )

    def larger(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        few = st.integers(0, 2)
        return st.one_of(
            st.fixed_dictionaries(
                {"type": st.just("array"), "items": parts},
                optional={"minItems": few, "maxItems": st.integers(2, 3)},
            ),
            st.fixed_dictionaries(
                {
                    "type": st.just("array"),
                    "prefixItems": st.lists(parts, min_size=1, max_size=2),
                    "minItems": few,
                },
                optional={"items": parts | st.just(False)},
            ),
            st.fixed_dictionaries(
                {
                    "type": st.just("object"),
                    "properties": st.dictionaries(
                        st.sampled_from(["a", "t", "1a"]), parts, min_size=1, max_size=2
                    ),
                },
                optional={
                    "additionalProperties": parts | st.just(False),
                    "required": st.just(["a"]),
                },
            ),
            st.fixed_dictionaries({"anyOf": st.lists(parts, min_size=2, max_size=2)}),
        )

    inner = st.recursive(leaf, larger, max_leaves=5)
    return st.builds(lambda root, r: {**root, "$defs": {"r": r}}, inner, inner)


@SETTINGS
@hypothesis.given(
    schema=_schemas(),
    whitespace=st.sampled_from(["compact", "flexible"]),
    order=st.sampled_from(["schema", "any"]),
    seed=st.integers(0, 2**32),
)
def test_masks_are_those_of_the_bytes(schema: Any, whitespace: str, order: str, seed: int) -> None:
    options = {"whitespace": whitespace, "property_order": order}
    try:
        compare(schema, options, seed, steps=5)
    except FormgateError:
        hypothesis.assume(False)
