"""Rows of scores: bring them to numpy, cut them to a mask, choose.

Greedy decoding first asks whether the model's own favourite is allowed, which needs one pass over
the row. Otherwise the scores of the allowed tokens are gathered, at some 2 ns each; only where the
highest of very many is wanted, it is cheaper to copy the row and to write minus infinity over the
rest with the native kernel, at some 0.3 ns per id of the vocabulary.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from formgate.core._native import TokenMask, apply_mask
from formgate.core.decoding.errors import DecodingError
from formgate.core.decoding.samplers import argmax

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Asked", "Choice", "Chooser", "as_row", "confirmed", "only_token"]

_CHOICES = 16  # made among candidates, before the whole mask is asked for
_GATHER_SHARE = 16  # greedy: gather when at most one id in this many is allowed


class Choice(NamedTuple):
    """A chosen token and, where asked for, its log-probability without and with the mask."""

    token: int
    logprob: float | None
    masked_logprob: float | None


class Asked(NamedTuple):
    """An engine that knows candidates, and the state to ask about."""

    engine: Any
    state: Any


class Chooser:
    """Chooses tokens of one decode; holds scratch memory for one row."""

    __slots__ = ("_choose", "_logprobs", "_scratch")

    def __init__(self, choose: Callable[[NDArray[np.float32]], int], *, logprobs: bool) -> None:
        self._choose = choose
        self._logprobs = logprobs
        self._scratch: NDArray[np.float32] = np.empty(0, np.float32)

    def pick(self, row: NDArray[np.float32], mask: TokenMask, count: int) -> Choice:
        """Choose one of the ``count`` > 0 tokens that a mask allows.

        Raises:
            DecodingError: The row is shorter than the mask, or its allowed entries are unusable.
        """
        size = mask.size
        if len(row) < size:
            raise DecodingError(
                f"the model scores {len(row)} token ids, the engine's vocabulary has {size}: "
                "build the vocabulary for this model, with size= the number of its scores"
            )
        is_greedy = self._choose is argmax
        if is_greedy and not self._logprobs:
            index = argmax(row)
            if index in mask and math.isfinite(row[index]):
                return Choice(index, None, None)
        ids = None
        if count == 1:
            # No sampler is asked, so that a forced token draws no random number.
            ids = mask.ids()
            values, index = row[ids], 0
        else:
            if count == len(row):
                values = row
            elif is_greedy and count * _GATHER_SHARE > size:
                values = self._masked(row, mask)
            else:
                ids = mask.ids()
                values = row[ids]
            index = self._choose(values)
        if not 0 <= index < len(values):
            _refuse(row, mask)
        token = index if ids is None else int(ids[index])
        score = float(row[token])
        if not math.isfinite(score) or token not in mask:
            _refuse(row, mask)
        if not self._logprobs:
            return Choice(token, None, None)
        return Choice(token, score - _log_sum_exp(row), score - _log_sum_exp(values))

    def _masked(self, row: NDArray[np.float32], mask: TokenMask) -> NDArray[np.float32]:
        """Return a row, in scratch memory, with minus infinity where a mask forbids."""
        if len(self._scratch) != len(row):
            self._scratch = np.empty(len(row), np.float32)
        np.copyto(self._scratch, row)
        apply_mask(mask, self._scratch)
        return self._scratch


def as_row(scores: Any) -> NDArray[np.float32]:
    """Return scores as a float32 row, without a copy where they are one.

    Takes numpy arrays, torch tensors of any device and float type, and sequences of numbers.

    Raises:
        DecodingError: They are no row of numbers.
    """
    if hasattr(scores, "detach"):  # a torch tensor: numpy cannot read every type and device
        scores = scores.detach().float().cpu().numpy()
    try:
        row = np.asarray(scores, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise DecodingError(f"the model's scores are no row of numbers: {error}") from error
    if row.ndim != 1:
        raise DecodingError(
            f"the model's scores have the shape {row.shape}, not (vocabulary,): one row is needed"
        )
    return row


def confirmed(
    chooser: Chooser, choice: Choice, row: NDArray[np.float32], mask: TokenMask, at: Asked
) -> Choice:
    """Return a choice among candidates that is allowed, chosen again until it is.

    Where that takes long, the last choice is made from the whole mask.

    Args:
        chooser: Made the choice.
        choice: One of the candidates.
        row: The scores.
        mask: The candidates.
        at: The engine, and its state.
    """
    for _ in range(_CHOICES):
        if at.engine.is_allowed(at.state, choice.token):
            return choice
        mask = mask - TokenMask.from_ids(mask.size, [choice.token])
        if not mask:
            break
        choice = chooser.pick(row, mask, len(mask))
    mask = at.engine.allowed_tokens(at.state)
    return chooser.pick(row, mask, len(mask))


def only_token(mask: TokenMask) -> int:
    """Return the token of a mask that allows exactly one."""
    return int(mask.ids()[0])


def _log_sum_exp(row: NDArray[np.float32]) -> float:
    """Return log(sum(exp(row))), exact to float32 for any range of scores."""
    top = float(row.max())
    return top + math.log(float(np.exp(row - np.float32(top)).sum(dtype=np.float64)))


def _refuse(row: NDArray[np.float32], mask: TokenMask) -> None:
    """Say what is wrong with the allowed scores of a row.

    Raises:
        DecodingError: Always.
    """
    values = row[mask.ids()]
    wrong = int(np.isnan(values).sum())
    if wrong:
        raise DecodingError(
            f"the model gives NaN to {wrong} of the {len(values)} allowed tokens; in half "
            "precision, try float32 or bfloat16"
        )
    if np.isposinf(values).any():
        raise DecodingError("the model gives an infinite score to an allowed token")
    if np.isneginf(values).all():
        raise DecodingError(
            f"all {len(values)} allowed tokens have a score of minus infinity: something before "
            "the mask forbids what the constraint needs"
        )
    raise DecodingError(
        f"the sampler chose a token that is forbidden ({len(values)} tokens are allowed)"
    )
