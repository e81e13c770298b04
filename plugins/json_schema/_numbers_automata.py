"""From a deterministic automaton over digits and the point to nodes, from its end.

A state that leads to itself alone becomes a repetition, up to four states on a cycle an expression,
more of them rules.
"""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder, Node
from formgate.plugins.json_schema._deadline import check_time

if TYPE_CHECKING:
    from formgate.plugins.json_schema._numbers_digits import Digits

__all__ = ["AutomatonWriter", "too_large"]

_FEW_STATES = 4
_SOME_STATES = 8  # where no rules may be written
_OFTEN = 255  # states after which the deadline is looked at

# For the names of rules, which differ from one recorded set to another.
_serials = count(1)


def too_large(what: str, found: object, limit: int, where: str = "") -> UnsupportedConstraint:
    """Return the refusal of an automaton that would be too large."""
    return UnsupportedConstraint(
        f"multipleOf needs {found} {what}, and {limit} is the most{where}",
        hint="use a rounder multipleOf, or closer bounds, of which the multiples can be listed",
    )


class AutomatonWriter:
    """Writes an automaton from its end.

    Args:
        steps: Of each state the characters that lead to each next one; state 0 is the start.
        accepting: Whether each state accepts.
        components: The strongly connected components, successors first.
        digits: Where to write.
    """

    def __init__(
        self,
        steps: list[dict[int, str]],
        accepting: list[bool],
        components: list[list[int]],
        digits: Digits,
    ) -> None:
        self._accepting = accepting
        self._components = components
        self._digits = digits
        self._nodes: dict[int, Node] = {}
        self._classes: dict[str, Node] = {}
        self._steps = steps

    def write(self) -> Node:
        """Return the node of the start."""
        builder = self._digits.builder
        for component in self._components:
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
            names = {state: f"multiple {serial}.{state}" for state in component}
            for state, name in names.items():
                self._nodes[state] = builder.rule(name)
            for characters in set(chain.from_iterable(self._steps[one].values() for one in names)):
                self._class(characters)
            for state, name in names.items():
                if not state & _OFTEN:
                    check_time()
                builder.define(name, self._ways(state))
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
        steps = self._steps[state]
        core = builder._core  # noqa: SLF001 (one call for each state, of which there are thousands)
        return Node(core.linear(steps, self._classes, self._nodes, self._accepting[state]))

    def _class(self, characters: str) -> Node:
        """Return any of some digits, or the point."""
        node = self._classes.get(characters)
        if node is None:
            ranges = [(code, code) for code in map(ord, characters)]
            node = self._classes[characters] = self._digits.builder.char_class(ranges)
        return node
