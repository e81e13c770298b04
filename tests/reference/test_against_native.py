"""Masks of the reference and of the native engine, on regular languages, by random search."""

from __future__ import annotations

import random

import pytest
from reference.counting import record
from reference.families import TOKEN_SETS, patterns_up_to

import formgate
from formgate.core.reference import ReferenceEngine

# Characters of one to four bytes, so that tokens may end inside of one.
LETTERS = "abé漢😀"


def random_pattern(rng, depth):
    """A random pattern that both engines read, with texts that tokens of LETTERS can spell."""
    shape = rng.random()
    if depth == 0 or shape < 0.25:
        return rng.choice([*LETTERS, *LETTERS, ".", "[a-z]", "[^b]", "[é-漢]", "(?:ab|a)"])
    inner = random_pattern(rng, depth - 1)
    if shape < 0.45:
        return f"(?:{inner}){rng.choice(['*', '+', '?', '{2}', '{1,3}', '{2,}'])}"
    other = random_pattern(rng, depth - 1)
    return f"(?:{inner}|{other})" if shape < 0.65 else inner + other


def random_tokens(rng):
    """Random pieces of random texts, cut anywhere, some of them twice, and a gap."""
    whole = "".join(rng.choices(LETTERS, k=12)).encode()
    tokens = [bytes([byte]) for byte in sorted(set(whole)) if rng.random() < 0.8]
    for _ in range(rng.randint(2, 8)):
        at = rng.randrange(len(whole))
        tokens.append(whole[at : at + rng.randint(1, 5)])
    return [*tokens, rng.choice(tokens), None]


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


def compare_random(seed, cases, max_states):
    rng = random.Random(seed)
    states = sum(
        compare(random_pattern(rng, 3), random_tokens(rng), max_states) for _ in range(cases)
    )
    record("random patterns and vocabularies: reference against native, cases", cases)
    record("random patterns and vocabularies: reference against native, states", states)


def test_random_patterns_and_vocabularies():
    compare_random(8, 120, 25)


@pytest.mark.slow
def test_many_random_patterns_and_vocabularies():
    compare_random(9, 3_000, 40)


def test_all_small_patterns():
    states = cases = 0
    for pattern in patterns_up_to(5):
        for tokens in TOKEN_SETS:
            states += compare(pattern, tokens, 20)
            cases += 1
    record("small patterns: reference against native, cases", cases)
    record("small patterns: reference against native, states", states)
