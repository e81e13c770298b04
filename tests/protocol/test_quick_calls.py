"""`advance` and `fill_mask` take plain arguments at once, and end as the functions bound do."""

from __future__ import annotations

import array
import ctypes
import gc
import inspect
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formgate
from formgate.core._native import (
    Engine,
    MaskBuffer,
    RowTable,
    State,
    apply_mask,
    apply_masks,
    fill_rows,
)
from formgate.core.errors import LimitError
from formgate.core.grammar import Limits

SIZE = 257
WORDS = -(-SIZE // 32)
VOCABULARY = formgate.Vocabulary([*(bytes([i]) for i in range(SIZE - 1)), None], stop_ids=[256])
ENGINE = formgate.compile("[ab]+c", VOCABULARY)
OTHER = formgate.compile("[ab]+", VOCABULARY)
UNMADE = pytest.mark.filterwarnings("ignore:.*uninitialized instance")


class Count(int):
    """An integer of a kind of its own."""


class Index:
    """What can be an index, without being an integer."""

    def __index__(self) -> int:
        return ord("a")


INTEGERS = st.sampled_from(
    [
        *(ord("a"), ord("c"), ord("x"), 0, 1, 2, 3, -1, 256, 257),
        *(2**31, 2**32 + 97, 2**63 - 1, 2**63, 2**64 + 97, -(2**63), -(2**70)),
        *(True, False, None, 1.0, "1", b"a", Count(97), Count(1), Index()),
        *(np.int64(97), np.uint8(97), np.int32(-1), np.bool_(True)),
    ]
)
STATES = st.sampled_from(
    [
        ENGINE.start(),
        ENGINE.advance(ENGINE.start(), ord("a")),
        ENGINE.advance_many(ENGINE.start(), b"abc"),
        OTHER.start(),
        State.__new__(State),
        *(None, 1, ENGINE),
    ]
)


def rows() -> list[object]:
    """Return what masks may be written into, and what not, all with the same content."""
    made: list[object] = [
        MaskBuffer(1, SIZE),
        MaskBuffer(3, SIZE),
        MaskBuffer(1, SIZE + 32),
        MaskBuffer(0, SIZE),
        MaskBuffer.__new__(MaskBuffer),
        np.zeros(WORDS, np.int32),
        np.zeros((3, WORDS), np.uint32),
        np.zeros((3, WORDS + 1), np.int32),
        np.zeros((3, 2 * WORDS), np.int32)[:, :WORDS],
        np.zeros((3, WORDS), np.int64),
        np.zeros((3, WORDS), np.int32)[::-1],
        *(None, "row"),
    ]
    frozen = np.zeros(WORDS, np.int32)
    frozen.flags.writeable = False
    return [*made, frozen, (ctypes.c_int32 * WORDS)(), array.array("i", bytes(4 * WORDS))]


def ends(call: object, *given: object, **named: object) -> object:
    """Return what a call gives, or how it fails."""
    try:
        return call(*given, **named)  # type: ignore[operator]
    except (Exception, SystemError) as error:  # noqa: BLE001 - whatever it is, both have it
        return type(error), str(error)


def content(row: object) -> object:
    """Return what is written there."""
    try:
        return np.array(row.array if isinstance(row, MaskBuffer) else row).tolist()
    except (TypeError, SystemError):
        return None


@UNMADE
@given(STATES, INTEGERS, st.integers(0, 3))
def test_advance_ends_as_the_bound_function_does(state: object, token: object, way: int) -> None:
    quick, bound = ENGINE.advance, ENGINE._advance  # type: ignore[attr-defined]
    calls: list[tuple[tuple[object, ...], dict[str, object]]] = [
        ((state, token), {}),
        ((state,), {"token": token}),
        ((), {"token": token, "state": state}),
        ((state, token, token), {}),
    ]
    values, names = calls[way]
    assert ends(quick, *values, **names) == ends(bound, *values, **names)


@UNMADE
@given(STATES, st.integers(0, len(rows()) - 1), INTEGERS, st.integers(0, 4))
def test_fill_mask_ends_as_the_bound_function_does(
    state: object, kind: int, row: object, way: int
) -> None:
    found = []
    for call in (ENGINE.fill_mask, ENGINE._fill_mask):  # type: ignore[attr-defined]
        out = rows()[kind]
        calls: list[tuple[tuple[object, ...], dict[str, object]]] = [
            ((state, out, row), {}),
            ((state, out), {}),
            ((state, out), {"row": row}),
            ((), {"row": row, "out": out, "state": state}),
            ((state, out, row), {"row": row}),
        ]
        values, names = calls[way]
        told = ends(call, *values, **names)
        if isinstance(told, tuple):
            told = (told[0], told[1].replace("_fill_mask", "fill_mask"))
        found.append((told, content(out)))
    assert found[0] == found[1]


@UNMADE
def test_an_engine_that_was_not_made_is_refused() -> None:
    empty = Engine.__new__(Engine)
    for call, arguments in (
        (empty.advance, (ENGINE.start(), 97)),
        (empty.fill_mask, (ENGINE.start(), MaskBuffer(1, SIZE), 0)),
    ):
        with pytest.raises(TypeError):
            call(*arguments)


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(TypeError):
        Engine.advance(1, ENGINE.start(), 97)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Engine.fill_mask(ENGINE.start(), ENGINE.start(), MaskBuffer(1, SIZE), 0)  # type: ignore[arg-type]


def test_errors_are_raised_once_and_of_their_own_kind() -> None:
    """Counts inside counts read a token in more ways with each level."""
    nested = '"a"'
    for _ in range(5):
        nested = f'({nested} "b"?){{0,3}}'
    tokens = [b"a", b"b", b"a" * 9, None]
    words = formgate.Vocabulary(tokens, stop_ids=[3])
    limits = Limits(max_growth=2_000)
    source = f"root ::= {nested}"
    engine = formgate.compile(source, words, format="gbnf", limits=limits, warm_up=False)
    good = formgate.compile("[ab]*", words)
    state, buffer = engine.start(), MaskBuffer(1, 4)
    with pytest.raises(LimitError, match="max_growth"):
        engine.advance(state, 2)
    assert good.advance(good.start(), 2) == good.start()
    with pytest.raises(LimitError, match="max_growth"):
        engine.fill_mask(state, buffer, 0)
    good.fill_mask(good.start(), buffer, 0)
    assert buffer.array.tolist() == [[0b1111]]


class Exporter:
    """Hands out memory that nobody else holds, so often and no more."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **options: object) -> object:
        self.times -= 1
        if self.times < 0:
            raise BufferError("it was asked before")
        return np.zeros((20_000, WORDS), np.int32).__dlpack__()


def test_memory_is_asked_for_once_and_held_while_it_is_written() -> None:
    for _ in range(20):
        ENGINE.fill_mask(ENGINE.start(), Exporter(1), 15_000)
        ENGINE.fill_masks([ENGINE.start()] * 20_000, Exporter(1), 2)
    with pytest.raises(IndexError, match="the row is outside the mask array"):
        ENGINE.fill_mask(ENGINE.start(), Exporter(1), 20_000)


def test_an_error_is_of_one_call_whatever_runs_beside_it() -> None:
    """The collector may run finalisers, and these other engines, wherever memory is asked for."""
    words = formgate.Vocabulary([b"c", b"b", b"c" * 9, None], stop_ids=[3])
    nested = '"c"'  # no other test has made what it derives
    for _ in range(5):
        nested = f'({nested} "b"?){{0,3}}'
    limits = Limits(max_growth=2_000)
    engine = formgate.compile(
        f"root ::= {nested}", words, format="gbnf", limits=limits, warm_up=False
    )
    state, buffer = engine.start(), MaskBuffer(1, 4)
    told: list[object] = []
    own: list[object] = []

    class Late:
        def __init__(self) -> None:
            self.own = self

        def __del__(self) -> None:
            told.append(ends(ENGINE.fill_mask, ENGINE.start(), MaskBuffer(1, SIZE)))
            told.append(ends(ENGINE.advance, ENGINE.start(), token=ord("a")))

    usual = gc.get_threshold()
    try:
        for threshold in (1, 2, 3, 5, 8):
            gc.set_threshold(threshold)
            for _ in range(10):
                Late()
                own.append(ends(engine.advance, state, 2))
                own.append(ends(engine.fill_mask, state, buffer, 0))
    finally:
        gc.set_threshold(*usual)
    gc.collect()
    assert len(told) == 100
    assert not any(isinstance(one, tuple) for one in told)
    errors = {one[0] for one in own if isinstance(one, tuple)}
    assert errors == {LimitError}  # what was made counts no more the next time


def test_threads_have_errors_of_their_own() -> None:
    wrong: list[object] = []

    def work(own: int) -> None:
        for _ in range(2_000):
            told = ends(ENGINE.advance, ENGINE.start(), own)
            if isinstance(told, tuple) != (own == ord("x")):
                wrong.append(told)

    threads = [threading.Thread(target=work, args=(ord(own),)) for own in "axbx"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_signatures_are_told() -> None:
    assert list(inspect.signature(Engine.advance).parameters) == ["self", "state", "token"]
    fill = inspect.signature(Engine.fill_mask).parameters
    assert list(fill) == ["self", "state", "out", "row"]
    assert fill["row"].default == 0
    assert "TokenError" in str(Engine.advance.__doc__)


def test_arrays_of_ctypes_are_written_to() -> None:
    """They tell no strides, which ended the process."""
    state = ENGINE.start()
    wanted = ENGINE.allowed_tokens(state)
    expected = np.zeros(WORDS, np.int32)
    wanted.fill(expected)
    words, rows_of_words = (ctypes.c_int32 * WORDS)(), ((ctypes.c_int32 * WORDS) * 2)()
    wanted.fill(words)
    assert list(words) == expected.tolist()
    fill_rows([state, state], rows_of_words)
    assert [list(row) for row in rows_of_words] == [expected.tolist()] * 2
    ENGINE.fill_masks([state], rows_of_words)
    scores, matrix = (ctypes.c_float * SIZE)(), ((ctypes.c_float * SIZE) * 1)()
    apply_mask(wanted, scores)
    apply_masks([state], matrix)
    free = [token in wanted for token in range(SIZE)]
    assert [score == 0 for score in scores] == free
    assert [score == 0 for score in matrix[0]] == free
    numbers = (ctypes.c_int32 * 1)(7)
    assert RowTable(4).place([(ENGINE, state)], numbers, SIZE) == [0]
    assert list(numbers) != [7]
