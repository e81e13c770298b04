"""Text that never leads astray: patterns that may match anywhere, over thousands of tokens."""

from __future__ import annotations

import random
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import MaskOptions

CHARACTERS = 'abcdxyz 0189-_.:é中😀\u2028"\\/\n'
PARTS = ["a", "[a-z]", "[^a]", "[a-zA-Z0-9_.-]", "ab", "中", "[^é]", ".", "(?:a|bc)", r"\s", r"\S"]
AVOIDED = ["ab", "a中", "中a", "é.", "::", "^.a", "b[^0]", "y😀"]
COUNTS = ["", "+", "*", "{2}", "{2,}"]
PLAIN = MaskOptions(
    class_tables=False,
    automaton_walk=False,
    split_parts=False,
    cut_subtrees=False,
    prefix_uses=0,
)


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    """All bytes, and thousands of random texts, many of which begin with a blank."""
    chance = random.Random(3)
    texts: dict[bytes, None] = {bytes([byte]): None for byte in range(256)}
    texts |= dict.fromkeys(
        [b'",', b'"}', b"\\u00", b"\\n", b"\xc3", b"a\xc3", b"\xe4\xb8", b"\xb8"]
    )
    while len(texts) < 6_000:
        text = "".join(chance.choice(CHARACTERS) for _ in range(chance.randrange(1, 7)))
        text = chance.choice(["", "", " ", "中"]) + text
        # As JSON spells it, and as it stands.
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        texts[chance.choice([text, escaped]).encode()] = None
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


def pattern(chance: random.Random) -> str:
    parts = [chance.choice(PARTS) + chance.choice(COUNTS) for _ in range(chance.randrange(1, 3))]
    ends = chance.choice([("", ""), ("", ""), ("^", ""), ("", "$")])
    return ends[0] + "".join(parts) + ends[1]


@hypothesis.settings(
    max_examples=100, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(seed=st.integers(0, 2**32))
def test_masks_are_those_of_a_plain_walk(vocabulary: formgate.Vocabulary, seed: int) -> None:
    chance = random.Random(seed)
    schema: dict[str, Any] = {"type": "string", "pattern": pattern(chance)}
    if chance.random() < 0.8:
        schema["minLength"] = chance.randrange(6)
    if chance.random() < 0.8:
        schema["maxLength"] = chance.choice([8, 40, 255])
    avoided = {"pattern": chance.choice([*AVOIDED, pattern(chance)])}
    if chance.random() < 0.5:
        schema = {"allOf": [schema, {"not": avoided}]}
        if chance.random() < 0.5:
            schema = {"type": "string", "not": avoided}
    try:
        grammar = build_grammar(schema, format="json_schema")
        fast = grammar.compile(vocabulary)
        slow = grammar.compile(vocabulary, options=PLAIN)
    except EmptyLanguageError:
        hypothesis.reject()
    one, other = fast.start(), slow.start()
    for _ in range(8):
        allowed = fast.allowed_tokens(one).ids()
        assert list(allowed) == list(slow.allowed_tokens(other).ids()), schema
        going = [token for token in allowed if token != len(vocabulary) - 1]
        if not going:
            break
        token = chance.choice(going)
        one, other = fast.advance(one, token), slow.advance(other, token)
