"""Masks of a budget where every token leads to another state: the names of an open object."""

from __future__ import annotations

import json
import random

import pytest

import formgate
from formgate.core.decoding import WithinBudget
from formgate.core.decoding._plans import Plans

WORDS = [f"w{number}" for number in range(300)]


class Counting:
    """An engine that counts its steps, and the tokens it is asked about together."""

    def __init__(self, engine):
        self.engine = engine
        self.vocabulary = engine.vocabulary
        self.steps = self.asked = 0

    def completed_by(self, state, text, among):
        self.asked += len(among)
        return self.engine.completed_by(state, text, among)

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def advance(self, state, token):
        self.steps += 1
        return self.engine.advance(state, token)


@pytest.fixture(scope="module")
def open_objects():
    tokens = [*(bytes([byte]) for byte in range(256)), *map(str.encode, WORDS), None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    return formgate.compile({"type": "object"}, vocabulary)


@pytest.mark.parametrize("budget", [6, 9, 40])
@pytest.mark.parametrize("seed", range(2))
def test_the_work_for_a_mask_is_bounded_and_outputs_are_whole(open_objects, budget, seed):
    rng = random.Random(seed)
    counting = Counting(open_objects)
    engine = WithinBudget(counting, budget, max_states=500)
    state, written = engine.start(), []
    words = range(256, 256 + len(WORDS))
    while True:
        before = counting.steps
        allowed = engine.allowed_tokens(state).to_list()
        # Some steps for each token, and what a few searches take.
        assert counting.steps - before < 20 * len(allowed) + 25 * 500
        # Toward the most that can be: a brace, a name without end.
        going = [token for token in allowed if token in words] or allowed
        token = rng.choice(going if ord("{") not in allowed else [ord("{")])
        state = engine.advance(state, token)
        if token in counting.vocabulary.stop_ids:
            break
        written.append(token)
    assert len(written) <= budget
    json.loads(b"".join(counting.vocabulary.token_bytes(token) for token in written))


def test_far_from_the_end_nothing_is_forbidden(open_objects):
    engine = WithinBudget(open_objects, 60)
    state = engine.start()
    for byte in b'{"name of a m':
        allowed = open_objects.allowed_tokens(state.state)
        assert engine.allowed_tokens(state) == allowed
        state = engine.advance(state, byte)


def test_what_serves_most_tokens_is_asked_about_first(open_objects):
    """Each further question is about the tokens that are left by then."""
    counting = Counting(open_objects)
    engine = WithinBudget(counting, 60)
    state = engine.start()
    for number, byte in enumerate(b'{"name of a member'):
        before = counting.asked
        allowed = engine.allowed_tokens(state)
        if number > 4:
            assert counting.asked - before < 1.5 * len(allowed)
        state = engine.advance(state, byte)


def test_a_plan_does_not_begin_with_all_the_blanks_that_there_may_be(byte_vocabulary):
    """JSON may have 64 between two of its tokens; a plan is found in a few steps all the same."""
    counting = Counting(
        formgate.compile(
            {"type": "object", "additionalProperties": {"type": "integer"}}, byte_vocabulary
        )
    )
    state = counting.engine.advance_many(counting.start(), b'{"ab"')
    plan = Plans(counting, byte_vocabulary, max_states=5_000).of(state, 40)
    assert bytes(plan).startswith(b":")
    assert counting.steps < 100


def test_what_a_short_budget_leaves_out_does_not_stay_out(open_objects):
    """A search that was cut short says nothing about longer budgets."""
    short = WithinBudget(open_objects, 12, max_states=300)
    state = short.start()
    for byte in b'{"ab':
        short.allowed_tokens(state)
        state = short.advance(state, byte)
    short.allowed_tokens(state)
    engine = short.with_budget(60)
    state = engine.start()
    for byte in b'{"ab':
        state = engine.advance(state, byte)
    assert engine.allowed_tokens(state) == open_objects.allowed_tokens(state.state)


WIDE = {
    "a name": ({"type": "object"}, '{"ab": 1, "name o'),
    "an item": ({"type": "array", "uniqueItems": True}, '["ab", "item o'),
}


@pytest.mark.parametrize("place", WIDE)
def test_a_mask_of_a_real_vocabulary_takes_few_steps_and_little_memory(smol_vocabulary, place):
    schema, text = WIDE[place]
    inner = formgate.compile(schema, smol_vocabulary)
    counting = Counting(inner)
    by_text = {smol_vocabulary.token_bytes(t): t for t in range(len(smol_vocabulary))}
    prefix = [by_text[bytes([byte])] for byte in text.encode()]
    # Left, and by how much the steps and the bytes of expressions may grow.
    for left, steps, grown in ((50, 5_000, 2 << 20), (3, 12_000, 4 << 20)):
        engine = WithinBudget(counting, len(prefix) + left)
        state = engine.start()
        for token in prefix:
            state = engine.advance(state, token)
        before, pool = counting.steps, inner.memory_usage()["pool"]
        mask = engine.allowed_tokens(state)
        assert counting.steps - before < steps
        assert inner.memory_usage()["pool"] - pool < grown
        wide = inner.allowed_tokens(state.state)
        assert len(wide) > 40_000
        assert mask == wide if left == 50 else 0.9 * len(wide) < len(mask) < len(wide)
        for token in random.Random(left).sample(mask.to_list(), 300):
            assert engine.is_allowed(state, token)
