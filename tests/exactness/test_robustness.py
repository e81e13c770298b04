"""Nothing a caller passes crashes the process or is taken for something else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import formgate

TESTS = Path(__file__).resolve().parent.parent
TOKENS = [b"a", b"b", b"ab", b"c", None, None, *(b"%d" % number for number in range(60))]
STOP = 5
WORDS = (len(TOKENS) + 31) // 32


def vocabulary():
    return formgate.Vocabulary(TOKENS, stop_ids=[STOP])


@pytest.fixture(scope="module")
def engine():
    return formgate.compile("(?:ab|a)*c?", vocabulary(), format="regex")


def run_python(*arguments, timeout=120):
    """A process of its own; its output. Fails the test if the process does."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("kind", ["patterns", "bytes", "builders"])
def test_chaos(kind):
    run_python("-m", "oracle.chaos", kind, "1", "400")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("kind", ["patterns", "bytes", "builders"])
def test_much_chaos(kind, seed):
    run_python("-m", "oracle.chaos", kind, str(seed), "5000", timeout=900)


# arguments of the engine's methods

OUT_OF_RANGE = [-1, len(TOKENS), 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, -(2**63), 10**30]
NO_TOKENS = [1.5, "1", b"a", None, [], (1,), object(), np.float32(1), np.array([1])]
METHODS = ["advance", "is_allowed"]


@pytest.mark.parametrize("token", OUT_OF_RANGE)
def test_a_token_out_of_range_is_not_allowed(engine, token):
    state = engine.start()
    with pytest.raises((ValueError, TypeError, OverflowError)):
        engine.advance(state, token)
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        assert engine.is_allowed(state, token) is False
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        assert engine.validate(state, [0, token]) == 1
    assert 0 in engine.allowed_tokens(state)


def label(value):
    """Name a parameter the same in every process: a plain object's repr holds its address."""
    return "object" if type(value) is object else repr(value)


@pytest.mark.parametrize("token", NO_TOKENS, ids=label)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_token_is_a_type_error(engine, method, token):
    with pytest.raises((TypeError, ValueError)):
        getattr(engine, method)(engine.start(), token)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint8, np.int16])
def test_numpy_integers_are_tokens(engine, kind):
    state = engine.advance(engine.start(), kind(2))
    assert state == engine.advance(engine.start(), 2)
    assert engine.is_allowed(state, kind(0))
    assert engine.validate(state, [kind(0), kind(1)]) == 2
    assert kind(0) in engine.allowed_tokens(state)
    assert engine.validate(state, np.array([0, 1, 3, 3], dtype=kind)) == 3


CALLS_WITH_A_STATE = (
    lambda engine, state: engine.advance(state, 0),
    lambda engine, state: engine.allowed_tokens(state),
    lambda engine, state: engine.is_allowed(state, 0),
    lambda engine, state: engine.is_accepting(state),
    lambda engine, state: engine.is_terminal(state),
    lambda engine, state: engine.validate(state, [0]),
    lambda engine, state: engine.advance_many(state, [0]),
    lambda engine, state: engine.fill_mask(state, np.zeros(WORDS, dtype=np.int32)),
    lambda engine, state: engine.fill_masks([state], np.zeros((1, WORDS), dtype=np.int32)),
    lambda engine, state: engine.forced_text(state),
    lambda engine, state: engine.min_tokens(state),
    lambda engine, state: engine.explain(state),
)


@pytest.mark.parametrize("state", [None, 0, b"", "state", object()], ids=label)
@pytest.mark.parametrize("call", CALLS_WITH_A_STATE)
def test_what_is_no_state_is_a_type_error(engine, call, state):
    with pytest.raises(TypeError):
        call(engine, state)


def test_states_of_other_engines_are_refused(engine):
    """Of another language, another vocabulary, or both: never a silently wrong mask."""
    other_vocabulary = formgate.Vocabulary([b"a", b"c", None], stop_ids=[2])
    others = [
        formgate.compile("x*y|1+", vocabulary(), format="regex"),
        formgate.compile("(?:ab|a)*c?", other_vocabulary, format="regex"),
        formgate.compile(["a", "c"], other_vocabulary, format="choice"),
    ]
    for other in others:
        for call in CALLS_WITH_A_STATE:
            with pytest.raises(formgate.StateError):
                call(engine, other.start())


def test_states_outlive_their_engine():
    state = formgate.compile("ab", vocabulary(), format="regex").start()
    assert len(state.key) == 16
    assert state == state  # noqa: PLR0124 - the engine is gone, the state is not


# buffers


def read_only():
    array = np.zeros(WORDS, dtype=np.int32)
    array.flags.writeable = False
    return array


