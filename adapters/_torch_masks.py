"""Masks on torch tensors: the native kernel where the scores are on the CPU, torch elsewhere.

On a device the packed words are copied over (a thirty-second of a boolean mask) and expanded there
with shifts, so that one small copy and three kernels mask a whole batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from formgate.core._native import Engine, State, apply_mask, apply_masks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["RowMasker"]

_NATIVE_TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


class RowMasker:
    """Sets the scores of forbidden tokens to minus infinity, in place.

    Keeps buffers between calls; one object serves one back end's calls, not several at once.
    """

    def __init__(self) -> None:
        self._words: Any = torch.empty(0, 0, dtype=torch.int32)
        self._shifts: dict[Any, Any] = {}

    def mask(self, scores: Any, items: Sequence[tuple[MaskEngine[Any], Any] | None]) -> None:
        """Mask each row by its engine's state; rows of None are left alone.

        Args:
            scores: Two-dimensional float tensor, at least as wide as the vocabulary; ids beyond the
                vocabulary are forbidden.
            items: Engine and state for each row.
        """
        scores = scores.detach()
        if scores.device.type != "cpu" or scores.dtype not in _NATIVE_TYPES:
            self._mask_on_device(scores, items)
            return
        # An engine that wraps a native one has its states, and may have other masks.
        states = [item[1] for item in items if item is not None and type(item[0]) is Engine]
        if len(states) == len(items) and all(type(state) is State for state in states):
            apply_masks(states, scores)
            return
        for row, item in enumerate(items):
            if item is not None:
                apply_mask(item[0].allowed_tokens(item[1]), scores, row)

    def _mask_on_device(
        self, scores: Any, items: Sequence[tuple[MaskEngine[Any], Any] | None]
    ) -> None:
        """Mask with torch alone."""
        rows, width = scores.shape
        word_count = (width + 31) // 32
        if self._words.shape != (rows, word_count):
            self._words = torch.empty(rows, word_count, dtype=torch.int32)
        view = self._words.numpy()
        for row, item in enumerate(items):
            if item is None:
                view[row] = -1
            else:
                words = item[0].allowed_tokens(item[1]).words
                view[row, : len(words)] = words.view(np.int32)
                view[row, len(words) :] = 0
        device = scores.device
        if device not in self._shifts:
            self._shifts[device] = torch.arange(32, dtype=torch.int32, device=device)
        words = self._words.to(device)
        bits = (words.unsqueeze(-1) >> self._shifts[device]) & 1
        forbidden = (bits == 0).view(rows, word_count * 32)[:, :width]
        scores.masked_fill_(forbidden, float("-inf"))
