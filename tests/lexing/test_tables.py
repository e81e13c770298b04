"""Masks of grammars with a lexer over many tokens: tables against steps byte by byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexed_cases import FIRST, PATTERNS, lexed_grammars, written
from mask_switches import CHOICES, check_tables

import formgate
from formgate.core.grammar import MaskOptions
from formgate.plugins.regex import compile_lexeme, compile_regex


@settings(max_examples=40, deadline=None)
@given(lexed_grammars(PATTERNS), st.booleans(), CHOICES)
def test_longest_match(grammar, contextual, choices):
    check_tables(grammar, "longest", contextual, choices)


@settings(max_examples=60, deadline=None)
@given(lexed_grammars(FIRST), st.booleans(), CHOICES)
def test_first_match(grammar, contextual, choices):
    check_tables(grammar, "first", contextual, choices)


@pytest.mark.parametrize("mode", ["longest", "first"])
def test_characters_of_several_bytes(mode):
    from lexer_judge import Lexeme

    write = compile_regex if mode == "longest" else compile_lexeme
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
