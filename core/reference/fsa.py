"""Finite automata: the deterministic partial ``FSA`` of the lexer, and the plain ``NFA``.

States of an ``FSA`` are integers, so that products and quotients are numbered afresh and two
automata never clash. A missing edge rejects: there is no sink. All loops are breadth first, at most
one visit for each pair of state and symbol, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from formgate.core.reference.symbols import State

__all__ = ["FSA", "NFA", "closure"]

A = TypeVar("A", bound=Hashable)
N = TypeVar("N", bound=Hashable)


def closure(seeds: Iterable[N], successors: Callable[[N], Iterable[N]]) -> dict[N, N | None]:
    """Return all that ``seeds`` reach, breadth first, each with the one it was first reached from.

    Seeds map to None. The order of the result is the order of discovery.
    """
    origin: dict[N, N | None] = dict.fromkeys(seeds)
    queue = list(origin)
    for node in queue:  # grows while it is read
        for successor in successors(node):
            if successor not in origin:
                origin[successor] = node
                queue.append(successor)
    return origin


@dataclass(frozen=True)
class FSA(Generic[A]):
    """A deterministic partial automaton (Q, q0, delta, F).

    Attributes:
        start: The state q0.
        accepting: The states F.
        edges: For each state of Q, its defined transitions: symbol to state.
    """

    start: int
    accepting: frozenset[int]
    edges: Mapping[int, Mapping[A, int]]

    @property
    def states(self) -> frozenset[int]:
        """The set Q."""
        return frozenset(self.edges)

    @cached_property
    def alphabet(self) -> frozenset[A]:
        """The symbols that occur on an edge."""
        return frozenset(symbol for out in self.edges.values() for symbol in out)

    def step(self, state: int, symbol: A) -> int | None:
        """Return delta(state, symbol), or None where it is undefined."""
        return self.edges[state].get(symbol)

    def run(self, word: Iterable[A], state: int | None = None) -> int | None:
        """Return the state after ``word``, from ``state`` or the start; None when stuck."""
        current: int | None = self.start if state is None else state
        for symbol in word:
            if current is None:
                return None
            current = self.step(current, symbol)
        return current

    def accepts(self, word: Iterable[A]) -> bool:
        """Say whether ``word`` is in the language."""
        return self.run(word) in self.accepting

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The states some word leads to."""
        return frozenset(closure([self.start], lambda state: self.edges[state].values()))

    @cached_property
    def productive(self) -> frozenset[int]:
        """The states from which some word leads to an accepting one."""
        before: dict[int, set[int]] = {state: set() for state in self.edges}
        for state, out in self.edges.items():
            for target in out.values():
                before[target].add(state)
        return frozenset(closure(self.accepting, lambda state: before[state]))

    @property
    def is_pruned(self) -> bool:
        """Whether every state is reachable and can reach an accepting one."""
        return self.states == self.reachable & self.productive

    def pruned(self) -> FSA[A]:
        """Return the automaton of the useful states; the start stays even where it is useless."""
        keep = (self.reachable & self.productive) | {self.start}
        edges = {
            state: {symbol: target for symbol, target in out.items() if target in keep}
            for state, out in self.edges.items()
            if state in keep
        }
        return FSA(self.start, self.accepting & keep, edges)

    def prefixes(self) -> FSA[A]:
        """Return an automaton of all prefixes of the language (``Language.prefixes``)."""
        pruned = self.pruned()
        return FSA(pruned.start, pruned.productive, pruned.edges)

    def without_empty(self) -> FSA[A]:
        """Return an automaton of all words but the empty one, with a fresh start if need be."""
        if self.start not in self.accepting:
            return self
        fresh = max(self.edges) + 1
        edges = {**self.edges, fresh: self.edges[self.start]}
        return FSA(fresh, self.accepting, edges).pruned()

    def product(self, other: FSA[A], keep: Callable[[bool, bool], bool]) -> FSA[A]:
        """Return the automaton of the words for which ``keep(in self, in other)`` is true.

        ``keep(False, False)`` must be false: the product follows a word only while one side does.
        Intersection, union and difference are ``and``, ``or`` and ``x and not y``. Costs at most
        the product of both numbers of states.
        """

        def moves(pair: tuple[int | None, int | None]) -> dict[A, tuple[int | None, int | None]]:
            left = {} if pair[0] is None else self.edges[pair[0]]
            right = {} if pair[1] is None else other.edges[pair[1]]
            symbols = dict.fromkeys([*left, *right])
            return {symbol: (left.get(symbol), right.get(symbol)) for symbol in symbols}

        first: tuple[int | None, int | None] = (self.start, other.start)
        pairs = closure([first], lambda pair: moves(pair).values())
        number = {pair: i for i, pair in enumerate(pairs)}
        accepting = frozenset(
            i
            for (left, right), i in number.items()
            if keep(left in self.accepting, right in other.accepting)
        )
        edges = {
            i: {symbol: number[target] for symbol, target in moves(pair).items()}
            for pair, i in number.items()
        }
        return FSA(0, accepting, edges).pruned()

    def minimal(self, label: Callable[[int], Hashable] | None = None) -> FSA[A]:
        """Return the pruned quotient whose classes agree on ``label``.

        Without ``label``, acceptance is the label, and the result is the minimal automaton. States
        are numbered breadth first, edges in the order of their symbols, so that equal languages
        give equal results. Moore's refinement (1956): at most as many rounds as states, each linear
        in the edges.
        """
        label = label or self.accepting.__contains__
        trimmed = self.pruned()
        block: dict[int, Hashable] = {state: label(state) for state in trimmed.edges}
        count = len(set(block.values()))
        while True:
            names: dict[Hashable, int] = {}
            refined: dict[int, Hashable] = {}
            for state, out in trimmed.edges.items():
                row = frozenset((symbol, block[target]) for symbol, target in out.items())
                refined[state] = names.setdefault((block[state], row), len(names))
            block = refined
            if len(names) == count:
                break
            count = len(names)
        member = {name: state for state, name in reversed(list(block.items()))}
        rows = {
            name: {a: block[target] for a, target in sorted(trimmed.edges[state].items(), key=repr)}
            for name, state in member.items()
        }
        order = closure([block[trimmed.start]], lambda name: rows[name].values())
        number = {name: i for i, name in enumerate(order)}
        edges = {
            i: {a: number[target] for a, target in rows[name].items()} for name, i in number.items()
        }
        accepting = frozenset(number[block[state]] for state in trimmed.accepting)
        return FSA(0, accepting, edges)

    def shortest_word(
        self, goals: frozenset[int], start: int | None = None
    ) -> tuple[A, ...] | None:
        """Return a shortest word from ``start`` (q0 when left out) into ``goals``; None if none."""
        first = self.start if start is None else start
        origin = closure([first], lambda state: self.edges[state].values())
        goal = next((state for state in origin if state in goals), None)
        if goal is None:
            return None
        word: list[A] = []
        while (previous := origin[goal]) is not None:
            word.append(next(a for a, target in self.edges[previous].items() if target == goal))
            goal = previous
        return tuple(reversed(word))


@dataclass(frozen=True)
class NFA(Generic[A]):
    """A nondeterministic automaton without empty moves.

    Attributes:
        start: The start state.
        accepting: The accepting states.
        edges: (state, symbol) to the states that may follow; a missing pair has none.
    """

    start: State
    accepting: frozenset[State]
    edges: Mapping[tuple[State, A], frozenset[State]]

    def run(self, word: Iterable[A], states: Iterable[State] | None = None) -> frozenset[State]:
        """Return all states that ``word`` may lead to, from ``states`` or the start."""
        current = frozenset([self.start] if states is None else states)
        for symbol in word:
            nothing: frozenset[State] = frozenset()
            current = frozenset(
                target for state in current for target in self.edges.get((state, symbol), nothing)
            )
        return current

    def accepts(self, word: Iterable[A]) -> bool:
        """Say whether ``word`` is in the language."""
        return bool(self.run(word) & self.accepting)
