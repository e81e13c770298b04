"""Masks of batches from a table of rows, against the masks of each state.

With ``TRITON_INTERPRET=1`` and Triton at hand (``make test-kernels``) everything here goes through
the kernel, on the CPU; otherwise through torch operations. Where there is a GPU, both the CPU and
the GPU are tried.
"""

from __future__ import annotations

import ast
import importlib.util
import os
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import formgate

torch = pytest.importorskip("torch")

from formgate.adapters import _device_rows as device_rows  # noqa: E402
from formgate.adapters import _torch_masks  # noqa: E402
from formgate.adapters._device_rows import DeviceRows, kernel_for  # noqa: E402
from formgate.adapters._torch_masks import RowMasker  # noqa: E402
from formgate.core._native import RowTable, State, fill_rows  # noqa: E402

SIZE = 261
VOCABULARY = formgate.Vocabulary(
    [*(bytes([i]) for i in range(256)), b"ab", b"ba", b"abc", b"  ", None], stop_ids=[260]
)
OTHER = formgate.Vocabulary([*(bytes([255 - i]) for i in range(256)), None], stop_ids=[256])
ENGINES = [
    formgate.compile(pattern, vocabulary, format="regex")
    for pattern in ("[a-c]{0,9} x", "(ab|ba)*c?", ".*")
    for vocabulary in (VOCABULARY, OTHER)
]
DEVICES = [torch.device("cpu")] + [torch.device("cuda")] * torch.cuda.is_available()


class Inverted:
    """An engine that wraps another, with masks of its own for the same states."""

    def __init__(self, engine: formgate.Engine) -> None:
        self._engine = engine

    def allowed_tokens(self, state: Any) -> Any:
        size = len(self._engine.vocabulary)
        everything = formgate.core._native.TokenMask.from_ids(size, range(size))
        return everything - self._engine.allowed_tokens(state)


def states_of(engine: formgate.Engine) -> list[Any]:
    """Return some states of different futures."""
    pending = [engine.start()]
    found = {pending[0].key: pending[0]}
    while pending and len(found) < 12:
        here = pending.pop(0)
        for token in engine.allowed_tokens(here).to_list()[:6]:
            if token not in engine.vocabulary.stop_ids:
                after = engine.advance(here, token)
                if found.setdefault(after.key, after) is after:
                    pending.append(after)
    return list(found.values())


ITEMS: list[Any] = [None] + [
    (owner, state)
    for engine in ENGINES
    for owner in (engine, Inverted(engine))
    for state in states_of(engine)
]


def check(table: DeviceRows, items: list[Any], width: int, dtype: Any) -> None:
    scores = torch.ones(len(items), width, dtype=dtype, device=table.table.device)
    table.mask(scores, table.place(items))
    scores = scores.cpu()
    for row, item in enumerate(items):
        kept = (scores[row] == 1).nonzero().flatten().tolist()
        forbidden = (scores[row] == float("-inf")).nonzero().flatten().tolist()
        right = range(width) if item is None else item[0].allowed_tokens(item[1]).to_list()
        assert kept == list(right)
        assert sorted([*kept, *forbidden]) == list(range(width))


@hypothesis.settings(deadline=None, max_examples=60)
@hypothesis.given(
    st.lists(st.lists(st.integers(0, len(ITEMS) - 1), max_size=9), min_size=1, max_size=12),
    st.sampled_from([0, 3, 8, 70]),
    st.sampled_from([SIZE, 264, 288, 300, 5000]),
    st.sampled_from([torch.float32, torch.float16, torch.bfloat16]),
    st.sampled_from(DEVICES),
)
def test_batches(batches: list[list[int]], most: int, width: int, dtype: Any, device: Any) -> None:
    words = (SIZE + 31) // 32
    table = DeviceRows(device, words, max_bytes=most * words * 4)
    for numbers in batches:
        check(table, [ITEMS[number] for number in numbers], width, dtype)
        assert len(table.table) <= max(most, 1, 9)


