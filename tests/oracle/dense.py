"""The exact judge on vocabularies of real size: every token walked through a table of bytes.

For vocabularies that have each byte as a token, so that a prefix can be completed by tokens exactly
when it can be completed by bytes. The table holds live states only and grows as it is walked.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from oracle.machine import Machine, TooLarge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracle.tree import Tree

_DEAD = 0
_UNKNOWN = -1


class TokenTable:
    """The tokens of a vocabulary as a tree of their beginnings, level by level.

    Attributes:
        size: Number of token ids.
        levels: For each length, its beginnings: where in the level before each goes on from, and
            its last byte.
        ends: For each length, the ids of its tokens, and where in the level they are.
    """

    def __init__(self, tokens: Sequence[bytes | None]) -> None:
        self.size = len(tokens)
        texts = {token: text for token, text in enumerate(tokens) if text}
        if len({text for text in texts.values() if len(text) == 1}) < 256:
            raise ValueError("this judge needs every byte as a token")
        self.levels: list[tuple[np.ndarray, np.ndarray]] = []
        self.ends: list[tuple[np.ndarray, np.ndarray]] = []
        before = {b"": 0}
        for length in range(1, max(map(len, texts.values())) + 1):
            texts = {token: text for token, text in texts.items() if len(text) >= length}
            begun = dict.fromkeys(text[:length] for text in texts.values())
            self.levels.append(
                (
                    np.array([before[text[:-1]] for text in begun], dtype=np.int64),
                    np.array([text[-1] for text in begun], dtype=np.int64),
                )
            )
            before = {text: place for place, text in enumerate(begun)}
            ended = {token: before[text] for token, text in texts.items() if len(text) == length}
            self.ends.append(
                (np.array([*ended], dtype=np.int64), np.array([*ended.values()], dtype=np.int64))
            )


class DenseOracle:
    """Whole masks by walking all tokens at once, byte by byte; each beginning of some is one."""

    def __init__(self, tree: Tree, table: TokenTable, *, max_states: int = 20_000) -> None:
        self.machine = Machine.of(tree)
        self.table = table
        self._max_states = max_states
        self._rows = np.full((64, 256), _UNKNOWN, dtype=np.int32)
        self._rows[_DEAD] = _DEAD

    def state_after(self, text: bytes) -> int:
        return self.machine.walk(self.machine.start, text)

    def text_mask(self, state: int) -> np.ndarray:
        """One flag per token id: may this text come next? Stop ids are left to the caller."""
        flags = np.zeros(self.table.size, dtype=bool)
        states = np.array([state])
        for (parents, last), (ids, places) in zip(self.table.levels, self.table.ends, strict=True):
            before = states[parents]
            self._fill_rows(before)
            states = self._rows[before, last]
            flags[ids] = states[places] != _DEAD
        return flags

    def _fill_rows(self, states: np.ndarray) -> None:
        for number in np.flatnonzero(np.bincount(states)).tolist():
            if number >= len(self._rows):
                more = np.full((number, 256), _UNKNOWN, dtype=np.int32)
                self._rows = np.concatenate((self._rows, more))
            if self._rows[number, 0] == _UNKNOWN:
                self._rows[number] = self._row(number)

    def _row(self, state: int) -> np.ndarray:
        if len(self.machine) > self._max_states:
            raise TooLarge
        row = np.zeros(256, dtype=np.int32)
        cuts = [*self.machine.cuts(state), 256]
        for first, end in itertools.pairwise(cuts):
            after = self.machine.step(state, first)
            row[first:end] = after if self.machine.is_live(after) else _DEAD
        return row
