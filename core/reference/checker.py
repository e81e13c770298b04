"""``GCDChecker``: which token may follow, and which sequences of tokens are complete.

Algorithm 1 of arXiv 2502.05111 is the loop: ask for the mask, choose a token, take it, until the
end-of-input token is chosen. The checker is what it asks; the loop itself is the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from formgate.core.errors import GrammarError
from formgate.core.reference.exact import Configuration, ExactRoute
from formgate.core.reference.hypotheses import HypothesisLexer, Lexing
from formgate.core.reference.paper import PaperRoute

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core.reference.lexer import LexerSpec
    from formgate.core.reference.pda import PDA
    from formgate.core.reference.vocabulary import Vocabulary

__all__ = ["Assumptions", "CheckerState", "GCDChecker"]

Assumptions: TypeAlias = Literal["exact", "paper"]
"""Assume nothing and decide; or assume what the published algorithm does."""

CheckerState: TypeAlias = frozenset[Configuration]
"""All configurations that a text leads to. An empty one means that no text does."""


class _Route(Protocol):
    """One way to compute masks."""

    def start(self) -> CheckerState: ...
    def mask(self, state: CheckerState) -> frozenset[int]: ...
    def step(self, state: CheckerState, token: int) -> CheckerState: ...


class GCDChecker:
    """Says which token may follow which sequence of tokens.

    Args:
        lexer: What the terminals are.
        parser: Which sequences of terminals are sentences.
        vocabulary: The tokens.
        lexing: ``"longest"`` for longest match, ``"any"`` for every split into lexemes,
            ``"published"`` for longest match with one symbol of look-ahead.
        assumptions: ``"exact"`` decides whether a token can be followed up; ``"paper"`` computes
            what the published algorithm does, which agrees with ``lexing="published"`` where its
            assumptions hold.

    Raises:
        GrammarError: An argument is none of these words, or ``"any"`` was asked for together with
            ``"paper"``, which knows longest match only.
    """

    def __init__(
        self,
        lexer: LexerSpec,
        parser: PDA,
        vocabulary: Vocabulary,
        *,
        lexing: Lexing = "longest",
        assumptions: Assumptions = "exact",
    ) -> None:
        if lexing not in ("longest", "any", "published"):
            raise GrammarError(f"lexing must be 'longest', 'any' or 'published', not {lexing!r}")
        if assumptions not in ("exact", "paper"):
            raise GrammarError(f"assumptions must be 'exact' or 'paper', not {assumptions!r}")
        self.lexer = lexer
        self.parser = parser
        self.vocabulary = vocabulary
        self.lexing: Lexing = lexing
        self.assumptions: Assumptions = assumptions
        self.route: _Route
        if assumptions == "exact":
            self.route = ExactRoute(HypothesisLexer(lexer, lexing), parser, vocabulary)
        elif lexing != "any":
            self.route = PaperRoute(lexer, parser, vocabulary)
        else:
            raise GrammarError(
                "the published algorithm lexes by longest match",
                hint="leave out lexing='any', or assumptions='paper'",
            )

    def start(self) -> CheckerState:
        """Return the state before any token."""
        return self.route.start()

    def mask(self, state: CheckerState) -> frozenset[int]:
        """Return the ids that may come next."""
        return self.route.mask(state)

    def step(self, state: CheckerState, token: int) -> CheckerState:
        """Return the state after one more token; empty where it is not allowed."""
        return self.route.step(state, token)

    def may_end(self, state: CheckerState) -> bool:
        """Say whether the end of input is allowed."""
        return not self.mask(state).isdisjoint(self.vocabulary.stop_ids)

    def after(self, tokens: Iterable[int]) -> CheckerState:
        """Return the state after some tokens; empty where one of them is not allowed."""
        state = self.start()
        for token in tokens:
            state = self.step(state, token)
        return state

    def allows(self, tokens: Iterable[int], token: int) -> bool:
        """Say whether ``token`` may follow ``tokens``, all of which must be allowed in turn.

        The sequences of tokens that are allowed are the checker's intermediate language.
        """
        return token in self.mask(self.after(tokens))

    def accepts(self, tokens: Iterable[int]) -> bool:
        """Say whether ``tokens``, without a stop id, are allowed in turn and may end there.

        These sequences are the checker's language.
        """
        return self.may_end(self.after(tokens))
