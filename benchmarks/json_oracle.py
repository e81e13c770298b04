"""Whether masks of JSON Schemas hold only what can go on as JSON, by a judge that is no engine.

Engines differ in the white space, the escapes and the order of members that they allow, so masks of
schemas are not compared with each other. Whatever the schema and the policy, though, text so far
and an allowed token begin a JSON text, and an end is allowed only after a whole one. A sample is
judged: a few states of each output, spread over it, and of each a few allowed tokens, long ones
rather than short ones. Which states depends on the output alone, so that all engines have the same.
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
WORDS = 64  # of a mask, in which tokens are drawn
WORD = 32  # bits


class JsonOracle:
    """The judge over one vocabulary; `tokens[i]` is None where id i has no text."""

    def __init__(self, tokens: Sequence[bytes | None], stop_ids: Sequence[int]) -> None:
        self._tokens = tokens
        self._stop_ids = list(stop_ids)
        self._weights = np.zeros(-(-len(tokens) // WORD) * WORD, np.int32)
        self._weights[: len(tokens)] = [len(token or b"") ** 2 for token in tokens]
        textless = np.zeros(len(self._weights), bool)
        textless[: len(tokens)] = [token is None for token in tokens]
        textless[self._stop_ids] = False
        self._textless = np.packbits(textless, bitorder="little").view(np.uint32)

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

    def _holds(self, mask: np.ndarray[Any, Any], state: State, source: random.Random) -> bool:
        words = mask.view(np.uint32)
        if (words & self._textless).any():
            return False
        ends = any(words[i // WORD] >> np.uint32(i % WORD) & 1 for i in self._stop_ids)
        if ends and not is_whole(state):
            return False
        chosen = self._sample(words, source)
        return all(read(self._tokens[i] or b"", state) is not None for i in chosen)

    def _sample(self, words: np.ndarray[Any, Any], source: random.Random) -> list[int]:
        """Return some allowed tokens: words of the mask first, so that few in one are not missed.

        Of the tokens in these words the square of their length is their weight. Takes time by the
        number of words, not of tokens.
        """
        some = np.flatnonzero(words)
        if len(some) > WORDS:
            some = some[[source.randrange(len(some)) for _ in range(WORDS)]]
        bits = np.unpackbits(words[some].view(np.uint8), bitorder="little").reshape(-1, WORD)
        rows, columns = np.nonzero(bits)
        ids = some[rows] * WORD + columns
        if len(ids) > TOKENS:
            sums = self._weights[ids].cumsum()
            drawn = [source.random() * sums[-1] for _ in range(TOKENS)]
            ids = ids[np.searchsorted(sums[:-1], drawn, side="right")]
        return list(dict.fromkeys(ids[ids < len(self._tokens)].tolist()))


def positions(length: int, source: random.Random) -> list[int]:
    """Return which states of an output of so many tokens to look at, in order: first and last, too.

    One is drawn from each of the equal parts in between.
    """
    if length < STATES:
        return list(range(length + 1))
    parts = STATES - 2
    cuts = [1 + (length - 1) * part // parts for part in range(parts + 1)]
    return [0, *(source.randrange(a, b) for a, b in pairwise(cuts)), length]
