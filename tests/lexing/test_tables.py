"""Masks of grammars with a lexer over many tokens: tables against steps byte by byte."""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lexers import FIRST, PATTERNS, lexed_grammars, written

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import Limits, MaskOptions
from formgate.plugins.regex import compile_first_match, compile_regex

SWITCHES = [
    MaskOptions(),
    MaskOptions(class_tables=False),
    MaskOptions(cut_subtrees=False),
    MaskOptions(split_parts=False),
    MaskOptions(prefix_uses=1),
    MaskOptions(keep_masks=False),
]


@functools.cache
def many_tokens() -> formgate.Vocabulary:
    """All texts of up to seven letters: subtrees are large enough for tables of their own."""
    texts = [
        "".join(word).encode() for n in range(1, 8) for word in itertools.product("ab ", repeat=n)
    ]
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


def check(grammar, mode, contextual, choices, productions=()):
    write = compile_regex if mode == "longest" else compile_first_match
    rules, terminals = grammar
    built = written(
        rules, terminals, mode, contextual=contextual, write=write, productions=productions
    )
    words = many_tokens()
    try:
        engines = [
            built.compile(words, limits=Limits(max_states=2000, max_nodes=200_000), options=options)
            for options in SWITCHES
        ]
    except (EmptyLanguageError, LimitError):
        return
    states = [engine.start() for engine in engines]
    for choice in choices:
        masks = [e.allowed_tokens(s).to_list() for e, s in zip(engines, states, strict=True)]
        assert all(mask == masks[0] for mask in masks)
        engine, state = engines[0], states[0]
        assert masks[0] == [t for t in range(len(words)) if engine.is_allowed(state, t)]
        tokens = [t for t in masks[0] if words.token_bytes(t) is not None]
        if not tokens:
            return
        # Long tokens are many; short ones lead through more states.
        token = tokens[int(len(tokens) * choice**4)]
        states = [e.advance(s, token) for e, s in zip(engines, states, strict=True)]
        assert len({s.key for s in states}) == 1


CHOICES = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(lexed_grammars(PATTERNS), st.booleans(), CHOICES)
def test_longest_match(grammar, contextual, choices):
    check(grammar, "longest", contextual, choices)


@settings(max_examples=60, deadline=None)
@given(lexed_grammars(FIRST), st.booleans(), CHOICES)
def test_first_match(grammar, contextual, choices):
    check(grammar, "first", contextual, choices)


@pytest.mark.parametrize("mode", ["longest", "first"])
def test_characters_of_several_bytes(mode):
    from lexer_judge import Lexeme

    write = compile_regex if mode == "longest" else compile_first_match
    terminals = [
        Lexeme("x", "[äöü]+"),
        Lexeme("y", "[ä€]"),
        Lexeme("z", '"[^"]*"'),
        Lexeme("w", "[ \u00a0]+", True),
    ]
    rules = {"S": [("x",), ("x", "S"), ("y", "z", "S"), ("z",)]}
    built = written(rules, terminals, mode, contextual=True, write=write)
    pieces = ["ä", "ö", "€", '"', " ", "\u00a0", '"ä', 'ü"', "äö€", '" "']
    tokens = [bytes([b]) for b in range(256)] + [p.encode() for p in pieces]
    tokens += ["ä".encode()[1:] + b'"', "€".encode()[:2], b'"' + "€".encode()[:1]]
    words = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    engine = built.compile(words)
    plain = built.compile(words, options=MaskOptions(class_tables=False))
    seen, pending = set(), [(engine.start(), plain.start())]
    while pending and len(seen) < 60:
        state, other = pending.pop(0)
        assert state.key == other.key
        if state.key in seen:
            continue
        seen.add(state.key)
        mask = engine.allowed_tokens(state).to_list()
        assert mask
        assert mask == plain.allowed_tokens(other).to_list()
        assert mask == [t for t in range(len(words)) if engine.is_allowed(state, t)]
        text = [t for t in mask if t < len(tokens)]
        pending += [(engine.advance(state, t), plain.advance(other, t)) for t in text[::3]]
    assert len(seen) > 20
