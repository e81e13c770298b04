"""Scores masked in place on the CPU, against numpy: kinds of numbers, distances, lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core._native import TokenMask, apply_mask, apply_masks

TYPES = [np.float16, np.float32, np.float64]


@st.composite
def masks(draw: Any) -> tuple[int, list[int]]:
    """Sizes around words and stretches; ids that are few, many, or all but a few."""
    size = draw(st.one_of(st.integers(0, 200), st.integers(900, 1200)))
    stretch = draw(st.tuples(st.integers(0, size), st.integers(0, size)))
    ids = set(range(*sorted(stretch)))
    if size:
        ids ^= set(draw(st.lists(st.integers(0, size - 1), max_size=20)))
    return size, sorted(ids)


@settings(deadline=None, max_examples=300)
@given(
    masks(),
    st.sampled_from(TYPES),
    st.integers(0, 70),
    st.integers(1, 3),
    st.booleans(),
)
def test_forbidden_scores_alone_change(
    mask: tuple[int, list[int]], dtype: Any, more: int, step: int, backwards: bool
) -> None:
    size, ids = mask
    width = size + more
    if width == 0:
        return
    memory = np.arange(2 * width * step, dtype=np.int64).astype(dtype).reshape(2, -1)
    scores = memory[:, ::step][:, :: -1 if backwards else 1]
    wanted = memory.copy()
    forbidden = np.ones(width, bool)
    forbidden[ids] = False
    wanted[:, ::step][:, :: -1 if backwards else 1][1, forbidden] = -np.inf
    apply_mask(TokenMask.from_ids(size, ids), scores, 1)
    assert np.array_equal(memory, wanted)


def test_bfloat16() -> None:
    torch = pytest.importorskip("torch")
    ids = [0, 31, 64, 99]
    scores = torch.ones(2, 3000, dtype=torch.bfloat16)
    apply_mask(TokenMask.from_ids(2990, ids), scores, 1)
    assert bool((scores[0] == 1).all())
    assert (scores[1] == 1).nonzero().flatten().tolist() == ids
    assert int((scores[1] == float("-inf")).sum()) == 3000 - len(ids)


def test_nothing_is_masked_where_a_row_is_too_narrow() -> None:
    engines = [
        formgate.compile("a", formgate.Vocabulary([b"a", *more, None], stop_ids=[len(more) + 1]))
        for more in ([], [b"b"])
    ]
    scores = np.zeros((2, 2), np.float32)
    with pytest.raises(ValueError, match="the vocabulary has 3 ids"):
        apply_masks([engine.start() for engine in engines], scores)
    assert not scores.any()
