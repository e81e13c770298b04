"""Finite-state transducers: deterministic, partial, a sequence of outputs on each edge."""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Generic, TypeVar

from formgate.core.reference.fsa import closure

if TYPE_CHECKING:
    from formgate.core.reference.symbols import State

__all__ = ["FST"]

X = TypeVar("X", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)
Z = TypeVar("Z", bound=Hashable)


@dataclass(frozen=True)
class FST(Generic[X, Y]):
    """A deterministic partial transducer.

    Attributes:
        start: The start state.
        edges: For each state, its defined transitions: input to (next state, outputs).
    """

    start: State
    edges: Mapping[State, Mapping[X, tuple[State, tuple[Y, ...]]]]

    @property
    def states(self) -> frozenset[State]:
        """All states."""
        return frozenset(self.edges)

    def step(self, state: State, symbol: X) -> tuple[State, tuple[Y, ...]] | None:
        """Return the next state and the outputs, or None where no transition is defined."""
        return self.edges[state].get(symbol)

    def run(self, word: Iterable[X], state: State = None) -> tuple[State, tuple[Y, ...]] | None:
        """Return (state, outputs) after ``word``, from ``state`` or the start; None when stuck."""
        current = self.start if state is None else state
        outputs: tuple[Y, ...] = ()
        for symbol in word:
            result = self.step(current, symbol)
            if result is None:
                return None
            current, out = result
            outputs += out
        return current, outputs

    def compose(self, then: FST[Y, Z]) -> FST[X, Z]:
        """Return the transducer that feeds the outputs of this one to ``then``.

        Its states are pairs; those out of reach are kept, so that every state of ``then`` has a
        counterpart. Costs one run of ``then`` for each edge and each state of ``then``.
        """
        edges: dict[State, dict[X, tuple[State, tuple[Z, ...]]]] = {}
        for mine, out in self.edges.items():
            for theirs in then.edges:
                row = edges[mine, theirs] = {}
                for symbol, (target, middle) in out.items():
                    result = then.run(middle, theirs)
                    if result is not None:
                        row[symbol] = ((target, result[0]), result[1])
        return FST((self.start, then.start), edges)

    def singleProducible(self, state: State, max_length: int) -> frozenset[Y]:
        """Return the outputs that some word of at most ``max_length`` symbols emits alone.

        Definition C.1 of the paper, Prod(q), as it stands: T is in it if some word, read from
        ``state``, has T for its first and only output. Enumerates all words, so it is for tests:
        a shortest such word visits no state twice, hence ``len(self.states)`` symbols suffice.
        """
        inputs = {symbol for out in self.edges.values() for symbol in out}
        found: set[Y] = set()
        for length in range(1, max_length + 1):
            for word in product(sorted(inputs, key=repr), repeat=length):
                result = self.run(word, state)
                if result is not None and len(result[1]) == 1:
                    found.update(result[1])
        return frozenset(found)

    def computeSingleProducible(self, state: State) -> frozenset[Y]:
        """Return Prod(q): search the silent edges, collect the single outputs at their frontier.

        Linear in the number of edges. Silent edges behind the output add nothing, so the search
        stops there. That this is Definition C.1 is Lemma C.3.
        """

        def silent(state: State) -> list[State]:
            return [target for target, out in self.edges[state].values() if not out]

        return frozenset(
            out[0]
            for reached in closure([state], silent)
            for _, out in self.edges[reached].values()
            if len(out) == 1
        )
