"""Arguments of the wrong kind get a typed error that names the argument, never a stray one."""

from __future__ import annotations

import copy
import enum
import os
import subprocess
import sys
import typing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formgate
from formgate.core._native import MaskBuffer, RowTable, apply_mask, apply_masks, fill_rows
from formgate.core.errors import (
    CompileCancelled,
    CompileTimeout,
    EmptyLanguageError,
    GrammarError,
    TokenError,
    VocabularyError,
)
from formgate.core.grammar import CancelToken, GrammarBuilder, Limits


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])


@pytest.fixture(scope="module")
def engine(vocabulary):
    return formgate.compile("[ab]+", vocabulary)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"format": 3}, TypeError, "format is the name"),
        ({"registry": 3}, TypeError, "registry is a"),
        ({"cancel": 1}, TypeError, "cancel is a"),
        ({"limits": 3}, TypeError, "limits is a"),
        ({"timeout_s": "1"}, TypeError, "timeout_s is a number"),
        ({"timeout_s": True}, TypeError, "timeout_s is a number"),
        ({"timeout_s": float("nan")}, ValueError, "timeout_s must be positive"),
        ({"timeout_s": 0}, ValueError, "timeout_s must be positive"),
        ({"flags": 1 << 40}, GrammarError, "regex flags must be"),
        ({"flgs": 1}, GrammarError, "no option 'flgs'"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_arguments_of_compile(vocabulary, arguments, kind, message):
    with pytest.raises(kind, match=message):
        formgate.compile("a", vocabulary, **arguments)


def test_limits_are_positive():
    with pytest.raises(ValueError, match="at least 1"):
        Limits(max_states=-1)
    with pytest.raises(ValueError, match="at least 1"):
        Limits(max_nodes=0)


def test_a_timeout_is_told_in_the_terms_of_the_caller(vocabulary):
    # Far more than a tenth of a second: look-around over a long counted repetition.
    with pytest.raises(CompileTimeout, match=r"timeout_s=0\.1;"):
        formgate.compile(
            r"(?:.{0,3000}\bcat\b.{0,3000}){3}",
            vocabulary,
            timeout_s=0.1,
            limits=Limits(max_states=1 << 30),
        )


@pytest.mark.parametrize(
    ("tokens", "stop_ids"), [([b"a"], 0), (None, [0]), (3, [0]), (["a"], [0]), ([b"a"], ["x"])]
)
def test_arguments_of_a_vocabulary(tokens, stop_ids):
    with pytest.raises(VocabularyError):
        formgate.Vocabulary(tokens, stop_ids=stop_ids)


class Mixed(enum.Enum):
    YES = "yes"
    ONE = 1


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (["a", 3], "item 1 is 3"),
        ([b"a"], "item 0 is b'a'"),
        (typing.Literal["a", 3], "item 1 is 3"),
        (Mixed, "the value of Mixed.ONE is 1"),
    ],
)
def test_choices_that_are_no_text_are_named(vocabulary, source, place):
    with pytest.raises(GrammarError, match=place):
        formgate.compile(source, vocabulary)


def test_an_empty_language_shows_its_source(vocabulary):
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile("a(?!a)a", vocabulary)
    assert caught.value.source == "a(?!a)a"
    assert caught.value.span == (0, 7)


@pytest.mark.parametrize("token", [-1, 257, 2**31, 2**63 - 1, 2**63, 2**70, -(2**70)])
def test_token_ids_outside_the_vocabulary(engine, token):
    state = engine.start()
    with pytest.raises(TokenError, match="outside the vocabulary"):
        engine.advance(state, token)
    with pytest.raises(TokenError, match="outside the vocabulary"):
        engine.advance_many(state, [ord("a"), token])
    assert not engine.is_allowed(state, token)
    assert engine.validate(state, [ord("a"), token, ord("a")]) == 1
    assert token not in engine.allowed_tokens(state)
    assert not formgate.Matcher(engine).accept(token)


@pytest.mark.parametrize("token", ["a", None, 1.0, b"a"])
def test_tokens_that_are_no_integers(engine, token):
    state = engine.start()
    for use in (
        lambda: engine.advance(state, token),
        lambda: engine.advance_many(state, [token]),
        lambda: engine.is_allowed(state, token),
        lambda: token in engine.allowed_tokens(state),
        lambda: formgate.Matcher(engine).accept(token),
    ):
        with pytest.raises(TypeError, match="a token is an integer id"):
            use()


def test_numpy_integers_are_tokens(engine):
    numpy = pytest.importorskip("numpy")
    assert engine.is_allowed(engine.start(), numpy.int64(ord("a")))
    assert numpy.uint8(ord("b")) in engine.allowed_tokens(engine.start())


def test_immutable_objects_are_their_own_copies(engine):
    state = engine.start()
    for item in (engine, engine.grammar, state, engine.allowed_tokens(state)):
        assert copy.copy(item) is item
        assert copy.deepcopy(item) is item


