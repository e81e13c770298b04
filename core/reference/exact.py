"""The exact route: a token is allowed if a configuration after it can be completed by tokens.

The paper asks whether the parser can take the terminals that a token completes and then some
terminal that the unfinished lexeme may become. That this can be followed up is an assumption
there. Here it is decided. Lexer hypotheses and parser states together are the control of one
pushdown system whose steps are the tokens, the stop token included; the configurations from which
it can stop are a regular set, found once by ``pre_star``; and a token is allowed if it leads into
that set. Nothing is assumed of separators, of look-ahead, of terminals' accepting states, of the
parser being deterministic or pruned, or of the vocabulary having every byte as a token.

A state is the set of all live configurations that its text leads to: it depends on the bytes
alone, not on how they were cut into tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from formgate.core.reference.fsa import closure
from formgate.core.reference.hypotheses import FRESH, Hypothesis, HypothesisLexer
from formgate.core.reference.pda import PDA, Stack
from formgate.core.reference.pushdown import Rule, StackAutomaton, pre_star
from formgate.core.reference.symbols import EOS, ExtTerminal, Marker, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.core.reference.vocabulary import Vocabulary

__all__ = ["Configuration", "ExactRoute"]

Configuration: TypeAlias = tuple[State, State, Stack]
"""A lexer state, a parser state, and the parser's stack."""

_Control: TypeAlias = tuple[State, State]


class ExactRoute:
    """Masks without assumptions.

    Args:
        lexer: The lexer, with its discipline.
        parser: The parser, without end marker.
        vocabulary: The tokens.

    Attributes:
        live: The configurations that can be completed by tokens, as an automaton over stacks. Its
            control states are pairs (hypothesis, parser state), numbered.
        rules: The pushdown system whose steps are the tokens.

    Cost: the rules are as many as triples (control state, distinct effect of a token on the lexer,
    effect of its terminals on the parser); saturation is polynomial in them.
    """

    def __init__(self, lexer: HypothesisLexer, parser: PDA, vocabulary: Vocabulary) -> None:
        self.lexer = lexer
        self.parser = parser.with_end_marker()
        self.vocabulary = vocabulary
        self._spellings = vocabulary.spellings()
        self._spanned: dict[
            Hypothesis, dict[tuple[Hypothesis, tuple[ExtTerminal, ...]], frozenset[int]]
        ] = {}
        self._numbers: dict[_Control, int] = {}
        self.rules = tuple(self._all_rules())
        self.live: StackAutomaton = pre_star(self.rules, [Marker.OUTPUT_END])

    def start(self) -> frozenset[Configuration]:
        """Return the state of the empty text; it is empty where no tokens spell a sentence."""
        return self._only_live([(FRESH, self.parser.start, ())])

    def mask(self, state: frozenset[Configuration]) -> frozenset[int]:
        """Return the ids that may come next, stop ids included."""
        allowed: set[int] = set()
        for configuration in state:
            for ids, after in self._moves(configuration):
                if not ids <= allowed and self._is_live(after):
                    allowed |= ids
        return frozenset(allowed)

    def step(self, state: frozenset[Configuration], token: int) -> frozenset[Configuration]:
        """Return the state after a token; it is empty if and only if the token is not allowed."""
        return self._only_live(
            after for before in state for ids, after in self._moves(before) if token in ids
        )

    # ------------------------------------------------------------------ what a token does

    def spanned(
        self, hypothesis: Hypothesis
    ) -> dict[tuple[Hypothesis, tuple[ExtTerminal, ...]], frozenset[int]]:
        """Return the tokens by what they do to the lexer: (hypothesis after, terminals emitted)."""
        known = self._spanned.get(hypothesis)
        if known is None:
            found: dict[tuple[Hypothesis, tuple[ExtTerminal, ...]], set[int]] = {}
            for spelling, ids in self._spellings.items():
                for step in self.lexer.run(hypothesis, spelling):
                    found.setdefault(step, set()).update(ids)
            known = {step: frozenset(ids) for step, ids in found.items()}
            self._spanned[hypothesis] = known
        return known

    def _moves(
        self, configuration: Configuration
    ) -> Iterator[tuple[frozenset[int], Configuration]]:
        """Yield what tokens do to a configuration: (ids, configuration after)."""
        hypothesis, state, stack = configuration
        if not isinstance(hypothesis, Hypothesis):
            return
        for (after, terminals), ids in self.spanned(hypothesis).items():
            for summary in self.parser.summaries(state, terminals):
                result = summary.apply(stack)
                if result is not None:
                    yield ids, (self._control(after, terminals), *result)

    @staticmethod
    def _control(after: Hypothesis, terminals: tuple[ExtTerminal, ...]) -> State:
        """Return the lexer's part of the control: after EOS the output has ended."""
        return Marker.OUTPUT_END if EOS in terminals else after

    # ------------------------------------------------------------------ liveness

    def _all_rules(self) -> Iterator[Rule]:
        """Yield the rules of all control states that some run, with any stack, comes to."""

        def rules_of(control: _Control) -> Iterator[tuple[_Control, Stack, Stack, _Control]]:
            hypothesis, state = control
            if not isinstance(hypothesis, Hypothesis):
                return
            for after, terminals in self.spanned(hypothesis):
                for pop, push, target in self.parser.summaries(state, terminals):
                    yield control, pop, push, (self._control(after, terminals), target)

        found: list[tuple[_Control, Stack, Stack, _Control]] = []

        def successors(control: _Control) -> Iterator[_Control]:
            for rule in rules_of(control):
                found.append(rule)
                yield rule[3]

        start: _Control = (FRESH, self.parser.start)
        self._numbers.update({c: i for i, c in enumerate(closure([start], successors))})
        for control, number in self._numbers.items():
            if control[0] is Marker.OUTPUT_END:
                yield Rule(number, (), (), Marker.OUTPUT_END)
        for source, pop, push, target in found:
            yield Rule(self._numbers[source], pop, push, self._numbers[target])

    def _is_live(self, configuration: Configuration) -> bool:
        hypothesis, state, stack = configuration
        return self.live.accepts(self._numbers[hypothesis, state], stack)

    def _only_live(
        self, configurations: Iterator[Configuration] | list[Configuration]
    ) -> frozenset[Configuration]:
        return frozenset(c for c in configurations if self._is_live(c))
