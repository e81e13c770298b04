"""``min_tokens`` searches the states ahead, under limits on states and on work."""

from __future__ import annotations

import pytest

import formgate
from formgate.core.errors import LimitError
from formgate.core.grammar import Limits

PATTERN = "[a-z]{30}"


@pytest.fixture(scope="module")
def vocabulary():
    letters = [bytes([byte]) for byte in b"abcdefghijklmnopqrstuvwxyz"]
    return formgate.Vocabulary([*letters, b"<eos>"], stop_ids=[len(letters)])


def test_steps_are_limited_for_one_query(vocabulary):
    engine = formgate.compile(PATTERN, vocabulary, format="regex")
    # Each of the 30 states looks at the 26 letters; a budget that is used up is too small.
    assert engine.min_tokens(engine.start(), max_steps=30 * 26 + 1) == 30
    with pytest.raises(LimitError, match=r"more than 780 steps through the vocabulary.*max_steps"):
        engine.min_tokens(engine.start(), max_steps=30 * 26)
    with pytest.raises(LimitError, match="with 1 states seen; raise max_steps"):
        engine.min_tokens(engine.start(), max_steps=1)
    with pytest.raises(LimitError, match="more than 5 states; raise max_states"):
        engine.min_tokens(engine.start(), max_states=5)


def test_limits_of_the_compilation_hold_for_its_queries(vocabulary):
    for limits, message in (
        (Limits(max_search=5), r"more than 5 states; .*Limits\.max_search for all"),
        (Limits(max_search_steps=100), r"more than 100 steps .*Limits\.max_search_steps for all"),
    ):
        engine = formgate.compile(PATTERN, vocabulary, format="regex", limits=limits)
        with pytest.raises(LimitError, match=message):
            engine.min_tokens(engine.start())
        # One query may take more, and the state is as good as before.
        assert engine.min_tokens(engine.start(), 1000, 10_000) == 30


def test_a_limit_reached_at_the_end_takes_nothing_back(vocabulary):
    engine = formgate.compile("[a-z]", vocabulary, format="regex", limits=Limits(max_search=1))
    state = engine.start()
    assert engine.min_tokens(engine.advance(state, 0)) == 0
    assert engine.min_tokens(state) == 1


def test_limits_are_positive():
    with pytest.raises(ValueError, match="at least 1"):
        Limits(max_search_steps=0)
    assert Limits().max_search_steps > Limits().max_search > 0


def test_states_that_remember_names_take_little_memory_each(tekken_vocabulary):
    """One state is stepped through by the bytes of tokens, not by all bytes."""
    schema = {"type": "object", "required": ["abc", "def"]}
    engine = formgate.compile(schema, tekken_vocabulary, property_order="any")
    brace = next(
        i for i in range(len(tekken_vocabulary)) if tekken_vocabulary.token_bytes(i) == b"{"
    )
    state = engine.advance(engine.start(), brace)
    before = engine.memory_usage()["pool"]
    with pytest.raises(LimitError, match="min_tokens"):
        engine.min_tokens(state)
    assert engine.memory_usage()["pool"] - before < 600_000_000
