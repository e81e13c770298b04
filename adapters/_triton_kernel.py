"""A Triton kernel that masks scores by rows of a table of packed masks.

Scores are never read: each program tests the bits of a block of tokens, and stores minus infinity
where one is not set. So the traffic is the packed row (a sixteenth of a bfloat16 row) and what is
forbidden.

What a mask forbids is known only at run time, so a store that a thread makes of several neighbours
would be taken apart into one for each, in steps that leave gaps between the threads. Lanes that
stand side by side write whole stretches instead; so the compiler is not told that tokens are
neighbours: their distance is an argument.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import triton
import triton.language as tl

__all__ = ["INTERPRETED", "mask_rows"]

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
_BLOCK = 2048  # tokens of one program
_TOKENS = tl.constexpr(_BLOCK)
_ARGUMENTS = ("scores", "score", "line", "table", "row_words", "rows", "only", "width", "words")


# Triton evaluates annotations of parameters: there are none. One binary does for all arguments.
@triton.jit(do_not_specialize=_ARGUMENTS, do_not_specialize_on_alignment=_ARGUMENTS)  # type: ignore[untyped-decorator, unused-ignore]
def _mask_rows(scores, score, line, table, row_words, rows, only, width, words):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202, PLR0917
    number = tl.program_id(0)
    row = only
    if row < 0:
        row = tl.load(rows + number)
    if row >= 0:
        tokens = tl.program_id(1) * _TOKENS + tl.arange(0, _TOKENS)
        place = row.to(tl.int64) * row_words + tokens // 32
        packed = tl.load(table + place, mask=tokens < words * 32, other=0)
        allowed = (packed >> (tokens % 32)) & 1
        target = scores + number.to(tl.int64) * line + tokens * score
        tl.store(target, float("-inf"), mask=(tokens < width) & (allowed == 0))


_LARGE = 2**31
_compiled: dict[tuple[Any, Any, bool], Any] = {}


def mask_rows(scores: Any, table: Any, rows: Any) -> None:
    """Set the scores of forbidden tokens to minus infinity, in place.

    Args:
        scores: Float tensor of rows and tokens, on the device of the others.
        table: Int32 tensor of packed masks; token t is bit t % 32 of word t // 32.
        rows: Int32 tensor, for each row of scores its row of the table, or -1 to leave it alone; a
            number where there is one row of scores: it travels with the launch, without a copy.
    """
    count, width = scores.shape
    if count == 0 or width == 0 or (isinstance(rows, int) and rows < 0):
        return
    device = scores.device
    if device.type == "cuda" and device.index != torch.cuda.current_device():
        with torch.cuda.device(device):  # Triton launches on the current one
            _launch(scores, table, rows)
    else:
        _launch(scores, table, rows)


def _launch(scores: Any, table: Any, rows: Any) -> None:
    count, width = scores.shape
    line, score = scores.stride()
    row_words, words = table.stride(0), table.shape[1]
    only = rows if isinstance(rows, int) else -1
    if only >= 0:
        rows = table  # not read
    key = scores.dtype, scores.device, line >= _LARGE  # Triton makes another for larger integers
    kernel = _compiled.get(key)
    # The binary itself is launched in half the time that its function needs to find it.
    launch = _mask_rows if kernel is None else kernel
    made = launch[(count, -(-width // _BLOCK), 1)](
        scores, score, line, table, row_words, rows, only, width, words
    )
    if kernel is None and made is not None:  # the interpreter makes none
        _compiled[key] = made
