"""``min_tokens`` searches the states ahead, under limits on states and on work."""

from __future__ import annotations

import resource

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


NESTED = '"a"'
for _ in range(9):
    NESTED = f'({NESTED} "b"?){{0,3}}'


def test_what_one_mask_may_take_is_limited():
    """Counts inside counts read "aaa" in more ways with each level."""
    tokens = [b"a", b"b", b"ab", b"aab"]
    vocabulary = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    limits = Limits(max_growth=100_000)
    engine = formgate.compile(f"root ::= {NESTED}", vocabulary, format="gbnf", limits=limits)
    free = formgate.compile(f"root ::= {NESTED}", vocabulary, format="gbnf")
    state, other, reached = engine.start(), free.start(), 0
    while reached < 40:
        try:
            mask = engine.allowed_tokens(state)
            state = engine.advance(state, 0)
        except LimitError as error:
            words = str(error)
            break
        assert mask == free.allowed_tokens(other)
        other = free.advance(other, 0)
        reached += 1
    assert "Limits.max_growth" in words
    # The engine, and others of its pool, are as good as before.
    for one in (engine, free):
        again = one.start()
        for _ in range(reached):
            assert 0 in one.allowed_tokens(again).ids()
            again = one.advance(again, 0)
    assert engine.accepts("a")
    assert Limits().max_growth > 1_000_000
    with pytest.raises(ValueError, match="at least 1"):
        Limits(max_growth=0)


@pytest.mark.parametrize(
    "source", ["z{1000000000}", 'root ::= "(" root ")" | "z"{1000000000}'], ids=["regex", "gbnf"]
)
def test_how_far_the_end_is_takes_no_memory(source):
    """Sums of tokens up to the end were places in a list."""
    vocabulary = formgate.Vocabulary([b"z", b"(", b")", None], stop_ids=[3])
    name = "gbnf" if "::=" in source else "regex"
    engine = formgate.compile(source, vocabulary, format=name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(LimitError, match="min_tokens looked at more than 1000 states"):
        engine.min_tokens(engine.start(), max_states=1000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB
