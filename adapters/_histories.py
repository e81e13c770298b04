"""States of an engine, found by the tokens that led to them.

Back ends that search (beams, drafts) hand over token histories in any order: rows are swapped,
duplicated, shortened, and sometimes hold a prefix that the constraint forbids. A trie over the
tokens, with an engine state at every node, answers all of them: states are immutable, so a node is
right for ever and for every row. The usual cases cost one step each, whatever the length: rows that
grew by one token (``grow``), also in another order (``regrow``), are found through the last call.

Past the end and outside the language there is one node each, its own successor, so junk rows cost
no memory. When the trie has grown to its limit, all but the paths of the present rows is dropped;
what is asked for again is computed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = ["Histories", "Node", "SkippedTokensError"]

S = TypeVar("S")


class SkippedTokensError(Exception):
    """A history has tokens before its last that were never seen, where that was not allowed."""


class Node(Generic[S]):
    """A place in a trie of histories.

    Attributes:
        state: The engine's state; None outside the language.
        is_open: False after a stop token and outside the language.
    """

    __slots__ = ("children", "engine", "is_open", "state")

    def __init__(self, engine: MaskEngine[S], state: S | None, *, is_open: bool) -> None:
        self.engine = engine
        self.state = state
        self.is_open = is_open
        self.children: dict[int, Node[S]] = {}


class Histories(Generic[S]):
    """Finds the states of rows of tokens.

    Args:
        engines: One for each row group; equal objects share their states.
        max_nodes: How many states are kept before old ones are dropped.
    """

    def __init__(self, engines: Sequence[MaskEngine[S]], *, max_nodes: int) -> None:
        if max_nodes < 1:
            raise ValueError(f"max_nodes must be positive, not {max_nodes}")
        self._engines = list(engines)
        self._max_nodes = max_nodes
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        roots: dict[int, Node[S]] = {}
        for engine in self._engines:
            if id(engine) not in roots:
                roots[id(engine)] = self._make(engine, engine.start())
        self._roots = [roots[id(engine)] for engine in self._engines]
        self._dead = {key: Node(root.engine, None, is_open=False) for key, root in roots.items()}
        self._count = len(roots)
        self._limit = self._max_nodes
        # The previous call: its rows, and the node of each.
        self._rows: NDArray[np.int64] | None = None
        self._nodes: list[Node[S]] = []

    def __len__(self) -> int:
        return self._count

    def grow(self, rows: NDArray[np.int64]) -> list[Node[S]] | None:
        """Return the node of each row if the rows are those of the last call and one token more.

        None otherwise. This is the usual case, and costs some microseconds.
        """
        before = self._rows
        if before is None or before.shape != (len(rows), rows.shape[1] - 1):
            return None
        if not (rows[:, :-1] == before).all():
            return None
        self._rows = rows.copy()
        self._nodes = [
            self._child(node, token)
            for node, token in zip(self._nodes, rows[:, -1].tolist(), strict=True)
        ]
        return self._nodes

    def regrow(self, rows: NDArray[np.int64]) -> list[Node[S]] | None:
        """Return the node of each row if it is one token more than some row of the last call.

        That row must belong to the same engine. None otherwise.
        """
        before = self._rows
        if before is None or before.shape != (len(rows), rows.shape[1] - 1):
            return None
        per_engine = len(rows) // len(self._roots)
        known = {
            (index // per_engine, row.tobytes()): node
            for index, (row, node) in enumerate(zip(before, self._nodes, strict=True))
        }
        parents = [
            known.get((index // per_engine, row[:-1].tobytes())) for index, row in enumerate(rows)
        ]
        nodes = [
            self._child(parent, int(row[-1]))
            for parent, row in zip(parents, rows, strict=True)
            if parent is not None
        ]
        if len(nodes) < len(rows):
            return None
        self._rows, self._nodes = rows.copy(), nodes
        return nodes

    def walk(
        self, rows: NDArray[np.int64], starts: Sequence[int], *, skipping: bool
    ) -> list[Node[S]]:
        """Return the node of each row, from the start of its output.

        Args:
            rows: Token ids, one history per row. Rows come in as many groups of equal size as there
                are engines, in their order.
            starts: For each engine, where the output begins in its rows.
            skipping: Whether a row may hold tokens before its last that were never seen.

        Raises:
            SkippedTokensError: One does although it may not.
        """
        per_engine = len(rows) // len(self._roots)
        nodes = []
        for index, row in enumerate(rows):
            group = index // per_engine
            history = row[starts[group] :].tolist()
            nodes.append(self._walk(self._roots[group], history, skipping=skipping))
        self._rows, self._nodes = rows.copy(), nodes
        return nodes

    def trim(self, starts: Sequence[int]) -> None:
        """Drop old states if there are too many; for the end of a call."""
        if self._count > self._limit and self._rows is not None:
            self._prune(self._rows, starts, len(self._rows) // len(self._roots))

    def _walk(self, root: Node[S], history: list[int], *, skipping: bool) -> Node[S]:
        """Return the node at the end of a path, making what is missing."""
        node, last = root, len(history) - 1
        for depth, token in enumerate(history):
            if not skipping and depth < last and node.is_open and token not in node.children:
                raise SkippedTokensError
            node = self._child(node, token)
        return node

    def _child(self, node: Node[S], token: int) -> Node[S]:
        """Return the node one token further."""
        if not node.is_open:
            return node
        child = node.children.get(token)
        if child is None:
            engine = node.engine
            try:
                state = engine.advance(node.state, token)  # type: ignore[arg-type]
            # LookupError: an engine in plain Python may index a table with an id it does not know.
            except (ValueError, LookupError):
                child = self._dead[id(engine)]
            else:
                child = self._make(engine, state)
                self._count += 1
            node.children[token] = child
        return child

    @staticmethod
    def _make(engine: MaskEngine[S], state: S) -> Node[S]:
        """Return the node of a state; an output that waits for its stop token is still open."""
        ended = engine.is_terminal(state) and not engine.allowed_tokens(state)
        return Node(engine, state, is_open=not ended)

    def _prune(self, rows: NDArray[np.int64], starts: Sequence[int], per_engine: int) -> None:
        """Drop all nodes but those on the paths of rows."""
        kept: dict[int, tuple[Node[Any], set[int]]] = {}
        for index, row in enumerate(rows):
            group = index // per_engine
            node = self._roots[group]
            for token in row[starts[group] :].tolist():
                kept.setdefault(id(node), (node, set()))[1].add(token)
                node = self._child(node, token)
            kept.setdefault(id(node), (node, set()))
        for node, tokens in kept.values():
            node.children = {t: child for t, child in node.children.items() if t in tokens}
        self._count = len(kept)
        # A history longer than the limit must not be pruned again at every token.
        self._limit = max(self._max_nodes, 2 * self._count)
