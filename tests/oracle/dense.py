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
    """The tokens of a vocabulary as one array of bytes."""

    def __init__(self, tokens: Sequence[bytes | None]) -> None:
        self.size = len(tokens)
        self.ids = np.array([i for i, text in enumerate(tokens) if text], dtype=np.int64)
        texts = [text for text in tokens if text]
        self.lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self.starts = np.concatenate(([0], np.cumsum(self.lengths)[:-1]))
        self.text = np.frombuffer(b"".join(texts), dtype=np.uint8)
        singles = {text for text in texts if len(text) == 1}
        if len(singles) < 256:
            raise ValueError("this judge needs every byte as a token")


class DenseOracle:
    """Whole masks by walking all tokens, a column of bytes at a time."""

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
        table = self.table
        states = np.full(len(table.ids), state, dtype=np.int64)
        active = np.arange(len(table.ids))
        column = 0
        while len(active):
            self._fill_rows(np.unique(states[active]))
            column_bytes = table.text[table.starts[active] + column]
            states[active] = self._rows[states[active], column_bytes]
            column += 1
            alive = states[active] != _DEAD
            active = active[alive & (table.lengths[active] > column)]
        flags = np.zeros(table.size, dtype=bool)
        flags[table.ids[states != _DEAD]] = True
        return flags

    def _fill_rows(self, states: np.ndarray) -> None:
        for number in states.tolist():
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
