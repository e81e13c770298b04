"""How each engine masks scores on a device, in the way that its package means it to be done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from benchmarks.engines.base import Adapter, BatchSession

FILL_THREADS = 8  # of engines that fill the rows of a batch with threads


def kernel_of(engine: str) -> Callable[[Any, Any], Any]:
    """Return what masks scores by packed rows that are on the device already."""
    if engine == "xgrammar":
        import xgrammar  # type: ignore[import-not-found,unused-ignore]

        return xgrammar.apply_token_bitmask_inplace  # type: ignore[no-any-return,unused-ignore]
    if engine == "llguidance-complete":
        from llguidance.torch import (  # type: ignore[import-not-found,unused-ignore]
            apply_token_bitmask_inplace,
        )

        return apply_token_bitmask_inplace  # type: ignore[no-any-return,unused-ignore]
    if engine == "torch":
        return _by_torch
    from formgate.adapters._device_rows import DeviceRows

    tables: dict[int, tuple[DeviceRows, Any]] = {}

    def mask(scores: Any, words: Any) -> None:
        if id(words) not in tables:
            table = DeviceRows(scores.device, words.shape[1])
            table.table = words
            count = torch.arange(len(words), dtype=torch.int32, device=scores.device)
            tables[id(words)] = table, 0 if len(words) == 1 else count
        table, rows = tables[id(words)]
        table.mask(scores, rows)

    return mask


def _by_torch(scores: Any, words: Any) -> None:
    """Mask by torch operations, as a user without a kernel would."""
    shifts = torch.arange(32, dtype=torch.int32, device=scores.device)
    allowed = ((words.unsqueeze(-1) >> shifts) & 1).flatten(1)[:, : scores.shape[1]].bool()
    scores.masked_fill_(~allowed, float("-inf"))


def sessions_of_ours(compiled: Sequence[tuple[Any, int]]) -> Callable[[], Ours]:
    """Return what begins sessions that share one table, as those of a server do."""
    from formgate.adapters._torch_masks import RowMasker

    return partial(Ours, compiled, RowMasker())


class Ours:
    """States of engines, masked by the table that stays on the device."""

    def __init__(self, compiled: Sequence[tuple[Any, int]], masker: Any) -> None:
        self._masker = masker
        self._items = [(each, each.start()) for each, count in compiled for _ in range(count)]

    def mask(self, scores: Any) -> None:
        """Mask each row by its state."""
        self._masker.mask(scores, self._items)

    def advance(self, tokens: Sequence[int]) -> None:
        """Commit a token to each."""
        self._items = [
            (engine, engine.advance(state, token))
            for (engine, state), token in zip(self._items, tokens, strict=True)
        ]

    def feed(self, row: int, tokens: Sequence[int]) -> None:
        """Commit several to one."""
        engine, state = self._items[row]
        self._items[row] = engine, engine.advance_many(state, tokens)


class Copied:
    """Rows filled in pinned memory, sent to the device, and applied by the package's kernel."""

    def __init__(
        self, adapter: Adapter, engine: str, compiled: Sequence[tuple[Any, int]], size: int,
        device: Any,
    ) -> None:  # fmt: skip
        count = sum(number for _, number in compiled)
        self._device = device
        self._rows = torch.zeros(
            count, -(-size // 32), dtype=torch.int32, pin_memory=device.type == "cuda"
        )
        rows: np.ndarray[Any, Any] = self._rows.numpy()
        self._session: BatchSession = adapter.start_batch(compiled, rows, FILL_THREADS)
        self._apply = kernel_of(engine)
        self.advance = self._session.advance
        self.feed = self._session.feed

    def mask(self, scores: Any) -> None:
        """Fill the rows, send them, and mask."""
        self._session.fill()
        self._apply(scores, self._rows.to(self._device, non_blocking=True))
