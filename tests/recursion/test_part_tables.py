"""Masks of recursive rules over thousands of tokens against walks by single bytes.

Tables of rules and of what repeats within them only come into play below nodes of the vocabulary's
trie with hundreds of tokens, and for rules that several states begin with.
"""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_rules import rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import GrammarBuilder

LETTERS = "ab( )é"
SHORT = ["".join(w) for n in (1, 2) for w in itertools.product(LETTERS, repeat=n)]
# A sparse tree of long ones: where a part ends, few bytes lead on.
SOME = random.Random(1)
WORDS = sorted(
    {*SHORT, *("".join(SOME.choices(LETTERS, k=SOME.randint(3, 8))) for _ in range(9000))}
)
TOKENS = [word.encode() for word in WORDS] + [bytes([byte]) for byte in "é".encode()]
VOCABULARY = formgate.Vocabulary([*TOKENS, None], stop_ids=[len(TOKENS)])

PARTS = {
    "name": lambda b: b.plus(b.char_class([(ord("a"), ord("b"))])),
    "accented": lambda b: b.plus(b.char_class([(ord("a"), ord("b")), (ord("é"), ord("é"))])),
    "gap": lambda b: b.star(b.literal(" ")),
    "some": lambda b: b.star(b.literal("b")),
    "few": lambda b: b.repeat(b.char_class([(ord("a"), ord("b"))]), 1, 3),
    "word": lambda b: b.intersection(
        b.plus(b.char_class([(ord("a"), ord("b"))])), b.complement(b.literal("aab"))
    ),
    "text": lambda b: b.seq(
        b.literal("("), b.star(b.char_class([(ord(" "), ord(" ")), (97, 98)])), b.literal(")")
    ),
}


def engine_of(rules):
    builder = GrammarBuilder()
    for name, bodies in rules.items():
        builder.define(
            name,
            builder.choice(
                *(builder.seq(*(node(builder, s, rules) for s in body)) for body in bodies)
            ),
        )
    builder.start(builder.rule("S"))
    return builder.build().compile(VOCABULARY)


def node(builder, symbol, rules):
    if symbol in rules:
        return builder.rule(symbol)
    return PARTS[symbol](builder) if symbol in PARTS else builder.literal(symbol)


def walk(engine, rng, states):
    """Yield states along random texts, of tokens that are not always short."""
    for _ in range(2):
        state = engine.start()
        for _ in range(states):
            yield state
            allowed = [t for t in engine.allowed_tokens(state).to_list() if t < len(TOKENS)]
            if not allowed:
                break
            short = [t for t in allowed if len(TOKENS[t]) < 3]
            state = engine.advance(state, rng.choice(short or allowed))


def check(engine, states):
    for state in states:
        mask = set(engine.allowed_tokens(state).to_list())
        mask.discard(len(TOKENS))
        expected = {t for t in range(len(TOKENS)) if engine.is_allowed(state, t)}
        missing = [TOKENS[t] for t in sorted(expected - mask)[:5]]
        extra = [TOKENS[t] for t in sorted(mask - expected)[:5]]
        assert not missing, missing
        assert not extra, extra


EXPRESSIONS = {
    "calls": {
        "S": [("E",)],
        "E": [("T",), ("E", "gap", "é", "gap", "T")],
        "T": [("F",), ("T", " ", "F")],
        "F": [("name",), ("(", "gap", "E", "gap", ")"), ("F", "(", "gap", "A", ")"), ("text",)],
        "A": [(), ("E", "gap"), ("E", "gap", "é", "A")],
    },
    "accents": {
        "S": [("E", "é"), ("E", "gap", "S")],
        "E": [("accented",), ("(", "E", ")"), ("few", "E")],
    },
    "words": {
        "S": [("gap", "E", "gap", "é", "gap", "S"), ("gap", "E")],
        "E": [("word",), ("word", "(", "gap", "E", ")"), ("E", "gap", "é", "E")],
    },
    "heads that may be empty": {
        "S": [("E", "R")],
        "R": [("gap", "é", "E", "R"), ("some", "(", "E", ")"), ()],
        "E": [("few",), ("(", "S", ")")],
    },
    "ends that may be empty": {
        "S": [("E", "a", "S"), ("é", "E", "b", "S"), ("é", "é", "E", "a", "a"), ("(", "E", "b")],
        "E": [("few", "gap"), ("(", "E", ")", "gap")],
    },
    "letters behind names": {
        "S": [("E", "a", "S"), ("E", "b")],
        "E": [("name", " "), ("(", "E", ")"), ("few",)],
    },
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name):
    engine = engine_of(EXPRESSIONS[name])
    check(engine, walk(engine, random.Random(name), 14))


@settings(max_examples=40, deadline=None)
@given(rule_sets(letters=["a", "é", " ", "(", *PARTS], most_rules=3), st.integers(0, 2**20))
def test_random_rules(rules, seed):
    try:
        engine = engine_of(rules)
    except (EmptyLanguageError, LimitError):
        return
    check(engine, walk(engine, random.Random(seed), 5))


BRACKETED = [
    ("(", "gap", "E", "gap", ")"),
    ("(", "E", ")", "few"),
    ("(", "A", "é"),
    ("E", "é", "E"),
    ("E", "gap", "(", "A", ")"),
    ("name", "(", "E", "é", "E", ")"),
    ("few", " ", "E", "b"),
    ("text",),
]


@st.composite
def bracketed_rules(draw):
    """Draw rules whose texts are brackets in brackets, closed in several ways."""
    bodies = draw(st.lists(st.sampled_from(BRACKETED), min_size=2, max_size=5, unique=True))
    most = draw(st.sampled_from([(), ("gap",), ("E", "gap"), ("E", "é", "A")]))
    last = draw(st.sampled_from(["name", "few", "accented", "a"]))
    return {
        "S": [("E",), ("E", "é", "S"), ("gap", "E", ")")][: draw(st.integers(1, 3))],
        "E": [(last,), *bodies],
        "A": [("E",), most],
    }


def walk_down(engine, rng, states):
    """Yield states along a text that opens brackets more often than it closes them."""
    state = engine.start()
    for _ in range(states):
        yield state
        allowed = [t for t in engine.allowed_tokens(state).to_list() if t < len(TOKENS)]
        opening = [t for t in allowed if TOKENS[t].count(b"(") > TOKENS[t].count(b")")]
        short = [t for t in allowed if len(TOKENS[t]) < 3]
        chosen = opening if opening and rng.random() < 0.5 else short or allowed
        if not chosen:
            break
        state = engine.advance(state, rng.choice(chosen))


@settings(max_examples=25, deadline=None)
@given(bracketed_rules(), st.integers(0, 2**20))
@example(
    {
        "S": [("E",)],
        "E": [
            ("name",),
            ("(", "gap", "E", "gap", ")"),
            ("(", "E", ")", "few"),
            ("(", "A", "é"),
            ("E", "é", "E"),
        ],
        "A": [("E",), ()],
    },
    0,
)
def test_brackets_in_brackets(rules, seed):
    try:
        engine = engine_of(rules)
    except (EmptyLanguageError, LimitError):
        return
    rng = random.Random(seed)
    for _ in range(2):
        check(engine, walk_down(engine, rng, 12))
