"""Canonical LR(1) as far as one terminal is concerned.

A state of the canonical automaton (Knuth 1965) is a state of LR(0) with a look-ahead set for each
item. Tracking a single terminal leaves, for each item, whether the terminal is in its set: a small
automaton that tells exactly after which stacks the terminal may come. Cost: the states of LR(0)
times the ways in which they split for this terminal, bounded by ``MAX_STATES``.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formgate.plugins.cfg._lint_lr import Automaton

__all__ = ["MAX_STATES", "Projection", "Reached"]

MAX_STATES = 20_000
"""Most states of a projection that a search looks at."""

_Item = tuple[int, int]


class Reached(NamedTuple):
    """A state of the projection, and a cheapest way to it.

    Attributes:
        state: The LR(0) state.
        allowed: The kernel items after whose production the terminal may come.
        completed: The productions that end here and after which it may come.
        path: The symbols that lead here.
        stack: The LR(0) states on the way, this one last.
    """

    state: int
    allowed: frozenset[_Item]
    completed: frozenset[int]
    path: tuple[int, ...]
    stack: tuple[int, ...]


class Projection:
    """The canonical automaton for one terminal.

    Args:
        automaton: The LALR automaton.
        terminal: The terminal's number.
        costs: For each symbol the length of its shortest sentence.
    """

    def __init__(self, automaton: Automaton, terminal: int, costs: list[int]) -> None:
        self._automaton = automaton
        self._terminal = terminal
        self._costs = costs
        self._found: dict[tuple[int, frozenset[_Item]], frozenset[int]] = {}
        self._steps: dict[
            tuple[int, frozenset[_Item]], list[tuple[int, tuple[int, frozenset[_Item]]]]
        ] = {}
        self.complete = True

    def search(self, is_goal: Callable[[int, frozenset[int]], bool]) -> Reached | None:
        """Return the state of least cost that a predicate on state and ``completed`` holds for.

        ``complete`` is False afterwards where the search was given up.
        """
        return next(self.walk(is_goal), None)

    def walk(self, is_goal: Callable[[int, frozenset[int]], bool]) -> Iterator[Reached]:
        """Yield all states that a predicate holds for, in order of cost."""
        automaton = self._automaton
        none: frozenset[_Item] = frozenset()
        queue: list[tuple[int, int, tuple[int, frozenset[_Item]]]] = []
        origin: dict[
            tuple[int, frozenset[_Item]], tuple[tuple[int, frozenset[_Item]], int] | None
        ] = {}
        best: dict[tuple[int, frozenset[_Item]], int] = {}
        for start in automaton.starts:
            allowed = frozenset(automaton.kernels[start]) if self._is_end() else none
            queue.append((0, len(queue), (start, allowed)))
            best[start, allowed] = 0
            origin[start, allowed] = None
        counter = len(queue)
        done: set[tuple[int, frozenset[_Item]]] = set()
        while queue:
            cost, _, node = heapq.heappop(queue)
            if node in done:
                continue
            done.add(node)
            if len(done) > MAX_STATES:
                self.complete = False
                return
            completed, steps = self._expanded(node)
            if is_goal(node[0], completed):
                yield self._reached(node, completed, origin)
            for symbol, target in steps:
                total = cost + self._costs[symbol]
                if target not in best or total < best[target]:
                    best[target] = total
                    origin[target] = (node, symbol)
                    counter += 1
                    heapq.heappush(queue, (total, counter, target))

    def _is_end(self) -> bool:
        return self._terminal == self._automaton.end

    def _reached(
        self,
        node: tuple[int, frozenset[_Item]],
        completed: frozenset[int],
        origin: dict[tuple[int, frozenset[_Item]], tuple[tuple[int, frozenset[_Item]], int] | None],
    ) -> Reached:
        path: list[int] = []
        stack = [node[0]]
        at = node
        while (before := origin[at]) is not None:
            at, symbol = before
            path.append(symbol)
            stack.append(at[0])
        return Reached(node[0], node[1], completed, tuple(path[::-1]), tuple(stack[::-1]))

    def _expanded(
        self, node: tuple[int, frozenset[_Item]]
    ) -> tuple[frozenset[int], list[tuple[int, tuple[int, frozenset[_Item]]]]]:
        """Return the productions after which the terminal may come, and the transitions."""
        if node in self._found:
            return self._found[node], self._steps[node]
        automaton = self._automaton
        state, allowed = node
        heads = self._heads(state, allowed)
        completed = []
        for production in automaton.reductions[state]:
            head, body = automaton.productions[production]
            if (production, len(body)) in allowed or (not body and head in heads):
                completed.append(production)
        steps = []
        for symbol, target in automaton.gotos[state].items():
            kept = []
            for production, dot in automaton.kernels[target]:
                before = (production, dot - 1)
                if before in allowed or (
                    dot == 1 and automaton.productions[production][0] in heads
                ):
                    kept.append((production, dot))
            steps.append((symbol, (target, frozenset(kept))))
        self._found[node] = frozenset(completed)
        self._steps[node] = steps
        return self._found[node], steps

    def _heads(self, state: int, allowed: frozenset[_Item]) -> set[int]:
        """Return the rules that may begin in a state with the terminal after them."""
        automaton = self._automaton
        reads, number = automaton.reads, automaton.transitions
        count = automaton.terminal_count
        found = {
            symbol
            for symbol in automaton.gotos[state]
            if symbol >= count and reads[number[state, symbol]] >> self._terminal & 1
        }
        queue = sorted(found)
        for production, dot in allowed:
            following = self._last_rule(production, dot)
            if following is not None and following not in found:
                found.add(following)
                queue.append(following)
        for head in queue:  # grows while it is read
            for production in automaton.by_head[head]:
                following = self._last_rule(production, 0)
                if following is not None and following not in found:
                    found.add(following)
                    queue.append(following)
        return found

    def _last_rule(self, production: int, dot: int) -> int | None:
        """Return the rule after the dot, where nothing but the empty text need come after it."""
        body = self._automaton.productions[production][1]
        if dot >= len(body) or body[dot] < self._automaton.terminal_count:
            return None
        nullable = self._automaton.nullable
        return body[dot] if all(symbol in nullable for symbol in body[dot + 1 :]) else None
