"""A Triton kernel that masks scores by rows of a table of packed masks.

Scores are never read: each program tests the bits of a block of tokens, and stores minus infinity
where one is not set. So the traffic is the packed row (a sixteenth of a bfloat16 row) and what is
forbidden.
"""

from __future__ import annotations

import os
from typing import Any

import triton
import triton.language as tl

__all__ = ["INTERPRETED", "mask_rows"]

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
_BLOCK = 4096  # tokens of one program: 128 words


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _mask_rows(  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202, PLR0917
    scores,
    scores_stride,
    table,
    table_stride,
    rows,
    width,
    words,
    block: tl.constexpr,
):
    line = tl.program_id(0)
    row = tl.load(rows + line)
    if row >= 0:
        tokens = tl.program_id(1) * block + tl.arange(0, block)
        place = row.to(tl.int64) * table_stride + tokens // 32
        packed = tl.load(table + place, mask=tokens < words * 32, other=0)
        allowed = (packed >> (tokens % 32)) & 1
        target = scores + line.to(tl.int64) * scores_stride + tokens
        tl.store(target, float("-inf"), mask=(tokens < width) & (allowed == 0))


def mask_rows(scores: Any, table: Any, rows: Any) -> None:
    """Set the scores of forbidden tokens to minus infinity, in place.

    Args:
        scores: Float tensor of rows and tokens, on the device of the others; tokens side by side.
        table: Int32 tensor of packed masks; token t is bit t % 32 of word t // 32.
        rows: Int32 tensor, for each row of scores its row of the table, or -1 to leave it alone.
    """
    count, width = scores.shape
    if count == 0 or width == 0:
        return
    grid = (count, triton.cdiv(width, _BLOCK))
    _mask_rows[grid](
        scores, scores.stride(0), table, table.stride(0), rows, width, table.shape[1], block=_BLOCK
    )