@pytest.mark.parametrize("device", DEVICES)
def test_a_state_is_sent_once(device: Any) -> None:
    table = DeviceRows(device, 9)
    engine = ENGINES[0]
    first, second = states_of(engine)[:2]
    for _ in range(3):
        check(
            table, [(engine, first), None, (engine, second), (engine, first)], SIZE, torch.float32
        )
    assert table.copied == 2
    check(table, [(ENGINES[1], ENGINES[1].start())], 257, torch.float32)
    check(table, [(Inverted(engine), first)] * 2, SIZE, torch.float32)
    assert table.copied == 5  # another vocabulary; an engine that does not say what decides a mask
    check(table, [(engine, first)], SIZE, torch.float32)
    assert table.copied == 5


@pytest.mark.parametrize("device", DEVICES)
def test_what_was_used_last_stays(device: Any) -> None:
    table = DeviceRows(device, 9, max_bytes=3 * 36)
    engine = ENGINES[0]
    a, b, c, d = ([(engine, state)] for state in states_of(engine)[:4])
    for items in (a, b, c, a, d):  # b goes
        check(table, items, SIZE, torch.float32)
    assert table.copied == 4
    for items in (a, c, d):
        check(table, items, SIZE, torch.float32)
    assert table.copied == 4
    check(table, b, SIZE, torch.float32)
    assert table.copied == 5


class Failing:
    """An engine whose masks cannot be made."""

    def allowed_tokens(self, state: Any) -> Any:
        raise formgate.FormgateError("no mask")


def test_a_mask_that_could_not_be_made_is_made_again() -> None:
    table = DeviceRows(DEVICES[0], 9)
    engine = ENGINES[0]
    first, second = ((engine, state) for state in states_of(engine)[:2])
    check(table, [first], SIZE, torch.float32)
    with pytest.raises(formgate.FormgateError, match="no mask"):
        table.place([second, (Failing(), None)])
    check(table, [first, second], SIZE, torch.float32)
    assert table.copied == 2


def test_rows_that_do_not_fit() -> None:
    engine = ENGINES[0]
    item = (engine, engine.start())
    for count in (0, 2):
        with pytest.raises(ValueError, match="one row number for each item"):
            RowTable(3).place([item], np.zeros(count, np.int32), SIZE)
    with pytest.raises(ValueError, match="one row for each state"):
        fill_rows([engine.start()], np.zeros((2, 9), np.int32))
    with pytest.raises(ValueError, match="fewer words"):
        fill_rows([engine.start()], np.zeros((1, 8), np.int32))
    for wrong in (np.zeros(2, np.int64), np.zeros(3, np.int32)[::2], np.zeros((2, 1), np.int32)):
        with pytest.raises(TypeError):
            RowTable(3).place([item, item], wrong, SIZE)
    for wrong in (np.zeros((1, 9), np.uint32), np.zeros((1, 18), np.int32)[:, ::2]):
        with pytest.raises(TypeError):
            fill_rows([engine.start()], wrong)


def test_items_that_are_none() -> None:
    engine = ENGINES[0]
    rows = np.zeros(2, np.int32)
    items: Any
    for items in ([None, (engine,)], [None, engine], [None, [engine, engine.start()]]):
        with pytest.raises(TypeError, match="item 1 must be None or a pair"):
            RowTable(3).place(items, rows, SIZE)
    unmade = State.__new__(State)
    with pytest.raises(TypeError, match="item 1 has a state that was never made"):
        RowTable(3).place([None, (engine, unmade)], rows, SIZE)