BAD_ROWS = {
    "float": np.zeros(WORDS, dtype=np.float32),
    "int64": np.zeros(WORDS, dtype=np.int64),
    "int8": np.zeros(WORDS * 4, dtype=np.int8),
    "short": np.zeros(WORDS - 1, dtype=np.int32),
    "no words": np.zeros(0, dtype=np.int32),
    "strided": np.zeros(WORDS * 2, dtype=np.int32)[::2],
    "reversed": np.zeros(WORDS, dtype=np.int32)[::-1],
    "transposed": np.zeros((WORDS, 2), dtype=np.int32).T,
    "three dimensions": np.zeros((1, 1, WORDS), dtype=np.int32),
    "big endian": np.zeros(WORDS, dtype=">i4"),
    "bytes": b"\0" * 4 * WORDS,
    "list": [0] * WORDS,
    "none": None,
    "read-only": read_only(),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_wrong_buffer_is_refused(engine, name):
    buffer = BAD_ROWS[name]
    with pytest.raises((TypeError, ValueError, BufferError)):
        engine.fill_mask(engine.start(), buffer, 0)
    with pytest.raises((TypeError, ValueError, BufferError)):
        engine.fill_masks([engine.start()], buffer)


@pytest.mark.parametrize("row", [-1, 2, 2**31, 2**40, 2**64, "0", None, 0.5], ids=repr)
def test_a_wrong_row_is_refused(engine, row):
    buffer = np.full((2, WORDS), -1, dtype=np.int32)
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        engine.fill_mask(engine.start(), buffer, row)
    assert (buffer == -1).all()


@pytest.mark.parametrize("rows", [0, 1])
def test_a_batch_needs_a_row_for_each_state(engine, rows):
    buffer = np.full((rows, WORDS), -1, dtype=np.int32)
    with pytest.raises((TypeError, ValueError)):
        engine.fill_masks([engine.start(), engine.start()], buffer)
    assert (buffer == -1).all()


def test_surplus_rows_are_left_alone(engine):
    buffer = np.full((3, WORDS), -1, dtype=np.int32)
    engine.fill_masks([engine.start(), engine.start()], buffer)
    assert (buffer[:2] != -1).any(axis=1).all()
    assert (buffer[2] == -1).all()


@pytest.mark.parametrize("threads", [-1, 0, 257, 2**40, -(2**70)], ids=repr)
def test_a_number_of_threads_out_of_range_is_refused(engine, threads):
    buffer = np.zeros((2, WORDS), dtype=np.int32)
    with pytest.raises(ValueError, match=r"^threads must be from 1 to 256; one for each 32 rows"):
        engine.fill_masks([engine.start()] * 2, buffer, threads)
    assert not buffer.any()


@pytest.mark.parametrize("threads", ["2", None, 1.5, [1]], ids=repr)
def test_what_is_no_number_of_threads_is_refused(engine, threads):
    buffer = np.zeros((2, WORDS), dtype=np.int32)
    with pytest.raises(TypeError, match=r"^threads must be an integer from 1 to 256, not "):
        engine.fill_masks([engine.start()] * 2, buffer, threads)


@pytest.mark.parametrize("threads", [1, 256, np.int64(2)], ids=repr)
def test_any_number_of_threads_in_range_makes_the_same_rows(engine, threads):
    buffer = np.zeros((100, WORDS), dtype=np.int32)
    engine.fill_masks([engine.start()] * 100, buffer, threads)
    expected = engine.allowed_tokens(engine.start()).words
    assert (buffer.view(np.uint32) == expected).all()


def test_an_empty_batch(engine):
    engine.fill_masks([], np.zeros((0, WORDS), dtype=np.int32))


@pytest.mark.parametrize("text", [None, 1, ["a"], 1.5], ids=repr)
def test_what_is_no_text_is_a_type_error(engine, text):
    with pytest.raises(TypeError):
        engine.accepts(text)
    with pytest.raises(TypeError):
        engine.is_prefix(text)


def test_text_that_is_not_utf8(engine):
    for text in (b"\xff", b"a\xc3", b"\xed\xa0\x80"):
        assert engine.accepts(text) is False
        assert engine.is_prefix(text) is False
    for query in (engine.accepts, engine.is_prefix):
        with contextlib.suppress(ValueError):  # a lone surrogate is no text
            assert query("\ud800") is False


def test_masks_refuse_what_is_no_token(engine):
    mask = engine.allowed_tokens(engine.start())
    for token in (-1, len(TOKENS), 2**40):
        assert token not in mask
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        formgate.TokenMask.from_ids(4, [4])
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        formgate.TokenMask.from_ids(4, [-1])
    with pytest.raises((TypeError, ValueError)):
        mask | formgate.TokenMask.from_ids(4, [1])
    with pytest.raises((TypeError, ValueError)):
        mask.words[0] = 1


# sources that are large in one direction

DEEP = """
import formgate
vocabulary = formgate.Vocabulary([b"a", b"b", None], stop_ids=[2])
def attempt(make):
    try:
        engine = make()
    except formgate.FormgateError as error:
        return type(error).__name__
    state = engine.start()
    for _ in range(3):
        ids = engine.allowed_tokens(state).to_list()
        assert ids
        state = engine.advance(state, ids[0])
        if not engine.allowed_tokens(state):
            break
    return "ok"
def nested(wrap, depth):
    def make():
        builder = formgate.GrammarBuilder()
        node = builder.literal("a")
        for _ in range(depth):
            node = wrap(builder, node)
        builder.start(node)
        return formgate.compile(builder.build(), vocabulary, timeout_s=20)
    return attempt(make)
def regex(pattern):
    return attempt(lambda: formgate.compile(pattern, vocabulary, format="regex", timeout_s=20))
"""

NESTINGS = {
    "seq": "lambda b, n: b.seq(n, b.literal('b'))",
    "seq left": "lambda b, n: b.seq(b.literal('b'), n)",
    "choice": "lambda b, n: b.choice(n, b.literal('b'))",
    "repeat": "lambda b, n: b.repeat(n, 1, 2)",
    "star": "lambda b, n: b.star(b.seq(n, b.literal('b')))",
    "complement": "lambda b, n: b.complement(b.seq(n, b.literal('b')))",
    "intersection": "lambda b, n: b.intersection(n, b.any_text())",
    "ahead": "lambda b, n: b.seq(b.look_ahead(b.seq(n, b.any_text())), b.literal('a'))",
    "behind": "lambda b, n: b.choice(n, b.seq(b.literal('a'), b.look_behind(n)))",
    "scope": "lambda b, n: b.scope(n)",
}


@pytest.mark.parametrize("kind", NESTINGS)
@pytest.mark.parametrize("depth", [60, 1_000, 100_000])
def test_deeply_nested_builders(kind, depth):
    run_python("-c", f"{DEEP}\nprint(nested({NESTINGS[kind]}, {depth}))")


def test_a_text_that_doubles_sixty_times():
    run_python("-c", f"{DEEP}\nprint(nested(lambda b, n: b.seq(n, n), 60))")


@pytest.mark.parametrize(
    "pattern",
    [
        "'(' * 3000 + 'a' + ')' * 3000",
        "'(?:' * 90 + 'a' + '*)' * 90",
        "'(?:' * 60 + 'a' + '{1,9})' * 60",
        "'(?=' * 60 + 'a' + ')' * 60 + 'a'",
        "'a' * 1_000_000",
        "'a?' * 20_000 + 'b'",
        "'|'.join('a' * n + 'b' for n in range(2_000))",
        "'[' + 'ab' * 50_000 + ']'",
        "'a{1000000000}'",
        "'a{4294967294}'",
        "'a{0,4294967294}'",
        "'a{99999999999999999999}'",
        "'(?:a{1000}){1000}b'",
        "'(?:(?:a{65535}){65535}){65535}'",
        "'(?:a|ab){100000}'",
        "r'(?=(?:aa)*\\Z)a{999999999}'",
        "r'(?=(?:aa)*\\Z)a{999999998}'",
        "'(?s).*a.{200}'",
        "'(?s).*a.{2000}b'",
        "'(?=.*a)(?=.*b)' * 40 + '[ab]{100}'",
        "r'(?:(?<=a)b|(?<!a)a){1000000}'",
        "r'(?!(?:a|b){1,200}\\Z)[ab]{150,250}'",
        "'(?:(?:a?){50}){50}' * 20 + 'b'",
    ],
)
def test_large_patterns(pattern):
    run_python("-c", f"{DEEP}\nprint(regex({pattern}))")


def test_a_deadline_is_kept():
    code = f"""{DEEP}
import time
hard = "(?s)(?=.*a.{{18}}b)(?=.*b.{{17}}a)(?!.*a.{{16}}b).{{0,60}}(?<!a.{{15}}b)"
for pattern in (hard, "(?:a|ab){{100000}}", "(?!(?:a|b)*aa(?:a|b){{12}}\\\\Z)(?=(?:a|b)*b)[ab]+"):
    for limit in (0.001, 0.05):
        started = time.perf_counter()
        try:
            formgate.compile(pattern, vocabulary, format="regex", timeout_s=limit)
        except formgate.FormgateError as error:
            print(type(error).__name__)
        took = time.perf_counter() - started
        assert took < limit + 2, (pattern, took)
"""
    run_python("-c", code)


def test_a_compilation_can_be_cancelled():
    code = f"""{DEEP}
import threading, time
hard = "(?s)(?=.*a.{{18}}b)(?=.*b.{{17}}a)(?!.*a.{{16}}b).{{0,60}}(?<!a.{{15}}b)"
token = formgate.CancelToken()
token.cancel()
try:
    formgate.compile("a*", vocabulary, format="regex", cancel=token)
except formgate.CompileCancelled:
    print("cancelled before it began")
else:
    raise SystemExit("a cancelled compilation went through")
token = formgate.CancelToken()
threading.Timer(0.1, token.cancel).start()
started = time.perf_counter()
try:
    formgate.compile(hard, vocabulary, format="regex", cancel=token, timeout_s=30)
except formgate.FormgateError as error:
    print(type(error).__name__)
assert time.perf_counter() - started < 5
"""
    run_python("-c", code)
