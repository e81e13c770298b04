"""Recursive rules over vocabularies with bytes that occur only inside longer tokens.

There, that a prefix is viable is not enough: whole tokens must be able to complete it. The judge
searches for a completion token by token, to a depth; what the engine forbids must have none there,
and what it allows must lead to an accepting state.
"""

from __future__ import annotations

import contextlib

import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rules import grammar_of, rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

token_lists = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


def completion(judge, text, tokens, depth=4):
    """Return a text of the language that some tokens make of a prefix, if a short one exists."""
    level = [text]
    for _ in range(depth + 1):
        for candidate in level:
            if judge.accepts(candidate):
                return candidate
        longer = (one + token for one in level for token in tokens)
        level = [one for one in longer if len(one) <= 14 and judge.viable(one)][:300]
    return None


@settings(max_examples=300, deadline=None)
@given(rule_sets(most_rules=3), token_lists.filter(lambda tokens: "b" not in tokens))
def test_masks_leave_only_what_tokens_complete(rules, tokens):
    judge = Earley(rules, "S")
    stop = len(tokens)
    vocabulary = formgate.Vocabulary([*(t.encode() for t in tokens), None], stop_ids=[stop])
    try:
        engine = grammar_of(rules).compile(vocabulary)
    except EmptyLanguageError:
        assert completion(judge, "", tokens) is None
        return
    pending = [("", engine.start())]
    for _ in range(25):
        if not pending:
            break
        text, state = pending.pop(0)
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed, text
        assert allowed == {i for i in range(len(vocabulary)) if engine.is_allowed(state, i)}
        assert (stop in allowed) == judge.accepts(text)
        for token, own in enumerate(tokens):
            if token in allowed:
                assert judge.viable(text + own)
                if len(text) < 8:
                    pending.append((text + own, engine.advance(state, token)))
            elif judge.viable(text + own):
                assert completion(judge, text + own, tokens) is None, (text, own)
    with contextlib.suppress(LimitError):
        engine.min_tokens(engine.start())  # raises where no accepting state is within reach


def test_brackets_that_close_in_pairs():
    vocabulary = formgate.Vocabulary([b"(", b"x", b"))", None], stop_ids=[3])
    engine = grammar_of({"S": [("(", "S", ")"), ("x",)]}).compile(vocabulary)
    state = engine.start()
    for depth in range(9):
        assert engine.allowed_tokens(state).to_list() == ([0, 1] if depth % 2 == 0 else [0])
        state = engine.advance(state, 0)


def test_too_many_places_inside_tokens_are_a_limit():
    tokens = [*(f"{i:04d}é".encode() for i in range(2000)), None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[2000])
    rules = {"S": [("é", "S"), ("0", "S"), ("1",)]}
    with pytest.raises(LimitError, match="places of this vocabulary"):
        grammar_of(rules).compile(vocabulary)


def test_grammars_that_need_whole_tokens_leave_others_alone():
    vocabulary = formgate.Vocabulary([b"a", b"b", b"zz", None], stop_ids=[3])
    plain = {"S": [("S", "a"), ("a",)]}
    before = grammar_of({"S": [("a", "S", "b"), ("a",)]}).compile(vocabulary)
    grammar_of({"S": [("S", "z"), ("a",)]}).compile(vocabulary)
    after = grammar_of(plain).compile(vocabulary)
    assert after.allowed_tokens(after.start()).to_list() == [0]
    state = before.advance(before.start(), 0)
    assert before.allowed_tokens(state).to_list() == [0, 3]
