"""Tables of what states begin with, and keys read several characters at a time, change nothing.

Masks of an engine that makes a table for whatever a state begins with are those of an engine
without short cuts; a token leads to the state that its bytes lead to one by one.
"""

from __future__ import annotations

import json
import random
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from plain_schemas import plain_schemas
from random_schemas import NAMES, schemas

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import FormgateError
from formgate.core.grammar import MaskOptions

TABLES = MaskOptions(prefix_uses=1)
PLAIN = MaskOptions(
    class_tables=False,
    automaton_walk=False,
    split_parts=False,
    cut_subtrees=False,
    prefix_uses=0,
)
LONGER = {"a": "alpha", "ab": "alphabet", "b": "beta", "c": "c"}
MEMBERS = (*NAMES, *LONGER.values())
NUMBERS = (0, 1, -2, 2.5, 1e30, 12, 120)
SETTINGS = hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)


def random_value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(6 if depth else 4)
    if kind == 0:
        return chance.choice(["", "a", "ab", "aé", "b😀", 'a"b', "a\\", "\n"])
    if kind == 1:
        return chance.choice(NUMBERS)
    if kind == 2:
        return chance.choice([None, True, False])
    if kind == 3:
        return chance.choice(MEMBERS)
    values = [random_value(chance, depth - 1) for _ in range(chance.randrange(3))]
    return (
        values
        if kind == 4
        else dict(zip(chance.sample(MEMBERS, len(MEMBERS)), values, strict=False))
    )


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    """All bytes, and pieces of JSON texts of every way to write them."""
    chance = random.Random(5)
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    while len(tokens) < 4_000:
        text = json.dumps(
            random_value(chance, 3),
            ensure_ascii=chance.random() < 0.3,
            indent=chance.choice([None, None, 0, 1, "\t"]),
            separators=chance.choice([(",", ":"), (", ", ": "), (" ,", " : ")]),
        ).encode()
        start = chance.randrange(len(text))
        tokens[text[start : start + chance.randrange(2, 12)]] = None
    return formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])


def renamed(schema: Any) -> Any:
    """Names of several characters, one the beginning of another."""
    if isinstance(schema, list):
        return [renamed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: renamed(value) for key, value in schema.items()}
    if isinstance(out.get("properties"), dict):
        out["properties"] = {LONGER.get(key, key): part for key, part in out["properties"].items()}
    if isinstance(out.get("required"), list):
        out["required"] = [LONGER.get(key, key) for key in out["required"]]
    return out


def check(vocabulary: formgate.Vocabulary, schema: Any, options: dict[str, Any], seed: int) -> None:
    try:
        grammar = build_grammar(schema, format="json_schema", **options)
        fast = grammar.compile(vocabulary, options=TABLES)
    except FormgateError:
        hypothesis.reject()
    slow = grammar.compile(vocabulary, options=PLAIN)
    chance = random.Random(seed)
    one, other = fast.start(), slow.start()
    for _ in range(14):
        allowed = list(fast.allowed_tokens(one).ids())
        assert allowed == list(slow.allowed_tokens(other).ids()), schema
        going = [token for token in allowed if token != len(vocabulary) - 1]
        if not going:
            break
        # Long tokens go on where short ones would only repeat blanks.
        some = chance.sample(going, min(4, len(going)))
        token = max(some, key=lambda token: len(vocabulary.token_bytes(token) or b""))
        one = fast.advance(one, token)
        for byte in vocabulary.token_bytes(token) or b"":
            other = slow.advance(other, byte)
        assert one.key == other.key, schema


orders = st.sampled_from([{}, {"property_order": "any"}, {"whitespace": "compact"}])


@SETTINGS
@hypothesis.given(schema=plain_schemas(), options=orders, seed=st.integers(0, 2**32))
def test_plain_schemas(
    vocabulary: formgate.Vocabulary, schema: Any, options: dict[str, Any], seed: int
) -> None:
    check(vocabulary, renamed(schema), options, seed)


@SETTINGS
@hypothesis.given(schema=schemas(), options=orders, seed=st.integers(0, 2**32))
def test_random_schemas(
    vocabulary: formgate.Vocabulary, schema: Any, options: dict[str, Any], seed: int
) -> None:
    check(vocabulary, renamed(schema), options, seed)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"alpha": {}, "alphabet": {"type": "number"}}},
        {"type": "array", "items": {"type": ["string", "number", "null", "boolean"]}},
        {"type": "array", "items": {"type": ["object", "number"], "maxProperties": 2}},
        {"type": "object", "patternProperties": {"^al": {"type": "integer"}}},
        {"type": "object", "properties": {"alpha": {"enum": ["a", "ab", 1, 12]}}},
        True,
    ],
)
@pytest.mark.parametrize("seed", range(8))
def test_chosen_schemas(vocabulary: formgate.Vocabulary, schema: Any, seed: int) -> None:
    check(vocabulary, schema, {"property_order": "any"} if seed % 2 else {}, seed)
