"""Masks on torch tensors: the native kernel where the scores are on the CPU, a table elsewhere.

On a device packed masks stay in a table, and a step names rows of it (`_device_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from formgate.adapters._device_rows import DeviceRows
from formgate.core._native import Engine, State, apply_mask, apply_masks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["RowMasker"]

_NATIVE_TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


class RowMasker:
    """Sets the scores of forbidden tokens to minus infinity, in place.

    Keeps tables between calls; one object serves one back end's calls, not several at once.
    """

    def __init__(self) -> None:
        self._tables: dict[tuple[torch.device, int], DeviceRows] = {}

    def mask(self, scores: Any, items: Sequence[tuple[MaskEngine[Any], Any] | None]) -> None:
        """Mask each row by its engine's state; rows of None are left alone.

        Args:
            scores: Two-dimensional float tensor, at least as wide as the vocabulary; ids beyond the
                vocabulary are forbidden.
            items: Engine and state for each row.

        Raises:
            ValueError: Items are not one for each row, or a row has fewer scores than a vocabulary
                has ids.
        """
        if len(items) != len(scores):
            raise ValueError(f"{len(scores)} rows of scores need one state each, not {len(items)}")
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
        """Mask by rows of a table on the device."""
        width = scores.shape[1]
        key = scores.device, (width + 31) // 32
        tables = self._tables
        if key not in tables:
            tables[key] = DeviceRows(*key)
        tables[key].mask(scores, tables[key].place(items, width))
