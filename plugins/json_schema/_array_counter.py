"""Arrays whose items are counted: an automaton, written as rules.

Its states are the position, as far as it matters, and how often each thing was seen; there is a
rule for each state that can be reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.json_schema._deadline import check_time

if TYPE_CHECKING:
    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._closed import ClosedArray
    from formgate.plugins.json_schema._emit_arrays import ArrayWriter
    from formgate.plugins.json_schema._style import Style

    # Which of the counted things an item is, and its node.
    Sort = tuple[tuple[bool, ...], Node]

__all__ = ["Counter"]

_OFTEN = 63  # states after which the deadline is looked at


class Counter:
    """Writes one automaton that counts."""

    def __init__(
        self,
        arrays: ArrayWriter,
        closed: ClosedArray,
        place: tuple[int, Style],
        name: str,
        far: int,
    ) -> None:
        self._arrays = arrays
        self._builder = arrays.builder
        self._closed = closed
        self._level, self._gaps = place
        self._name = name
        self._far = far
        self._items: dict[int, tuple[list[Sort], bool]] = {}
        self._last = max([len(closed.prefix), *(one.start for one in closed.counts)])
        self._rules = 0

    def write(self) -> Node:
        """Return the node of at least one item."""
        builder, closed = self._builder, self._closed
        start = (0, (0,) * len(closed.counts))
        known = {start: self._rule()}
        waiting = [start]
        first, end = builder.nothing(), builder.empty()
        steps: dict[tuple[int, ...], tuple[bool, list[tuple[Node, tuple[int, ...]]]]] = {}
        while waiting:
            at = waiting.pop()
            place, counts = at
            kind = (min(place, self._last + 1), *counts)
            if kind not in steps:
                steps[kind] = self._fulfilled(counts), self._steps(place, counts)
            if not self._rules & _OFTEN:
                check_time()
            enough, further = steps[kind]
            ways = []
            if place and place >= closed.low and enough:
                ways.append(end)
            if closed.high is None or place < closed.high:
                after = min(place + 1, self._far)
                for node, now in further:
                    following = known.get((after, now))
                    if following is None:
                        following = known[after, now] = self._rule()
                        waiting.append((after, now))
                    ways.append(builder.seq(node, following[1]))
            body = builder.choice(*ways)
            if at == start:
                first = body
            else:
                builder.define(known[at][0], body)
        return first

    def _steps(self, place: int, counts: tuple[int, ...]) -> list[tuple[Node, tuple[int, ...]]]:
        """Return the ways to go on: the item, what stands before it, and the counts after it."""
        found = []
        for signs, node in self._sorts_for(place, counts):
            now = self._add(counts, signs)
            if now is not None:
                item = self._builder.seq(self._gaps.comma, node) if place else node
                found.append((item, now))
        return found

    def _sorts_for(self, place: int, counts: tuple[int, ...]) -> list[Sort]:
        """Return the ways to sort the item at a position, after some counts, that matter.

        Where enough of something was seen, an item may pass without being sorted by it.
        """
        place = min(place, self._last)
        found = self._items.get(place)
        if found is None:
            found = self._arrays.sorted_item(self._closed, place, self._level)
            self._items[place] = found
        sorts, apart = found
        if apart:
            return sorts
        enough = [
            one.high is None and count >= one.low
            for one, count in zip(self._closed.counts, counts, strict=True)
        ]
        if not any(enough):
            return sorts
        known = {signs for signs, _ in sorts}
        kept = []
        for signs, node in sorts:
            fewer = tuple(sign and not done for sign, done in zip(signs, enough, strict=True))
            if fewer == signs or fewer not in known:
                kept.append((signs, node))
        return kept

    def _add(self, counts: tuple[int, ...], signs: tuple[bool, ...]) -> tuple[int, ...] | None:
        """Return the counts after one more item; None if there are too many of something."""
        found = []
        for one, count, sign in zip(self._closed.counts, counts, signs, strict=True):
            now = count + sign
            if one.high is not None and now > one.high:
                return None
            found.append(min(now, one.low) if one.high is None else now)
        return tuple(found)

    def _fulfilled(self, counts: tuple[int, ...]) -> bool:
        """Say whether there are enough of everything."""
        return all(count >= one.low for one, count in zip(self._closed.counts, counts, strict=True))

    def _rule(self) -> tuple[str, Node]:
        """Return the name of a new rule and the reference to it."""
        self._rules += 1
        name = f"{self._name}: {self._rules}"
        return name, self._builder.rule(name)
