"""Lexers with any look-ahead, as nondeterministic transducers: they guess, and are held to it.

Where the paper's transducer ends a lexeme because the next byte does not fit, these guess that the
lexeme ends, and go on. For longest match the guess carries an obligation: no longer lexeme may
begin where this one did. The obligation is a *guard*, the automaton's state after the lexeme; each
byte to come moves it on; if it ever accepts, the guess was wrong and the hypothesis dies; when it
is stuck, the obligation is met. So a text may be in several hypotheses at a time, one for each way
it may still turn out to be lexed, and look-ahead is unbounded.

This is the exact counterpart of ``BuildLexingFST``: the outputs of the runs that survive to EOS
are exactly ``MaximalMunch`` of the text (at most one run does). With ``lexing="any"`` there are no
obligations, and a state of several terminals may emit any of them: a terminal is a set of texts,
and every split of the text into them counts. With ``lexing="published"`` nothing is guessed, and
the transducer is that of ``BuildLexingFST``: the exact route then has the paper's target language.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from formgate.core.reference.symbols import EOS, ExtChar, ExtTerminal, Terminal

if TYPE_CHECKING:
    from formgate.core.reference.lexer import LexerSpec

__all__ = ["FRESH", "Hypothesis", "HypothesisLexer", "Lexing"]

Lexing: TypeAlias = Literal["longest", "any", "published"]
"""How a text falls into lexemes: by longest match and priority; in every possible way; or by
longest match with one symbol of look-ahead, as in the paper, where other texts have none."""


class Hypothesis(NamedTuple):
    """One way a text may turn out to be lexed.

    Attributes:
        state: The automaton's state in the unfinished lexeme; None where nothing has been read.
        guards: States of the automaton after earlier lexemes, none of which may come to accept.
    """

    state: int | None
    guards: frozenset[int]


FRESH: Final = Hypothesis(None, frozenset())
"""Nothing read yet."""

_Step: TypeAlias = tuple[Hypothesis, tuple[ExtTerminal, ...]]


@dataclass(frozen=True)
class HypothesisLexer:
    """The transducer of guesses.

    Attributes:
        spec: The lexer.
        lexing: The discipline.
    """

    spec: LexerSpec
    lexing: Lexing = "longest"
    _steps: dict[tuple[Hypothesis, ExtChar], frozenset[_Step]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def step(self, hypothesis: Hypothesis, symbol: ExtChar) -> frozenset[_Step]:
        """Return all that one symbol may lead to: (hypothesis, terminals emitted)."""
        known = self._steps.get((hypothesis, symbol))
        if known is None:
            known = frozenset(
                self._end(hypothesis) if symbol is EOS else self._read(hypothesis, symbol)
            )
            self._steps[hypothesis, symbol] = known
        return known

    def run(self, hypothesis: Hypothesis, word: tuple[ExtChar, ...]) -> frozenset[_Step]:
        """Return all that ``word`` may lead to: (hypothesis, terminals emitted)."""
        current: frozenset[_Step] = frozenset([(hypothesis, ())])
        for symbol in word:
            current = frozenset(
                (after, emitted + more)
                for before, emitted in current
                for after, more in self.step(before, symbol)
            )
        return current

    def _terms(self, state: int) -> tuple[Terminal, ...]:
        terms = self.spec.terms.get(state, ())
        return terms if self.lexing == "any" else terms[:1]

    def _read(self, hypothesis: Hypothesis, byte: int) -> list[_Step]:
        automaton = self.spec.automaton
        state, guards = hypothesis
        steps: list[_Step] = []
        kept = self._moved(guards, byte)
        if kept is not None:
            target = automaton.step(automaton.start if state is None else state, byte)
            if target is not None:
                steps.append((Hypothesis(target, kept), ()))
        first = automaton.step(automaton.start, byte)
        if self.lexing == "published" and steps:
            return steps
        if state is not None and first is not None:
            watched = guards | {state} if self.lexing == "longest" else guards
            watching = self._moved(watched, byte)
            if watching is not None:
                steps += [(Hypothesis(first, watching), (term,)) for term in self._terms(state)]
        return steps

    def _end(self, hypothesis: Hypothesis) -> list[_Step]:
        """End the input: no longer lexeme can come any more, so every guard is content."""
        if hypothesis.state is None:
            return [(FRESH, (EOS,))]
        return [(FRESH, (term, EOS)) for term in self._terms(hypothesis.state)]

    def _moved(self, guards: frozenset[int], byte: int) -> frozenset[int] | None:
        """Return the guards after one byte; None where one of them accepts."""
        automaton = self.spec.automaton
        moved = frozenset(t for g in guards if (t := automaton.step(g, byte)) is not None)
        return None if moved & automaton.accepting else moved
