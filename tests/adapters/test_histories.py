"""The state store against replaying every history from the start."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_engine import Automaton, ToyEngine, ToyVocabulary

from formgate.adapters._histories import Histories, SkippedTokensError

STOP = 3
VOCABULARY = ToyVocabulary([b"a", b"b", b"ab", None, None], [STOP])
SOME = Automaton.of_strings(["ab", "abab", "ba", "bb", "aaa"])
OTHER = Automaton.of_counts(("a", 1, None), ("b", 0, 2))


def replay(engine, tokens):
    """The state of a history, None past the end and outside the language."""
    state = engine.start()
    for token in tokens:
        try:
            state = engine.advance(state, token)
        except ValueError:
            return None
    return None if state[0] == "ended" else state


def find(histories, rows, starts, *, skipping):
    """What the adapter does with every call."""
    rows = np.array(rows)
    nodes = histories.grow(rows)
    if nodes is None:
        nodes = histories.regrow(rows)
    if nodes is None:
        nodes = histories.walk(rows, starts, skipping=skipping)
    histories.trim(starts)
    return nodes


def check(histories, engines, rows, starts, *, skipping=True):
    nodes = find(histories, rows, starts, skipping=skipping)
    each = len(rows) // len(engines)
    for index, (node, row) in enumerate(zip(nodes, rows, strict=True)):
        engine, start = engines[index // each], starts[index // each]
        assert node.engine is engine
        assert (node.state if node.is_open else None) == replay(engine, row[start:])
    return nodes


@given(
    seed=st.integers(0, 10**6),
    group=st.integers(1, 4),
    max_nodes=st.sampled_from([1, 5, 1000]),
    two=st.booleans(),
)
def test_any_order_of_histories(seed, group, max_nodes, two):
    """Rows grow, swap, multiply, shrink, start again and hold junk, as beams and drafts do."""
    rng = random.Random(seed)
    engines = (
        [ToyEngine(SOME, VOCABULARY), ToyEngine(OTHER, VOCABULARY)]
        if two
        else [ToyEngine(SOME, VOCABULARY)]
    )
    histories = Histories(engines, max_nodes=max_nodes)
    prompt = [9, 8]
    rows = [list(prompt) for _ in range(group * len(engines))]
    for _ in range(12):
        check(histories, engines, rows, [len(prompt)] * len(engines))
        length = max(len(prompt), len(rows[0]) + rng.choice([1, 1, 1, 0, -2]))
        fresh = []
        for first in range(0, len(rows), group):
            for _ in range(group):
                source = rng.choice(rows[first : first + group])
                tail = [rng.randrange(5) for _ in range(max(0, length - len(source)))]
                fresh.append([*source, *tail][:length])
        rows = fresh


def test_growing_rows_cost_one_step_each():
    engine = ToyEngine(OTHER, VOCABULARY)
    steps = []
    advance = engine.advance
    engine.advance = lambda state, token: steps.append(token) or advance(state, token)
    histories = Histories([engine], max_nodes=1000)
    rows = [[7, 7]] * 3
    for _ in range(50):
        rows = [[*row, 0] for row in rows]
        check(histories, [engine], rows, [2])
    checked = sum(range(1, 51)) * 3  # what `check` itself replays
    assert len(steps) - checked == 50  # equal rows share their states


def test_reordered_beams_cost_one_step_each():
    engine = ToyEngine(OTHER, VOCABULARY)
    histories = Histories([engine], max_nodes=1000)
    rows = [[0, 0, 0, 0], [0, 0, 2, 1], [0, 0, 0, 2]]
    find(histories, rows, [0], skipping=True)
    steps = []
    advance = engine.advance
    engine.advance = lambda state, token: steps.append(token) or advance(state, token)
    rows = [[*rows[2], 1], [*rows[0], 0], [*rows[0], 2]]
    find(histories, rows, [0], skipping=False)
    assert len(steps) == 3


def test_junk_rows_take_no_memory():
    engine = ToyEngine(SOME, VOCABULARY)
    histories = Histories([engine], max_nodes=1000)
    ended, junk = [0, 1, STOP], [4, 4, 4]
    find(histories, [ended, junk], [0], skipping=True)
    count = len(histories)
    for _ in range(100):
        ended, junk = [*ended, 4], [*junk, 0]
        nodes = find(histories, [ended, junk], [0], skipping=False)
        assert not any(node.is_open for node in nodes)
    assert len(histories) == count


def test_the_trie_is_cut_back_to_the_present_rows():
    engine = ToyEngine(OTHER, VOCABULARY)
    histories = Histories([engine], max_nodes=10)
    rng = random.Random(0)
    for length in range(1, 6):
        for _ in range(30):
            rows = [[rng.choice([0, 0, 2, 1]) for _ in range(length)] for _ in range(2)]
            check(histories, [engine], rows, [0])
            assert len(histories) <= max(10, 2 * 2 * (length + 1)) + 2 * length


def test_a_history_longer_than_the_limit_is_not_cut_at_every_token():
    engine = ToyEngine(OTHER, VOCABULARY)
    histories = Histories([engine], max_nodes=2)
    cuts = []
    prune = histories._prune
    histories._prune = lambda *args: cuts.append(1) or prune(*args)
    row = []
    for _ in range(500):
        row = [*row, 0]
        find(histories, [row], [0], skipping=False)
    assert len(cuts) < 12


def test_skipped_tokens_are_noticed():
    engine = ToyEngine(OTHER, VOCABULARY)
    histories = Histories([engine], max_nodes=100)
    find(histories, [[9]], [1], skipping=False)
    find(histories, [[9, 0]], [1], skipping=False)
    with pytest.raises(SkippedTokensError):
        find(histories, [[9, 0, 0, 0]], [1], skipping=False)
    check(histories, [engine], [[9, 0, 0]], [1], skipping=False)


def test_an_engine_in_python_may_raise_lookup_errors():
    class Table(ToyEngine):
        def advance(self, state, token):
            if token >= len(self.vocabulary):
                raise IndexError(token)
            return super().advance(state, token)

    engine = Table(OTHER, VOCABULARY)
    (node,) = Histories([engine], max_nodes=9).walk(np.array([[77]]), [0], skipping=True)
    assert not node.is_open


def test_arguments_out_of_range():
    with pytest.raises(ValueError, match="max_nodes"):
        Histories([ToyEngine(OTHER, VOCABULARY)], max_nodes=0)
