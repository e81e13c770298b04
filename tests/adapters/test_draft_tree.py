"""Masks of draft trees against each path on its own."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_engine import Automaton, ToyEngine, ToyVocabulary

import formgate
from formgate import Matcher
from formgate.adapters._draft_tree import fill_draft_tree, parents_of
from formgate.adapters._serving_stops import StopView

SIZE = 262
VOCABULARY = formgate.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), b"ab", b"abc", b"12", None, None, None],
    stop_ids=[259],
)
PATTERNS = ("(abc ?)*", "[0-9]{1,3}", "a|ab|abc", "(a|b)*c?")
ENGINES = {pattern: formgate.compile(pattern, VOCABULARY) for pattern in PATTERNS}


def engine_of(pattern, view):
    engine = ENGINES[pattern]
    return StopView(engine, {259}, {260}) if view else engine


def random_tree(engine, state, rng, count, size):
    """Tokens that are often right, parents anywhere before."""
    tokens, parents, states = [], [], {-1: state}
    for node in range(count):
        parent = rng.randrange(-1, node)
        before = states.get(parent)
        allowed = engine.allowed_tokens(before).to_list() if before is not None else []
        token = rng.choice(allowed) if allowed and rng.random() < 0.8 else rng.randrange(size)
        states[node] = None
        if token in allowed:
            states[node] = engine.advance(before, token)
        tokens.append(token)
        parents.append(parent)
    return tokens, parents


def path(node, tokens, parents):
    found = []
    while node != -1:
        found.append(tokens[node])
        node = parents[node]
    return found[::-1]


def ids(words, size):
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:size]
    return set(np.nonzero(bits)[0].tolist())


def check(engine, prefix, drafted, out, allowed):
    """Each node by a matcher of its own, from the start."""
    tokens, parents = drafted
    size = engine.allowed_tokens(engine.start()).size
    for node in range(-1, len(tokens)):
        matcher = Matcher(engine)
        for token in prefix:
            assert matcher.accept(token)
        wanted = path(node, tokens, parents)
        taken = [matcher.accept(token) for token in wanted]
        if node >= 0:
            assert allowed[node] == all(taken)
        if all(taken):
            found = ids(out[node + 1], size)
            if matcher.is_terminated:
                assert len(found) == size
            else:
                assert found == set(matcher.allowed_tokens().to_list())
        else:
            assert (out[node + 1] == out[parents[node] + 1]).all()


@given(
    seed=st.integers(0, 10**6),
    pattern=st.sampled_from(PATTERNS),
    count=st.integers(0, 12),
    view=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_trees_against_paths(seed, pattern, count, view):
    rng = random.Random(seed)
    engine = engine_of(pattern, view)
    matcher, prefix = Matcher(engine), []
    for _ in range(rng.randrange(3)):
        allowed = matcher.allowed_tokens().to_list()
        if allowed:
            prefix.append(rng.choice(allowed))
            matcher.accept(prefix[-1])
    tokens, parents = random_tree(engine, matcher.state, rng, count, SIZE)
    out = np.full((count + 2, (SIZE + 31) // 32), 7, dtype=np.int32)
    allowed = fill_draft_tree(engine, matcher.state, tokens, parents, out)
    check(engine, prefix, (tokens, parents), out, allowed)
    assert (out[count + 1] == 7).all()  # rows behind the tree stay as they were


@given(seed=st.integers(0, 10**6), count=st.integers(0, 8))
@settings(max_examples=30, deadline=None)
def test_engines_in_plain_python(seed, count):
    rng = random.Random(seed)
    vocabulary = ToyVocabulary([b"a", b"b", b"ab", None, None], [3])
    engine = ToyEngine(Automaton.of_strings(["ab", "abab", "ba"]), vocabulary)
    tokens, parents = random_tree(engine, engine.start(), rng, count, 5)
    out = np.zeros((count + 1, 1), dtype=np.int32)
    allowed = fill_draft_tree(engine, engine.start(), tokens, parents, out)
    check(engine, [], (tokens, parents), out, allowed)


def test_across_the_end():
    engine = ENGINES["a|ab|abc"]
    out = np.zeros((5, (SIZE + 31) // 32), dtype=np.int32)
    tokens, parents = [ord("a"), 259, ord("b"), ord("a")], [-1, 0, 0, 1]
    allowed = fill_draft_tree(engine, engine.start(), tokens, parents, out)
    assert allowed == [True, True, True, False]
    assert (out[2] == -1).all()
    assert ids(out[3], SIZE) == {ord("c"), 259}
    ended = engine.advance_many(engine.start(), [ord("a"), 259])
    assert fill_draft_tree(engine, ended, [ord("b")], [-1], out) == [False]
    assert (out[0] == -1).all()


def test_wrong_trees():
    engine = ENGINES["(abc ?)*"]
    out = np.zeros((2, (SIZE + 31) // 32), dtype=np.int32)
    state = engine.start()
    with pytest.raises(ValueError, match="came with 1 parents"):
        fill_draft_tree(engine, state, [1, 2], [-1], out)
    with pytest.raises(ValueError, match="need 3 rows"):
        fill_draft_tree(engine, state, [1, 2], [-1, 0], out)
    for parent in (0, 5, -2):
        with pytest.raises(ValueError, match="does not stand before"):
            fill_draft_tree(engine, state, [1], [parent], out)


def test_parents_of_children_and_siblings():
    assert parents_of([1, 3, -1, -1], [-1, 2, -1, -1]) == [-1, 0, 0, 1]
    assert parents_of([-1], [-1]) == [-1]
    for children, siblings in (([1, 1], [-1, -1]), ([1, 0], [-1, -1]), ([5], [-1])):
        with pytest.raises(ValueError, match="node"):
            parents_of(children, siblings)
