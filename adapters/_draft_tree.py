"""Masks for a whole tree of drafted tokens, by one native call.

A draft model proposes a tree: each node is a token, its parent the node before it. The target model
scores all nodes at once, and each needs the mask of what may follow it. States are immutable, so a
node's state is one ``advance`` from its parent's, nothing is rolled back between branches, and all
masks are filled by one call that releases the interpreter lock. Cost: one advance and one mask a
node, against two for each depth-first walk that must also undo its steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = ["fill_draft_tree", "parents_of"]

S = TypeVar("S")


def fill_draft_tree(
    engine: MaskEngine[S],
    state: S,
    tokens: Sequence[int],
    parents: Sequence[int],
    out: NDArray[np.int32],
    *,
    threads: int = 1,
) -> list[bool]:
    """Fill the masks of a draft tree, and say which nodes are allowed.

    Args:
        engine: The constraint.
        state: Where the tree begins: after the tokens accepted so far.
        tokens: The token of each node.
        parents: The index of each node's parent, which stands before it; -1: the tree's root.
        out: int32, at least ``len(tokens) + 1`` rows of one mask each. Row 0 is what may come at
            ``state``; row ``i + 1`` what may follow node ``i``. Behind a stop token everything is
            allowed, since nothing matters there. A node that is not allowed gets its parent's row:
            no sampler meets a row without a token, and the node itself is refused by that row.
        threads: How many threads fill.

    Returns:
        For each node whether all tokens from the root to it are allowed.

    Raises:
        ValueError: The sequences differ in length, a parent does not stand before its node, or
            ``out`` has too few rows.
    """
    count = len(tokens)
    if len(parents) != count:
        raise ValueError(f"{count} tokens came with {len(parents)} parents")
    if len(out) < count + 1:
        raise ValueError(f"{count} nodes need {count + 1} rows, not {len(out)}")
    # Of the root, then of each node: its state, whether it is allowed, whether more may follow.
    states, allowed, is_open = [state], [True], [not _has_ended(engine, state)]
    for node, (token, parent) in enumerate(zip(tokens, parents, strict=True)):
        if not -1 <= parent < node:
            raise ValueError(f"node {node} has parent {parent}, which does not stand before it")
        before = states[parent + 1]
        if allowed[parent + 1] and is_open[parent + 1]:
            try:
                after = engine.advance(before, int(token))
            # LookupError: an engine in plain Python may index a table with an id it does not know.
            except (ValueError, LookupError):
                pass
            else:
                states.append(after)
                allowed.append(True)
                is_open.append(not _has_ended(engine, after))
                continue
        states.append(before)
        allowed.append(False)
        is_open.append(is_open[parent + 1])
    _fill(engine, states, out, threads)
    for row, is_row_open in enumerate(is_open):
        if not is_row_open:
            out[row] = -1
    return allowed[1:]


def parents_of(next_token: Sequence[int], next_sibling: Sequence[int]) -> list[int]:
    """Return the parents of a tree given by first children and next siblings.

    Node 0 is the root, and -1 stands for no node, as in SGLang's verification. Cost: linear.

    Args:
        next_token: The first child of each node.
        next_sibling: The next child of the same parent.

    Raises:
        ValueError: It is no tree: a node is reached twice, or names one that there is not.
    """
    parents = [-1] * len(next_token)
    seen = {0}
    for parent in range(len(next_token)):
        child = int(next_token[parent])
        while child != -1:
            if child in seen or not 0 < child < len(parents):
                raise ValueError(f"node {child} is reached twice, or is not there")
            seen.add(child)
            parents[child] = parent
            child = int(next_sibling[child])
    return parents


def _has_ended(engine: MaskEngine[S], state: S) -> bool:
    """Say whether a stop token was taken."""
    return engine.is_terminal(state) and not engine.allowed_tokens(state)


def _fill(engine: Any, states: list[Any], out: NDArray[np.int32], threads: int) -> None:
    """Fill one row for each state."""
    fill_masks = getattr(engine, "fill_masks", None)
    if fill_masks is not None:
        fill_masks(states, out[: len(states)], threads)
        return
    for row, state in enumerate(states):
        engine.allowed_tokens(state).fill(out[row])
