"""Masks of the reference and of the native engine, on regular languages, by random search."""

from __future__ import annotations

import pytest
from hypothesis import given
from oracle.strategies import examples
from reference import strategies
from reference.counting import record
from reference.families import TOKEN_SETS, patterns_up_to

import formgate
from formgate.core.reference import ReferenceEngine


def compare(pattern, tokens, max_states):
    """Explore both engines side by side; returns the states compared."""
    vocabulary = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    try:
        native = formgate.compile(pattern, vocabulary, format="regex")
    except formgate.EmptyLanguageError:
        with pytest.raises(formgate.EmptyLanguageError):
            ReferenceEngine.from_regex(pattern, vocabulary)
        return 0
    reference = ReferenceEngine.from_regex(pattern, vocabulary)
    pairs = [(native.start(), reference.start(), ())]
    seen = {pairs[0][1].key: pairs[0][0].key}
    for left, right, path in pairs:
        expected = reference.allowed_tokens(right)
        assert native.allowed_tokens(left) == expected, (pattern, tokens, path)
        assert native.is_accepting(left) == reference.is_accepting(right), (pattern, tokens, path)
        assert native.is_terminal(left) == reference.is_terminal(right), (pattern, tokens, path)
        for token in expected.to_list():
            after = reference.advance(right, token)
            if after.key not in seen and len(pairs) < max_states:
                seen[after.key] = native.advance(left, token).key
                pairs.append((native.advance(left, token), after, (*path, token)))
    return len(pairs)


def compare_random(pattern, tokens, max_states):
    states = compare(pattern, tokens, max_states)
    record("random patterns and vocabularies: reference against native, cases", 1)
    record("random patterns and vocabularies: reference against native, states", states)


@examples(120)
@given(strategies.patterns, strategies.pieces_of_texts())
def test_random_patterns_and_vocabularies(pattern, tokens):
    compare_random(pattern, tokens, 25)


@pytest.mark.slow
@examples(4_000)
@given(strategies.patterns, strategies.pieces_of_texts())
def test_many_random_patterns_and_vocabularies(pattern, tokens):
    compare_random(pattern, tokens, 40)


def test_all_small_patterns():
    states = cases = 0
    for pattern in patterns_up_to(5):
        for tokens in TOKEN_SETS:
            states += compare(pattern, tokens, 20)
            cases += 1
    record("small patterns: reference against native, cases", cases)
    record("small patterns: reference against native, states", states)
