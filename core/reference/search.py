"""Productivity and path independence of a checker, by search of the states it can come to.

These two are bare hypotheses of the cumulative theorems in an earlier form of the formalisation,
and consequences of the separator in the later one. A checker has infinitely many states as a rule,
so a search is bounded; a finding says how far it went.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.reference.assumptions import Finding
from formgate.core.reference.checker import GCDChecker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.core.reference.checker import CheckerState
    from formgate.core.reference.hypotheses import Lexing

__all__ = ["Visit", "path_independence", "productivity", "visits"]


@dataclass(frozen=True)
class Visit:
    """A state of a checker, and the first sequence of tokens that leads to it."""

    tokens: tuple[int, ...]
    state: CheckerState


def visits(checker: GCDChecker, max_states: int) -> Iterator[Visit]:
    """Yield the first ``max_states`` states that allowed tokens lead to, breadth first."""
    start = checker.start()
    seen = {start}
    queue = [Visit((), start)]
    for visit in queue:
        yield visit
        for token in sorted(checker.mask(visit.state)):
            after = checker.step(visit.state, token)
            if token not in checker.vocabulary.stop_ids and after not in seen:
                if len(seen) == max_states:
                    continue
                seen.add(after)
                queue.append(Visit((*visit.tokens, token), after))


def productivity(checker: GCDChecker, max_states: int = 200) -> Finding:
    """Check that every allowed sequence of tokens can be completed: no mask leads to a dead end.

    Whether a state can be completed is decided, by the exact route to the same target language;
    the states are the first ``max_states``.
    """
    lexing: Lexing = "published" if checker.assumptions == "paper" else checker.lexing
    exact = GCDChecker(checker.lexer, checker.parser, checker.vocabulary, lexing=lexing)
    for visit in visits(checker, max_states):
        if not exact.after(visit.tokens):
            return Finding(
                "productivity",
                holds=False,
                where=f"after {_text(checker, visit.tokens)!r} nothing completes the text",
                remedy="add an ignored separator, or use assumptions='exact'",
            )
    return Finding("productivity", holds=True)


def path_independence(checker: GCDChecker, max_states: int = 200) -> Finding:
    """Check that what is allowed depends on the bytes alone, not on how tokens cut them.

    From each of the first ``max_states`` states, a token must be allowed exactly if its bytes are,
    one by one, as far as these are tokens; and both must lead to the same state.
    """
    spellings = checker.vocabulary.spellings()
    for visit in visits(checker, max_states):
        for token in range(len(checker.vocabulary)):
            data = checker.vocabulary.token_bytes(token)
            if data is None or len(data) == 1 or any((byte,) not in spellings for byte in data):
                continue
            state = visit.state
            for byte in data:
                state = checker.step(state, min(spellings[byte,]))
            if state != checker.step(visit.state, token):
                return Finding(
                    "path_independence",
                    holds=False,
                    where=f"after {_text(checker, visit.tokens)!r} the token {data!r} and its "
                    "bytes differ",
                    remedy="add an ignored separator, or use assumptions='exact'",
                )
    return Finding("path_independence", holds=True)


def _text(checker: GCDChecker, tokens: tuple[int, ...]) -> bytes:
    return b"".join(checker.vocabulary.token_bytes(token) or b"" for token in tokens)
