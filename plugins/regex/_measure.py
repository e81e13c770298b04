"""Widths of the parts of a pattern, in characters.

One pass from the leaves up, with a stack of its own. Results are kept by node, so measuring a part
of a tree that was measured before costs a look-up, and all measuring of a pattern is linear.
"""

from __future__ import annotations

from typing import NamedTuple

from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    Sequence,
    Syntax,
)

__all__ = ["UNBOUNDED", "Measure", "Measures", "children"]

UNBOUNDED = 1 << 64

_WITH_BODY = (Repeat, Atomic, Look)

_ANCHOR_REACH = {
    AnchorKind.TEXT_START: 0,
    AnchorKind.LINE_START: 0,
    AnchorKind.TEXT_END: 1,
    AnchorKind.LINE_END: 1,
    AnchorKind.LAST_LINE_END: 2,
    AnchorKind.BOUNDARY: 1,
    AnchorKind.NOT_BOUNDARY: 1,
}


class Measure(NamedTuple):
    """Size of what a node matches.

    Args:
        low: Fewest characters it consumes; at most ``UNBOUNDED``.
        high: Most characters it consumes; at most ``UNBOUNDED``.
        reach: How many characters from where it starts decide whether it matches.
    """

    low: int
    high: int
    reach: int


def children(node: Syntax) -> list[Syntax]:
    """Return the parts of a node, in the order of the pattern."""
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Alternation):
        return node.branches
    if isinstance(node, _WITH_BODY):
        return [node.body]
    return []


class Measures:
    """Measures of nodes, each computed once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        # By identity; the node is kept with its measure so that no other can take its id.
        self._known: dict[int, tuple[Syntax, Measure]] = {}

    def of(self, root: Syntax) -> Measure:
        """Return the measure of a node."""
        known = self._known
        stack: list[tuple[Syntax, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in known:
                continue
            parts = children(node)
            if ready or not parts:
                known[id(node)] = node, self._combine(node)
                continue
            stack.append((node, True))
            stack += [(part, False) for part in parts]
        return known[id(root)][1]

    def _combine(self, node: Syntax) -> Measure:  # noqa: PLR0911 (one return for each kind of node)
        """Return the measure of a node whose parts are measured."""
        if isinstance(node, Literal):
            length = len(node.text)
            return Measure(length, length, length)
        if isinstance(node, CharClass):
            return Measure(1, 1, 1)
        if isinstance(node, Anchor):
            return Measure(0, 0, _ANCHOR_REACH[node.kind])
        parts = [self._known[id(part)][1] for part in children(node)]
        if isinstance(node, Sequence):
            return _in_sequence(parts)
        if isinstance(node, Alternation):
            return Measure(
                min(part.low for part in parts),
                max(part.high for part in parts),
                max(part.reach for part in parts),
            )
        (body,) = parts
        if isinstance(node, Repeat):
            return _repeated(body, node.minimum, node.maximum)
        if isinstance(node, Look):
            # What a look-behind's body sees beyond its own end lies ahead of the place.
            return Measure(0, 0, max(0, body.reach - body.low) if node.behind else body.reach)
        return body


def _in_sequence(parts: list[Measure]) -> Measure:
    """Return the measure of parts one after the other."""
    low = high = reach = 0
    for part in parts:
        reach = max(reach, high + part.reach)
        low += part.low
        high += part.high
    return Measure(min(low, UNBOUNDED), min(high, UNBOUNDED), min(reach, UNBOUNDED))


def _repeated(body: Measure, minimum: int, maximum: int | None) -> Measure:
    """Return the measure of a repeated body."""
    if maximum == 0:
        return Measure(0, 0, 0)
    if maximum is None:
        high = before_last = UNBOUNDED if body.high else 0
    else:
        high = body.high * maximum
        before_last = body.high * (maximum - 1)
    return Measure(
        min(body.low * minimum, UNBOUNDED),
        min(high, UNBOUNDED),
        min(max(high, before_last + body.reach), UNBOUNDED),
    )