def test_copies_of_a_matcher_are_independent(engine):
    matcher = formgate.Matcher(engine)
    matcher.accept(ord("a"))
    for other in (copy.copy(matcher), copy.deepcopy(matcher)):
        other.accept(ord("b"))
        assert matcher.tokens == (ord("a"),)
        assert other.tokens == (ord("a"), ord("b"))


def test_nothing_equals_none(engine):
    state = engine.start()
    mask = engine.allowed_tokens(state)
    for item in (state, mask, engine.vocabulary):
        assert (item == None) is False  # noqa: E711 (the operator is under test)
        assert (item != None) is True  # noqa: E711 (as above)


def test_a_matcher_needs_an_engine():
    for wrong in (None, "a", 3):
        with pytest.raises(TypeError, match="is not an engine"):
            formgate.Matcher(wrong)


def test_a_built_grammar_stays_as_it_is():
    builder = GrammarBuilder()
    builder.start(builder.literal("a"))
    grammar = builder.build()
    for change in (
        lambda: builder.define("rule", builder.literal("b")),
        lambda: builder.start(builder.literal("b")),
    ):
        with pytest.raises(GrammarError, match="built already"):
            change()
    assert "b" not in str(grammar)


def test_deadline_and_cancellation_of_many_strings(vocabulary):
    words = [f"{i * 7919 % 1_000_003}-{i}" for i in range(200_000)]
    with pytest.raises(CompileTimeout, match=r"timeout_s=0\.001;"):
        formgate.compile(words, vocabulary, timeout_s=0.001)
    cancel = CancelToken()
    builder = GrammarBuilder(cancel=cancel)
    cancel.cancel()
    with pytest.raises(CompileCancelled):
        builder.strings(words)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_another_thread_compiles(vocabulary):
    """The child must find no lock held by a thread that it does not have."""
    code = """
import os, threading, time
import formgate
vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
engine = formgate.compile("[a-z]{1,20}", vocabulary)
done = False
def busy():
    i = 0
    while not done:
        i += 1
        formgate.compile(rf"(?=.*a.{{8}}).{{1,40}}{i}", vocabulary)
threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads:
    thread.start()
time.sleep(0.2)
for i in range(10):
    child = os.fork()
    if child == 0:
        state = engine.advance(engine.start(), ord("a"))
        engine.allowed_tokens(state)
        formgate.compile(f"x{{1,5}}y{i}", vocabulary)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done = True
for thread in threads:
    thread.join()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


HUGE = 2**64


@pytest.mark.parametrize("name", ["set_pool_budget", "set_mask_budget"])
@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (-1, ValueError, "max_bytes must not be negative"),
        (-HUGE, ValueError, "max_bytes must not be negative"),
        (1.5, TypeError, "max_bytes is an integer, not float"),
        ("1", TypeError, "max_bytes is an integer, not str"),
        (None, TypeError, "max_bytes is an integer, not NoneType"),
    ],
)
def test_budgets(name, given, kind, message):
    with pytest.raises(kind, match=message):
        getattr(formgate, name)(given)


def test_a_budget_may_be_larger_than_any_memory():
    code = "import formgate; formgate.set_pool_budget(2**64); formgate.set_mask_budget(2**70)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (("x", 1), TypeError, "rows is an integer, not str"),
        ((1, None), TypeError, "size is an integer, not NoneType"),
        ((-1, 1), ValueError, "rows must not be negative"),
        ((1, -HUGE), ValueError, "size must not be negative"),
        ((HUGE, 1), ValueError, r"at most 2\*\*20 rows"),
        ((1, 2**28 + 1), ValueError, r"a size of at most 2\*\*28"),
    ],
)
def test_buffers(given, kind, message):
    with pytest.raises(kind, match=message):
        MaskBuffer(*given)


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        (2**63, IndexError, "the row is outside"),
        (-HUGE, IndexError, "the row is outside"),
        (1, IndexError, "the row is outside"),
        ("0", TypeError, "a row is an integer, not str"),
        (0.0, TypeError, "a row is an integer, not float"),
        (None, TypeError, "a row is an integer, not NoneType"),
    ],
)
def test_rows(engine, row, kind, message):
    state = engine.start()
    with pytest.raises(kind, match=message):
        engine.fill_mask(state, MaskBuffer(1, 257), row)
    with pytest.raises(kind, match=message):
        apply_mask(engine.allowed_tokens(state), np.zeros(257, np.float32), row)


def test_numpy_integers_are_rows_and_amounts(engine):
    buffer = MaskBuffer(np.int64(2), np.uint16(257))
    engine.fill_mask(engine.start(), buffer, np.int32(1))
    words = np.zeros(9, np.int32)
    engine.allowed_tokens(engine.start()).fill(words)
    assert buffer.array[1].tolist() == words.tolist()
    assert not buffer.array[0].any()


@pytest.mark.parametrize("out", [None, 1, [0] * 9, b"\0" * 36])
def test_what_masks_are_written_into(engine, out):
    state = engine.start()
    with pytest.raises(TypeError, match="written into a MaskBuffer or a writable int32 array"):
        engine.fill_mask(state, out)
    with pytest.raises(TypeError, match="written into a MaskBuffer or a writable int32 array"):
        engine.fill_masks([state], out)


def test_arrays_that_are_not_aligned_are_refused(engine):
    def shifted(kind, *shape):
        count = int(np.prod(shape))
        size = np.dtype(kind).itemsize
        raw = np.zeros(count * size + size, np.uint8)
        begin = (1 - raw.ctypes.data) % size
        return raw[begin : begin + count * size].view(kind).reshape(shape)

    state = engine.start()
    for call, arguments in (
        (engine.fill_mask, (state, shifted(np.int32, 9))),
        (engine.fill_masks, ([state], shifted(np.uint32, 1, 9))),
        (fill_rows, ([state], shifted(np.int32, 1, 9))),
        (RowTable(4).place, ([(engine, state)], shifted(np.int32, 1), 257)),
        (apply_mask, (engine.allowed_tokens(state), shifted(np.float32, 257))),
        (apply_masks, ([state], shifted(np.float16, 1, 257))),
    ):
        with pytest.raises(ValueError, match="not aligned to its elements; pass a copy"):
            call(*arguments)


def test_bounds_of_searches(engine):
    state = engine.start()
    with pytest.raises(ValueError, match="max_bytes must not be negative"):
        engine.forced_text(state, -1)
    with pytest.raises(TypeError, match="max_bytes is an integer, not NoneType"):
        engine.forced_text(state, None)
    with pytest.raises(ValueError, match="max_states must not be negative"):
        engine.min_tokens(state, max_states=-1)
    with pytest.raises(TypeError, match="max_steps is an integer, not str"):
        engine.min_tokens(state, max_steps="1")
    assert engine.min_tokens(state, HUGE, HUGE) == 1


def test_what_scores_are(engine):
    state = engine.start()
    frozen = np.zeros(257, np.float32)
    frozen.flags.writeable = False
    for scores in (None, [0.0] * 257, frozen, np.zeros(257, ">f4")):
        with pytest.raises(TypeError, match="a writable array of floats in main memory"):
            apply_mask(engine.allowed_tokens(state), scores)
        with pytest.raises(TypeError, match="a writable array of floats in main memory"):
            apply_masks([state], scores)


@given(
    st.integers(1, 4),
    st.integers(257, 260),
    st.sampled_from([-300, -257, -4, -1, 0, 1, 2, 4, 257, 258, 300]),
    st.sampled_from([-2, -1, 0, 1, 2, 4]),
)
def test_rows_of_scores_do_not_share_memory(engine, rows, length, down, across):
    memory = np.zeros(4096, np.float32)
    scores = np.lib.stride_tricks.as_strided(memory[2048:], (rows, length), (4 * down, 4 * across))
    across_row, down_column = abs(across) * (length - 1), abs(down) * (rows - 1)
    side_by_side = abs(down) > across_row or abs(across) > down_column
    apart = across != 0 and (rows == 1 or (down != 0 and side_by_side))
    places = {r * down + c * across for r in range(rows) for c in range(length)}
    assert not apart or len(places) == rows * length
    states = [engine.start(), engine.advance(engine.start(), ord("a"))] * rows
    if not apart:
        with pytest.raises(ValueError, match="rows of the scores share memory or lie within"):
            apply_masks(states[:rows], scores)
        assert not memory.any()
    else:
        apply_masks(states[:rows], scores)
        for row, state in zip(scores, states, strict=False):
            allowed = set(engine.allowed_tokens(state).to_list())
            assert {i for i in range(length) if row[i] == 0} == allowed


class Broken:
    """Fails where it is asked for its number."""

    def __index__(self) -> int:
        raise RuntimeError("broken")


def test_errors_of_numbers_are_handed_on(engine):
    state = engine.start()
    with pytest.raises(RuntimeError, match="broken"):
        formgate.set_pool_budget(Broken())
    with pytest.raises(RuntimeError, match="broken"):
        engine.advance(state, Broken())
    with pytest.raises(RuntimeError, match="broken"):
        engine.fill_mask(state, MaskBuffer(1, 257), Broken())
    with pytest.raises(RuntimeError, match="broken"):
        engine.fill_masks([state], MaskBuffer(1, 257), threads=Broken())


def test_a_buffer_beyond_memory_is_told_with_its_size():
    code = (
        "import resource; from formgate.core._native import MaskBuffer;"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30));"
        "MaskBuffer(2**20, 2**28)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert "MemoryError: no memory for a buffer of 8796093022208 words" in done.stderr
