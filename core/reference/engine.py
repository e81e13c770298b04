"""``ReferenceEngine``: the formal model as a ``MaskEngine``, so that all that decodes runs on it.

Slow and obvious: it exists to be compared with. Compiling takes milliseconds for a few rules and a
few tokens, and grows with the product of lexer states, parser states and distinct effects of
tokens; use it with small vocabularies.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, GrammarError, StateError, TokenError
from formgate.core.protocol import TokenMask
from formgate.core.reference.checker import Assumptions, CheckerState, GCDChecker
from formgate.core.reference.fsa import FSA
from formgate.core.reference.grammar import Grammar
from formgate.core.reference.lexer import LexerSpec
from formgate.core.reference.regular import automaton_of
from formgate.core.reference.vocabulary import TokenBytes, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formgate.core.reference.hypotheses import Lexing
    from formgate.core.reference.pda import PDA
    from formgate.core.reference.symbols import Terminal

__all__ = ["ReferenceEngine", "ReferenceState"]

_TEXT = "TEXT"


@dataclass(frozen=True)
class ReferenceState:
    """A state: all live configurations of the text so far; none once a stop id came.

    Equal states have equal futures, and equal keys.
    """

    configurations: CheckerState
    ended: bool = False

    @cached_property
    def key(self) -> bytes:
        """A 16-byte hash of the state's contents."""
        shown = sorted(repr(configuration) for configuration in self.configurations)
        text = repr((self.ended, shown))
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


