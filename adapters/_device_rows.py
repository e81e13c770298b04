"""Packed masks that stay on a device, so that a step sends row numbers instead of masks.

States come again: inside a string, in the next request with the same schema. The packed words of a
state's mask are copied to the device once, into a table of rows; afterwards four bytes a sequence
say which row of the table masks it, and nothing where they are those of the step before. A Triton
kernel reads the table where Triton is installed, as it is beside torch for CUDA and ROCm, and
writes forbidden scores only; elsewhere torch operations do the same.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from formgate.core._native import Engine, RowTable, State, fill_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = ["DEFAULT_BYTES", "DeviceRows", "kernel_for"]

DEFAULT_BYTES = 64 << 20
_MOST_ROWS = 2**31 - 1
_MOST_RUNS = 4  # of neighbouring rows; a scatter by index costs as much as so many copies


class DeviceRows:
    """A table of packed masks on one device, by state; those used last stay.

    Everything is done on the device's current stream, which must stay the same: nothing waits for
    what another one does.

    Args:
        device: Where the table is.
        words: 32-bit words of a row.
        max_bytes: How large the table may grow; it grows further where a batch needs more rows.
    """

    def __init__(self, device: torch.device, words: int, max_bytes: int = DEFAULT_BYTES) -> None:
        self.table: Any = _table(0, words, device)
        self._slots = RowTable(min(max(max_bytes // max(4 * words, 1), 1), _MOST_ROWS))
        self._pinned = device.type == "cuda"
        self._bits: Any = 1 << torch.arange(8, dtype=torch.uint8, device=device)
        self._sent: tuple[bytes, Any] = (b"", None)  # the row numbers of the last step
        self.copied = 0  # rows sent since the beginning

    def place(
        self, items: Sequence[tuple[MaskEngine[Any], Any] | None], width: int | None = None
    ) -> Any:
        """Bring the masks of a batch into the table, and return their rows.

        Args:
            items: Engine and state for each row of scores, or None.
            width: How many scores a row has; 32 a word where it is left out.

        Returns:
            Row numbers as an int32 tensor on the device, one an item; -1 for None. It is only to be
            read, and may be given again. For one item it is the number itself.

        Raises:
            ValueError: A vocabulary has more ids than a row has scores.
        """
        if width is None:
            width = 32 * self.table.shape[1]
        rows = np.empty(len(items), np.int32)
        fresh = self._slots.place(items, rows, width)
        if fresh:
            self._send([item for number in fresh if (item := items[number])], rows[fresh], width)
            self._slots.commit()
        if len(rows) == 1:
            return int(rows[0])
        numbers = rows.tobytes()
        if numbers != self._sent[0] or self._sent[1] is None:
            self._sent = numbers, self._to_device(rows)
        return self._sent[1]

    def mask(self, scores: Any, rows: Any) -> None:
        """Set the scores of tokens that the rows forbid to minus infinity, in place.

        Args:
            scores: Two-dimensional float tensor on the device; columns beyond the words are
                forbidden.
            rows: As `place` returns them, one for each row of scores.

        Raises:
            ValueError: There are more or fewer rows than rows of scores.
        """
        count = 1 if isinstance(rows, int) else len(rows)
        if count != len(scores):
            raise ValueError(f"{len(scores)} rows of scores need one mask each, not {count}")
        if len(self.table) == 0:
            return  # no row was ever placed
        kernel = kernel_for(scores)
        if kernel is not None:
            kernel(scores, self.table, rows)
            return
        if isinstance(rows, int):
            rows = torch.tensor([rows], dtype=torch.int32, device=self.table.device)
        words = self.table.index_select(0, rows.clamp(min=0))
        packed = words.view(torch.uint8).unsqueeze(-1)
        forbidden = ((packed & self._bits) == 0).flatten(1)[:, : scores.shape[1]]
        forbidden &= (rows >= 0).unsqueeze(-1)
        width = forbidden.shape[1]
        scores[:, :width].masked_fill_(forbidden, float("-inf"))
        if width < scores.shape[1]:
            scores[:, width:].masked_fill_((rows >= 0).unsqueeze(-1), float("-inf"))

    def _send(
        self, items: Sequence[tuple[MaskEngine[Any], Any]], rows: NDArray[np.int32], width: int
    ) -> None:
        """Copy the masks of items into these rows."""
        size, words = self.table.shape
        if size < self._slots.size:
            table = _table(self._slots.size, words, self.table.device)
            table[:size] = self.table
            self.table = table
        staged = torch.empty(len(items), words, dtype=torch.int32, pin_memory=self._pinned)
        _fill(items, staged.numpy(), width)
        self.copied += len(items)
        # torch keeps pinned memory from being used again before its copy is done.
        breaks = [i + 1 for i, (a, b) in enumerate(pairwise(rows.tolist())) if b != a + 1]
        if len(breaks) < _MOST_RUNS:
            for begin, end in pairwise([0, *breaks, len(items)]):
                first = int(rows[begin])
                place = self.table[first : first + end - begin]
                place.copy_(staged[begin:end], non_blocking=True)
        else:
            places = self._to_device(rows.astype(np.int64))
            self.table.index_copy_(0, places, staged.to(self.table.device, non_blocking=True))

    def _to_device(self, numbers: NDArray[Any]) -> Any:
        # From memory that is not pinned, a copy would wait for all that the device has to do.
        staged = torch.empty(
            len(numbers), dtype=torch.from_numpy(numbers).dtype, pin_memory=self._pinned
        )
        staged.numpy()[:] = numbers
        return staged.to(self.table.device, non_blocking=True)


def _table(rows: int, words: int, device: torch.device) -> Any:
    # One that is made in inference mode could not be written to outside of it.
    with torch.inference_mode(mode=False):
        return torch.empty(rows, words, dtype=torch.int32, device=device)


def _fill(items: Sequence[tuple[MaskEngine[Any], Any]], out: NDArray[np.int32], width: int) -> None:
    """Write the packed masks of items into rows."""
    # An engine that wraps a native one has its states, and may have other masks.
    if all(type(engine) is Engine and type(state) is State for engine, state in items):
        fill_rows([state for _, state in items], out)
        return
    for row, (engine, state) in enumerate(items):
        mask = engine.allowed_tokens(state)
        if mask.size > width:
            raise ValueError(
                f"scores have {width} entries a row but the vocabulary has {mask.size} ids; build "
                "the vocabulary with the model's own size"
            )
        words = mask.words
        out[row, : len(words)] = words.view(np.int32)
        out[row, len(words) :] = 0


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
