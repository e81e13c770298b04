"""Fewest tokens to the end in recursive grammars, against a search over texts with Earley."""

from __future__ import annotations

import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rules import grammar_of, rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

MOST = 4


def fewest(judge: Earley, tokens: list[str], text: str) -> int | None:
    """Count tokens by trying all texts, the shortest first; nothing beyond MOST."""
    level = {text}
    for count in range(MOST + 1):
        if any(judge.accepts(one) for one in level):
            return count
        level = {one + token for one in level for token in tokens if judge.viable(one + token)}
    return None


@settings(max_examples=200, deadline=None)
@given(rule_sets(most_rules=3), st.sets(st.text("ab", min_size=2, max_size=4), max_size=4))
def test_random_grammars(rules, more):
    tokens = ["a", "b", *sorted(more)]
    vocabulary = formgate.Vocabulary([*(t.encode() for t in tokens), None], stop_ids=[len(tokens)])
    try:
        engine = grammar_of(rules).compile(vocabulary)
    except EmptyLanguageError:
        return
    judge = Earley(rules, "S")
    pending = [("", engine.start())]
    while pending:
        text, state = pending.pop()
        expected = fewest(judge, tokens, text)
        try:
            assert engine.min_tokens(state, max_states=2_000) == expected or expected is None
        except LimitError:
            assert expected is None, text
        if len(text) < 3:
            allowed = engine.allowed_tokens(state)
            pending.extend(
                (text + tokens[token], engine.advance(state, token))
                for token in range(2)
                if token in allowed
            )


@pytest.mark.parametrize(
    ("rules", "begin", "depth", "closing"),
    [
        ({"S": [("(", "S", ")"), ("[", "S", "]"), ("x",)]}, "([", 300, "])"),
        ({"S": [("(", "S", ")", "S"), ("[", "S", "]", "S"), ("x",)]}, "([", 100, "]x)x"),
        ({"S": [("S", "+", "S"), ("(", "S", ")"), ("x",)]}, "(x+", 200, ")"),
        ({"S": [("S", "S", "S"), ("S", "x"), ("(", "S", ")"), ("x",)]}, "(", 200, ")"),
        ({"S": [("i", "S"), ("i", "S", "e", "S"), ("x",)]}, "i", 400, ""),
    ],
)
def test_what_is_open_is_closed(byte_vocabulary, rules, begin, depth, closing):
    """As many states as there are texts of brackets lie within the distance to the end."""
    engine = grammar_of(rules).compile(byte_vocabulary)
    state = engine.start()
    for letter in (begin * depth).encode():
        state = engine.advance(state, letter)
    assert engine.min_tokens(state, max_states=20_000) == 1 + len(closing) * depth


def test_tokens_that_close_several_at_once():
    tokens = [b"(", b"[", b"x", b")", b"]", b")))", b"x)", b"])]"]
    vocabulary = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    rules = {"S": [("(", "S", ")"), ("[", "S", "]"), ("x",)]}
    engine = grammar_of(rules).compile(vocabulary)
    state = engine.start()
    for _ in range(100):
        state = engine.advance(state, 0)
    assert engine.min_tokens(state) == 1 + 33  # "x)" closes one, and ")))" 33 times three
    for _ in range(20):
        state = engine.advance(engine.advance(state, 1), 0)
    # "x)", then "])]" and ")" by turns, then 100 of ")".
    assert engine.min_tokens(state, max_states=50_000) == 1 + 19 + 34


def test_lexed_brackets(byte_vocabulary):
    source = 'start: "(" start ")" | "[" start "]" | WORD\nWORD: /[a-z]+/\n%ignore " "\n'
    for options in ({}, {"lexing": "any"}, {"lexing": "longest"}):
        engine = formgate.compile(source, byte_vocabulary, format="lark", **options)
        state = engine.start()
        for letter in b"([" * 60:
            state = engine.advance(state, letter)
        assert engine.min_tokens(state, max_states=20_000) == 121