def test_scores_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ENGINES[0]
    item = (engine, engine.start())
    with pytest.raises(ValueError, match="item 1 has 261 ids"):
        DeviceRows(DEVICES[0], 9).place([None, item], 257)
    with pytest.raises(ValueError, match="the vocabulary has 261 ids"):
        DeviceRows(DEVICES[0], 9).place([(Inverted(engine), engine.start())], 257)
    table = DeviceRows(DEVICES[0], 9)
    for items in ([item], [item, item]):
        with pytest.raises(ValueError, match="3 rows of scores need one mask each"):
            table.mask(torch.ones(3, SIZE), table.place(items))
    for types in (_torch_masks._NATIVE_TYPES, ()):
        monkeypatch.setattr(_torch_masks, "_NATIVE_TYPES", types)
        with pytest.raises(ValueError, match="2 rows of scores need one state each, not 1"):
            RowMasker().mask(torch.ones(2, SIZE), [item])
        with pytest.raises(ValueError, match="261"):
            RowMasker().mask(torch.ones(1, 0), [item])


@pytest.mark.parametrize("engine", [ENGINES[1], Inverted(ENGINES[1])])
def test_a_smaller_vocabulary_forbids_the_rest(engine: Any) -> None:
    """Rows that held larger masks hold nothing of them afterwards."""
    large = ENGINES[2 * 2]  # allows all
    table = DeviceRows(DEVICES[0], 20, max_bytes=80)
    for one in (Inverted(large), engine, large, engine):
        state = ENGINES[1].start() if one is engine else large.start()
        check(table, [(one, state)], 640, torch.float32)


@pytest.mark.parametrize("device", DEVICES)
def test_inference_mode_may_end(device: Any) -> None:
    engine = ENGINES[0]
    first, second, third = ((engine, state) for state in states_of(engine)[:3])
    with torch.inference_mode():
        table = DeviceRows(device, 9, max_bytes=2 * 36)
        check(table, [first], SIZE, torch.float32)
    check(table, [second, first], SIZE, torch.float32)
    with torch.inference_mode():
        check(table, [third, second], SIZE, torch.float32)


@pytest.mark.parametrize("device", DEVICES)
def test_scores_whose_tokens_are_not_side_by_side(device: Any) -> None:
    engine = ENGINES[0]
    table = DeviceRows(device, 9)
    scores = torch.ones(SIZE, 2, device=device).T
    table.mask(scores, table.place([(engine, engine.start()), None]))
    kept = (scores[0] == 1).nonzero().flatten().tolist()
    assert kept == engine.allowed_tokens(engine.start()).to_list()
    assert bool((scores[1] == 1).all())


def test_scores_that_the_native_kernel_does_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair of device and width has a table."""
    monkeypatch.setattr(_torch_masks, "_NATIVE_TYPES", ())
    masker = RowMasker()
    engine = ENGINES[0]
    for width in (SIZE, 300, SIZE):
        scores = torch.ones(1, width, dtype=torch.float32)
        masker.mask(scores, [(engine, engine.start())])
        kept = (scores[0] == 1).nonzero().flatten().tolist()
        assert kept == engine.allowed_tokens(engine.start()).to_list()


@pytest.mark.skipif(
    importlib.util.find_spec("triton") is None
    or (os.environ.get("TRITON_INTERPRET") != "1" and not torch.cuda.is_available()),
    reason="make test-kernels runs this with Triton's interpreter",
)
def test_the_kernel_is_what_ran() -> None:
    device = DEVICES[-1]
    assert kernel_for(torch.ones(1, 32, device=device)) is not None
    assert kernel_for(torch.ones(2, 32, device=device).T) is None


def test_the_kernel_has_no_annotations() -> None:
    """Triton evaluates those of parameters, which its interpreter does not."""
    source = Path(device_rows.__file__).with_name("_triton_kernel.py").read_text(encoding="utf-8")
    kernels = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and "triton.jit" in map(ast.unparse, (getattr(d, "func", d) for d in node.decorator_list))
    ]
    assert kernels
    for kernel in kernels:
        assert [each.arg for each in kernel.args.args if each.annotation] == []
