"""A step of decoding that takes long does not hold up the process's other threads."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import formgate

# Its texts can be read in very many ways, and more with each byte.
AMBIGUOUS = 'root ::= "c" | "c" n | "b" n\nn ::= root root | n "c"'
TEXT = b"bbccbbccbbcccbbbcbbbbcbccccccbcbbbcbcccccccbcbcbcbbccbbccbcb"


class Counter:
    """Counts in a thread whenever others let it, which the interpreter does not ask them to do."""

    def __init__(self):
        self.count = 0
        self._ended = False
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._ended:
            self.count += 1
            time.sleep(0)

    def __enter__(self):
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(1_000)
        self._thread.start()
        return self

    def __exit__(self, *_):
        sys.setswitchinterval(self._interval)
        self._ended = True
        self._thread.join()


@pytest.fixture
def engine():
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    return formgate.compile(AMBIGUOUS, vocabulary, format="gbnf")


def test_long_tokens_let_other_threads_run(engine):
    state = engine.start()
    with Counter() as counter:
        for token in TEXT:
            before = counter.count
            state = engine.advance(state, token)
            if counter.count > before:
                return
    pytest.fail("no token let another thread run")


def test_long_texts_let_other_threads_run(engine):
    with Counter() as counter:
        before = counter.count
        assert engine.is_prefix(TEXT)
        assert counter.count > before


def test_long_masks_let_other_threads_run():
    pieces = [bytes(one) for one in {TEXT[i : i + n] for i in range(40) for n in range(2, 20)}]
    vocabulary = formgate.Vocabulary(
        [*(bytes([i]) for i in range(256)), *pieces, None], stop_ids=[256 + len(pieces)]
    )
    engine = formgate.compile(AMBIGUOUS, vocabulary, format="gbnf")
    state = engine.start()
    with Counter() as counter:
        for token in TEXT[:44]:
            before = counter.count
            allowed = engine.allowed_tokens(state)
            if counter.count > before:
                return
            assert token in allowed
            state = engine.advance(state, token)
    pytest.fail("no mask let another thread run")


def test_short_steps_keep_the_interpreter_lock():
    """A lock let go for a microsecond may take its owner milliseconds to get back."""
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    engine = formgate.compile("[a-z]{1,40}", vocabulary, format="regex")
    states = [engine.start()]
    for _ in range(30):  # all states are met once
        engine.allowed_tokens(states[-1])
        states.append(engine.advance(states[-1], 97))
    with Counter() as counter:
        before = counter.count
        for state in states:
            engine.allowed_tokens(state)
            engine.is_allowed(state, 97)
        assert counter.count == before
