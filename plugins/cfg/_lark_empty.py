"""Why no text matches a Lark grammar: what its rules need, and what its lexer never reads.

The engine knows only that nothing is left. Here the rules are looked at as ``formgate lint`` does:
whether they derive a sentence at all, one of terminals that have texts and are read, and one in
which no terminal stands right after another that swallows it. Of such pairs one is named without
which the others would leave a sentence.

Cost: that of loading the grammar and its automaton; for errors alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.cfg._lint_adjacency import never_after, swallowing
from formgate.plugins.cfg._lint_collisions import contexts
from formgate.plugins.cfg._lint_grammar import Yields
from formgate.plugins.cfg._lint_lexemes import Lexemes
from formgate.plugins.cfg._lint_lr import Automaton
from formgate.plugins.cfg._lint_rules import check_rules, check_terminals
from formgate.plugins.cfg._lint_unread import find_unread, unread_finding

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_report import Finding
    from formgate.plugins.cfg._lint_unread import Unread

__all__ = ["find_reason"]

_MOST_SYMBOLS = 4_000  # in all productions
_MOST_TERMINALS = 200
_MOST_PAIRS = 64  # of terminals side by side that are left out one by one


def find_reason(
    grammar: SymbolGrammar, flags: int, *, lexer: str | None, longest: bool
) -> Finding | None:
    """Return what keeps a grammar from having texts; None where that is not seen.

    Args:
        grammar: The grammar.
        flags: ``re`` flags for all terminals.
        lexer: ``contextual`` or ``basic``; None where no lexer cuts the text into terminals.
        longest: Whether it takes the longest match.
    """
    start = grammar.starts[0]
    if Yields(grammar.productions).length(start) is None:
        return _first("unproductive-rule", check_rules(grammar), {start})
    useful = grammar.useful()
    size = sum(len(production.body) + 1 for production in useful.productions)
    used = {symbol for production in useful.productions for symbol in production.body}
    if size > _MOST_SYMBOLS or len(used & grammar.terminals.keys()) > _MOST_TERMINALS:
        return None
    show = Lexemes(grammar, flags)
    empty = {name for name in used & grammar.terminals.keys() if show.is_empty(name)}
    if not _has_sentence_without(useful, empty):
        return _first("empty-terminal", check_terminals(grammar, show), empty)
    if lexer is None:
        return None
    automaton = Automaton(useful)
    found = None
    if not longest and grammar.is_productive():
        competing = contexts(useful, automaton, lexer=lexer)
        found = _never_read(grammar, find_unread(useful, competing, show))
    return found or _swallowed(useful, never_after(useful, automaton, show, longest=longest))


def _never_read(grammar: SymbolGrammar, unread: list[Unread]) -> Finding | None:
    """Return the finding for a terminal that is never read, if all sentences have such a one."""
    if _has_sentence_without(grammar, {each.name for each in unread}):
        return None
    alone = (each for each in unread if not _has_sentence_without(grammar, {each.name}))
    return unread_finding(grammar, next(alone, unread[0]))


def _swallowed(grammar: SymbolGrammar, pairs: list[tuple[str, str, str]]) -> Finding | None:
    """Return the finding for a pair side by side of which all sentences have one."""
    left = dict.fromkeys((first, second) for first, second, _ in pairs)
    if len(left) > _MOST_PAIRS or _has_sentence(grammar, left):
        return None
    for pair in list(left):  # those that need not be, go
        without = {other: None for other in left if other != pair}
        if not _has_sentence(grammar, without):
            left = without
    found = next(each for each in pairs if each[:2] in left)
    return swallowing(grammar, *found)


def _first(check: str, findings: list[Finding], names: Collection[str]) -> Finding | None:
    """Return the first finding of a check, about one of some names if there is one."""
    of_check = [each for each in findings if each.check == check]
    about = [each for each in of_check if each.subject in names]
    return next(iter([*about, *of_check]), None)


def _has_sentence_without(grammar: SymbolGrammar, names: set[str]) -> bool:
    """Say whether a sentence has none of some terminals."""
    start = grammar.starts[0]
    kept = [each for each in grammar.productions if names.isdisjoint(each.body)]
    return any(each.head == start for each in kept) and Yields(kept).length(start) is not None


def _has_sentence(grammar: SymbolGrammar, apart: Collection[tuple[str, str]]) -> bool:
    """Say whether a sentence has none of some pairs of terminals side by side.

    Of each rule it is found which terminals its sentences may begin and end with: a least fixed
    point (Bar-Hillel, Perles and Shamir, 1961).
    """
    rules = grammar.rules()
    known: dict[str, set[tuple[str, str] | None]] = {name: set() for name in rules}
    changed = True
    while changed:
        changed = False
        for production in grammar.productions:
            found = _spans(production.body, known, apart)
            if not found <= known[production.head]:
                known[production.head] |= found
                changed = True
    return bool(known[grammar.starts[0]])


def _spans(
    body: tuple[str, ...],
    known: Mapping[str, set[tuple[str, str] | None]],
    apart: Collection[tuple[str, str]],
) -> set[tuple[str, str] | None]:
    """Return first and last terminals of what a body derives; None for the empty text."""
    out: set[tuple[str, str] | None] = {None}
    for symbol in body:
        alone: set[tuple[str, str] | None] = {(symbol, symbol)}
        own = known.get(symbol, alone)
        out = {
            right if left is None else left if right is None else (left[0], right[1])
            for left in out
            for right in own
            if left is None or right is None or (left[1], right[0]) not in apart
        }
    return out
