"""Words of a class behind blanks of another: below large places, masks are made of tables."""

from __future__ import annotations

import itertools
import random

import hypothesis
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.grammar import MaskOptions

SWITCHES = [
    MaskOptions(),
    MaskOptions(prefix_uses=1),
    MaskOptions(keep_masks=False),
    MaskOptions(cut_subtrees=False),
    MaskOptions(
        class_tables=False,
        automaton_walk=False,
        split_parts=False,
        cut_subtrees=False,
        prefix_uses=0,
    ),
]
WORDS = ["[a-c]", "[ab]", "[a-cé]", "[^ ,-]", r"\w", "[a-c ]", "[a-c-]", "(?:a|bc)", "[abé中]"]
BLANKS = [r"\s", " ", "[ ,]", "[ -]", r"[\s-]", "(?: |)"]
COUNTS = ["+", "*", "{2,}", "{1,3}", "{2,40}", ""]
SHAPES = [
    "{word}(?:(?:{blank}|-){word})*",
    "(?:{word}{blank})*{word}",
    "{word}(?:{blank}{word}|,)*",
    "{blank}{word}(?:-{blank}{word})?",
    "(?:{blank}{word},?)*",
]


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    """Over 512 tokens begin with a blank, with two, with a line break as JSON escapes it."""
    texts: dict[bytes, None] = {bytes([byte]): None for byte in range(256)}
    letters = ["a", "b", "c", "é", "-", " ", ","]
    for size in range(5):
        for word in itertools.product(letters, repeat=size):
            texts[(" " + "".join(word)).encode()] = None
    chance = random.Random(5)
    while len(texts) < 6000:
        size = chance.randrange(1, 9)
        text = "".join(chance.choice([*letters, "a", "b", " ", "\\n", '"']) for _ in range(size))
        texts[text.encode()] = None
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


def pattern(chance: random.Random) -> str:
    word = chance.choice(WORDS) + chance.choice(COUNTS)
    blank = chance.choice(BLANKS) + chance.choice(COUNTS[:-1])
    return "^" + chance.choice(SHAPES).format(word=word, blank=blank) + "$"


@hypothesis.settings(
    max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(seed=st.integers(0, 2**32), quoted=st.booleans())
def test_masks_are_the_same_with_every_switch(
    vocabulary: formgate.Vocabulary, seed: int, quoted: bool
) -> None:
    chance = random.Random(seed)
    source = pattern(chance)
    if quoted:
        schema = {"type": "string", "pattern": source}
        grammar = build_grammar(schema, format="json_schema")
    else:
        grammar = build_grammar(source, format="regex")
    engines = [grammar.compile(vocabulary, options=options) for options in SWITCHES]
    states = [engine.start() for engine in engines]
    for _ in range(6):
        masks = [e.allowed_tokens(s).to_list() for e, s in zip(engines, states, strict=True)]
        assert all(mask == masks[0] for mask in masks), source
        assert masks[0] == [
            token for token in range(len(vocabulary)) if engines[0].is_allowed(states[0], token)
        ], source
        going = [token for token in masks[0] if vocabulary.token_bytes(token) is not None]
        if not going:
            return
        token = chance.choice(going)
        states = [e.advance(s, token) for e, s in zip(engines, states, strict=True)]
