"""Packed masks that stay on a device, so that a step sends row numbers instead of masks.

States come again: inside a string, in the next request with the same schema. The packed words of a
state's mask are copied to the device once, into a table of rows; afterwards four bytes a sequence
say which row of the table masks it. A Triton kernel reads the table where Triton is installed, as
it is beside torch for CUDA and ROCm, and writes forbidden scores only; elsewhere torch operations
do the same.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from formgate.core._native import Engine, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["DEFAULT_BYTES", "DeviceRows", "kernel_for"]

DEFAULT_BYTES = 64 << 20
_FIRST_ROWS = 64


class DeviceRows:
    """A table of packed masks on one device, by state; those used last stay.

    Args:
        device: Where the table is.
        words: 32-bit words of a row.
        max_bytes: How large the table may grow; a batch's own rows always have room.
    """

    def __init__(self, device: torch.device, words: int, max_bytes: int = DEFAULT_BYTES) -> None:
        self.table: Any = torch.empty(0, words, dtype=torch.int32, device=device)
        self._most = max(max_bytes // (4 * words), 1)
        self._slots: dict[tuple[str, bytes], int] = {}  # oldest use first
        self._free: list[int] = []
        self._pinned = device.type == "cuda"
        self._bits: Any = 1 << torch.arange(8, dtype=torch.uint8, device=device)
        self.copied = 0  # rows sent since the beginning

    def place(self, items: Sequence[tuple[MaskEngine[Any], Any] | None]) -> Any:
        """Bring the masks of a batch into the table, and return their rows.

        Returns:
            Row numbers as an int32 tensor on the device, one an item; -1 for None.
        """
        rows = [-1] * len(items)
        first: dict[tuple[str, bytes], int] = {}  # the item that named it
        missing: list[tuple[int, tuple[str, bytes] | None]] = []
        again: list[tuple[int, int]] = []  # an item, and an earlier one with the same state
        for number, item in enumerate(items):
            if item is None:
                continue
            key = _key_of(*item)
            if key is not None and key in first:
                again.append((number, first[key]))
                continue
            slot = None
            if key is not None:
                first[key] = number
                slot = self._slots.pop(key, None)
            if key is None or slot is None:
                missing.append((number, key))
            else:  # now the one used last
                rows[number] = self._slots[key] = slot
        if missing:
            slots = self._take(len(missing), {row for row in rows if row >= 0})
            self._send([item for number, _ in missing if (item := items[number])], slots)
            for (number, key), slot in zip(missing, slots, strict=True):
                rows[number] = slot
                if key is None:
                    self._free.append(slot)  # of use for this batch alone
                else:
                    self._slots[key] = slot
        for number, same in again:
            rows[number] = rows[same]
        return self._to_device(torch.tensor(rows, dtype=torch.int32))

    def mask(self, scores: Any, rows: Any) -> None:
        """Set the scores of tokens that the rows forbid to minus infinity, in place.

        Args:
            scores: Two-dimensional float tensor on the device; columns beyond the words are
                forbidden.
            rows: As `place` returns them.
        """
        if len(self.table) == 0:
            return  # no row was ever placed
        kernel = kernel_for(scores)
        if kernel is not None:
            kernel(scores, self.table, rows)
            return
        words = self.table.index_select(0, rows.clamp(min=0))
        packed = words.view(torch.uint8).unsqueeze(-1)
        forbidden = ((packed & self._bits) == 0).flatten(1)[:, : scores.shape[1]]
        forbidden &= (rows >= 0).unsqueeze(-1)
        width = forbidden.shape[1]
        scores[:, :width].masked_fill_(forbidden, float("-inf"))
        if width < scores.shape[1]:
            scores[:, width:].masked_fill_((rows >= 0).unsqueeze(-1), float("-inf"))

    def _take(self, count: int, busy: set[int]) -> list[int]:
        """Return slots that are free, were never used, or have not been used for longest."""
        size = len(self.table)
        needed = count + len(busy)
        if len(self._free) < count and size < max(self._most, needed):
            grown = max(min(max(4 * size, _FIRST_ROWS), self._most), needed, size)
            table = self.table.new_empty(grown, self.table.shape[1])
            table[:size] = self.table
            self.table = table
            self._free.extend(range(grown - 1, size - 1, -1))
        lacking = count - len(self._free)
        if lacking > 0:
            idle = (key for key, slot in self._slots.items() if slot not in busy)
            for key in list(itertools.islice(idle, lacking)):
                self._free.append(self._slots.pop(key))
        return [self._free.pop() for _ in range(count)]

    def _send(self, items: Sequence[tuple[MaskEngine[Any], Any]], slots: Sequence[int]) -> None:
        """Copy the masks of items into slots."""
        width = self.table.shape[1]
        staged = torch.empty(len(slots), width, dtype=torch.int32, pin_memory=self._pinned)
        view = staged.numpy()
        for row, (engine, state) in enumerate(items):
            words = engine.allowed_tokens(state).words
            view[row, : len(words)] = words.view(np.int32)
            view[row, len(words) :] = 0
        self.copied += len(slots)
        places = self._to_device(torch.tensor(slots, dtype=torch.int64))
        # torch keeps pinned memory from being used again before the copy is done.
        self.table.index_copy_(0, places, staged.to(self.table.device, non_blocking=True))

    def _to_device(self, numbers: Any) -> Any:
        if self._pinned:
            numbers = numbers.pin_memory()
        return numbers.to(self.table.device, non_blocking=True)


def _key_of(engine: MaskEngine[Any], state: Any) -> tuple[str, bytes] | None:
    """Return what decides a mask, or None where an engine does not say it."""
    # An engine that wraps a native one has its states, and may have other masks.
    if type(engine) is Engine and type(state) is State:
        return engine.vocabulary.fingerprint, state.key
    return None


_kernel: Any = None
_tried = False


def kernel_for(scores: Any) -> Any:
    """Return the Triton kernel's launcher, or None where torch must do.

    Triton compiles for CUDA and ROCm devices; its interpreter, which `TRITON_INTERPRET=1` turns on
    for tests, takes tensors on the CPU as well.
    """
    global _kernel, _tried  # noqa: PLW0603 - imported once, when first needed
    if not _tried:
        _tried = True
        try:
            from formgate.adapters import _triton_kernel  # noqa: PLC0415 - heavy and optional
        except ImportError:
            _kernel = None
        else:
            _kernel = _triton_kernel
    if _kernel is None or scores.stride(1) != 1:
        return None
    if scores.device.type != "cuda" and not _kernel.INTERPRETED:
        return None
    return _kernel.mask_rows
