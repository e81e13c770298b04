"""From a deterministic automaton over digits and the point to nodes, from its end.

A state that leads to itself alone becomes a repetition, up to four states on a cycle an expression,
more of them rules.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder, Node
from formgate.plugins.json_schema._deadline import check_time

if TYPE_CHECKING:
    from formgate.plugins.json_schema._numbers_digits import Digits

__all__ = ["POINT", "AutomatonWriter", "too_large"]

POINT = 10  # the symbol after the ten digits
_FEW_STATES = 4
_SOME_STATES = 8  # where no rules may be written
_OFTEN = 255  # states after which the deadline is looked at

# For the names of rules, which differ from one recorded set to another.
_serials = itertools.count(1)


def too_large(what: str, count: object, limit: int, where: str = "") -> UnsupportedConstraint:
    """Return the refusal of an automaton that would be too large."""
    return UnsupportedConstraint(
        f"multipleOf needs {count} {what}, and {limit} is the most{where}",
        hint="use a rounder multipleOf, or closer bounds, of which the multiples can be listed",
    )


class AutomatonWriter:
    """Writes an automaton from its end."""

    def __init__(
        self, steps: list[dict[int, list[int]]], accepting: list[bool], digits: Digits
    ) -> None:
        self._accepting = accepting
        self._digits = digits
        self._nodes: dict[int, Node] = {}
        self._classes: dict[tuple[int, ...], Node] = {}
        self._steps = steps  # of each state: the symbols to each next one

    def write(self) -> Node:
        """Return the node of the start."""
        builder = self._digits.builder
        for component in _components([list(found) for found in self._steps]):
            if len(component) == 1:
                (state,) = component
                self._nodes[state] = self._body(state)
                continue
            if len(component) <= _FEW_STATES or not self._digits.rules:
                if len(component) > _SOME_STATES:
                    what = "states that lead to each other"
                    raise too_large(what, len(component), _SOME_STATES, " here")
                self._solve(component)
                continue
            serial = next(_serials)
            for state in component:
                self._nodes[state] = builder.rule(f"multiple {serial}.{state}")
            for state in component:
                if not state & _OFTEN:
                    check_time()
                builder.define(f"multiple {serial}.{state}", self._ways(state))
        return self._nodes[0]

    def _solve(self, component: list[int]) -> None:
        """Write states that lead to each other by eliminating one after the other (Arden 1961).

        Without rules; but the expressions grow with the cube of their number, derivatives faster.
        """
        builder = self._digits.builder
        inner: dict[int, dict[int, Node]] = {}
        outer: dict[int, list[Node]] = {}
        for state in component:
            steps = self._steps[state]
            inner[state] = {t: self._class(steps[t]) for t in steps if t in component}
            outer[state] = [
                builder.seq(self._class(symbols), self._nodes[after])
                for after, symbols in steps.items()
                if after not in component
            ]
            outer[state] += [builder.empty()] if self._accepting[state] else []
        for place in range(len(component) - 1, -1, -1):
            state = component[place]
            loop = inner[state].pop(state, None)
            if loop is not None:
                again = builder.star(loop)
                inner[state] = {t: builder.seq(again, node) for t, node in inner[state].items()}
                outer[state] = [builder.seq(again, node) for node in outer[state]]
            for other in component[:place]:
                there = inner[other].pop(state, None)
                if there is None:
                    continue
                for target, node in inner[state].items():
                    step = builder.seq(there, node)
                    known = inner[other].get(target)
                    inner[other][target] = step if known is None else builder.choice(known, step)
                outer[other] += [builder.seq(there, node) for node in outer[state]]
        for state in component:
            parts = [builder.seq(node, self._nodes[t]) for t, node in inner[state].items()]
            parts += outer[state]
            self._nodes[state] = parts[0] if len(parts) == 1 else builder.choice(*parts)

    def _body(self, state: int) -> Node:
        """Return what may follow in a state, whose successors are written."""
        builder = self._digits.builder
        parts = [
            builder.seq(self._class(symbols), self._nodes[after])
            for after, symbols in self._steps[state].items()
            if after != state or after in self._nodes
        ]
        if self._accepting[state]:
            parts.append(builder.empty())
        rest = parts[0] if len(parts) == 1 else builder.choice(*parts)
        loop = self._steps[state].get(state)
        if loop is None or state in self._nodes:
            return rest
        return builder.seq(builder.star(self._class(loop)), rest)

    def _ways(self, state: int) -> Node:
        """Return the same for a state that is a rule."""
        builder = self._digits.builder
        if not isinstance(builder, GrammarBuilder):
            return self._body(state)  # what is recorded is small
        nodes, classes = self._nodes, self._classes
        ways = [
            (classes.get(tuple(symbols)) or self._class(symbols), nodes[after])
            for after, symbols in self._steps[state].items()
        ]
        core = builder._core  # noqa: SLF001 (one call for each state, of which there are thousands)
        return Node(core.linear(ways, self._accepting[state]))

    def _class(self, symbols: list[int]) -> Node:
        """Return any of some digits, or the point."""
        key = tuple(symbols)
        node = self._classes.get(key)
        if node is None:
            codes = [46 if symbol == POINT else 48 + symbol for symbol in symbols]
            ranges = [(code, code) for code in codes]
            node = self._classes[key] = self._digits.builder.char_class(ranges)
        return node


def _components(after: list[list[int]]) -> list[list[int]]:
    """Return the strongly connected components, successors first (Tarjan 1972, iterative)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    work: list[tuple[int, int]] = [(0, 0)]
    while work:
        state, place = work.pop()
        if place == 0:
            index[state] = low[state] = len(index)
            stack.append(state)
            on_stack.add(state)
        elif after[state][place - 1] in on_stack:
            low[state] = min(low[state], low[after[state][place - 1]])
        for position in range(place, len(after[state])):
            other = after[state][position]
            if other not in index:
                work += [(state, position + 1), (other, 0)]
                break
            if other in on_stack:
                low[state] = min(low[state], index[other])
        else:
            if low[state] == index[state]:
                component: list[int] = []
                while not component or component[-1] != state:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                found.append(component)
    return found
