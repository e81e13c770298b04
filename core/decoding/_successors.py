"""Where the tokens of a large mask lead, without a step of the engine for each of them.

All tokens are walked at once, byte by byte, through a trie of the vocabulary: level by level, an
array says in which state each node is. The engine steps only once for each pair of state and byte,
by the token that is this byte. That gives the right states, since two spellings of a text lead to
equal states. Tokens with a byte that is no token by itself, and tokens without text, are stepped
over one by one; so are all of them where nearly every text leads to a state of its own (the names
of an object's members, which must not come twice), since there would be more nodes than tokens.

Cost: some 50 ns for each node of the trie, of which a vocabulary of 50,000 tokens has 100,000, and
a step for each pair not met before: after the first walk few, since the states of neighbouring
walks are mostly the same. The trie is made once, in some 40 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from formgate.core.decoding._token_table import TokenTable
    from formgate.core.protocol import MaskEngine, TokenMask

__all__ = ["Successors"]

S = TypeVar("S", bound="Hashable")

_DEAD, _UNKNOWN = 0, -1
_FEW = 1_000  # allowed tokens for which the trie is not worth its walk
_MAX_STATES = 20_000  # a row of 1 KiB each
_MANY_NEW = 4_000  # states that one walk may add before it is given up


class Trie:
    """The texts of a vocabulary that single bytes spell, by length.

    Attributes:
        levels: For each depth, the nodes' parents (among those of the depth before) and bytes.
        token_depths: By id: the length of the text; 0 for a token that is not in the trie.
        token_nodes: By id: which node of that depth it is.
    """

    def __init__(self, table: TokenTable) -> None:
        singles = {chr(byte) for byte in range(256) if table[chr(byte)] is not None}
        tokens = [t for t, text in enumerate(table.texts) if text and singles.issuperset(text)]
        texts = [table.texts[token] or "" for token in tokens]
        data = np.frombuffer("".join(texts).encode("latin-1"), np.uint8)
        ids = np.array(tokens, np.int64)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        begins = np.cumsum(lengths) - lengths
        self.token_depths = np.zeros(table.size, np.int32)
        self.token_depths[ids] = lengths
        self.token_nodes = np.zeros(table.size, np.int32)
        self.levels: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        # Of the tokens that are at least so long: the node that their text so far leads to.
        above = np.zeros(len(ids), np.int64)
        while len(ids):
            depth = len(self.levels)
            edges, nodes = np.unique(above << 8 | data[begins + depth], return_inverse=True)
            self.levels.append(((edges >> 8).astype(np.int32), (edges & 0xFF).astype(np.int32)))
            longer = lengths > depth + 1
            self.token_nodes[ids[~longer]] = nodes[~longer]
            ids, lengths, begins, above = (a[longer] for a in (ids, lengths, begins, nodes))


class Successors(Generic[S]):
    """Finds the states after all tokens of a mask.

    Args:
        engine: Its states must be hashable, and equal where their futures are.
        table: The tokens.
    """

    def __init__(self, engine: MaskEngine[S], table: TokenTable) -> None:
        self._engine = engine
        self._table = table
        self._trie: Trie | None = None
        self._states: list[S | None] = []
        self._indices: dict[S, int] = {}
        self._steps: NDArray[np.int32] = np.empty((0, 256), np.int32)
        self._forget()

    def of(self, state: S, mask: TokenMask) -> tuple[list[S | None], NDArray[np.int32]]:
        """Return states, and for each token of a mask which of them it leads to.

        The first state stands for none: it is that of the stop ids.
        """
        ids = mask.ids()
        stops = self._table.stop_ids
        found = np.full(len(ids), _UNKNOWN, np.int32)
        if len(ids) > _FEW:
            if len(self._states) > _MAX_STATES:
                self._forget()
            self._walk(state, ids, found)
        states, indices = self._states, self._indices
        others: dict[S, int] = {}  # not kept: no row of steps is wanted for them
        advance, tokens = self._engine.advance, ids.tolist()
        for place in np.flatnonzero(found == _UNKNOWN).tolist():
            token = tokens[place]
            if token in stops:
                found[place] = _DEAD
                continue
            target = advance(state, token)
            index = indices.get(target)
            if index is None:
                index = others.setdefault(target, len(states) + len(others))
            found[place] = index
        return [*states, *others] if others else states, found

    def _walk(self, start: S, ids: NDArray[np.int32], found: NDArray[np.int32]) -> None:
        """Fill in the states of the tokens that are in the trie."""
        if self._trie is None:
            self._trie = self._table.trie
        trie = self._trie
        depths, nodes = trie.token_depths[ids], trie.token_nodes[ids]
        deepest = int(depths.max(initial=0))
        above = np.array([self._index_of(start)], np.int32)
        most = len(self._states) + _MANY_NEW
        for depth, (parents, data) in enumerate(trie.levels[:deepest], 1):
            before = above[parents]
            above = self._steps[before, data]
            unknown = np.flatnonzero(above == _UNKNOWN)
            if len(unknown):
                pairs = np.unique(before[unknown].astype(np.int64) << 8 | data[unknown])
                for pair in pairs.tolist():
                    self._step(pair >> 8, pair & 0xFF)
                    if len(self._states) > most:
                        found.fill(_UNKNOWN)
                        return
                above[unknown] = self._steps[before[unknown], data[unknown]]
            here = np.flatnonzero(depths == depth)
            found[here] = above[nodes[here]]
        # What is allowed leads somewhere: where the bytes alone do not tell, the token is asked.
        found[found == _DEAD] = _UNKNOWN

    def _step(self, index: int, byte: int) -> None:
        """Fill in one entry of the table of steps."""
        token = self._table[chr(byte)]
        state = self._states[index]
        if token is None or state is None:  # not in the trie; the dead state's row is full
            return
        try:
            target = self._engine.advance(state, token)
        except (ValueError, LookupError):
            self._steps[index, byte] = _DEAD
            return
        # Looked up before the table is written to: it may grow, and be another one then.
        number = self._index_of(target)
        self._steps[index, byte] = number

    def _index_of(self, state: S) -> int:
        """Return the number of a state."""
        index = self._indices.get(state)
        if index is None:
            index = self._indices[state] = len(self._states)
            self._states.append(state)
            if index == len(self._steps):
                more = np.full((len(self._steps), 256), _UNKNOWN, np.int32)
                self._steps = np.concatenate([self._steps, more])
        return index

    def _forget(self) -> None:
        """Begin with no states but the dead one."""
        self._states, self._indices = [None], {}
        self._steps = np.full((64, 256), _UNKNOWN, np.int32)
        self._steps[_DEAD] = _DEAD
