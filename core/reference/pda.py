"""Pushdown automata without empty moves, their runs, and their finite over-approximation."""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from formgate.core.errors import GrammarError
from formgate.core.reference.fsa import NFA
from formgate.core.reference.symbols import EOS, ExtTerminal, Marker, State, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PDA", "ParserConfiguration", "Stack", "Transition"]

Stack: TypeAlias = tuple[State, ...]
"""A stack, its top first."""


class ParserConfiguration(NamedTuple):
    """A state and a stack, its top first."""

    state: State
    stack: Stack


class Transition(NamedTuple):
    """What one step, or a sequence of steps, does: pop, then push, then change the state.

    ``pop`` must be what the stack begins with; ``push`` then takes its place. Both read from the
    top.
    """

    pop: Stack
    push: Stack
    state: State

    def then(self, after: Transition) -> Transition | None:
        """Return both in sequence as one transition; None where the second can never follow."""
        shared = min(len(self.push), len(after.pop))
        if self.push[:shared] != after.pop[:shared]:
            return None
        return Transition(
            self.pop + after.pop[shared:], after.push + self.push[shared:], after.state
        )

    def apply(self, stack: Stack) -> ParserConfiguration | None:
        """Return the configuration after it; None where the stack does not begin with ``pop``."""
        if stack[: len(self.pop)] != self.pop:
            return None
        return ParserConfiguration(self.state, self.push + stack[len(self.pop) :])


@dataclass(frozen=True)
class PDA:
    """A pushdown automaton over terminals; each step reads one.

    Accepts by state, whatever is on the stack. It starts with an empty stack; nothing can be
    popped from an empty one. LR reductions and the like are folded into the step of the terminal
    that causes them.

    Attributes:
        start: The start state.
        accepting: The accepting states.
        edges: (state, terminal) to its transitions; a missing pair has none.
    """

    start: State
    accepting: frozenset[State]
    edges: Mapping[tuple[State, ExtTerminal], frozenset[Transition]]
    _summaries: dict[tuple[State, tuple[ExtTerminal, ...]], frozenset[Transition]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def states(self) -> frozenset[State]:
        """All states that occur."""
        sources = {state for state, _ in self.edges}
        targets = {move.state for moves in self.edges.values() for move in moves}
        return frozenset({self.start, *self.accepting, *sources, *targets})

    @property
    def terminals(self) -> frozenset[ExtTerminal]:
        """All terminals that occur on an edge."""
        return frozenset(terminal for _, terminal in self.edges)

    @property
    def stack_symbols(self) -> frozenset[State]:
        """All symbols that are popped or pushed somewhere."""
        moves = [move for moves in self.edges.values() for move in moves]
        return frozenset(symbol for move in moves for symbol in (*move.pop, *move.push))

    @property
    def initial(self) -> ParserConfiguration:
        """The start state with an empty stack."""
        return ParserConfiguration(self.start, ())

    def step(
        self, configurations: Iterable[ParserConfiguration], terminal: ExtTerminal
    ) -> frozenset[ParserConfiguration]:
        """Return all configurations that one terminal may lead to."""
        nothing: frozenset[Transition] = frozenset()
        results = (
            move.apply(stack)
            for state, stack in configurations
            for move in self.edges.get((state, terminal), nothing)
        )
        return frozenset(result for result in results if result is not None)

    def run(
        self, configurations: Iterable[ParserConfiguration], word: Iterable[ExtTerminal]
    ) -> frozenset[ParserConfiguration]:
        """Return all configurations after ``word``; none of them where the parser is stuck."""
        current = frozenset(configurations)
        for terminal in word:
            current = self.step(current, terminal)
        return current

    def accepts(self, word: Iterable[ExtTerminal]) -> bool:
        """Say whether ``word`` is in the language."""
        return any(c.state in self.accepting for c in self.run([self.initial], word))

    def summaries(self, state: State, word: tuple[ExtTerminal, ...]) -> frozenset[Transition]:
        """Return what ``word`` may do from ``state`` to a stack that is not known, as transitions.

        Kept for each state and word: the reference asks for the same few again and again.
        """
        known = self._summaries.get((state, word))
        if known is not None:
            return known
        if not word:
            result = frozenset([Transition((), (), state)])
        else:
            nothing: frozenset[Transition] = frozenset()
            both = (
                before.then(move)
                for before in self.summaries(state, word[:-1])
                for move in self.edges.get((before.state, word[-1]), nothing)
            )
            result = frozenset(move for move in both if move is not None)
        self._summaries[state, word] = result
        return result

    def with_end_marker(self) -> PDA:
        """Return the parser that also reads EOS, which leads from accepting states to one more.

        That state accepts and has no way out.

        Raises:
            GrammarError: The parser reads EOS already.
        """
        if EOS in self.terminals:
            raise GrammarError("this parser has an end marker already")
        edges = dict(self.edges)
        for state in self.accepting:
            edges[state, EOS] = frozenset([Transition((), (), Marker.PARSER_END)])
        return PDA(self.start, frozenset([Marker.PARSER_END]), edges)

    def with_ignored(self, ignored: Iterable[Terminal]) -> PDA:
        """Return the parser to which these terminals are no-ops in every state.

        Raises:
            GrammarError: It has transitions on one of them.
        """
        edges = dict(self.edges)
        for terminal in ignored:
            if terminal in self.terminals:
                raise GrammarError(
                    f"the terminal {terminal!r} is ignored and yet the grammar uses it",
                    hint="ignore it or use it, not both",
                )
            for state in self.states:
                edges[state, terminal] = frozenset([Transition((), (), state)])
        return PDA(self.start, self.accepting, edges)

    def toNFA(self) -> NFA[ExtTerminal]:
        """Return the automaton of the control states alone: the stack forgotten.

        It can do whatever the parser can, with any stack (``overApproximation``).
        """
        edges = {
            source: frozenset(move.state for move in moves) for source, moves in self.edges.items()
        }
        return NFA(self.start, self.accepting, edges)

    def stackInvariance(
        self, configuration: ParserConfiguration, word: tuple[ExtTerminal, ...], below: Stack
    ) -> bool:
        """Check Proposition 3.1 on one case: more stack below changes nothing above it.

        Every run from the configuration is a run from the same state with ``below`` under its
        stack, and leaves ``below`` as it was.
        """
        state, stack = configuration
        lifted = self.run([ParserConfiguration(state, stack + below)], word)
        return all(
            ParserConfiguration(after, rest + below) in lifted
            for after, rest in self.run([configuration], word)
        )

    def overApproximation(
        self, configuration: ParserConfiguration, word: tuple[ExtTerminal, ...]
    ) -> bool:
        """Check Proposition 3.2 on one case: where the parser can go, ``toNFA`` can."""
        reached = self.toNFA().run(word, [configuration.state])
        return {after.state for after in self.run([configuration], word)} <= reached
