"""Whether masks of JSON Schemas hold only what can go on as JSON, by a judge that is no engine.

Engines differ in the white space, the escapes and the order of members that they allow, so masks of
schemas are not compared with each other. Whatever the schema and the policy, though, text so far
and an allowed token begin a JSON text, and an end is allowed only after a whole one. A sample is
judged: a few states of each output, spread over it, and of each a few allowed tokens, long ones
rather than short ones. The sample depends on the output alone, so that all engines have the same.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.json_text import START, is_whole, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.json_text import State
    from benchmarks.measure import Replayer

STATES = 8
TOKENS = 32


class JsonOracle:
    """The judge over one vocabulary; `tokens[i]` is None where id i has no text."""

    def __init__(self, tokens: Sequence[bytes | None], stop_ids: Sequence[int]) -> None:
        self._tokens = tokens
        self._stop_ids = list(stop_ids)
        self._weights = np.array([len(token or b"") ** 2 for token in tokens], np.int32)
        stops = set(stop_ids)
        textless = [i for i, token in enumerate(tokens) if token is None and i not in stops]
        self._textless = np.array(textless, np.int32)

    def judge(
        self, replayer: Replayer, compiled: Any, tokens: Sequence[int], seed: str
    ) -> tuple[int, int]:
        """Return how many masks along an output are contradicted, and how many were looked at."""
        source = random.Random(seed)
        contradicted = seen = at = 0
        state: State | None = START
        for position, words in replayer.masks(compiled, tokens, positions(len(tokens), source)):
            text = b"".join(self._tokens[token] or b"" for token in tokens[at:position])
            state, at = read(text, state), position
            if state is None:
                raise ValueError("an output that is no JSON cannot be judged as such")
            seen += 1
            contradicted += not self._holds(words, state, source)
        return contradicted, seen

    def _holds(self, words: np.ndarray[Any, Any], state: State, source: random.Random) -> bool:
        bits = np.unpackbits(words.view(np.uint8), bitorder="little", count=len(self._tokens))
        if bits[self._textless].any():
            return False
        if bits[self._stop_ids].any() and not is_whole(state):
            return False
        sums = np.cumsum(bits * self._weights)
        drawn = [source.randrange(int(sums[-1])) for _ in range(TOKENS)] if sums[-1] else []
        chosen = {int(i) for i in np.searchsorted(sums, drawn, side="right")}
        return all(read(self._tokens[i] or b"", state) is not None for i in chosen)


def positions(length: int, source: random.Random) -> list[int]:
    """Return which states of an output of so many tokens to look at, in order: first and last, too.

    One is drawn from each of the equal parts in between.
    """
    if length < STATES:
        return list(range(length + 1))
    parts = STATES - 2
    cuts = [1 + (length - 1) * part // parts for part in range(parts + 1)]
    return [0, *(source.randrange(a, b) for a, b in pairwise(cuts)), length]
