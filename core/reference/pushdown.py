"""Which configurations of a pushdown system can reach a goal: saturation of an automaton.

The configurations (control state, stack) from which a regular set can be reached are regular again,
and an automaton of them is found by adding edges until nothing changes (Büchi 1964; Bouajjani,
Esparza and Maler, "Reachability analysis of pushdown automata", 1997: pre*). The automaton starts
in the control state and reads the stack from the top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.reference.fsa import closure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core.reference.pda import Stack
    from formgate.core.reference.symbols import State

__all__ = ["Rule", "StackAutomaton", "pre_star"]


class Rule(NamedTuple):
    """From control ``source`` with ``pop`` on top of the stack: replace it by ``push``."""

    source: State
    pop: Stack
    push: Stack
    target: State


@dataclass(frozen=True)
class _Between:
    """A state of the automaton inside of a rule that pops more than one symbol."""

    source: State
    popped: Stack


@dataclass
class StackAutomaton:
    """An automaton over stacks, read from the top; its goals accept whatever stack is left.

    Attributes:
        goals: The states that accept. They stay what they are on every symbol.
        edges: For each state and symbol, the states after it.
        silent: For each state, the states it may become without reading.
    """

    goals: frozenset[State]
    edges: dict[tuple[State, State], set[State]] = field(default_factory=dict)
    silent: dict[State, set[State]] = field(default_factory=dict)
    _known: dict[tuple[frozenset[State], State | None], frozenset[State]] = field(
        default_factory=dict, repr=False
    )

    def read(self, states: Iterable[State], stack: Stack) -> frozenset[State]:
        """Return the states after reading ``stack``, silent moves included."""
        current = self._closed(states)
        for symbol in stack:
            nothing: set[State] = set()
            targets = {t for s in current for t in self.edges.get((s, symbol), nothing)}
            current = self._closed(targets | (current & self.goals))
        return current

    def accepts(self, control: State, stack: Stack) -> bool:
        """Say whether a configuration is in the set. Linear in the stack.

        Keeps the sets of states it passes through: ask only once all edges are there.
        """
        current = self._once(frozenset([control]), None)
        for symbol in stack:
            current = self._once(current, symbol)
        return not self.goals.isdisjoint(current)

    def _once(self, states: frozenset[State], symbol: State | None) -> frozenset[State]:
        known = self._known.get((states, symbol))
        if known is None:
            known = self.read(states, () if symbol is None else (symbol,))
            self._known[states, symbol] = known
        return known

    def _closed(self, states: Iterable[State]) -> frozenset[State]:
        nothing: set[State] = set()
        return frozenset(closure(states, lambda state: self.silent.get(state, nothing)))

    # ------------------------------------------------------------------ bottom up

    @cached_property
    def bottom(self) -> frozenset[State]:
        """The states that accept the empty stack."""
        return self._leading_to(self.goals)

    def below(self, symbol: State, above: frozenset[State]) -> frozenset[State]:
        """Return the states that accept ``symbol`` on top of a stack that ``above`` accept.

        Read so, from the bottom to the top, the automaton is deterministic, and the set of states
        of a stack says at once in which control states it is a member.
        """
        direct = {
            s for (s, read), targets in self.edges.items() if read == symbol and targets & above
        }
        return self._leading_to(direct | self.goals)

    def states_of(self, stack: Stack) -> frozenset[State]:
        """Return all states that accept ``stack``."""
        states = self.bottom
        for symbol in reversed(stack):
            states = self.below(symbol, states)
        return states

    def _leading_to(self, states: Iterable[State]) -> frozenset[State]:
        before: dict[State, set[State]] = {}
        for source, targets in self.silent.items():
            for target in targets:
                before.setdefault(target, set()).add(source)
        nothing: set[State] = set()
        return frozenset(closure(states, lambda state: before.get(state, nothing)))


def pre_star(rules: Iterable[Rule], goals: Iterable[State]) -> StackAutomaton:
    """Return the automaton of all configurations that can reach a goal control state.

    Saturation: for a rule (p, pop) -> (p', push), wherever the automaton reads ``push`` from p' to
    some state, let it read ``pop`` from p to that state. Adds no states but those inside of a pop
    of several symbols, so it ends. Each way to read a part of a push is looked at once, and waits
    for the edges that are yet to come: at most (length of all pushes) x (states) steps, each with
    the edges of one state and symbol.
    """
    automaton = StackAutomaton(frozenset(goals))
    saturation = _Saturation(automaton)
    for source, pop, push, target in rules:
        saturation.pops.setdefault((target, push), []).append((source, pop))
    for target, push in saturation.pops:
        saturation.reached.append(_Reading(target, push, 0, target))
    saturation.run()
    return automaton


class _Reading(NamedTuple):
    """The automaton has read ``length`` symbols of a push from ``target`` and is in ``state``."""

    target: State
    push: Stack
    length: int
    state: State


@dataclass
class _Saturation:
    """The work to be done.

    Attributes:
        automaton: What is built.
        pops: For each target and push, the sources and pops of its rules.
        reached: Readings found, grown while they are looked at.
        waiting: The readings by state and symbol to come, for the edges to come.
        standing: The readings by state, for the silent edges to come.
    """

    automaton: StackAutomaton
    pops: dict[tuple[State, Stack], list[tuple[State, Stack]]] = field(default_factory=dict)
    reached: list[_Reading] = field(default_factory=list)
    waiting: dict[tuple[State, State], list[_Reading]] = field(default_factory=dict)
    standing: dict[State, list[_Reading]] = field(default_factory=dict)
    _seen: set[_Reading] = field(default_factory=set)

    def run(self) -> None:
        """Look at all readings until there are no more."""
        automaton = self.automaton
        nothing: set[State] = set()
        for reading in self.reached:
            if reading in self._seen:
                continue
            self._seen.add(reading)
            target, push, length, state = reading
            self.standing.setdefault(state, []).append(reading)
            for after in tuple(automaton.silent.get(state, nothing)):
                self.reached.append(_Reading(target, push, length, after))
            if length == len(push):
                for source, pop in self.pops[target, push]:
                    self._add_path(source, pop, state)
                continue
            self.waiting.setdefault((state, push[length]), []).append(reading)
            for after in tuple(automaton.edges.get((state, push[length]), nothing)):
                self.reached.append(_Reading(target, push, length + 1, after))
            if state in automaton.goals:
                self.reached.append(_Reading(target, push, length + 1, state))

    def _add_path(self, source: State, pop: Stack, target: State) -> None:
        """Let the automaton read ``pop`` from ``source`` to ``target``."""
        if not pop:
            known = self.automaton.silent.setdefault(source, set())
            if target != source and target not in known:
                known.add(target)
                self.reached += [
                    _Reading(start, push, length, target)
                    for start, push, length, _ in self.standing.get(source, ())
                ]
            return
        state = source
        for popped, symbol in enumerate(pop[:-1], start=1):
            between = _Between(source, pop[:popped])
            self._add_edge(state, symbol, between)
            state = between
        self._add_edge(state, pop[-1], target)

    def _add_edge(self, state: State, symbol: State, target: State) -> None:
        """Add an edge, and move the readings that have waited for it."""
        known = self.automaton.edges.setdefault((state, symbol), set())
        if target not in known:
            known.add(target)
            self.reached += [
                _Reading(start, push, length + 1, target)
                for start, push, length, _ in self.waiting.get((state, symbol), ())
            ]