class ReferenceEngine:
    """A mask engine in plain Python, straight from the definitions.

    Args:
        checker: The checker whose masks it serves.

    Raises:
        EmptyLanguageError: No sequence of tokens spells a text of the language. With
            ``assumptions="paper"`` this is not decided, and never raised.

    Example:
        >>> engine = ReferenceEngine.from_regex("(ab)+", Vocabulary.of([b"a", b"b", b"ab"]))
        >>> state = engine.advance(engine.start(), 0)
        >>> engine.allowed_tokens(state).to_list(), engine.is_accepting(state)
        ([1], False)
    """

    def __init__(self, checker: GCDChecker) -> None:
        self.checker = checker
        self.vocabulary = checker.vocabulary
        self._masks: dict[CheckerState, frozenset[int]] = {}
        if not checker.start():
            raise EmptyLanguageError(
                "no sequence of tokens of this vocabulary spells a text of the language",
                hint="add the missing bytes as tokens, or separators between the lexemes",
            )

    @classmethod
    def from_regex(
        cls,
        pattern: str | FSA[int],
        vocabulary: TokenBytes,
        *,
        assumptions: Assumptions = "exact",
    ) -> ReferenceEngine:
        """Return the engine of all texts that match a pattern as a whole.

        Args:
            pattern: In the syntax of ``automaton_of``; or an automaton over bytes.
            vocabulary: The reference's own, or any other.
            assumptions: As for ``GCDChecker``.

        Raises:
            GrammarError: The pattern is malformed.
            UnsupportedConstraint: It uses syntax that the reference does not read.
            EmptyLanguageError: Nothing matches, or nothing that the tokens can spell.
            LimitError: The pattern is too large.
        """
        automaton = automaton_of(pattern) if isinstance(pattern, str) else pattern.pruned()
        bodies: list[list[str]] = [[]] if automaton.start in automaton.accepting else []
        terminals = {}
        if (lexemes := automaton.without_empty()).accepting:
            terminals[_TEXT] = lexemes
            bodies.append([_TEXT])
        if not bodies:
            raise EmptyLanguageError("no text matches the pattern")
        return cls.from_grammar(
            Grammar("start", {"start": bodies}),
            terminals,
            vocabulary,
            lexing="any" if assumptions == "exact" else "longest",
            assumptions=assumptions,
        )

    @classmethod
    def from_grammar(
        cls,
        grammar: Grammar | str,
        terminals: Mapping[Terminal, str | FSA[int]],
        vocabulary: TokenBytes,
        *,
        ignored: Iterable[Terminal] = (),
        lexing: Lexing = "longest",
        assumptions: Assumptions = "exact",
    ) -> ReferenceEngine:
        """Return the engine of a grammar over named terminals.

        Args:
            grammar: The rules, or their text (``Grammar.of``).
            terminals: For each terminal its pattern or automaton, best first where several match.
            vocabulary: The reference's own, or any other.
            ignored: Terminals that may stand between any others, and mean nothing.
            lexing: As for ``GCDChecker``. With ``"any"`` a terminal may match the empty text.
            assumptions: As for ``GCDChecker``.

        Raises:
            GrammarError: A rule is malformed, uses a terminal that is not given, or an ignored
                one; or a terminal matches the empty text unless ``lexing="any"``.
            EmptyLanguageError: No text is in the language, or none that the tokens can spell.
            UnsupportedConstraint, LimitError: As for ``from_regex``.
        """
        rules = Grammar.of(grammar) if isinstance(grammar, str) else grammar
        for name in sorted(rules.terminals):
            if name not in terminals:
                raise GrammarError(
                    f"the grammar uses {name!r}, which has neither rules nor a pattern",
                    hint=f"give it rules, or add it to terminals: {{{name!r}: ...}}",
                )
        machines = {
            name: automaton_of(source) if isinstance(source, str) else source.pruned()
            for name, source in terminals.items()
        }
        ignored = tuple(ignored)
        for name in ignored:
            if name not in machines:
                raise GrammarError(f"the terminal {name!r} is to be ignored, but it has no pattern")
        if lexing == "any":
            nullable = [name for name, m in machines.items() if m.start in m.accepting]
            rules = rules.with_optional(frozenset(nullable) & rules.terminals)
            machines.update({name: machines[name].without_empty() for name in nullable})
        used = {
            name: machine
            for name, machine in machines.items()
            if machine.accepting or lexing != "any"
        }
        parser = rules.parser().with_ignored(ignored)
        lexer = LexerSpec.of(used) if used else LexerSpec(FSA(0, frozenset(), {0: {}}), {})
        return cls(_checker(lexer, parser, vocabulary, lexing, assumptions))

    def start(self) -> ReferenceState:
        """Return the state of the empty output."""
        return ReferenceState(self.checker.start())

    def allowed_tokens(self, state: ReferenceState) -> TokenMask:
        """Return the tokens that may come next."""
        return TokenMask.from_ids(len(self.vocabulary), sorted(self._mask(state)))

    def advance(self, state: ReferenceState, token: int) -> ReferenceState:
        """Return the state after one more token.

        Raises:
            TokenError: The token is not allowed.
        """
        if token not in self._mask(state):
            raise TokenError(
                f"token {token} is not allowed here: take one of allowed_tokens(state)"
            )
        if token in self.vocabulary.stop_ids:
            return ReferenceState(frozenset(), ended=True)
        return ReferenceState(self.checker.step(state.configurations, token))

    def is_accepting(self, state: ReferenceState) -> bool:
        """Say whether the output may end here."""
        return state.ended or not self._mask(state).isdisjoint(self.vocabulary.stop_ids)

    def is_terminal(self, state: ReferenceState) -> bool:
        """Say whether the output must end here, or has ended."""
        mask = self._mask(state)
        return state.ended or (bool(mask) and mask <= set(self.vocabulary.stop_ids))

    def accepts(self, text: str | bytes) -> bool:
        """Say whether a text is in the language, whatever the tokens can spell."""
        return any(self._bytewise.may_end(state) for state in self._read(text))

    def is_prefix(self, text: str | bytes) -> bool:
        """Say whether some text of the language begins with this one."""
        return bool(self._read(text))

    @cached_property
    def _bytewise(self) -> GCDChecker:
        """The same checker over a vocabulary of single bytes."""
        checker = self.checker
        every_byte = Vocabulary.of(bytes([byte]) for byte in range(256))
        return GCDChecker(
            checker.lexer,
            checker.parser,
            every_byte,
            lexing=checker.lexing,
            assumptions=checker.assumptions,
        )

    def _read(self, text: str | bytes) -> list[CheckerState]:
        """Return the state after a text, or nothing where no text of the language begins so."""
        data = text.encode() if isinstance(text, str) else text
        state = self._bytewise.after(data)
        return [state] if state else []

    def _mask(self, state: ReferenceState) -> frozenset[int]:
        if not isinstance(state, ReferenceState):
            raise StateError(f"{state!r} is not a state of this engine: begin with start()")
        if state.ended:
            return frozenset()
        known = self._masks.get(state.configurations)
        if known is None:
            known = self._masks[state.configurations] = self.checker.mask(state.configurations)
        return known


def _checker(
    lexer: LexerSpec,
    parser: PDA,
    vocabulary: TokenBytes,
    lexing: Lexing,
    assumptions: Assumptions,
) -> GCDChecker:
    own = vocabulary if isinstance(vocabulary, Vocabulary) else Vocabulary.copy_of(vocabulary)
    return GCDChecker(lexer, parser, own, lexing=lexing, assumptions=assumptions)
