"""Matcher, over an engine in plain Python and over the native one."""

from __future__ import annotations

import numpy as np
import pytest

import formgate
from formgate import Matcher, TokenError, TokenMask

STOP = 3
SIZE = 40


class Countdown:
    """Accepts exactly n times token 0 or 1, then the stop token; a state is (left, ended)."""

    def __init__(self, count: int):
        self.count = count

    def start(self):
        return (self.count, False)

    def allowed_tokens(self, state):
        left, ended = state
        if ended:
            return TokenMask.from_ids(SIZE, [])
        return TokenMask.from_ids(SIZE, [0, 1] if left else [STOP])

    def advance(self, state, token):
        if token not in self.allowed_tokens(state):
            raise TokenError(f"token {token} is not allowed")
        left, _ = state
        return (left, True) if token == STOP else (left - 1, False)

    def is_accepting(self, state):
        return state[0] == 0

    def is_terminal(self, state):
        return state[0] == 0


class Native:
    """Countdown's language on the native engine, with the same token ids."""

    def __new__(cls, count: int):
        tokens = [b"a", b"b", b"c", None] + [None] * (SIZE - 4)
        vocabulary = formgate.Vocabulary(tokens, stop_ids=[STOP])
        builder = formgate.GrammarBuilder()
        builder.start(builder.repeat(builder.char_class([(97, 98)]), count, count))
        return formgate.compile(builder.build(), vocabulary)


@pytest.fixture(params=[Countdown, Native])
def matcher(request):
    return Matcher(request.param(2))


def test_an_engine_in_plain_python_is_a_mask_engine():
    assert isinstance(Countdown(1), formgate.MaskEngine)
    assert not isinstance(object(), formgate.MaskEngine)


def test_accept_follows_the_engine(matcher):
    assert not matcher.is_accepting
    assert matcher.accept(0)
    assert matcher.accept(1)
    assert matcher.tokens == (0, 1)
    assert matcher.is_accepting
    assert matcher.allowed_tokens().to_list() == [STOP]


@pytest.mark.parametrize("token", [2, STOP, SIZE - 1, SIZE, SIZE + 1000, -1])
def test_accept_never_throws_and_changes_nothing_on_refusal(matcher, token):
    assert not matcher.accept(token)
    assert matcher.tokens == ()
    assert matcher.accept(0)


def test_the_end(matcher):
    assert matcher.accept(0)
    assert matcher.accept(0)
    assert not matcher.is_terminated, "the stop token is still to come"
    assert matcher.accept(STOP)
    assert matcher.is_terminated
    assert matcher.is_accepting
    assert matcher.tokens == (0, 0, STOP)
    assert not matcher.accept(0)
    assert not matcher.accept(STOP)
    assert len(matcher.allowed_tokens()) == 0


def test_a_stop_token_can_be_rolled_back(matcher):
    for token in (0, 1, STOP):
        assert matcher.accept(token)
    matcher.rollback(1)
    assert not matcher.is_terminated
    assert matcher.allowed_tokens().to_list() == [STOP]
    matcher.rollback(2)
    assert matcher.tokens == ()
    assert matcher.allowed_tokens().to_list() == [0, 1]


@pytest.mark.parametrize("count", [-1, 3])
def test_rolling_back_too_far_is_refused(matcher, count):
    matcher.accept(0)
    matcher.accept(0)
    with pytest.raises(ValueError, match="2 have been accepted"):
        matcher.rollback(count)
    assert matcher.tokens == (0, 0)


def test_rolling_back_nothing(matcher):
    matcher.accept(0)
    matcher.rollback(0)
    assert matcher.tokens == (0,)


@pytest.mark.parametrize(
    ("tokens", "legal"),
    [([], 0), ([0], 1), ([2], 0), ([0, 1, STOP], 3), ([0, 1, STOP, 0], 3), ([0, 1, 1], 2)],
)
def test_validate_changes_nothing(matcher, tokens, legal):
    assert matcher.validate(tokens) == legal
    assert matcher.validate(iter(tokens)) == legal
    assert matcher.tokens == ()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_fill(matcher, dtype):
    out = np.full((3, 2), 7, dtype=dtype)
    matcher.fill(out, 1)
    assert out.view(np.uint32).tolist() == [[7, 7], [3, 0], [7, 7]]
    row = np.full(2, 7, dtype=dtype)
    matcher.accept(0)
    matcher.accept(0)
    matcher.fill(row)
    assert row.tolist() == [8, 0]


def test_forks_are_independent(matcher):
    matcher.accept(0)
    fork = matcher.fork()
    assert fork.engine is matcher.engine
    fork.accept(1)
    fork.accept(STOP)
    assert matcher.tokens == (0,)
    assert fork.tokens == (0, 1, STOP)
    fork.rollback(3)
    assert matcher.tokens == (0,)


def test_reset(matcher):
    start = matcher.state
    matcher.accept(0)
    matcher.accept(0)
    matcher.reset()
    assert matcher.tokens == ()
    assert matcher.state == start


def test_a_bug_in_an_engine_is_not_a_refusal():
    class Buggy(Countdown):
        def advance(self, state, token):
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        Matcher(Buggy(1)).accept(0)
